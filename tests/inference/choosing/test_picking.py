"""The pairs that are chosen, by every criterion, with a matrix and without."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, ndtr
from scipy.stats import chi2

from app.inference.choosing import picking
from app.inference.choosing.asking import Order, Plan, next_pairs, tally
from app.inference.choosing.criteria import DRAWN, RANKING, Batch, Criterion, Goal, Policy, favoured, goal_kinds, score
from app.inference.choosing.picking import (
    VAGUEST,
    Choice,
    Search,
    best_of,
    connected,
    fantasise,
    joining,
    listed_by,
    select,
)
from app.inference.fitting import posterior
from app.inference.fitting.model import Model
from app.inference.fitting.posterior import Posterior
from app.inference.gaussian import Covariance, DenseCovariance, plain
from app.inference.pair_sets import PairSet, listed, mask, upper_triangle
from app.inference.regimes import MEDIUM, SMALL
from app.inference.types import Bools, Comparisons, Floats, Ints, no_comparisons
from tests.inference.factories import (
    Log,
    comparisons,
    condition,
    cycle,
    dense,
    every_pair,
    isotropic,
    logs,
    model,
    numerics,
    of_mask,
    random_comparisons,
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


def floor_of(sigma: Covariance) -> float:
    """(A tenth of a typical posterior sd)^2."""
    return 0.01 * float(sigma.diagonal.mean())


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
    of: Model | None = None,
) -> list[Choice]:
    n, rng = len(mean), np.random.default_rng(seed)
    pairs = every_pair(n) if open_pairs is None else of_mask(open_pairs)
    return select(mean, sigma, of or model(n), pairs, together(n), policy, goal, count, rng)


def pairs_of(choices: list[Choice]) -> list[Pair]:
    return [(choice.i, choice.j) for choice in choices]


def greedy(
    mean: Floats,
    sigma: Floats,
    open_pairs: Bools,
    values: Callable[[Floats, Ints, Ints], Floats],
    count: int,
    votes: float = 1.0,
) -> list[Pair]:
    """Value every open pair by Sigma, take the best, condition by inverting twice; and so on."""
    left, picks = [(int(i), int(j)) for i, j in np.argwhere(np.triu(open_pairs, 1))], list[Pair]()
    for _ in range(min(count, len(left))):
        i, j = picked = left.pop(int(np.argmax(values(sigma, *np.array(left).T))))
        picks.append(picked)
        r, d = np.eye(len(mean))[i] - np.eye(len(mean))[j], float(mean[i] - mean[j])
        sigma = np.asarray(np.linalg.inv(np.linalg.inv(sigma) + votes * expit(d) * expit(-d) * np.outer(r, r)))
    return picks


@each_scored_criterion
@pytest.mark.parametrize(
    ("batch", "n", "count", "share"),
    [
        *(
            (Batch.GREEDY, n, count, share)
            for n, count, share in ((5, 1, 1.0), (5, 5, 1.0), (30, 5, 1.0), (30, 5, 0.5))
        ),
        *((Batch.TOP, n, count, 0.9) for n, count in ((6, 15), (30, 20), (150, 200))),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_select_is_the_slow_choice_among_the_open_pairs(
    criterion: Criterion, seed: int, batch: Batch, n: int, count: int, share: float
) -> None:
    """A top batch is that of one list: as if no answer told anything."""
    mean, sigma = random_state(n, seed)
    some = np.triu(np.random.default_rng(seed).random((n, n)) < share)
    open_pairs = some | some.T

    floor = floor_of(sigma)

    def values(full: Floats, i: Ints, j: Ints) -> Floats:
        return FORMULAS[criterion](mean[i] - mean[j], full[i, i] + full[j, j] - 2.0 * full[i, j], floor)

    picks = pairs_of(chosen(mean, sigma, Policy(criterion, EPSILON, batch=batch), count=count, open_pairs=open_pairs))

    assert picks == greedy(mean, sigma.matrix(), open_pairs, values, count, votes=float(batch is Batch.GREEDY))


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


@pytest.mark.parametrize("policy", [Policy(Criterion.RANDOM), Policy(Criterion.VARIANCE, random_share=1.0)])
def test_random_picks_in_a_batch_are_uniform_over_what_is_left(policy: Policy) -> None:
    choices = chosen(*random_state(4, seed=0), policy, count=6)

    np.testing.assert_allclose([choice.propensity for choice in choices], [1 / k for k in (6, 5, 4, 3, 2, 1)])


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
    value = score(Policy(criterion), model(6), np.array([mean[i] - mean[j]]), np.array([v]), floor_of(sigma))[0]
    assert choice.score == pytest.approx(value)


def test_a_batch_does_not_crowd_around_the_one_newcomer_as_a_top_batch_does() -> None:
    """Nine candidates in a ring and one that nobody has seen: the top nine all hold the newcomer (GPM 6.3)."""
    ring = comparisons(*[(i, (i + 1) % 9, 0.5) for i in range(9)])
    live = posterior.fit(ring, model(10))

    spread, crowd = (
        pairs_of(chosen(live.mean, live.covariance, Policy(Criterion.VARIANCE, batch=batch), count=9))
        for batch in (Batch.GREEDY, Batch.TOP)
    )

    assert 9 in spread[0]
    assert sum(9 in pair for pair in spread) < 5
    assert all(9 in pair for pair in crowd)


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


@each_scored_criterion
def test_a_pair_known_to_rounding_is_no_trouble(criterion: Criterion) -> None:
    """A million verdicts of weight 1/4 on one pair: its v is next to nothing."""
    sigma = condition(isotropic(4, 1.0), 0, 1, 250_000.0)

    choices = chosen(np.array([8.0, -8.0, 0.0, 0.0]), sigma, Policy(criterion), count=6)

    assert len(choices) == 6
    assert all(np.isfinite(choice[2:]).all() for choice in choices)


HUNDRED = 100
EVERY = np.flatnonzero(np.triu(np.ones((HUNDRED, HUNDRED)), 1))
each_of_three = pytest.mark.parametrize("criterion", [Criterion.VARIANCE, Criterion.REORDERING, Criterion.KNOWLEDGE])


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> Posterior:
    monkeypatch.setattr(posterior, "DENSE", 5)
    return posterior.fit(random_comparisons(HUNDRED, 4 * HUNDRED, seed=5), model(HUNDRED))


def chosen_of_many(
    live: Posterior, pairs: PairSet, count: int, criterion: Criterion, seed: int = 0, goal: Goal = RANKING
) -> list[Choice]:
    chance = np.random.default_rng(seed)
    return select(
        live.mean, live.covariance, live.model, pairs, together(HUNDRED), Policy(criterion), goal, count, chance
    )


def search_of(fitted: Posterior, policy: Policy, goal: Goal) -> Search:
    mean, kinds = fitted.mean, goal_kinds(goal, fitted.mean)
    return Search(mean, dense(fitted.covariance), model(len(mean)), policy, goal, kinds, 0.01, None)


@pytest.mark.parametrize("criterion", [each for each in Criterion if each not in DRAWN])
@pytest.mark.parametrize("goal", [RANKING, Goal(top_k=9), Goal(against=7)])
def test_the_best_of_many_pairs_is_on_the_list(
    criterion: Criterion, goal: Goal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seeds 0 to 3, 150 candidates compared some eight times, of whose pairs nine in ten are open."""
    n = 2 * MEDIUM - 50
    for seed in range(4):
        of_log = random_comparisons(n, 4 * n, seed=seed)
        fitted = posterior.fit(of_log, model(n))
        closed = np.flatnonzero(np.triu(np.random.default_rng(seed).random((n, n)) < 0.1, 1))
        search = search_of(fitted, Policy(criterion), goal)
        pairs = favoured(listed(n, closed, leaves_out=True), search.matters)

        code, values = best_of(search, pairs, 5)
        monkeypatch.setattr(picking, "MEDIUM", n)
        scanned, scores = best_of(search, pairs, 5)
        monkeypatch.undo()

        assert code[values.argmax()] == scanned[scores.argmax()]
        np.testing.assert_allclose(np.sort(values), np.sort(scores), rtol=0.2)


