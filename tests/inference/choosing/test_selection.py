from collections import Counter
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, ndtr
from scipy.stats import chi2

from app.inference.choosing.criteria import Batch, Criterion, Policy, equality, score
from app.inference.choosing.goals import RANKING, Goal
from app.inference.choosing.picking import Choice, fantasise, select
from app.inference.fitting import posterior
from app.inference.gaussian import Covariance, DenseCovariance, plain
from app.inference.kernels.pair_sets import of_mask
from app.inference.types import Bools, Floats
from tests.inference.factories import (
    Log,
    comparisons,
    condition,
    every_pair,
    isotropic,
    logs,
    model,
    numerics,
    random_state,
    together,
)
from tests.inference.table import Row, each_row

Pair = tuple[int, int]
Formula = Callable[[Floats, Floats, float], Floats]

EPSILON = 0.7
FORMULAS: dict[Criterion, Formula] = {
    Criterion.VARIANCE: lambda m, v, floor: v,
    Criterion.DETERMINANT: lambda m, v, floor: expit(m) * expit(-m) * v,
    Criterion.REORDERING: lambda m, v, floor: ndtr(-np.sqrt(m**2 + floor) / np.sqrt(v)),
    Criterion.EXPONENT: lambda m, v, floor: v / np.sqrt(m**2 + floor) ** EPSILON,
}
each_scored_criterion = pytest.mark.parametrize("criterion", FORMULAS)
each_criterion = pytest.mark.parametrize("criterion", Criterion)


def all_open(n: int) -> Bools:
    return np.ones((n, n), np.bool_)


def chosen(
    mean: Floats,
    sigma: Covariance,
    policy: Policy,
    *,
    count: int = 1,
    seed: int = 0,
    open_pairs: Bools | None = None,
    goal: Goal = RANKING,
) -> list[Choice]:
    n, rng = len(mean), np.random.default_rng(seed)
    pairs = every_pair(n) if open_pairs is None else of_mask(open_pairs)
    return select(mean, sigma, model(n), pairs, together(n), policy, goal, count, rng)


def pairs_of(choices: list[Choice]) -> list[Pair]:
    return [(choice.i, choice.j) for choice in choices]


def greedy(mean: Floats, sigma: Floats, open_pairs: Bools, formula: Formula, count: int) -> list[Pair]:
    """Score every open pair, take the best, condition by inverting twice; and so on."""
    left, picks = [(int(i), int(j)) for i, j in np.argwhere(np.triu(open_pairs, 1))], list[Pair]()
    floor = 0.01 * float(np.diag(sigma).mean())
    for _ in range(count):
        i, j = np.array(left).T
        m, v = mean[i] - mean[j], sigma[i, i] + sigma[j, j] - 2.0 * sigma[i, j]
        best = left.pop(int(np.argmax(formula(m, v, floor))))
        picks.append(best)
        r, d = np.zeros(len(mean)), float(mean[best[0]] - mean[best[1]])
        r[best[0]], r[best[1]] = 1.0, -1.0
        sigma = np.asarray(np.linalg.inv(np.linalg.inv(sigma) + expit(d) * expit(-d) * np.outer(r, r)))
    return picks


@each_scored_criterion
@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("n", [5, 30])
def test_select_is_the_slow_greedy_choice(criterion: Criterion, count: int, seed: int, n: int) -> None:
    mean, sigma = random_state(n, seed)

    picks = pairs_of(chosen(mean, sigma, Policy(criterion, EPSILON), count=count, seed=seed))

    assert picks == greedy(mean, sigma.matrix(), all_open(n), FORMULAS[criterion], count)


@each_scored_criterion
def test_select_is_the_slow_greedy_choice_over_several_blocks_of_rows(criterion: Criterion) -> None:
    n = 150
    mean, sigma = random_state(n, seed=1)

    picks = pairs_of(chosen(mean, sigma, Policy(criterion, EPSILON), count=20))

    assert picks == greedy(mean, sigma.matrix(), all_open(n), FORMULAS[criterion], 20)


