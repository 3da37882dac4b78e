"""One verdict from several judges and from what each item says (SA 4 and App. F).

    x_n     the item's context: F numbers, of about unit length together
    s_nc    softmax_c(x_n W + b): the class, by context alone
    A_nkcb  softmax_b(z_kcb + x_n V_kcb): how judge k answers in class c, P(b_nk = b | c_n = c). V = 0, unless skills
            are to depend on the context (SkillAggregation-X)
    P_nkb   sum_c s_nc A_nkcb: what judge k is expected to answer; in Crowdlayer softmax_b(sum_c s_nc z_kcb), and s_nb
            of the majority, the one judge that "train on majority" has

Minimise over W, b, z and V, with y_nkb the judge's own probabilities, zero for all b where a judge left the item out,

    - (1/N) sum_nkb y_nkb log P_nkb + (lam/N) sum_nk sum_{c,b < C} (A_nkcb - A_nkCb)^2
    + ridge |W|^2 / 2 + ridge_x |V|^2 / 2

The second term (eq. 8) keeps sure judges from being trusted too much. The ridges are ours, for contexts of many
numbers; ridge_x is large, or V would explain each judge by the context alone. Then, with v_nkb the votes of judge k
(aggregation.py),

    SkillAggregation      P(c | n) = s_nc prod_kb A_nkcb^v_nkb / their sum over c        (eq. 9)
    Crowdlayer            P(c | n) = s_nc
    train on majority     P(c | n) = s_nc, fitted to the majority's votes as if they were one judge's

For SkillAggregation s_n and A_n of each item come from a fit that never saw its group (decision 21). Of every fit's
items some more groups are held out to stop it early. Judges who always say the same are passed over, as a few of them
would be explained best by one class for all items. Their confusion matrices are those of chance. lam is the one of
REGULARISERS by which y_nkb of items held out is predicted best, with A the same for all items (decision 52).

With people's labels l_nc (0 for all c where there are none) every method has three answers P_j, each to item n without
l_n:

    by judges      as above, without any label
    by both        as above, always held out, with l_nc for s_nc in the first term of labelled items,
                   - (1/N) sum_c l_nc log s_nc beside it, and z by the labels, as in Dawid-Skene, not fitted
    by labels      Dawid-Skene's, held to labels (aggregation.py), which also finds judges who err together

    P(c | n) = l_nc where n is labelled, else sum_j w_j P_j(c | n)
    w_j      = prod_n sum_c l_nc P_j(c | n) over the labelled n, / their sum over j
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from nextpair.words import ContextMethod
from scipy.sparse import csr_array
from scipy.special import softmax

from app.inference.judges.aggregation import (
    Aggregate,
    Anchored,
    Labels,
    Probabilities,
    Votes,
    as_of_all,
    estimated,
    one_sided,
    votes,
    with_labels,
)
from app.inference.types import Bools, Convergence, Floats, Ints, Outcome

BY_CONTEXT_ALONE: tuple[ContextMethod, ...] = ("crowdlayer", "train-on-majority")
REGULARISERS = (0.0, 0.03, 0.1, 0.2)  # of which lam is chosen
STARTS_AT = 1.0  # logit by which a judge is trusted, at first, to say the class that it is
STOPPED_BY = 10  # one in so many groups decides when a fit ends
WIDEST = 1000  # columns of a context that V reads at most
LEAST = 1e-12  # of probabilities that are divided by


class Training(NamedTuple):
    """Settings of a fit, and of how it is held out."""

    method: ContextMethod = "skill-aggregation"
    regulariser: float = 0.1  # lam
    ridge: float = 2e-4
    ridge_x: float = 0.2
    folds: int = 5
    patience: int = 30  # iterations without a better fit to the groups that are held out
    max_iterations: int = 300

    @property
    def without_penalty(self) -> "Training":
        return self._replace(regulariser=0.0, ridge=0.0, ridge_x=0.0)


class VotedItems(NamedTuple):
    """N items with what judges answered of them."""

    x: csr_array  # (N, F)
    y: Floats  # (N, K, C), zero where a judge left an item out
    group: Ints  # (N,)
    labels: Labels  # (N, C)
    z: Floats | None = None  # (K, C, C) of the equations above, where it is known

    def take(self, keep: Bools | Ints) -> "VotedItems":
        return VotedItems(self.x[keep], self.y[keep], self.group[keep], self.labels[keep], self.z)


class Parameters(NamedTuple):
    """W, b, z and V of the equations above; V has no rows where skills do not depend on the context."""

    w: Floats  # (F, C)
    b: Floats  # (C,)
    z: Floats  # (K, C, C)
    v: Floats  # (min(F, WIDEST) or 0, K C C)

    @property
    def packed(self) -> Floats:
        return np.concatenate([part.ravel() for part in self])

    def shares(self, x: csr_array) -> Floats:
        """s, shape (N, C)."""
        return np.asarray(softmax(x @ self.w + self.b, axis=1))

    def skills(self, x: csr_array) -> Floats:
        """A, shape (N, K, C, C), or (1, K, C, C) where it is the same for all."""
        of_context = (self.read_by_v(x) @ self.v).reshape(-1, *self.z.shape) if len(self.v) else np.zeros((1, 1, 1, 1))
        return np.asarray(softmax(self.z + of_context, axis=3))

    def read_by_v(self, x: csr_array) -> csr_array:
        return x if x.shape[1] == len(self.v) else x[:, : len(self.v)]

    def predict(self, x: csr_array) -> tuple[Floats, Floats]:
        """s and A."""
        return self.shares(x), self.skills(x)


class Step(NamedTuple):
    """Progress of a training."""

    fold: int  # from 0 on
    folds: int
    iteration: int


OnIteration = Callable[[int], None]  # receives how many iterations of a fit are done
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

    Args: `by_labels` is Dawid-Skene by people's labels, where there are any; `regulariser` is lam, chosen where None,
    but that of `training` for a context's own learner.
    """
    counted = ~one_sided(votes(y))
    counted |= ~counted.any()  # all, if there are no others
    judged = VotedItems(context.x, _answers(y[:, counted], method), context.group, np.zeros((len(y), y.shape[2])))
    trainings = _trainings(training._replace(method=method), regulariser, is_chosen=context.learner is None)
    choices = [each._replace(method="skill-aggregation") for each in trainings] if len(trainings) > 1 else trainings
    rounds, seed = len(trainings) + (choices != trainings) + (by_labels is not None), int(rng.integers(2**32))

    def fitted(number: int, judged: VotedItems, training: Training) -> Fitted:
        def tell(fold: int, folds: int, iteration: int) -> None:
            progress(Step(fold + number * folds, rounds * folds, iteration))

        return cross_fit(judged, training, np.random.default_rng(seed), context.learner or linear, tell)

    fits = [fitted(number, judged, each) for number, each in enumerate(choices)]
    best = int(np.argmin([surprise(judged.y, np.einsum("nc,nkcb->nkb", s, a) + LEAST) for s, a, _ in fits]))
    v = None if method in BY_CONTEXT_ALONE else votes(y)
    fits_of_best = fits[best] if choices == trainings else fitted(len(fits), judged, trainings[best])
    by_judges = _verdicts(fits_of_best, v, counted)
    if by_labels is None:
        return by_judges
    held_out = trainings[best]._replace(folds=training.folds)
    by_both = _verdicts(fitted(rounds - 1, judged._replace(labels=by_labels.labels), held_out), v, counted)
    return _pooled([by_judges, by_both], by_labels)


