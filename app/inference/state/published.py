"""Results of a snapshot for readers: the exact posterior, that of another method, judges' biases, a reason to stop."""

from app.inference.choosing.goals import Goal
from app.inference.choosing.stopping import Reason, Stop, reason
from app.inference.fitting import posterior as posteriors
from app.inference.fitting.model import Method
from app.inference.fitting.published import Published, publish
from app.inference.reporting.bias import Bias, estimates
from app.inference.state.evidence import hyperprior_of
from app.inference.state.snapshot import Snapshot, plain_model


def exact(snapshot: Snapshot) -> Published:
    """The posterior by the set's own method, from all comparisons, covariance and scales included."""
    in_stages = snapshot.learnt is not None or snapshot.model.known_biases is not None
    if snapshot.evidence.absolute.size or in_stages:
        return under(snapshot, snapshot.interpretation.method)
    comparisons, model = snapshot.comparisons, snapshot.model
    posterior = posteriors.exact(snapshot.posterior, comparisons, model)
    marginal = posteriors.scores(posterior, comparisons, model)
    return Published(marginal, posterior, snapshot.evidence.answers, comparisons, model)


def under(snapshot: Snapshot, method: Method) -> Published:
    """The posterior of the same evidence by another method, fitted from scratch."""
    judges, item, answers, _, absolute = snapshot.evidence
    hyperprior = hyperprior_of(snapshot.log, judges)
    return publish(answers, item, absolute, method, snapshot.model.n, len(judges), hyperprior)


def biases(snapshot: Snapshot) -> list[Bias]:
    """Biases of all judges by the set's method, which need not estimate them itself; none where it did not converge."""
    published = under(snapshot, snapshot.interpretation.method._replace(position_bias="estimate"))
    if not published.posterior.convergence.converged:
        return []
    return estimates(published.posterior, published.comparisons, published.model)


def stop_reason(snapshot: Snapshot, stop: Stop, goal: Goal) -> Reason | None:
    """Reason to ask no more pairs, if there is one. Between checkpoints a stop is confirmed by what is published."""
    if snapshot.model.n < 2:
        return None
    live = posteriors.scores(snapshot.posterior, snapshot.comparisons, snapshot.model)
    plain = plain_model(snapshot)
    if reason(live, plain, stop, goal) is None:
        return None
    return reason(exact(snapshot).scores, plain, stop, goal)
