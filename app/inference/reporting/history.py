"""The way a ranking settled: what was ranked after the first comparisons of a log, more and more of them."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from app.inference.kernels.pair_sets import matching
from app.inference.reporting.drawn_ranking import ranks_of, shares_in_order
from app.inference.reporting.ranking import entropy, ranks
from app.inference.reporting.sureness import PairsOf, all_pairs, concordance
from app.inference.targets import Quantity, WinRates
from app.inference.targets.drawing import ROUNDING
from app.inference.types import Floats


class HistoryPoint(NamedTuple):
    """State of knowledge after the first `comparisons` of a log."""

    comparisons: int
    entropy: float  # nats
    concordance: float  # expected share of the pairs in the right order
    rank_correlation: float  # of the scores then with the scores now


def ranking_history(
    size: int, moments: int, ranked_after: Callable[[int], Quantity | None], pairs_of: PairsOf = all_pairs
) -> list[HistoryPoint]:
    """Evenly spaced moments of a log of `size` comparisons, the last of which is now; none before the first comparison.

    Args: `ranked_after` tells what was ranked after the first so many comparisons. None leaves a moment out, or, of all
        comparisons, the history.
    """
    counts = np.unique(np.ceil(np.linspace(0.0, size, moments + 1)))[1:].astype(int).tolist()
    ranked = [(count, quantity) for count in counts if (quantity := ranked_after(count)) is not None]
    if not ranked or ranked[-1][0] < size:
        return []
    correlations = rank_correlations_with_last([quantity.mean for _, quantity in ranked])
    return [
        HistoryPoint(count, _entropy(quantity), _concordance(quantity, pairs_of), correlation)
        for (count, quantity), correlation in zip(ranked, correlations, strict=True)
    ]


def _entropy(quantity: Quantity) -> float:
    scores = quantity.scores if isinstance(quantity, WinRates) else quantity
    return entropy(scores.covariance)


def _concordance(quantity: Quantity, pairs_of: PairsOf) -> float:
    """That of the ranking (`summary_of`), without the rest of it."""
    pairs = matching(pairs_of(quantity.mean))
    if not isinstance(quantity, WinRates):
        return float(concordance(quantity, pairs))
    return float(shares_in_order(ranks(quantity.mean), ranks_of(quantity.values), pairs).mean())


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
