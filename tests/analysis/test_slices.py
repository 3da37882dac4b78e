"""Rankings by the values of a tag, and what is said of them."""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import log as ln
from typing import Any

import numpy as np
import pytest
from nextpair import schemas
from nextpair.words import InferenceTargetName, MethodName
from scipy.special import expit

from app.analysis.judged import NO_SET, Impossible, JudgedLog
from app.analysis.ranking import Origin, RankingRequest, rank
from app.inference.fitting import Covariates, Method, Published, no_absolute_scores
from app.inference.targets import publish_for, quantity_of
from app.inference.types import Comparisons, Ints, once_each

KEYS, PROMPTS = ["gpt", "llama", "mistral"], 18
CATEGORIES = ["code", "facts", "writing"] * 6
METHOD = Method("soft-bt", verdict_weight="learnt")
Tags = Sequence[Mapping[str, str]]


def judged() -> tuple[Comparisons, Ints]:
    """All pairs on each prompt by probabilities; on code, gpt and llama change places."""
    rng, rows = np.random.default_rng(4), []
    for prompt, category in enumerate(CATEGORIES):
        score = np.array([1.0, 0.0, -1.0]) + rng.normal(0.0, 0.2, 3)
        if category == "code":
            score[[0, 1]] = score[[1, 0]]
        rows += [(a, b, float(expit(score[a] - score[b] + rng.normal(0.0, 0.2))), prompt)
                 for a, b in combinations(range(3), 2)]  # fmt: skip
    first, second, p, item = map(np.array, zip(*rows, strict=True))
    return once_each(first, second, p, np.zeros(len(p), np.int64)), item


COMPARISONS, ITEM = judged()


def publish(target: InferenceTargetName, covariates: Covariates | None = None) -> Published:
    return publish_for(target, COMPARISONS, ITEM, no_absolute_scores(), METHOD, len(KEYS), 1)


def log(tags: Tags, **fields: Any) -> JudgedLog:
    has, people = np.ones((PROMPTS, 3), np.bool_), np.array([False])
    content: dict[str, Any] = {
        "keys": KEYS, "judges": ["judge"], "people": people, "verdicts": COMPARISONS, "answers": COMPARISONS,
        "item": ITEM, "has": has, "prompts": PROMPTS, "absolute": no_absolute_scores(),
        "quantity_by": lambda published, target, _: quantity_of(target, published, COMPARISONS, ITEM, has, people),
        "repetition_by": lambda: pytest.fail("nobody asked"), "tags": tags,
    }  # fmt: skip
    return JudgedLog(**(content | fields))


def ranked(tags: Tags, by: str = "category", method: MethodName = "soft-bt", **how: Any) -> schemas.Ranking:
    request = RankingRequest(method, METHOD, by=by, **how)
    return rank(log(tags), request, publish, Origin(NO_SET, COMPARISONS.size))


def tagged(*categories: str) -> Tags:
    return [{"category": category} if category else {} for category in categories]


IN_ALL = tagged(*CATEGORIES)


def sliced(ranking: schemas.Ranking) -> schemas.Slices:
    assert ranking.slices is not None
    return ranking.slices


@pytest.fixture(scope="module")
def by_category() -> schemas.Ranking:
    return ranked(IN_ALL, baseline="mistral")


def test_a_reversal_on_one_value_is_claimed_and_named(by_category: schemas.Ranking) -> None:
    slices = sliced(by_category)
    code = slices.slices[0]
    assert (slices.tag, [each.value for each in slices.slices]) == ("category", ["code", "facts", "writing"])
    assert [row.key for row in code.ranking] == ["llama", "gpt", "mistral"]
    assert [row.key for row in slices.slices[1].ranking] == ["gpt", "llama", "mistral"]
    assert (code.deviation.claimed, code.deviation.reversal) == (True, True)
    assert (code.deviation.first, code.deviation.second) == ("llama", "gpt")
    assert code.deviation.sentence == (
        f"On category code, llama beats gpt; elsewhere gpt beats llama (p = {code.deviation.p_value:.2g})."
    )
    assert re.fullmatch(
        r"By category, llama leads on code, gpt on 2 of 3 values; the category explains "
        r"(about|over) \d0% of the differences between prompts\. The order of candidates reverses on code\. All of .*",
        slices.sentence,
    )
    assert schemas.Ranking.model_validate_json(by_category.model_dump_json()) == by_category


def test_slices_count_what_was_judged_on_them(by_category: schemas.Ranking) -> None:
    slices = sliced(by_category)
    assert [(each.prompts, each.comparisons) for each in slices.slices] == [(6, 18)] * 3
    assert {row.comparisons for each in slices.slices for row in each.ranking} == {12}
    assert {row.comparisons for row in by_category.ranking} == {36}
    assert slices.untagged == 0


