"""One verdict for every row of a file in which several judges have a column each."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from nextpair.words import AggregationName
from rich.console import Console
from scipy.sparse import csr_array, hstack

from app.files.columns import encode, keys_of, numbers_of, texts_of
from app.files.reading import read
from app.files.tables import InputError, Table, complaint
from app.inference.judges import (
    DEPARTS,
    Aggregate,
    Doubt,
    ItemContext,
    Learner,
    Step,
    aggregate,
    binary,
    departure,
    doubts,
    given,
    hashed,
    needs_context,
    votes,
)
from app.inference.types import Bools, Floats
from app.offline.printing import Format, count, grid, progress_of, write_json, write_rows

Item = Mapping[str, str]  # text by field


class ItemAnswers(NamedTuple):
    """N items and what K judges say of each."""

    items: list[str]  # (N,)
    judges: list[str]  # (K,)
    y: Floats  # (N, K) probability of yes; NaN where a judge has said nothing
    truth: Floats  # (N,) 0 or 1; NaN where it is not known
    context: ItemContext | None  # where columns with texts or features were named
    learner: Learner | None = None  # of a transformer that is trained too


class AggregationColumns(NamedTuple):
    """Which column holds what."""

    judges: Sequence[str] = ()  # all others by default
    item: str | None = None
    truth: str | None = None
    texts: Sequence[str] = ()
    features: Sequence[str] = ()
    group: str | None = None


class TextEncoding(NamedTuple):
    """What reads the texts: a transformer, or hashed n-grams where none is named."""

    model: str | None = None
    fine_tune: bool = False


class ItemVerdicts(NamedTuple):
    """Under one method."""

    probability: Floats  # (N,) of yes
    yes: Bools  # (N,)
    aggregate: Aggregate


def require_possible(method: AggregationName, columns: AggregationColumns, encoder: TextEncoding) -> TextEncoding:
    """Raises InputError for an encoder with nothing to do."""
    if encoder.fine_tune and not encoder.model:
        raise InputError("--fine-tune trains a transformer: name it with --encoder")
    if encoder.model and not needs_context(method):
        raise InputError(f"{method} does not read what the items say; --encoder goes with skill-aggregation")
    if encoder.model and not columns.texts:
        raise InputError("--encoder reads texts: name their columns with --text")
    if encoder.fine_tune and columns.features:
        raise InputError("--fine-tune trains on texts alone: leave out --feature")
    return encoder


def load(file: str, columns: AggregationColumns, encoder: TextEncoding = TextEncoding()) -> ItemAnswers:  # noqa: B008  # immutable
    """Raises InputError."""
    table, truth = read(file), columns.truth
    others = (columns.item, truth, columns.group, *columns.texts, *columns.features)
    named = list(columns.judges) or [column for column in table.columns if column not in others]
    if len(named) < 2:
        raise InputError(f"{table.name}: aggregation needs two judges or more; name their columns with --judge")
    names = keys_of(table, columns.item) if columns.item else [str(n + 1) for n in range(len(table.rows))]
    y = np.column_stack([_share(table, judge) for judge in named])
    known = _share(table, truth, whole=True) if truth else np.full(len(names), np.nan)
    return ItemAnswers(names, named, y, known, *_context(table, columns, encoder))


def verdicts(judged: ItemAnswers, method: AggregationName, seed: int) -> ItemVerdicts:
    """Raises InputError where the method reads a context and there is none."""
    if needs_context(method) and judged.context is None:
        raise InputError(f"{method} reads what the items say: name the columns with --text or --feature")
    rng = np.random.default_rng(seed)
    with progress_of(100, "training") as more:
        found = aggregate(binary(judged.y), method, rng, judged.context, _percent(more), judged.learner)
    return ItemVerdicts(found.probability[:, 1], found.labels(rng) == 1, found)


def show(judged: ItemAnswers, method: AggregationName, seed: int, form: Format) -> None:
    found = verdicts(judged, method, seed)
    if form == "csv":
        write_rows(_items(judged, found), sys.stdout)
    elif form == "json":
        write_json(_summary(judged, method, found) | {"items": _items(judged, found)})
    else:
        _print(judged, _summary(judged, method, found))


def _context(
    table: Table, columns: AggregationColumns, encoder: TextEncoding
) -> tuple[ItemContext | None, Learner | None]:
    if not (columns.texts or columns.features):
        return None, None
    parts, learner = [], None
    if columns.texts:
        fields = [texts_of(table, column) for column in columns.texts]
        items = [dict(zip(columns.texts, said, strict=True)) for said in zip(*fields, strict=True)]
        x, learner = (
            _by_transformer(items, encoder.model, encoder.fine_tune) if encoder.model else (hashed(items), None)
        )
        parts.append(x)
    if columns.features:
        parts.append(given(np.column_stack([_number(table, column) for column in columns.features])))
    group = encode(keys_of(table, columns.group))[1] if columns.group else np.arange(len(table.rows))
    return ItemContext(csr_array(hstack(parts)), group), learner


def _by_transformer(items: Sequence[Item], model: str, fine_tune: bool) -> tuple[csr_array, Learner | None]:
    """Raises InputError."""
    try:
        from app.offline import transformer
    except ImportError as error:
        raise InputError(f"--encoder needs more packages ({error}): pip install 'nextpair[transformer]'") from None
    try:
        loaded = transformer.load(model)
    except (ImportError, OSError, ValueError) as error:
        raise InputError(f"--encoder {model}: {error}") from error
    if fine_tune:
        return transformer.tokens(items, loaded), transformer.fine_tuned(loaded)
    with progress_of(len(items), "reading") as more:
        return transformer.encode(items, loaded, more), None


def _percent(more: Callable[[int], None]) -> Callable[[Step], None]:
    """Advances a bar of 100 by what each step adds. A fit stops early, so within a fold the bar only nears its end."""
    shown = 0

    def step(at: Step) -> None:
        nonlocal shown
        now = int(100 * (at.fold + 1.0 - 0.98**at.iteration) / at.folds)
        more(now - shown)
        shown = now

    return step


def _items(judged: ItemAnswers, found: ItemVerdicts) -> list[dict[str, Any]]:
    return [
        {"item": item, "p": float(p), "verdict": int(yes)}
        for item, p, yes in zip(judged.items, found.probability, found.yes, strict=True)
    ]


def _summary(judged: ItemAnswers, method: AggregationName, found: ItemVerdicts) -> dict[str, Any]:
    convergence = found.aggregate.convergence
    return {
        "method": method,
        "converged": convergence.converged if convergence else True,
        "items": len(judged.items),
        "yes": int(found.yes.sum()),
        "accuracy": _right(found.yes.astype(np.float64), judged.truth),
        "warnings": _warnings(judged, method, found),
        "judges": [_judge(judged, found, k) for k in range(len(judged.judges))],
    }


def _warnings(judged: ItemAnswers, method: AggregationName, found: ItemVerdicts) -> list[str]:
    y = binary(judged.y)
    said = [in_words(doubt, judged.judges[doubt.judge]) for doubt in doubts(y)]
    departs = departure(found.aggregate, y)
    if departs >= DEPARTS:
        said.append(f"{method} decides against the majority in {departs:.0%} of items; check some of them by hand")
    return said


def in_words(doubt: Doubt, judge: str) -> str:
    if doubt.kind == "one_sided":
        always = "yes" if doubt.of else "no"
        return f"{judge} says {always} to {doubt.size:.0%} of its items; average and majority count it all the same"
    if doubt.kind == "chance":
        return f"{judge} is as good as chance by what the others say (skill {doubt.size:.2f}); leave it out"
    return f"{judge} is against the others (skill {doubt.size:.2f}); ask whether it was given the same question"


def _judge(judged: ItemAnswers, found: ItemVerdicts, k: int) -> dict[str, Any]:
    """How a judge goes with the group, and what the method believes of it."""
    said, skills = ~np.isnan(judged.y[:, k]), found.aggregate.confusion
    yes = votes(binary(judged.y))[said, k, 1]
    return {
        "judge": judged.judges[k],
        "votes": int(said.sum()),
        "agreement": _right(yes, found.yes[said].astype(np.float64)),
        "p_no_if_no": None if skills is None else float(skills[k, 0, 0]),
        "p_yes_if_yes": None if skills is None else float(skills[k, 1, 1]),
        "accuracy": _right(yes, judged.truth[said]),
    }


def _right(yes: Floats, truth: Floats) -> float | None:
    """Share of the items of known truth (N,) that yes (N,) names; half a vote is half right. None if none is known."""
    known = ~np.isnan(truth)
    return float(1.0 - np.abs(yes - truth)[known].mean()) if known.any() else None


def _print(judged: ItemAnswers, summary: dict[str, Any]) -> None:
    console = Console(highlight=False)
    accuracy = "" if summary["accuracy"] is None else f", accuracy {summary['accuracy']:.4f}"
    warning = "" if summary["converged"] else ", NOT CONVERGED"
    console.print(f"{summary['method']}: {count(len(judged.items), 'item')}, {summary['yes']:,} yes{accuracy}{warning}")
    for doubt in summary["warnings"]:
        console.print(f"warning: {doubt}", soft_wrap=True)
    columns = ["judge", "votes", "agreement", "p_no_if_no", "p_yes_if_yes", "accuracy"]
    known = [name for name in columns if any(row[name] is not None for row in summary["judges"])]
    console.print(grid(known, [[_cell(row[name]) for name in known] for row in summary["judges"]]))


def _cell(value: float | str | None) -> str:
    return f"{value:.3f}" if isinstance(value, float) else "" if value is None else str(value)


def _number(table: Table, column: str) -> Floats:
    values = numbers_of(table, column)
    if np.isnan(values).any():
        raise complaint(table, int(np.argmax(np.isnan(values))), column, "empty; a feature is a number for every row")
    return values


def _share(table: Table, column: str, *, whole: bool = False) -> Floats:
    """(N,) numbers from 0 to 1, NaN where empty; `whole` wants 0 or 1. Raises InputError."""
    values = numbers_of(table, column)
    wrong = (values < 0.0) | (values > 1.0) | (whole & (values % 1.0 > 0.0))
    if wrong.any():
        wanted = "0 or 1" if whole else "a probability of yes from 0 to 1"
        raise complaint(table, int(np.argmax(wrong)), column, f"write {wanted}, or nothing")
    return values
