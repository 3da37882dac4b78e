"""One verdict from several judges and from what each item says (SA 4 and App. F).

    x_n     the item's context as F numbers (encoders.py)
    s_nc    softmax_c(x_n W + b): the class, by context alone
    A_nkcb  softmax_b(z_kcb + x_n V_kcb): how judge k answers in class c, P(b_nk = b | c_n = c). V = 0, unless skills
            are to depend on the context (SkillAggregation-X)
    P_nkb   sum_c s_nc A_nkcb: what judge k is expected to answer; in Crowdlayer softmax_b(sum_c s_nc z_kcb)

Minimise over W, b, z and V, with y_nkb the judge's own probabilities, zero for all b where a judge left the item out,

    - (1/N) sum_nkb y_nkb log P_nkb + (lam/N) sum_nk sum_{c,b < C} (A_nkcb - A_nkCb)^2
    + ridge |W|^2 / 2 + ridge_x |V|^2 / 2

The second term (eq. 8) keeps sure judges from being believed too much. The others are ours, for contexts of many
numbers; ridge_x is large, or V would explain each judge by the context alone, with nothing left for the class to say.
Then, with v_nkb the votes of judge k (aggregation.py),

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
from typing import Literal, NamedTuple

import numpy as np
from nextpair.words import ContextMethod
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import softmax

from app.inference.judges.aggregation import Aggregate, Probabilities, one_sided, votes
from app.inference.types import Bools, Convergence, Floats, Ints, Outcome

Head = Literal["skills", "skills-x", "crowdlayer", "shares"]
HEADS: Mapping[ContextMethod, Head] = {
    "skill-aggregation": "skills",
    "skill-aggregation-x": "skills-x",
    "crowdlayer": "crowdlayer",
    "train-on-majority": "shares",
}
STARTS_AT = 1.0  # logit by which a judge is believed, at first, to say the class that it is
LEAST = 1e-12  # of probabilities that are divided by


class Training(NamedTuple):
    """Settings of a fit."""

    regulariser: float = 0.1  # lam
    ridge: float = 2e-4
    ridge_x: float = 0.2
    folds: int = 5
    held_out: float = 0.1  # share of a fit's groups that decide when to stop
    patience: int = 30  # iterations without a better fit to them
    max_iterations: int = 300


NO_PENALTY = Training(regulariser=0.0, ridge=0.0, ridge_x=0.0)


class Step(NamedTuple):
    """Where a training stands."""

    fold: int  # from 0 on
    folds: int
    iteration: int


Progress = Callable[[Step], None]
OnIteration = Callable[[int], None]  # is told how many iterations of a fit are done


class ItemContext(NamedTuple):
    """Contexts of N items, in groups that are never on both sides of a split."""

    x: csr_array  # (N, F)
    group: Ints  # (N,)


class JudgedItems(NamedTuple):
    """N items with what judges answered of them."""

    x: csr_array  # (N, F)
    y: Floats  # (N, K, C), zero where a judge left an item out
    group: Ints  # (N,)


class Parameters(NamedTuple):
    """The names of above; V has no rows where skills do not depend on the context."""

    w: Floats  # (F, C)
    b: Floats  # (C,)
    z: Floats  # (K, C, C)
    v: Floats  # (F or 0, K C C)


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


def predict(p: Parameters, x: csr_array) -> tuple[Floats, Floats]:
    """s and A."""
    return shares(p, x), skills(p, x)


def split(judged: JudgedItems, training: Training, rng: np.random.Generator) -> tuple[JudgedItems, JudgedItems]:
    """Items to fit, and groups of them held out to end it; both are all there is of a single group."""
    out = _folds(judged.group, max(round(1.0 / training.held_out), 2), rng)[0]
    return (judged, judged) if out.all() else (take(judged, ~out), take(judged, out))


def fit(
    judged: JudgedItems, head: Head, training: Training, rng: np.random.Generator, step: OnIteration
) -> tuple[Parameters, Convergence]:
    """The parameters that foretell best what was held out."""
    some, others = split(judged, training, rng)
    start = pack(_start(some, head))
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


def loss(theta: Floats, judged: JudgedItems, head: Head, training: Training) -> tuple[float, Floats]:
    """The sum that is minimised, and its gradient, for the packed parameters."""
    p = unpack(theta, judged, head)
    fitted, du = _fitted(p, judged, head, training)
    value = fitted.value + 0.5 * training.ridge * float((p.w**2).sum()) + 0.5 * training.ridge_x * float((p.v**2).sum())
    dw = judged.x.T @ du + training.ridge * p.w
    dv = judged.x.T @ fitted.dz.reshape(len(du), -1) + training.ridge_x * p.v if len(p.v) else p.v
    return value, pack(Parameters(dw, du.sum(axis=0), fitted.dz.sum(axis=0), dv))


def slope_in_context(theta: Floats, judged: JudgedItems, head: Head, training: Training) -> Floats:
    """(N, F) gradient of the loss by x, for whoever trains what made it."""
    p = unpack(theta, judged, head)
    fitted, du = _fitted(p, judged, head, training)
    return du @ p.w.T + (fitted.dz.reshape(len(du), -1) @ p.v.T if len(p.v) else 0.0)


class _Fitted(NamedTuple):
    """The first two terms of the loss, and their gradients."""

    value: float
    ds: Floats  # (N, C)
    dz: Floats  # (N, K, C, C) by z + x V, or (1, K, C, C) by z where V = 0


def _fitted(p: Parameters, judged: JudgedItems, head: Head, training: Training) -> tuple[_Fitted, Floats]:
    """The first two terms, with their gradient by x W + b, (N, C)."""
    s = shares(p, judged.x)
    if head == "shares":
        fitted = _shares_terms(p, s, judged)
    elif head == "crowdlayer":
        fitted = _crowdlayer_terms(p, s, judged)
    else:
        fitted = _skills_terms(p, s, judged, training.regulariser)
    return fitted, s * (fitted.ds - (s * fitted.ds).sum(axis=1, keepdims=True))


def _shares_terms(p: Parameters, s: Floats, judged: JudgedItems) -> _Fitted:
    """Expect s itself of every judge."""
    expected = s[:, None, :] + LEAST
    return _Fitted(_surprise(judged, expected), -(judged.y / expected).sum(axis=1) / len(s), np.zeros_like(p.z)[None])


def _crowdlayer_terms(p: Parameters, s: Floats, judged: JudgedItems) -> _Fitted:
    expected = softmax(np.einsum("nc,kcb->nkb", s, p.z), axis=2)
    slope = (expected * judged.y.sum(axis=2, keepdims=True) - judged.y) / len(s)
    ds, dz = np.einsum("nkb,kcb->nc", slope, p.z), np.einsum("nc,nkb->kcb", s, slope)
    return _Fitted(_surprise(judged, expected), ds, dz[None])


def _skills_terms(p: Parameters, s: Floats, judged: JudgedItems, regulariser: float) -> _Fitted:
    """A has one row for all items where skills do not depend on the context."""
    a, n = skills(p, judged.x), len(s)
    expected = np.einsum("nc,nkcb->nkb", s, a) + LEAST
    slope = -judged.y / expected / n
    gap = a[:, :, :-1, :-1] - a[:, :, -1:, :-1]
    da = np.einsum("nc,nkb->nkcb", s, slope) if len(a) == n else np.einsum("nc,nkb->kcb", s, slope)[None]
    da[:, :, :-1, :-1] += 2.0 * regulariser * gap / len(a)
    da[:, :, -1, :-1] -= 2.0 * regulariser * gap.sum(axis=2) / len(a)
    dz = a * (da - (a * da).sum(axis=3, keepdims=True))
    value = _surprise(judged, expected) + regulariser * float((gap**2).sum()) / len(a)
    return _Fitted(value, np.einsum("nkb,nkcb->nc", slope, a), dz)


def _surprise(judged: JudgedItems, expected: Floats) -> float:
    """- (1/N) sum_nkb y_nkb log P_nkb."""
    return -float((judged.y * np.log(expected)).sum()) / len(judged.y)


def shares(p: Parameters, x: csr_array) -> Floats:
    """s, shape (N, C)."""
    return np.asarray(softmax(x @ p.w + p.b, axis=1))


def skills(p: Parameters, x: csr_array) -> Floats:
    """A, shape (N, K, C, C), or (1, K, C, C) where it is the same for all."""
    of_context = (x @ p.v).reshape(-1, *p.z.shape) if len(p.v) else np.zeros((1, 1, 1, 1))
    return np.asarray(softmax(p.z + of_context, axis=3))


def pack(p: Parameters) -> Floats:
    return np.concatenate([part.ravel() for part in p])


def unpack(theta: Floats, judged: JudgedItems, head: Head) -> Parameters:
    (_, judges, classes), f = judged.y.shape, judged.x.shape[1]
    w, b, z, v = np.split(theta, np.cumsum([f * classes, classes, judges * classes**2]))
    return Parameters(w.reshape(f, classes), b, z.reshape(judges, classes, classes), v.reshape(-1, judges * classes**2))


def take(judged: JudgedItems, keep: Bools | Ints) -> JudgedItems:
    return JudgedItems(judged.x[keep], judged.y[keep], judged.group[keep])


def _start(judged: JudgedItems, head: Head) -> Parameters:
    (_, judges, classes), f = judged.y.shape, judged.x.shape[1]
    z = np.tile(STARTS_AT * np.eye(classes), (judges, 1, 1))
    v = np.zeros((f if head == "skills-x" else 0, judges * classes**2))
    return Parameters(np.zeros((f, classes)), np.zeros(classes), z, v)


def _folds(group: Ints, count: int, rng: np.random.Generator) -> list[Bools]:
    """Which items are in each; groups stay whole."""
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
