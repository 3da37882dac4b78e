"""How many comparisons a set will take, before its first one: looked up in simulations of sets (estimate_table.py).

The table has the 10%, 50% and 90% quantiles of the comparisons that simulated sets took, infinite where they did not
get there. `python -m benchmarks.studies.estimates` makes it and says what it assumes. Between its rows, of a count n:

    candidates N, prompts M    log n is linear in log N and in log M; beyond the table n grows as N, and not with M
    top k                      log n is linear in log min(k, N - k), from 1 to N / 4, and stays beyond
    concordance c              log n is linear in logit c, also above the table; below it n is that of its lowest c

The number of prompts limits what can be known of others like them: more comparisons on the same prompts do not replace
prompts. So a set of systems may never get there, however many comparisons it makes.
"""

from bisect import bisect_right
from collections.abc import Sequence
from math import exp, inf, isinf, log
from typing import Literal, NamedTuple

from app.analysis.estimate_table import LEVELS, TABLE
from app.inference.choosing import RANKING, Goal

KNOWN = 0.95  # of the order of all: the expected share of pairs in order that stands for knowing it
Judge = Literal["votes", "probabilities"]
Figures = Sequence[float]  # 10%, 50% and 90%
Aim = Literal["ranking", "best", "quarter", "against", "pair"]


class EstimateRequest(NamedTuple):
    """A set before its first comparison."""

    candidates: int
    prompts: int = 0  # 0 for texts
    judge: Judge = "probabilities"
    goal: Goal = RANKING
    concordance: float | None = None  # expected share of the goal's pairs in order; None: 95%, of a goal its confidence


class Estimate(NamedTuple):
    """Comparisons that 8 of 10 such sets take; None where more than a half, or the last of ten, never gets there."""

    low: int | None
    median: int | None
    high: int | None


def estimate(request: EstimateRequest) -> Estimate:
    """Raises ValueError for fewer than two candidates."""
    n, k = request.candidates, request.goal.top_k
    if n < 2:
        raise ValueError("a comparison needs two candidates")
    most: float = max(request.prompts, 1) * n * (n - 1)  # each pair in both orders
    if request.goal.pair is not None or n == 2:
        figures = _of_candidates(request, "pair", 2)
        most = max(request.prompts, 1) * 2
    elif request.goal.against is not None:
        figures = _of_candidates(request, "against", n)
    elif k is not None and k < n:
        figures = _of_top_k(request, min(k, n - k), n)
    else:
        figures = _of_candidates(request, "ranking", n)
    if request.judge == "votes" and not request.prompts:
        most = inf  # people may judge a pair again
    return Estimate(*(None if isinf(figure) else max(1, round(min(figure, most))) for figure in sorted(figures)))


def reachable_concordance(request: EstimateRequest) -> float | None:
    """The highest of LEVELS that nine such sets in ten reach; None where they reach none."""
    levels = (request._replace(concordance=level) for level in reversed(LEVELS))
    return next((each.concordance for each in levels if estimate(each).high is not None), None)


def _of_top_k(request: EstimateRequest, k: int, n: int) -> Figures:
    best = _of_candidates(request, "best", n)
    if k == 1 or request.prompts or n < 8:
        return best
    share = min(log(k) / log(max(n / 4, 2)), 1.0)
    return _all_between(best, _of_candidates(request, "quarter", n), share)


def _of_candidates(request: EstimateRequest, aim: Aim, n: int) -> Figures:
    """The figures of so many candidates, from the rows of fewer and of more."""
    sizes = sorted({cell[2] for cell in TABLE if cell[3] == aim and bool(cell[1]) == bool(request.prompts)})
    if n > sizes[-1]:
        return [figure * n / sizes[-1] for figure in _of_prompts(request, aim, sizes[-1])]
    low, high, share = _neighbours(sizes, n)
    return _all_between(_of_prompts(request, aim, low), _of_prompts(request, aim, high), share)


def _of_prompts(request: EstimateRequest, aim: Aim, n: int) -> Figures:
    if not request.prompts:
        return _at_level(TABLE[request.judge, 0, n, aim], _level(request, aim))
    sizes = sorted({cell[1] for cell in TABLE if cell[1] and cell[2:] == (n, aim)})
    low, high, share = _neighbours(sizes, request.prompts)
    fewer, more = (_at_level(TABLE[request.judge, prompts, n, aim], _level(request, aim)) for prompts in (low, high))
    return _all_between(fewer, more, share)


def _level(request: EstimateRequest, aim: Aim) -> float | None:
    return KNOWN if request.concordance is None and aim == "ranking" else request.concordance


def _at_level(row: Sequence[Figures], concordance: float | None) -> Figures:
    """Args: row (1 + levels, 3), with the goal known first."""
    if concordance is None:
        return row[0]
    logits = [_logit(level) for level in LEVELS]
    logit = max(_logit(concordance), logits[0])
    place = min(bisect_right(logits, logit), len(logits) - 1)
    share = (logit - logits[place - 1]) / (logits[place] - logits[place - 1])
    return _all_between(row[place], row[place + 1], share)


def _neighbours(sizes: Sequence[int], size: int) -> tuple[int, int, float]:
    """The sizes below and above, and how far it is on the way between their logarithms; the last one beyond."""
    size = min(max(size, sizes[0]), sizes[-1])
    high = next(each for each in sizes if each >= size)
    low = max((each for each in sizes if each <= size), default=high)
    return low, high, 0.0 if low == high else log(size / low) / log(high / low)


def _all_between(low: Figures, high: Figures, share: float) -> Figures:
    return [_between(*pair, share) for pair in zip(low, high, strict=True)]


def _between(low: float, high: float, share: float) -> float:
    """The count a share of the way from one to the other, by logarithms; infinite where one of them matters and is."""
    if low == high or share in (0.0, 1.0):
        return high if share == 1.0 else low
    if isinf(low) or isinf(high):
        return inf if share > 0.0 or isinf(low) else low
    return exp(log(low) + share * log(high / low))


def _logit(share: float) -> float:
    return log(share / (1.0 - share))
