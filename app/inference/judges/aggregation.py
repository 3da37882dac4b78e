"""One verdict from those of several judges on the same items (SA algorithms 1 to 3), held to people's labels (ours).

    y_nkc   judge k's probability of class c for item n
    v_nkb   its vote: 1 for the class b = argmax_c y_nkc, shared alike among classes that are equal; 0 for all classes
            where the judge gave no answer

An answer gives probabilities, or names a class, or is a tie of all: then y_nkc is 1 for the class named, or 1 / C for
each. Ties that are to be a class of their own are named as one.

    average          P(c | n) = mean over k of y_nkc
    majority         P(c | n) = share of the votes for c
    Dawid-Skene      votes by confusion matrix A_k of their judge, A_kcb = P(vote for b | c_n = c), and c_n ~ pi:
                     E   log P(c | n) = log pi_c + sum_kb v_nkb log A_kcb + constant
                     M   pi_c = (1 + sum_n P(c | n)) / (C + N),
                         A_kcb = (sum_n P(c | n) v_nkb + prior votes) / their sum over b
                     from the majority on, until no probability moves by more than TOLERANCE

SA 3.1 has b = 1[y > 0.5], by which a judge that cannot tell says no, as does a tied majority, and equally frequent
classes, pi_c = 1/C. All three to the letter is `to_first` of votes and labels, the first of equal classes being no, and
`equal_shares` of dawid_skene. Prior votes keep judges fallible, or EM may turn any minority into the truth. If other
names for the classes fit the judges' own words better (a larger trace of all A_k), they are renamed.

Labels t_nc are the share of the people who labelled item n that gave it class c; P(c | n) = t_nc there, whatever judges
say. The other items come into the M step with a weight u, and judges who err together share their votes:

    M   pi and A_kcb as above, from t_nc of labelled items, weighted where these are unlike the others, and u P(c | n)
        of the others
    E   log P(c | n) = log pi_c + sum_k count_k sum_b v_nkb log A_kcb + constant        of the others

from the A of the labelled items on, with count_k = 1 until A has decided. u is the largest of WEIGHTS by which the
labels of some are predicted from those of the others, sum of log sum_c t_nc P(c | n) over FOLDS parts, as well as by
any, to AS_GOOD (decision 53).

The labelled items are unlike the others if their mean agreement, the chance that two judges of an item agree, is more
than UNLIKE standard errors from that of all. Of N items, L labelled, let d judges dissent from most in N_d, and L_d of
these be labelled. With the majority as one label more, and t_nc = 0 without a label, judges are then learnt from

    (L / N) (N_d t_nc + sum_k v_nkc / sum_kb v_nkb) / (L_d + 1)

Judges j and k whose errors are independent given the class agree on a share e_jk = sum_c pi_c sum_b A_jcb A_kcb of the
n_jk items that both judged; they do on o_jk. By the bivariate residual of latent class analysis (Vermunt and Magidson,
2004) m judges who are copies of each other count for one:

    z_jk = (o_jk - e_jk) / sqrt(e_jk (1 - e_jk) / n_jk + Var e_jk)
    rho_jk = (o_jk - e_jk) / (1 - e_jk)
    count_k = 1 / (1 + sum of rho_jk over the j that are dependent on k)

Var e_jk is that of A_jcb and A_kcb as shares of m_jc and m_kc votes. Two judges are dependent if z_jk exceeds the
normal quantile at FALSE_ALARMS, shared among all pairs, and rho_jk exceeds SLIGHT.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtri, softmax

from app.inference.types import Bools, Convergence, Floats, Ints

TOLERANCE, MAX_ITERATIONS = 1e-6, 10_000
RIGHT, WRONG = 2.0, 1.0  # votes of each class that every judge is assumed to have got right, and given each other one
ONE_SIDED = 0.95  # share of one class from which on a judge says always the same
EQUAL = 1e-9  # of probabilities that count as tied
WEIGHTS = (0.0, 0.1, 1.0)
FOLDS = 10
AS_GOOD = 1.0  # log likelihood
ROUGH = 1e-3  # tolerance while u is chosen
LEAST = 1e-3  # probability: one label that nobody foresaw does not decide
UNLIKE = 3.0
FALSE_ALARMS = 0.01  # chance that independent judges are ever called dependent
SLIGHT = 0.1  # rho that may be

Probabilities = NDArray[np.float64]  # (N, K, C), NaN for a judge without an answer
Votes = NDArray[np.float64]  # (N, K, C) v_nkb
Labels = NDArray[np.float64]  # (N, C) share of the people who gave item n class c; zeros where nobody labelled it


class Latent(NamedTuple):
    """The latent classes that explain the votes, as Dawid and Skene have them."""

    pi: Floats  # (C,)
    confusion: Floats  # (K, C, C) A_kcb
    counts: Floats  # (K, C) votes that each row of A rests on, those of the prior included


class Aggregate(NamedTuple):
    """The judges' common answers. The confusion matrix of a judge without an answer is the prior's."""

    probability: Floats  # (N, C)
    confusion: Floats | None = None  # (K, C, C), A_kcb, where judges are distinguished
    convergence: Convergence | None = None

    def labels(self, rng: np.random.Generator, *, to_first: bool = False) -> Ints:
        """(N,) the likeliest classes; ties are broken at random, so that no class is favoured, or go to the first."""
        best = votes(self.probability) > 0.0
        return np.asarray(np.argmax(best if to_first else best * rng.random(best.shape), axis=1), dtype=np.int64)


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


def binary(y: Floats) -> Probabilities:
    """(N, K, 2) from the (N, K) probabilities of class 1."""
    return np.stack([1.0 - y, y], axis=-1)


def votes(y: Probabilities, *, to_first: bool = False) -> Votes:
    """Each judge's votes on each item, half for each of two classes that it gives 0.5; of (N, C) answers, too."""
    answered = ~np.isnan(y).any(axis=-1, keepdims=True)
    best = answered & (y >= y.max(axis=-1, keepdims=True) - EQUAL)
    if to_first:
        best &= best.cumsum(axis=-1) == 1
    return np.asarray(best / np.maximum(best.sum(axis=-1, keepdims=True), 1))


