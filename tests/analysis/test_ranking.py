"""Rankings of what was judged, without a service and without a file."""

from dataclasses import replace
from functools import partial
from uuid import UUID

import numpy as np
import pytest
from nextpair import schemas
from nextpair.words import InferenceTargetName, MethodName

from app.analysis.judged import NO_SET, Impossible, JudgedLog
from app.analysis.ranking import Origin, RankingRequest, Unconverged, rank
from app.inference.fitting import Covariates, Method, Published, Repetition, no_absolute_scores, repetition_of
from app.inference.targets import publish_for, quantity_of
from app.inference.types import Convergence, Ints, Outcome, once_each
from app.sentences.confidence import DECIDED
from app.sentences.fits import ENDS

KEYS, SET_ID = ["ash", "elm", "fir"], UUID(int=7)
FIRST, SECOND = np.tile([0, 0, 1], 20), np.tile([1, 2, 2], 20)
COMPARISONS = once_each(FIRST, SECOND, np.tile([0.8, 0.9, 0.8], 20), np.repeat([0, 1], 30))
ITEM = np.zeros(COMPARISONS.size, np.int64)


def publish(target: InferenceTargetName, covariates: Covariates | None = None) -> Published:
    return publish_for(target, COMPARISONS, ITEM, no_absolute_scores(), Method("soft-bt"), len(KEYS), 2)


def log(times: Ints | None = None) -> JudgedLog:
    has, people = np.ones((1, 3), np.bool_), np.array([True, False])
    return JudgedLog(
        keys=KEYS, judges=["ann", "gpt"], people=people, verdicts=COMPARISONS, answers=COMPARISONS, item=ITEM, has=has,
        prompts=0, absolute=no_absolute_scores(), times=times,
        quantity_by=lambda published, target, supposing: quantity_of(
            target, published, COMPARISONS, ITEM, has, people, supposing=supposing
        ),
        repetition_by=lambda: repetition_of(publish("all-pairs"), COMPARISONS, ITEM, np.full(2, np.nan)),
    )  # fmt: skip


def asked(name: MethodName = "soft-bt", target: InferenceTargetName | None = None) -> RankingRequest:
    return RankingRequest(name, Method("soft-bt"), target=target)


def test_an_answer_is_the_contracts() -> None:
    tested = schemas.HeldOut(comparisons=3, agreement=1.0, log_loss=0.2)
    stopping = schemas.Stopping(converged=True, reason="top_k", forecast=0)
    ranking = rank(log(), asked(), publish, Origin(SET_ID, 60, tested, lambda: stopping))
    assert schemas.Ranking.model_validate_json(ranking.model_dump_json()) == ranking
    assert (ranking.set_id, ranking.version, ranking.held_out, ranking.stopping) == (SET_ID, 60, tested, stopping)
    assert [row.key for row in ranking.ranking] == KEYS
    assert [row.comparisons for row in ranking.ranking] == [40, 40, 40]
    assert ranking.validation.agreement_with_people is not None
    assert ranking.validation.agreement_with_people.pairs == 3
    assert [*(ranking.validation.temperature or ())] == ["gpt"]
    target = ranking.inference_target
    assert (target.name, target.also) == ("all-pairs", ["people", "latent"])


@pytest.mark.parametrize("target", ["latent", "all-pairs", "people"])
def test_each_target_is_answered(target: InferenceTargetName) -> None:
    ranking = rank(log(), asked(target=target), publish, Origin(NO_SET, 60))
    assert (ranking.inference_target.name, ranking.ranking[0].key) == (target, "ash")


def test_what_cannot_be_answered_names_its_field() -> None:
    with pytest.raises(Impossible, match=r"^inference_target: verdicts on 1 prompt say nothing of others") as error:
        rank(log(), asked(target="new-items"), publish, Origin(NO_SET, 60))
    assert error.value.field == "inference_target"
    with pytest.raises(Impossible, match=r"^inference_target: win-ratio states no confidence"):
        rank(log(), asked("win-ratio", target="latent"), publish, Origin(NO_SET, 60))


def test_a_baseline_needs_no_posterior_and_no_test_of_one() -> None:
    tested = schemas.HeldOut(comparisons=3, agreement=1.0, log_loss=0.2)
    ranking = rank(
        log(), asked("win-ratio"), partial(pytest.fail, "nothing is to be published"), Origin(NO_SET, 60, tested)
    )
    assert (ranking.method.expert, ranking.held_out, ranking.ranking[0].sd) == (None, None, None)


def test_a_fit_that_stopped_short_is_no_ranking_and_its_stop_is_not_looked_at() -> None:
    def stopped(target: InferenceTargetName, covariates: Covariates | None = None) -> Published:
        published = publish(target, covariates)
        convergence = Convergence(Outcome.MAX_ITERATIONS, 7, 1.0)
        return published._replace(posterior=published.posterior._replace(convergence=convergence))

    origin = Origin(SET_ID, 60, stopping=partial(pytest.fail, "a stop is of fits that converged"))
    with pytest.raises(Unconverged, match=ENDS[Outcome.MAX_ITERATIONS]):
        rank(log(), asked(), stopped, origin)


def test_rows_put_together_are_counted_and_say_nothing_of_single_ones() -> None:
    ranking = rank(log(np.full(60, 5)), asked(target="latent"), publish, Origin(NO_SET, 300))
    assert ranking.comparisons == 300
    assert [row.comparisons for row in ranking.ranking] == [200, 200, 200]
    assert (ranking.signal.verdicts, ranking.signal.claimed, ranking.first_place) == (0, False, "")
    assert rank(log(), asked(), publish, Origin(NO_SET, 60)).signal.verdicts > 0


@pytest.mark.parametrize(
    ("more", "repeats", "is_decided"),
    [(None, 1.0, True), ((0, 1), 1.0, False), (None, 0.0, False), (None, np.nan, False)],
)
def test_an_order_is_decided_once_a_judge_who_repeats_itself_compared_all_neighbours(
    more: tuple[int, int] | None, repeats: float, *, is_decided: bool
) -> None:
    """Elm was better than ash, and ash than fir; once a verdict says otherwise, nothing is decided."""
    pairs = [(1, 0), (2, 0), *([more] if more else [])]
    first, second = np.array(pairs).T
    comparisons = once_each(first, second, np.array([1.0, 0.0, 1.0])[: len(pairs)], np.zeros(len(pairs), np.int64))
    item, has, people = np.zeros(len(pairs), np.int64), np.ones((1, 3), np.bool_), np.zeros(1, np.bool_)
    known = np.array([repeats])

    def publish(target: InferenceTargetName, covariates: Covariates | None = None) -> Published:
        return publish_for(target, comparisons, item, no_absolute_scores(), Method("soft-bt"), 3, 1)

    def told(published: Published) -> Repetition:
        return repetition_of(published, comparisons, item, known)

    judged = replace(
        log(), judges=["gpt"], people=people, verdicts=comparisons, answers=comparisons, item=item,
        quantity_by=lambda published, target, supposing: quantity_of(
            target, published, comparisons, item, has, people, known=told(published), supposing=supposing
        ),
        repetition_by=lambda: told(publish("all-pairs")),
    )  # fmt: skip
    summary = rank(judged, asked(target="all-pairs"), publish, Origin(SET_ID, len(pairs))).summary
    assert summary[0].endswith(DECIDED) == is_decided
