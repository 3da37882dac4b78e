"""Questions that judges are asked again, to see whether they repeat themselves (methods 17).

A repeat is worth its price only where it decides: the set would stop if this judge repeated itself, and does not stop
yet. Then a judge who votes is asked the other order of a question, as long as it may be one whom the position does not
move: an answer alike shows both. Else it is asked the same in the same order. Of the questions that were asked least
often it is the one whose answer would be likeliest to change if each verdict were a new draw. After MOST_REPEATS no
more are asked.
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


def to_repeat(published: Published, entries: Entries, judges: Ints, known: Repetition, people: Bools) -> list[Question]:
    """One question for each judge whom a few repeats may yet decide about.

    Args: `entries` are those of the posterior; `judges` (J,) are ids, of whom `people` (J,) are asked nothing again.
    """
    may = ~people & (known.repeats + known.swaps < MOST_REPEATS)
    turned = may & _is_open(known.supposed_consistent)
    is_declared = np.isin(known.before, (0.0, 1.0))
    same = may & ~turned & ~is_declared & _is_open(known.supposed)
    questions = list[Question]()
    for number in np.flatnonzero(turned | same).tolist():
        mine = np.flatnonzero(published.answers.judge == number)
        answers, item = take(published.comparisons, mine), entries.item[mine]
        other_order = answers._replace(first=answers.second, second=answers.first, p=1.0 - answers.p)
        to_ask = other_order if turned[number] else answers
        times = _times(answers, item, to_ask)
        row = int(np.argmax(np.where(times == times.min(), _otherwise(published, to_ask), -1.0)))
        questions.append(Question(int(judges[number]), int(item[row]), int(to_ask.first[row]), int(to_ask.second[row])))
    return questions


def _is_open(probability: Floats) -> Bools:
    return (probability > DRAWS_ANEW) & (probability < REPEATS_ITSELF)


def _times(answers: Comparisons, item: Ints, to_ask: Comparisons) -> Ints:
    """(K,) how often each of K questions `to_ask` was answered: those of the answers, or their other orders."""
    both = np.tile(item, 2), np.append(answers.first, to_ask.first), np.append(answers.second, to_ask.second)
    question = numbered(*both)
    return np.bincount(question[: answers.size], minlength=question.max() + 1)[question[answers.size :]]


def _otherwise(published: Published, answers: Comparisons) -> Floats:
    """(K,) how likely a new draw names another side than each of these answers does."""
    (mean, sigma, *_), model, (first, second, p, judge, _) = published.scores, published.model, answers
    d = mean[first] - mean[second]
    if model.has_biases:
        d = d + published.posterior.mean[model.n + judge]
    for_first = expit(d / np.sqrt(1.0 + np.pi / 8.0 * sigma.variances(first, second)))
    return np.select([p > 0.5, p < 0.5], [1.0 - for_first, for_first], LIKELY_OF_A_TIE)
