"""The same active-learning loop, driven through a running service."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple, cast
from uuid import UUID

import numpy as np
from nextpair import Client, calls
from nextpair.schemas import CandidateIn, Selection, SetIn, VerdictIn
from nextpair.words import ExpertName

from app.inference.types import Floats
from app.offline.cases import Case
from app.offline.replay import Setup, choosing, replay
from app.offline.simulation import Job

JUDGE = "simulation"
PROJECT = "simulation"


def run_through(url: str, api_key: str | None, jobs: Sequence[Job]) -> Iterator[Floats]:
    """`simulation.run` of every job, asked and told through the service at `url`."""
    with Client(url, api_key=api_key) as service:
        for job in jobs:
            with closing(RemoteLoop(service, job.case, job.setup)) as loop:
                yield replay(loop, job.case, job.limit)


class _Shown(NamedTuple):
    assignment: UUID
    first: int
    second: int


class RemoteLoop:
    """A candidate set of its own on the service; deleted by `close`."""

    def __init__(self, service: Client, case: Case, setup: Setup) -> None:
        self._service, self._setup = service, setup
        self._ids = {key: i for i, key in enumerate(case.keys)}
        self._set_id = service.send(calls.create_set(_set_of(case, setup))).id
        self._answers = case.answers
        self._shown: _Shown | None = None

    def ask(self) -> tuple[int, int] | None:
        """The next pair that the judge has an answer to; the others are skipped."""
        while assignments := self._service.send(calls.next_pair(self._set_id, judge=JUDGE)).assignments:
            (pair,) = assignments
            self._shown = _Shown(pair.id, self._ids[pair.first.key], self._ids[pair.second.key])
            if not np.isnan(self._answers[self._shown.first, self._shown.second]):
                return self._shown.first, self._shown.second
            self._service.send(calls.send_verdict(pair.id, VerdictIn(failure="skipped")))
        return None

    def tell(self, first: int, second: int, p: float) -> None:
        """Raises ValueError for a pair that was not asked last."""
        if self._shown is None or (self._shown.first, self._shown.second) != (first, second):
            raise ValueError("tell answers the pair that was asked last")
        self._service.send(calls.send_verdict(self._shown.assignment, VerdictIn(p_first=p)))

    def scores(self) -> Floats:
        ranking = self._service.send(calls.ranking(self._set_id, method=self._setup.method.name))
        by_key = {row.key: row.score for row in ranking.ranking}
        return np.array([by_key[key] for key in self._ids])

    def close(self) -> None:
        self._service.send(calls.delete_set(self._set_id))


def _set_of(case: Case, setup: Setup) -> SetIn:
    policy, method = setup.policy, choosing(setup.method)
    return SetIn(
        name=" ".join(["simulation", *case.labels])[:200],
        question="Which is better?",
        candidates=[CandidateIn(key=key) for key in case.keys],
        expert=cast(ExpertName, method.name),
        expert_parameters=dict(method.parameters),
        prior=method.prior,
        prior_variance=method.prior_variance,
        position_bias=method.position_bias,
        selection=Selection(
            criterion=policy.criterion.value,
            epsilon=policy.epsilon,
            random_share=policy.random_share,
            batch=policy.batch.value,
            seed=setup.seed,
        ),
        order=setup.order.value,
        project=PROJECT,
    )