@each_scored_criterion
@pytest.mark.parametrize("seed", range(5))
def test_select_is_the_slow_greedy_choice_among_the_open_pairs(criterion: Criterion, seed: int) -> None:
    mean, sigma = random_state(30, seed)
    half = np.triu(np.random.default_rng(seed).random((30, 30)) < 0.5)
    open_pairs = half | half.T

    picks = pairs_of(chosen(mean, sigma, Policy(criterion, EPSILON), count=5, open_pairs=open_pairs))

    assert picks == greedy(mean, sigma.matrix(), open_pairs, FORMULAS[criterion], 5)


@each_criterion
@numerics
@given(log=logs(max_n=6), share=st.sampled_from([0.0, 0.3, 1.0]), seed=st.integers(0, 9))
def test_any_state_gives_each_open_pair_once_and_no_other(
    criterion: Criterion, log: Log, share: float, seed: int
) -> None:
    live = posterior.fit(log.comparisons, model(log.n))
    closed = np.zeros((log.n, log.n), np.bool_)
    closed[log.comparisons.first, log.comparisons.second] = True
    open_pairs = ~(closed | closed.T)

    choices = chosen(
        live.mean,
        live.covariance,
        Policy(criterion, random_share=share),
        count=1000,
        seed=seed,
        open_pairs=open_pairs,
    )

    assert sorted(pairs_of(choices)) == [(int(i), int(j)) for i, j in np.argwhere(np.triu(open_pairs, 1))]
    assert all(np.isfinite(choice[2:]).all() for choice in choices)
    assert all(0.0 < choice.propensity <= 1.0 for choice in choices)


def test_no_open_pair_gives_no_choice() -> None:
    mean, sigma = random_state(4, seed=0)

    assert chosen(mean, sigma, Policy(Criterion.VARIANCE), open_pairs=~all_open(4)) == []


def test_select_leaves_its_input_untouched() -> None:
    mean, sigma = random_state(6, seed=0)
    open_pairs, before = all_open(6), (mean.copy(), sigma.matrix())

    chosen(mean, sigma, Policy(Criterion.VARIANCE), count=5, open_pairs=open_pairs)

    assert open_pairs.all()
    np.testing.assert_array_equal(mean, before[0])
    np.testing.assert_array_equal(sigma.matrix(), before[1])


@each_criterion
def test_the_first_pair_of_a_cold_start_is_uniform(criterion: Criterion) -> None:
    """Chi-square over the 15 pairs of 6 candidates, at the 0.1% level."""
    n, draws = 6, 600
    first = Counter(
        pairs_of(chosen(np.zeros(n), isotropic(n, 1.0), Policy(criterion), seed=seed))[0] for seed in range(draws)
    )

    counts = np.array([first[i, j] for i in range(n) for j in range(i + 1, n)])
    expected = draws / len(counts)
    assert counts.sum() == draws
    assert ((counts - expected) ** 2 / expected).sum() < chi2.ppf(0.999, len(counts) - 1)


@each_scored_criterion
def test_equal_means_are_distinguished_by_variance(criterion: Criterion) -> None:
    """After ties only, every mean is 0 still; 3 and 4 have not been seen."""
    live = posterior.fit(comparisons((0, 1, 0.5), (1, 2, 0.5), (2, 0, 0.5)), model(5))

    choices = [chosen(live.mean, live.covariance, Policy(criterion), seed=seed)[0] for seed in range(5)]

    assert set(pairs_of(choices)) == {(3, 4)}
    assert all(np.isfinite(choice[2:]).all() for choice in choices)


@each_criterion
def test_the_same_seed_gives_the_same_picks(criterion: Criterion) -> None:
    n, policy = 8, Policy(criterion, random_share=0.5)

    picks = [chosen(np.zeros(n), isotropic(n, 1.0), policy, count=10, seed=seed) for seed in (7, 7, 8)]

    assert picks[0] == picks[1]
    assert picks[0] != picks[2]


STATES = {
    "a single best pair": random_state(5, seed=0),
    "four of six tied": (np.zeros(4), condition(condition(isotropic(4, 1.0), 0, 1, 0.25), 2, 3, 0.25)),
    "all tied": (np.zeros(4), isotropic(4, 1.0)),
}


