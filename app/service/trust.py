"""Trust: checks of what holds of a ranking and what does not, in plain words, each with its figure."""

from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import CheckVerdict

from app.inference.choosing import Stop, Stopping
from app.inference.judges import Accord, accords, binary, confirmed, votes
from app.inference.reporting import CLAIMED, DRAWS, Repeats, Signal, circulation
from app.inference.state import pair_votes_of, raw
from app.service.basis import Basis
from app.service.context import Context
from app.service.diagnostics import Facts, diagnose, gather
from app.service.errors import NotConverged
from app.service.presenting.judges import in_words, is_to_blame
from app.service.rankings import RankingQuery, ranking_of, stopping_of

FEW = 20
LONG = 10  # verdicts for each candidate: by then judges whose scores have spread 1 have given signal
BIAS, KNOWN, SHARE = 0.3, 0.5, 0.1  # a bias let pass; the sd of a known one; of verdicts, by judges of unknown bias
AGREEING, CONSISTENT, FAILING, MIXED = 0.65, 0.75, 0.05, 0.5
RARE = 1  # logs of coins that may go round as much
SEED = 0  # of the coins
ABOVE_CHANCE = 1.645  # standard deviations: one in twenty
COIN = float(np.log(2.0))  # log loss of saying 1/2 to everything


async def read(ctx: Context, set_id: UUID) -> schemas.Trust:
    """All checks at one version. Raises UnknownSet, SetDeleted."""
    return await ctx.live.compute(_report, await gather(ctx, set_id))


def _report(facts: Facts) -> schemas.Trust:
    try:
        ranking = ranking_of(facts.basis, RankingQuery())
        checks = _checks(facts, ranking, diagnose(facts))
    except NotConverged as error:
        checks = [_check("Fit", "doubt", error.detail, "not converged")]
    return schemas.Trust(set_id=facts.basis.row.id, version=facts.basis.snapshot.version, checks=checks)


def _checks(facts: Facts, ranking: schemas.Ranking, diagnostics: schemas.Diagnostics) -> list[schemas.Check]:
    basis = facts.basis
    first_alone = stopping_of(basis, Stop(top_k=1))
    own_bias = basis.snapshot.interpretation.method.position_bias != "none"
    return [
        _top(ranking, first_alone),
        _signal(basis.signal, len(ranking.ranking)),
        _connected(diagnostics),
        _fit(ranking),
        _position(diagnostics, estimated=own_bias),
        _agreement(diagnostics),
        _judges(accords(raw(basis.snapshot), basis.snapshot.model.n, basis.snapshot.log.entries.item), basis),
        _with_people(ranking.certainty, only_people=basis.only_people),
        _repeats(facts.of_log.repeats),
        _failures(diagnostics),
        _cycles(diagnostics.cycles, basis),
        _balance(diagnostics, len(ranking.ranking)),
        _held_out(diagnostics),
    ]


def _check(name: str, verdict: CheckVerdict, says: str, figure: str) -> schemas.Check:
    return schemas.Check(name=name, verdict=verdict, says=says, figure=figure)


def _connected(diagnostics: schemas.Diagnostics) -> schemas.Check:
    if diagnostics.components <= 1:
        return _check(
            "Connected", "holds", "Every candidate can be compared with every other, directly or not.", "1 part"
        )
    says = "Some candidates were never compared with the others, even indirectly: compare scores within a part only."
    return _check("Connected", "doubt", says, f"{diagnostics.components} parts")


def _fit(ranking: schemas.Ranking) -> schemas.Check:
    figure = f"gradient {ranking.convergence.gradient_norm:.1e}"
    return _check("Fit", "holds", ranking.convergence.message, figure)


def _top(ranking: schemas.Ranking, first_alone: Stopping | None) -> schemas.Check:
    if first_alone is None or ranking.ranking[0].p_best is None:
        return _check("First place", "unknown", "There are not two candidates to tell apart.", "–")
    best = ranking.ranking[0]
    figure = f"P(best) {best.p_best:.2f}"
    if first_alone.reason is not None:
        return _check("First place", "holds", f"{best.key} is ahead of all others, however often one looks.", figure)
    says = f"{best.key} leads, but is not surely the best: it would take {_more(first_alone)} to tell it apart."
    return _check("First place", "doubt", says, figure)


