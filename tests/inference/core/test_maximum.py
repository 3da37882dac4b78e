"""The maximum, and that it says when it has it."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from app.inference.core import maximum
from app.inference.core.maximum import ENOUGH, MAX_ITERATIONS, newton_step
from app.inference.experts import MEASURED_BT
from app.inference.fitting import Method, no_absolute_scores
from app.inference.fitting.model import Model, rows_of
from app.inference.fitting.posterior import map_of as map_of_edges
from app.inference.fitting.published import publish
from app.inference.types import Comparisons, Floats, Outcome
from tests.inference.factories import gradient, map_of, model, precision_at, random_precision

HOSTILE = 1_500


def bowl(x: Floats) -> tuple[Floats, Floats]:
    """Of -sum cosh(x - c): H is cosh(x - c)."""
    centre = np.array([0.3, -0.2])
    return -np.sinh(x - centre), np.cosh(x - centre)


def test_it_is_found_from_far_away() -> None:
    x, _, convergence = maximum.maximum(bowl, lambda w, g: g / w, np.array([30.0, -25.0]))

    np.testing.assert_allclose(x, [0.3, -0.2], atol=1e-12)
    assert convergence.converged


def test_steps_that_lead_nowhere_are_no_maximum() -> None:
    _, _, convergence = maximum.maximum(bowl, lambda w, g: -g / w, np.zeros(2))

    assert (convergence.outcome, convergence.iterations) == (Outcome.MAX_ITERATIONS, MAX_ITERATIONS)


def test_what_is_not_finite_is_said() -> None:
    _, _, convergence = maximum.maximum(lambda x: (x + np.nan, x), lambda _, g: g, np.zeros(2))

    assert convergence.outcome is Outcome.NOT_FINITE


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_step_is_the_more_exact_the_nearer_the_maximum_is(scale: float) -> None:
    """To a tenth far away, and within what is wanted in the end."""
    h = random_precision(80, seed=0)
    g: Floats = scale * np.random.default_rng(1).standard_normal(80)

    x = newton_step(lambda x: h @ x, lambda r: r / h.diagonal(), g, 1e-9)

    left = np.sqrt((h @ x - g) @ np.linalg.solve(h, h @ x - g))
    decrement = float(np.sqrt(g @ np.linalg.solve(h, g)))
    assert left <= 3.0 * min(0.1 * decrement, max(decrement**2, 1e-9))


def test_columns_are_solved_together() -> None:
    h, b = random_precision(50, seed=2), np.random.default_rng(3).standard_normal((50, 4))
    b[:, 2] = 0.0

    x = maximum.conjugate_gradients(lambda x: h @ x, lambda r: r, b, lambda r, _: bool(np.abs(r).max() < 1e-10), 500)

    np.testing.assert_allclose(x, np.linalg.solve(h, b), atol=1e-9)


def hostile(rng: np.random.Generator) -> tuple[Comparisons, Model]:
    """Islands, separation, weights of a million, vague priors, biased judges; exact, rounded or drawn answers."""
    n, judges = int(rng.choice([2, 3, 8, 30, 90])), int(rng.choice([1, 6]))
    count, heavy = int(n * rng.choice([1, 3, 20])), float(rng.choice([1.0, 1e3, 1e6]))
    s, first = rng.normal(size=n) * rng.choice([0.1, 1.0, 5.0]), rng.integers(n, size=count)
    second = (first + rng.integers(1, n, size=count)) % n
    p, kind = expit(s[first] - s[second]), rng.integers(4)
    p = [p, np.round(p, 3), (p > 0.5).astype(float), (rng.random(count) < p).astype(float)][kind]
    weight = heavy * np.exp(3.0 * rng.standard_normal(judges))
    judge = rng.integers(judges, size=count)
    m = model(n, float(rng.choice([1e-3, 1.0, 16.0, 1e3, 1e6])), biases=judges * int(rng.integers(2)))
    kept = (first < n // 2) == (second < n // 2) if rng.random() < 0.3 else np.ones(count, np.bool_)
    log = Comparisons(first, second, p, judge, weight[judge])
    return Comparisons(*(column[kept] for column in log)), m._replace(expert=MEASURED_BT)


def test_every_hostile_log_converges() -> None:
    rng = np.random.default_rng(1)
    for _ in range(HOSTILE):
        log, m = hostile(rng)
        assert map_of_edges(rows_of(log, m), m).convergence.converged


def test_where_it_converged_a_newton_step_would_move_nothing() -> None:
    rng = np.random.default_rng(2)
    for _ in range(60):
        log, m = hostile(rng)
        theta, convergence, _ = map_of(log, m)
        g, h = gradient(theta, log, m), precision_at(theta, log, m)
        assert convergence.converged
        assert g @ np.linalg.solve(h, g) <= ENOUGH**2


@pytest.mark.parametrize("name", ["not-converged-plain.csv", "t_newitems_500_10000.csv"])
def test_files_that_never_converged_do(shared_cases: Path, name: str) -> None:
    with (shared_cases / "fits" / name).open() as file:
        rows = list(csv.DictReader(file))
    ends = [[row[column] for row in rows] for column in ("first", "second")]
    _, place = np.unique(np.concatenate(ends), return_inverse=True)
    first, second = place.reshape(2, -1)
    judge, item = (
        np.unique([row.get(column, "") for row in rows], return_inverse=True)[1] for column in ("judge", "item")
    )
    log = Comparisons(first, second, np.array([float(row["p_first"]) for row in rows]), judge, np.ones(len(rows)))
    method = Method(verdict_weight="learnt", position_bias="auto")

    fitted = publish(log, item, no_absolute_scores(), method, int(place.max()) + 1, int(judge.max()) + 1)

    assert fitted.posterior.convergence.outcome is Outcome.CONVERGED
