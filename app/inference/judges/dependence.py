"""Judges who err together: agreement beyond what errors of each its own would give.

With classes c of shares pi_c and confusion matrices A_kcb (aggregation.py), judges j and k whose errors are independent
given the class agree on a share

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

from app.inference.judges.aggregation import Latent, Votes
from app.inference.types import Bools, Floats, Ints

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


def dependence(v: Votes, latent: Latent) -> Dependence:
    """Hold the judges' agreement against that of independent errors."""
    n, judges, classes = v.shape
    flat, voted = v.reshape(n, judges * classes), v.sum(axis=2)
    both = voted.T @ voted
    agreeing = np.einsum("jbkb->jk", (flat.T @ flat).reshape(judges, classes, judges, classes))
    observed = agreeing / np.maximum(both, 1.0)
    expected = np.einsum("c,jcb,kcb->jk", latent.pi, latent.confusion, latent.confusion)
    variance = expected * (1.0 - expected) / np.maximum(both, 1.0) + _variance_of_expected(latent)
    z = (observed - expected) / np.sqrt(variance)
    rho = (observed - expected) / (1.0 - expected)
    pairs = max(judges * (judges - 1) // 2, 1)
    dependent: Bools = (z > -ndtri(FALSE_ALARMS / pairs)) & (rho > SLIGHT) & ~np.eye(judges, dtype=np.bool_)
    return Dependence(observed, expected, np.where(dependent & (both > 0.0), rho, 0.0))


def _variance_of_expected(latent: Latent) -> Floats:
    """(K, K) Var e_jk: a share of votes, weighted by the other's A, varies as that of a multinomial."""
    pi, a, counts = latent
    mean = np.einsum("jcb,kcb->jkc", a, a)
    of_j = (np.einsum("jcb,kcb->jkc", a, a**2) - mean**2) / counts[:, None, :]
    return np.asarray(((of_j + of_j.swapaxes(0, 1)) * pi**2).sum(axis=2))