def _signal(signal: Signal, candidates: int) -> schemas.Check:
    figure = f"evidence {signal.e_value:.2g} from {signal.verdicts:,} verdicts, enough is {CLAIMED:.0f}"
    if signal.claimed:
        says = "Verdicts depend on what is compared: coins would hardly ever look so, however often one looks."
        return _check("Signal", "holds", says, figure)
    if signal.verdicts < max(FEW, LONG * candidates):
        return _check("Signal", "unknown", "Judges who toss coins could have said the same so far.", figure)
    says = "After all these verdicts judges may still toss coins: the candidates are alike, or judges do not see how."
    return _check("Signal", "doubt", says, figure)


def _more(stopping: Stopping) -> str:
    low, median, high = stopping.forecast
    if median is not None:
        interval = f"{low:,} or more" if high is None else f"{low:,} to {high:,}"
        return f"about {median:,} more comparisons ({interval})"
    if stopping.left is not None:
        return f"more than the {stopping.left:,} comparisons that can still be made"
    return "more comparisons than can be foretold"


def _position(diagnostics: schemas.Diagnostics, *, estimated: bool) -> schemas.Check:
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
    if leaning and not estimated:
        says = "Set position_bias to estimate, so that the ranking allows for it."
        return _about_bias("doubt", leaning, f"{_favours(leaning)} {says}")
    if sum(bias.comparisons for bias in unknown.values()) > SHARE * diagnostics.comparisons:
        says = "cannot be told from merit yet: judge more pairs, and show some the other way round."
        return _about_bias("unknown", unknown, f"Whether {_most_biased(unknown)} favours a position {says}")
    if leaning:
        return _about_bias("holds", leaning, f"{_favours(leaning)} The ranking allows for it.")
    return _about_bias("holds", identified, "No judge clearly favours the text shown first or second.")


def _about_bias(verdict: CheckVerdict, biases: Mapping[str, schemas.JudgeBias], says: str) -> schemas.Check:
    name = _most_biased(biases)
    return _check("Position", verdict, says, f"{name} {biases[name].delta:+.2f} ± {biases[name].sd:.2f}")


def _most_biased(biases: Mapping[str, schemas.JudgeBias]) -> str:
    return max(biases, key=lambda name: abs(biases[name].delta))


def _favours(biases: Mapping[str, schemas.JudgeBias]) -> str:
    name = _most_biased(biases)
    return f"{name} favours the text shown {'first' if biases[name].delta > 0 else 'second'}."


def _agreement(diagnostics: schemas.Diagnostics) -> schemas.Check:
    name, agreement = "Agreement of judges", diagnostics.agreement
    if agreement.share is None or agreement.pairs < FEW:
        says = "Too few pairs were judged by two judges to tell how far they agree."
        return _check(name, "unknown", says, f"{agreement.pairs} pairs of verdicts")
    figure = f"{agreement.share:.0%} of {agreement.pairs:,}"
    if agreement.share >= AGREEING:
        return _check(name, "holds", "Judges mostly name the same winner.", figure)
    says = "Judges name the same winner little more often than coins would: see who differs on the page of judges."
    return _check(name, "doubt", says, figure)


def _with_people(certainty: schemas.Certainty, *, only_people: bool) -> schemas.Check:
    name, agreement = "Agreement with people", certainty.agreement_with_people
    if only_people:
        return _check(name, "holds", "Only people judged: the ranking is of what they prefer.", "people alone")
    if agreement is None or agreement.pairs < FEW:
        says = "Have people judge some of the same pairs, and say who is human with PUT /v1/judges/NAME."
        return _check(name, "unknown", f"{certainty.about} {says}", f"{agreement.pairs if agreement else 0} pairs")
    low, high = agreement.interval
    figure = f"{agreement.share:.0%} of {agreement.pairs:,} ({low:.0%} to {high:.0%})"
    if low > 0.5 and agreement.share >= AGREEING:
        says = "Judges mostly name the winner that people name."
        return _check(name, "holds", f"{says} {certainty.about}", figure)
    says = "Judges name the winner that people name little more often than coins."
    return _check(name, "doubt", f"{says} {certainty.about}", figure)


def _judges(examined: Sequence[Accord], basis: Basis) -> schemas.Check:
    if not examined:
        return _check("Judges", "unknown", "No judge has given enough verdicts to tell how it answers.", "–")
    names = {accord: basis.names[int(basis.snapshot.evidence.judges[accord.judge])] for accord in examined}
    people = np.isin(basis.snapshot.evidence.judges, list(basis.people))
    spared = confirmed(votes(binary(pair_votes_of(basis.snapshot).p)), people) | set(np.flatnonzero(people).tolist())
    named = [accord for accord in examined if is_to_blame(accord, is_right=accord.judge in spared)]
    least = min(examined, key=lambda accord: accord.after)
    figure = f"{names[least]} {least.after:.2f}, as expected is 1, coins are 0"
    if named:
        return _check("Judges", "doubt", " ".join(in_words(accord, names[accord]) for accord in named), figure)
    says = "No judge answers like coins where others do not, or otherwise than before."
    return _check("Judges", "holds", says, figure)


