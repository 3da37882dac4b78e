"""Checks of the judges: position bias, agreement with each other, with people and with themselves, and failures."""

from collections.abc import Mapping

import numpy as np
from nextpair import schemas
from nextpair.words import CheckVerdict, counted

from app.inference.judges import binary, confirmed, discriminations, votes
from app.inference.reporting import Wanted
from app.inference.state import pair_votes_of
from app.service.checks.examined import ABOVE_CHANCE, FEW, CheckResult, Examined
from app.service.presenting.judges import in_words, is_to_blame

BIAS, KNOWN, SHARE = 0.3, 0.5, 0.1  # a bias let pass; the sd of a known one; of verdicts, by judges of unknown bias
AGREEING, CONSISTENT, FAILING = 0.65, 0.75, 0.05


def position(facts: Examined) -> CheckResult:
    diagnostics = facts.of_now
    if not diagnostics.position_bias:
        says = (
            "The fit of the judges' biases did not converge." if diagnostics.comparisons else "Nobody has judged yet."
        )
        return CheckResult("unknown", says, "–")
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


def _about_bias(verdict: CheckVerdict, biases: Mapping[str, schemas.JudgeBias], says: str) -> CheckResult:
    name = _most_biased(biases)
    return CheckResult(verdict, says, f"{name} {biases[name].delta:+z.2f} ± {biases[name].sd:.2f}")


def _most_biased(biases: Mapping[str, schemas.JudgeBias]) -> str:
    return max(biases, key=lambda name: abs(biases[name].delta))


def _favours(biases: Mapping[str, schemas.JudgeBias]) -> str:
    name = _most_biased(biases)
    return f"{name} favours the text shown {'first' if biases[name].delta > 0 else 'second'}."


def agreement(facts: Examined) -> CheckResult:
    agreement = facts.of_log.agreement
    if agreement.share is None or agreement.pairs < FEW:
        says = "Too few pairs were judged by two judges to tell how far they agree."
        return CheckResult("unknown", says, f"{counted(agreement.pairs, 'pair')} of verdicts")
    figure = f"{agreement.share:.0%} of {agreement.pairs:,}"
    if agreement.share >= AGREEING:
        return CheckResult("holds", "Judges mostly name the same winner.", figure)
    says = "Judges name the same winner little more often than coins would: see who differs on the page of judges."
    return CheckResult("doubt", says, figure)


def judges(facts: Examined) -> CheckResult:
    basis, judged = facts.basis, facts.basis.judged
    examined = discriminations(judged.verdicts, len(judged.keys), judged.item)
    if not examined:
        return CheckResult("unknown", "No judge has given enough verdicts to tell how it answers.", "–")
    names = {each: judged.judges[each.judge] for each in examined}
    people = set(np.flatnonzero(judged.people).tolist())
    spared = confirmed(votes(binary(pair_votes_of(basis.snapshot).p)), judged.people) | people
    named = [each for each in examined if is_to_blame(each, is_right=each.judge in spared)]
    least = min(examined, key=lambda each: each.after)
    figure = f"{names[least]} {least.after:.2f}, as expected is 1, coins are 0"
    if named:
        return CheckResult("doubt", " ".join(in_words(each, names[each]) for each in named), figure)
    says = "No judge answers like coins where others do not, or otherwise than before."
    return CheckResult("holds", says, figure)


def with_people(facts: Examined) -> CheckResult:
    validation = facts.basis.judged.validation(Wanted().level)
    agreement = validation.agreement_with_people
    if facts.basis.only_people:
        return CheckResult("holds", "Only people judged: the ranking is of what they prefer.", "people alone")
    if agreement is None or agreement.pairs < FEW:
        says = "Have people judge some of the same pairs, and say who is human with PUT /v1/judges/NAME."
        return CheckResult(
            "unknown", f"{validation.about} {says}", counted(agreement.pairs if agreement else 0, "pair")
        )
    low, high = agreement.interval
    figure = f"{agreement.share:.0%} of {agreement.pairs:,} ({low:.0%} to {high:.0%})"
    if low > 0.5 and agreement.share >= AGREEING:
        says = "Judges mostly name the winner that people name."
        return CheckResult("holds", f"{says} {validation.about}", figure)
    says = "Judges name the winner that people name little more often than coins."
    return CheckResult("doubt", f"{says} {validation.about}", figure)


def consistency(facts: Examined) -> CheckResult:
    repeats = facts.of_log.repeats
    (pairs, share), by_chance = repeats.swapped, repeats.by_chance
    if share is None or by_chance is None or pairs < FEW:
        says = "Too few pairs were shown in both orders to tell whether judges are consistent."
        return CheckResult("unknown", says, f"{counted(pairs, 'pair')} of verdicts")
    figure = f"{share:.0%} of {pairs:,}, {by_chance:.0%} by chance"
    if share < CONSISTENT:
        says = "Judges often change their mind when a pair is shown the other way round."
        return CheckResult("doubt", says, figure)
    if share - by_chance <= ABOVE_CHANCE * np.sqrt(by_chance * (1.0 - by_chance) / pairs):
        says = "Judges say nearly always the same, whatever they are shown: that they repeat it tells nothing."
        return CheckResult("unknown", says, figure)
    says = "Judges mostly decide the same when a pair is shown the other way round. That does not make them right."
    return CheckResult("holds", says, figure)


def failures(judges: Mapping[str, schemas.JudgeDiagnostics]) -> CheckResult:
    rates = {name: judge.failure_rate for name, judge in judges.items() if judge.failure_rate is not None}
    if not rates:
        return CheckResult("unknown", "Nobody was asked yet.", "–")
    name = max(rates, key=lambda judge: rates[judge])
    figure = f"at most {rates[name]:.0%}"
    if rates[name] <= FAILING:
        return CheckResult("holds", "Judges answer nearly always.", figure)
    return CheckResult("doubt", f"{name} often gives no answer; what it skips may not be like the rest.", figure)
