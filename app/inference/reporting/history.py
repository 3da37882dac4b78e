"""The way a ranking settled: the posterior refitted to the first comparisons of a log, more and more of them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from app.inference.fitting.model import Model
from app.inference.fitting.posterior import fit, scores
from app.inference.kernels.pair_sets import matching
from app.inference.reporting.ranking import entropy
from app.inference.reporting.sureness import PairsOf, all_pairs, concordance
from app.inference.targets.drawing import ROUNDING
from app.inference.types import Comparisons, Floats, take

MOMENTS = 12


class Moment(NamedTuple):
    """State of knowledge after the first `comparisons` of a log."""

    comparisons: int
    entropy: float  # nats
    concordance: float  # expected share of the pairs in the right order
    rank_correlation: float  # of the scores then with the scores now


def ranking_history(comparisons: Comparisons, model: Model, pairs_of: PairsOf = all_pairs) -> list[Moment]:
    """Evenly spaced moments, the last of which is now; none before the first comparison."""
    counts = np.unique(np.ceil(np.linspace(0.0, comparisons.size, MOMENTS + 1)))[1:].astype(int).tolist()
    beginnings = [take(comparisons, slice(count)) for count in counts]
    posteriors = [scores(fit(beginning, model), beginning, model) for beginning in beginnings]
    entropies = [entropy(posterior.covariance) for posterior in posteriors]
    concordances = [concordance(posterior, matching(pairs_of(posterior.mean))) for posterior in posteriors]
    correlations = rank_correlations_with_last([posterior.mean for posterior in posteriors])
    return [Moment(*each) for each in zip(counts, entropies, concordances, correlations, strict=True)]


def rank_correlations_with_last(scores_over_time: Sequence[Floats]) -> list[float]:
    """Spearman's correlation of each (N,) scores with the last ones: 1 where the order is already the final one.

    Scores equal to nine decimals share their average rank; the correlation with or of constant scores is 0.
    """
    centred = [
        np.asarray(rankdata(np.round(each, ROUNDING)) - 0.5 * (len(each) + 1), np.float64) for each in scores_over_time
    ]
    return [_correlation(each, centred[-1]) for each in centred]


def _correlation(x: Floats, y: Floats) -> float:
    """Pearson's, of centred values; 0 where either is constant."""
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / scale if scale else 0.0
