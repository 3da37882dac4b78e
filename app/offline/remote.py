"""The active-learning loop of a simulation, driven through a running service."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import cast

import numpy as np
from nextpair import AbsoluteScoreIn, CandidateIn, Client, Goal, PairToJudge, Selection, Set
from nextpair.words import ExpertName

from app.inference.types import Floats
from app.offline.cases import Case
from app.offline.replay import Pair, Setup, choosing, replay
from app.offline.simulation import Fleet, Job

JUDGE = "simulation"
PROJECT = "simulation"


def run_through(url: str, fleets: Sequence[Fleet]) -> Iterator[list[Floats]]:
    """`simulation.run` of every job, through the service at `url`; a set learns by itself there."""
    with Client(url) as service:
        for fleet in fleets:
            yield [_replayed(service, job) for job in fleet]


def _replayed(service: Client, job: Job) -> Floats:
    with closing(RemoteLoop(service, job.case, job.setup)) as loop:
        return replay(loop, job.case, job.limit)


class RemoteLoop:
    """A candidate set of its own on the service; deleted by `close`."""

    def __init__(self, service: Client, case: Case, setup: Setup) -> None:
        self._set, self._method = _create(service, case, setup), setup.method.name
        self._numbers = {key: i for i, key in enumerate(case.keys)}
        if case.absolute.size:
            self._set.add_absolute_scores(_said(case))
        self._answers = case.answers
        self._pair: PairToJudge | None = None

    def ask(self) -> list[Pair]:
        """The next pair that the judge has an answer to; the others are skipped."""
        while pair := self._set.next_pair(judge=JUDGE):
            first, second = self._numbers_of(pair)
            if not np.isnan(self._answers[first, second]):
                self._pair = pair
                return [(first, second)]
            pair.tell(failure="skipped")
        return []

    def tell(self, pairs: Sequence[Pair], p: Floats) -> None:
        """Raises ValueError for a pair that was not asked last."""
        if self._pair is None or list(pairs) != [self._numbers_of(self._pair)]:
            raise ValueError("tell answers the pair that was asked last")
        self._pair.tell(p_first=float(p[0]))

    def scores(self) -> Floats:
        by_key = {row.key: row.score for row in self._set.ranking(method=self._method, fresh=True).ranking}
        return np.array([by_key[key] for key in self._numbers])

    def close(self) -> None:
        self._set.delete()

    def _numbers_of(self, pair: PairToJudge) -> tuple[int, int]:
        return self._numbers[pair.first.key], self._numbers[pair.second.key]


def _said(case: Case) -> list[AbsoluteScoreIn]:
    rows = zip(*(column.tolist() for column in case.absolute), strict=True)
    return [
        AbsoluteScoreIn(candidate=case.keys[candidate], judge=f"{JUDGE} {judge}", mean=mean, variance=variance)
        for candidate, judge, mean, variance in rows
    ]


def _create(service: Client, case: Case, setup: Setup) -> Set:
    policy, method = setup.policy, choosing(setup.method)
    return service.sets.create(
        name=" ".join(["simulation", *case.labels])[:200],
        question="Which is better?",
        candidates=[CandidateIn(key=key) for key in case.keys],
        expert=cast(ExpertName, method.name),
        expert_parameters=dict(method.parameters),
        verdict_weight=method.verdict_weight,
        prior=method.prior,
        prior_variance=method.prior_variance,
        position_bias=method.position_bias,
        absolute_scale=method.absolute_scale,
        selection=Selection(
            criterion=policy.criterion.value,
            epsilon=policy.epsilon,
            equal=policy.equal,
            random_share=policy.random_share,
            batch=policy.batch.value,
            seed=setup.seed,
        ),
        order=setup.order.value,
        inference_target="latent",
        goal=_goal(case),
        project=PROJECT,
    )


def _goal(case: Case) -> Goal:
    """The goal by keys."""
    top_k, against, pair = case.goal
    ends = None if pair is None else (case.keys[pair[0]], case.keys[pair[1]])
    return Goal(top_k=top_k, against=None if against is None else case.keys[against], pair=ends)
