"""Rank-sets by people, by judges, and by people helped by the judges."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import CovarianceName, SimultaneousName

from app.inference.judges import JudgedInstances, RankBounds, pair_numbers, verdicts_saved


def present_rank_sets(
    set_id: UUID,
    version: int,
    keys: Sequence[str],
    judges: Sequence[str],
    reference: Sequence[str],
    alpha: float,
    covariance: CovarianceName,
    simultaneous: SimultaneousName,
    verdicts: JudgedInstances,
    helped: RankBounds,
    by_people: RankBounds,
    by_judges: Sequence[RankBounds],
) -> schemas.RankSets:
    """Systems in the order of the helped rank-sets."""
    k, are_by_people = len(keys), verdicts.people.are_there
    pairs_seen = np.unique(pair_numbers(verdicts.shown, k)[are_by_people])
    helping = [
        schemas.HelpingJudge(
            judge=judge, tuned_lambda=float(tuned),
            instances_by_both=int((wins.are_there & are_by_people).sum()),
            instances_by_judge=int((wins.are_there & ~are_by_people).sum()),
        )
        for judge, tuned, wins in zip(judges, helped.estimate.lambdas, verdicts.judges, strict=True)
    ]  # fmt: skip
    saved = verdicts_saved(by_people.estimate, helped.estimate, int(are_by_people.sum()))
    return schemas.RankSets(
        set_id=set_id,
        version=version,
        alpha=alpha,
        covariance=covariance,
        simultaneous=simultaneous,
        reference=list(reference),
        **helping[0].model_dump(),
        judges=helping,
        pairs_unseen=k * (k - 1) // 2 - len(pairs_seen),
        people_saved=saved if covariance == "sandwich" else None,
        systems=[
            schemas.SystemRankSet(
                key=keys[m], by_people=_rank_set(by_people, m), by_judge=_rank_set(by_judges[0], m),
                by_judges=[_rank_set(sets, m) for sets in by_judges], **_rank_set(helped, m).model_dump(),
            )
            for m in np.argsort(-helped.estimate.theta, kind="stable")
        ],
    )  # fmt: skip


def _rank_set(sets: RankBounds, m: int) -> schemas.RankSet:
    best, worst = (int(rank) for rank in sets.ranks[m])
    theta, covariance = sets.estimate.theta, sets.estimate.covariance
    return schemas.RankSet(theta=float(theta[m]), sd=float(np.sqrt(covariance[m, m])), ranks=(best, worst))