@pytest.mark.parametrize("criterion", [each for each in Criterion if each not in DRAWN])
def test_where_the_list_is_closed_the_best_of_all_is_found(criterion: Criterion) -> None:
    """Most pairs are open, but none between those of the largest variances or of near means."""
    n = 2 * MEDIUM
    fitted = posterior.fit(random_comparisons(n, 4 * n, seed=0), model(n))
    search, sigma = search_of(fitted, Policy(criterion), RANKING), dense(fitted.covariance)
    first, second = listed_by(fitted.mean, sigma.diagonal, every_pair(n), VAGUEST)
    pairs = listed(n, np.unique(first * n + second), leaves_out=True)
    i, j = np.nonzero(mask(pairs))

    code, _ = best_of(search, pairs)

    values = search.score(fitted.mean[i] - fitted.mean[j], sigma.variances(i, j))
    assert len(i) > 0.5 * n * (n - 1) / 2
    assert code.tolist() == [i[values.argmax()] * n + j[values.argmax()]]


@each_of_three
@pytest.mark.parametrize("leaves_out", [True, False])
def test_of_few_open_pairs_all_are_chosen_and_no_more(live: Posterior, criterion: Criterion, leaves_out: bool) -> None:
    left = np.array([3 * HUNDRED + 9, 5 * HUNDRED + 41, 17 * HUNDRED + 20])
    pairs = listed(HUNDRED, np.setdiff1d(EVERY, left) if leaves_out else left, leaves_out=leaves_out)

    choices = chosen_of_many(live, pairs, 5, criterion)

    assert sorted(choice.i * HUNDRED + choice.j for choice in choices) == left.tolist()


