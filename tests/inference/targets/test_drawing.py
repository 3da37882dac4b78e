"""Draws of the scores: those of votes are of the exact posterior, and tell clean sweeps truly."""

import numpy as np
import pytest
from scipy.special import expit, log_expit
from scipy.stats import beta

from app.inference.core.edges import NO_BIAS
from app.inference.fitting import Method, Published, no_absolute_scores
from app.inference.fitting.evidence import approximate
from app.inference.fitting.model import BIAS_VARIANCE, at_scale, build
from app.inference.fitting.posterior import fit
from app.inference.gaussian import Scores, Votes, mixed
from app.inference.reporting import Table, Wanted, by_posterior
from app.inference.targets import drawn_values, on_new_items, publish_for
from app.inference.targets.drawing import NARROWEST, draw_scores, drawn_in_place, log_ratios, turn
from app.inference.types import Comparisons, Floats, by_one_judge, join, once_each
from tests.inference.factories import isotropic

LEARNT = Method(verdict_weight="learnt")
SHARES = np.array([0.001, 0.025, 0.1, 0.5, 0.9, 0.975])


def test_each_draw_has_the_noise_of_the_part_that_it_is_from() -> None:
    parts = [
        (0.7, Scores(np.array([1.0, -1.0]), isotropic(2, 1e-6), noise=0.5)),
        (0.3, Scores(np.array([2.0, -2.0]), isotropic(2, 1e-6), noise=4.0)),
    ]
    scores, noise = draw_scores(mixed(parts), np.arange(2), np.random.default_rng(1), 4000)
    assert (noise == 0.5).mean() == pytest.approx(0.7, abs=0.03)
    assert scores[:, 0] == pytest.approx(np.where(noise == 0.5, 1.0, 2.0), abs=0.01)


def duel(won: int, of: int) -> Comparisons:
    """Votes on two candidates, the first of whom won so many."""
    first = np.arange(of) % 2
    return by_one_judge(first, 1 - first, ((np.arange(of) < won) == (first == 0)).astype(float))


def published(log: Comparisons, n: int, method: Method = LEARNT, judges: int = 1) -> Published:
    return publish_for("latent", log, np.arange(log.size), no_absolute_scores(), method, n, judges)


def table_of(published: Published, quantity: Scores | None = None) -> Table:
    return by_posterior(published, Wanted(), quantity=quantity).table


@pytest.mark.parametrize(("won", "of"), [(10, 10), (19, 20), (20, 20), (80, 80)])
def test_draws_of_two_candidates_have_the_quantiles_of_the_integral(won: int, of: int) -> None:
    """40,000 draws: within four standard errors, and .003 for slices that are few."""
    scores = published(duel(won, of), 2).scores
    x = np.concatenate([np.linspace(-12.0, 60.0, 36_001), np.linspace(60.01, 3000.0, 200_000)])
    density = np.zeros(len(x))
    for weight, part in scores.parts:
        assert part.scale is not None
        log_density = won * log_expit(x) + (of - won) * log_expit(-x) - x**2 / (4.0 * part.scale)
        of_part = np.exp(log_density - log_density.max()) * np.gradient(x)
        density += weight * of_part / of_part.sum()
    drawn = drawn_in_place(scores, np.random.default_rng(1), 40_000)
    d, quantiles = drawn[:, 0] - drawn[:, 1], np.interp(SHARES, np.cumsum(density), x)
    errors = 4.0 * np.sqrt(SHARES * (1.0 - SHARES) / len(d))
    assert (np.abs((d[:, None] < quantiles).mean(axis=0) - SHARES) < errors + 0.003).all()


