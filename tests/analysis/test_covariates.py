"""The length of outputs taken out of a ranking, in numbers and in words."""

from typing import Any

import numpy as np
import pytest
from nextpair import schemas
from scipy.special import expit

from app.analysis.judged import NO_SET, Impossible, JudgedLog
from app.analysis.ranking import Origin, RankingRequest, rank
from app.inference.fitting import Method, no_absolute_scores
from app.inference.reporting import Wanted
from app.inference.targets import publish_for, quantity_of
from app.inference.types import Floats, Ints, by_one_judge

KEYS, PROMPTS = ["ash", "elm", "fir"], 12
LEARNT = Method(verdict_weight="learnt")
FIRST, SECOND = (np.tile(column, PROMPTS) for column in np.triu_indices(3, 1))
ITEM = np.repeat(np.arange(PROMPTS), 3)
LENGTHS = np.random.default_rng(7).normal([4.0, 4.5, 5.0], 0.5, (PROMPTS, 3))  # fir writes most


def ranked(
    lengths: Floats | None = LENGTHS, beta: float = 0.8, times: Ints | None = None, **how: Any
) -> schemas.Ranking:
    """By a judge to whom all are equally good and who favours length."""
    x = (LENGTHS[ITEM, FIRST] - LENGTHS[ITEM, SECOND]) / LENGTHS.std()
    noise = np.random.default_rng(8).normal(0.0, 0.2, len(x))
    log, has = by_one_judge(FIRST, SECOND, expit(beta * x + noise)), np.ones((PROMPTS, 3), np.bool_)
    people = np.array([False])
    judged = JudgedLog(
        keys=KEYS, judges=["gpt"], people=people, verdicts=log, answers=log, item=ITEM, has=has, prompts=PROMPTS,
        absolute=no_absolute_scores(),
        quantity_by=lambda published, target, _: quantity_of(target, published, log, ITEM, has, people),
        repetition_by=lambda: pytest.fail("nobody asked"), outputs=lambda name: lengths if name == "length" else None,
        times=times,
    )  # fmt: skip
    request = RankingRequest("soft-bt", LEARNT, target="new-items", covariates=("length",))._replace(**how)

    def publish(target: Any, covariates: Any = None) -> Any:
        return publish_for(target, log, ITEM, no_absolute_scores(), request.method, 3, 1, covariates=covariates)

    return rank(judged, request, publish, Origin(NO_SET, log.size))


def of_length(**how: Any) -> schemas.CovariateEffect:
    effects = ranked(**how).effects
    assert effects is not None
    return effects["length"]


def spread(ranking: schemas.Ranking) -> float:
    return float(np.ptp([row.score for row in ranking.ranking]))


@pytest.mark.parametrize("target", ["new-items", "latent"])
def test_the_effect_of_length_is_said_and_taken_out_of_the_scores(target: str) -> None:
    alone, beside = ranked(target=target, covariates=()), ranked(target=target)
    assert alone.effects is None
    assert spread(alone) > 0.5 > 0.3 > spread(beside)
    effect = of_length(target=target)
    assert beside.effects == {"length": effect}
    assert effect.interval[0] < 0.8 < effect.interval[1]
    assert effect.identified
    assert effect.sentence.startswith("Longer outputs win more: one standard deviation of ln length adds +0.")
    assert schemas.Ranking.model_validate_json(beside.model_dump_json()) == beside


def test_words_follow_the_sign() -> None:
    assert of_length(beta=-0.8).sentence.startswith("Shorter outputs win more: ")
    assert of_length(beta=0.0).sentence.startswith("No preference for length is shown: ")


def test_a_length_of_each_candidate_is_not_distinguished_from_its_score() -> None:
    effect = of_length(lengths=np.tile(LENGTHS.mean(axis=0), (PROMPTS, 1)))
    assert not effect.identified
    assert "effect of length cannot be separated" in effect.sentence


def test_the_interval_is_at_the_level_and_in_logits() -> None:
    assert np.ptp(of_length(wanted=Wanted(0.5)).interval) < 0.5 * np.ptp(of_length().interval)
    assert of_length(scale="elo") == of_length()


@pytest.mark.parametrize(
    ("how", "fault"),
    [
        ({"name": "win-ratio", "target": None}, "win-ratio has no covariates; choose the method soft-bt"),
        ({"name": "consensus", "target": "latent"}, "consensus has no covariates"),
        ({"method": Method("gaussian"), "name": "gaussian"}, "gaussian has no covariates"),
        ({"target": "all-pairs"}, "the inference target all-pairs has no covariates; choose new-items"),
        ({"covariates": ("lists",)}, "the outputs have no 'lists'; choose length"),
        ({"lengths": np.where(LENGTHS[0, 0] == LENGTHS, np.nan, LENGTHS)}, "are of an output without a value"),
        ({"times": np.ones(len(ITEM), np.int64), "target": "latent"}, "equal rows were combined"),
    ],
)
def test_what_has_no_effects_is_refused_with_a_remedy(how: dict[str, Any], fault: str) -> None:
    with pytest.raises(Impossible, match=fault) as refused:
        ranked(**how)
    assert refused.value.field == "covariate"
