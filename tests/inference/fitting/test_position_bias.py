"""Whose positional bias a model allows for by default."""

from collections.abc import Iterator

import numpy as np
import pytest
from scipy.special import expit

from app.inference.fitting import Method, Published, build_for, no_absolute_scores, publish
from app.inference.fitting.model import BIAS_VARIANCE, HELD_VARIANCE, VOTERS_BIAS_VARIANCE
from app.inference.fitting.position_bias import CROWD, bias_variances, position_bias_of
from app.inference.regimes import RANKED_DENSE
from app.inference.reporting import Wanted, ranks, summary_of
from app.inference.reporting.bias import estimates
from app.inference.state import ComparisonRow, Interpretation, Snapshot, advance, empty, exact, log_from_rows
from app.inference.state.snapshot import DIGITS, leading
from app.inference.targets import publish_for
from app.inference.types import Comparisons, Floats, once_each, take

AUTO = Method(position_bias="auto", verdict_weight="learnt")
N = 10


def answers_of(n: int, seed: int, bias: float = 1.0, noise: float = 0.5) -> tuple[Floats, Comparisons]:
    """(N,) scores, and one judge's probabilities of all pairs, in random orders."""
    rng = np.random.default_rng(seed)
    s, (low, high) = 1.5 * rng.standard_normal(n), np.triu_indices(n, 1)
    turned = rng.random(len(low)) < 0.5
    first, second = np.where(turned, high, low), np.where(turned, low, high)
    p = expit(s[first] - s[second] + bias + noise * rng.standard_normal(len(first)))
    return s, Comparisons(first, second, p, np.zeros(len(first), np.int64), np.ones(len(first)))


def with_a_voter(log: Comparisons) -> Comparisons:
    """The log, whose every other verdict is a vote by judge 1."""
    votes = np.arange(log.size) % 2 == 1
    return log._replace(p=np.where(votes, (log.p > 0.5).astype(float), log.p), judge=votes.astype(np.int64))


def test_judges_who_give_probabilities_have_a_bias_and_so_have_voters_of_n_votes() -> None:
    log = with_a_voter(answers_of(N, 0)[1])
    assert bias_variances(AUTO, N, log, 3).tolist() == [BIAS_VARIANCE, VOTERS_BIAS_VARIANCE, HELD_VARIANCE]
    of_few = bias_variances(AUTO, int((log.judge == 1).sum()) + 1, log, 3)
    assert of_few.tolist() == [BIAS_VARIANCE, HELD_VARIANCE, HELD_VARIANCE]


def test_voters_whose_pairs_always_come_one_way_have_none() -> None:
    """There a bias is all that the scores are; one turned pair in twenty leaves it so, one in two does not."""
    low, high = np.tile(np.triu_indices(N, 1), 2)
    rng, turned = np.random.default_rng(0), np.arange(len(low))
    for every, has in ((100, False), (20, False), (2, True)):
        first, second = np.where(turned % every == 1, [high, low], [low, high])
        log = once_each(first, second, rng.integers(2, size=len(low)).astype(float), np.zeros(len(low), np.int64))
        assert (bias_variances(AUTO, N, log, 1)[0] > HELD_VARIANCE) == has


def test_a_crowd_of_voters_has_no_biases() -> None:
    log = answers_of(N, 0)[1]
    votes = np.tile(np.round(log.p), 51)
    many = Comparisons(
        np.tile(log.first, 51), np.tile(log.second, 51), votes, np.repeat(np.arange(51), log.size), np.ones(len(votes))
    )
    assert CROWD == 50
    assert (bias_variances(AUTO, N, many, 51) == HELD_VARIANCE).all()
    assert (bias_variances(AUTO, N, take(many, many.judge < 50), 50) == VOTERS_BIAS_VARIANCE).all()


@pytest.mark.parametrize(
    ("method", "n"),
    [(AUTO._replace(expert="gaussian"), N), (AUTO._replace(prior="anchor"), N), (AUTO, RANKED_DENSE + 1)],
)
def test_no_bias_is_estimated_by_default_in_other_models_and_of_many_candidates(method: Method, n: int) -> None:
    method, (_, log) = method._replace(verdict_weight="one-vote"), answers_of(N, 0)
    model = build_for(method, n, log, 1)
    assert not model.allows_for_biases
    assert position_bias_of(method, model) == "none"


