"""Pairs in files, judged without a service into a folder of verdicts, in this process or on a Ray cluster.

The pairs are cut into parts of a fixed number of rows. The verdicts on a part are a Parquet file, which appears once
all of them are made. A job that was stopped goes on with the missing parts. A part that is judged twice, as its first
judge was killed, is the same file again. `_job.json` says what the verdicts are of, so that nobody goes on with another
judge, template or file of pairs.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from app.files import pairs, reading
from app.files.pairs import PairColumns, Verdict
from app.files.tables import InputError
from judge_worker.engine import Outcome, Unread
from judge_worker.offline import OfflineJudge, judge_pairs, open_judge, templates_of
from judge_worker.progress import Stats, event, now_and_then, show
from judge_worker.prompts import Fields, Template, repeated_words
from judge_worker.settings import WorkerSettings
from judge_worker.verdicts import logprobs_of

DESCRIPTION = "_job.json"
ROWS = 4096  # of a part


class JudgingJob(NamedTuple):
    """Job of judging: what, by which judge, and where the verdicts go. All paths are absolute."""

    files: tuple[str, ...]
    columns: PairColumns
    folder: Path
    settings: WorkerSettings
    rows: int = ROWS

    @property
    def ways(self) -> int:
        """Verdicts on each pair: one for each template and order."""
        return max(len(self.settings.template), 1) * self.settings.orders_of_a_pair


class Part(NamedTuple):
    """Rows of a file."""

    file: int
    start: int
    rows: int

    @property
    def name(self) -> str:
        """Names sort as the pairs do."""
        return f"part-{self.file:05}-{self.start:012}.parquet"


Elsewhere = Callable[[JudgingJob, Sequence[Part]], Iterator[str]]  # judges parts; gives the name of each that is done


def prepare(
    pairs_path: str, columns: PairColumns, folder: Path, settings: WorkerSettings, rows: int = ROWS
) -> JudgingJob:
    """A job that can begin, or go on. Raises InputError, BadTemplate and BadSettings."""
    files = tuple(str(Path(file).resolve()) for file in reading.files_of(pairs_path))
    for file in files:
        pairs.require_columns(file, columns)
    job = JudgingJob(files, columns, folder.resolve(), settings, rows)
    job.folder.mkdir(parents=True, exist_ok=True)
    _go_on_with_the_same(job)
    return job


def run(job: JudgingJob, elsewhere: Elsewhere | None = None) -> Stats:
    """Judge every part that is missing, `elsewhere` or in this process. Returns what was done. Raises EngineDown."""
    missing = missing_parts(job)
    stats = Stats(pairs_left=sum(part.rows for part in missing) * job.ways)
    event("judging", judge=job.settings.judge_name, verdicts=stats.pairs_left, parts=len(missing))
    if missing and elsewhere is not None:
        _follow(job, stats, elsewhere(job, missing))
    elif missing:
        _judge_here(job, missing, stats)
    show(stats)
    return stats


def missing_parts(job: JudgingJob) -> list[Part]:
    """The parts whose verdicts are not there yet, in order. Raises InputError."""
    parts = (
        Part(number, start, min(job.rows, total - start))
        for number, total in enumerate(map(pairs.count_rows, job.files))
        for start in range(0, total, job.rows)
    )
    return [part for part in parts if not (job.folder / part.name).exists()]


def cut(job: JudgingJob, missing: Sequence[Part]) -> Iterator[tuple[Part, pa.Table]]:
    """The missing parts with their pairs, in order. Raises InputError."""
    for number in sorted({part.file for part in missing}):
        wanted = {part.start: part for part in missing if part.file == number}
        for start, table in pairs.read_parts(job.files[number], job.rows, job.columns):
            if part := wanted.pop(start, None):
                yield part, table
            if not wanted:
                break


def judge_part(
    job: JudgingJob, judge: OfflineJudge, name: str, table: pa.Table, stats: Stats, show_more: Callable[[], None]
) -> None:
    """Judge the pairs of a part and write its verdicts. Raises EngineDown."""
    orders = job.settings.orders_of_a_pair
    shown = [
        (template, way)
        for fields in pairs.fields_of(table)
        for template in judge.templates
        for way in _ways(fields, orders)
    ]
    outcomes = judge_pairs(judge, shown, stats, show_more)
    source = {"judge": job.settings.judge_name, "model": judge.engine.model}
    templates = [template.name for template in judge.templates]
    answered = [_verdict(outcome, *way) for outcome, way in zip(outcomes, shown, strict=True)]
    verdicts = pairs.verdicts_on(table, templates, orders, answered, source)
    pairs.write_whole(job.folder / name, partial(pq.write_table, verdicts))


def _judge_here(job: JudgingJob, missing: Sequence[Part], stats: Stats) -> None:
    judge, more = open_judge(job.settings), now_and_then(stats)
    left = stats.pairs_left or 0

    def show_more() -> None:
        stats.pairs_left = left - stats.judged - stats.failures.total()
        more()

    try:
        for part, table in cut(job, missing):
            judge_part(job, judge, part.name, table, stats, show_more)
    finally:
        judge.engine.close()


def _follow(job: JudgingJob, stats: Stats, done: Iterator[str]) -> None:
    """Count the verdicts of each part that is done."""
    left, show_more = stats.pairs_left or 0, now_and_then(stats)
    for name in done:
        try:
            cells = pq.read_table(job.folder / name, columns=["failure", "label_mass", "tokens"])
        except FileNotFoundError:
            raise InputError(
                f"{job.folder}: {name} was written on another machine; --out must be a folder that all machines share"
            ) from None
        failures = Counter(kind for kind in cells["failure"].to_pylist() if kind)
        stats.failures += failures
        stats.judged += cells.num_rows - failures.total()
        stats.label_mass += pc.sum(cells["label_mass"]).as_py() or 0.0
        stats.tokens += pc.sum(cells["tokens"]).as_py() or 0
        stats.pairs_left = left - stats.judged - stats.failures.total()
        show_more()


def _ways(fields: Fields, orders: int) -> list[Fields]:
    swapped = {**fields, "first": fields["second"], "second": fields["first"]}
    return [fields, swapped][:orders]


def _verdict(outcome: Outcome, template: Template, fields: Fields) -> Verdict:
    if isinstance(outcome, Unread):
        return Verdict(failure=outcome.failure, reason=outcome.reason)
    words = repeated_words(template, fields)
    remark = f"A text repeats the template: {', '.join(words)}." if words else None
    return Verdict(logprobs_of(outcome).p_first, outcome.label_mass, outcome.tokens, reason=remark)


def _go_on_with_the_same(job: JudgingJob) -> None:
    """Write what this job is, unless it is written. Raises InputError in the folder of another job."""
    described, file = json.loads(json.dumps(_description(job))), job.folder / DESCRIPTION
    if not file.exists():
        if any(job.folder.glob("part-*.parquet")):
            raise InputError(f"{job.folder}: there are verdicts of something else; choose another folder")
        # Killed here, a job can begin again.
        pairs.write_whole(file, lambda beside: beside.write_text(json.dumps(described, indent=2) + "\n", "utf-8"))
    before = json.loads(file.read_text("utf-8"))
    if changed := [name for name in described if before.get(name) != described[name]]:
        was, now = (json.dumps(each.get(changed[0]), ensure_ascii=False) for each in (before, described))
        raise InputError(f"{job.folder}: was begun with {changed[0]} {was}, and now it is {now}; choose another folder")


def _description(job: JudgingJob) -> Mapping[str, Any]:
    s = job.settings
    templates = ", ".join(template.name for template in templates_of(s))
    return {
        "pairs": [[Path(file).name, pairs.count_rows(file)] for file in job.files],
        "columns": {name: column for name, column in job.columns._asdict().items() if column is not None},
        "judge": s.judge_name, "model": s.model, "template": templates, "orders": s.orders,
        "least_label_mass": s.least_label_mass, "rows_of_a_part": job.rows,
    }  # fmt: skip
