"""One verdict from several judges and from what each item says (SA 4 and App. F).

Classes s and skills A are fitted to the judges' answers (skill_model.py). Then, with v_nkb the votes of judge k
(aggregation.py),

    SkillAggregation      P(c | n) = s_nc prod_kb A_nkcb^v_nkb / their sum over c        (eq. 9)
    Crowdlayer            P(c | n) = s_nc
    train on majority     P(c | n) = s_nc, fitted to the majority's votes as if they were one judge's

For SkillAggregation items are held out in groups: s_n and A_n of each come from a fit that never saw its group. A
context of many numbers would else repeat the votes it was fitted to, which would count double. Of every fit's items
some more groups are held out to stop it early. Judges who always say the same are passed over, as a few of them would
be explained best by one class for all items. Their confusion matrices are those of chance.

lambda is the one of REGULARISERS by which the judges' own answers on items held out, y_nkb, are predicted best, with A
the same for all items. That holds for -X, too, whose fits take several times as long.

Without people's labels judges are compared with each other, and most may have correlated errors. With labels l_nc
(0 for all c where there are none) every method has three answers P_j, each of them to item n without l_n:

    by judges      as above, without any label
    by both        as above, always held out, with labels in the fit; A is not fitted but by labels, as in Dawid-Skene
    by labels      Dawid-Skene's, held to labels (aggregation.py), which also finds judges who err together

    P(c | n) = l_nc where n is labelled, else sum_j w_j P_j(c | n)
    w_j      = prod_n sum_c l_nc P_j(c | n) over the labelled n, / their sum over j

So one who is sure of what the labels deny is not counted, and context and agreement are, where labels bear them out.

The context of N items is an (N, F) matrix whose rows have about unit length: numbers that the caller has, standardised,
or hashed n-grams of texts, which need no model at all.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, count
from typing import NamedTuple
from zlib import crc32

import numpy as np
from nextpair.words import ContextMethod
from scipy.sparse import csr_array
from scipy.special import softmax

from app.inference.judges.aggregation import (
    Aggregate,
    Anchored,
    Probabilities,
    Votes,
    as_of_all,
    estimated,
    one_sided,
    votes,
    with_labels,
)
from app.inference.judges.skill_model import (
    LEAST,
    OnIteration,
    Training,
    VotedItems,
    fit,
    folds_of,
    predict,
    surprise,
    take,
)
from app.inference.types import Bools, Convergence, Floats, Ints

BY_CONTEXT_ALONE: tuple[ContextMethod, ...] = ("crowdlayer", "train-on-majority")
REGULARISERS = (0.0, 0.03, 0.1, 0.2)  # of which lambda is chosen
SIZE = 2**14  # columns: enough that few of some 10,000 n-grams share one
LONGEST = 2  # words in an n-gram
WORD = re.compile(r"\w+|[^\w\s]")
START, END = "\x02", "\x03"  # of a text


class Step(NamedTuple):
    """Progress of a training."""

    fold: int  # from 0 on
    folds: int
    iteration: int


Progress = Callable[[Step], None]
Predict = Callable[[csr_array], tuple[Floats, Floats]]  # s and A of any items; A may have one row for all
Fitted = tuple[Floats, Floats, Convergence]  # each item's s and A from a fit that never saw it, and the slowest end
Learner = Callable[[VotedItems, Training, np.random.Generator, OnIteration], tuple[Predict, Convergence]]


class ItemContext(NamedTuple):
    """Contexts of N items, in groups that are never on both sides of a split."""

    x: csr_array  # (N, F)
    group: Ints  # (N,)
    learner: Learner | None = None  # one other than `linear`, which reads x as what it likes


def by_context(
    y: Probabilities,
    context: ItemContext,
    method: ContextMethod,
    rng: np.random.Generator,
    *,
    by_labels: Anchored | None = None,
    regulariser: float | None = None,
    training: Training = Training(),  # noqa: B008  # immutable
    progress: Progress = lambda _: None,
) -> Aggregate:
    """The judges' common answers, given each item's context. The confusion matrices are means over the items.

    Args:
        by_labels: what Dawid-Skene makes of the same votes by people's labels, where there are any.
        regulariser: lambda, chosen where None; that of `training` for a context's own learner, as a choice takes a
            training for each.
    """
    counted = ~one_sided(votes(y))
    counted |= ~counted.any()  # all, if there are no others
    judged = VotedItems(context.x, _answers(y[:, counted], method), context.group, np.zeros((len(y), y.shape[2])))
    trainings = _trainings(training._replace(method=method), regulariser, is_chosen=context.learner is None)
    choices = [each._replace(method="skill-aggregation") for each in trainings] if len(trainings) > 1 else trainings
    rounds, numbers = len(trainings) + (choices != trainings) + (by_labels is not None), count()
    seed = int(rng.integers(2**32))

    def fitted(judged: VotedItems, training: Training) -> Fitted:
        number = next(numbers)

        def tell(fold: int, folds: int, iteration: int) -> None:
            progress(Step(fold + number * folds, rounds * folds, iteration))

        return cross_fit(judged, training, np.random.default_rng(seed), tell, context.learner or linear)

    fits = [fitted(judged, each) for each in choices]
    best = int(np.argmin([surprise(judged.y, np.einsum("nc,nkcb->nkb", s, a) + LEAST) for s, a, _ in fits]))
    v = None if method in BY_CONTEXT_ALONE else votes(y)
    by_judges = _verdicts(fits[best] if choices == trainings else fitted(judged, trainings[best]), v, counted)
    if by_labels is None:
        return by_judges
    held_out = trainings[best]._replace(folds=training.folds)
    by_both = _verdicts(fitted(judged._replace(labels=by_labels.labels), held_out), v, counted)
    return _pooled([by_judges, by_both], by_labels)


def _answers(y: Probabilities, method: ContextMethod) -> Floats:
    """y as it is fitted: zero where a judge gave no answer, and (N, 1, C) if it is the majority's."""
    if method == "train-on-majority":
        counts = votes(y).sum(axis=1, keepdims=True)
        return votes(np.where(counts.any(axis=2, keepdims=True), counts, np.nan))
    return np.where(np.isnan(y).any(axis=2, keepdims=True), 0.0, y)