def test_slices_have_what_a_ranking_has(by_category: schemas.Ranking) -> None:
    for each in sliced(by_category).slices:
        assert sum(row.score for row in each.ranking) == pytest.approx(0.0, abs=1e-8)
        for row in each.ranking:
            assert row.interval is not None
            assert row.interval[0] < row.score < row.interval[1]
            assert (row.against is None) == (row.key == "mistral")
    assert by_category.inference_target.name == "new-items"


def test_the_whole_is_the_ranking_about_new_prompts(by_category: schemas.Ranking) -> None:
    request = RankingRequest("soft-bt", METHOD, target="new-items", baseline="mistral")
    whole = rank(log(()), request, publish, Origin(NO_SET, COMPARISONS.size))
    assert by_category.model_copy(update={"slices": None}) == whole


def test_other_names_of_values_change_nothing_else(by_category: schemas.Ranking) -> None:
    names = {"code": "z", "facts": "y", "writing": "x"}
    slices, renamed = sliced(by_category), sliced(ranked(tagged(*(names[each] for each in CATEGORIES))))
    before = {names[each.value]: each for each in slices.slices}
    assert [each.value for each in renamed.slices] == ["x", "y", "z"]
    for each in renamed.slices:
        assert each.deviation.p_value == before[each.value].deviation.p_value
        assert [row.score for row in each.ranking] == pytest.approx([row.score for row in before[each.value].ranking])
    assert renamed.shared == pytest.approx(slices.shared)


def test_prompts_without_the_tag_count_in_the_whole_alone(by_category: schemas.Ranking) -> None:
    some = ranked(tagged(*CATEGORIES[:12], *[""] * 6))
    assert sliced(some).untagged == 6
    assert sliced(some).sentence.endswith("6 prompts without category count in the whole only.")
    assert [each.prompts for each in sliced(some).slices] == [4, 4, 4]
    assert [row.score for row in some.ranking] == [row.score for row in by_category.ranking]


def test_more_tags_ask_for_a_smaller_p(by_category: schemas.Ranking) -> None:
    others = {f"tag {n}": "x" for n in range(19)}
    slices = sliced(ranked([{"category": each} | others for each in CATEGORIES])).slices
    for each, alone in zip(slices, sliced(by_category).slices, strict=True):
        assert each.deviation.p_value == alone.deviation.p_value
        assert each.deviation.claimed == (each.deviation.p_value <= 0.05 / 20)
        assert alone.deviation.claimed == (alone.deviation.p_value <= 0.05)


@pytest.mark.parametrize("categories", [["code"] * PROMPTS, ["code"] * (PROMPTS - 1) + ["facts"]])
def test_nothing_is_claimed_where_no_permutation_could_tell(categories: list[str]) -> None:
    code = sliced(ranked(tagged(*categories))).slices[0]
    assert not code.deviation.claimed
    assert code.deviation.sentence.startswith("There are too few prompts to tell whether category code differs")


def test_elo_is_the_scale_of_slices_too(by_category: schemas.Ranking) -> None:
    elo = sliced(ranked(IN_ALL, baseline="mistral", scale="elo"))
    for one, other in zip(sliced(by_category).slices, elo.slices, strict=True):
        assert other.deviation.difference == pytest.approx(400.0 / ln(10.0) * one.deviation.difference)
        for before, after in zip(one.ranking, other.ranking, strict=True):
            assert after.score == pytest.approx(400.0 / ln(10.0) * before.score)
            if before.against and after.against:
                assert after.against.difference == pytest.approx(400.0 / ln(10.0) * before.against.difference)


@pytest.mark.parametrize(
    ("tags", "how", "message"),
    [
        (IN_ALL, {"by": "language"}, "no prompt with comparisons has the tag 'language'; the tags are category"),
        ((), {}, "no prompt with comparisons has the tag 'category'; the prompts have no tags"),
        (IN_ALL, {"method": "win-ratio"}, "win-ratio ranks all prompts together; choose the method soft-bt"),
        (IN_ALL, {"method": "consensus"}, "consensus ranks all prompts together"),
        (IN_ALL, {"target": "latent"}, "slices are about new prompts; omit the inference target latent"),
    ],
)
def test_what_cannot_be_sliced_says_why(tags: Tags, how: dict[str, Any], message: str) -> None:
    with pytest.raises(Impossible, match=f"^by: {message}"):
        ranked(tags, **how)


def test_too_many_values_and_rows_put_together_are_refused() -> None:
    many = [{"id": str(n)} for n in range(PROMPTS)]
    items = np.arange(COMPARISONS.size) % 21
    request, origin = RankingRequest("soft-bt", METHOD, by="id"), Origin(NO_SET, COMPARISONS.size)
    with pytest.raises(Impossible, match=r"^by: 'id' has 21 values, and slices take at most 20"):
        rank(log([*many, *({"id": str(n)} for n in range(18, 21))], item=items), request, publish, origin)
    with pytest.raises(Impossible, match=r"^by: equal rows were combined"):
        rank(log(many, times=np.ones(COMPARISONS.size, np.int64)), request, publish, origin)
