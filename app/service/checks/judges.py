"""Checks of the judges: position bias, agreement with each other, with people and with themselves, and failures."""

from collections.abc import Mapping

import numpy as np
from nextpair import schemas
from nextpair.words import CheckVerdict, counted

from app.inference.judges import binary, confirmed, discriminations, votes
from app.inference.reporting import Wanted
from app.inference.state import pair_votes_of
from app.sentences import checks
from app.sentences.judges import named_for
from app.service.checks.examined import ABOVE_CHANCE, FEW, CheckResult, Examined
from app.service.presenting.judges import is_to_blame

BIAS, KNOWN, SHARE = 0.3, 0.5, 0.1  # a bias let pass; the sd of a known one; of verdicts, by judges of unknown bias
AGREEING, CONSISTENT, FAILING = 0.65, 0.75, 0.05


def position(facts: Examined) -> CheckResult:
    diagnostics = facts.of_now
    if not diagnostics.position_bias:
        says = checks.BIASES_NOT_CONVERGED if diagnostics.comparisons else checks.NOBODY_JUDGED
        return CheckResult("unknown", says, checks.NOTHING)
    identified = {name: bias for name, bias in diagnostics.position_bias.items() if bias.warning is None}
    leaning = {name: bias for name, bias in identified.items() if abs(bias.delta) > max(BIAS, 2.0 * bias.sd)}
    unknown = {
        name: bias
        for name, bias in diagnostics.position_bias.items()
        if name not in leaning and (name not in identified or bias.sd > KNOWN)
    }
    if ignored := {name: bias for name, bias in leaning.items() if name not in facts.allowed_for}:
        return _about_bias("doubt", ignored, checks.SET_ESTIMATE)
    if sum(bias.comparisons for bias in unknown.values()) > SHARE * diagnostics.comparisons:
        name = _most_biased(unknown)
        return CheckResult("unknown", checks.bias_unknown(name), checks.bias_figure(name, unknown[name]))
    if leaning:
        return _about_bias("holds", leaning, checks.CORRECTED)
    slight = {name: bias for name, bias in identified.items() if abs(bias.delta) > 2.0 * bias.sd}
    if slight:
        is_allowed_for = slight.keys() <= facts.allowed_for
        return _about_bias("holds", slight, checks.CORRECTED if is_allowed_for else checks.small_bias(BIAS))
    name = _most_biased(identified)
    return CheckResult("holds", checks.NO_BIAS, checks.bias_figure(name, identified[name]))


def _about_bias(verdict: CheckVerdict, biases: Mapping[str, schemas.JudgeBias], says: str) -> CheckResult:
    name = _most_biased(biases)
    favours = checks.favours(name, biases[name].delta)
    return CheckResult(verdict, f"{favours} {says}", checks.bias_figure(name, biases[name]))


def _most_biased(biases: Mapping[str, schemas.JudgeBias]) -> str:
    return max(biases, key=lambda name: abs(biases[name].delta))


def agreement(facts: Examined) -> CheckResult:
    agreement = facts.agreement
    if agreement.share is None or agreement.pairs < FEW:
        return CheckResult("unknown", checks.FEW_SHARED_PAIRS, counted(agreement.pairs, "pair"))
    figure = checks.share_figure(agreement.share, agreement.pairs)
    if agreement.share >= AGREEING:
        return CheckResult("holds", checks.AGREE, figure)
    return CheckResult("doubt", checks.DISAGREE, figure)


def judges(facts: Examined) -> CheckResult:
    basis, judged = facts.basis, facts.basis.judged
    examined = discriminations(judged.verdicts, len(judged.keys), judged.item)
    if not examined:
        return CheckResult("unknown", checks.FEW_VERDICTS, checks.NOTHING)
    names = {each: judged.judges[each.judge] for each in examined}
    people = set(np.flatnonzero(judged.people).tolist())
    spared = confirmed(votes(binary(pair_votes_of(basis.snapshot).p)), judged.people) | people
    named = [each for each in examined if is_to_blame(each, is_right=each.judge in spared)]
    least = min(examined, key=lambda each: each.after)
    figure = checks.judges_figure(names[least], least.after)
    if named:
        return CheckResult("doubt", " ".join(named_for(each, names[each]) for each in named), figure)
    return CheckResult("holds", checks.NO_ODD_JUDGE, figure)


def with_people(facts: Examined) -> CheckResult:
    validation = facts.basis.judged.validation(Wanted().level)
    agreement = validation.agreement_with_people
    if facts.basis.only_people:
        return CheckResult("holds", checks.PEOPLE_ALONE, "people alone")
    if agreement is None or agreement.pairs < FEW:
        says, pairs = checks.FEW_HUMAN_PAIRS, agreement.pairs if agreement else 0
        return CheckResult("unknown", f"{validation.about} {says}", counted(pairs, "pair"))
    figure = checks.share_figure(agreement.share, agreement.pairs, agreement.interval)
    if agreement.interval[0] > 0.5 and agreement.share >= AGREEING:
        return CheckResult("holds", f"{checks.AGREE_WITH_PEOPLE} {validation.about}", figure)
    return CheckResult("doubt", f"{checks.DISAGREE_WITH_PEOPLE} {validation.about}", figure)


def consistency(facts: Examined) -> CheckResult:
    repeats = facts.of_log.repeats
    (pairs, share), by_chance = repeats.swapped, repeats.by_chance
    if share is None or by_chance is None or pairs < FEW:
        return CheckResult("unknown", checks.FEW_SWAPS, counted(pairs, "pair"))
    figure = checks.consistency_figure(share, pairs, by_chance)
    if share < CONSISTENT:
        return CheckResult("doubt", checks.INCONSISTENT, figure)
    if share - by_chance <= ABOVE_CHANCE * np.sqrt(by_chance * (1.0 - by_chance) / pairs):
        return CheckResult("unknown", checks.CONSTANT, figure)
    return CheckResult("holds", checks.CONSISTENT, figure)


def failures(judges: Mapping[str, schemas.JudgeDiagnostics]) -> CheckResult:
    rates = {name: judge.failure_rate for name, judge in judges.items() if judge.failure_rate is not None}
    if not rates:
        return CheckResult("unknown", checks.NOBODY_ASKED, checks.NOTHING)
    name = max(rates, key=lambda judge: rates[judge])
    figure = checks.failure_figure(rates[name])
    if rates[name] <= FAILING:
        return CheckResult("holds", checks.ANSWERING, figure)
    return CheckResult("doubt", checks.failing(name), figure)
