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
    by labels      Dawid-Skene's, held to labels (anchored.py), which also finds judges who err together

    P(c | n) = l_nc where n is labelled, else sum_j w_j P_j(c | n)
    w_j      = prod_n sum_c l_nc P_j(c | n) over the labelled n, / their sum over j

So one who is sure of what the labels deny is not counted, and context and agreement are, where labels bear them out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from nextpair.words import ContextMethod
from scipy.sparse import csr_array

from app.inference.judges.aggregation import Aggregate, Probabilities, estimated, one_sided, votes
from app.inference.judges.anchored import Anchored
from app.inference.judges.labels import as_of_all
from app.inference.judges.skill_model import (
    LEAST,
    NO_PENALTY,
    Head,
    Parameters,
    Training,
    VotedItems,
    first_guess,
    loss,
    pack,
    predict,
    surprise,
    take,
    unpack,
)
from app.inference.judges.skill_verdicts import CrossFitted, decide, pool, slowest
from app.inference.types import Bools, Convergence, Floats, Ints, Outcome

HEADS: Mapping[ContextMethod, Head] = {
    "skill-aggregation": "skills",
    "skill-aggregation-x": "skills-x",
    "crowdlayer": "crowdlayer",
    "train-on-majority": "shares",
}

BY_CONTEXT_ALONE: tuple[Head, ...] = ("crowdlayer", "shares")

REGULARISERS = (0.0, 0.03, 0.1, 0.2)  # of which lambda is chosen
REGULARISER = 0.1  # lambda where it is not


class Step(NamedTuple):
    """Progress of a training."""

    fold: int  # from 0 on
    folds: int
    iteration: int


Progress = Callable[[Step], None]
OnIteration = Callable[[int], None]  # receives how many iterations of a fit are done


class ItemContext(NamedTuple):
    """Contexts of N items, in groups that are never on both sides of a split."""

    x: csr_array  # (N, F)
    group: Ints  # (N,)


Predict = Callable[[csr_array], tuple[Floats, Floats]]  # s and A of any items; A may have one row for all
Learner = Callable[[VotedItems, Head, Training, np.random.Generator, OnIteration], tuple[Predict, Convergence]]


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
    learner: Learner | None = None,
) -> Aggregate:
    """The judges' common answers, given each item's context. The confusion matrices are means over the items.

    Args:
        by_labels: what Dawid-Skene makes of the same votes by people's labels, where there are any.
        regulariser: lambda, chosen where None.
        learner: one other than `linear` may read of a context what it likes. Its lambda is not chosen, as that takes
            a training for each, but REGULARISER.
    """
    head, counted = HEADS[method], _counted(y)
    judged = VotedItems(context.x, _answers(y[:, counted], method), context.group, np.zeros((len(y), y.shape[2])))
    trainings = _trainings(head, training, REGULARISER if regulariser is None and learner else regulariser)
    chooser: Head = "skills" if head == "skills-x" and len(trainings) > 1 else head
    rounds = _rounds(progress, len(trainings) + (chooser != head) + (by_labels is not None))
    seed = int(rng.integers(2**32))

    def fit(judged: VotedItems, head: Head, training: Training) -> CrossFitted:
        return cross_fit(judged, head, training, np.random.default_rng(seed), next(rounds), learner or linear)

    best, by_judges = _best(judged, chooser, trainings, fit)
    by_judges = by_judges if chooser == head else fit(judged, head, best)
    v = None if head in BY_CONTEXT_ALONE else votes(y)
    if by_labels is None:
        return decide(by_judges, v, counted)
    by_both = fit(judged._replace(labels=by_labels.labels), head, best._replace(folds=training.folds))
    return pool([decide(by_judges, v, counted), decide(by_both, v, counted)], by_labels)


def _counted(y: Probabilities) -> Bools:
    """(K,) judges who do not say always the same, or all if there are no others."""
    counted = ~one_sided(votes(y))
    return counted if counted.any() else np.ones_like(counted)


def _answers(y: Probabilities, method: ContextMethod) -> Floats:
    """y as it is fitted: zero where a judge gave no answer, and (N, 1, C) if it is the majority's."""
    if method == "train-on-majority":
        counts = votes(y).sum(axis=1, keepdims=True)
        return votes(np.where(counts.any(axis=2, keepdims=True), counts, np.nan))
    return np.where(np.isnan(y).any(axis=2, keepdims=True), 0.0, y)


