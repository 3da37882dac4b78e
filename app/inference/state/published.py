"""Results of a snapshot for readers: the exact posterior, that of another method, judges' biases, a reason to stop."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from nextpair.words import InferenceTargetName

from app.inference.choosing.forecasting import (
    NOTHING,
    Left,
    Missing,
    Stopping,
    forecast,
    stopped,
)
from app.inference.choosing.goals import Goal
from app.inference.choosing.stopping import Reason, Stop, claims_of, evidence, reason
from app.inference.core.design import TooMany
from app.inference.experts import is_vote
from app.inference.fitting import posterior as posteriors
from app.inference.fitting.model import Covariates, Method, Model, build
from app.inference.fitting.position_bias import build_for
from app.inference.fitting.published import Published
from app.inference.fitting.repetition import Repetition, repetition_of
from app.inference.fitting.verdict_weights import as_learnt
from app.inference.gaussian import Scores
from app.inference.regimes import RANKED_DENSE
from app.inference.reporting.bias import Bias, estimates
from app.inference.reporting.inference_targets import ENOUGH_PROMPTS, judged_prompts, possible_prompts
from app.inference.reporting.signal import signal_of
from app.inference.reporting.win_rates import attenuation, expected_of_differences
from app.inference.state.evidence import hyperprior_of
from app.inference.state.repeating import Question, to_repeat
from app.inference.state.snapshot import Snapshot, in_model, plain_model, raw
from app.inference.targets import Quantity, WinRates, publish_for, quantity_of, read_from
from app.inference.types import Bools, Comparisons, Floats, Ints, take

NEARLY = 0.9  # error level at which the live posterior is asked first
DOUBTS = 2.0  # times the doubt that a concordance leaves, likewise: the live posterior of votes has more of it
HALF = 0.5  # probability that draws of the live posterior ask for first
FEW_DRAWS = 200
NO_CLAIMS = ("entropy_change", "concordance")


class Checked(NamedTuple):
    """Whether a set is to stop, and what the next pairs are chosen by if not."""

    reason: Reason | None
    published: Published | None = None  # where it refuses the stop that the live one is for; of scores themselves never
    missing: Missing | None = None  # where the live one nearly says stop, and the set must not for lack of it
    to_repeat: Sequence[Question] = ()  # where the set would stop if these judges repeated themselves


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
    comparisons, model = snapshot.comparisons, snapshot.model
    in_stages = snapshot.learnt is not None or model.known_biases is not None
    if snapshot.evidence.absolute.size or in_stages or read_from(target) == "all-pairs":
        return under(snapshot, snapshot.interpretation.method, dense, target)
    posterior = posteriors.exact(snapshot.posterior, dense)
    marginal = posterior.scores
    return Published(marginal, posterior, snapshot.evidence.answers, comparisons, model)


def under(
    snapshot: Snapshot,
    method: Method,
    dense: int | None = None,
    target: InferenceTargetName = "latent",
    covariates: Covariates | None = None,
) -> Published:
    """The posterior of the same evidence by another method, fitted from scratch. Args: as of `exact` and `publish`."""
    judges, item, answers, absolute = snapshot.evidence
    hyperprior = hyperprior_of(snapshot.log, judges)
    n, j = snapshot.model.n, len(judges)
    return publish_for(target, answers, item, absolute, method, n, j, hyperprior, dense, covariates)


def quantity(
    snapshot: Snapshot, published: Published, sought: Sought, draws: int | None = None, *, supposing: bool = False
) -> Quantity:
    """Quantity that is ranked; with `supposing`, if judges who may repeat themselves do.

    Raises ValueError where the log cannot answer the target.
    """
    evidence = snapshot.evidence
    people, prior = np.isin(evidence.judges, list(sought.people)), hyperprior_of(snapshot.log, evidence.judges)
    return quantity_of(
        sought.target, published, _as_came(snapshot), evidence.item, sought.has, people, draws, prior.log_effects,
        repetition(snapshot, published, sought) if sought.target == "all-pairs" else None, supposing=supposing,
    )  # fmt: skip


def repeats_before(snapshot: Snapshot, sought: Sought) -> Floats:
    """(J,) what is known of judges' repeating themselves before the log says so; NaN is nothing."""
    return np.array([sought.repeats.get(judge, np.nan) for judge in snapshot.evidence.judges.tolist()], np.float64)


