"""One verdict from several judges and from what each item says (SA 4 and App. F).

Classes s and skills A are fitted to the judges' answers (skill_model.py). Then, with v_nkb the votes of judge k
(aggregation.py),

    SkillAggregation      P(c | n) = s_nc prod_kb A_nkcb^v_nkb / their sum over c        (eq. 9)
    Crowdlayer            P(c | n) = s_nc
    train on majority     P(c | n) = s_nc, fitted to the majority's votes as if they were one judge's

For SkillAggregation items are held out in groups: s_n and A_n of each come from a fit that never saw its group. A
context of many numbers would else repeat the votes it was fitted to, and they would count twice. Of every fit's items
some more groups are held out to stop it early. No label of the truth enters anywhere. Judges who say always the same
are passed over, as a few of them would be explained best by one class for all items; their confusion matrices are those
of chance.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from nextpair.words import ContextMethod
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import softmax

from app.inference.judges.aggregation import Aggregate, Probabilities, one_sided, votes
from app.inference.judges.skill_model import (
    LEAST,
    NO_PENALTY,
    Head,
    JudgedItems,
    Parameters,
    Training,
    first_guess,
    loss,
    pack,
    predict,
    take,
    unpack,
)
from app.inference.types import Bools, Convergence, Floats, Ints, Outcome

HEADS: Mapping[ContextMethod, Head] = {
    "skill-aggregation": "skills",
    "skill-aggregation-x": "skills-x",
    "crowdlayer": "crowdlayer",
    "train-on-majority": "shares",
}


class Step(NamedTuple):
    """Progress of a training."""

    fold: int  # from 0 on
    folds: int
    iteration: int


Progress = Callable[[Step], None]
OnIteration = Callable[[int], None]  # is told how many iterations of a fit are done


class ItemContext(NamedTuple):
    """Contexts of N items, in groups that are never on both sides of a split."""

    x: csr_array  # (N, F)
    group: Ints  # (N,)


Predict = Callable[[csr_array], tuple[Floats, Floats]]  # s and A of any items; A may have one row for all
Learner = Callable[[JudgedItems, Head, Training, np.random.Generator, OnIteration], tuple[Predict, Convergence]]


class CrossFitted(NamedTuple):
    """Each item's classes and judges, by a fit that never saw its group."""

    s: Floats  # (N, C)
    a: Floats  # (N, K, C, C)
    convergence: Convergence  # of the fit that took longest, or failed


def by_context(
    y: Probabilities,
    context: ItemContext,
    method: ContextMethod,
    rng: np.random.Generator,
    *,
    training: Training = Training(),  # noqa: B008  # immutable
    progress: Progress = lambda _: None,
    learner: Learner | None = None,
) -> Aggregate:
    """The judges' common answers, given each item's context. The confusion matrices are means over the items.

    A `learner` other than `linear` may read of a context what it likes.
    """
    heard = ~one_sided(votes(y))
    heard = heard if heard.any() else np.ones_like(heard)
    group = _by_context(y[:, heard], context, method, rng, training, progress, learner or linear)
    if group.confusion is None:
        return group
    confusion = np.full((len(heard), *group.confusion.shape[1:]), 1.0 / y.shape[2])
    confusion[heard] = group.confusion
    return group._replace(confusion=confusion)


def _by_context(
    y: Probabilities,
    context: ItemContext,
    method: ContextMethod,
    rng: np.random.Generator,
    training: Training,
    progress: Progress,
    learner: Learner,
) -> Aggregate:
    head, answers = HEADS[method], _by_majority(y) if method == "train-on-majority" else _answers(y)
    by_context_alone = head in ("crowdlayer", "shares")
    training = training._replace(folds=1) if by_context_alone else training
    s, a, convergence = cross_fit(
        JudgedItems(context.x, answers, context.group), head, training, rng, progress, learner
    )
    if by_context_alone:
        return Aggregate(s, None, convergence)
    log_p = np.log(s + LEAST) + np.einsum("nkb,nkcb->nc", votes(y), np.log(a + LEAST))
    return Aggregate(softmax(log_p, axis=1), a.mean(axis=0), convergence)


