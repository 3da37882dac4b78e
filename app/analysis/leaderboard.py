"""Rankings of the same candidates by several criteria, side by side: GET leaderboard, and `nextpair rank A B`.

    weighted win rate = sum_k w_k W_k,   its interval = sum_k w_k (low_k, high_k),   sum_k w_k = 1

The sd of a sum is at most the sum of the sds, so this interval is wide enough whatever the criteria have in common.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import inf, isfinite
from typing import NamedTuple

from nextpair.schemas import Leaderboard, LeaderboardCriterion, LeaderboardRow, Place, Rank, Ranking, Weighted

from app.analysis.judged import Impossible
from app.sentences import leaderboards as sentences


class RankedCriterion(NamedTuple):
    """A ranking and what it is called."""

    name: str
    attribute: str | None
    ranking: Ranking


def weights_of(texts: Iterable[str]) -> dict[str, float]:
    """Weights by name, of texts NAME=NUMBER; the name may hold `=`. Raises Impossible."""
    weights = dict[str, float]()
    for text in texts:
        name, _, number = text.rpartition("=")
        try:
            weight = float(number)
        except ValueError:
            raise Impossible("weight", f"{text!r} is not NAME=NUMBER, as in Clarity=2") from None
        if name in weights:
            raise Impossible("weight", f"{name!r} has two weights; give it one")
        weights[name] = weight
    return weights


def leaderboard(
    criteria: Sequence[RankedCriterion], weights: Mapping[str, float] = {}, project: str | None = None
) -> Leaderboard:
    """Every candidate of any criterion: by the weighted win rate, without weights as the first criterion ranks.

    `weights` are by name, and scaled to sum to 1. Raises Impossible for one that names no criterion, or several.
    """
    weights = _normalised(weights, [each.name for each in criteria])
    by_key = [{row.key: row for row in each.ranking.ranking} for each in criteria]
    keys = dict.fromkeys(key for ranked in by_key for key in ranked)
    shares = [weights.get(each.name, 0.0) for each in criteria]
    rows = [_row(key, [ranked.get(key) for ranked in by_key], shares) for key in keys]
    if weights:
        rows.sort(key=lambda row: -row.weighted.win_rate if row.weighted else inf)
    return Leaderboard(
        project=project,
        criteria=[_presented(each) for each in criteria],
        weights=weights or None,
        first_place=_first_place(criteria, shares, rows),
        sentence=sentences.order(
            "set" if project else "file",
            [each.name for each in criteria],
            weights,
            len(rows),
            sum(None in row.places for row in rows),
        ),
        rows=rows,
    )


def _first_place(criteria: Sequence[RankedCriterion], shares: Sequence[float], rows: Sequence[LeaderboardRow]) -> str:
    if not any(shares):
        name, _, ranking = criteria[0]
        return sentences.first_of_one(name, ranking.first_place, len(criteria))
    unclear = [
        each.name for share, each in zip(shares, criteria, strict=True) if share and not each.ranking.signal.claimed
    ]
    return sentences.first_place([(row.key, row.weighted) for row in rows if row.weighted], unclear)


def _normalised(weights: Mapping[str, float], names: Sequence[str]) -> dict[str, float]:
    for name, weight in weights.items():
        if names.count(name) != 1:
            fault = "no criterion" if name not in names else f"{names.count(name)} criteria"
            raise Impossible("weight", f"{fault} of the name {name!r}; there are {', '.join(map(repr, names))}")
        if not (isfinite(weight) and weight > 0.0):
            raise Impossible("weight", f"{name!r} has the weight {weight:g}; give a number above 0, or omit it")
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}


def _row(key: str, ranks: Sequence[Rank | None], shares: Sequence[float]) -> LeaderboardRow:
    places = [_place(rank) if rank else None for rank in ranks]
    counting = [(share, place) for share, place in zip(shares, places, strict=True) if share > 0.0]
    return LeaderboardRow(key=key, places=places, weighted=_weighted(counting) if counting else None)


def _place(rank: Rank) -> Place:
    return Place(**{field: getattr(rank, field) for field in Place.model_fields})


def _weighted(places: Sequence[tuple[float, Place | None]]) -> Weighted | None:
    mean = low = high = 0.0
    for share, place in places:
        if place is None or place.win_rate is None or place.win_rate_interval is None:
            return None
        mean += share * place.win_rate
        low += share * place.win_rate_interval[0]
        high += share * place.win_rate_interval[1]
    return Weighted(win_rate=mean, interval=(low, high))


def _presented(criterion: RankedCriterion) -> LeaderboardCriterion:
    name, attribute, ranking = criterion
    return LeaderboardCriterion(
        set_id=ranking.set_id,
        name=name,
        attribute=attribute,
        version=ranking.version,
        newer_version=ranking.newer_version,
        comparisons=ranking.comparisons,
        inference_target=ranking.inference_target,
    )
