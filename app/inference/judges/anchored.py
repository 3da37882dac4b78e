"""Dawid-Skene held to people's labels (ours).

t_nc is the share of the people who labelled item n that gave it class c; P(c | n) = t_nc there, whatever judges say.
The other items come into the M step with a weight u, and judges who err together (dependence.py) share their votes:

    M   pi and A_kcb as in aggregation.py, from t_nc of labelled items, weighted where these are unlike the others
        (labels.py), and u P(c | n) of the others
    E   log P(c | n) = log pi_c + sum_k count_k sum_b v_nkb log A_kcb + constant        of the others

from the A of the labelled items on. Items without a label help where errors are independent, and mislead where most
judges have correlated errors: then they agree with each other more than with the truth. The weight u is the largest of
WEIGHTS by which the labels of some are predicted from those of the others, sum of log sum_c t_nc P(c | n) over FOLDS
parts, as well as by any, to AS_GOOD. With u = 0 the labels alone say who is right how often. count_k is 1 until A has
decided.
"""

from typing import NamedTuple

import numpy as np

from app.inference.judges.aggregation import (
    TOLERANCE,
    Aggregate,
    Labels,
    Latent,
    Votes,
    estimated,
    expected,
    fixed_point,
    is_labelled,
    with_labels,
)
from app.inference.judges.dependence import Dependence, dependence
from app.inference.judges.labels import as_of_all
from app.inference.types import Convergence, Floats, Ints

WEIGHTS = (0.0, 0.1, 1.0)
FOLDS = 10
AS_GOOD = 1.0  # log likelihood
ROUGH = 1e-3  # tolerance while u is chosen
LEAST = 1e-3  # probability: one label that nobody foresaw does not decide


class Anchored(NamedTuple):
    aggregate: Aggregate
    dependence: Dependence
    labels: Labels
    held_out: Floats  # (N, C) P(c | n) by the labels of other items than n


def dawid_skene_anchored(v: Votes, labels: Labels, rng: np.random.Generator) -> Anchored:
    """Args: `labels` of one item at least; `rng` parts the labelled items."""
    parts = np.array_split(rng.permutation(np.flatnonzero(is_labelled(labels))), FOLDS)
    parts = [part for part in parts if len(part)]
    predicted = {u: _held_out(v, labels, u, parts) for u in WEIGHTS}
    known = is_labelled(labels)
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
    latent, convergence = _fit(v, labels, u, tolerance)
    together = dependence(v, latent)
    group = Aggregate(expected(v, latent, together.counts_for), latent.confusion, convergence)
    return with_labels(group, labels), together


def _fit(v: Votes, labels: Labels, u: float, tolerance: float) -> tuple[Latent, Convergence]:
    known, by_labels = is_labelled(labels)[:, None], as_of_all(v, labels)
    if not u:
        return estimated(v, by_labels), Convergence.of(0.0, 0, tolerance)

    def latent(p: Floats) -> Latent:
        return estimated(v, by_labels + np.where(known, 0.0, u * p))

    p, convergence = fixed_point(labels, lambda p: np.where(known, labels, expected(v, latent(p))), tolerance)
    return latent(p), convergence
