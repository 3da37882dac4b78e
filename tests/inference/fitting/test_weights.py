"""Verdict weights and the spread of scores: the evidence is exact, and repeats are no evidence."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, logit
from scipy.stats import multivariate_normal, norm

from app.inference.core.cells import Hyperparameters
from app.inference.fitting.absolute import no_absolute_scores
from app.inference.fitting.evidence import log_evidence_of, quadrature
from app.inference.fitting.measurements import Normal, measurements
from app.inference.fitting.model import Method, Model, at_scale, build, edges_of
from app.inference.fitting.posterior import fit
from app.inference.fitting.published import integrate, publish
from app.inference.fitting.weights import WEAK, Hyperprior, learn, shares, weighed, zoom
from app.inference.gaussian import Scores
from app.inference.reporting.intervals import marginal_intervals, relative_sd
from app.inference.types import Comparisons, Floats, Ints, by_one_judge, join, once_each, take
from tests.inference.factories import draw_ranks, fit_rows, fold_rows

LEARNT = Method(verdict_weight="learnt")


def model(n: int, position_bias: str = "none") -> Model:
    return build(LEARNT._replace(position_bias=position_bias), n, 1)


def one_item(comparisons: Comparisons) -> Ints:
    return np.zeros(comparisons.size, np.int64)


def scores_of(rng: np.random.Generator, n: int, scale: float) -> Floats:
    """(N,) scores whose variance is `scale`."""
    z = rng.standard_normal(n)
    return np.asarray(np.sqrt(scale) * (z - z.mean()) / z.std())


def measured(n: int, count: int, seed: int, scale: float = 1.0, noise: float = 0.3, delta: float = 0.0) -> Comparisons:
    """Random pairs, each judged once, by a judge whose logits err by `noise`."""
    rng = np.random.default_rng(seed)
    s = scores_of(rng, n, scale)
    pairs = np.array([(i, j) for i in range(n) for j in range(i)])[rng.permutation(n * (n - 1) // 2)[:count]]
    first, second = np.where(rng.random(len(pairs)) < 0.5, pairs.T, pairs.T[::-1])
    d = s[first] - s[second] + delta + np.sqrt(noise) * rng.standard_normal(len(pairs))
    return by_one_judge(first, second, expit(d))


def voted(n: int, count: int, seed: int, scale: float = 1.0) -> Comparisons:
    rng = np.random.default_rng(seed)
    s = scores_of(rng, n, scale)
    first, second = np.array([rng.choice(n, 2, replace=False) for _ in range(count)]).T
    return by_one_judge(first, second, (rng.random(count) < expit(s[first] - s[second])).astype(float))


def published(comparisons: Comparisons, n: int, hyperprior: Hyperprior = WEAK) -> Scores:
    return publish(comparisons, one_item(comparisons), no_absolute_scores(), LEARNT, n, 1, hyperprior).scores


@pytest.mark.parametrize("delta", [0.0, 1.5])
def test_the_evidence_of_measurements_is_that_of_the_normal_they_are(delta: float) -> None:
    """Up to one constant; a bias has the flat prior that a very wide one comes to."""
    n, log = 6, measured(6, 14, seed=1, delta=delta)
    groups, m = measurements(log, one_item(log)), model(n, "estimate" if delta else "none")
    r = np.full(len(groups.y), 0.7)
    design = np.zeros((len(groups.y), n))
    design[np.arange(len(design)), groups.low], design[np.arange(len(design)), groups.high] = 1.0, -1.0
    scales, kappas = np.array([0.1, 1.0, 8.0]), np.array([0.3, 2.0])
    flat = 1e7 * np.outer(groups.lean, groups.lean) if delta else 0.0
    slow = [
        [
            multivariate_normal(cov=t * design @ design.T + flat + np.diag(k * r / groups.weight)).logpdf(groups.y)
            for k in kappas
        ]
        for t in scales
    ]
    spectrum = groups.spectrum(r, m)
    apart = spectrum.log_evidence(scales[:, None] / kappas, kappas) - np.array(slow)
    assert apart == pytest.approx(apart[0, 0], abs=1e-4)
    by_ratio = spectrum.log_evidence(scales[:, None], kappas)
    assert by_ratio[0, 1] == pytest.approx(float(spectrum.log_evidence(scales[0], kappas[1])))


def test_laplaces_evidence_of_one_vote_is_nearly_the_integral() -> None:
    log, m = by_one_judge(np.array([0]), np.array([1]), np.array([1.0])), model(2)
    for scale in (0.05, 0.3, 1.0):
        sd = np.sqrt(2.0 * scale)
        exact, _ = quad(lambda d, sd=sd: expit(d) * norm.pdf(d, 0.0, sd), -12.0, 12.0)
        assert log_evidence_of(edges_of(log, m), m, np.array([scale])) == pytest.approx(np.log(exact), abs=0.03)


@pytest.mark.parametrize(("scale", "noise"), [(1.0, 0.02), (1.0, 1.0), (0.04, 0.1), (9.0, 1.0)])
def test_noise_and_scale_are_found(scale: float, noise: float) -> None:
    """30 candidates, 300 answers, seed 0: within a factor of 1.6; answers beyond p = 0.9997 are held to it."""
    log = measured(30, 300, 0, scale, noise)
    (found_scale, (found_noise,), (votes,), _), _ = learn(log, one_item(log), model(30), 1)
    assert 1 / 1.6 < found_scale / scale < 1.6
    assert 1 / 1.6 < found_noise / noise < 1.6
    assert votes == pytest.approx(1.0 / (found_noise * np.mean(log.p * (1.0 - log.p))))


def test_the_scale_of_votes_is_found_and_a_vote_is_one() -> None:
    """30 candidates, 2,000 votes, seeds 0 to 2."""
    for seed, scale in enumerate((0.1, 1.0, 6.0)):
        log = voted(30, 2000, seed, scale)
        (found, _, (votes,), _), _ = learn(log, np.arange(2000), model(30), 1)
        assert 0.5 < found / scale < 2.0
        assert votes > 0.8


def test_votes_that_no_scale_explains_count_less() -> None:
    """Ten votes on each pair of 8, all for one side, which is drawn: no order has such odds."""
    rng = np.random.default_rng(0)
    low, high = np.triu_indices(8, 1)
    first, second = np.repeat(low, 10), np.repeat(high, 10)
    log = by_one_judge(first, second, np.repeat(rng.integers(2, size=len(low)).astype(float), 10))
    (_, _, (votes,), _), _ = learn(log, np.arange(log.size), model(8), 1)
    assert votes < 0.5


@pytest.mark.parametrize("votes", [False, True])
def test_asking_again_teaches_nothing(votes: bool) -> None:
    """The same answers ten times, every other time in the other order."""
    log = measured(8, 20, 3)
    log = log._replace(p=np.round(log.p)) if votes else log
    first, second, p, judge, weight = log
    turned = Comparisons(second, first, 1.0 - p, judge, weight)
    again = log
    for k in range(9):
        again = join(again, turned if k % 2 else log)
    once, often = published(log, 8), published(again, 8)
    assert often.mean == pytest.approx(once.mean, abs=1e-6)
    assert often.covariance.matrix() == pytest.approx(once.covariance.matrix(), abs=1e-6)


def test_other_judges_and_items_are_other_answers() -> None:
    first, second, p = np.zeros(4, np.int64), np.ones(4, np.int64), np.array([0.7, 0.8, 0.6, 0.9])
    log = once_each(first, second, p, np.array([0, 0, 1, 0]))
    assert shares(log, np.array([0, 0, 0, 1]), np.ones(2)).tolist() == [0.5, 0.5, 1.0, 1.0]


def test_relabelling_relabels() -> None:
    log, names = measured(7, 18, 5), np.random.default_rng(5).permutation(7)
    renamed = published(log._replace(first=names[log.first], second=names[log.second]), 7)
    plain = published(log, 7)
    assert renamed.mean[names] == pytest.approx(plain.mean, abs=1e-8)
    assert renamed.covariance.matrix()[np.ix_(names, names)] == pytest.approx(plain.covariance.matrix(), abs=1e-8)


@pytest.mark.parametrize("log", [measured(6, 9, 3), voted(6, 40, 3)], ids=["measured", "voted"])
def test_candidates_that_were_never_compared_tell_nothing(log: Comparisons) -> None:
    among_many = log._replace(first=3 * log.first + 1, second=3 * log.second + 1)
    few, many = (learn(each, one_item(each), model(n), 1)[0] for each, n in ((log, 6), (among_many, 20)))
    assert many.scale == pytest.approx(few.scale, rel=1e-6)
    assert many.noise == pytest.approx(few.noise, rel=1e-6)


def test_no_answer_leaves_the_prior() -> None:
    nothing = take(measured(4, 3, 0), slice(0))
    assert published(nothing, 4).mean.tolist() == [0.0] * 4
    (scale, (noise,), (votes,), _), _ = learn(nothing, one_item(nothing), model(4), 1)
    assert votes == 1.0
    assert [scale, noise] == pytest.approx([np.exp(-0.5), 1.0], rel=0.05)


def test_a_judge_known_less_than_another_is_looked_for_as_widely_as_it_is_known() -> None:
    rng, n, size = np.random.default_rng(3), 10, 300
    s, judge, first = rng.standard_normal(n), np.arange(size) % 2, rng.integers(n, size=size)
    second = (first + rng.integers(1, n, size=size)) % n
    y = s[first] - s[second] + np.array([0.5, 5.0])[judge] * rng.standard_normal(size)
    log = once_each(first, second, expit(np.clip(y, -7.9, 7.9)), judge)
    pooled = Hyperprior(Normal(0.0, 1.0), {0: Normal(-1.4, 0.3), 1: Normal(-1.0, 1.5)})
    model_of_two = build(LEARNT, n, 2)
    sigma2 = learn(log, one_item(log), model_of_two, 2, pooled)[0].noise
    other_way = Hyperprior(pooled.log_scale, {0: pooled.log_noise[1], 1: pooled.log_noise[0]})
    turned = learn(log._replace(judge=1 - judge), one_item(log), model_of_two, 2, other_way)[0].noise
    np.testing.assert_allclose(sigma2, turned[::-1], rtol=1e-6)
    assert 0.15 < sigma2[0] < 0.25
    assert 5.0 < sigma2[1] < 6.0


def test_an_answer_that_counts_for_nothing_teaches_nothing() -> None:
    first, second, p = np.array([0, 1, 0, 2]), np.array([1, 2, 2, 3]), np.array([0.9, 0.6, 0.3, 0.8])
    log = by_one_judge(first, second, p)._replace(weight=np.array([1.0, 0.0, 1.0, 2.0]))
    rest = take(log, log.weight > 0.0)
    of_all, of_rest = (learn(each, one_item(each), model(4), 1)[0] for each in (log, rest))
    np.testing.assert_allclose(of_all.noise, of_rest.noise, rtol=1e-3)
    np.testing.assert_allclose(of_all.scale, of_rest.scale, rtol=1e-3)


def test_a_firm_pool_decides() -> None:
    log, firm = measured(6, 6, 2), Hyperprior(Normal(np.log(4.0), 0.01), {0: Normal(np.log(0.5), 0.01)})
    (scale, (noise,), _, _), grid = learn(log, one_item(log), model(6), 1, firm)
    assert [scale, noise] == pytest.approx([4.0, 0.5], rel=0.02)
    assert len(grid.weight) == 1


def test_each_of_two_judges_has_its_own_noise() -> None:
    """60 answers of each on the same pairs of 20, seed 4."""
    sharp, blunt = measured(20, 150, 4, noise=0.05), measured(20, 150, 4, noise=3.0)
    log = join(sharp, blunt._replace(judge=np.ones(150, np.int64)))
    (_, noise, votes, _), _ = learn(log, one_item(log), model(20), 2)
    assert noise[0] < 0.2 < 1.5 < noise[1]
    assert votes[0] > 10 * votes[1]


def test_the_mixture_has_the_moments_and_intervals_of_its_draws() -> None:
    log = measured(5, 7, 8)
    posterior = published(log, 5)
    assert len(posterior.parts) > 10
    draws = _draws(posterior, 40_000)
    assert draws.mean(axis=0) == pytest.approx(posterior.mean, abs=0.03)
    centred = draws - draws.mean(axis=1, keepdims=True)
    assert centred.std(axis=0) == pytest.approx(relative_sd(posterior.covariance), rel=0.04)
    ends = np.quantile(centred, [0.05, 0.95], axis=0).T
    middle = posterior.mean - posterior.mean.mean()
    assert marginal_intervals(posterior, relative_sd(posterior.covariance), 0.9) - middle[:, None] == pytest.approx(
        ends - middle[:, None], abs=0.06
    )
    first = (draw_ranks(posterior, np.random.default_rng(2)) == 1).mean(axis=0)
    assert first == pytest.approx((draws.argmax(axis=1)[:, None] == np.arange(5)).mean(axis=0), abs=0.02)


def _draws(posterior: Scores, count: int) -> Floats:
    rng = np.random.default_rng(1)
    part = rng.choice(len(posterior.parts), count, p=[weight for weight, _ in posterior.parts])
    made = [rng.multivariate_normal(p.mean, p.covariance.matrix(), count) for _, p in posterior.parts]
    return np.array([made[g][k] for k, g in enumerate(part)])


def test_a_sharp_grid_is_the_fit_itself() -> None:
    log, firm = measured(6, 12, 2), Hyperprior(Normal(0.0, 0.01), {0: Normal(0.0, 0.01)})
    hyperparameters, grid = learn(log, one_item(log), model(6), 1, firm)
    with_weights = weighed(log, one_item(log), hyperparameters)
    fitted = fit(with_weights, at_scale(model(6), hyperparameters.scale))
    integrated = integrate(edges_of(with_weights, model(6)), model(6), grid, "laplace")
    assert integrated.mean == pytest.approx(fitted.mean, abs=1e-9)
    y, d = logit(log.p), fitted.mean[log.first] - fitted.mean[log.second]
    assert np.abs(y - d).max() < 3.0


def test_a_tie_of_a_judge_who_says_probabilities_is_a_measurement() -> None:
    log = measured(6, 12, 2)
    tied, next_to_it = (log._replace(p=np.append(log.p[:-1], p)) for p in (0.5, 0.5 + 1e-12))
    assert published(tied, 6).mean == pytest.approx(published(next_to_it, 6).mean, abs=1e-8)


# Many candidates


@pytest.mark.parametrize("position_bias", ["none", "closed-form"])
def test_the_evidence_by_quadrature_is_that_of_all_eigenvalues(
    monkeypatch: pytest.MonkeyPatch, position_bias: str
) -> None:
    """300 candidates; what is learnt moves by less than a tenth of what a vote more or less would move it."""
    comparisons, of = measured(300, 1500, seed=3, delta=0.4), model(300, position_bias)
    of = of if position_bias == "none" else of._replace(known_biases=np.full(1, 0.4))
    groups, scales, kappas = (
        measurements(comparisons, one_item(comparisons)),
        np.geomspace(0.01, 100, 9),
        np.ones(1),
    )
    exact, learnt = (
        groups.spectrum(np.ones(1500), of).log_evidence(scales[:, None] / kappas, kappas),
        learn_from(comparisons, of),
    )
    monkeypatch.setattr("app.inference.fitting.measurements.RANKED_DENSE", 100)
    by_quadrature = groups.spectrum(np.ones(1500), of).log_evidence(scales[:, None] / kappas, kappas)
    np.testing.assert_allclose(by_quadrature - by_quadrature[4], exact - exact[4], atol=2.0, rtol=0.02)
    np.testing.assert_allclose(learn_from(comparisons, of), learnt, atol=0.02)


def learn_from(comparisons: Comparisons, of: Model) -> Floats:
    """The logarithms of tau2 and sigma2."""
    hyperparameters, _ = learn(comparisons, one_item(comparisons), of, 1)
    return np.log([hyperparameters.scale, hyperparameters.noise[0]])


def repeated(n: int, pairs: int, seed: int) -> Comparisons:
    """Votes on pairs of which every third is judged three times."""
    rng, once = np.random.default_rng(seed), voted(n, pairs, seed, scale=2.0)
    log = take(once, np.arange(pairs).repeat(np.where(np.arange(pairs) % 3, 1, 3)))
    fresh = rng.random(log.size) < 0.3
    return log._replace(p=np.where(fresh, rng.integers(2, size=log.size), log.p))


def test_the_evidence_of_votes_by_quadrature_is_that_of_the_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    """300 candidates; the maximum in ln tau2 moves by less than .05 of its standard deviation."""
    comparisons, of = repeated(300, 1500, seed=2), model(300)
    log_scales = np.linspace(-0.4, 1.6, 9)

    def evidence() -> Floats:
        return log_evidence_of(edges_of(comparisons, of), of, np.exp(log_scales))

    exact, learnt = evidence(), learn(comparisons, one_item(comparisons), of, 1)[0]
    monkeypatch.setattr("app.inference.fitting.evidence.RANKED_DENSE", 100)
    by_quadrature = evidence()
    np.testing.assert_allclose(by_quadrature - by_quadrature[4], exact - exact[4], atol=0.5, rtol=0.02)
    (maximum, sd), (moved, _) = maximum_of(log_scales, exact), maximum_of(log_scales, by_quadrature)
    assert abs(moved - maximum) < 0.05 * sd
    without_factor, _ = learn(comparisons, one_item(comparisons), of, 1)
    assert abs(np.log(without_factor.scale / learnt.scale)) < 0.05 * sd
    assert 0.1 < learnt.repeat_correlation[0] < 0.9
    np.testing.assert_allclose(without_factor.repeat_correlation, learnt.repeat_correlation, atol=0.01)
    np.testing.assert_allclose(without_factor.votes, learnt.votes, atol=0.01)


def maximum_of(x: Floats, density: Floats) -> tuple[float, float]:
    """Where a parabola through the three highest is highest, and the standard deviation of that."""
    at = slice(density.argmax() - 1, density.argmax() + 2)
    square, slope, _ = np.polyfit(x[at], density[at], 2)
    return -0.5 * slope / square, (-2.0 * square) ** -0.5


def test_votes_of_so_many_that_no_matrix_is_made_are_learnt_from() -> None:
    n = 4_100
    log = repeated(n, 2 * n, seed=0)
    learnt, _ = learn(log, one_item(log), model(n), 1)
    assert 0.5 < learnt.scale < 3.0
    assert 0.1 < learnt.repeat_correlation[0] < 0.9


def test_quadrature_is_exact_for_polynomials_and_of_nothing_it_is_nothing() -> None:
    rng = np.random.default_rng(0)
    root = rng.standard_normal((60, 60))
    a, z = root @ root.T / 60.0, np.column_stack([rng.standard_normal((60, 2)), np.zeros(60)])
    nodes, weights = quadrature(lambda x: a @ x, z, steps=3)
    slow = [each @ np.linalg.matrix_power(a, 5) @ each for each in z.T]
    np.testing.assert_allclose((weights * nodes**5).sum(axis=1), slow, rtol=1e-9)


@pytest.mark.parametrize("n", [5, 80])
def test_a_failed_factorisation_is_a_result(n: int) -> None:
    """Weights beyond what the contract takes: the posterior has not converged, and goes on from there."""
    votes, of = voted(n, 200, seed=0), build(Method(), n)
    huge = votes._replace(weight=np.full(200, 1e30))
    failed = fit_rows(huge, of)
    assert not failed.convergence.converged
    assert log_evidence_of(edges_of(huge, of), of, np.ones(1))[0] < -1e20
    assert fold_rows(failed, join(votes, take(votes, slice(1)))).convergence.converged


def test_a_density_that_is_known_nowhere_leaves_the_mean_of_the_prior() -> None:
    mean, *_ = zoom(lambda x: np.full(len(x), -np.inf), [Normal(0.5, 2.0)], coarse=25, fine=1)
    assert mean == pytest.approx([0.5])


N, PAIRS, TIMES = 12, 60, 4
LEARNING = build(Method(verdict_weight="learnt"), N)
ITEM = np.zeros(PAIRS * TIMES, np.int64)


def votes(seed: int, *, fresh: bool) -> Comparisons:
    """TIMES votes of judge 1 on each of PAIRS pairs in one order, scores of variance 1; judge 0 says nothing."""
    rng = np.random.default_rng(seed)
    low, high = np.array(np.triu_indices(N, 1))[:, rng.permutation(N * (N - 1) // 2)[:PAIRS]]
    s, drawn = rng.standard_normal(N), rng.random((PAIRS, TIMES if fresh else 1))
    p = np.broadcast_to(drawn < expit(s[low] - s[high])[:, None], (PAIRS, TIMES)).astype(np.float64)
    return once_each(low.repeat(TIMES), high.repeat(TIMES), p.ravel(), np.ones(PAIRS * TIMES, np.int64))


def learnt_from(log: Comparisons) -> Hyperparameters:
    return learn(log, ITEM, LEARNING, 2)[0]


def test_votes_drawn_again_count_in_full_and_keep_the_scale() -> None:
    """240 votes on scores of variance 1 tell it within a factor of 2 (20 logs, seeds 0 to 19)."""
    all_learnt = [learnt_from(votes(seed, fresh=True)) for seed in range(20)]
    assert np.mean([each.repeat_correlation[1] for each in all_learnt]) < 0.1
    assert 0.5 < np.exp(np.mean([np.log(each.scale) for each in all_learnt])) < 2.0


@pytest.mark.parametrize("tied", [0.0, 0.2, 0.5, 0.8])
def test_ties_do_not_make_votes_that_are_drawn_anew_repeats(tied: float) -> None:
    """400 votes on 5 candidates as rows, against the same with a prompt each: scores are as spread (seeds 0 to 5)."""
    ratios = []
    for seed in range(6):
        rng, method = np.random.default_rng([3, seed]), Method(verdict_weight="learnt")
        s, first = 0.6 * rng.standard_normal(5), rng.integers(5, size=400)
        second = (first + rng.integers(1, 5, size=400)) % 5
        pi = expit(s[first] - s[second])
        is_tie = rng.random(400) < tied * 4.0 * pi * (1.0 - pi)
        log = by_one_judge(first, second, np.where(is_tie, 0.5, rng.random(400) < pi))
        rows, apart = (
            publish(log, item, no_absolute_scores(), method, 5, 1).scores.mean
            for item in (np.zeros(400, np.int64), np.arange(400))
        )
        ratios.append(rows.std() / apart.std())
    assert 0.9 < np.mean(ratios) < 1.1


def test_a_judge_who_repeats_itself_does_so_with_ties_too() -> None:
    rng = np.random.default_rng(1)
    s, first = rng.standard_normal(6), rng.integers(6, size=90)
    second = (first + rng.integers(1, 6, size=90)) % 6
    d = s[first] - s[second]
    log = by_one_judge(first, second, np.where(np.abs(d) < 0.6, 0.5, d > 0.0))
    learnt, _ = learn(log, np.zeros(90, np.int64), build(Method(verdict_weight="learnt"), 6), 1)
    assert learnt.repeat_correlation[0] == 1.0