def cross_fit(
    judged: JudgedItems, head: Head, training: Training, rng: np.random.Generator, progress: Progress, learner: Learner
) -> CrossFitted:
    """Fit each fold's s and A from the other folds; those of a single group from itself."""
    n, judges, classes = judged.y.shape
    folds = _folds(judged.group, training.folds, rng)
    s, a, ends = np.empty((n, classes)), np.empty((n, judges, classes, classes)), []
    for number, fold in enumerate(folds):
        rest = take(judged, ~fold) if len(folds) > 1 else judged
        step = partial(_report, progress, number, len(folds))
        predict, end = learner(rest, head, training, rng, step)
        s[fold], a[fold] = predict(judged.x[fold])
        ends.append(end)
    return CrossFitted(s, a, max(ends, key=lambda end: (not end.converged, end.iterations)))


def linear(
    judged: JudgedItems, head: Head, training: Training, rng: np.random.Generator, step: OnIteration
) -> tuple[Predict, Convergence]:
    """The learner of the equations above: a fit to the context as it is."""
    parameters, end = fit(judged, head, training, rng, step)
    return partial(predict, parameters), end


def split(judged: JudgedItems, training: Training, rng: np.random.Generator) -> tuple[JudgedItems, JudgedItems]:
    """Items to fit, and groups of them held out to end it; both are all there is of a single group."""
    out = _folds(judged.group, max(round(1.0 / training.held_out), 2), rng)[0]
    return (judged, judged) if out.all() else (take(judged, ~out), take(judged, out))


def fit(
    judged: JudgedItems, head: Head, training: Training, rng: np.random.Generator, step: OnIteration
) -> tuple[Parameters, Convergence]:
    """The parameters that foretell best what was held out."""
    some, others = split(judged, training, rng)
    start = pack(first_guess(some, head))
    watch = _Watch(start, others, head, training, step)
    end = minimize(  # type: ignore[call-overload]  # the stubs know no callback of one plain vector
        lambda theta: loss(theta, some, head, training), start, method="L-BFGS-B", jac=True, callback=watch.see,
        options={"maxiter": training.max_iterations, "gtol": 1e-6},
    )  # fmt: skip
    done = watch.patience_ended or end.success
    outcome = Outcome.CONVERGED if done else Outcome.MAX_ITERATIONS
    return unpack(watch.best, some, head), Convergence(outcome, end.nit, float(np.abs(end.jac).max()))


class _Watch:
    """Keeps the parameters that foretell best what was held out, and stops when no better ones come."""

    def __init__(self, start: Floats, out: JudgedItems, head: Head, training: Training, step: OnIteration) -> None:
        self.best, self.patience_ended = start, False
        self._out, self._head, self._patience, self._step = out, head, training.patience, step
        self._least, self._since, self._iteration = np.inf, 0, 0

    def see(self, theta: Floats) -> None:
        self._iteration += 1
        self._step(self._iteration)
        surprise = loss(theta, self._out, self._head, NO_PENALTY)[0]
        if surprise < self._least:
            self.best, self._least, self._since = theta.copy(), surprise, 0
            return
        self._since += 1
        if self._since >= self._patience:
            self.patience_ended = True
            raise StopIteration


def _folds(group: Ints, count: int, rng: np.random.Generator) -> list[Bools]:
    """Items of each fold, as flags (N,); groups stay whole."""
    names = rng.permutation(np.unique(group))
    return [np.isin(group, part) for part in np.array_split(names, min(count, len(names)))]


def _answers(y: Probabilities) -> Floats:
    return np.where(np.isnan(y).any(axis=2, keepdims=True), 0.0, y)


def _by_majority(y: Probabilities) -> Floats:
    """(N, 1, C) as if one judge had voted as most did; nothing where none did."""
    counts = votes(y).sum(axis=1, keepdims=True)
    return votes(np.where(counts.any(axis=2, keepdims=True), counts, np.nan))


def _report(progress: Progress, fold: int, folds: int, iteration: int) -> None:
    progress(Step(fold, folds, iteration))