def _answers(y: Probabilities, method: ContextMethod) -> Floats:
    """y as it is fitted: zero where a judge gave no answer, and (N, 1, C) if it is the majority's."""
    if method == "train-on-majority":
        counts = votes(y).sum(axis=1, keepdims=True)
        return np.where(counts.any(axis=2, keepdims=True), votes(counts), 0.0)
    return np.where(np.isnan(y).any(axis=2, keepdims=True), 0.0, y)


def _trainings(training: Training, regulariser: float | None, *, is_chosen: bool) -> list[Training]:
    """Trainings to choose from. Where the context decides alone there is no lambda, and no vote to count double."""
    if training.method in BY_CONTEXT_ALONE:
        return [training._replace(folds=1)]
    if regulariser is not None:
        return [training._replace(regulariser=regulariser)]
    return [training._replace(regulariser=each) for each in REGULARISERS] if is_chosen else [training]


def cross_fit(
    judged: VotedItems,
    training: Training,
    rng: np.random.Generator,
    learner: Learner,
    tell: Callable[[int, int, int], None],
) -> Fitted:
    """Each fold's s and A from the other folds, of a single group from itself."""
    n, judges, classes = judged.y.shape
    folds = folds_of(judged.group, training.folds, rng)
    s, a, ends = np.empty((n, classes)), np.empty((n, judges, classes, classes)), []
    for number, fold in enumerate(folds):
        rest = judged.take(~fold) if len(folds) > 1 else judged
        if rest.labels.any():
            v = votes(rest.y) * rest.y.any(axis=2, keepdims=True)
            rest = rest._replace(z=np.log(estimated(v, as_of_all(v, rest.labels)).confusion))
        of_items, end = learner(rest, training, rng, partial(tell, number, len(folds)))
        s[fold], a[fold] = of_items(judged.x[fold])
        ends.append(end)
    return s, a, _slowest(ends)


