"""Each judge over its verdicts in order: discrimination relative to the others, and agreement with them.

Verdict k of a judge is predicted from all verdicts of the others and from its own earlier ones
(reporting/calibration.py), with scales that count in proportion to how well they predict both. Then q is the
probability predicted that the first wins, z what was decided, 1 or 0, and l = logit q - delta what is known of the
candidates, less its mean. Over a part of the judge's verdicts

    discrimination  A = sum w (z - 1/2) l / sum w (q - 1/2) l     1: as the others, 0: random, below 0: inverted
    surprise        sum w (q - z) l / sqrt(sum w q (1 - q) l^2)       about N(0, 1) where it answers as is predicted

w is 1 / m for m verdicts of the part on one pair, which may share their noise; ties have none. A part begins at one of
STARTS, as shares of the judge's verdicts, and ends with the last. The most surprising one is taken, and the judge is
named if the surprise is at least SURPRISING and the discrimination below CHANGED: as changed if it was above before.

A moment of a judge's history counts its first k verdicts. So far, and among the latest of them, its vote on each pair
is beside the vote of each other judge on that pair, now: a drift of another judge does not move the line of this one.
The share that was predicted is of verdicts that name the likelier winner; a prediction of 1/2 is right half the time.
"""

from typing import NamedTuple

import numpy as np
from nextpair.words import DiscriminationName
from scipy.special import expit, logit, softmax

from app.inference.judges.pair_votes import LEVEL, votes_by_pair
from app.inference.reporting.calibration import Predictions, log_likelihoods, logits, predict
from app.inference.types import Comparisons, Floats, Ints, take
from app.inference.verdicts import Share, directions, lean_to_lower, means, numbered, pair_numbers, share_of, wilson

FEWEST_VERDICTS = 40  # verdicts below which nothing is said of a judge
MOST = 100  # judges that are looked at, those of the most verdicts
STARTS = (0.0, 0.25, 0.5, 0.75)
SURPRISING = 2.33  # one in a hundred, were there one part
CHANGED = 0.5
NOTHING = 1e-9
CERTAIN = 1e-15  # probability of what nobody expects
MOMENTS = 60  # at most
LEAST, PARTS = 20, 8  # the latest verdicts are an eighth of all, and no fewer than 20


class Discrimination(NamedTuple):
    judge: int
    overall: float  # discrimination of all its verdicts
    named: DiscriminationName | None
    since: int  # of its verdicts, where the most surprising part begins
    before: float | None  # discrimination up to there
    after: float  # and from there on


class JudgeMoment(NamedTuple):
    verdicts: int  # of the judge, so far
    pairs: int  # of its votes and another judge's vote on the same pair, so far
    agreeing: int
    recent: Share | None  # of the pairs of votes that agree, among the latest; None where these share no pair
    predicted: Share | None  # of the verdicts that were predicted; None where all of the latest are ties


class PredictedVerdicts(NamedTuple):
    """A judge's K own verdicts, each beside its prediction."""

    direction: Floats  # 1 where the first won, -1 where the second did, 0 in a tie
    pair: Ints
    q: Floats
    lean: Floats  # l, before its mean is taken off


def discriminations(comparisons: Comparisons, n: int, item: Ints) -> list[Discrimination]:
    """One for each judge of FEWEST_VERDICTS or more, by number; p is raw, `item` (K,) is what each was about."""
    counts = np.bincount(comparisons.judge)
    often = [judge for judge in np.argsort(-counts, kind="stable")[:MOST].tolist() if counts[judge] >= FEWEST_VERDICTS]
    pair = numbered(item, pair_numbers(comparisons, n))
    evidence = _evidence(comparisons, n, pair)
    return [_discrimination(judge, comparisons, n, pair, evidence) for judge in sorted(often)]


