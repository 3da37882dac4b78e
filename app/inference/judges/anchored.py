"""Dawid-Skene held to people's labels, and judges who err together (ours).

t_nc is the share of the people who labelled item n that gave it class c; P(c | n) = t_nc there, whatever judges say.
The other items come into the M step with a weight u, and judges who err together share their votes:

    M   pi and A_kcb as in aggregation.py, from t_nc of labelled items, weighted where these are unlike the others,
        and u P(c | n) of the others
    E   log P(c | n) = log pi_c + sum_k count_k sum_b v_nkb log A_kcb + constant        of the others

from the A of the labelled items on. Items without a label help where errors are independent, and mislead where most
judges have correlated errors: then they agree with each other more than with the truth. The weight u is the largest of
WEIGHTS by which the labels of some are predicted from those of the others, sum of log sum_c t_nc P(c | n) over FOLDS
parts, as well as by any, to AS_GOOD. With u = 0 the labels alone say who is right how often. count_k is 1 until A has
decided.

The labelled items are unlike the others if their mean agreement, the chance that two judges of an item agree, is more
than UNLIKE standard errors from that of all. Their labels are then weighted (post-stratification), with the majority as
one label more. Of N items, L labelled, let d judges dissent from most in N_d, of which L_d are labelled. With t_nc = 0
without a label, judges are learnt from

    (L / N) (N_d t_nc + sum_k v_nkc / sum_kb v_nkb) / (L_d + 1)

Judges j and k whose errors are independent given the class agree on a share

    e_jk = sum_c pi_c sum_b A_jcb A_kcb

of the n_jk items that both judged; they do on o_jk. The bivariate residual of latent class analysis (Vermunt and
Magidson, 2004), and what judge k counts for among those it errs with:

    z_jk = (o_jk - e_jk) / sqrt(e_jk (1 - e_jk) / n_jk + Var e_jk)
    rho_jk = (o_jk - e_jk) / (1 - e_jk)
    count_k = 1 / (1 + sum of rho_jk over the j that are dependent on k)

so that m judges who are copies of each other count for one. Var e_jk is that of A_jcb and A_kcb as shares of m_jc
and m_kc votes. Two judges are dependent if z_jk exceeds the normal quantile at FALSE_ALARMS, shared among all pairs,
and rho_jk exceeds SLIGHT.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtri

from app.inference.judges.aggregation import (
    EQUAL,
    TOLERANCE,
    Aggregate,
    Labels,
    Latent,
    Votes,
    dawid_skene,
    estimated,
    expected,
    fixed_point,
    is_labelled,
    majority,
    with_labels,
)
from app.inference.types import Bools, Convergence, Floats, Ints

WEIGHTS = (0.0, 0.1, 1.0)
FOLDS = 10
AS_GOOD = 1.0  # log likelihood
ROUGH = 1e-3  # tolerance while u is chosen
LEAST = 1e-3  # probability: one label that nobody foresaw does not decide
UNLIKE = 3.0
FALSE_ALARMS = 0.01  # chance that independent judges are ever called dependent
SLIGHT = 0.1  # rho that may be


class Dependence(NamedTuple):
    """Agreement of every two judges, as it is and as independent errors would make it."""

    observed: Floats  # (K, K) o
    expected: Floats  # (K, K) e
    rho: Floats  # (K, K) where two are dependent, else 0

    @property
    def counts_for(self) -> Floats:
        """(K,) count_k."""
        return np.asarray(1.0 / (1.0 + self.rho.sum(axis=1)))

    def groups(self) -> list[Ints]:
        """Judges that are dependent on each other, by number; the largest group first."""
        _, label = connected_components(csr_array(self.rho), directed=False)
        members = [np.flatnonzero(label == each) for each in np.unique(label)]
        return sorted((group for group in members if len(group) > 1), key=len, reverse=True)


class Anchored(NamedTuple):
    aggregate: Aggregate
    dependence: Dependence
    labels: Labels
    held_out: Floats  # (N, C) P(c | n) by the labels of other items than n


def dawid_skene_anchored(v: Votes, labels: Labels, rng: np.random.Generator, *, equal_shares: bool = False) -> Anchored:
    """The common answers by labels and votes; as `dawid_skene` has them where nobody labelled anything.

    Args: `rng` parts the labelled items; `equal_shares` is for `dawid_skene`.
    """
    known = is_labelled(labels)
    if not known.any():
        group = dawid_skene(v, equal_shares=equal_shares)
        latent = estimated(v, group.probability, equal_shares=equal_shares)
        return Anchored(group, dependence(v, latent), labels, group.probability)
    parts = np.array_split(rng.permutation(np.flatnonzero(known)), min(FOLDS, known.sum()))
    predicted = {u: _held_out(v, labels, u, parts) for u in WEIGHTS}
    likelihood = {u: float(np.log((predicted[u] * labels)[known].sum(axis=1) + LEAST).sum()) for u in WEIGHTS}
    u = max(u for u in WEIGHTS if likelihood[u] >= max(likelihood.values()) - AS_GOOD)
    aggregate, together = _decided(v, labels, u, TOLERANCE)
    held_out = np.where(known[:, None], predicted[u], aggregate.probability)
    return Anchored(aggregate, together, labels, held_out)


def _held_out(v: Votes, labels: Labels, u: float, parts: list[Ints]) -> Floats:
    held_out = np.zeros_like(labels)
    for part in parts:
        others = labels.copy()
        others[part] = 0.0
        held_out[part] = _decided(v, others, u, ROUGH)[0].probability[part]
    return held_out


def _decided(v: Votes, labels: Labels, u: float, tolerance: float) -> tuple[Aggregate, Dependence]:
    """P(c | n) by labels and votes, with those who err together counted once."""
    known, by_labels = is_labelled(labels)[:, None], as_of_all(v, labels)

    def latent(p: Floats) -> Latent:
        return estimated(v, by_labels + np.where(known, 0.0, u * p))

    p, convergence = labels, Convergence.of(0.0, 0, tolerance)
    if u:
        p, convergence = fixed_point(p, lambda p: np.where(known, labels, expected(v, latent(p))), tolerance)
    fitted = latent(p)
    together = dependence(v, fitted)
    group = Aggregate(expected(v, fitted, together.counts_for), fitted.confusion, convergence)
    return with_labels(group, labels), together


def as_of_all(v: Votes, labels: Labels) -> Floats:
    """(N, C) what labels say of all items: as they are, or weighted where the labelled items are unlike the others."""
    judged = np.asarray(v.any(axis=(1, 2)))
    known = is_labelled(labels) & judged
    if not is_unlike(v, known):
        return labels
    counts = v.sum(axis=1)
    dissent = np.rint(counts.sum(axis=1) - counts.max(axis=1)).astype(np.int64)
    items, labelled = (np.bincount(dissent[some], minlength=dissent.max() + 1) for some in (judged, known))
    per_label = (known.sum() / judged.sum() / (labelled + 1.0))[dissent, None]
    by_majority = np.where(judged[:, None], majority(v).probability, 0.0)
    return np.asarray(per_label * (items[dissent, None] * labels + by_majority))


def is_unlike(v: Votes, labelled: Bools) -> bool:
    """Whether the mean agreement is, of items that several judged."""
    several = np.asarray(v.any(axis=2).sum(axis=1) > 1)
    shares = v.sum(axis=1) / np.maximum(v.sum(axis=(1, 2)), 1.0)[:, None]
    agreement, both = (shares**2).sum(axis=1), labelled & several
    if not both.any():
        return False
    gap = abs(float(agreement[both].mean() - agreement[several].mean()))
    return bool(gap > UNLIKE * float(agreement[several].std()) / np.sqrt(both.sum()) + EQUAL)


def dependence(v: Votes, latent: Latent) -> Dependence:
    """Hold the judges' agreement against that of independent errors."""
    n, judges, classes = v.shape
    flat, voted = v.reshape(n, judges * classes), v.sum(axis=2)
    both = voted.T @ voted
    agreeing = np.einsum("jbkb->jk", (flat.T @ flat).reshape(judges, classes, judges, classes))
    observed = agreeing / np.maximum(both, 1.0)
    pi, a, counts = latent
    by_class = np.einsum("c,jcb,kcb->jk", pi, a, a)
    of_j = (np.einsum("jcb,kcb->jkc", a, a**2) - np.einsum("jcb,kcb->jkc", a, a) ** 2) / counts[:, None, :]
    variance_of_it = ((of_j + of_j.swapaxes(0, 1)) * pi**2).sum(axis=2)  # shares of votes vary as those of multinomials
    variance = by_class * (1.0 - by_class) / np.maximum(both, 1.0) + variance_of_it
    z = (observed - by_class) / np.sqrt(variance)
    rho = (observed - by_class) / (1.0 - by_class)
    pairs = max(judges * (judges - 1) // 2, 1)
    dependent: Bools = (z > -ndtri(FALSE_ALARMS / pairs)) & (rho > SLIGHT) & ~np.eye(judges, dtype=np.bool_)
    return Dependence(observed, by_class, np.where(dependent & (both > 0.0), rho, 0.0))
