"""Each item's class by its context, and each judge's skill, fitted to judges' answers (SA 4 and App. F).

    x_n     the item's context as F numbers (skill_aggregation.py)
    s_nc    softmax_c(x_n W + b): the class, by context alone
    A_nkcb  softmax_b(z_kcb + x_n V_kcb): how judge k answers in class c, P(b_nk = b | c_n = c). V = 0, unless skills
            are to depend on the context (SkillAggregation-X)
    P_nkb   sum_c s_nc A_nkcb: what judge k is expected to answer; in Crowdlayer softmax_b(sum_c s_nc z_kcb), and s_nb
            of the majority, the one judge that "train on majority" has

Minimise over W, b, z and V, with y_nkb the judge's own probabilities, zero for all b where a judge left the item out,

    - (1/N) sum_nkb y_nkb log P_nkb + (lam/N) sum_nk sum_{c,b < C} (A_nkcb - A_nkCb)^2
    + ridge |W|^2 / 2 + ridge_x |V|^2 / 2

Where people labelled item n, its shares of their labels l_nc take the place of s_nc in the first term, and - (1/N)
sum_c l_nc log s_nc comes to it. If z is given, it is not fitted.

The second term (eq. 8) keeps sure judges from being trusted too much. The others are ours, for contexts of many
numbers. ridge_x is large, or V would explain each judge by the context alone, with nothing left for the class to say.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from nextpair.words import ContextMethod
from scipy.sparse import csr_array
from scipy.special import softmax

from app.inference.judges.aggregation import Labels
from app.inference.types import Bools, Convergence, Floats, Ints, Outcome

STARTS_AT = 1.0  # logit by which a judge is trusted, at first, to say the class that it is
WIDEST = 1000  # columns of a context that V reads at most
LEAST = 1e-12  # of probabilities that are divided by


class Training(NamedTuple):
    """Settings of a fit, and of how it is held out."""

    method: ContextMethod = "skill-aggregation"
    regulariser: float = 0.1  # lam
    ridge: float = 2e-4
    ridge_x: float = 0.2
    folds: int = 5
    held_out: float = 0.1  # share of a fit's groups that decide when to stop
    patience: int = 30  # iterations without a better fit to them
    max_iterations: int = 300

    @property
    def without_penalty(self) -> "Training":
        return self._replace(regulariser=0.0, ridge=0.0, ridge_x=0.0)


OnIteration = Callable[[int], None]  # receives how many iterations of a fit are done


class VotedItems(NamedTuple):
    """N items with what judges answered of them."""

    x: csr_array  # (N, F)
    y: Floats  # (N, K, C), zero where a judge left an item out
    group: Ints  # (N,)
    labels: Labels  # (N, C)
    z: Floats | None = None  # (K, C, C) of the equations above, where it is known


class Parameters(NamedTuple):
    """W, b, z and V of the equations above; V has no rows where skills do not depend on the context."""

    w: Floats  # (F, C)
    b: Floats  # (C,)
    z: Floats  # (K, C, C)
    v: Floats  # (min(F, WIDEST) or 0, K C C)


def fit(
    judged: VotedItems, training: Training, rng: np.random.Generator, step: OnIteration
) -> tuple[Parameters, Convergence]:
    """The parameters that predict best what was held out; ends when no better ones come."""
    from scipy.optimize import minimize  # slow to load, and few need it

    some, others = split(judged, training, rng)
    (_, judges, classes), f = some.y.shape, some.x.shape[1]
    z = np.tile(STARTS_AT * np.eye(classes), (judges, 1, 1)) if some.z is None else some.z
    v = np.zeros((min(f, WIDEST) if training.method == "skill-aggregation-x" else 0, judges * classes**2))
    start = pack(Parameters(np.zeros((f, classes)), np.zeros(classes), z, v))
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


def split(judged: VotedItems, training: Training, rng: np.random.Generator) -> tuple[VotedItems, VotedItems]:
    """Items to fit, and groups of them held out to end it; both are all there is of a single group."""
    out = folds_of(judged.group, max(round(1.0 / training.held_out), 2), rng)[0]
    return (judged, judged) if out.all() else (take(judged, ~out), take(judged, out))


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
    dv = _read_by_v(p, judged.x).T @ dz.reshape(len(du), -1) + training.ridge_x * p.v if len(p.v) else p.v
    return value, pack(Parameters(dw, du.sum(axis=0), dz.sum(axis=0) if judged.z is None else np.zeros_like(p.z), dv))


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
    s, known = shares(p, judged.x), judged.labels.any(axis=1, keepdims=True)
    classes = np.where(known, judged.labels, s)
    if training.method == "crowdlayer":
        value, ds, dz = _of_crowdlayer(p, classes, judged.y)
    else:
        a = np.eye(s.shape[1])[None, None] if training.method == "train-on-majority" else skills(p, judged.x)
        value, ds, dz = _of_skills(a, classes, judged.y, training.regulariser)
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


def predict(p: Parameters, x: csr_array) -> tuple[Floats, Floats]:
    """s and A."""
    return shares(p, x), skills(p, x)


def shares(p: Parameters, x: csr_array) -> Floats:
    """s, shape (N, C)."""
    return np.asarray(softmax(x @ p.w + p.b, axis=1))


def skills(p: Parameters, x: csr_array) -> Floats:
    """A, shape (N, K, C, C), or (1, K, C, C) where it is the same for all."""
    of_context = (_read_by_v(p, x) @ p.v).reshape(-1, *p.z.shape) if len(p.v) else np.zeros((1, 1, 1, 1))
    return np.asarray(softmax(p.z + of_context, axis=3))


def _read_by_v(p: Parameters, x: csr_array) -> csr_array:
    return x if x.shape[1] == len(p.v) else x[:, : len(p.v)]


def pack(p: Parameters) -> Floats:
    return np.concatenate([part.ravel() for part in p])


def unpack(theta: Floats, judged: VotedItems) -> Parameters:
    (_, judges, classes), f = judged.y.shape, judged.x.shape[1]
    w, b, z, v = np.split(theta, np.cumsum([f * classes, classes, judges * classes**2]))
    return Parameters(w.reshape(f, classes), b, z.reshape(judges, classes, classes), v.reshape(-1, judges * classes**2))


def take(judged: VotedItems, keep: Bools | Ints) -> VotedItems:
    return VotedItems(judged.x[keep], judged.y[keep], judged.group[keep], judged.labels[keep], judged.z)