@pytest.mark.study
@each_criterion
@pytest.mark.parametrize("state", STATES.values(), ids=STATES.keys())
def test_propensity_is_how_often_a_pair_is_picked(criterion: Criterion, state: tuple[Floats, Covariance]) -> None:
    """Within 4.5 standard errors for every pair."""
    draws, policy = 2000, Policy(criterion, random_share=0.3)
    picks = [chosen(*state, policy, seed=seed)[0] for seed in range(draws)]

    propensity = {(pick.i, pick.j): pick.propensity for pick in picks}
    count = Counter(pairs_of(picks))
    n = len(state[0])
    assert len(propensity) == n * (n - 1) // 2
    assert sum(propensity.values()) == pytest.approx(1.0)
    for pair, p in propensity.items():
        assert count[pair] / draws == pytest.approx(p, abs=4.5 * np.sqrt(p * (1.0 - p) / draws))


def test_a_random_share_of_none_never_strays_from_the_best_pair() -> None:
    mean, sigma = random_state(6, seed=0)
    choices = [chosen(mean, sigma, Policy(Criterion.VARIANCE), seed=seed)[0] for seed in range(50)]

    assert len(set(pairs_of(choices))) == 1
    assert {choice.propensity for choice in choices} == {1.0}


@pytest.mark.parametrize("policy", [Policy(Criterion.RANDOM), Policy(Criterion.VARIANCE, random_share=1.0)])
def test_random_picks_in_a_batch_are_uniform_over_what_is_left(policy: Policy) -> None:
    choices = chosen(*random_state(4, seed=0), policy, count=6)

    np.testing.assert_allclose([choice.propensity for choice in choices], [1 / k for k in (6, 5, 4, 3, 2, 1)])


@pytest.mark.parametrize("seed", range(5))
def test_reordering_orders_pairs_whose_means_differ_as_the_probability_of_reordering_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, v = rng.standard_normal(200), rng.uniform(0.1, 2.0, 200)

    by_score = np.argsort(score(Policy(Criterion.REORDERING), model(2), m, v, 0.0))

    choices = [Choice(0, 1, 0.0, *each, 1.0, random=False) for each in zip(m, np.sqrt(v), strict=True)]
    probability = [choice.probability_of_reordering for choice in choices]
    np.testing.assert_array_equal(by_score, np.argsort(probability))


def test_among_pairs_with_equal_means_the_less_known_one_comes_first() -> None:
    """A judge that ties texts exactly must not be asked about the same few again and again."""
    m, v = np.array([0.0, 0.05]), np.array([0.2, 1.8])

    for criterion in (Criterion.REORDERING, Criterion.EXPONENT):
        known, unknown = score(Policy(criterion), model(2), m, v, equality(isotropic(3, 1.0)))
        assert unknown > known


def test_without_a_floor_pairs_are_chosen_as_gpm_has_it() -> None:
    """The largest v / m^2 of eq. 5, and where means are exactly equal the largest v; the floor chooses otherwise."""
    differ = 0
    for seed in range(36):
        mean, sigma = random_state(8, seed=seed)
        mean = 0.2 * mean
        full, (i, j) = sigma.matrix(), np.triu_indices(8, 1)
        best = int(np.argmax((full[i, i] + full[j, j] - 2.0 * full[i, j]) / (mean[i] - mean[j]) ** 2))
        exact, usual = (chosen(mean, sigma, Policy(Criterion.REORDERING, equal=equal))[0] for equal in (0.0, 0.1))
        assert (exact.i, exact.j) == (i[best], j[best])
        differ += (exact.i, exact.j) != (usual.i, usual.j)
    assert differ > 0
    mean = np.array([0.0, 0.0, 0.0, 1e-3])
    sigma = plain(np.diag([1.0, 2.0, 3.0, 9.0]), float(np.log(54.0)))
    choice = chosen(mean, sigma, Policy(Criterion.REORDERING, equal=0.0))[0]
    assert (choice.i, choice.j) == (1, 2)


def test_exponent_runs_from_variance_to_reordering() -> None:
    m, v = np.array([0.3, -2.0, 1.0]), np.array([1.0, 0.5, 2.0])

    def exponent(epsilon: float) -> Floats:
        return score(Policy(Criterion.EXPONENT, epsilon), model(2), m, v, 0.0)

    np.testing.assert_allclose(exponent(0.0), v)
    np.testing.assert_allclose(exponent(2.0), score(Policy(Criterion.REORDERING), model(2), m, v, 0.0))


