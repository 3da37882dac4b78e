"""Discrimination of each judge, relative to the others, lately and before: is it random, has it changed?

Verdict k of a judge is predicted from all verdicts of the others and its own earlier ones (reporting/prediction.py).
The scales count in proportion to how well they predict both. Then q is the probability predicted that the first wins, z
what was decided, 1 or 0, and l = logit q - delta what is known of the candidates, less its mean. Over a part of the
judge's verdicts

    discrimination  A = sum w (z - 1/2) l / sum w (q - 1/2) l     1: as the others, 0: random, below 0: inverted
    surprise        sum w (q - z) l / sqrt(sum w q (1 - q) l^2)       about N(0, 1) where it answers as is predicted

w is 1 / m for m verdicts of the part on one pair, which may share their noise; ties have none. A part begins at one of
STARTS, as shares of the judge's verdicts, and ends with the last. The most surprising one is taken, and the judge is
named if the surprise is at least SURPRISING and the discrimination below CHANGED: as changed if it was above before.
"""

from typing import NamedTuple

import numpy as np
from nextpair.words import DiscriminationName
from scipy.special import expit, logit, softmax

from app.inference.reporting.prediction import Predictions, log_likelihoods, logits, predict
from app.inference.types import Bools, Comparisons, Floats, Ints, take
from app.inference.verdicts import directions, numbered, pair_numbers

FEWEST_VERDICTS = 40  # verdicts below which nothing is said of a judge
MOST = 100  # judges that are looked at, those of the most verdicts
STARTS = (0.0, 0.25, 0.5, 0.75)
SURPRISING = 2.33  # one in a hundred, were there one part
CHANGED = 0.5
NOTHING = 1e-9
CERTAIN = 1e-15  # probability of what nobody expects


class Discrimination(NamedTuple):
    judge: int
    overall: float  # discrimination of all its verdicts
    named: DiscriminationName | None
    since: int  # of its verdicts, where the most surprising part begins
    before: float | None  # discrimination up to there
    after: float  # and from there on


class PredictedVerdicts(NamedTuple):
    """A judge's K own verdicts, each beside its prediction."""

    first_won: Bools
    decided: Bools
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


def predicted_verdicts(judge: int, comparisons: Comparisons, n: int, item: Ints) -> PredictedVerdicts:
    """The verdicts of one judge beside what the others and its own earlier ones predict; arguments as above."""
    pair = numbered(item, pair_numbers(comparisons, n))
    return _foreseen(judge, comparisons, n, pair, _evidence(comparisons, n, pair))


def _evidence(comparisons: Comparisons, n: int, pair: Ints) -> Floats:
    """(C, K) what each verdict says of each scale."""
    first_won, decided = comparisons.p > 0.5, directions(comparisons.p - 0.5) != 0.0
    shares = _shares(numbered(pair, comparisons.judge), decided)
    return np.asarray(shares * log_likelihoods(logits(predict(comparisons, n)), first_won))


def _discrimination(judge: int, comparisons: Comparisons, n: int, pair: Ints, evidence: Floats) -> Discrimination:
    """Args: `evidence` (C, K) is what each verdict says of each scale."""
    own = _foreseen(judge, comparisons, n, pair, evidence)
    count = len(own.q)
    starts = [int(share * count) for share in STARTS]
    parts = [_part(own, slice(start, None)) for start in starts]
    worst = int(np.argmax([surprise for _, surprise in parts]))
    before = _part(own, slice(starts[worst]))[0] if worst else None
    (overall, _), (after, surprise) = parts[0], parts[worst]
    alone = bool((comparisons.judge == judge).all())
    named = _name(overall, before, alone=alone) if surprise >= SURPRISING and after < CHANGED else None
    return Discrimination(judge, overall, named, starts[worst], before, after)


def _name(overall: float, before: float | None, *, alone: bool) -> DiscriminationName | None:
    if before is not None and before >= CHANGED:
        return "changed"
    if alone:
        return None
    return "random" if overall > -CHANGED else "inverted"


def _foreseen(judge: int, comparisons: Comparisons, n: int, pair: Ints, evidence: Floats) -> PredictedVerdicts:
    mine = comparisons.judge == judge
    order = np.concatenate([np.flatnonzero(~mine), np.flatnonzero(mine)])
    predicted = predict(take(comparisons, order), n)
    predictions = Predictions(*(column[-int(mine.sum()) :] for column in predicted))
    of_each, of_judge = logits(predictions), evidence[:, mine]
    so_far = evidence[:, ~mine].sum(axis=1)[:, None] + of_judge.cumsum(axis=1) - of_judge
    q = np.clip((softmax(so_far, axis=0) * expit(of_each)).sum(axis=0), CERTAIN, 1.0 - CERTAIN)
    p = comparisons.p[mine]
    return PredictedVerdicts(p > 0.5, directions(p - 0.5) != 0.0, pair[mine], q, logit(q) - predictions.bias)


def _part(own: PredictedVerdicts, part: slice) -> tuple[float, float]:
    """Discrimination and surprise of a part of the verdicts."""
    w, q, lean = _shares(own.pair[part], own.decided[part]), own.q[part], own.lean[part]
    z, lean = own.first_won[part], lean - w @ lean / max(float(w.sum()), NOTHING)
    shown, expected = float(w @ ((z - 0.5) * lean)), float(w @ ((q - 0.5) * lean))
    spread = float(np.sqrt(w @ (q * (1.0 - q) * lean**2)))
    return shown / max(expected, NOTHING), (expected - shown) / max(spread, NOTHING)


def _shares(group: Ints, decided: Bools) -> Floats:
    """(K,) 1 / m for m decided members of a group, 0 for the others."""
    _, number = np.unique(group, return_inverse=True)
    return decided / np.maximum(np.bincount(number, decided), 1.0)[number]
