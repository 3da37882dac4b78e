"""Goals of a simulation: as the command line names them, in each case, and how far scores have got there."""

from typing import NamedTuple

import numpy as np

from app.files.tables import InputError
from app.inference.choosing import Goal
from app.inference.types import Floats
from app.offline.cases import Case


class WantedGoal(NamedTuple):
    """A goal by the keys of its candidates; none of these is the ranking."""

    top_k: int | None = None
    against: str | None = None
    pair: tuple[str, str] | None = None


def parse(text: str) -> WantedGoal:
    """`top_k=3`, `against=KEY` or `pair=KEY,KEY`. Raises InputError."""
    name, _, value = text.partition("=")
    first, comma, second = value.partition(",")
    if name == "top_k" and value.isdecimal() and int(value) > 0:
        return WantedGoal(top_k=int(value))
    if name == "against" and value:
        return WantedGoal(against=value)
    if name == "pair" and comma and first != second:
        return WantedGoal(pair=(first, second))
    raise InputError(f"--goal {text!r} is not top_k=NUMBER, against=KEY or pair=KEY,KEY")


def wanting(case: Case, wanted: WantedGoal) -> Case:
    """The case with this goal. Raises InputError where it lacks a candidate that the goal names."""
    top_k, against, pair = wanted
    if against is not None:
        return case._replace(goal=Goal(against=_number(case, against)))
    if pair is not None:
        return case._replace(goal=Goal(pair=(_number(case, pair[0]), _number(case, pair[1]))))
    return case._replace(goal=Goal(top_k=top_k))


def reached(scores: Floats, truth: Floats, goal: Goal) -> float:
    """Progress of (N,) scores to a goal that is not the ranking, from 0 to 1.

    top_k          the share of the candidates that score best which are among the k that are best
    against, pair  the share of the pairs that are in the right order
    Whatever is tied counts by chance.
    """
    if goal.top_k is not None:
        return _share_of_the_best(scores, truth, min(goal.top_k, len(scores)))
    who, others = (goal.pair[0], [goal.pair[1]]) if goal.pair else (goal.against, np.arange(len(truth)) != goal.against)
    signs = np.sign(scores[who] - scores[others]) * np.sign(truth[who] - truth[others])
    return float(0.5 + 0.5 * signs.mean())


def _share_of_the_best(scores: Floats, truth: Floats, k: int) -> float:
    best = truth >= np.sort(truth)[-k]
    line = np.sort(scores)[-k]
    above, tied = scores > line, scores == line
    return float((best[above].sum() + (k - above.sum()) * best[tied].mean()) / k)


def _number(case: Case, key: str) -> int:
    if key not in case.keys:
        name = " / ".join([*case.labels, key])
        raise InputError(f"--goal names {name}, which the judge does not know; use a key of every group")
    return case.keys.index(key)
