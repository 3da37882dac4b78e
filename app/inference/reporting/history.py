"""The way a ranking converged: what was ranked after the first comparisons of a log, more and more of them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from app.inference.gaussian import Scores
from app.inference.kernels.pair_sets import matching
from app.inference.reporting.confidence import PairsOf, all_pairs, concordance, shares_in_order
from app.inference.reporting.drawn_ranking import ranks_of
from app.inference.reporting.ranking import entropy, ranks
from app.inference.targets import Quantity, WinRates, drawn_values, is_drawn, ranked_by
from app.inference.targets.drawing import ROUNDING
from app.inference.types import Floats, Ints


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
    now = ranked_by(ranked[-1][1])
    return [
        HistoryPoint(count, _entropy(then), _concordance(then, pairs_of), rank_correlation(ranked_by(then), now))
        for count, then in ranked
    ]


def _entropy(quantity: Quantity) -> float:
    scores = quantity.scores if isinstance(quantity, WinRates) else quantity
    return entropy(scores.covariance)


def _concordance(quantity: Quantity, pairs_of: PairsOf) -> float:
    """That of the ranking (`summary_of`), without the rest of it."""
    order = ranked_by(quantity)
    pairs = matching(pairs_of(order))
    if is_drawn(quantity):
        return float(shares_in_order(ranks(order), ranks_of(drawn_values(quantity)), pairs).mean())
    assert isinstance(quantity, Scores)
    return float(concordance(quantity, pairs))


def rank_correlation(one: Floats | Ints, other: Floats | Ints) -> float:
    """Spearman's correlation of two (N,) scores: 1 where their order is the same, 0 where either is constant.

    Scores equal to nine decimals share their average rank.
    """
    x, y = (_place(np.round(each, ROUNDING).astype(np.float64)) for each in (one, other))
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / scale if scale else 0.0


def _place(values: Floats) -> Ints:
    """(N,) twice the average rank, less its mean."""
    from_lowest, from_highest = ranks_of(np.array([-values, values]))
    return np.asarray(from_lowest - from_highest)
