"""The verdicts that fits, votes and labels come to (equations: skill_aggregation.py)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from app.inference.judges.aggregation import Aggregate, Votes, is_labelled, with_labels
from app.inference.judges.anchored import Anchored
from app.inference.judges.skill_model import LEAST
from app.inference.types import Bools, Convergence, Floats


class CrossFitted(NamedTuple):
    """Each item's classes and judges, by a fit that never saw its group."""

    s: Floats  # (N, C)
    a: Floats  # (N, K, C, C)
    convergence: Convergence  # of the fit that took longest, or failed


def decide(fits: CrossFitted, v: Votes | None, counted: Bools) -> Aggregate:
    """The verdicts by s, A and the votes of those who are counted; by s alone where there are no votes."""
    if v is None:
        return Aggregate(fits.s, None, fits.convergence)
    log_p = np.log(fits.s + LEAST) + np.einsum("nkb,nkcb->nc", v[:, counted], np.log(fits.a + LEAST))
    confusion = np.full((len(counted), *fits.a.shape[2:]), 1.0 / v.shape[2])
    confusion[counted] = fits.a.mean(axis=0)
    return Aggregate(softmax(log_p, axis=1), confusion, fits.convergence)


def pool(answers: Sequence[Aggregate], by_labels: Anchored) -> Aggregate:
    """The mean of `answers` and those by labels, weighted by how well they predict labels that they have not seen."""
    labels, known = by_labels.labels, is_labelled(by_labels.labels)
    p = np.stack([*(answer.probability for answer in answers), by_labels.held_out])
    predicted = np.log(np.einsum("nc,jnc->jn", labels[known], p[:, known]) + LEAST)
    pooled = np.tensordot(softmax(predicted.sum(axis=1)), p, 1)
    ends = [answer.convergence for answer in (*answers, by_labels.aggregate) if answer.convergence is not None]
    return with_labels(Aggregate(pooled, by_labels.aggregate.confusion, slowest(ends)), labels)


def slowest(ends: Sequence[Convergence]) -> Convergence:
    """The end of the fit that took longest, or failed."""
    return max(ends, key=lambda end: (not end.converged, end.iterations))
