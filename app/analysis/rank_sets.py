"""Rank-sets of systems by people, by each judge, and by people helped by the judges: GET rank-sets and its command."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import CovarianceName, SimultaneousName

from app.inference.judges import JudgedInstances, RankBounds, is_judged, pair_numbers, prediction_powered, ranked


class RankSetsRequest(NamedTuple):
    """The rank-sets that are wanted."""

    judges: Sequence[str]
    reference: Sequence[str]  # people
    alpha: float
    covariance: CovarianceName
    simultaneous: SimultaneousName | None  # the usual one of the covariance
    lambdas: Sequence[float] | None  # one for each judge


def usual_simultaneous(covariance: CovarianceName) -> SimultaneousName:
    """The paper's ellipsoid goes with its covariance."""
    return "ellipsoid" if covariance == "published" else "contrasts"


def rank_sets(
    verdicts: JudgedInstances, keys: Sequence[str], request: RankSetsRequest, set_id: UUID, version: int
) -> schemas.RankSets:
    """All hold with probability 1 - alpha; systems in the order of those by people helped by the judges."""
    judges, reference, alpha, covariance, simultaneous, lambdas = request
    k, simultaneous = len(keys), simultaneous or usual_simultaneous(covariance)
    alone = [
        prediction_powered(verdicts.shown, wins, item=verdicts.item, k=k, covariance=covariance)
        for wins in (verdicts.people, *verdicts.judges)
    ]
    estimates = [prediction_powered(*verdicts, k=k, covariance=covariance, lambdas=lambdas), *alone]
    helped, of_people, *of_judges = (ranked(estimate, alpha, simultaneous) for estimate in estimates)
    are_by_people = is_judged(verdicts.people)
    pairs_seen = np.unique(pair_numbers(verdicts.shown, k)[are_by_people])
    gain = float(np.trace(of_people.estimate.covariance) / np.trace(helped.estimate.covariance))
    saved = max(round((gain - 1.0) * int(are_by_people.sum())), 0)  # as many more would vary as little
    helping = _helping(judges, helped, verdicts)
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
                key=keys[m],
                by_people=_rank_set(of_people, m),
                by_judge=_rank_set(of_judges[0], m),
                by_judges=[_rank_set(sets, m) for sets in of_judges],
                **_rank_set(helped, m).model_dump(),
            )
            for m in np.argsort(-helped.estimate.theta, kind="stable")
        ],
    )


def _helping(judges: Sequence[str], helped: RankBounds, verdicts: JudgedInstances) -> list[schemas.HelpingJudge]:
    are_by_people = is_judged(verdicts.people)
    return [
        schemas.HelpingJudge(
            judge=judge,
            tuned_lambda=float(tuned),
            instances_by_both=int((is_judged(wins) & are_by_people).sum()),
            instances_by_judge=int((is_judged(wins) & ~are_by_people).sum()),
        )
        for judge, tuned, wins in zip(judges, helped.estimate.lambdas, verdicts.judges, strict=True)
    ]


def _rank_set(sets: RankBounds, m: int) -> schemas.RankSet:
    best, worst = (int(rank) for rank in sets.ranks[m])
    theta, covariance = sets.estimate.theta, sets.estimate.covariance
    return schemas.RankSet(theta=float(theta[m]), sd=float(np.sqrt(covariance[m, m])), ranks=(best, worst))
