"""Pairs as they are handed out, with their texts, and how many of them one answer holds."""

from collections.abc import Mapping, Sequence
from itertools import accumulate, chain, takewhile
from typing import Any, TypeVar
from uuid import UUID

from nextpair import schemas
from nextpair.words import AskStatus, StopReason

from app.inference.state import ChosenPair
from app.live.posteriors import Terms
from app.service.leases import PairLease, Texts
from app.service.posteriors import CurrentSet
from app.service.presenting.candidates import present_item
from app.storage.assignments import Blocking, NewLease

StatusAndReason = tuple[AskStatus, StopReason | str | None]  # the reason only where a set has converged, or cannot
Pair = TypeVar("Pair", Blocking, NewLease)
LARGEST_ANSWER = 7_000_000  # bytes of text in one answer: JSON may need six for one


def present_assignments(
    current: CurrentSet, leases: Sequence[PairLease], texts: Texts, judge: str, answer: StatusAndReason
) -> schemas.Assignments:
    """The leases of one set."""
    shown = [
        schemas.Assignment(
            **_sides(current, lease, texts), id=lease.id, set_id=current.id, question=current.terms.question,
            context=current.terms.context, judge=judge, expires_at=lease.expires_at, generation=lease.generation,
        )
        for lease in leases
    ]  # fmt: skip
    return schemas.Assignments(status=answer[0], reason=answer[1], assignments=shown)


def present_preview(
    current: CurrentSet, pairs: Sequence[NewLease], texts: Texts, answer: StatusAndReason
) -> schemas.Preview:
    shown = [schemas.Pair(**_sides(current, pair, texts)) for pair in pairs]
    return schemas.Preview(status=answer[0], reason=answer[1], pairs=shown)


def _sides(current: CurrentSet, pair: PairLease | NewLease, texts: Texts) -> dict[str, Any]:
    """The fields that every pair has."""
    keys = current.catalogue.keys
    return {
        "item": present_item(current.catalogue, pair.item_id),
        "first": schemas.Shown(key=keys[pair.first], text=texts[current.id, pair.item_id, pair.first]),
        "second": schemas.Shown(key=keys[pair.second], text=texts[current.id, pair.item_id, pair.second]),
        "why": schemas.Why.model_validate_json(pair.why),
    }


def present_why(ask: ChosenPair, terms: Terms) -> schemas.Why:
    """The reason why a pair was chosen, and its order drawn; differences read first minus second, as shown."""
    choice = ask.pair.choice
    sign = 1.0 if ask.pair.first == choice.i else -1.0
    return schemas.Why(
        criterion=ask.criterion or terms.plan.policy.criterion.value,
        score=choice.score,
        mean_difference=sign * choice.mean_difference,
        sd_difference=choice.sd_difference,
        probability_of_reordering=choice.probability_of_reordering,
        propensity=choice.propensity,
        random=choice.random,
        order_chance=ask.pair.order_chance,
    )


def fitting(
    pairs: Sequence[Pair], sets: Mapping[UUID, CurrentSet], space: int, behind: Sequence[PairLease] = ()
) -> Sequence[Pair]:
    """The first of `pairs` whose texts find space in so many bytes of one answer, behind others; one at the least."""
    sizes = (_size(sets[pair.set_id], pair) for pair in chain[PairLease | Pair](behind, pairs))
    count = sum(1 for _ in takewhile(lambda size: size <= space, accumulate(sizes))) - len(behind)
    return pairs[: max(count, 0 if behind else 1)]


def _size(current: CurrentSet, pair: PairLease | NewLease | Blocking) -> int:
    """Bytes of the texts of a pair, by the catalogue."""
    lengths = current.catalogue.lengths[pair.item_id]
    around = _bytes(current.terms.question, current.terms.context, current.catalogue.items[pair.item_id][1])
    return around + int(lengths[pair.first]) + int(lengths[pair.second])


def size_of(assignment: schemas.Assignment) -> int:
    """Bytes of its texts."""
    prompt = assignment.item.prompt if assignment.item else None
    return _bytes(assignment.question, assignment.context, prompt, assignment.first.text, assignment.second.text)


def _bytes(*texts: str | None) -> int:
    return sum(len(text.encode()) for text in texts if text)
