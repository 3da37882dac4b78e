"""Trust: checks of what holds of a ranking and what does not, in plain words, each with its figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import CheckVerdict, InferenceTargetName, counted, percent

from app.inference.choosing import Stop, Stopping, prompts_to_settle
from app.inference.judges import accords, binary, confirmed, votes
from app.inference.reporting import CLAIMED, DRAWS, Wanted, circulation, first_place, prompts_in_words, summary_of
from app.inference.state import pair_votes_of, raw
from app.live.jobs import Report
from app.service import results
from app.service.basis import Basis
from app.service.context import Context
from app.service.diagnostics import Facts, failures_of
from app.service.errors import NotConverged
from app.service.presenting.diagnostics import with_failures
from app.service.presenting.judges import in_words, is_to_blame
from app.service.rankings import refuse_unconverged, stopping_of
from app.service.targets import PEOPLE_HELP

FEW = 20
WHO_IS_FIRST = Stop(top_k=1)
LONG = 10  # verdicts for each candidate: by then judges whose scores have spread 1 have given signal
BIAS, KNOWN, SHARE = 0.3, 0.5, 0.1  # a bias let pass; the sd of a known one; of verdicts, by judges of unknown bias
AGREEING, CONSISTENT, FAILING, MIXED = 0.65, 0.75, 0.05, 0.5
RARE = 1  # logs of coins that may go round as much
SEED = 0  # of the coins
ABOVE_CHANCE = 1.645  # standard deviations: one in twenty
COIN = float(np.log(2.0))  # log loss of saying 1/2 to everything


class LogChecks(NamedTuple):
    """All that the log says: every check but that of failures, which are no part of it."""

    version: int
    checks: Sequence[schemas.Check]
    judges: Mapping[str, schemas.JudgeDiagnostics]  # by name


@dataclass(frozen=True)
class Examined(Facts):
    """Facts, and what of the ranking is checked; each is computed by the first check that needs it."""

    @cached_property
    def ranked(self) -> list[tuple[str, int, float]]:
        """Keys, ranks and P(best), best first."""
        ranking = summary_of(self.basis.ranked(self.basis.target().name), Wanted())
        keys, order = self.basis.catalogue.keys, np.argsort(ranking.rank, kind="stable").tolist()
        return [(keys[each], int(ranking.rank[each]), float(ranking.p_best[each])) for each in order]

    @cached_property
    def allowed_for(self) -> set[str]:
        """The judges whose position bias the ranking allows for."""
        basis = self.basis
        model, judges = basis.published_for(basis.target().name).model, basis.snapshot.evidence.judges
        allowed = judges[model.estimated_biases] if model.has_biases else judges
        return {basis.names[judge] for judge in allowed.tolist()} if model.allows_for_biases else set()


async def read(ctx: Context, set_id: UUID) -> schemas.Trust:
    """All checks at one version; failures, which are no part of the log, as of now.

    Raises UnknownSet, SetDeleted, StillComputing.
    """
    found_set = await results.find(ctx, set_id)
    (version, checks, judges), newer_version = await results.read(ctx, found_set, "trust", _find)
    failures = _failures(with_failures(judges, await failures_of(ctx, set_id)))
    return schemas.Trust(set_id=set_id, version=version, newer_version=newer_version, checks=[*checks, failures])


def _find(basis: Basis, report: Report) -> LogChecks:
    """One check after the other. Raises TooMany."""
    facts, checks = Examined(basis), list[schemas.Check]()
    judges = facts.of_now.judges
    for check in CHECKS:
        report(f"{len(checks)} of {len(CHECKS)} checks are done")
        checks.append(check(facts))
    return LogChecks(basis.snapshot.version, checks, judges)


def _check(name: str, verdict: CheckVerdict, says: str, figure: str) -> schemas.Check:
    return schemas.Check(name=name, verdict=verdict, says=says, figure=figure)


def _connected(facts: Examined) -> schemas.Check:
    components = facts.of_log.components
    if components <= 1:
        return _check(
            "Connected",
            "holds",
            "Every candidate can be compared with every other, directly or not.",
            counted(components, "part"),
        )
    says = "Some candidates were never compared with the others, even indirectly: compare scores within a part only."
    return _check("Connected", "doubt", says, f"{components} parts")


def _fit(facts: Examined) -> schemas.Check:
    convergence = facts.basis.published.posterior.convergence
    try:
        refuse_unconverged(convergence, facts.basis.snapshot)
    except NotConverged as error:
        return _check("Fit", "doubt", error.detail, "not converged")
    return _check("Fit", "holds", convergence.outcome.value, f"gradient {convergence.gradient_norm:.1e}")


def _top(facts: Examined) -> schemas.Check:
    if not facts.basis.published.posterior.convergence.converged:
        return _check("First place", "unknown", "The fit did not converge, so there is no ranking.", "–")
    first_alone = stopping_of(facts.basis, WHO_IS_FIRST)
    if first_alone is None:
        return _check("First place", "unknown", "There are not two candidates to tell apart.", "–")
    basis, target = facts.basis, facts.basis.target().name
    claimed, says = first_place(facts.ranked, basis.snapshot.comparisons.size, basis.judged.signal(target), target)
    if not says:
        return _check("First place", "unknown", "Nobody has judged yet.", "–")
    figure = f"P(best) {percent(facts.ranked[0][2])}"
    if claimed:
        return _check("First place", "holds", says, figure)
    more = "" if first_alone.reason else _more(basis, target, first_alone)
    return _check("First place", "doubt", f"{says} {more}".strip(), figure)


def _signal(facts: Examined) -> schemas.Check:
    signal, candidates = facts.basis.judged.signal(facts.basis.target().name), facts.basis.snapshot.model.n
    figure = f"e-value {signal.e_value:.2g} from {counted(signal.verdicts, 'verdict')}, enough is {CLAIMED:.0f}"
    if signal.claimed:
        says = "Verdicts depend on what is compared: random judging would hardly ever look like this."
        return _check("Signal", "holds", says, figure)
    if signal.verdicts < max(FEW, LONG * candidates):
        return _check("Signal", "unknown", "The verdicts are still consistent with random judging.", figure)
    says = "After all these verdicts judges may still be guessing: the candidates are alike, or judges cannot tell."
    return _check("Signal", "doubt", says, figure)


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


def _position(facts: Examined) -> schemas.Check:
    diagnostics = facts.of_now
    if not diagnostics.position_bias:
        says = (
            "The fit of the judges' biases did not converge." if diagnostics.comparisons else "Nobody has judged yet."
        )
        return _check("Position", "unknown", says, "–")
    identified = {name: bias for name, bias in diagnostics.position_bias.items() if bias.warning is None}
    leaning = {name: bias for name, bias in identified.items() if abs(bias.delta) > max(BIAS, 2.0 * bias.sd)}
    unknown = {
        name: bias
        for name, bias in diagnostics.position_bias.items()
        if name not in leaning and (name not in identified or bias.sd > KNOWN)
    }
    if ignored := {name: bias for name, bias in leaning.items() if name not in facts.allowed_for}:
        says = "Set position_bias to estimate, so that the ranking allows for it."
        return _about_bias("doubt", ignored, f"{_favours(ignored)} {says}")
    if sum(bias.comparisons for bias in unknown.values()) > SHARE * diagnostics.comparisons:
        says = "cannot be told from merit yet: judge more pairs, and show some the other way round."
        return _about_bias("unknown", unknown, f"Whether {_most_biased(unknown)} favours a position {says}")
    if leaning:
        return _about_bias("holds", leaning, f"{_favours(leaning)} The ranking allows for it.")
    slight = {name: bias for name, bias in identified.items() if abs(bias.delta) > 2.0 * bias.sd}
    if slight:
        is_allowed_for = slight.keys() <= facts.allowed_for
        says = "The ranking allows for it." if is_allowed_for else f"The bias is small, at most {BIAS} in log-odds."
        return _about_bias("holds", slight, f"{_favours(slight)} {says}")
    return _about_bias("holds", identified, "No judge clearly favours the text shown first or second.")


def _about_bias(verdict: CheckVerdict, biases: Mapping[str, schemas.JudgeBias], says: str) -> schemas.Check:
    name = _most_biased(biases)
    return _check("Position", verdict, says, f"{name} {biases[name].delta:+z.2f} ± {biases[name].sd:.2f}")


def _most_biased(biases: Mapping[str, schemas.JudgeBias]) -> str:
    return max(biases, key=lambda name: abs(biases[name].delta))


def _favours(biases: Mapping[str, schemas.JudgeBias]) -> str:
    name = _most_biased(biases)
    return f"{name} favours the text shown {'first' if biases[name].delta > 0 else 'second'}."


def _agreement(facts: Examined) -> schemas.Check:
    name, agreement = "Agreement of judges", facts.of_log.agreement
    if agreement.share is None or agreement.pairs < FEW:
        says = "Too few pairs were judged by two judges to tell how far they agree."
        return _check(name, "unknown", says, f"{counted(agreement.pairs, 'pair')} of verdicts")
    figure = f"{agreement.share:.0%} of {agreement.pairs:,}"
    if agreement.share >= AGREEING:
        return _check(name, "holds", "Judges mostly name the same winner.", figure)
    says = "Judges name the same winner little more often than coins would: see who differs on the page of judges."
    return _check(name, "doubt", says, figure)


def _with_people(facts: Examined) -> schemas.Check:
    certainty = facts.basis.judged.certainty(Wanted().level)
    name, agreement = "Agreement with people", certainty.agreement_with_people
    if facts.basis.only_people:
        return _check(name, "holds", "Only people judged: the ranking is of what they prefer.", "people alone")
    if agreement is None or agreement.pairs < FEW:
        says = "Have people judge some of the same pairs, and say who is human with PUT /v1/judges/NAME."
        return _check(
            name, "unknown", f"{certainty.about} {says}", counted(agreement.pairs if agreement else 0, "pair")
        )
    low, high = agreement.interval
    figure = f"{agreement.share:.0%} of {agreement.pairs:,} ({low:.0%} to {high:.0%})"
    if low > 0.5 and agreement.share >= AGREEING:
        says = "Judges mostly name the winner that people name."
        return _check(name, "holds", f"{says} {certainty.about}", figure)
    says = "Judges name the winner that people name little more often than coins."
    return _check(name, "doubt", f"{says} {certainty.about}", figure)


def _judges(facts: Examined) -> schemas.Check:
    basis, snapshot = facts.basis, facts.basis.snapshot
    examined = accords(raw(snapshot), snapshot.model.n, snapshot.log.entries.item)
    if not examined:
        return _check("Judges", "unknown", "No judge has given enough verdicts to tell how it answers.", "–")
    names = {accord: basis.names[int(snapshot.evidence.judges[accord.judge])] for accord in examined}
    people = np.isin(snapshot.evidence.judges, list(basis.people))
    spared = confirmed(votes(binary(pair_votes_of(snapshot).p)), people) | set(np.flatnonzero(people).tolist())
    named = [accord for accord in examined if is_to_blame(accord, is_right=accord.judge in spared)]
    least = min(examined, key=lambda accord: accord.after)
    figure = f"{names[least]} {least.after:.2f}, as expected is 1, coins are 0"
    if named:
        return _check("Judges", "doubt", " ".join(in_words(accord, names[accord]) for accord in named), figure)
    says = "No judge answers like coins where others do not, or otherwise than before."
    return _check("Judges", "holds", says, figure)


def _repeats(facts: Examined) -> schemas.Check:
    repeats = facts.of_log.repeats
    (pairs, share), by_chance = repeats.swapped, repeats.by_chance
    if share is None or by_chance is None or pairs < FEW:
        says = "Too few pairs were shown in both orders to tell whether judges are consistent."
        return _check("Consistency", "unknown", says, f"{counted(pairs, 'pair')} of verdicts")
    figure = f"{share:.0%} of {pairs:,}, {by_chance:.0%} by chance"
    if share < CONSISTENT:
        says = "Judges often change their mind when a pair is shown the other way round."
        return _check("Consistency", "doubt", says, figure)
    if share - by_chance <= ABOVE_CHANCE * np.sqrt(by_chance * (1.0 - by_chance) / pairs):
        says = "Judges say nearly always the same, whatever they are shown: that they repeat it tells nothing."
        return _check("Consistency", "unknown", says, figure)
    says = "Judges mostly decide the same when a pair is shown the other way round. That does not make them right."
    return _check("Consistency", "holds", says, figure)


def _failures(judges: Mapping[str, schemas.JudgeDiagnostics]) -> schemas.Check:
    rates = {name: judge.failure_rate for name, judge in judges.items() if judge.failure_rate is not None}
    if not rates:
        return _check("Failures", "unknown", "Nobody was asked yet.", "–")
    name = max(rates, key=lambda judge: rates[judge])
    figure = f"at most {rates[name]:.0%}"
    if rates[name] <= FAILING:
        return _check("Failures", "holds", "Judges answer nearly always.", figure)
    return _check("Failures", "doubt", f"{name} often gives no answer; what it skips may not be like the rest.", figure)


def _cycles(facts: Examined) -> schemas.Check:
    cycles, snapshot = facts.of_log.cycles, facts.basis.snapshot
    if cycles.share is None or cycles.triads < FEW:
        says = "Too few triples of candidates were all compared to look for cycles."
        return _check("Cycles", "unknown", says, counted(cycles.triads, "triple"))
    whirl = circulation(raw(snapshot), snapshot.model.n, np.random.default_rng(SEED))
    triples = counted(cycles.triads, "triple")
    figure = f"{cycles.share:.1%} of {triples}; {whirl.coins} of {DRAWS} logs of coins go round as much"
    if whirl.coins <= RARE:
        says = "Verdicts go in circles more than even coins do: there is no single order that they could follow."
        return _check("Cycles", "doubt", says, figure)
    if cycles.cyclic > 0.25 * cycles.triads - ABOVE_CHANCE * np.sqrt(3.0 * cycles.triads / 16.0):
        says = "Verdicts go in circles about as often as coins (25%): the candidates may be alike, or judges guess."
        return _check("Cycles", "unknown", says, figure)
    return _check("Cycles", "holds", "No more verdicts contradict each other than chance explains.", figure)


def _balance(facts: Examined) -> schemas.Check:
    mixed, snapshot = facts.of_log.order_balance.mixed, facts.basis.snapshot
    comparisons, candidates = snapshot.comparisons.size, snapshot.model.n
    drawn_would_do = (1.0 - MIXED) * comparisons >= candidates - facts.of_log.components
    if mixed is None or (mixed < MIXED and not drawn_would_do):
        says = "Too few pairs were judged to tell a liking for a position from merit, whatever their orders."
        figure = f"{counted(comparisons, 'comparison')} of {counted(candidates, 'candidate')}"
        return _check("Order", "unknown", says, figure)
    figure = f"{mixed:.0%} could not be merit"
    if mixed >= MIXED:
        return _check("Order", "holds", "Orders are mixed: a liking for a position would not look like merit.", figure)
    says = "Some candidates were mostly shown first, others second: a liking for a position would look like merit."
    return _check("Order", "doubt", says, figure)


def _held_out(facts: Examined) -> schemas.Check:
    test = facts.basis.tested
    if test is None or test.comparisons < FEW:
        says = "Too few random pairs were judged to test the ranking on: set selection.random_share, such as 0.1."
        return _check("Prediction", "unknown", says, counted(test.comparisons if test else 0, "random pair"))
    figure = f"log loss {test.log_loss:.2f} on {test.comparisons:,}, coins {COIN:.2f}"
    if test.log_loss < COIN:
        return _check("Prediction", "holds", "The ranking foretells random pairs before they are judged.", figure)
    return _check("Prediction", "doubt", "The ranking foretells random pairs no better than coins.", figure)


CHECKS = (
    _top,
    _signal,
    _connected,
    _fit,
    _position,
    _agreement,
    _judges,
    _with_people,
    _repeats,
    _cycles,
    _balance,
    _held_out,
)