def _trainings(training: Training, regulariser: float | None, *, is_chosen: bool) -> list[Training]:
    """Trainings to choose from. Where the context decides alone there is no lambda, and no vote to count double."""
    if training.method in BY_CONTEXT_ALONE:
        return [training._replace(folds=1, regulariser=0.0)]
    if regulariser is not None:
        return [training._replace(regulariser=regulariser)]
    return [training._replace(regulariser=each) for each in REGULARISERS] if is_chosen else [training]


def cross_fit(
    judged: VotedItems,
    training: Training,
    rng: np.random.Generator,
    tell: Callable[[int, int, int], None],
    learner: Learner,
) -> Fitted:
    """Fit each fold's s and A from the other folds; those of a single group from itself.

    Args: `tell` receives the fold, of how many, and its iteration.
    """
    n, judges, classes = judged.y.shape
    folds = folds_of(judged.group, training.folds, rng)
    s, a, ends = np.empty((n, classes)), np.empty((n, judges, classes, classes)), []
    for number, fold in enumerate(folds):
        rest = take(judged, ~fold) if len(folds) > 1 else judged
        if rest.labels.any():
            v = votes(np.where(rest.y.any(axis=2, keepdims=True), rest.y, np.nan))
            rest = rest._replace(z=np.log(estimated(v, as_of_all(v, rest.labels)).confusion))
        of_items, end = learner(rest, training, rng, partial(tell, number, len(folds)))
        s[fold], a[fold] = of_items(judged.x[fold])
        ends.append(end)
    return s, a, _slowest(ends)


def linear(
    judged: VotedItems, training: Training, rng: np.random.Generator, step: OnIteration
) -> tuple[Predict, Convergence]:
    """The learner of the equations above: a fit to the context as it is, its heaviest columns first, which V reads.

    Columns of zeros are left out; their W would stay 0.
    """
    weight = judged.x.power(2).sum(axis=0)
    order = np.argsort(-weight, kind="stable")[: np.count_nonzero(weight)]
    parameters, end = fit(judged._replace(x=judged.x[:, order]), training, rng, step)
    return lambda x: predict(parameters, x[:, order]), end


def _verdicts(fits: Fitted, v: Votes | None, counted: Bools) -> Aggregate:
    """The verdicts by s, A and the votes of those who are counted; by s alone where there are no votes."""
    s, a, end = fits
    if v is None:
        return Aggregate(s, None, end)
    log_p = np.log(s + LEAST) + np.einsum("nkb,nkcb->nc", v[:, counted], np.log(a + LEAST))
    confusion = np.full((len(counted), *a.shape[2:]), 1.0 / v.shape[2])
    confusion[counted] = a.mean(axis=0)
    return Aggregate(softmax(log_p, axis=1), confusion, end)


def _pooled(answers: Sequence[Aggregate], by_labels: Anchored) -> Aggregate:
    """The mean of `answers` and those by labels, weighted by how well they predict labels that they have not seen."""
    labels, known = by_labels.labels, by_labels.labels.any(axis=1)
    p = np.stack([*(answer.probability for answer in answers), by_labels.held_out])
    predicted = np.log(np.einsum("nc,jnc->jn", labels[known], p[:, known]) + LEAST)
    pooled = np.tensordot(softmax(predicted.sum(axis=1)), p, 1)
    ends = [answer.convergence for answer in (*answers, by_labels.aggregate) if answer.convergence is not None]
    return with_labels(Aggregate(pooled, by_labels.aggregate.confusion, _slowest(ends)), labels)


def _slowest(ends: Sequence[Convergence]) -> Convergence:
    """The end of the fit that took longest, or failed."""
    return max(ends, key=lambda end: (not end.converged, end.iterations))


def standardised(columns: Floats) -> csr_array:
    """Standardised columns (N, F), each row about of unit length."""
    spread = columns.std(axis=0)
    return csr_array((columns - columns.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0) / np.sqrt(columns.shape[1]))


def hashed_ngrams(items: Sequence[Mapping[str, str]]) -> csr_array:
    """(N, SIZE): which words and pairs of neighbouring words each field has. Rows have unit length."""
    rows = [sorted({crc32(gram) % SIZE for field in item.items() for gram in _grams(*field)}) for item in items]
    lengths = np.array([len(row) for row in rows], np.int64)
    values = np.repeat(1.0 / np.sqrt(np.maximum(lengths, 1)), lengths)
    columns, ends = np.array([*chain(*rows)], np.int64), np.append(0, np.cumsum(lengths))
    return csr_array((values, columns, ends), (len(items), SIZE))


def _grams(field: str, text: str) -> Iterator[bytes]:
    words = [START, *WORD.findall(text.lower()), END]
    for length in range(1, LONGEST + 1):
        for start in range(len(words) - length + 1):
            yield " ".join((field, *words[start : start + length])).encode()
