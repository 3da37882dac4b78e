"""The methods paragraph says what happened: which approximation was used, and what a stop rule claims."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from nextpair import schemas
from nextpair.words import InferenceTargetName

from app.analysis.judged import NO_SET
from app.analysis.ranking import Origin, rank
from app.inference.regimes import MEDIUM
from app.sentences import methods
from tests.analysis.test_ranking import asked, log, publish
from tests.sentences.test_style import EXAMPLES

RULE = schemas.Stop(top_k=1, goal=0.9)


def ranked(target: InferenceTargetName) -> schemas.Ranking:
    return rank(log(), asked(target=target), publish, Origin(NO_SET, 60))


@pytest.mark.parametrize(("target", "always"), [("latent", True), ("all-pairs", False), ("new-items", False)])
def test_stop_rules_are_anytime_valid_about_latent_scores_alone(target: InferenceTargetName, *, always: bool) -> None:
    assert methods.stop(RULE, target).count("anytime-valid") == 2 * always
    assert methods.stop(None, target) == methods.NO_STOP


def of_method(ranking: schemas.Ranking, **changes: object) -> schemas.Ranking:
    return ranking.model_copy(update={"method": ranking.method.model_copy(update=changes)})


@pytest.mark.parametrize(
    ("judges", "said"),
    [
        (1, "The position bias of each judge was estimated together with the scores, and removed."),
        (3, "The position bias of 1 of 3 judges was estimated with the scores, and removed."),
    ],
)
def test_biases_are_said_to_be_estimated_of_as_many_judges_as_they_were(judges: int, said: str) -> None:
    bias = schemas.JudgeBias(delta=0.1, sd=0.2, comparisons=9, warning=None)
    ranking = of_method(ranked("all-pairs"), position_bias="estimate").model_copy(
        update={"position_bias": {"gpt": bias}}
    )
    assert said in methods.paragraph(ranking, None, 0, judges)


def test_the_approximation_is_the_one_that_served() -> None:
    of_all_pairs, of_scores = ranked("all-pairs"), ranked("latent")
    anchored = of_method(of_all_pairs, prior="anchor")
    many = of_all_pairs.model_copy(update={"ranking": of_all_pairs.ranking[:1] * (MEDIUM + 1)})
    for ranking, expected in (
        (of_all_pairs, methods.PROPAGATION),
        (of_scores, methods.LAPLACE),
        (of_method(of_scores, verdict_weight="learnt"), methods.PROPAGATION),
        (anchored, methods.LAPLACE),
        (many, methods.LAPLACE),
    ):
        said = methods.paragraph(ranking, None, 0, 1)
        assert [each for each in said if each in (methods.PROPAGATION, methods.LAPLACE)] == [expected]


def test_a_set_says_what_it_did_not_ask_for_and_who_shared_priors() -> None:
    ranking = ranked("all-pairs")
    definition = schemas.SetOut.model_validate(EXAMPLES["get_set"]["response"])
    definition = definition.model_copy(update={"selection": schemas.Selection(criterion="random")})
    chosen = "The acquisition function random chose a pair at random."
    for imported, first in (
        (0, chosen),
        (0.25, "A share of 25% of the comparisons was imported; the others were asked for."),
        (1.0, methods.IMPORTED),
    ):
        said = methods.paragraph(ranking, definition, 0, 1, imported)
        assert first in said
        assert (chosen in said) == (imported < 1.0)
    for pool, which in (
        ("project:wood", " of the project wood"),
        ("question:1f", " with the same question"),
        ("x", ""),
    ):
        priors = schemas.PooledEvidence(
            seq=1,
            set_id=uuid4(),
            pool=pool,
            sets=3,
            log_scale=schemas.LogNormal(mean=0.0, sd=1.0),
            log_noise={},
            created_at=datetime.now(UTC),
        )
        said = methods.paragraph(ranking, definition, 0, 1, 0, priors)
        assert said[-1] == f"Priors were shared by 3 sets{which} (partial pooling)."
