"""One verdict for every row of a file in which several judges have a column each.

A cell is a judge's probability of yes, or the class that it names where classes are named. People's columns are labels.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from nextpair import schemas

from app.analysis import aggregation as analysis
from app.analysis.aggregation import (
    NO_YES,
    TIE,
    UNKNOWN,
    AggregationRequest,
    AnsweredItems,
    answers_of,
    has_regulariser,
    share_right,
)
from app.files.columns import encode, first_true, folded, keys_of, numbers_of, texts_of, usual
from app.files.reading import read
from app.files.tables import InputError, Table, complaint
from app.inference.judges import Probabilities, Step, Votes, binary, debias, labels_by, needs_context, votes
from app.inference.types import Bools, Floats, Ints, once_each
from app.offline.item_context import TextEncoding, context_of
from app.offline.progress import progress_of


class FileItems(NamedTuple):
    """N items, what judges and people say of each, and what is known of them."""

    judged: AnsweredItems
    truth: Ints  # (N,) UNKNOWN where it is not known

    @property
    def scored(self) -> Ints:
        """(N,) the truth, UNKNOWN where people labelled the item: its verdict is theirs."""
        return np.where(self.judged.people.any(axis=(1, 2)), UNKNOWN, self.truth)

    @property
    def names_classes(self) -> bool:
        """Whether cells name a class, rather than give the probability of yes."""
        return self.judged.classes is not NO_YES


class ScoredAggregation(NamedTuple):
    """An aggregation, and how right it is where the truth is known: None where it is of no item."""

    aggregation: schemas.Aggregation
    accuracy: float | None
    of_judges: list[float | None]  # (K,)


class AggregationColumns(NamedTuple):
    """The columns of judges, and of what is known of the items."""

    judges: Sequence[str] = ()  # all others by default
    reference: Sequence[str] = ()  # people's
    item: str | None = None
    truth: str | None = None
    texts: Sequence[str] = ()
    features: Sequence[str] = ()
    group: str | None = None
    swapped: str | None = None  # 1 in rows that show their item's two classes the other way round


class Classes(NamedTuple):
    """The classes that cells name; none where a cell is the probability of yes."""

    names: Sequence[str] = ()
    tie: str | None = None  # a word that is half a vote for each of two, or a like share for each of more


def require_possible(
    request: AggregationRequest,
    columns: AggregationColumns,
    classes: Classes,
    encoding: TextEncoding,
    *,
    debiased: bool = False,
) -> None:
    """Raises InputError for classes that are none, and for what has nothing to do."""
    method, _, regulariser, as_published = request
    if columns.swapped and not columns.item:
        raise InputError("--swapped shows an item again: name the column that tells which with --item")
    if debiased and classes.names:
        raise InputError("--debias corrects probabilities, and --class has none; leave one of them out")
    if debiased and not (columns.swapped or columns.reference):
        raise InputError("--debias needs both orders (--swapped) or people's labels (--reference)")
    if len(set(classes.names)) == 1 or len(set(classes.names)) < len(classes.names) or "" in classes.names:
        raise InputError("--class: name two classes or more, each once")
    if classes.tie is not None and (not classes.names or classes.tie in classes.names):
        raise InputError("--tie is a word beside those of --class, half a vote for each; name the classes too")
    if regulariser is not None and not has_regulariser(method):
        raise InputError(
            f"{method} has no regulariser; --regulariser goes with skill-aggregation and skill-aggregation-x"
        )
    if as_published and needs_context(method):
        raise InputError(f"{method} is not among the algorithms of --as-published: average, majority, dawid-skene")
    if as_published and columns.reference:
        raise InputError("--as-published reads no labels of people; leave --reference out")
    if encoding.fine_tune and not encoding.model:
        raise InputError("--fine-tune trains a transformer: name it with --encoder")
    if encoding.model and not needs_context(method):
        raise InputError(f"{method} does not read what the items say; --encoder goes with skill-aggregation")
    if encoding.model and not columns.texts:
        raise InputError("--encoder reads texts: name their columns with --text")
    if encoding.fine_tune and columns.features:
        raise InputError("--fine-tune trains on texts alone: leave out --feature")


def load(
    file: str, columns: AggregationColumns, classes: Classes, encoding: TextEncoding, *, debiased: bool = False
) -> FileItems:
    """The answers in a file, `debiased` where that is wanted. Raises InputError."""
    table = read(file)
    known = (columns.item, columns.truth, columns.group, columns.swapped)
    others = {folded(column) for column in (*known, *columns.texts, *columns.features, *columns.reference) if column}
    judges = [*columns.judges] or [column for column in table.columns if folded(column) not in others]
    if both := [column for column in columns.reference if usual(judges, [column])]:
        raise InputError(f"--reference {both[0]!r} is a judge's column too; people are held apart from judges")
    if len(judges) < 2:
        raise InputError(f"{table.name}: aggregation needs two judges or more; name their columns with --judge")
    items = keys_of(table, columns.item) if columns.item else [str(n + 1) for n in range(len(table.rows))]
    names = classes.names or NO_YES
    truth = _truth(table, columns.truth, names) if columns.truth else np.full(len(items), UNKNOWN)
    people, y = _answers(table, columns.reference, classes), _answers(table, judges, classes)
    context = context_of(table, columns.texts, columns.features, columns.group, encoding)
    rows = FileItems(AnsweredItems(items, judges, names, y, votes(people), context), truth)
    if not columns.swapped and not debiased:
        return rows
    swapped = _share(table, columns.swapped, whole=True) > 0.0 if columns.swapped else np.zeros(len(items), np.bool_)
    return _by_item(rows, swapped, debiased=debiased)


def aggregate(answers: FileItems, request: AggregationRequest) -> ScoredAggregation:
    """Raises InputError for a method without the context that it reads."""
    judged, method = answers.judged, request.method
    if needs_context(method) and judged.context is None:
        raise InputError(f"{method} reads what the items say: name the columns with --text or --feature")
    with progress_of(100, "training") as advance:
        aggregation = analysis.aggregate(judged, request, _percent(advance))
    number = {name: at for at, name in enumerate(judged.classes)}
    verdicts = np.eye(len(number))[[number[item.verdict] for item in aggregation.items]]
    of_judges = np.swapaxes(votes(judged.y), 0, 1)
    return ScoredAggregation(
        aggregation, share_right(verdicts, answers.scored), [share_right(v, answers.scored) for v in of_judges]
    )


def _percent(advance: Callable[[int], None]) -> Callable[[Step], None]:
    """Advances a bar of 100 by what each step adds. A fit stops early, so within a fold the bar only nears its end."""
    shown = 0

    def step(at: Step) -> None:
        nonlocal shown
        now = int(100 * (at.fold + 1.0 - 0.98**at.iteration) / at.folds)
        advance(now - shown)
        shown = now

    return step


def _by_item(rows: FileItems, swapped: Bools, *, debiased: bool) -> FileItems:
    """Rows of one item put together, after the swapped ones are inverted; its first row has its texts."""
    judged, (items, item) = rows.judged, encode(rows.judged.items)
    labels = np.where(judged.people.any(axis=2, keepdims=True), judged.people, np.nan)
    people, truth = votes(_means(_turned(labels, swapped), item)), np.full(len(items), UNKNOWN)
    np.maximum.at(truth, item, np.where(swapped & np.isin(rows.truth, (0, 1)), 1 - rows.truth, rows.truth))
    y = _debiased(judged.y, swapped, item, people) if debiased else judged.y
    firsts = np.unique(item, return_index=True)[1]
    context = judged.context and judged.context._replace(x=judged.context.x[firsts], group=judged.context.group[firsts])
    y = _means(_turned(y, swapped), item)
    return FileItems(judged._replace(items=items, y=y, people=people, context=context), truth)


def _turned(y: Probabilities, swapped: Bools) -> Probabilities:
    """Swap the first two classes where swapped."""
    return np.where(swapped[:, None, None], y[:, :, [1, 0, *range(2, y.shape[2])]], y)


def _means(y: Probabilities, item: Ints) -> Probabilities:
    """(N, K, C) mean over each item's rows (R, K, C), NaN where none of them has an answer."""
    answered = ~np.isnan(y)
    total, count = np.zeros((2, item.max(initial=-1) + 1, *y.shape[1:]))
    np.add.at(total, item, np.where(answered, y, 0.0))
    np.add.at(count, item, answered)
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))


