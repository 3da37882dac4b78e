"""The ranking by the values of a tag, with a test that it differs from value to value."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from nextpair import schemas
from nextpair.words import JOINT, MethodName

from app.analysis.judged import Impossible, JudgedLog
from app.analysis.rows import beside_baseline, present_rows, with_counts, without_claims
from app.inference import targets
from app.inference.fitting import BASELINES, Published, Scores
from app.inference.reporting import Wanted, by_posterior
from app.inference.targets import DRAWS_SEED, TagDeviation, by_tag
from app.inference.types import Bools, Ints
from app.sentences import slices as sentences
from app.sentences.lists import named

MOST_VALUES, MOST_CANDIDATES = 20, 100


class Tagged(NamedTuple):
    """The values of a tag that prompts with comparisons have."""

    tag: str
    values: list[str]  # (T,) most prompts first
    prompts: list[int]  # (T,) how many each has
    of_item: Ints  # (I,) place among the values, -1 of what lacks the tag
    untagged: int  # prompts with comparisons
    alpha: float  # chance of a false claim on any value


class Slicing(NamedTuple):
    """Material of slices."""

    log: JudgedLog
    published: Published
    wanted: Wanted
    baseline: int | None  # the candidate that all are compared with
    leader: str  # over all prompts


def tagged(log: JudgedLog, tag: str, name: MethodName, level: float) -> Tagged:
    """Raises Impossible where this method, or this log, cannot be ranked by the tag."""
    if name in BASELINES or name in JOINT:
        raise Impossible("by", f"{name} ranks all prompts together; choose the method soft-bt")
    if log.times is not None:
        raise Impossible("by", "equal rows were combined, which loses their prompts; rank fewer rows")
    if len(log.keys) > MOST_CANDIDATES:
        raise Impossible("by", f"there are {len(log.keys):,} candidates, and slices take at most {MOST_CANDIDATES}")
    judged = np.unique(log.item).tolist()
    of_judged = {item: log.tags[item] for item in judged if log.tags}
    value_of = {item: tags[tag] for item, tags in of_judged.items() if tag in tags}
    counts = Counter(value_of.values())
    values = sorted(counts, key=lambda value: (-counts[value], value))
    names = sorted({each for tags in of_judged.values() for each in tags})
    if not values:
        there = f"the tags are {named(names)}" if names else "the prompts have no tags; add some to the items"
        raise Impossible("by", f"no prompt with comparisons has the tag {tag!r}; {there}")
    if len(values) > MOST_VALUES:
        raise Impossible("by", f"{tag!r} has {len(values):,} values, and slices take at most {MOST_VALUES}")
    of_item = np.full(1 + max(judged), -1)
    of_item[[*value_of]] = [values.index(value) for value in value_of.values()]
    prompts = [counts[value] for value in values]
    return Tagged(tag, values, prompts, of_item, len(judged) - len(value_of), (1.0 - level) / len(names))


def slices_of(slicing: Slicing, by: Tagged) -> schemas.Slices:
    """Raises Impossible."""
    log, published = slicing.log, slicing.published
    try:
        sliced = by_tag(published, log.item, by.of_item, len(by.values))
        rng = np.random.default_rng(DRAWS_SEED)
        tests = targets.deviations(published, log.item, by.of_item, len(by.values), rng)
    except ValueError as error:
        raise Impossible("by", error) from None
    tests = [test._replace(p_value=1.0) for test in tests] if len(by.values) == 1 else tests
    slices = [
        _slice(slicing, by, place, scores, test)
        for place, (scores, test) in enumerate(zip(sliced.scores, tests, strict=True))
    ]
    claimed = [(each.value, each.deviation.reversal) for each in slices if each.deviation.claimed]
    differing = ([value for value, is_reversal in claimed if is_reversal is way] for way in (True, False))
    sentence = sentences.summary(by.tag, _leaders(slicing, slices), by.untagged, sliced.shared, *differing)
    return schemas.Slices(tag=by.tag, slices=slices, untagged=by.untagged, shared=sliced.shared, sentence=sentence)


def _leaders(slicing: Slicing, slices: Sequence[schemas.Slice]) -> sentences.Leaders:
    by_value = [(each.value, each.ranking[0].key, each.ranking[0].p_best) for each in slices]
    return sentences.Leaders(slicing.leader, by_value)


def _slice(slicing: Slicing, by: Tagged, place: int, scores: Scores, test: TagDeviation) -> schemas.Slice:
    log, published, wanted, baseline, _ = slicing
    here: Bools = by.of_item[log.item] == place
    table = by_posterior(published, wanted, quantity=scores, target="new-items").table
    counted_here = with_counts(table, np.append(log.verdicts.first[here], log.verdicts.second[here]))
    beside = beside_baseline(baseline, scores, published, "new-items", wanted.level)
    rows = present_rows(counted_here, log, beside)
    return schemas.Slice(
        value=by.values[place],
        prompts=by.prompts[place],
        comparisons=int(here.sum()),
        deviation=_deviation(log, by, by.values[place], test),
        ranking=rows if log.states_chances("new-items") else without_claims(rows),
    )


def _deviation(log: JudgedLog, by: Tagged, value: str, test: TagDeviation) -> schemas.SliceDeviation:
    first, second, can_tell = log.keys[test.first], log.keys[test.second], test.smallest_p <= by.alpha
    is_claimed = can_tell and test.p_value <= by.alpha
    return schemas.SliceDeviation(
        p_value=test.p_value,
        claimed=is_claimed,
        first=first,
        second=second,
        difference=test.difference,
        reversal=test.is_reversal,
        sentence=sentences.difference(by.tag, value, first, second, test, is_claimed=is_claimed)
        if can_tell
        else sentences.too_few_prompts(by.tag, value),
    )
