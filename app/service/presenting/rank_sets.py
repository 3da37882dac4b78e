"""Rank-sets by people, by a judge, and by people helped by the judge."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import CovarianceName

from app.inference.judges import JudgedInstances, RankSets, pair_numbers, verdicts_saved


def present_rank_sets(
    set_id: UUID,
    version: int,
    keys: Sequence[str],
    judge: str,
    reference: Sequence[str],
    alpha: float,
    covariance: CovarianceName,
    verdicts: JudgedInstances,
    helped: RankSets,
    by_people: RankSets,
    by_judge: RankSets,
) -> schemas.RankSets:
    """Systems in the order of the helped rank-sets."""
    k, by_both = len(keys), verdicts.shown
    return schemas.RankSets(
        set_id=set_id,
        version=version,
        alpha=alpha,
        covariance=covariance,
        reference=list(reference),
        judge=judge,
        tuned_lambda=helped.tuned,
        instances_by_both=by_both.size,
        instances_by_judge=verdicts.more.size,
        pairs_unseen=k * (k - 1) // 2 - len(np.unique(pair_numbers(by_both, k))),
        people_saved=verdicts_saved(by_people, helped, by_both.size) if covariance == "sandwich" else None,
        systems=[
            schemas.SystemRankSet(
                key=keys[m], by_people=_rank_set(by_people, m), by_judge=_rank_set(by_judge, m),
                **_rank_set(helped, m).model_dump(),
            )
            for m in np.argsort(-helped.theta, kind="stable")
        ],
    )  # fmt: skip


def _rank_set(sets: RankSets, m: int) -> schemas.RankSet:
    best, worst = (int(rank) for rank in sets.ranks[m])
    return schemas.RankSet(theta=float(sets.theta[m]), sd=float(np.sqrt(sets.covariance[m, m])), ranks=(best, worst))