def _debiased(y: Probabilities, swapped: Bools, item: Ints, people: Votes) -> Probabilities:
    """(R, K, 2) as shown."""
    row, judge = np.nonzero(~np.isnan(y[:, :, 1]))
    labels = labels_by(people)
    share = np.where(labels.any(axis=1), labels[:, 1], np.nan)
    p = np.full(y.shape[:2], np.nan)
    shown = once_each(swapped[row].astype(np.int64), (~swapped[row]).astype(np.int64), y[row, judge, 1], judge)
    p[row, judge] = debias(shown, item[row], share, y.shape[1]).p
    return binary(p)


def _answers(table: Table, columns: Sequence[str], classes: Classes) -> Probabilities:
    """(N, K, C), NaN where a cell is empty. Raises InputError."""
    if not classes.names:
        shares = [_share(table, column) for column in columns]
        return binary(np.column_stack(shares) if shares else np.empty((len(table.rows), 0)))
    number = np.full((len(table.rows), len(columns)), UNKNOWN)
    for k, column in enumerate(columns):
        number[:, k] = _numbers_of_classes(table, column, classes.names, classes.tie)
    return answers_of(number, len(classes.names))


def _numbers_of_classes(table: Table, column: str, names: Sequence[str], tie: str | None) -> Ints:
    """(N,) which of the classes each cell names, TIE or UNKNOWN. Raises InputError."""
    cells, known = texts_of(table, column), {**{name: number for number, name in enumerate(names)}, "": UNKNOWN}
    if tie is not None:
        known[tie] = TIE
    if (row := first_true([cell not in known for cell in cells])) is not None:
        allowed = ", ".join([*names, *([tie] if tie else [])])
        raise complaint(table, row, column, f"{cells[row]!r} is none of {allowed}; name each with --class")
    return np.array([known[cell] for cell in cells], np.int64)


def _truth(table: Table, column: str, names: Sequence[str]) -> Ints:
    """(N,) Raises InputError."""
    if names is not NO_YES:
        return _numbers_of_classes(table, column, names, None)
    shares = _share(table, column, whole=True)
    return np.where(np.isnan(shares), UNKNOWN, np.nan_to_num(shares)).astype(np.int64)


def _share(table: Table, column: str, *, whole: bool = False) -> Floats:
    """(N,) numbers from 0 to 1, NaN where empty; `whole` wants 0 or 1. Raises InputError."""
    values = numbers_of(table, column)
    wrong = (values < 0.0) | (values > 1.0) | (whole & (values % 1.0 > 0.0))
    if wrong.any():
        wanted = "0 or 1" if whole else "a probability of yes from 0 to 1"
        raise complaint(table, int(np.argmax(wrong)), column, f"write {wanted}, or nothing")
    return values