def with_labels(group: Aggregate, labels: Labels) -> Aggregate:
    """Labelled items have people's classes, whatever the judges say."""
    return group._replace(probability=np.where(np.any(labels, axis=1, keepdims=True), labels, group.probability))


def one_sided(v: Votes) -> Bools:
    """(K,) judges whose votes are next to all of one class: they tell nothing of any item."""
    counts = v.sum(axis=0)
    return np.asarray(counts.max(axis=1) >= ONE_SIDED * np.maximum(counts.sum(axis=1), 1.0))


def average(y: Probabilities) -> Aggregate:
    """Items that nobody judged have every class alike."""
    return majority(np.where(np.isnan(y).any(axis=2, keepdims=True), 0.0, y))


def majority(v: Votes) -> Aggregate:
    """Items that nobody judged have every class alike."""
    counts = v.sum(axis=1)
    total = counts.sum(axis=1, keepdims=True)
    return Aggregate(np.where(total > 0.0, counts / np.where(total > 0.0, total, 1.0), 1.0 / v.shape[2]))


def dawid_skene(v: Votes, *, equal_shares: bool = False) -> Aggregate:
    """Items that nobody judged have the classes' overall shares. Those with the same votes are fitted as one."""
    from scipy.optimize import linear_sum_assignment  # slow to load, and few need it

    n, judges, classes = v.shape
    rows, kind, count = np.unique(v.reshape(n, judges * classes), axis=0, return_inverse=True, return_counts=True)
    kinds, items = rows.reshape(len(rows), judges, classes), count[:, None]

    def step(p: Floats) -> Floats:
        return expected(kinds, estimated(kinds, items * p, equal_shares=equal_shares))

    p, convergence = fixed_point(majority(kinds).probability, step, TOLERANCE)
    confusion = estimated(kinds, items * p).confusion
    of_class, name = linear_sum_assignment(-confusion.sum(axis=0))  # so that judges are right as often as they can be
    names = of_class[np.argsort(name)]
    return Aggregate(p[kind][:, names], confusion[:, names], convergence)


def fixed_point(p: Floats, step: Callable[[Floats], Floats], tolerance: float) -> tuple[Floats, Convergence]:
    """P(c | n), (N, C), once a step, E after M, moves no probability by more than the tolerance."""
    iterations, moved = 0, np.inf
    while moved > tolerance and iterations < MAX_ITERATIONS:
        new = step(p)
        moved, p, iterations = float(np.abs(new - p).max(initial=0.0)), new, iterations + 1
    return p, Convergence.of(moved, iterations, tolerance)


def estimated(v: Votes, p: Floats, *, equal_shares: bool = False) -> Latent:
    """The M step. Items count for the sum of their row of `p` (N, C); `equal_shares` are those of all classes."""
    n, judges, classes = v.shape
    counts = (p.T @ v.reshape(n, judges * classes)).reshape(classes, judges, classes).swapaxes(0, 1)
    counts = counts + np.where(np.eye(classes) > 0.0, RIGHT, WRONG)
    votes_of_class = counts.sum(axis=2)
    pi = np.full(classes, 1.0 / classes) if equal_shares else (1.0 + p.sum(axis=0)) / (classes + p.sum())
    return Latent(pi, counts / votes_of_class[:, :, None], votes_of_class)


def expected(v: Votes, latent: Latent, count: Floats | float = 1.0) -> Floats:
    """The E step, P(c | n), in log space: hundreds of judges do not underflow. `count` (K,) is count_k."""
    judges, classes, _ = latent.confusion.shape
    log_a = np.log(latent.confusion).swapaxes(1, 2) * np.reshape(count, (-1, 1, 1))
    evidence = v.reshape(len(v), judges * classes) @ log_a.reshape(judges * classes, classes)
    return np.asarray(softmax(np.log(latent.pi) + evidence, axis=1))


def dawid_skene_anchored(v: Votes, labels: Labels, rng: np.random.Generator, *, equal_shares: bool = False) -> Anchored:
    """The common answers by labels and votes; as `dawid_skene` has them where nobody labelled anything."""
    known = np.any(labels, axis=1)
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
    known, by_labels = np.any(labels, axis=1, keepdims=True), as_of_all(v, labels)

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
    judged = np.any(v, axis=(1, 2))
    known = np.any(labels, axis=1) & judged
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