@each_scored_criterion
def test_a_choice_explains_itself(criterion: Criterion) -> None:
    mean, sigma = random_state(6, seed=0)

    choice = chosen(mean, sigma, Policy(criterion))[0]

    full, (i, j) = sigma.matrix(), (choice.i, choice.j)
    v = full[i, i] + full[j, j] - 2.0 * full[i, j]
    assert choice.mean_difference == mean[i] - mean[j]
    assert choice.sd_difference == pytest.approx(np.sqrt(v))
    assert choice.probability_of_reordering == pytest.approx(ndtr(-abs(mean[i] - mean[j]) / np.sqrt(v)))
    value = score(Policy(criterion), model(6), np.array([mean[i] - mean[j]]), np.array([v]), equality(sigma))[0]
    assert choice.score == pytest.approx(value)


def test_fantasise_is_the_posterior_covariance_once_answered_as_expected() -> None:
    """The judge says exactly what the model predicts, so the mean stays and only the covariance moves."""
    mean, sigma = random_state(5, seed=0)
    weight = float(expit(mean[1] - mean[3]) * expit(mean[3] - mean[1]))

    after = fantasise(sigma, mean, model(5), np.array([1]), np.array([3]))

    np.testing.assert_allclose(after.matrix(), condition(sigma, 1, 3, weight).matrix(), atol=1e-14)


@each_scored_criterion
@pytest.mark.parametrize("seed", range(5))
def test_a_batch_spreads_wider_than_the_top_of_one_list(criterion: Criterion, seed: int) -> None:
    n, count = 30, 10
    mean, sigma = random_state(n, seed)
    i, j = np.triu_indices(n, 1)
    full = sigma.matrix()
    v = full[i, i] + full[j, j] - 2.0 * full[i, j]
    scores = FORMULAS[criterion](mean[i] - mean[j], v, equality(sigma))
    top = np.argsort(-scores)[:count]

    spread = pairs_of(chosen(mean, sigma, Policy(criterion, EPSILON), count=count))

    busiest = max(Counter(k for pair in spread for k in pair).values())
    busiest_of_top = max(Counter([*i[top].tolist(), *j[top].tolist()]).values())
    assert len({k for pair in spread for k in pair}) >= len({*i[top].tolist(), *j[top].tolist()})
    assert busiest <= busiest_of_top


def test_a_batch_does_not_crowd_around_the_one_newcomer() -> None:
    """Nine candidates in a ring and one that nobody has seen: the naive top nine all hold the newcomer."""
    ring = comparisons(*[(i, (i + 1) % 9, 0.5) for i in range(9)])
    live = posterior.fit(ring, model(10))

    spread = pairs_of(chosen(live.mean, live.covariance, Policy(Criterion.VARIANCE), count=9))

    assert 9 in spread[0]
    assert sum(9 in pair for pair in spread) < 5


@each_criterion
def test_two_candidates_have_one_pair(criterion: Criterion) -> None:
    choices = chosen(np.array([0.3, -0.3]), isotropic(2, 1.0), Policy(criterion), count=3)

    assert pairs_of(choices) == [(0, 1)]
    assert choices[0].propensity == pytest.approx(1.0)


@each_scored_criterion
@pytest.mark.parametrize("seed", range(5))
def test_relabelling_relabels_where_nothing_is_tied(criterion: Criterion, seed: int) -> None:
    n = 20
    mean, sigma = random_state(n, seed)
    label = np.random.default_rng(seed).permutation(n)
    back = np.argsort(label)
    there = DenseCovariance(sigma.base[np.ix_(back, back)], sigma.columns[:, back], sigma.diagonal[back], sigma.log_det)

    picks = pairs_of(chosen(mean[back], there, Policy(criterion), count=5))

    here = pairs_of(chosen(mean, sigma, Policy(criterion), count=5))
    assert picks == [tuple(sorted((int(label[i]), int(label[j])))) for i, j in here]