def repetition(snapshot: Snapshot, published: Published, sought: Sought) -> Repetition:
    """What is known of the judges' repeating themselves."""
    return repetition_of(published, _as_came(snapshot), snapshot.evidence.item, repeats_before(snapshot, sought))


def _as_came(snapshot: Snapshot) -> Comparisons:
    """The answers, each as often as it came."""
    answers = snapshot.evidence.answers
    return answers._replace(weight=snapshot.log.entries.comparisons.weight[: answers.size])


def quantity_after(snapshot: Snapshot, count: int, sought: Sought) -> Quantity | None:
    """Quantity ranked after the first `count` comparisons of the log; None where these could not answer the target.

    Scores themselves, which are ranked of thousands of candidates too, are those by the present verdict weights.
    """
    evidence, first = snapshot.evidence, slice(count)
    if sought.target == "latent":
        posterior = posteriors.fit(take(in_model(snapshot), first), snapshot.model)
        is_there = posterior.convergence.converged
        return posterior.scores if is_there else None
    until_then = evidence._replace(item=evidence.item[first], answers=take(evidence.answers, first))
    beginning = snapshot._replace(evidence=until_then)
    published = under(beginning, snapshot.interpretation.method, target=sought.target)
    try:
        return quantity(beginning, published, sought) if published.posterior.convergence.converged else None
    except ValueError:
        return None


def live_quantity(snapshot: Snapshot, sought: Sought) -> Quantity:
    """Quantity to rank, by the live posterior and few draws, or what is surer than it.

    Of all pairs it is if judges who may repeat themselves do; of new prompts and people, the scores.
    """
    live = _live(snapshot)
    if sought.target != "all-pairs":
        return live.scores
    return quantity(snapshot, live, sought, FEW_DRAWS, supposing=True)


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
    return expected_of_differences(mean[i] - mean[j], variance, attenuation(_live(snapshot)))[at]


def _live(snapshot: Snapshot) -> Published:
    """The live posterior, as if it were published."""
    posterior, answers = snapshot.posterior, snapshot.evidence.answers
    return Published(posterior.scores, posterior, answers, in_model(snapshot), snapshot.model, snapshot.learnt)


def biases(snapshot: Snapshot, published: Published) -> list[Bias]:
    """Biases of all judges: as the ranking has them, and of judges whom it allows for none, by a fit that does.

    None where it did not converge. Verdicts weigh there what the ranking has learnt, unless it took biases of few
    candidates' judges for noise.

    Args: `published` is exact.
    """
    own = estimates(published.posterior, published.comparisons, published.model)
    if not published.posterior.convergence.converged or len(own) == len(np.unique(published.comparisons.judge)):
        return own
    method, evidence = snapshot.interpretation.method._replace(position_bias="estimate"), snapshot.evidence
    is_noise = snapshot.model.n <= RANKED_DENSE and not published.model.has_biases
    is_noise &= not is_vote(evidence.answers.p).all()
    if published.learnt is None or evidence.absolute.size or is_noise:
        _, posterior, _, comparisons, model, *_ = under(snapshot, method)
    else:
        comparisons = published.comparisons
        model = build_for(method, snapshot.model.n, evidence.answers, len(evidence.judges))
        model = as_learnt(model, evidence.answers, published.learnt)
        posterior = posteriors.fit(comparisons, model)
    others = estimates(posterior, comparisons, model) if posterior.convergence.converged else []
    of_judges = {bias.judge: bias for bias in (*others, *own)}
    return [of_judges[judge] for judge in sorted(of_judges)]