def test_measurements_beside_votes_are_in_what_is_drawn() -> None:
    """Ten votes of one judge, and a measurement of another: 40,000 draws against the integral."""
    one = Comparisons(
        np.zeros(1, np.int64), np.ones(1, np.int64), np.array([expit(0.4)]), np.ones(1, np.int64), np.ones(1)
    )
    scores = approximate(fit(join(duel(10, 10), one), at_scale(build(LEARNT, 2, 2), 9.0)), "ep")
    x = np.linspace(-6.0, 12.0, 20_001)
    density = np.exp(10.0 * log_expit(x) - 0.5 * (x - 0.4) ** 2 - x**2 / 36.0)
    drawn = drawn_in_place(scores, np.random.default_rng(1), 40_000)
    quantiles = np.interp(SHARES, np.cumsum(density) / density.sum(), x)
    errors = 4.0 * np.sqrt(SHARES * (1.0 - SHARES) / len(drawn))
    assert (np.abs((drawn[:, :1] - drawn[:, 1:] < quantiles).mean(axis=0) - SHARES) < errors + 0.003).all()


def test_biases_are_drawn_with_the_scores() -> None:
    """Three candidates and a bias, on a grid of two differences and delta; 40,000 draws."""
    log = by_one_judge(
        np.array([0, 1, 0, 2, 1, 2, 0]), np.array([1, 0, 2, 0, 2, 1, 1]), np.array([1, 0, 1, 0, 1, 1, 1.0])
    )
    of = at_scale(build(LEARNT._replace(position_bias="estimate"), 3, 1), 4.0)
    scores = approximate(fit(log, of), "ep")
    a, b, delta = np.meshgrid(*[np.linspace(-16.0, 16.0, 161)] * 2, np.linspace(-12.0, 12.0, 121), indexing="ij")
    s = np.stack([a, b, np.zeros_like(a)])  # a, b: above the third; their precision is that of scores with variance 4
    log_density = -(2.0 * a**2 + 2.0 * b**2 - 2.0 * a * b) / 3.0 / 8.0 - delta**2 / (2.0 * BIAS_VARIANCE)
    for i, j, p, _, _ in zip(*log, strict=True):
        d = s[i] - s[j] + delta
        log_density += log_expit(d if p else -d)
    weight = np.exp(log_density - log_density.max())
    weight /= weight.sum()
    drawn = drawn_in_place(scores, np.random.default_rng(1), 40_000)
    of_first, of_second = drawn[:, 0] - drawn[:, 2], drawn[:, 1] - drawn[:, 2]
    for ours, theirs in (
        ((of_first > 0.0).mean(), weight[a > 0.0].sum() + 0.5 * weight[a == 0.0].sum()),
        ((of_second > 0.0).mean(), weight[b > 0.0].sum() + 0.5 * weight[b == 0.0].sum()),
        (
            (drawn.argmax(axis=1) == 0).mean(),
            weight[(a > b) & (a > 0.0)].sum() + 0.5 * weight[(a == b) | (a == 0.0)].sum(),
        ),
        (expit(of_first).mean(), (weight * expit(a)).sum()),
        (expit(of_first - of_second).mean(), (weight * expit(a - b)).sum()),
    ):
        assert ours == pytest.approx(theirs, abs=0.01)


def test_a_clean_sweep_is_surer_than_one_vote_less() -> None:
    low = dict[int, float]()
    for of in (20, 80, 400):
        one_lost, sweep = (table_of(published(duel(won, of), 2)) for won in (of - 1, of))
        assert sweep.p_best[0] >= one_lost.p_best[0]
        low[of] = sweep.win_rate_interval[0, 0]
        assert low[of] > one_lost.win_rate_interval[0, 0] + 0.005
        for (ours, most), won in ((one_lost.win_rate_interval[0], of - 1), (sweep.win_rate_interval[0], of)):
            jeffreys = beta.ppf([0.025, 0.975], won + 0.5, of - won + 0.5)
            assert (ours, most) == pytest.approx(jeffreys, abs=0.04 if (won, of) == (19, 20) else 0.01)
        assert (sweep.p_best[0], sweep.rank_interval[0].tolist()) == (1.0, [1, 1])
        assert sweep.win_rate_interval[0, 1] == pytest.approx(1.0)
    assert low[20] < low[80] < low[400]


