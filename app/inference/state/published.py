"""Results of a snapshot for readers: the exact posterior, that of another method, judges' biases, a reason to stop."""

from app.inference.choosing.forecasting import Left, Stopping, distance_to_stop, stopped
from app.inference.choosing.goals import Goal
from app.inference.choosing.stopping import Reason, Stop, reason
from app.inference.experts.measured_bt import is_vote
from app.inference.fitting import posterior as posteriors
from app.inference.fitting.model import Method, Model, build
from app.inference.fitting.posterior import Scores
from app.inference.fitting.published import Published, publish
from app.inference.fitting.sparse import is_sparse
from app.inference.reporting.bias import Bias, estimates
from app.inference.state.evidence import hyperprior_of
from app.inference.state.snapshot import Snapshot, plain_model, raw

NEARLY = 0.9  # error level at which the live posterior is asked first


def exact(snapshot: Snapshot, dense: int | None = None) -> Published:
    """The posterior by the set's own method, from all comparisons, covariance and scales included.

    Args: of more than `dense` candidates nothing of the covariance is worked out where it need not be a matrix.
    """
    in_stages = snapshot.learnt is not None or snapshot.model.known_biases is not None
    if snapshot.evidence.absolute.size or in_stages:
        return under(snapshot, snapshot.interpretation.method, dense)
    comparisons, model = snapshot.comparisons, snapshot.model
    posterior = posteriors.exact(snapshot.posterior, comparisons, model, dense)
    marginal = posteriors.scores(posterior, comparisons, model)
    return Published(marginal, posterior, snapshot.evidence.answers, comparisons, model)


def under(snapshot: Snapshot, method: Method, dense: int | None = None) -> Published:
    """The posterior of the same evidence by another method, fitted from scratch. Args: `dense` as of `exact`."""
    judges, item, answers, _, absolute = snapshot.evidence
    hyperprior = hyperprior_of(snapshot.log, judges)
    return publish(answers, item, absolute, method, snapshot.model.n, len(judges), hyperprior, dense)


def biases(snapshot: Snapshot) -> list[Bias]:
    """Biases of all judges by the set's method, which need not estimate them itself; none where it did not converge."""
    published = under(snapshot, snapshot.interpretation.method._replace(position_bias="estimate"))
    if not published.posterior.convergence.converged:
        return []
    return estimates(published.posterior, published.comparisons, published.model)


def stop_reason(snapshot: Snapshot, stop: Stop, goal: Goal) -> Reason | None:
    """Reason to ask no more pairs, if there is one. What the live posterior nearly says, the published one confirms.

    Of very many candidates none is looked for: it is about all pairs.
    """
    if snapshot.model.n < 2 or is_sparse(snapshot.model):
        return None
    live = posteriors.scores(snapshot.posterior, snapshot.comparisons, snapshot.model)
    nearly = stop._replace(error_level=NEARLY, goal=None if stop.goal is None else 1.0 - NEARLY)
    if reason(live, plain_model(snapshot), nearly, goal) is None:
        return None
    return _confirmed_reason(snapshot, exact(snapshot), stop, goal)


def distance(snapshot: Snapshot, published: Published, stop: Stop, goal: Goal, left: Left) -> Stopping:
    """Distance of a set of at least two candidates to its stop; claims of votes alone are read from one vote each."""
    met = _confirmed_reason(snapshot, published, stop, goal)
    if met is not None:
        return stopped(met, left)
    each, comparisons = _of_each_test(snapshot, stop), float(raw(snapshot).weight.sum())
    if each == stop or stop.entropy_change is not None or stop.concordance is not None:
        return distance_to_stop(published.scores, plain_model(snapshot), comparisons, each, left, goal)
    return distance_to_stop(*_as_one_vote(snapshot, published), comparisons, each, left, goal)


def _confirmed_reason(snapshot: Snapshot, published: Published, stop: Stop, goal: Goal) -> Reason | None:
    """The criterion that is met by what is published, or, where all answers are votes, by them as one vote.

    Where votes agree and scores may be far apart, the normal that is fitted to the posterior says too little of a tie,
    far out in its tail; under the set's own prior variance it says more. Each test has half the error level then.
    """
    each = _of_each_test(snapshot, stop)
    met = reason(published.scores, plain_model(snapshot), each, goal)
    if met is not None or each == stop:
        return met
    claims = each._replace(entropy_change=None, concordance=None)
    return reason(*_as_one_vote(snapshot, published), claims, goal)


def _as_one_vote(snapshot: Snapshot, published: Published) -> tuple[Scores, Model]:
    method = snapshot.interpretation.method._replace(evidence="one-vote")
    model = build(method, snapshot.model.n, len(snapshot.evidence.judges))
    fitted = posteriors.fit(published.comparisons, model)
    return posteriors.scores(fitted, published.comparisons, model), model


def _of_each_test(snapshot: Snapshot, stop: Stop) -> Stop:
    """The stop with half its error levels where it is tested in two ways."""
    if snapshot.learnt is None or not is_vote(snapshot.evidence.answers.p).all():
        return stop
    goal = None if stop.goal is None else 0.5 + 0.5 * stop.goal
    return stop._replace(error_level=0.5 * stop.error_level, goal=goal)
