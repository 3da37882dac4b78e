"""What is said of each candidate beside the baseline system, and the scales of scores."""

from math import log as ln
from typing import Any

import pytest
from nextpair import schemas
from nextpair.words import InferenceTargetName, MethodName

from app.analysis.judged import NO_SET, Impossible
from app.analysis.ranking import Origin, rank
from tests.analysis.test_ranking import KEYS, asked, log, publish

ELO = 400.0 / ln(10.0)


def ranked(target: InferenceTargetName, method: MethodName = "soft-bt", **how: Any) -> schemas.Ranking:
    return rank(log(), asked(method, target)._replace(**how), publish, Origin(NO_SET, 60))


def beside(baseline: str, target: InferenceTargetName) -> dict[str, schemas.AgainstBaseline | None]:
    return {row.key: row.against for row in ranked(target, baseline=baseline).ranking}


@pytest.mark.parametrize("target", ["latent", "people", "all-pairs"])
def test_two_candidates_beside_each_other_say_the_same_with_the_sign_turned(target: InferenceTargetName) -> None:
    elm, ash = beside("elm", target)["ash"], beside("ash", target)["elm"]
    assert elm is not None
    assert ash is not None
    assert elm.difference == pytest.approx(-ash.difference)
    assert elm.interval == pytest.approx(tuple(-end for end in reversed(ash.interval)))
    if target == "all-pairs":
        assert (elm.win_rate, elm.win_rate_interval) == (None, None)
        return
    assert (elm.win_rate or 0.0) + (ash.win_rate or 0.0) == pytest.approx(1.0)


def test_the_baseline_is_beside_nobody_and_differences_are_those_of_the_scores() -> None:
    ranking = ranked("latent", baseline="fir")
    score = {row.key: row.score for row in ranking.ranking}
    for row in ranking.ranking:
        assert (row.against is None) == (row.key == "fir")
        if row.against:
            assert row.against.difference == pytest.approx(score[row.key] - score["fir"], abs=0.05)  # by draws
            assert row.against.interval[0] < row.against.difference < row.against.interval[1]
    assert (ranking.baseline, ranked("latent").baseline) == ("fir", None)


def test_without_a_baseline_nobody_is_beside_one() -> None:
    assert [row.against for row in ranked("latent").ranking] == [None] * len(KEYS)


@pytest.mark.parametrize("target", ["latent", "all-pairs"])
def test_elo_is_logits_times_one_number_wherever_scores_are(target: InferenceTargetName) -> None:
    logits, elo = (ranked(target, baseline="elm", scale=scale) for scale in ("logit", "elo"))
    assert (logits.method.scale, elo.method.scale) == ("logit", "elo")
    of_differences = 1.0 if target == "all-pairs" else ELO  # of win rates, which no scale changes
    for one, other in zip(logits.ranking, elo.ranking, strict=True):
        assert (other.score, other.sd) == pytest.approx((ELO * one.score, ELO * (one.sd or 0.0)))
        assert other.interval == pytest.approx(tuple(ELO * end for end in one.interval or ()))
        assert (other.rank, other.p_best, other.win_rate, other.tie_group) == (
            one.rank, one.p_best, one.win_rate, one.tie_group,
        )  # fmt: skip
        if one.against and other.against:
            assert other.against.difference == pytest.approx(of_differences * one.against.difference)
            assert other.against.p_better == one.against.p_better
    assert sum(row.score for row in elo.ranking) == pytest.approx(0.0, abs=1e-9)


def test_the_effects_of_judges_have_the_scale_of_the_scores() -> None:
    logits, elo = (ranked("latent", "consensus", scale=scale).judge_effects for scale in ("logit", "elo"))
    assert logits
    assert elo
    for judge, effects in logits.items():
        assert elo[judge].sd == pytest.approx(ELO * effects.sd)
        assert [each.deviation for each in elo[judge].largest_deviations] == pytest.approx(
            [ELO * each.deviation for each in effects.largest_deviations]
        )


@pytest.mark.parametrize(
    ("method", "how", "message"),
    [
        ("soft-bt", {"baseline": "oak"}, "^baseline: there is no candidate 'oak'"),
        ("win-ratio", {"baseline": "ash"}, "^baseline: win-ratio gives no joint draws .* choose the method soft-bt"),
        ("judge-aware", {"baseline": "ash"}, "^baseline: judge-aware gives no joint draws"),
        ("win-ratio", {"scale": "elo"}, "^scale: the scores of win-ratio are not logits"),
    ],
)
def test_what_a_method_does_not_have_is_refused(method: MethodName, how: dict[str, Any], message: str) -> None:
    with pytest.raises(Impossible, match=message):
        rank(log(), asked(method)._replace(**how), publish, Origin(NO_SET, 60))