def one_list(mean: Floats, sigma: Covariance, open_pairs: Bools, formula: Formula, count: int) -> list[Pair]:
    """Score every open pair once and take the best `count`."""
    i, j = np.nonzero(np.triu(open_pairs, 1))
    full = sigma.matrix()
    scores = formula(mean[i] - mean[j], full[i, i] + full[j, j] - 2.0 * full[i, j], equality(sigma))
    best = np.argsort(-scores, kind="stable")[:count]
    return [(int(i[k]), int(j[k])) for k in best]


@each_scored_criterion
@pytest.mark.parametrize(("n", "count"), [(6, 15), (30, 20), (150, 200)])
def test_a_top_batch_is_the_top_of_one_list(criterion: Criterion, n: int, count: int) -> None:
    mean, sigma = random_state(n, seed=2)
    half = np.triu(np.random.default_rng(n).random((n, n)) < 0.9)

    picks = pairs_of(
        chosen(mean, sigma, Policy(criterion, EPSILON, batch=Batch.TOP), count=count, open_pairs=half | half.T)
    )

    assert picks == one_list(mean, sigma, half, FORMULAS[criterion], count)


@each_scored_criterion
def test_scores_fall_down_a_top_batch_and_its_pairs_are_explained_by_the_state_before_it(criterion: Criterion) -> None:
    mean, sigma = random_state(12, seed=0)
    full = sigma.matrix()

    choices = chosen(mean, sigma, Policy(criterion, batch=Batch.TOP), count=20)

    assert (np.diff([choice.score for choice in choices]) <= 0.0).all()
    for choice in choices:
        v = full[choice.i, choice.i] + full[choice.j, choice.j] - 2.0 * full[choice.i, choice.j]
        assert choice.sd_difference == pytest.approx(np.sqrt(v))


@each_scored_criterion
def test_the_first_pick_does_not_depend_on_how_batches_are_made(criterion: Criterion) -> None:
    mean, sigma = random_state(12, seed=0)

    greedy_first, top_first = (chosen(mean, sigma, Policy(criterion, batch=batch))[0] for batch in Batch)

    assert greedy_first == top_first


def test_a_top_batch_crowds_where_a_greedy_one_spreads() -> None:
    """GPM 6.3: all nine pairs of the one newcomer."""
    ring = comparisons(*[(i, (i + 1) % 9, 0.5) for i in range(9)])
    live = posterior.fit(ring, model(10))

    crowd = pairs_of(chosen(live.mean, live.covariance, Policy(Criterion.VARIANCE, batch=Batch.TOP), count=9))

    assert all(9 in pair for pair in crowd)


@each_row
@pytest.mark.parametrize("votes", [1.0, 8.0])
def test_determinant_reads_the_experts_own_curvature_at_the_probability_that_it_expects(row: Row, votes: float) -> None:
    """And so does a fantasy: what the judge says is what the model predicts, with so many votes."""
    judged, (mean, sigma) = model(20)._replace(expert=row.expert, votes=votes), random_state(20, seed=3)
    i, j = np.triu_indices(20, 1)
    full = sigma.matrix()
    m, v = mean[i] - mean[j], full[i, i] + full[j, j] - 2.0 * full[i, j]
    weight = votes * row.expert.curvature(m, row.expert.expected(m))

    policy, everything = Policy(Criterion.DETERMINANT), every_pair(20)
    (choice,) = select(mean, sigma, judged, everything, together(20), policy, RANKING, 1, np.random.default_rng(0))

    np.testing.assert_allclose(score(policy, judged, m, v, 0.0), weight * v)
    assert choice.score == pytest.approx((weight * v).max())
    after = fantasise(sigma, mean, judged, np.array([choice.i]), np.array([choice.j]))
    k = int(np.flatnonzero((i == choice.i) & (j == choice.j))[0])
    np.testing.assert_allclose(
        after.matrix(), condition(sigma, choice.i, choice.j, float(weight[k])).matrix(), atol=1e-14
    )


