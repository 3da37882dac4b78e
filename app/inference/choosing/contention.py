"""The pair for the contenders for a place among the first k (top-two sampling, Russo 2016; ours for k > 1).

    C_ij = P(i is in, j is out) P(j is in, i is out)        by draws of the posterior N(mu, Sigma)

The pair of the largest C is that of the two likeliest to change places; for k = 1, of the two likeliest winners. So
winners meet winners, and a consistent judge needs little more than the N - 1 comparisons that any tournament takes
(decision 70). Pairs of C = 0 do not contend. Only SMALL candidates are looked at, who are in front at mean + sd.
"""

from typing import NamedTuple

import numpy as np

from app.inference.gaussian import Covariance
from app.inference.kernels.pair_sets import PairSet, within
from app.inference.regimes import SMALL
from app.inference.types import Chance, Floats, Ints

DRAWS = 400
SEEDS = 2**62


class Contended(NamedTuple):
    """The open pair that contends most, i < j."""

    i: int
    j: int
    contention: float  # C


def most_contended(open_pairs: PairSet, mean: Floats, sigma: Covariance, k: int, rng: Chance) -> Contended | None:
    """None where no open pair contends."""
    who = _in_front(mean, sigma, k)
    first, second = within(open_pairs, who)
    if not len(first):
        return None
    contention = contentions(mean[who], sigma.matrix()[np.ix_(who, who)], k, rng)[first, second]
    at = int(np.argmax(contention))
    if contention[at] == 0.0:
        return None
    return Contended(int(who[first[at]]), int(who[second[at]]), float(contention[at]))


def contentions(mean: Floats, sigma: Floats, k: int, rng: Chance) -> Floats:
    """(N, N) C of all pairs of N candidates."""
    noise = np.random.default_rng(rng.integers(SEEDS)).standard_normal((DRAWS, len(mean)))
    scores = mean + noise @ np.linalg.cholesky(sigma).T
    is_in = np.zeros_like(scores)
    np.put_along_axis(is_in, np.argpartition(-scores, k - 1, axis=1)[:, :k], 1.0, axis=1)
    takes_place = is_in.T @ (1.0 - is_in) / DRAWS
    return np.asarray(takes_place * takes_place.T)


def _in_front(mean: Floats, sigma: Covariance, k: int) -> Ints:
    """Candidates that may be in question, ascending."""
    reach = mean + np.sqrt(sigma.diagonal)
    return np.sort(np.argsort(-reach, kind="stable")[: max(SMALL, 2 * k)])
