"""Pairs that are fixed beforehand, judged by the engine of a worker: no service, no leases."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from judge_worker import verdicts
from judge_worker.engine import Engine, Outcome, Unread
from judge_worker.engines import open_engine
from judge_worker.progress import Stats, event
from judge_worker.prompts import Fields, Template
from judge_worker.reading import prepare
from judge_worker.run import check, load_templates, read_patiently
from judge_worker.settings import BadSettings, WorkerSettings


class OfflineJudge(NamedTuple):
    """An engine that is open, and what to ask it."""

    settings: WorkerSettings
    templates: list[Template]
    engine: Engine


def templates_of(settings: WorkerSettings) -> list[Template]:
    """Raises BadTemplate, and BadSettings for a scale."""
    if settings.absolute:
        raise BadSettings("absolute: `nextpair judge` compares pairs; leave it out")
    return load_templates(settings)


def open_judge(settings: WorkerSettings) -> OfflineJudge:
    """Open the engine and judge examples. Raises BadTemplate, BadSettings, BadLabels, EngineDown."""
    templates = templates_of(settings)
    event("loading", model=settings.model, engine=settings.engine.name)
    engine = open_engine(settings)
    check(engine, templates, settings)
    return OfflineJudge(settings, templates, engine)


def judge_pairs(
    judge: OfflineJudge, pairs: Sequence[tuple[Template, Fields]], stats: Stats, show: Callable[[], None]
) -> list[Outcome]:
    """An outcome for each pair with its template, in order, counted in `stats`.

    A batch is prepared while the one before is being read. Raises EngineDown.
    """
    batch, outcomes = judge.settings.batch, list[Outcome]()
    batches = [pairs[start : start + batch] for start in range(0, len(pairs), batch)]
    with ThreadPoolExecutor(1, thread_name_prefix="prepare") as beside:
        ahead = beside.submit(_prepare_all, judge, batches[0] if batches else [])
        for following in [*batches[1:], []]:
            prepared, ahead = ahead.result(), beside.submit(_prepare_all, judge, following)
            with stats.at_work():
                read = read_patiently(judge.engine, prepared)
            checked = [verdicts.enough(each, judge.settings.least_label_mass) for each in read]
            stats.count(checked)
            outcomes += checked
            show()
    return outcomes


def _prepare_all(judge: OfflineJudge, pairs: Sequence[tuple[Template, Fields]]) -> list[Any]:
    return [_without_text(pair) or prepare(judge.engine, template, pair) for template, pair in pairs]


def _without_text(pair: Fields) -> Unread | None:
    missing = [side for side in ("first", "second") if not pair[side]]
    return Unread("skipped", f"No text for the {' and the '.join(missing)}.") if missing else None
