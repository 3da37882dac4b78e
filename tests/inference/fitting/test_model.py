"""The design R against the matrix written out; biases known before any score; judges whose bias is a parameter."""

from collections.abc import Iterator

import numpy as np
import pytest
from scipy.special import expit, logit

from app.inference.experts import make
from app.inference.fitting import Method, Published, no_absolute_scores, posterior, publish
from app.inference.fitting.model import (
    BIAS_VARIANCE,
    CROWD,
    FARTHEST,
    HELD_VARIANCE,
    VAGUE,
    VOTERS_BIAS_VARIANCE,
    Model,
    bias_variances,
    build_for,
    design_of,
    known_biases,
    position_bias_of,
    standard_errors,
)
from app.inference.regimes import RANKED_DENSE
from app.inference.reporting import Wanted, ranks, summary_of
from app.inference.reporting.bias import estimates
from app.inference.state import ComparisonRow, Interpretation, Snapshot, advance, empty, exact, log_from_rows
from app.inference.state.snapshot import DIGITS, leading
from app.inference.targets import publish_for
from app.inference.types import Comparisons, Floats, once_each, take
from tests.inference.factories import (
    by_judges,
    comparisons,
    covariance_at,
    each_expert,
    fold_rows,
    gradient,
    model,
    random_comparisons,
    true_scores,
)


@pytest.mark.parametrize("biases", [0, 1, 3])
def test_priors_by_hand(biases: int) -> None:
    unit, anchor = (model(3, 4.0, prior=prior, biases=biases).prior for prior in ("unit", "anchor"))

    of_biases = [1.0 / BIAS_VARIANCE] * biases
    np.testing.assert_allclose(unit.precision, [0.25, 0.25, 0.25, *of_biases])
    np.testing.assert_allclose(anchor.precision, [*[1.0 / VAGUE] * 3, *of_biases])
    assert (unit.variance, anchor.variance) == (4.0, 1.0)
    for prior in (unit, anchor):
        np.testing.assert_array_equal(prior.pull, np.zeros(3 + biases))


def known(m: Model, log: Comparisons, judges: int) -> Model:
    return m._replace(known_biases=known_biases(m.expert, log, judges))


def biased(n: int, count: int, delta: Floats, seed: int = 0) -> Comparisons:
    """Hard verdicts of sigma(s_first - s_second + delta_judge) on pairs and orders drawn at random."""
    rng, scores = np.random.default_rng(seed), true_scores(n, seed)
    log = by_judges(random_comparisons(n, count, seed), len(delta), seed)
    chance = 1.0 / (1.0 + np.exp(scores[log.second] - scores[log.first] - delta[log.judge]))
    return log._replace(p=(rng.random(count) < chance).astype(np.float64))


def test_the_closed_forms_of_the_papers() -> None:
    """logit(mean p) for soft-bt, mean p in place of beta for the gaussian, E[f_mu(p)] = 0 in general; votes weigh."""
    log = by_judges(random_comparisons(8, 60, seed=2), 3)
    log = log._replace(weight=np.random.default_rng(0).uniform(0.5, 3.0, 60))
    mean = np.bincount(log.judge, log.weight * log.p) / np.bincount(log.judge, log.weight)
    mean_logit = np.bincount(log.judge, log.weight * logit(log.p)) / np.bincount(log.judge, log.weight)

    found = {name: known_biases(make(name), log, 3) for name in ("soft-bt", "gaussian", "logit-gaussian")}

    np.testing.assert_allclose(found["soft-bt"], logit(mean), atol=1e-9)
    np.testing.assert_allclose(found["gaussian"], 4.0 * (mean - 0.5), atol=1e-9)
    np.testing.assert_allclose(found["logit-gaussian"], mean_logit, atol=1e-9)


def test_the_gaussian_with_its_closed_form_is_the_one_whose_beta_is_the_mean_p() -> None:
    """PoE 3.5, on a single judge."""
    log = random_comparisons(8, 60, seed=1)
    ours = posterior.fit(log, known(model(8, 1.0, "gaussian"), log, 1))
    theirs = posterior.fit(log, model(8, 1.0, "gaussian", beta=float(log.p.mean())))

    np.testing.assert_allclose(ours.mean, theirs.mean, atol=1e-10)
    np.testing.assert_allclose(ours.covariance.matrix(), theirs.covariance.matrix(), atol=1e-12)


@each_expert
@pytest.mark.parametrize("n", [6, 80])
def test_any_fit_holds_a_known_bias(expert: str, n: int) -> None:
    """The gradient is 0 at d = s_first - s_second + delta, compiled or not, and folding comes to the same."""
    log = by_judges(random_comparisons(n, 3 * n, seed=4), 2)
    m = known(model(n, 1.0, expert), log, 2)
    assert m.known_biases is not None
    fitted = posterior.fit(log, m)
    d = fitted.mean[log.first] - fitted.mean[log.second] + m.known_biases[log.judge]

    np.testing.assert_allclose(design_of(log, m).differences(fitted.mean), d)
    if expert != "laplace":
        np.testing.assert_allclose(gradient(fitted.mean, log, m), 0.0, atol=1e-8)
        np.testing.assert_allclose(fitted.covariance.matrix(), covariance_at(fitted.mean, log, m).matrix(), atol=1e-9)
    folded = posterior.exact(fold_rows(posterior.prior(m), log))
    np.testing.assert_allclose(folded.mean, fitted.mean, atol=1e-6)


def test_a_judge_without_comparisons_has_no_bias_and_one_that_names_one_position_only_an_extreme_one() -> None:
    log = comparisons((0, 1, 1.0), (2, 1, 1.0), (2, 0, 1.0))

    assert known_biases(make("soft-bt"), log, 2).tolist() == [FARTHEST, 0.0]
    fitted = posterior.fit(log, known(model(3), log, 2))
    np.testing.assert_allclose(fitted.mean, 0.0, atol=1e-9)
    assert standard_errors(make("soft-bt"), log, np.array([FARTHEST, 0.0])).tolist() == [FARTHEST, FARTHEST]


def test_the_bias_is_recovered_and_its_standard_error_holds_where_scores_are_alike() -> None:
    """95% intervals over 200 logs of 2 x 100 verdicts: 0.93 to 0.97; scores are alike, as the closed form takes it."""
    delta, held = np.array([1.2, -0.4]), []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        log = by_judges(random_comparisons(6, 200, seed), 2, seed)
        log = log._replace(p=(rng.random(200) < 1.0 / (1.0 + np.exp(-delta[log.judge]))).astype(np.float64))
        found = known_biases(make("soft-bt"), log, 2)
        held.append(np.abs(found - delta) < 1.96 * standard_errors(make("soft-bt"), log, found))

    assert 0.91 < np.mean(held) < 0.985


def test_a_known_bias_saves_a_ranking_from_a_judge_who_likes_the_first_position() -> None:
    """Squared error of the scores over 20 logs, pairs and orders drawn at random, delta = 2."""
    errors = np.zeros(2)
    for seed in range(20):
        truth = true_scores(12, seed)
        log = biased(12, 240, np.array([2.0]), seed)
        for k, m in enumerate((model(12), known(model(12), log, 1))):
            mean = posterior.fit(log, m).mean
            errors[k] += np.mean((mean - mean.mean() - truth + truth.mean()) ** 2)

    assert errors[1] < 0.8 * errors[0]


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
