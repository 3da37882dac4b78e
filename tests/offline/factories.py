"""A case whose judge is consistent, and how it is replayed."""

import numpy as np

from app.inference.choosing import Criterion, Order, Policy
from app.offline.cases import Case, from_scores
from app.offline.ranking import RankingMethod
from app.offline.replay import Setup

SETUP = Setup(Policy(Criterion.REORDERING), Order.BALANCED, 3, RankingMethod("soft-bt"))


def make_case(n: int = 6, seed: int = 0) -> Case:
    scores = dict(zip("abcdefghijkl"[:n], np.random.default_rng(seed).normal(0, 2, n).tolist(), strict=True))
    return from_scores(("g",), scores, scores)
