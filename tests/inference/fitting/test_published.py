"""What is published of clean logs, of rows that round badly, and where learning fails."""

import numpy as np
import pytest
from scipy.special import expit

from app.inference.core.cells import Hyperparameters
from app.inference.experts import measured_bt
from app.inference.fitting import covariates, posterior
from app.inference.fitting.absolute import no_absolute_scores
from app.inference.fitting.model import Method, build, unit_prior
from app.inference.fitting.published import Published, publish
from app.inference.fitting.weights import Grid, Learnt
from app.inference.types import Comparisons, Outcome, once_each
from tests.inference.factories import gradient, random_comparisons, true_scores

LEARNT = Method(verdict_weight="learnt", position_bias="auto")


def published_of(log: Comparisons, n: int, method: Method = LEARNT) -> Published:
    return publish(log, np.zeros(log.size, np.int64), no_absolute_scores(), method, n, int(log.judge.max()) + 1)


def clean(n: int, count: int, sd: float) -> Comparisons:
    """Verdicts p = sigma(s_i - s_j) of one judge."""
    rng, scores = np.random.default_rng(n + count), sd * true_scores(n, seed=0)
    first = rng.integers(n, size=count)
    second = (first + rng.integers(1, n, size=count)) % n
    return once_each(first, second, expit(scores[first] - scores[second]), np.zeros(count, np.int64))


@pytest.mark.parametrize(("n", "count", "sd"), [(60, 2000, 1.0), (400, 20_000, 2.0), (500, 5000, 1.0)])
def test_a_clean_log_has_a_ranking_within_few_steps(n: int, count: int, sd: float) -> None:
    fitted = published_of(clean(n, count, sd), n)

    assert fitted.posterior.convergence.outcome is Outcome.CONVERGED
    assert fitted.posterior.convergence.iterations < 15
    assert np.corrcoef(fitted.scores.mean, true_scores(n, seed=0))[0, 1] > 0.999  # y is clipped


@pytest.mark.parametrize("seed", range(40))
def test_rows_that_round_badly_converge(seed: int) -> None:
    """Weights of a million, priors from narrow to vague, biases and islands: no step is left that is worth taking."""
    rng = np.random.default_rng(seed)
    n, judges, weight, tau2 = (int(rng.choice(of)) for of in ((3, 30, 90), (1, 6), (1000, 1_000_000), (1, 16, 1000)))
    log = random_comparisons(n, 3 * n, seed, hard=bool(seed % 2))
    inside = (log.first < n // 2) == (log.second < n // 2)
    keep = inside if seed % 3 == 0 and inside.any() else np.ones_like(inside)
    first, second, p = log.first[keep], log.second[keep], log.p[keep]
    judge = rng.integers(judges, size=len(p))
    comparisons = Comparisons(first, second, p, judge, np.full(len(p), float(weight)))
    m = build(Method(), n, judges, np.full(judges, seed % 4 > 1))._replace(expert=measured_bt())
    m = m._replace(prior=unit_prior(n, float(tau2), m.prior.precision[n:]))

    fitted = posterior.fit(comparisons, m)

    g = gradient(fitted.mean, comparisons, m)
    step = np.linalg.solve(fitted.edges.design.precision(fitted.weights, m.prior.precision), g)
    assert fitted.convergence.converged
    assert g @ step <= 1e-8


def test_where_learnt_weights_give_no_fit_one_vote_each_serves_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    n, log = 70, clean(70, 700, 1.0)
    lost = Hyperparameters(1.0, np.full(1, np.nan), np.ones(1), np.ones(1))
    sharp = Grid(np.ones(1), np.ones(1), np.ones(1))
    monkeypatch.setattr(covariates, "learn", lambda *_: Learnt(lost, sharp))

    fitted, plain = published_of(log, n), published_of(log, n, LEARNT._replace(verdict_weight="one-vote"))

    assert fitted.posterior.convergence.outcome is Outcome.UNLEARNT
    assert fitted.posterior.convergence.converged
    assert fitted.learnt is None
    np.testing.assert_array_equal(fitted.scores.mean, plain.scores.mean)
