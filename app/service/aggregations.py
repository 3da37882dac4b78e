"""Several judges' answers on any items as one verdict for each: nothing is read, and nothing kept."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Literal

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
)
from app.analysis.item_contexts import hashed_ngrams
from app.files.columns import encode
from app.inference.judges import ItemContext, Probabilities, binary, needs_context, votes
from app.live.jobs import Underway
from app.service.context import Context
from app.service.errors import Busy, FieldFault, InvalidRequest
from app.service.limits import refuse_duplicates, refuse_large_text
from app.settings import Settings

# Of items by judges by classes squared, and judges by judges too: each judge has a probability of every class where the
# truth is any. A million take a method that reads texts 15 seconds, skill-aggregation-x 40; ten million the others 10.
MOST, MOST_READING = 10_000_000, 1_000_000
MOST_CHARACTERS = 10_000_000  # of all texts, which take some ten seconds to be read
SHOWN = 80  # characters of what is wrong


async def aggregate(ctx: Context, body: schemas.AggregationIn) -> schemas.Aggregation:
    """Raises InvalidRequest, DuplicateKey, TextTooLarge, Busy."""
    judged = await ctx.live.compute(_read, body, ctx.settings)
    try:
        return await ctx.jobs.compute_soon(partial(_aggregate, body, judged))
    except Underway:
        raise Busy("Other long computations come first; send the request again.") from None


def _read(body: schemas.AggregationIn, settings: Settings) -> AnsweredItems:
    """Raises InvalidRequest, DuplicateKey, TextTooLarge."""
    _require_possible(body)
    items = [each.item for each in body.items]
    refuse_duplicates(
        items, "/items/{n}/item", "The item {key!r} occurs twice; send all answers to an item in one entry."
    )
    judges, people = (_names(each) for each in zip(*((item.answers, item.labels) for item in body.items), strict=True))
    _require_two(judges, people)
    _refuse_much(body, len(judges) + len(people))
    if needs_context(body.method):
        _require_texts(body, settings)
    y = _answers(body, "answers", judges)
    return AnsweredItems(items, judges, body.classes or NO_YES, y, votes(_answers(body, "labels", people)))


def _require_possible(body: schemas.AggregationIn) -> None:
    """Raises InvalidRequest."""
    if body.tie is not None and body.classes is None:
        raise _invalid("/tie", "a word beside those of classes; name the classes too")
    if body.tie is not None and body.classes is not None and body.tie in body.classes:
        raise _invalid("/tie", f"{body.tie!r} is one of the classes too; leave it out of one of them")
    if body.regulariser is not None and not has_regulariser(body.method):
        raise _invalid(
            "/regulariser", f"{body.method} has none; leave it out, or choose skill-aggregation or skill-aggregation-x"
        )


def _names(answers: Iterable[Mapping[str, object]]) -> list[str]:
    """Names by first appearance."""
    return list(dict.fromkeys(name for each in answers for name in each))


def _require_two(judges: Sequence[str], people: Sequence[str]) -> None:
    """Raises InvalidRequest."""
    if len(judges) < 2:
        there = f"only {judges[0]!r} answers" if judges else "nobody answers"
        raise _invalid("/items", f"{there}; an aggregation needs the answers of two judges or more")
    if both := set(judges) & set(people):
        raise _invalid("/items", f"{min(both)!r} has answers and labels; people are held apart from judges")


def _refuse_much(body: schemas.AggregationIn, people: int) -> None:
    """Raises InvalidRequest. Args: `people` are judges too."""
    items, classes = len(body.items), len(body.classes or NO_YES)
    work, most = (items + people) * people * classes**2, MOST_READING if needs_context(body.method) else MOST
    if work > most:
        raise _invalid(
            "/items",
            f"{items:,} items by {people:,} judges and people by {classes:,} classes squared are {work:,}, and "
            f"{body.method} takes at most {most:,} in one request; send fewer, or use `nextpair aggregate`, which has "
            "no limit",
        )


def _require_texts(body: schemas.AggregationIn, settings: Settings) -> None:
    """Raises InvalidRequest, TextTooLarge."""
    characters = 0
    for n, item in enumerate(body.items):
        if not item.texts:
            raise _invalid(
                f"/items/{n}/texts",
                f"missing; {body.method} reads what the items say: send texts of every item, or choose dawid-skene",
            )
        for field, text in item.texts.items():
            refuse_large_text(text, _pointer(n, "texts", field), settings)
            characters += len(text)
    if characters > MOST_CHARACTERS:
        raise _invalid("/items", f"their texts have {characters:,} characters; send at most {MOST_CHARACTERS:,}")


def _answers(body: schemas.AggregationIn, field: Literal["answers", "labels"], names: Sequence[str]) -> Probabilities:
    """(N, K, C), NaN where somebody says nothing. Raises InvalidRequest."""
    column = {name: number for number, name in enumerate(names)}
    value = _share if body.classes is None else partial(_number, _numbers_of_classes(body.classes, body.tie))
    values = np.full((len(body.items), len(names)), np.nan if body.classes is None else UNKNOWN)
    for n, item in enumerate(body.items):
        for name, answer in getattr(item, field).items():
            if answer is not None:
                try:
                    values[n, column[name]] = value(answer)
                except ValueError as error:
                    raise _invalid(_pointer(n, field, name), str(error)) from None
    return binary(values) if body.classes is None else answers_of(values, len(body.classes))


def _numbers_of_classes(classes: Sequence[str], tie: str | None) -> dict[str, int]:
    """TIE for the word that is none."""
    numbers = {name: number for number, name in enumerate(classes)}
    return numbers if tie is None else numbers | {tie: TIE}


def _share(answer: str | float) -> float:
    """Raises ValueError."""
    if isinstance(answer, str):
        raise ValueError(f"{answer[:SHOWN]!r} is not a probability of yes; send one from 0 to 1, or name the classes")
    return answer


def _number(numbers: Mapping[str, int], answer: str | float) -> int:
    """Raises ValueError."""
    if not isinstance(answer, str):
        raise ValueError(f"{answer} is not a class; send the name of one, or omit classes")
    if answer not in numbers:
        allowed = ", ".join(numbers)
        raise ValueError(f"{answer[:SHOWN]!r} is none of {allowed[:SHOWN]}; send one of them, or add it to classes")
    return numbers[answer]


def _aggregate(body: schemas.AggregationIn, judged: AnsweredItems) -> schemas.Aggregation:
    context = _context(body.items) if needs_context(body.method) else None
    request = AggregationRequest(body.method, body.seed, body.regulariser)
    return analysis.aggregate(judged._replace(context=context), request)


def _context(items: Sequence[schemas.ItemAnswers]) -> ItemContext:
    """Context of items; an item in no group is alone in one."""
    groups = encode([("item", each.item) if each.group is None else ("group", each.group) for each in items])[1]
    return ItemContext(hashed_ngrams([each.texts or {} for each in items]), groups)


def _pointer(n: int, field: str, name: str) -> str:
    """RFC 6901."""
    return f"/items/{n}/{field}/{name.replace('~', '~0').replace('/', '~1')}"


def _invalid(pointer: str, fault: str) -> InvalidRequest:
    return InvalidRequest(f"{pointer}: {fault}.", FieldFault(pointer, fault))