def linear(
    judged: VotedItems, training: Training, rng: np.random.Generator, step: OnIteration
) -> tuple[Predict, Convergence]:
    """A fit to the context as it is, its heaviest columns first, which V reads, without those of zeros."""
    weight = judged.x.power(2).sum(axis=0)
    order = np.argsort(-weight, kind="stable")[: np.count_nonzero(weight)]
    parameters, end = fit(judged._replace(x=judged.x[:, order]), training, rng, step)
    return lambda x: parameters.predict(x[:, order]), end


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


def fit(
    judged: VotedItems, training: Training, rng: np.random.Generator, step: OnIteration
) -> tuple[Parameters, Convergence]:
    """The parameters that predict best what was held out; ends when no better ones come."""
    from scipy.optimize import minimize  # slow to load, and few need it

    some, others = split(judged, rng)
    (_, judges, classes), f = some.y.shape, some.x.shape[1]
    z = np.tile(STARTS_AT * np.eye(classes), (judges, 1, 1)) if some.z is None else some.z
    v = np.zeros((min(f, WIDEST) if training.method == "skill-aggregation-x" else 0, judges * classes**2))
    start = Parameters(np.zeros((f, classes)), np.zeros(classes), z, v).packed
    best, least, iterations, since = start, np.inf, 0, 0

    def see(theta: Floats) -> None:
        nonlocal best, least, iterations, since
        iterations, since = iterations + 1, since + 1
        step(iterations)
        unforeseen = loss(theta, others, training.without_penalty)[0]
        if unforeseen < least:
            best, least, since = theta.copy(), unforeseen, 0
        elif since >= training.patience:
            raise StopIteration

    end = minimize(  # type: ignore[call-overload]  # the stubs know no callback of one plain vector
        lambda theta: loss(theta, some, training), start, method="L-BFGS-B", jac=True, callback=see,
        options={"maxiter": training.max_iterations, "gtol": 1e-6},
    )  # fmt: skip
    outcome = Outcome.CONVERGED if end.success or since >= training.patience else Outcome.MAX_ITERATIONS
    return unpack(best, some), Convergence(outcome, end.nit, float(np.abs(end.jac).max()))


def split(judged: VotedItems, rng: np.random.Generator) -> tuple[VotedItems, VotedItems]:
    """Items to fit, and groups of them held out to end it; both are all there is of a single group."""
    out = folds_of(judged.group, STOPPED_BY, rng)[0]
    return (judged, judged) if out.all() else (judged.take(~out), judged.take(out))


def folds_of(group: Ints, count: int, rng: np.random.Generator) -> list[Bools]:
    """Items of each fold, as flags (N,); groups stay whole."""
    names = rng.permutation(np.unique(group))
    return [np.isin(group, part) for part in np.array_split(names, min(count, len(names)))]