def check(snapshot: Snapshot, stop: Stop, goal: Goal, sought: Sought | None = None) -> Checked:
    """Look for a reason to ask no more pairs. What the live posterior nearly says, the published one confirms.

    Where it refuses what the live one says, that one sees nothing left to ask: what follows is chosen by the published
    one. Of very many candidates no reason is looked for: it is about all pairs.

    Args: `sought` is what the set is certain about; by default the scores themselves, of texts.
    """
    if snapshot.model.n < 2:
        return Checked(None)
    try:
        return _checked(snapshot, stop, goal, sought)
    except TooMany:
        return Checked(None)


def missing_for_a_stop(
    snapshot: Snapshot, sought: Sought, met: Reason | None = None, published: Published | None = None
) -> Missing | None:
    """What a set lacks before it may stop: of several prompts, judged ones; then signal.

    No signal is needed of texts where the criterion that is `met` claims nothing, nor of a claim about all pairs by
    judges who are taken to repeat themselves: it is what they say.

    Args: `published` is exact, of all pairs.
    """
    judged, needed = _prompts(snapshot, sought)
    if 1 < needed > judged:
        return Missing(judged, needed)
    if needed < 2 and met in NO_CLAIMS:
        return None
    if published is not None and sought.target == "all-pairs":
        people = np.isin(snapshot.evidence.judges, list(sought.people))
        if repetition(snapshot, published, sought).is_taken(people):
            return None
    log, n, (_, item, _, chance) = raw(snapshot), snapshot.model.n, snapshot.log.entries
    signal = signal_of(log, n, item, chance, new_items=sought.target == "new-items", grew=True)
    return None if signal.claimed else Missing(judged, needed, signal.e_value)


def _prompts(snapshot: Snapshot, sought: Sought) -> tuple[int, int]:
    """How many prompts are judged, and how many a stop needs."""
    return judged_prompts(snapshot.log.entries.item), min(ENOUGH_PROMPTS, possible_prompts(sought.has))


def _checked(snapshot: Snapshot, stop: Stop, goal: Goal, sought: Sought | None) -> Checked:
    """Raises TooMany."""
    live = snapshot.posterior.scores
    if sought and sought.target != "latent":
        if not snapshot.comparisons.size:
            return Checked(None)
        by_live = live_quantity(snapshot, sought)
        half = _at(stop, HALF, None if stop.concordance is None else min(HALF, stop.concordance))
        if reason(live, snapshot.model, half, goal, by_live) is None:
            return Checked(None)
        judged, needed = _prompts(snapshot, sought)
        if 1 < needed > judged:
            return Checked(None, missing=Missing(judged, needed))
        if needed > 1 and sought.target != "all-pairs" and (missing := missing_for_a_stop(snapshot, sought)):
            return Checked(None, missing=missing)
        published = exact(snapshot, target=sought.target)
        ranked = quantity(snapshot, published, sought)
        met = reason(published.scores, published.model, stop, goal, ranked)
        missing = missing_for_a_stop(snapshot, sought, met, published) if met else None
        if met and not missing:
            return Checked(met)
        is_refused = met is None and reason(live, snapshot.model, stop, goal, by_live) is not None
        again = _to_repeat(snapshot, published, stop, goal, sought)
        return Checked(None, published if is_refused else None, missing, again)
    nearly = None if stop.concordance is None else 1.0 - DOUBTS * (1.0 - stop.concordance)
    if reason(live, plain_model(snapshot), _at(stop, NEARLY, nearly), goal) is None:
        return Checked(None)
    met = _confirmed_reason(snapshot, exact(snapshot), stop, goal)
    missing = missing_for_a_stop(snapshot, sought, met) if sought and met else None
    return Checked(None, missing=missing) if missing else Checked(met)


