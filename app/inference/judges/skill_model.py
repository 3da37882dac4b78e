"""Each item's class by its context, and each judge's skill: what is fitted to judges' answers (SA 4 and App. F).

    x_n     the item's context as F numbers (encoders.py)
    s_nc    softmax_c(x_n W + b): the class, by context alone
    A_nkcb  softmax_b(z_kcb + x_n V_kcb): how judge k answers in class c, P(b_nk = b | c_n = c). V = 0, unless skills
            are to depend on the context (SkillAggregation-X)
    P_nkb   sum_c s_nc A_nkcb: what judge k is expected to answer; in Crowdlayer softmax_b(sum_c s_nc z_kcb)

Minimise over W, b, z and V, with y_nkb the judge's own probabilities, zero for all b where a judge left the item out,

    - (1/N) sum_nkb y_nkb log P_nkb + (lam/N) sum_nk sum_{c,b < C} (A_nkcb - A_nkCb)^2
    + ridge |W|^2 / 2 + ridge_x |V|^2 / 2

Where people labelled item n, its shares of their labels l_nc take the place of s_nc in the first term, and - (1/N)
sum_c l_nc log s_nc comes to it. If z is given, it is not fitted.

The second term (eq. 8) keeps sure judges from being trusted too much. The others are ours, for contexts of many
numbers. ridge_x is large, or V would explain each judge by the context alone, with nothing left for the class to say.
"""

from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import softmax

from app.inference.judges.aggregation import Labels, is_labelled
from app.inference.types import Bools, Floats, Ints

Head = Literal["skills", "skills-x", "crowdlayer", "shares"]
STARTS_AT = 1.0  # logit by which a judge is trusted, at first, to say the class that it is
WIDEST = 1000  # columns of a context that V reads at most
LEAST = 1e-12  # of probabilities that are divided by


class Training(NamedTuple):
    """Settings of a fit, and of how it is held out."""

    regulariser: float = 0.1  # lam
    ridge: float = 2e-4
    ridge_x: float = 0.2
    folds: int = 5
    held_out: float = 0.1  # share of a fit's groups that decide when to stop
    patience: int = 30  # iterations without a better fit to them
    max_iterations: int = 300


NO_PENALTY = Training(regulariser=0.0, ridge=0.0, ridge_x=0.0)


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


def first_guess(judged: VotedItems, head: Head) -> Parameters:
    """Parameters by which every class is alike, and every judge is somewhat right."""
    (_, judges, classes), f = judged.y.shape, judged.x.shape[1]
    z = np.tile(STARTS_AT * np.eye(classes), (judges, 1, 1)) if judged.z is None else judged.z
    v = np.zeros((min(f, WIDEST) if head == "skills-x" else 0, judges * classes**2))
    return Parameters(np.zeros((f, classes)), np.zeros(classes), z, v)


def loss(theta: Floats, judged: VotedItems, head: Head, training: Training) -> tuple[float, Floats]:
    """The sum that is minimised, and its gradient, for the packed parameters."""
    p = unpack(theta, judged, head)
    terms, du = _terms(p, judged, head, training)
    value = terms.value + 0.5 * training.ridge * float((p.w**2).sum()) + 0.5 * training.ridge_x * float((p.v**2).sum())
    dw = judged.x.T @ du + training.ridge * p.w
    dz = terms.dz.sum(axis=0) if judged.z is None else np.zeros_like(p.z)
    dv = _read_by_v(p, judged.x).T @ terms.dz.reshape(len(du), -1) + training.ridge_x * p.v if len(p.v) else p.v
    return value, pack(Parameters(dw, du.sum(axis=0), dz, dv))


def slope_in_context(theta: Floats, judged: VotedItems, head: Head, training: Training) -> Floats:
    """(N, F) gradient of the loss by x, for whoever trains what made it."""
    p = unpack(theta, judged, head)
    terms, du = _terms(p, judged, head, training)
    slope = du @ p.w.T
    if len(p.v):
        slope[:, : len(p.v)] += terms.dz.reshape(len(du), -1) @ p.v.T
    return slope


class _Terms(NamedTuple):
    """Terms of the loss that depend on the judges' answers, and their gradients."""

    value: float
    ds: Floats  # (N, C)
    dz: Floats  # (N, K, C, C) by z + x V, or (1, K, C, C) by z where V = 0


def _terms(p: Parameters, judged: VotedItems, head: Head, training: Training) -> tuple[_Terms, Floats]:
    """The terms without ridges, with their gradient by x W + b, (N, C)."""
    s, known = shares(p, judged.x), is_labelled(judged.labels)[:, None]
    classes = np.where(known, judged.labels, s)
    if head == "shares":
        terms = _shares_terms(p, classes, judged)
    elif head == "crowdlayer":
        terms = _crowdlayer_terms(p, classes, judged)
    else:
        terms = _skills_terms(p, classes, judged, training.regulariser)
    du = np.where(known, (s - judged.labels) / len(s), s * (terms.ds - (s * terms.ds).sum(axis=1, keepdims=True)))
    unforeseen = -float((judged.labels * np.log(s + LEAST)).sum()) / len(s)
    return terms._replace(value=terms.value + unforeseen), du


def _shares_terms(p: Parameters, s: Floats, judged: VotedItems) -> _Terms:
    """Expect s itself of every judge."""
    expected = s[:, None, :] + LEAST
    return _Terms(surprise(judged.y, expected), -(judged.y / expected).sum(axis=1) / len(s), np.zeros_like(p.z)[None])


def _crowdlayer_terms(p: Parameters, s: Floats, judged: VotedItems) -> _Terms:
    expected = softmax(_einsum("nc,kcb->nkb", s, p.z), axis=2)
    slope = (expected * judged.y.sum(axis=2, keepdims=True) - judged.y) / len(s)
    ds, dz = _einsum("nkb,kcb->nc", slope, p.z), _einsum("nc,nkb->kcb", s, slope)
    return _Terms(surprise(judged.y, expected), ds, dz[None])


def _skills_terms(p: Parameters, s: Floats, judged: VotedItems, regulariser: float) -> _Terms:
    """A has one row for all items where skills do not depend on the context."""
    a, kcb = skills(p, judged.x), "nkcb" if len(p.v) else "kcb"
    each = a if len(p.v) else a[0]
    expected = _einsum(f"nc,{kcb}->nkb", s, each) + LEAST
    slope = -judged.y / expected / len(s)
    ds, da = _einsum(f"nkb,{kcb}->nc", slope, each), _einsum(f"nc,nkb->{kcb}", s, slope).reshape(a.shape)
    gap = a[:, :, :-1, :-1] - a[:, :, -1:, :-1]
    da[:, :, :-1, :-1] += 2.0 * regulariser * gap / len(a)
    da[:, :, -1, :-1] -= 2.0 * regulariser * gap.sum(axis=2) / len(a)
    dz = a * (da - (a * da).sum(axis=3, keepdims=True))
    return _Terms(surprise(judged.y, expected) + regulariser * float((gap**2).sum()) / len(a), ds, dz)


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


def unpack(theta: Floats, judged: VotedItems, head: Head) -> Parameters:
    (_, judges, classes), f = judged.y.shape, judged.x.shape[1]
    w, b, z, v = np.split(theta, np.cumsum([f * classes, classes, judges * classes**2]))
    return Parameters(w.reshape(f, classes), b, z.reshape(judges, classes, classes), v.reshape(-1, judges * classes**2))


def take(judged: VotedItems, keep: Bools | Ints) -> VotedItems:
    return VotedItems(judged.x[keep], judged.y[keep], judged.group[keep], judged.labels[keep], judged.z)