def loss(theta: Floats, judged: VotedItems, training: Training) -> tuple[float, Floats]:
    """The sum that is minimised, and its gradient, for the packed parameters."""
    p = unpack(theta, judged)
    value, du, dz = _slopes(p, judged, training)
    value += 0.5 * training.ridge * float((p.w**2).sum()) + 0.5 * training.ridge_x * float((p.v**2).sum())
    dw = judged.x.T @ du + training.ridge * p.w
    dv = p.read_by_v(judged.x).T @ dz.reshape(len(du), -1) + training.ridge_x * p.v if len(p.v) else p.v
    dz = dz.sum(axis=0) if judged.z is None else np.zeros_like(p.z)
    return value, Parameters(dw, du.sum(axis=0), dz, dv).packed


def slope_in_context(theta: Floats, judged: VotedItems, training: Training) -> Floats:
    """(N, F) gradient of the loss by x, for whoever trains what made it."""
    p = unpack(theta, judged)
    _, du, dz = _slopes(p, judged, training)
    slope = du @ p.w.T
    if len(p.v):
        slope[:, : len(p.v)] += dz.reshape(len(du), -1) @ p.v.T
    return slope


def _slopes(p: Parameters, judged: VotedItems, training: Training) -> tuple[float, Floats, Floats]:
    """The terms without ridges; their gradients by x W + b, (N, C), and by z + x V, as `_of_skills` has it."""
    s, known = p.shares(judged.x), judged.labels.any(axis=1, keepdims=True)
    classes = np.where(known, judged.labels, s)
    if training.method == "train-on-majority":
        expected = classes[:, None] + LEAST
        ds, dz = -(judged.y / expected).sum(axis=1) / len(s), np.zeros_like(p.z)[None]
        value = surprise(judged.y, expected)
    elif training.method == "crowdlayer":
        value, ds, dz = _of_crowdlayer(p, classes, judged.y)
    else:
        value, ds, dz = _of_skills(p.skills(judged.x), classes, judged.y, training.regulariser)
    du = np.where(known, (s - judged.labels) / len(s), s * (ds - (s * ds).sum(axis=1, keepdims=True)))
    return value - float((judged.labels * np.log(s + LEAST)).sum()) / len(s), du, dz


def _of_crowdlayer(p: Parameters, s: Floats, y: Floats) -> tuple[float, Floats, Floats]:
    expected = softmax(_einsum("nc,kcb->nkb", s, p.z), axis=2)
    slope = (expected * y.sum(axis=2, keepdims=True) - y) / len(s)
    return surprise(y, expected), _einsum("nkb,kcb->nc", slope, p.z), _einsum("nc,nkb->kcb", s, slope)[None]


def _of_skills(a: Floats, s: Floats, y: Floats, regulariser: float) -> tuple[float, Floats, Floats]:
    """The value, its gradient by s, (N, C), and by z + x V: (N, K, C, C), or (1, K, C, C) where A is alike for all."""
    kcb, each = ("kcb", a[0]) if len(a) == 1 else ("nkcb", a)
    expected = _einsum(f"nc,{kcb}->nkb", s, each) + LEAST
    slope = -y / expected / len(s)
    ds, da = _einsum(f"nkb,{kcb}->nc", slope, each), _einsum(f"nc,nkb->{kcb}", s, slope).reshape(a.shape)
    gap = a[:, :, :-1, :-1] - a[:, :, -1:, :-1]
    da[:, :, :-1, :-1] += 2.0 * regulariser * gap / len(a)
    da[:, :, -1, :-1] -= 2.0 * regulariser * gap.sum(axis=2) / len(a)
    dz = a * (da - (a * da).sum(axis=3, keepdims=True))
    return surprise(y, expected) + regulariser * float((gap**2).sum()) / len(a), ds, dz


_einsum = partial(np.einsum, optimize=True)  # by matrix products where these do


def surprise(y: Floats, expected: Floats) -> float:
    """- (1/N) sum_nkb y_nkb log P_nkb."""
    return -float((y * np.log(expected)).sum()) / len(y)


def unpack(theta: Floats, judged: VotedItems) -> Parameters:
    (_, judges, classes), f = judged.y.shape, judged.x.shape[1]
    w, b, z, v = np.split(theta, np.cumsum([f * classes, classes, judges * classes**2]))
    return Parameters(w.reshape(f, classes), b, z.reshape(judges, classes, classes), v.reshape(-1, judges * classes**2))