@pytest.mark.parametrize("n", [3, 4, 6])
def test_an_unbeaten_candidate_is_surer_than_with_a_lost_vote(n: int) -> None:
    pairs = np.array(np.triu_indices(n, 1))
    first, second = np.repeat(pairs, 20, axis=1)
    p = np.where(first == 0, 1.0, np.arange(len(first)) % 3 < 2).astype(float)
    unbeaten = by_one_judge(first, second, p)
    lost = unbeaten._replace(p=np.where(np.arange(len(p)) == 0, 0.0, p))
    one_lost, none_lost = (table_of(published(log, n)) for log in (lost, unbeaten))
    assert none_lost.p_best[0] >= one_lost.p_best[0]
    assert none_lost.win_rate_interval[0, 0] > one_lost.win_rate_interval[0, 0]


def test_new_prompts_tell_of_sweeps_as_well() -> None:
    log = duel(20, 20)
    live = published(log, 2)
    table = table_of(live, on_new_items(live, np.arange(20)))
    assert table.p_best[0] > 0.999
    assert table.win_rate_interval[0] == pytest.approx((0.886, 1.0), abs=0.01)


def test_draws_on_new_prompts_have_the_moments_of_the_mixture_where_votes_are_many() -> None:
    """Prompts with effects of their own, 60 votes on each of three pairs: spreads within 4% of the normal's."""
    rng = np.random.default_rng(5)
    prompt, pair = np.repeat(np.arange(30), 6), np.tile(np.arange(3), 60)
    first, second = np.array([[0, 0, 1], [1, 2, 2]])[:, pair]
    effects, s = 1.5 * rng.standard_normal((30, 3)), np.array([0.4, 0.0, -0.4])
    d = (s + effects[prompt])[np.arange(180), first] - (s + effects[prompt])[np.arange(180), second]
    log = by_one_judge(first, second, (rng.random(180) < expit(d)).astype(float))
    live = published(log, 3)
    scores = on_new_items(live, prompt)
    drawn = drawn_in_place(scores, np.random.default_rng(1), 40_000)
    apart = np.array([[1.0, -1.0, 0.0], [1.0, 0.0, -1.0]])
    sd, beneath = (np.sqrt(np.diag(apart @ each.covariance.matrix() @ apart.T)) for each in (scores, live.scores))
    assert (sd > 1.1 * beneath).all()
    np.testing.assert_allclose((drawn @ apart.T).mean(axis=0), apart @ scores.mean, atol=0.02)
    np.testing.assert_allclose((drawn @ apart.T).std(axis=0), sd, rtol=0.04)


def test_other_names_give_the_same_draws() -> None:
    rng = np.random.default_rng(7)
    first, step = rng.integers(5, size=40), rng.integers(1, 5, size=40)
    log = once_each(first, (first + step) % 5, rng.integers(2, size=40).astype(float), rng.integers(3, size=40))
    order, judges = rng.permutation(5), rng.permutation(3)
    renamed = log._replace(first=order[log.first], second=order[log.second], judge=judges[log.judge])
    method = LEARNT._replace(position_bias="estimate")
    here, there = (drawn_values(published(each, 5, method, 3).scores) for each in (log, renamed))
    # A draw in ten thousand may come to rest elsewhere: sums are in another order.
    assert (np.abs(here - there[:, order]) < 1e-6).all(axis=1).mean() > 0.999


def test_measurements_alone_are_no_votes() -> None:
    log = by_one_judge(np.array([0, 1, 2]), np.array([1, 2, 0]), np.array([0.8, 0.7, 0.4]))
    scores = published(log, 3).scores
    assert not scores.has_votes
    assert published(duel(3, 4), 2).scores.has_votes


D, N, M = 40, 5, 12  # draws, candidates and rows of votes that slices are tested on


