"""Priors that the sets of a pool share, judges by their ids."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, cast

import numpy as np
from nextpair.words import MethodName

from app.inference.fitting import publish
from app.inference.fitting.absolute import no_absolute_scores
from app.inference.fitting.model import build_for
from app.inference.fitting.people import EffectsContribution, effects_apart, pool_effects
from app.inference.fitting.pooling import Contribution, evidence_apart, pool
from app.inference.fitting.weights import Hyperprior
from app.inference.regimes import SMALL
from app.inference.reporting import method_obstacle
from app.inference.state.evidence import Interpretation, interpret
from app.inference.state.log import Log, judges_of, without


class LogContribution(NamedTuple):
    """Contribution of one set by itself."""

    evidence: Sequence[Contribution]
    effects: Sequence[EffectsContribution] = ()


def contribution_of(
    log: Log, voided: Iterable[int], interpretation: Interpretation, n: int, people: Collection[int] = ()
) -> LogContribution:
    """Contribution of a log of n candidates by itself.

    Args: `voided` are the sequence numbers that no longer count; `people` are the ids of judges who are people.
    """
    counted = without(log, list(voided))
    judges, method = judges_of(counted), interpretation.method
    comparisons, item = interpret(counted, interpretation, judges).answers, counted.entries.item
    evidence = evidence_apart(comparisons, item, build_for(method, n, comparisons, len(judges)), judges)
    are_people = np.isin(judges, list(people))
    can_tell = method_obstacle("people", cast("MethodName", method.expert)) is None and n <= SMALL
    if not can_tell or len(judges) < 2 or are_people.all():
        return LogContribution(evidence)
    published = publish(comparisons, item, no_absolute_scores(), method, n, len(judges))
    try:
        return LogContribution(evidence, effects_apart(published, are_people, judges))
    except (ValueError, np.linalg.LinAlgError):  # too many judges, or numbers that cannot be factored
        return LogContribution(evidence)


def pooled(contributions: Sequence[LogContribution]) -> Hyperprior:
    """Priors of the sets of a pool that share this; some evidence at least."""
    of_all = pool([each for of_set in contributions for each in of_set.evidence])
    return of_all._replace(log_effects=pool_effects([each for of_set in contributions for each in of_set.effects]))
