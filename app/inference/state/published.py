"""Results of a snapshot for others: what is published for a target, quantities that are ranked, judges' biases.

Readers get the exact posterior, by the set's own method or another one; who asks for pairs, the live one.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np
from nextpair.words import InferenceTargetName, MethodName

from app.inference.experts import is_vote
from app.inference.fitting import posterior as posteriors
from app.inference.fitting.absolute import no_absolute_scores
from app.inference.fitting.measurements import Normal
from app.inference.fitting.model import Covariates, Method, as_learnt, build_for
from app.inference.fitting.people import effects_apart, pool_effects
from app.inference.fitting.published import Published, publish
from app.inference.fitting.repetition import Repetition, repetition_of
from app.inference.fitting.weights import Contribution, Hyperprior, evidence_apart, pool
from app.inference.regimes import RANKED_DENSE, SMALL
from app.inference.reporting.bias import Bias, estimates
from app.inference.reporting.inference_targets import method_obstacle
from app.inference.reporting.win_rates import attenuation, expected_of_differences
from app.inference.state.log import Interpretation, Log, hyperprior_of, interpret, without
from app.inference.state.snapshot import Snapshot, in_model
from app.inference.targets.quantities import Quantity, publish_for, quantity_of, read_from
from app.inference.types import Bools, Comparisons, Floats, Ints, take

FEW_DRAWS = 200


class Sought(NamedTuple):
    """Subject of a set's confidence, and all that it depends on beside the log."""

    target: InferenceTargetName
    has: Bools  # (I, N) which candidates have an output for an item
    people: Collection[int]  # judges, by id
    repeats: Mapping[int, float] = {}  # by judge id: 1 of those who are declared to repeat themselves, 0 not to


def exact(snapshot: Snapshot, dense: int | None = None, target: InferenceTargetName = "latent") -> Published:
    """The posterior by the set's own method, from all comparisons, covariance and scales included.

    Args: of more than `dense` candidates the covariance is sparse where the model has that form.
    """
    in_stages = snapshot.learnt is not None or snapshot.model.known_biases is not None
    if snapshot.evidence.absolute.size or in_stages or read_from(target) == "all-pairs":
        return under(snapshot, snapshot.interpretation.method, dense, target)
    return live(snapshot._replace(posterior=posteriors.exact(snapshot.posterior, dense)))


def live(snapshot: Snapshot) -> Published:
    """The live posterior, as if it were published."""
    posterior, answers = snapshot.posterior, snapshot.comparisons
    return Published(posterior.scores, posterior, answers, in_model(snapshot), snapshot.model, snapshot.learnt)


def under(
    snapshot: Snapshot,
    method: Method,
    dense: int | None = None,
    target: InferenceTargetName = "latent",
    covariates: Covariates | None = None,
) -> Published:
    """The posterior of the same evidence by another method, fitted from scratch. Args: as of `exact` and `publish`."""
    judges, item, answers, absolute = snapshot.evidence
    n, j, hyperprior = snapshot.model.n, len(judges), hyperprior_of(snapshot.log, judges)
    return publish_for(target, answers, item, absolute, method, n, j, hyperprior, dense, covariates)


def quantity(
    snapshot: Snapshot, published: Published, sought: Sought, draws: int | None = None, *, supposing: bool = False
) -> Quantity:
    """Quantity that is ranked, as `quantity_of` has it. Raises ValueError where the log cannot answer the target."""
    judges, item, *_ = snapshot.evidence
    people, log_effects = np.isin(judges, list(sought.people)), hyperprior_of(snapshot.log, judges).log_effects
    known = repetition(snapshot, published, sought) if sought.target == "all-pairs" else None
    return quantity_of(
        sought.target, published, _as_came(snapshot), item, sought.has, people, draws, log_effects, known,
        supposing=supposing,
    )  # fmt: skip


def live_quantity(snapshot: Snapshot, sought: Sought) -> Quantity:
    """Quantity to rank by the live posterior, or one surer than that: of all pairs supposed, else of scores."""
    if sought.target != "all-pairs":
        return snapshot.posterior.scores
    return quantity(snapshot, live(snapshot), sought, FEW_DRAWS, supposing=True)


def quantity_after(snapshot: Snapshot, count: int, sought: Sought) -> Quantity | None:
    """Quantity ranked after the first `count` comparisons of the log; None where these could not answer the target.

    Scores themselves, of thousands of candidates too, are those by the present verdict weights.
    """
    evidence, first = snapshot.evidence, slice(count)
    if sought.target == "latent":
        posterior = posteriors.fit(take(in_model(snapshot), first), snapshot.model)
        return posterior.scores if posterior.convergence.converged else None
    until_then = evidence._replace(item=evidence.item[first], answers=take(evidence.answers, first))
    beginning = snapshot._replace(evidence=until_then)
    published = under(beginning, snapshot.interpretation.method, target=sought.target)
    try:
        return quantity(beginning, published, sought) if published.posterior.convergence.converged else None
    except ValueError:
        return None