@each_row
def test_the_determinant_after_a_fantasy_is_what_the_criterion_promised(row: Row) -> None:
    """PoE A.6: det Sigma falls by 1 + w v, so the pair of the largest w v is the one that lowers it most."""
    judged, (mean, sigma) = model(6)._replace(expert=row.expert), random_state(6, seed=3)

    left = {
        (i, j): fantasise(sigma, mean, judged, np.array([i]), np.array([j])).log_det
        for i, j in combinations(range(6), 2)
    }

    policy, rng = Policy(Criterion.DETERMINANT), np.random.default_rng(0)
    (choice,) = select(mean, sigma, judged, every_pair(6), together(6), policy, RANKING, 1, rng)
    assert left[choice.i, choice.j] == pytest.approx(min(left.values()))
    assert sigma.log_det - left[choice.i, choice.j] == pytest.approx(np.log1p(choice.score))


def test_where_verdicts_weigh_alike_determinant_is_variance() -> None:
    mean, sigma = random_state(12, seed=0)
    rng, gaussian = np.random.default_rng(0), model(12, expert="gaussian")

    picks = [
        pairs_of(select(mean, sigma, gaussian, every_pair(12), together(12), Policy(criterion), RANKING, 10, rng))
        for criterion in (Criterion.DETERMINANT, Criterion.VARIANCE)
    ]

    assert picks[0] == picks[1]


@pytest.mark.parametrize("batch", Batch)
@pytest.mark.parametrize(("share", "expected"), [(0.0, 0.0), (0.25, 0.25), (1.0, 1.0)])
def test_picks_drawn_uniformly_say_so(batch: Batch, share: float, expected: float) -> None:
    """Within 4.5 standard errors of their share."""
    mean, sigma = random_state(8, seed=0)
    policy = Policy(Criterion.VARIANCE, random_share=share, batch=batch)

    drawn = [chosen(mean, sigma, policy, seed=seed)[0].random for seed in range(1000)]

    assert np.mean(drawn) == pytest.approx(expected, abs=4.5 * np.sqrt(expected * (1.0 - expected) / 1000))


def test_every_pick_of_the_random_criterion_is_random() -> None:
    choices = chosen(*random_state(6, seed=0), Policy(Criterion.RANDOM), count=15)

    assert all(choice.random for choice in choices)


@pytest.mark.parametrize("batch", Batch)
@each_scored_criterion
def test_a_pick_that_is_not_random_is_the_best_and_one_that_is_may_be(criterion: Criterion, batch: Batch) -> None:
    mean, sigma = random_state(5, seed=0)
    policy = Policy(criterion, random_share=0.5, batch=batch)
    best = pairs_of(chosen(mean, sigma, Policy(criterion)))[0]

    picks = [chosen(mean, sigma, policy, seed=seed)[0] for seed in range(200)]

    assert all((pick.i, pick.j) == best for pick in picks if not pick.random)
    expected = [0.5 / 10 + 0.5 * ((pick.i, pick.j) == best) for pick in picks]
    np.testing.assert_allclose([pick.propensity for pick in picks], expected)
    assert any(pick.random and (pick.i, pick.j) == best for pick in picks)


@pytest.mark.parametrize("batch", Batch)
@each_scored_criterion
def test_propensities_in_a_batch_are_of_the_pairs_left_at_that_pick(criterion: Criterion, batch: Batch) -> None:
    """A uniform share of one in 10, 9, 8, ... pairs, and the rest of the propensity where the pick is the best one."""
    choices = chosen(*random_state(5, seed=1), Policy(criterion, random_share=0.4, batch=batch), count=10, seed=3)

    uniform = 0.4 / np.arange(10.0, 0.0, -1.0)
    for choice, share in zip(choices, uniform, strict=True):
        assert choice.propensity in (pytest.approx(share), pytest.approx(share + 0.6))
        assert choice.random or choice.propensity == pytest.approx(share + 0.6)


@each_criterion
def test_one_candidate_has_no_pair(criterion: Criterion) -> None:
    assert chosen(np.zeros(1), isotropic(1, 1.0), Policy(criterion), count=3) == []


@each_scored_criterion
def test_a_pair_known_to_rounding_is_no_trouble(criterion: Criterion) -> None:
    """A million verdicts of weight 1/4 on one pair: its v is next to nothing."""
    sigma = condition(isotropic(4, 1.0), 0, 1, 250_000.0)

    choices = chosen(np.array([8.0, -8.0, 0.0, 0.0]), sigma, Policy(criterion), count=6)

    assert len(choices) == 6
    assert all(np.isfinite(choice[2:]).all() for choice in choices)
