"""Rankings compared with the truth, and signs that they are right."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from app.inference.fitting import Scores
from app.inference.reporting import Table
from app.inference.types import Bools, Floats, Ints


class HeldInTruth(NamedTuple):
    """One ranking; the mean of many."""

    ranks: float  # whether all rank intervals hold at once
    stated: float  # P(best) of the leader
    so: float  # whether it is the best
    width: float  # worst rank minus best, mean of the candidates


def held(ranking: Table, rank: Ints, leader: int) -> HeldInTruth:
    """Args: `rank` (N,) are the true ones."""
    ranks, width = inside(rank, ranking.rank_interval).all(), np.diff(ranking.rank_interval, axis=1).mean()
    return HeldInTruth(float(ranks), float(ranking.p_best[leader]), float(rank[leader] == 1), float(width))


def inside(values: Floats | Ints, intervals: Floats | Ints) -> Bools:
    """(N,) of (N, 2) intervals."""
    return np.asarray((intervals[:, 0] <= values) & (values <= intervals[:, 1]))


def differences(scores: Scores) -> tuple[Floats, Floats]:
    """(K,) means and variances of s_i - s_j, i < j."""
    i, j = np.triu_indices(len(scores.mean), 1)
    sigma = scores.covariance.matrix()
    return scores.mean[i] - scores.mean[j], sigma[i, i] + sigma[j, j] - 2.0 * sigma[i, j]


def differences_held(scores: Scores, truth: Floats) -> float:
    """Share of the central 95% intervals of differences, of a mixture its own, that hold what is so."""
    i, j = np.triu_indices(len(truth), 1)
    below = np.zeros(len(i))
    for weight, part in scores.parts or ((1.0, scores),):
        mean, variance = differences(part)
        below += weight * ndtr((truth[i] - truth[j] - mean) / np.sqrt(variance))
    return float((np.abs(below - 0.5) <= 0.475).mean())


def auroc(sign: Floats, quality: Floats) -> float:
    """AUROC of (C,) signs that a quality is above the median; equal signs count half, NaN where all are alike."""
    good = quality > np.median(quality)
    margin = sign[good][:, None] - sign[~good]
    return float(np.mean((np.sign(margin) + 1.0) / 2.0)) if margin.size else float("nan")
