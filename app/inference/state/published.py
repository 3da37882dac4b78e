"""Results of a snapshot for readers: the exact posterior, that of another method, judges' biases, a reason to stop."""

from typing import NamedTuple

from app.inference.choosing.stopping import Reason, Stop, reason
from app.inference.fitting import posterior as posteriors
from app.inference.fitting.absolute import Scale, combine
from app.inference.fitting.model import Method, Model, build
from app.inference.fitting.posterior import Posterior, scores
from app.inference.reporting.bias import Bias, estimates
from app.inference.state.snapshot import Snapshot, plain_model


class Published(NamedTuple):
    """The posterior as it is published, with the model that it belongs to."""

    posterior: Posterior
    model: Model
    scale: Scale | None  # of the absolute scores, if there are any
    settled: bool  # whether that scale is final


def exact(snapshot: Snapshot) -> Published:
    """The posterior by the set's own method, from all comparisons, covariance and scale included."""
    if snapshot.evidence.absolute.size:
        return under(snapshot, snapshot.interpretation.method)
    posterior = posteriors.exact(snapshot.posterior, snapshot.comparisons, snapshot.model)
    return Published(posterior, snapshot.model, None, True)


def under(snapshot: Snapshot, method: Method) -> Published:
    """The posterior of the same evidence by another method, fitted from scratch."""
    judges, comparisons, absolute = snapshot.evidence
    plain = build(method, snapshot.model.n, len(judges))
    if absolute.size:
        return Published(*combine(comparisons, plain, absolute))
    return Published(posteriors.fit(comparisons, plain), plain, None, True)


def biases(snapshot: Snapshot) -> list[Bias]:
    """Biases of all judges by the set's method, which need not estimate them itself; none where it did not converge."""
    published = under(snapshot, snapshot.interpretation.method._replace(position_bias="estimate"))
    if not published.posterior.convergence.converged:
        return []
    return estimates(published.posterior, snapshot.comparisons, published.model)


def stop_reason(snapshot: Snapshot, stop: Stop) -> Reason | None:
    """Reason to ask no more pairs, if there is one. Between checkpoints a stop is confirmed by the exact covariance."""
    if snapshot.model.n < 2:
        return None
    live = scores(snapshot.posterior, snapshot.comparisons, snapshot.model)
    plain = plain_model(snapshot)
    if reason(live, plain, stop) is None:
        return None
    published = exact(snapshot)
    return reason(scores(published.posterior, snapshot.comparisons, published.model), plain, stop)
