"""Checks of the ranking: its first place, signal, connection and fit, cycles, orders, and tests on random pairs."""

import numpy as np
from nextpair.words import InferenceTargetName, counted, percent

from app.inference.choosing import Stop, Stopping, prompts_to_decide
from app.inference.regimes import RANKED_DENSE
from app.inference.reporting import CLAIMED, DRAWS, circulation
from app.sentences import checks, confidence, prompts, stopping
from app.sentences.fits import ENDS
from app.sentences.judges import ASK_PEOPLE
from app.service.basis import Basis
from app.service.checks.examined import ABOVE_CHANCE, FEW, CheckResult, Examined
from app.service.errors import NotConverged
from app.service.rankings import refuse_unconverged, stopping_of

WHO_IS_FIRST = Stop(top_k=1)
LONG = 10  # verdicts for each candidate: by then judges whose scores have spread 1 have given signal
MIXED = 0.5  # of verdicts that a position bias could not have made
RARE = 1  # random logs that may be as intransitive
SEED = 0  # of the random logs
COIN = float(np.log(2.0))  # log loss of saying 1/2 to everything


def first_place_known(facts: Examined) -> CheckResult:
    if not facts.basis.published.posterior.convergence.converged:
        return CheckResult("unknown", checks.NOT_CONVERGED, checks.NOTHING)
    if facts.basis.snapshot.model.n < 2:
        return CheckResult("unknown", checks.ONE_CANDIDATE, checks.NOTHING)
    is_many = facts.basis.snapshot.model.n > RANKED_DENSE
    first_alone = None if is_many else stopping_of(facts.basis, WHO_IS_FIRST)
    basis, target = facts.basis, facts.basis.target().name
    signal = basis.judged.signal(target)
    claimed, says = confidence.first_place(facts.ranked, basis.snapshot.comparisons.size, signal)
    if not says:
        return CheckResult("unknown", checks.NOBODY_JUDGED, checks.NOTHING)
    if claimed:
        more = (
            ""
            if first_alone is None or first_alone.reason
            else stopping.stricter(first_alone, WHO_IS_FIRST.error_level)
        )
        return CheckResult("holds", f"{says} {more}".strip(), f"P(best) {percent(facts.ranked[0][2])}")
    more = "" if first_alone and first_alone.reason else _more(basis, target, first_alone)
    figure = f"P(best) {percent(facts.ranked[0][2])}" if signal.claimed else _evidence(signal.e_value)
    return CheckResult("doubt", f"{says} {more}".strip(), figure)


def _more(basis: Basis, target: InferenceTargetName, first_alone: Stopping | None) -> str:
    """What would tell who is first, where that is not known."""
    if target == "new-items":
        item = basis.snapshot.evidence.item
        forecast = prompts_to_decide(basis.published_for(target), item, WHO_IS_FIRST, basis.goal)
        return prompts.needed(forecast) if forecast else "Judge more prompts."
    if target == "people" and not basis.people:
        return ASK_PEOPLE
    signal = basis.judged.signal(target)
    step = confidence.next_step(signal, is_complete=False)
    return (stopping.more(first_alone, "show who is best") if first_alone else "") or step


def _evidence(e_value: float) -> str:
    return f"e-value {confidence.e_value(e_value)}"


def signal(facts: Examined) -> CheckResult:
    signal, candidates = facts.basis.judged.signal(facts.basis.target().name), facts.basis.snapshot.model.n
    comparisons = facts.basis.snapshot.comparisons.size
    figure = checks.signal_figure(confidence.e_value(signal.e_value), CLAIMED, signal.verdicts, comparisons)
    if signal.case == "claimed":
        return CheckResult("holds", confidence.evidence(signal), figure)
    if signal.case == "as-judged":
        return CheckResult("unknown", confidence.evidence(signal), figure)
    says = f"{confidence.evidence(signal)} {confidence.next_step(signal, is_complete=False)}"
    is_early = signal.case in ("not-yet", "few-units") and signal.verdicts < max(FEW, LONG * candidates)
    return CheckResult("unknown" if is_early else "doubt", says, figure)


def connected(facts: Examined) -> CheckResult:
    components = facts.of_log.components
    if components <= 1:
        return CheckResult("holds", checks.CONNECTED, counted(components, "part"))
    if not facts.basis.snapshot.comparisons.size:
        return CheckResult("unknown", checks.NOBODY_JUDGED, checks.NOTHING)
    return CheckResult("doubt", checks.DISCONNECTED, counted(components, "part"))


def fit(facts: Examined) -> CheckResult:
    convergence = facts.basis.published.posterior.convergence
    try:
        refuse_unconverged(convergence, facts.basis.snapshot)
    except NotConverged as error:
        return CheckResult("doubt", error.detail, "not converged")
    return CheckResult("holds", ENDS[convergence.outcome], f"gradient {convergence.gradient_norm:.1e}")


def cycles(facts: Examined) -> CheckResult:
    cycles = facts.of_log.cycles
    if cycles.share is None or cycles.triads < FEW:
        return CheckResult("unknown", checks.FEW_TRIPLES, counted(cycles.triads, "triple"))
    whirl = circulation(facts.basis.judged.verdicts, facts.basis.snapshot.model.n, np.random.default_rng(SEED))
    figure = checks.cycles_figure(cycles.share, cycles.triads, whirl.at_random, DRAWS)
    if whirl.at_random <= RARE:
        return CheckResult("doubt", checks.CYCLES, figure)
    if cycles.cyclic > 0.25 * cycles.triads - ABOVE_CHANCE * np.sqrt(3.0 * cycles.triads / 16.0):
        return CheckResult("unknown", checks.CYCLES_AS_RANDOM, figure)
    return CheckResult("holds", checks.NO_CYCLES, figure)


def order(facts: Examined) -> CheckResult:
    mixed, snapshot = facts.of_log.order_balance.mixed, facts.basis.snapshot
    comparisons, candidates = snapshot.comparisons.size, snapshot.model.n
    drawn_would_do = (1.0 - MIXED) * comparisons >= candidates - facts.of_log.components
    if mixed is None or (mixed < MIXED and not drawn_would_do):
        figure = f"{counted(comparisons, 'comparison')} of {counted(candidates, 'candidate')}"
        return CheckResult("unknown", checks.FEW_ORDERS, figure)
    if mixed >= MIXED:
        return CheckResult("holds", checks.MIXED_ORDERS, checks.order_figure(mixed))
    return CheckResult("doubt", checks.UNMIXED_ORDERS, checks.order_figure(mixed))


def prediction(facts: Examined) -> CheckResult:
    test = facts.basis.tested
    if test is None or test.comparisons < FEW:
        pairs = counted(test.comparisons if test else 0, "random pair")
        return CheckResult("unknown", checks.FEW_RANDOM_PAIRS, pairs)
    figure = checks.prediction_figure(test.log_loss, test.comparisons)
    if test.log_loss < COIN:
        return CheckResult("holds", checks.PREDICTS, figure)
    return CheckResult("doubt", checks.PREDICTS_NOTHING, figure)