@pytest.mark.parametrize("votes", [True, False])
def test_few_verdicts_give_the_numbers_without_biases(votes: bool) -> None:
    log = take(answers_of(N, 0)[1], slice(N - 1))
    log = log._replace(p=np.round(log.p)) if votes else log
    auto, none = (published(log, AUTO._replace(position_bias=word)) for word in ("auto", "none"))
    np.testing.assert_array_equal(auto.scores.mean, none.scores.mean)
    np.testing.assert_array_equal(auto.scores.covariance.matrix(), none.scores.covariance.matrix())


def test_probabilities_alone_give_the_numbers_of_estimated_biases() -> None:
    log = answers_of(N, 0)[1]
    auto, every = (published(log, AUTO._replace(position_bias=word)) for word in ("auto", "estimate"))
    np.testing.assert_array_equal(auto.scores.mean, every.scores.mean)
    assert position_bias_of(AUTO, auto.model) == "estimate"


def test_the_bias_of_a_voter_of_few_votes_beside_a_model_stays_0_and_is_not_listed() -> None:
    log = with_a_voter(answers_of(N, 0)[1])
    log = take(log, (log.judge == 0) | (np.cumsum(log.judge) < N))
    found = published(log, AUTO)
    (bias,) = estimates(found.posterior, found.comparisons, found.model)
    assert bias.judge == 0
    assert abs(bias.delta - 1.0) < 3.0 * bias.sd
    assert abs(found.posterior.mean[N + 1]) < 1e-6


def test_a_judge_whose_probabilities_count_as_votes_has_a_bias_as_voters_have() -> None:
    log = answers_of(N, 0, bias=0.0)[1]
    log = log._replace(p=np.where(log.p > 0.5, 0.999, 0.001))
    for few, word in ((N - 1, "none"), (N, "estimate")):
        item = np.zeros(few, np.int64)
        found = publish_for("all-pairs", take(log, slice(few)), item, no_absolute_scores(), AUTO, N, 1)
        assert position_bias_of(AUTO, found.model) == word


def test_a_judge_with_as_many_verdicts_as_candidates_changes_the_live_model_whoever_looked_before() -> None:
    log = with_a_voter(answers_of(N, 0)[1])
    log = take(log, (log.judge == 0) | (np.cumsum(log.judge) < N))
    votes_first = np.argsort(log.judge == 0, kind="stable")
    rows = [
        ComparisonRow(k, 0, *row) for k, row in enumerate(zip(*(c[votes_first].tolist() for c in log), strict=True), 1)
    ]
    at_once = advance(empty(Interpretation(AUTO, {}), N, 1), len(rows), log_from_rows(rows), [])
    *_, last = one_by_one(rows)
    voters = int((log.judge == 1).sum())
    enough = next(size for size in range(voters + N, len(rows)) if leading(size, DIGITS) >= voters + N)
    *of_few, many = one_by_one(rows[:enough])
    assert [each.model.has_biases for each in (*of_few, many)] == [*[False] * (enough - 1), True]
    assert not advance(many, enough + 1, log_from_rows([]), [enough]).model.has_biases
    np.testing.assert_allclose(last.posterior.mean, at_once.posterior.mean, atol=1e-9)
    np.testing.assert_allclose(exact(last).scores.mean, published(log, AUTO).scores.mean, atol=1e-9)


def one_by_one(rows: list[ComparisonRow]) -> Iterator[Snapshot]:
    snapshot = empty(Interpretation(AUTO, {}), N, 1)
    for row in rows:
        snapshot = advance(snapshot, row[0], log_from_rows([row]), [])
        yield snapshot


@pytest.mark.parametrize(("bias", "widest"), [(1.0, 0.75), (0.0, 1.1)])
def test_ranks_hold_narrower_where_a_judge_is_biased_and_about_as_wide_where_it_is_not(
    bias: float, widest: float
) -> None:
    none, auto = (np.array([width_and_held(word, bias, 100 + run) for run in range(4)]) for word in ("none", "auto"))
    assert auto[:, 0].mean() < widest * none[:, 0].mean()
    assert auto[:, 1].all()


def width_and_held(word: str, bias: float, seed: int) -> tuple[float, float]:
    """Mean width of the rank intervals, and whether all hold."""
    s, log = answers_of(N, seed, bias)
    best, worst = summary_of(published(log, AUTO._replace(position_bias=word)).scores, Wanted())[0].rank_interval.T
    return float((worst - best).mean()), float(((best <= ranks(s)) & (ranks(s) <= worst)).all())


def published(log: Comparisons, method: Method) -> Published:
    item, judges = np.zeros(log.size, np.int64), int(log.judge.max()) + 1
    return publish(log, item, no_absolute_scores(), method, N, judges, approximation="ep")