def _trainings(head: Head, training: Training, regulariser: float | None) -> list[Training]:
    """Trainings to choose from. Where the context decides alone there is no lambda, and no vote to count double."""
    if head in BY_CONTEXT_ALONE:
        return [training._replace(folds=1)]
    options = REGULARISERS if regulariser is None else (regulariser,)
    return [training._replace(regulariser=each) for each in options]


def _best(
    judged: VotedItems,
    head: Head,
    trainings: Sequence[Training],
    fit: Callable[[VotedItems, Head, Training], CrossFitted],
) -> tuple[Training, CrossFitted]:
    """The training by which answers to items held out are predicted best, and its fits."""
    fits = [fit(judged, head, each) for each in trainings]
    surprises = [surprise(judged.y, np.einsum("nc,nkcb->nkb", each.s, each.a) + LEAST) for each in fits]
    least = int(np.argmin(surprises))
    return trainings[least], fits[least]


def cross_fit(
    judged: VotedItems, head: Head, training: Training, rng: np.random.Generator, progress: Progress, learner: Learner
) -> CrossFitted:
    """Fit each fold's s and A from the other folds; those of a single group from itself."""
    n, judges, classes = judged.y.shape
    folds = _folds(judged.group, training.folds, rng)
    s, a, ends = np.empty((n, classes)), np.empty((n, judges, classes, classes)), []

    def tell(number: int, iteration: int) -> None:
        progress(Step(number, len(folds), iteration))

    for number, fold in enumerate(folds):
        rest = _with_skills(take(judged, ~fold) if len(folds) > 1 else judged)
        predict, end = learner(rest, head, training, rng, partial(tell, number))
        s[fold], a[fold] = predict(judged.x[fold])
        ends.append(end)
    return CrossFitted(s, a, slowest(ends))


def _folds(group: Ints, count: int, rng: np.random.Generator) -> list[Bools]:
    """Items of each fold, as flags (N,); groups stay whole."""
    names = rng.permutation(np.unique(group))
    return [np.isin(group, part) for part in np.array_split(names, min(count, len(names)))]


def _with_skills(judged: VotedItems) -> VotedItems:
    """Items with z by the labels, if there are any."""
    if not judged.labels.any():
        return judged
    v = votes(np.where(judged.y.any(axis=2, keepdims=True), judged.y, np.nan))
    return judged._replace(z=np.log(estimated(v, as_of_all(v, judged.labels)).confusion))


def linear(
    judged: VotedItems, head: Head, training: Training, rng: np.random.Generator, step: OnIteration
) -> tuple[Predict, Convergence]:
    """The learner of the equations above: a fit to the context as it is, its heaviest columns first, which V reads.

    Columns of zeros are left out; their W would stay 0.
    """
    weight = judged.x.power(2).sum(axis=0)
    order = np.argsort(-weight, kind="stable")[: np.count_nonzero(weight)]
    parameters, end = fit(judged._replace(x=judged.x[:, order]), head, training, rng, step)
    return lambda x: predict(parameters, x[:, order]), end


def split(judged: VotedItems, training: Training, rng: np.random.Generator) -> tuple[VotedItems, VotedItems]:
    """Items to fit, and groups of them held out to end it; both are all there is of a single group."""
    out = _folds(judged.group, max(round(1.0 / training.held_out), 2), rng)[0]
    return (judged, judged) if out.all() else (take(judged, ~out), take(judged, out))


def fit(
    judged: VotedItems, head: Head, training: Training, rng: np.random.Generator, step: OnIteration
) -> tuple[Parameters, Convergence]:
    """The parameters that predict best what was held out."""
    from scipy.optimize import minimize  # slow to load, and few need it

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
    """Keeps the parameters that predict best what was held out, and stops when no better ones come."""

    def __init__(self, start: Floats, out: VotedItems, head: Head, training: Training, step: OnIteration) -> None:
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


def _rounds(progress: Progress, count: int) -> Iterator[Progress]:
    """Progress of each of several rounds of folds, reported as that of all."""

    def of_all(number: int, step: Step) -> None:
        progress(step._replace(fold=step.fold + number * step.folds, folds=count * step.folds))

    return (partial(of_all, number) for number in range(count))
