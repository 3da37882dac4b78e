"""Checks of the ranking: its first place, signal, connection and fit, cycles, orders, and tests on random pairs."""

import numpy as np
from nextpair.words import InferenceTargetName, counted, percent

from app.inference.choosing import Stop, Stopping, prompts_to_settle
from app.inference.reporting import CLAIMED, DRAWS, circulation, first_place, prompts_in_words
from app.service.basis import Basis
from app.service.checks.examined import ABOVE_CHANCE, FEW, CheckResult, Examined
from app.service.errors import NotConverged
from app.service.rankings import refuse_unconverged, stopping_of
from app.service.targets import PEOPLE_HELP

WHO_IS_FIRST = Stop(top_k=1)
LONG = 10  # verdicts for each candidate: by then judges whose scores have spread 1 have given signal
MIXED = 0.5  # of verdicts that a liking for a position could not have made
RARE = 1  # logs of coins that may go round as much
SEED = 0  # of the coins
COIN = float(np.log(2.0))  # log loss of saying 1/2 to everything


def first_place_known(facts: Examined) -> CheckResult:
    if not facts.basis.published.posterior.convergence.converged:
        return CheckResult("unknown", "The fit did not converge, so there is no ranking.", "–")
    first_alone = stopping_of(facts.basis, WHO_IS_FIRST)
    if first_alone is None:
        return CheckResult("unknown", "There are not two candidates to tell apart.", "–")
    basis, target = facts.basis, facts.basis.target().name
    claimed, says = first_place(facts.ranked, basis.snapshot.comparisons.size, basis.judged.signal(target), target)
    if not says:
        return CheckResult("unknown", "Nobody has judged yet.", "–")
    figure = f"P(best) {percent(facts.ranked[0][2])}"
    if claimed:
        return CheckResult("holds", says, figure)
    more = "" if first_alone.reason else _more(basis, target, first_alone)
    return CheckResult("doubt", f"{says} {more}".strip(), figure)


def _more(basis: Basis, target: InferenceTargetName, stopping: Stopping) -> str:
    """What would tell who is first, where that is not known."""
    if target == "new-items":
        item = basis.snapshot.evidence.item
        prompts = prompts_to_settle(basis.published_for(target), item, WHO_IS_FIRST, basis.goal)
        return prompts_in_words(prompts) if prompts else "Judge more prompts to tell."
    if target == "people" and not basis.people:
        return PEOPLE_HELP
    low, median, high = stopping.forecast
    if stopping.left == 0:
        return "No comparison is left: raise the budget, or set overlap."
    if median is None:
        return "Judge more pairs to tell."
    interval = f"{low:,} or more" if high is None else f"{low:,} to {high:,}"
    return f"It takes about {counted(median, 'more comparison')} ({interval}) to tell."


def signal(facts: Examined) -> CheckResult:
    signal, candidates = facts.basis.judged.signal(facts.basis.target().name), facts.basis.snapshot.model.n
    figure = f"e-value {signal.e_value:.2g} from {counted(signal.verdicts, 'verdict')}, enough is {CLAIMED:.0f}"
    if signal.claimed:
        says = "Verdicts depend on what is compared: random judging would hardly ever look like this."
        return CheckResult("holds", says, figure)
    if signal.verdicts < max(FEW, LONG * candidates):
        return CheckResult("unknown", "The verdicts are still consistent with random judging.", figure)
    says = "After all these verdicts judges may still be guessing: the candidates are alike, or judges cannot tell."
    return CheckResult("doubt", says, figure)


def connected(facts: Examined) -> CheckResult:
    components = facts.of_log.components
    if components <= 1:
        says = "Every candidate can be compared with every other, directly or not."
        return CheckResult("holds", says, counted(components, "part"))
    says = "Some candidates were never compared with the others, even indirectly: compare scores within a part only."
    return CheckResult("doubt", says, f"{components} parts")


def fit(facts: Examined) -> CheckResult:
    convergence = facts.basis.published.posterior.convergence
    try:
        refuse_unconverged(convergence, facts.basis.snapshot)
    except NotConverged as error:
        return CheckResult("doubt", error.detail, "not converged")
    return CheckResult("holds", convergence.outcome.value, f"gradient {convergence.gradient_norm:.1e}")


def cycles(facts: Examined) -> CheckResult:
    cycles = facts.of_log.cycles
    if cycles.share is None or cycles.triads < FEW:
        says = "Too few triples of candidates were all compared to look for cycles."
        return CheckResult("unknown", says, counted(cycles.triads, "triple"))
    whirl = circulation(facts.basis.judged.verdicts, facts.basis.snapshot.model.n, np.random.default_rng(SEED))
    triples = counted(cycles.triads, "triple")
    figure = f"{cycles.share:.1%} of {triples}; {whirl.coins} of {DRAWS} logs of coins go round as much"
    if whirl.coins <= RARE:
        says = "Verdicts go in circles more than even coins do: there is no single order that they could follow."
        return CheckResult("doubt", says, figure)
    if cycles.cyclic > 0.25 * cycles.triads - ABOVE_CHANCE * np.sqrt(3.0 * cycles.triads / 16.0):
        says = "Verdicts go in circles about as often as coins (25%): the candidates may be alike, or judges guess."
        return CheckResult("unknown", says, figure)
    return CheckResult("holds", "No more verdicts contradict each other than chance explains.", figure)


def order(facts: Examined) -> CheckResult:
    mixed, snapshot = facts.of_log.order_balance.mixed, facts.basis.snapshot
    comparisons, candidates = snapshot.comparisons.size, snapshot.model.n
    drawn_would_do = (1.0 - MIXED) * comparisons >= candidates - facts.of_log.components
    if mixed is None or (mixed < MIXED and not drawn_would_do):
        says = "Too few pairs were judged to tell a liking for a position from merit, whatever their orders."
        figure = f"{counted(comparisons, 'comparison')} of {counted(candidates, 'candidate')}"
        return CheckResult("unknown", says, figure)
    figure = f"{mixed:.0%} could not be merit"
    if mixed >= MIXED:
        return CheckResult("holds", "Orders are mixed: a liking for a position would not look like merit.", figure)
    says = "Some candidates were mostly shown first, others second: a liking for a position would look like merit."
    return CheckResult("doubt", says, figure)


def prediction(facts: Examined) -> CheckResult:
    test = facts.basis.tested
    if test is None or test.comparisons < FEW:
        says = "Too few random pairs were judged to test the ranking on: set selection.random_share, such as 0.1."
        return CheckResult("unknown", says, counted(test.comparisons if test else 0, "random pair"))
    figure = f"log loss {test.log_loss:.2f} on {test.comparisons:,}, coins {COIN:.2f}"
    if test.log_loss < COIN:
        return CheckResult("holds", "The ranking foretells random pairs before they are judged.", figure)
    return CheckResult("doubt", "The ranking foretells random pairs no better than coins.", figure)
