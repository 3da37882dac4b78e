"""Contents of the items of a file: their texts and features, for methods that read them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, hstack

from app.analysis.item_contexts import hashed_ngrams, standardised
from app.files.columns import encode, keys_of, numbers_of, texts_of
from app.files.tables import InputError, Table, complaint
from app.inference.judges import ItemContext, Learner
from app.inference.types import Floats
from app.offline.progress import progress_of

Item = Mapping[str, str]  # text by field


class TextEncoding(NamedTuple):
    """The reader of texts: a transformer, or hashed n-grams where none is named."""

    model: str | None = None
    fine_tune: bool = False


def context_of(
    table: Table, texts: Sequence[str], features: Sequence[str], group: str | None, encoding: TextEncoding
) -> ItemContext | None:
    """Texts and features of the items, and a learner where a transformer is trained too. Raises InputError."""
    if not (texts or features):
        return None
    parts, learner = [], None
    if texts:
        fields = [texts_of(table, column) for column in texts]
        items = [dict(zip(texts, cells, strict=True)) for cells in zip(*fields, strict=True)]
        if encoding.model:
            x, learner = _by_transformer(items, encoding.model, encoding.fine_tune)
        else:
            x = hashed_ngrams(items)
        parts.append(x)
    if features:
        parts.append(standardised(np.column_stack([_number(table, column) for column in features])))
    together = encode(keys_of(table, group))[1] if group else np.arange(len(table.rows))
    return ItemContext(csr_array(hstack(parts)), together, learner)


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


def _number(table: Table, column: str) -> Floats:
    """(N,) numbers, all there. Raises InputError."""
    values = numbers_of(table, column)
    if np.isnan(values).any():
        raise complaint(table, int(np.argmax(np.isnan(values))), column, "empty; a feature is a number for every row")
    return values