def repetition(snapshot: Snapshot, published: Published, sought: Sought) -> Repetition:
    """What is known of the judges' repeating themselves, from the log and from before it."""
    judges, item, *_ = snapshot.evidence
    before = np.array([sought.repeats.get(judge, np.nan) for judge in judges.tolist()], np.float64)
    return repetition_of(published, _as_came(snapshot), item, before)


def _as_came(snapshot: Snapshot) -> Comparisons:
    """The answers, each as often as it came."""
    answers = snapshot.comparisons
    return answers._replace(weight=snapshot.log.entries.weight[: answers.size])


def expected_verdicts(snapshot: Snapshot, first: Ints, second: Ints) -> Floats:
    """(P,) how often first is expected to win against second, by the live posterior; NaN where it did not converge.

    Of very many candidates, whose covariance is no matrix, scores count as independent.
    """
    if not snapshot.posterior.convergence.converged:
        return np.full(len(first), np.nan)
    n, (mean, sigma) = snapshot.model.n, snapshot.posterior.scores[:2]
    codes, at = np.unique(first * n + second, return_inverse=True)
    i, j = np.divmod(codes, n)
    variance = sigma.variances(i, j) if sigma.has_matrix else sigma.diagonal[i] + sigma.diagonal[j]
    return expected_of_differences(mean[i] - mean[j], variance, attenuation(live(snapshot)))[at]


def biases(snapshot: Snapshot, published: Published) -> list[Bias]:
    """Biases of all judges: as the ranking has them, and of judges whom it allows for none, by a fit that does.

    Verdicts weigh there what the ranking has learnt, unless it took biases of few candidates' judges for noise.

    Args: `published` is exact.
    """
    own = estimates(published.posterior, published.comparisons, published.model)
    if not published.posterior.convergence.converged or len(own) == len(np.unique(published.comparisons.judge)):
        return own
    method, n = snapshot.interpretation.method._replace(position_bias="estimate"), snapshot.model.n
    judges, _, answers, absolute = snapshot.evidence
    is_noise = n <= RANKED_DENSE and not published.model.has_biases and not is_vote(answers.p).all()
    if published.learnt is None or absolute.size or is_noise:
        biased = under(snapshot, method)
    else:
        model = as_learnt(build_for(method, n, answers, len(judges)), answers, published.learnt)
        biased = published._replace(model=model, posterior=posteriors.fit(published.comparisons, model))
    is_there = biased.posterior.convergence.converged
    others = estimates(biased.posterior, biased.comparisons, biased.model) if is_there else []
    of_judges = {bias.judge: bias for bias in (*others, *own)}
    return [of_judges[judge] for judge in sorted(of_judges)]


class LogContribution(NamedTuple):
    """Contribution of one set by itself to the priors of its pool, judges by their ids."""

    evidence: Sequence[Contribution]
    effects: Mapping[int, Normal] = {}  # ln(omega^2 / tau2) by what it tells of it


def contribution_of(
    log: Log, voided: Iterable[int], interpretation: Interpretation, n: int, people: Collection[int] = ()
) -> LogContribution:
    """Contribution of a log of n candidates by itself.

    Args: `voided` are the sequence numbers that no longer count; `people` are the ids of judges who are people.
    """
    method, (judges, item, answers, _) = interpretation.method, interpret(without(log, voided), interpretation)
    evidence = evidence_apart(answers, item, build_for(method, n, answers, len(judges)), judges)
    are_people = np.isin(judges, list(people))
    can_tell = method_obstacle("people", cast("MethodName", method.expert)) is None and n <= SMALL
    if not can_tell or len(judges) < 2 or are_people.all():
        return LogContribution(evidence)
    published = publish(answers, item, no_absolute_scores(), method, n, len(judges))
    try:
        return LogContribution(evidence, effects_apart(published, are_people, judges))
    except (ValueError, np.linalg.LinAlgError):  # too many judges, or numbers that cannot be factored
        return LogContribution(evidence)


def pooled(contributions: Sequence[LogContribution]) -> Hyperprior:
    """Priors of the sets of a pool that share this; some evidence at least."""
    of_all = pool([each for of_set in contributions for each in of_set.evidence])
    return of_all._replace(log_effects=pool_effects([each.effects for each in contributions]))
