"""How far a set is to its goal, in a few words and in one sentence."""

from typing import NamedTuple

from nextpair.words import counted, percent

NOT_BEGUN = "not begun"


class Told(NamedTuple):
    """A few words, and the sentence."""

    words: str
    sentence: str


def money(cost: float) -> str:
    """An amount in the currency of the judges' prices, for which a dollar stands."""
    if 0.0 < cost < 0.01:
        return "under $0.01"
    return f"${cost:,.2f}" if cost < 100.0 else f"${cost:,.0f}"


def not_begun(budget: int | None, *, has_rule: bool) -> Told:
    if budget is not None:
        return Told(NOT_BEGUN, f"None of the {counted(budget, 'comparison')} of its budget is made.")
    aim = "how many would meet the stop rule" if has_rule else "how many it needs"
    return Told(NOT_BEGUN, f"No comparison yet; {aim} is not known.")


def rule_met(sentence: str) -> Told:
    return Told("stop rule met", sentence)


def to_rule(left: int, interval: tuple[int, int | None] | None, cost: float | None, prompts: int = 0) -> Told:
    """Forecast of the comparisons until the stop rule is met, and of the further prompts that they are about."""
    on = f" on {counted(prompts, 'more prompt')}" if prompts else ""
    comparisons = f"About {counted(left, 'more comparison')}{between(interval)}{on}{_for(cost)}"
    return Told(_left(left, cost), f"{comparisons} would meet the stop rule.")


def of_budget(made: int, budget: int, cost: float | None, *, has_rule: bool) -> Told:
    """Comparisons of the budget, which ends before the stop rule is known to be met."""
    left = max(budget - made, 0)
    rule = " The stop rule is not met." if has_rule else ""
    if not left:
        return Told("budget used", f"The budget of {counted(budget, 'comparison')} is used.{rule}")
    unknown = " How many would meet the stop rule is not known." if has_rule else ""
    words, rest = f"{made:,} of {budget:,}", "" if cost is None else f" The rest costs about {money(cost)}."
    return Told(words, f"{words} comparisons of its budget are made.{rest}{unknown}")


def to_goal(left: int, level: float, cost: float | None, *, is_order: bool) -> Told:
    """Forecast of the comparisons until the goal is known with this probability."""
    known = (
        f"bring {percent(level)} of pairs into the right order" if is_order else f"make its goal {percent(level)} sure"
    )
    return Told(_left(left, cost), f"About {counted(left, 'more comparison')}{_for(cost)} would {known}.")


def goal_reached(level: float, *, is_order: bool) -> Told:
    known = (
        f"{percent(level)} or more of the pairs are expected in the right order"
        if is_order
        else f"it is known with {percent(level)} confidence"
    )
    return Told("goal reached, no stop rule", f"The goal is reached: {known}. No stop rule ends the set.")


def rule_unmet(sentence: str, *, is_exhausted: bool, is_unsupported: bool) -> Told:
    """Where no forecast says how many comparisons the stop rule needs."""
    if is_exhausted:
        return Told("no pair left", sentence)
    if is_unsupported:
        return Told("needs evidence", sentence)
    return Told("no stop in sight", f"{sentence} No forecast reaches it: choose an earlier stop.".strip())


def no_limit(level: float, *, has_signal: bool) -> Told:
    """Where neither a rule nor a budget is set, and no forecast reaches the goal."""
    why = f"no forecast reaches {percent(level)}" if has_signal else "there is no forecast before a signal"
    return Told("no limit set", f"No stop rule and no budget is set, and {why}.")


def _left(left: int, cost: float | None) -> str:
    return f"about {left:,} left" + ("" if cost is None else f", {money(cost)}")


def _for(cost: float | None) -> str:
    return "" if cost is None else f" for about {money(cost)}"


def between(interval: tuple[int, int | None] | None) -> str:
    """The interval of a forecast, in brackets; empty where it is one number."""
    if interval is None or interval[0] == interval[1]:
        return ""
    low, high = interval
    return f" ({low:,} or more)" if high is None else f" ({low:,} to {high:,})"
