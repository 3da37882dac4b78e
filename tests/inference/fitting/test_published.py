"""What is published of clean logs, of rows that round badly, and where learning fails."""

import numpy as np
import pytest
from scipy.special import expit

from app.inference.core.cells import Hyperparameters
from app.inference.fitting import published
from app.inference.fitting.absolute import no_absolute_scores
from app.inference.fitting.model import Method
from app.inference.fitting.published import Published, publish
from app.inference.fitting.weights import Grid
from app.inference.types import Comparisons, Outcome, once_each
from tests.inference.factories import true_scores

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


def test_where_learnt_weights_give_no_fit_one_vote_each_serves_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    n, log = 70, clean(70, 700, 1.0)
    lost = Hyperparameters(1.0, np.full(1, np.nan), np.ones(1), np.ones(1))
    sharp = Grid(np.ones(1), np.ones(1), np.ones(1))
    monkeypatch.setattr(published, "learn", lambda *_: (lost, sharp))

    fitted, plain = published_of(log, n), published_of(log, n, LEARNT._replace(verdict_weight="one-vote"))

    assert fitted.posterior.convergence.outcome is Outcome.UNLEARNT
    assert fitted.posterior.convergence.converged
    assert fitted.learnt is None
    np.testing.assert_array_equal(fitted.scores.mean, plain.scores.mean)