def _to_repeat(snapshot: Snapshot, published: Published, stop: Stop, goal: Goal, sought: Sought) -> Sequence[Question]:
    """Questions to ask again, where the set would stop if judges who may repeat themselves did."""
    if sought.target != "all-pairs":
        return ()
    judges, known = snapshot.evidence.judges, repetition(snapshot, published, sought)
    people = np.isin(judges, list(sought.people))
    questions = to_repeat(published, snapshot.log.entries, judges, known, people)
    if not questions:
        return ()
    supposed = quantity(snapshot, published, sought, supposing=True)
    met = reason(published.scores, published.model, stop, goal, supposed)
    return questions if met else ()


def _at(stop: Stop, error_level: float, concordance: float | None) -> Stop:
    """The stop with these levels."""
    goal = None if stop.goal is None else 1.0 - error_level
    return stop._replace(error_level=error_level, goal=goal, concordance=concordance)


def distance(
    snapshot: Snapshot, published: Published, stop: Stop, goal: Goal, left: Left, sought: Sought | None = None
) -> Stopping:
    """Distance of a set of at least two candidates to its stop; claims of votes alone are read from one vote each.

    What is forecast, by target: all-pairs and latent, comparisons; new-items, prompts (prompts_to_decide), as more
    comparisons on the same ones need not decide it; people, nothing, as it depends on who is asked.

    Nothing is forecast where the criterion is met already, or prompts are too few, and `missing` says what is lacking.

    Args: `published` is exact for the target of `sought`; by default the scores themselves, of texts.
    """
    distant = _distance(snapshot, published, stop, goal, left, sought)
    missing = missing_for_a_stop(snapshot, sought, distant.reason, published) if sought else None
    if missing is None or not (distant.reason or missing.e_value is None):
        return distant
    return Stopping(None, NOTHING, left.in_all, missing=missing)


def _distance(
    snapshot: Snapshot, published: Published, stop: Stop, goal: Goal, left: Left, sought: Sought | None
) -> Stopping:
    """Distance to the criteria themselves."""
    if sought and sought.target != "latent":
        ranked = quantity(snapshot, published, sought)
        met = reason(published.scores, published.model, stop, goal, ranked)
        if met:
            return stopped(met, left)
        needed = NOTHING
        if isinstance(ranked, WinRates):
            supposed = quantity(snapshot, published, sought, supposing=True)
            needed = forecast(supposed, published.model, snapshot.comparisons.size, stop, left, goal)
        return Stopping(None, needed, left.in_all)
    met = _confirmed_reason(snapshot, published, stop, goal)
    if met is not None:
        return stopped(met, left)
    each, comparisons = _of_each_test(snapshot, stop), float(raw(snapshot).weight.sum())
    tests = [(published.scores, plain_model(snapshot))]
    if each != stop:
        tests.append(_as_one_vote(snapshot, published))
    by_scores = each == stop or stop.entropy_change is not None or stop.concordance is not None
    needed = forecast(*tests[0 if by_scores else -1], comparisons, each, left, goal)
    distant = Stopping(None, needed, left.in_all)
    claims = next(claims_of(stop, goal, snapshot.model.n), None)
    if claims is None:
        return distant
    return distant._replace(e_value=max(evidence(*test, claims.goal) for test in tests) / len(tests))


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
    method = snapshot.interpretation.method._replace(verdict_weight="one-vote")
    model = build(method, snapshot.model.n, len(snapshot.evidence.judges))
    fitted = posteriors.fit(published.comparisons, model)
    return fitted.scores, model


def _of_each_test(snapshot: Snapshot, stop: Stop) -> Stop:
    """The stop with half its error levels where it is tested in two ways."""
    if snapshot.learnt is None or not is_vote(snapshot.evidence.answers.p).all():
        return stop
    goal = None if stop.goal is None else 0.5 + 0.5 * stop.goal
    return stop._replace(error_level=0.5 * stop.error_level, goal=goal)
