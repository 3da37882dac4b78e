"""One verdict for every row of a file in which several judges have a column each."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from nextpair.words import AggregationName
from scipy.sparse import csr_array, hstack

from app.files.columns import encode, keys_of, numbers_of, texts_of
from app.files.reading import read
from app.files.tables import InputError, Table, complaint
from app.inference.judges import (
    Aggregate,
    ItemContext,
    Learner,
    Step,
    aggregate,
    binary,
    hashed_ngrams,
    needs_context,
    standardised,
)
from app.inference.types import Bools, Floats
from app.offline.progress import progress_of

Item = Mapping[str, str]  # text by field


class ItemAnswers(NamedTuple):
    """N items, and what K judges say of each."""

    items: list[str]  # (N,)
    judges: list[str]  # (K,)
    y: Floats  # (N, K) probability of yes; NaN where a judge has said nothing
    truth: Floats  # (N,) 0 or 1; NaN where it is not known
    context: ItemContext | None  # where columns with texts or features were named
    learner: Learner | None = None  # of a transformer that is trained too


class AggregationColumns(NamedTuple):
    """The columns of judges, and of what is known of the items."""

    judges: Sequence[str] = ()  # all others by default
    item: str | None = None
    truth: str | None = None
    texts: Sequence[str] = ()
    features: Sequence[str] = ()
    group: str | None = None


class TextEncoding(NamedTuple):
    """The reader of texts: a transformer, or hashed n-grams where none is named."""

    model: str | None = None
    fine_tune: bool = False


class ItemVerdicts(NamedTuple):
    """Group verdicts by one method."""

    method: AggregationName
    probability: Floats  # (N,) of yes
    yes: Bools  # (N,)
    aggregate: Aggregate


def require_possible(method: AggregationName, columns: AggregationColumns, encoding: TextEncoding) -> None:
    """Raises InputError for an encoding with nothing to do."""
    if encoding.fine_tune and not encoding.model:
        raise InputError("--fine-tune trains a transformer: name it with --encoder")
    if encoding.model and not needs_context(method):
        raise InputError(f"{method} does not read what the items say; --encoder goes with skill-aggregation")
    if encoding.model and not columns.texts:
        raise InputError("--encoder reads texts: name their columns with --text")
    if encoding.fine_tune and columns.features:
        raise InputError("--fine-tune trains on texts alone: leave out --feature")


def load(file: str, columns: AggregationColumns, encoding: TextEncoding) -> ItemAnswers:
    """The answers in a file. Raises InputError."""
    table = read(file)
    others = (columns.item, columns.truth, columns.group, *columns.texts, *columns.features)
    judges = list(columns.judges) or [column for column in table.columns if column not in others]
    if len(judges) < 2:
        raise InputError(f"{table.name}: aggregation needs two judges or more; name their columns with --judge")
    items = keys_of(table, columns.item) if columns.item else [str(n + 1) for n in range(len(table.rows))]
    y = np.column_stack([_share(table, judge) for judge in judges])
    truth = _share(table, columns.truth, whole=True) if columns.truth else np.full(len(items), np.nan)
    return ItemAnswers(items, judges, y, truth, *_context(table, columns, encoding))


def decide(answers: ItemAnswers, method: AggregationName, seed: int) -> ItemVerdicts:
    """One verdict per item, ties drawn by `seed`. Raises InputError for a method without the context that it reads."""
    if needs_context(method) and answers.context is None:
        raise InputError(f"{method} reads what the items say: name the columns with --text or --feature")
    rng = np.random.default_rng(seed)
    with progress_of(100, "training") as advance:
        group = aggregate(binary(answers.y), method, rng, answers.context, _percent(advance), answers.learner)
    return ItemVerdicts(method, group.probability[:, 1], group.labels(rng) == 1, group)


def _context(
    table: Table, columns: AggregationColumns, encoding: TextEncoding
) -> tuple[ItemContext | None, Learner | None]:
    """Texts and features of the items, and a learner where a transformer is trained too. Raises InputError."""
    if not (columns.texts or columns.features):
        return None, None
    parts, learner = [], None
    if columns.texts:
        fields = [texts_of(table, column) for column in columns.texts]
        items = [dict(zip(columns.texts, texts, strict=True)) for texts in zip(*fields, strict=True)]
        if encoding.model:
            x, learner = _by_transformer(items, encoding.model, encoding.fine_tune)
        else:
            x = hashed_ngrams(items)
        parts.append(x)
    if columns.features:
        parts.append(standardised(np.column_stack([_number(table, column) for column in columns.features])))
    group = encode(keys_of(table, columns.group))[1] if columns.group else np.arange(len(table.rows))
    return ItemContext(csr_array(hstack(parts)), group), learner


def _by_transformer(items: Sequence[Item], model: str, fine_tune: bool) -> tuple[csr_array, Learner | None]:
    """(N, F) what the transformer makes of the items, or (N, T) their tokens and a learner that reads them.

    Raises InputError.
    """
    try:
        from app.offline import transformer
    except ImportError as error:
        raise InputError(
            f"--encoder needs more packages ({error}): pip install 'nextpair-server[transformer]'"
        ) from None
    try:
        loaded = transformer.load(model)
    except (ImportError, OSError, ValueError) as error:
        raise InputError(f"--encoder {model}: {error}") from error
    if fine_tune:
        return transformer.tokens(items, loaded), transformer.fine_tuned(loaded)
    with progress_of(len(items), "reading") as advance:
        return transformer.encode(items, loaded, advance), None


def _percent(advance: Callable[[int], None]) -> Callable[[Step], None]:
    """Advances a bar of 100 by what each step adds. A fit stops early, so within a fold the bar only nears its end."""
    shown = 0

    def step(at: Step) -> None:
        nonlocal shown
        now = int(100 * (at.fold + 1.0 - 0.98**at.iteration) / at.folds)
        advance(now - shown)
        shown = now

    return step


def _number(table: Table, column: str) -> Floats:
    """(N,) numbers, all there. Raises InputError."""
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