def _repeats(repeats: Repeats) -> schemas.Check:
    (pairs, share), by_chance = repeats.swapped, repeats.by_chance
    if share is None or by_chance is None or pairs < FEW:
        says = "Too few pairs were shown in both orders to tell whether judges are consistent."
        return _check("Consistency", "unknown", says, f"{pairs} pairs of verdicts")
    figure = f"{share:.0%} of {pairs:,}, {by_chance:.0%} by chance"
    if share < CONSISTENT:
        says = "Judges often change their mind when a pair is shown the other way round."
        return _check("Consistency", "doubt", says, figure)
    if share - by_chance <= ABOVE_CHANCE * np.sqrt(by_chance * (1.0 - by_chance) / pairs):
        says = "Judges say nearly always the same, whatever they are shown: that they repeat it tells nothing."
        return _check("Consistency", "unknown", says, figure)
    says = "Judges mostly decide the same when a pair is shown the other way round. That does not make them right."
    return _check("Consistency", "holds", says, figure)


def _failures(diagnostics: schemas.Diagnostics) -> schemas.Check:
    rates = {name: judge.failure_rate for name, judge in diagnostics.judges.items() if judge.failure_rate is not None}
    if not rates:
        return _check("Failures", "unknown", "Nobody was asked yet.", "–")
    name = max(rates, key=lambda judge: rates[judge])
    figure = f"at most {rates[name]:.0%}"
    if rates[name] <= FAILING:
        return _check("Failures", "holds", "Judges answer nearly always.", figure)
    return _check("Failures", "doubt", f"{name} often gives no answer; what it skips may not be like the rest.", figure)


def _cycles(cycles: schemas.Cycles, basis: Basis) -> schemas.Check:
    if cycles.share is None or cycles.triads < FEW:
        says = "Too few triples of candidates were all compared to look for cycles."
        return _check("Cycles", "unknown", says, f"{cycles.triads} triples")
    whirl = circulation(raw(basis.snapshot), basis.snapshot.model.n, np.random.default_rng(SEED))
    figure = f"{cycles.share:.1%} of {cycles.triads:,} triples; {whirl.coins} of {DRAWS} logs of coins go round as much"
    if whirl.coins <= RARE:
        says = "Verdicts go in circles more than even coins do: there is no single order that they could follow."
        return _check("Cycles", "doubt", says, figure)
    if cycles.cyclic > 0.25 * cycles.triads - ABOVE_CHANCE * np.sqrt(3.0 * cycles.triads / 16.0):
        says = "Verdicts go in circles about as often as coins (25%): the candidates may be alike, or judges guess."
        return _check("Cycles", "unknown", says, figure)
    return _check("Cycles", "holds", "No more verdicts contradict each other than chance explains.", figure)


def _balance(diagnostics: schemas.Diagnostics, candidates: int) -> schemas.Check:
    mixed = diagnostics.order_balance.mixed
    drawn_would_do = (1.0 - MIXED) * diagnostics.comparisons >= candidates - diagnostics.components
    if mixed is None or (mixed < MIXED and not drawn_would_do):
        says = "Too few pairs were judged to tell a liking for a position from merit, whatever their orders."
        return _check("Order", "unknown", says, f"{diagnostics.comparisons:,} comparisons of {candidates:,} candidates")
    figure = f"{mixed:.0%} could not be merit"
    if mixed >= MIXED:
        return _check("Order", "holds", "Orders are mixed: a liking for a position would not look like merit.", figure)
    says = "Some candidates were mostly shown first, others second: a liking for a position would look like merit."
    return _check("Order", "doubt", says, figure)


def _held_out(diagnostics: schemas.Diagnostics) -> schemas.Check:
    test = diagnostics.held_out
    if test is None or test.comparisons < FEW:
        says = "Too few random pairs were judged to test the ranking on: set selection.random_share, such as 0.1."
        return _check("Prediction", "unknown", says, f"{test.comparisons if test else 0} random pairs")
    figure = f"log loss {test.log_loss:.2f} on {test.comparisons:,}, coins {COIN:.2f}"
    if test.log_loss < COIN:
        return _check("Prediction", "holds", "The ranking foretells random pairs before they are judged.", figure)
    return _check("Prediction", "doubt", "The ranking foretells random pairs no better than coins.", figure)
