"""The methods paragraph says what happened: which approximation was used, and what a stop rule claims."""

import pytest
from nextpair import schemas
from nextpair.words import InferenceTargetName

from app.analysis.judged import NO_SET
from app.analysis.ranking import Origin, rank
from app.inference.regimes import PROPAGATED
from app.sentences import methods
from tests.analysis.test_ranking import asked, log, publish

RULE = schemas.Stop(top_k=1, goal=0.9)


def ranked(target: InferenceTargetName) -> schemas.Ranking:
    return rank(log(), asked(target=target), publish, Origin(NO_SET, 60))


@pytest.mark.parametrize(("target", "always"), [("latent", True), ("all-pairs", False), ("new-items", False)])
def test_stop_rules_are_anytime_valid_about_latent_scores_alone(target: InferenceTargetName, *, always: bool) -> None:
    assert methods.stop(RULE, target).count("anytime-valid") == 2 * always
    assert methods.stop(None, target) == methods.NO_STOP


def test_the_approximation_is_the_one_that_served() -> None:
    of_all_pairs, of_scores = ranked("all-pairs"), ranked("latent")
    anchored = of_all_pairs.model_copy(update={"method": of_all_pairs.method.model_copy(update={"prior": "anchor"})})
    many = of_all_pairs.model_copy(update={"ranking": of_all_pairs.ranking[:1] * (PROPAGATED + 1)})
    for ranking, expected in (
        (of_all_pairs, methods.PROPAGATION),
        (of_scores, methods.LAPLACE),
        (anchored, methods.LAPLACE),
        (many, methods.LAPLACE),
    ):
        said = methods.paragraph(ranking, None, 0, 1)
        assert [each for each in said if each in (methods.PROPAGATION, methods.LAPLACE)] == [expected]
