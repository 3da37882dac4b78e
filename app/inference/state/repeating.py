"""Questions that judges are asked again, to see whether they repeat themselves (methods 17).

A repeat is worth its price only where it decides: the set would stop if this judge repeated itself, and does not stop
yet. Then it is asked, in the same order, one of the questions that it was asked least often, the one whose answer it
would be likeliest to change if each of its verdicts were a new draw. After MOST_REPEATS no more are asked.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.fitting.published import Published
from app.inference.fitting.repetition import DRAWS_ANEW, REPEATS_ITSELF, Repetition
from app.inference.state.log import Entries
from app.inference.types import Bools, Comparisons, Floats, Ints, take
from app.inference.verdicts import numbered

MOST_REPEATS = 8
LIKELY_OF_A_TIE = 0.7  # that one who draws answers otherwise


class Question(NamedTuple):
    """A pair of outputs in an order, for one judge."""

    judge: int  # id
    item: int
    first: int
    second: int


def to_repeat(published: Published, entries: Entries, judges: Ints, known: Repetition, may: Bools) -> list[Question]:
    """One question for each judge whom a few repeats may yet decide about.

    Args: `entries` are those of the posterior; `judges` (J,) are ids; `may` (J,) is false of those whose word on it
        is taken, and of people.
    """
    open_ = may & (known.supposed > DRAWS_ANEW) & (known.supposed < REPEATS_ITSELF) & (known.repeats < MOST_REPEATS)
    numbers = published.answers.judge
    questions = list[Question]()
    for number in np.flatnonzero(open_).tolist():
        mine = np.flatnonzero(numbers == number)
        theirs, item = take(published.comparisons, mine), entries.item[mine]
        question = numbered(item, theirs.first, theirs.second)
        asked = np.bincount(question)[question]
        row = int(np.argmax(np.where(asked == asked.min(), _otherwise(published, theirs), -1.0)))
        questions.append(Question(int(judges[number]), int(item[row]), int(theirs.first[row]), int(theirs.second[row])))
    return questions


def _otherwise(published: Published, answers: Comparisons) -> Floats:
    """(K,) how likely a new draw names another side than each of these answers does."""
    (mean, sigma, *_), model, (first, second, p, judge, _) = published.scores, published.model, answers
    d = mean[first] - mean[second]
    if model.has_biases:
        d = d + published.posterior.mean[model.n + judge]
    for_first = expit(d / np.sqrt(1.0 + np.pi / 8.0 * sigma.variances(first, second)))
    return np.select([p > 0.5, p < 0.5], [1.0 - for_first, for_first], LIKELY_OF_A_TIE)
