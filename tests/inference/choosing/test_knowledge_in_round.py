"""What a verdict adds where the round of all pairs is ranked, by judges of whom each may be asked about every pair."""

import numpy as np
import pytest
from scipy.special import expit

from app.inference.choosing import RANKING, of_mask
from app.inference.choosing.goals import goal_kinds
from app.inference.choosing.knowledge import Questions, answered_in, best_gains_in_round
from app.inference.fitting.model import Method, build
from app.inference.gaussian import plain
from app.inference.types import Floats, by_one_judge

N = 4
FIRST, SECOND, P = np.array([0, 1, 1, 2]), np.array([1, 0, 2, 3]), np.array([1.0, 0.0, 0.5, 1.0])


def test_a_question_is_answered_once() -> None:
    comparisons = by_one_judge(FIRST, SECOND, P)
    answered = answered_in(comparisons, Questions(np.array([0, 0, 1, 1]), 2), N)
    share = np.zeros((N, N))
    share[[0, 1, 2], [1, 2, 3]] = 0.5
    np.testing.assert_array_equal(answered.share, share + share.T)
    np.testing.assert_array_equal(answered.verdict[[0, 1, 1, 2], [1, 0, 2, 1]], [1.0, 0.0, 0.5, 0.5])


@pytest.mark.parametrize("votes", [1.0, 50.0])
def test_what_is_open_moves_with_the_scores_and_what_is_answered_does_not(votes: float) -> None:
    """Slow formula: the wins of a candidate whose score, with those of all others, moves by Sigma r times little.

    A gain far below the differences grows faster than the move, whose own error is 3%: that of the curvature at v = 0.
    """
    rng, model = np.random.default_rng(3), build(Method(), N, 1)._replace(votes=votes)
    root = rng.standard_normal((N, N))
    sigma, mean = 0.01 * (root @ root.T + np.eye(N)), rng.standard_normal(N)
    comparisons = by_one_judge(FIRST, SECOND, P)
    answered, little = answered_in(comparisons, Questions(np.array([0, 0, 1, 1]), 2), N), 1e-6

    def wins(s: Floats) -> Floats:
        variance = sigma.diagonal()[:, None] + sigma.diagonal() - 2.0 * sigma
        expected = expit((s[:, None] - s) / np.sqrt(1.0 + np.pi / 8.0 * variance))
        of_pairs = answered.share * answered.verdict + (1.0 - answered.share) * expected
        return np.asarray(of_pairs.sum(axis=1) - of_pairs.diagonal())

    open_pairs = of_mask(np.triu(np.ones((N, N), np.bool_), 1))
    i, j, gained = best_gains_in_round(
        open_pairs, mean, plain(sigma, 0.0), model, goal_kinds(RANKING, mean), answered, 1.0
    )
    expected = []
    for a, b in zip(i, j, strict=True):
        r = np.eye(N)[a] - np.eye(N)[b]
        move = (wins(mean + little * sigma @ r) - wins(mean)) / little + r / (2 * votes)
        v, p = r @ sigma @ r, expit((mean[a] - mean[b]) / np.sqrt(1.0 + np.pi / 8.0 * (r @ sigma @ r)))
        weight = votes * p * (1.0 - p)
        u = move * np.sqrt(weight / (1.0 + weight * v))
        apart, m = np.abs(u[:, None] - u), np.abs(wins(mean)[:, None] - wins(mean))
        draws = np.random.default_rng(0).standard_normal(200_000)
        pairs = [(k, low) for k in range(N) for low in range(k)]
        expected.append(sum(np.abs(m[at] + apart[at] * draws).mean() - m[at] for at in pairs))
    np.testing.assert_allclose(gained, expected, rtol=0.15)


def test_judge_of_many_votes_is_asked_about_an_unknown_candidate_first() -> None:
    """Three candidates are known well, the last one not at all; a verdict of theirs would add next to nothing."""
    sigma, mean = np.diag([1e-3, 1e-3, 1e-3, 4.0]), np.array([0.3, 0.0, -0.3, 0.0])
    open_pairs = of_mask(np.triu(np.ones((N, N), np.bool_), 1))
    nothing = answered_in(by_one_judge(FIRST[:0], SECOND[:0], P[:0]), Questions(np.empty(0, np.int64), 1), N)
    for votes in (1.0, 1000.0):
        model = build(Method(), N, 1)._replace(votes=votes)
        i, j, gained = best_gains_in_round(
            open_pairs, mean, plain(sigma, 0.0), model, goal_kinds(RANKING, mean), nothing, 1.0
        )
        assert 3 in (i[gained.argmax()], j[gained.argmax()])