def test_the_first_pairs_share_no_candidate(live: Posterior) -> None:
    choices = chosen_of_many(live, every_pair(HUNDRED), 8, Criterion.REORDERING)

    assert len({who for choice in choices[:2] for who in (choice.i, choice.j)}) == 4


def test_pairs_that_are_level_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any comparison all 4,950 pairs are level."""
    monkeypatch.setattr(posterior, "DENSE", 5)
    nothing = posterior.fit(no_comparisons(), model(HUNDRED))

    choices = [chosen_of_many(nothing, every_pair(HUNDRED), 1, Criterion.DETERMINANT, seed)[0] for seed in range(60)]

    assert len({(choice.i, choice.j) for choice in choices}) > 45
    assert len({who for choice in choices for who in (choice.i, choice.j)}) > 50


MANY = SMALL + 2
NOBODY = np.empty(0, np.int64)
NONE_LEASED = NOBODY, NOBODY
each_not_drawn = pytest.mark.parametrize("criterion", [each for each in Criterion if each not in DRAWN])


def asked(
    criterion: Criterion,
    count: int,
    *,
    log: Comparisons | None = None,
    of: Model | None = None,
    leased: tuple[Ints, Ints] = NONE_LEASED,
    goal: Goal = RANKING,
    n: int = MANY,
) -> list[tuple[int, int]]:
    log, of = log or no_comparisons(), of or model(n)
    plan, live = Plan(Policy(criterion), Order.AS_SELECTED, 0, goal), posterior.fit(log, of)
    rng = np.random.default_rng(log.size)
    presented = next_pairs(live.scores, of, tally(log, n), leased, every_pair(n), plan, count, rng)
    return [(pair.first, pair.second) for pair in presented]


def joins(component: Ints, open_pairs: PairSet, criterion: Criterion = Criterion.REORDERING) -> set[tuple[int, int]]:
    pairs = joining(component, open_pairs, criterion)
    assert pairs is not None
    return {(int(i), int(j)) for i, j in np.argwhere(mask(pairs))}


def components_after(pairs: list[tuple[int, int]], n: int) -> Ints:
    first, second = np.array(pairs).T
    return connected(np.arange(n), first, second, model(n), RANKING, Criterion.REORDERING)


@each_not_drawn
@pytest.mark.parametrize("n", [MANY, MANY + 1])
def test_everyone_is_compared_once_before_anyone_twice_and_a_tree_comes_before_any_cycle(
    criterion: Criterion, n: int
) -> None:
    pairs = asked(criterion, n - 1, n=n)

    assert len(np.unique(pairs[: n // 2])) == 2 * (n // 2)
    assert set(components_after(pairs, n)) == {0}


def test_what_is_apart_joins_the_largest_component() -> None:
    component = np.array([0, 0, 0, 1, 1, 2, 2])

    assert joins(component, every_pair(7)) == {(i, j) for i in (0, 1, 2) for j in (3, 4, 5, 6)}


def test_never_compared_candidates_meet_each_other_first() -> None:
    component, open_pairs = np.array([0, 0, 1, 2, 3]), upper_triangle(5).copy()

    assert joins(component, every_pair(5)) == {(2, 3), (2, 4), (3, 4)}

    open_pairs[2:, 2:] = False  # somebody else has these
    assert joins(component, of_mask(open_pairs)) == {(i, j) for i in (0, 1) for j in (2, 3, 4)}


def test_nothing_is_left_to_join_once_all_are_connected_or_no_such_pair_is_open() -> None:
    within = np.zeros((4, 4), np.bool_)
    within[0, 1] = True

    assert joining(np.zeros(4, np.int64), every_pair(4), Criterion.REORDERING) is None
    assert joining(np.array([0, 0, 1, 1]), of_mask(within), Criterion.REORDERING) is None


def test_pairs_that_are_out_on_a_lease_count_as_compared() -> None:
    out = np.arange(0, MANY - 2, 2)

    (pair,) = asked(Criterion.REORDERING, 1, leased=(out, out + 1))

    assert pair == (MANY - 2, MANY - 1)


def test_an_absolute_score_connects() -> None:
    scored, precision = model(MANY), np.zeros(MANY)
    precision[[0, 2, 3]] = [1.0, 2.0, 1.0]
    scored = scored._replace(prior=scored.prior._replace(absolute=precision))

    component = connected(np.arange(MANY), NOBODY, NOBODY, scored, RANKING, Criterion.REORDERING)

    assert len({component[0], component[2], component[3]}) == 1
    assert len(set(component)) == MANY - 2


@pytest.mark.parametrize(("n", "goal"), [(SMALL, RANKING), (MANY, Goal(top_k=1))])
def test_few_candidates_and_other_goals_need_no_joining(n: int, goal: Goal) -> None:
    assert set(connected(np.arange(n), NOBODY, NOBODY, model(n), goal, Criterion.REORDERING)) == {0}


def test_a_candidate_that_comes_late_is_asked_about_next() -> None:
    (pair,) = asked(Criterion.REORDERING, 1, log=cycle(MANY - 1, seed=0))

    assert pair[1] == MANY - 1


def test_another_goal_than_the_ranking_asks_what_it_needs() -> None:
    """The candidates that are not in the pair in question stay as they are."""
    log = comparisons((0, 1, 0.9), (1, 2, 0.6))

    assert asked(Criterion.KNOWLEDGE, 1, log=log, goal=Goal(pair=(0, 2))) == [(0, 2)]


def test_pairs_that_join_are_drawn_uniformly_and_say_so() -> None:
    """Four of the candidates were never compared."""
    log, of = cycle(MANY - 4, seed=0), model(MANY)
    plan, live = Plan(Policy(Criterion.REORDERING), Order.AS_SELECTED, 0), posterior.fit(log, of)
    known, open_pairs = tally(log, MANY), every_pair(MANY)

    pairs = [
        next_pairs(live.scores, of, known, NONE_LEASED, open_pairs, plan, 2, np.random.default_rng(seed))
        for seed in range(300)
    ]

    counts = np.unique([(first.first, first.second) for first, _ in pairs], axis=0, return_counts=True)[1]
    assert len(counts) == 6
    assert counts.min() > 30
    assert {(round(1 / a.choice.propensity), round(1 / b.choice.propensity)) for a, b in pairs} == {(6, 1)}


@pytest.mark.parametrize("n", [2, 5, 12, 13, MANY])
@pytest.mark.parametrize("goal", [RANKING, Goal(top_k=1)])
def test_covering_is_random_but_has_every_candidate_in_a_pair_at_once(n: int, goal: Goal) -> None:
    """PoE 4.2 draws random pairs in which each text is at least once."""
    half = (n + 1) // 2

    pairs = asked(Criterion.COVERING, half + 3, n=n, goal=goal)

    assert len(np.unique(pairs[: n // 2])) == 2 * (n // 2)
    assert set(np.ravel(pairs[:half])) == set(range(n))


def test_covering_joins_nothing_and_leaves_alone_who_has_no_open_pair() -> None:
    component, open_pairs = np.array([0, 0, 1, 1, 2, 3]), upper_triangle(6).copy()

    assert joins(component, every_pair(6), Criterion.COVERING) == {(4, 5)}

    open_pairs[4, 5] = False
    open_pairs[:, 5] = False
    assert joins(component, of_mask(open_pairs), Criterion.COVERING) == {(i, 4) for i in range(4)}

    open_pairs[:, 4] = False
    assert joining(component, of_mask(open_pairs), Criterion.COVERING) is None
    assert joining(np.array([0, 0, 1, 1]), every_pair(4), Criterion.COVERING) is None


def test_covering_reads_no_absolute_score() -> None:
    of = model(4)
    of = of._replace(prior=of.prior._replace(absolute=np.ones(4)))

    assert len(set(connected(np.arange(4), NOBODY, NOBODY, of, RANKING, Criterion.COVERING))) == 4


@pytest.mark.parametrize("criterion", [Criterion.VARIANCE, Criterion.DETERMINANT, Criterion.REORDERING])
@pytest.mark.parametrize("goal", [RANKING, Goal(top_k=5), Goal(against=7)])
@pytest.mark.parametrize("seed", range(3))
def test_without_a_matrix_the_pair_is_the_best_or_nearly(
    criterion: Criterion, goal: Goal, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = random_comparisons(HUNDRED, 6 * HUNDRED, seed=seed)
    with_matrix = posterior.fit(log, model(HUNDRED))
    monkeypatch.setattr(posterior, "DENSE", 5)
    without_matrix = posterior.fit(log, model(HUNDRED))

    (best,), (near,) = (
        chosen_of_many(live, every_pair(HUNDRED), 1, criterion, goal=goal) for live in (with_matrix, without_matrix)
    )

    assert near.score >= 0.97 * best.score
    assert near.propensity == 1.0


def test_without_a_matrix_candidates_that_nothing_connects_are_joined_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posterior, "DENSE", 5)
    live, rng = posterior.prior(model(HUNDRED)), np.random.default_rng(0)
    pairs, policy = every_pair(HUNDRED), Policy(Criterion.VARIANCE)

    choices = select(
        live.mean, live.covariance, live.model, pairs, np.arange(HUNDRED), policy, RANKING, HUNDRED // 2, rng
    )

    assert len({who for choice in choices for who in (choice.i, choice.j)}) == HUNDRED