def votes_of(seed: int, *, biases: bool) -> Votes:
    rng = np.random.default_rng(seed)
    first = rng.integers(N, size=M)
    second, size = (first + rng.integers(1, N, size=M)) % N, N + 2 * biases
    wins, losses = rng.integers(3, size=M).astype(float), rng.choice([0.0, 0.7, 1.0], M)
    bias = N + rng.integers(2, size=M) if biases else NO_BIAS
    difference, slope = 3.0 * rng.standard_normal((2, M))
    return Votes(np.zeros(size), np.eye(size), first, second, bias, wins, losses, difference, slope, rng.random(M))


def slow_log_ratio(x: Floats, votes: Votes) -> Floats:
    """(D,) of (D, P) draws less the mean."""
    moved = x[:, votes.first] - x[:, votes.second] + (x[:, votes.bias] if len(votes.bias) else 0.0)
    d = votes.difference + moved
    of_votes = -np.logaddexp(0.0, -d) @ votes.wins - np.logaddexp(0.0, d) @ votes.losses
    return np.asarray(of_votes - moved @ votes.slope + 0.5 * moved**2 @ votes.precision)


def slow_turn(x: Floats, z: Floats, votes: Votes, rng: np.random.Generator) -> Floats:
    """(D, P) the draws, each moved."""
    moved = x.copy()
    for k, (own, other) in enumerate(zip(x, z, strict=True)):
        level = float(slow_log_ratio(own[None], votes)[0]) + np.log(1.0 - rng.random())
        angle = 2.0 * np.pi * rng.random()
        low, high = angle - 2.0 * np.pi, angle
        while high - low > NARROWEST:
            there = own * np.cos(angle) + other * np.sin(angle)
            if slow_log_ratio(there[None], votes)[0] > level:
                moved[k] = there
                break
            low, high = (angle, high) if angle < 0.0 else (low, angle)
            angle = low + (high - low) * rng.random()
    return moved


@pytest.mark.parametrize("biases", [False, True])
def test_a_step_is_that_of_the_slow_formula(biases: bool) -> None:
    votes, rng = votes_of(1, biases=biases), np.random.default_rng(2)
    x, z = rng.standard_normal((2, D, len(votes.mean)))
    ratio = log_ratios(x, votes)
    np.testing.assert_allclose(ratio, slow_log_ratio(x, votes), rtol=1e-12, atol=1e-12)
    expected = slow_turn(x, z, votes, np.random.default_rng(3))
    turn(x, ratio, z, votes, np.random.default_rng(3))
    np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ratio, slow_log_ratio(expected, votes), rtol=1e-9, atol=1e-9)


def test_thousands_of_single_votes_do_not_overflow() -> None:
    count = 5000
    ties = votes_of(0, biases=False)._replace(
        first=np.zeros(count, np.int64), second=np.ones(count, np.int64), wins=np.full(count, 0.5),
        losses=np.full(count, 0.5), difference=np.zeros(count), slope=np.zeros(count), precision=np.zeros(count),
    )  # fmt: skip
    x = np.zeros((1, N))
    np.testing.assert_allclose(log_ratios(x, ties), -count * np.log(2.0), rtol=1e-12)


def test_without_votes_draws_of_the_normal_stay_draws_of_it() -> None:
    """20,000 draws; moments within four standard errors."""
    nothing = votes_of(0, biases=False)
    none = np.zeros(M)
    nothing = nothing._replace(wins=none, losses=none, slope=none, precision=none)
    rng, draws = np.random.default_rng(4), 20_000
    root = np.linalg.cholesky(np.eye(N) + 0.5)
    x, *normal = (rng.standard_normal((draws, N)) @ root.T for _ in range(4))
    ratio, before = np.zeros(draws), x.copy()
    for z in normal:
        turn(x, ratio, z, nothing, rng)
    assert (x != before).any(axis=1).all()
    np.testing.assert_allclose(x.mean(axis=0), 0.0, atol=4.0 * np.sqrt(1.5 / draws))
    np.testing.assert_allclose(np.cov(x.T), np.eye(N) + 0.5, atol=4.0 * 1.5 * np.sqrt(2.0 / draws))