def judge_history(comparisons: Comparisons, n: int, item: Ints, judge: int) -> tuple[int, list[JudgeMoment]]:
    """How many of one judge's verdicts the latest ones are, and its moments, the last one at its last verdict."""
    own = np.flatnonzero(comparisons.judge == judge)
    latest, moments = max(LEAST, len(own) // PARTS), []
    if not len(own):
        return latest, []
    pair = numbered(item, pair_numbers(comparisons, n))
    verdicts = _foreseen(judge, comparisons, n, pair, _evidence(comparisons, n, pair))
    right = np.where(verdicts.q == 0.5, 0.5, (verdicts.direction > 0.0) == (verdicts.q > 0.5))
    votes = votes_by_pair(comparisons, item, judge + 1)
    others, is_own, column = votes.counts, votes.judge == judge, votes.direction.astype(np.int64) + 1
    others[votes.pair[is_own], column[is_own]] -= 1
    mine = take(comparisons, own)
    for end in np.unique(np.linspace(min(latest, len(own)), len(own), MOMENTS).round().astype(np.int64)).tolist():
        recent = slice(max(end - latest, 0), end)
        pairs, agreeing, _ = _agreement(take(mine, slice(end)), verdicts.pair[:end], others)
        met, agreed, places = _agreement(take(mine, recent), verdicts.pair[recent], others)
        # as if all others were one judge: they judged the same pairs
        share = Share(met, agreed / met, wilson(agreed / met, places, LEVEL)) if met else None
        predicted = share_of(right[recent][verdicts.direction[recent] != 0.0], LEVEL)
        moments.append(JudgeMoment(end, pairs, agreeing, share, predicted))
    return latest, moments


def _evidence(comparisons: Comparisons, n: int, pair: Ints) -> Floats:
    """(C, K) what each verdict says of each scale."""
    direction = directions(comparisons.p - 0.5)
    shares = _shares(numbered(pair, comparisons.judge), direction)
    return np.asarray(shares * log_likelihoods(logits(predict(comparisons, n)), direction > 0.0))


def _discrimination(judge: int, comparisons: Comparisons, n: int, pair: Ints, evidence: Floats) -> Discrimination:
    own = _foreseen(judge, comparisons, n, pair, evidence)
    starts = [int(share * len(own.q)) for share in STARTS]
    parts = [_part(own, slice(start, None)) for start in starts]
    worst = int(np.argmax([surprise for _, surprise in parts]))
    before = _part(own, slice(starts[worst]))[0] if worst else None
    (overall, _), (after, surprise) = parts[0], parts[worst]
    named: DiscriminationName | None = None
    if surprise >= SURPRISING and after < CHANGED:
        if before is not None and before >= CHANGED:
            named = "changed"
        elif (comparisons.judge != judge).any():
            named = "random" if overall > -CHANGED else "inverted"
    return Discrimination(judge, overall, named, starts[worst], before, after)


def _foreseen(judge: int, comparisons: Comparisons, n: int, pair: Ints, evidence: Floats) -> PredictedVerdicts:
    mine = comparisons.judge == judge
    order = np.concatenate([np.flatnonzero(~mine), np.flatnonzero(mine)])
    predicted = predict(take(comparisons, order), n)
    predictions = Predictions(*(column[-int(mine.sum()) :] for column in predicted))
    of_each, of_judge = logits(predictions), evidence[:, mine]
    so_far = evidence[:, ~mine].sum(axis=1)[:, None] + of_judge.cumsum(axis=1) - of_judge
    q = np.clip((softmax(so_far, axis=0) * expit(of_each)).sum(axis=0), CERTAIN, 1.0 - CERTAIN)
    return PredictedVerdicts(directions(comparisons.p[mine] - 0.5), pair[mine], q, logit(q) - predictions.bias)


def _part(own: PredictedVerdicts, part: slice) -> tuple[float, float]:
    """Discrimination and surprise of a part of the verdicts."""
    w, q, lean = _shares(own.pair[part], own.direction[part]), own.q[part], own.lean[part]
    z, lean = own.direction[part] > 0.0, lean - w @ lean / max(float(w.sum()), NOTHING)
    shown, expected = float(w @ ((z - 0.5) * lean)), float(w @ ((q - 0.5) * lean))
    spread = float(np.sqrt(w @ (q * (1.0 - q) * lean**2)))
    return shown / max(expected, NOTHING), (expected - shown) / max(spread, NOTHING)


def _shares(group: Ints, direction: Floats) -> Floats:
    """(K,) 1 / m for m members of a group that decide, 0 for the others."""
    decided = direction != 0.0
    return np.asarray(decided / np.maximum(np.bincount(group, decided), 1.0)[group])


def _agreement(part: Comparisons, pair: Ints, others: Ints) -> tuple[int, int, int]:
    """Pairs of votes by a judge and another of `others` (M, 3), those that agree, and how many outputs they are on."""
    direction = directions(means(lean_to_lower(part), pair, len(others), part.weight))
    voted = np.flatnonzero(~np.isnan(direction))
    beside = others[voted]
    agreeing, on_each = beside[np.arange(len(voted)), direction[voted].astype(np.int64) + 1], beside.sum(axis=1)
    return int(on_each.sum()), int(agreeing.sum()), int((on_each > 0).sum())
