"""What a set's stop rule claims, and what is missing until it is met."""

from nextpair.words import InferenceTargetName, counted

from app.inference.choosing import Missing, Stop, Stopping
from app.inference.reporting import CLAIMED
from app.sentences.confidence import e_value
from app.sentences.progress import between

NOTHING_LEFT = "No comparison is left: raise the budget, or set overlap."
ALL_JUDGED = "This judge has judged every pair."
JUDGE_FAILED = "The judge failed on the pairs that are left: ask another judge."
JUDGE_EXHAUSTED = (
    "More verdicts of this judge would add nothing, because it repeats itself or was asked many times: "
    "ask another judge."
)


def state(stopping: Stopping, rule: Stop, target: InferenceTargetName) -> str:
    """Whether the rule is met, and what it claims."""
    if stopping.missing is not None:
        return f"The stop rule is not met yet: {missing(stopping.missing)} {more(stopping, 'meet it')}".strip()
    if stopping.reason is None:
        alpha = _alpha(rule, rule.top_k is None)
        needs = f": {_needs(stopping.e_value, alpha, _claimed(rule))}" if stopping.e_value else ""
        return f"The stop rule is not met yet{needs}. {more(stopping, 'meet it')}".strip()
    if stopping.reason == "entropy_change":
        return "The stop rule is met: more comparisons would add little information."
    level = f"with {100.0 * (1.0 - _alpha(rule, stopping.reason == 'goal')):g}% confidence"
    always = " (anytime-valid)" if target == "latent" else ""
    known = {
        "top_k": f"{'first place is' if rule.top_k == 1 else f'the top {rule.top_k} are'} known {level}{always}",
        "rank_width": f"every rank interval is at most {rule.rank_width} wide {level}{always}",
        "goal": f"its goal is reached {level}{always}",
        "concordance": f"by the model of the judges, {100.0 * (rule.concordance or 0.0):g}% of its pairs are in order",
    }[stopping.reason]
    return f"The stop rule is met: {known}."


def missing(lacking: Missing) -> str:
    """What a set needs before any stop, and what it has."""
    if lacking.e_value is None:
        return f"a stop needs verdicts on {counted(lacking.needed, 'prompt')}, and {lacking.prompts} have any."
    return f"a stop needs evidence of signal, an e-value of {CLAIMED:.0f}, and it is {e_value(lacking.e_value)}."


def all_judged(lacking: Missing) -> str:
    """Why a set whose pairs are all judged does not stop."""
    return f"{ALL_JUDGED} But {missing(lacking)} Add prompts, or another judge."


def more(stopping: Stopping, aim: str) -> str:
    """How many more comparisons would reach the `aim`, such as "meet it"; empty where that is not known."""
    low, median, high = stopping.forecast
    if stopping.left == 0:
        return NOTHING_LEFT
    if median is None:
        return ""
    interval = None if low is None else (low, high)
    return f"About {counted(median, 'more comparison')}{between(interval)} would {aim}."


def stricter(stopping: Stopping, error_level: float) -> str:
    """How far an anytime-valid rule is from claiming first place, as P(best) does already; empty of other rules."""
    if stopping.e_value is None:
        return ""
    needs = _needs(stopping.e_value, error_level, "first place")
    return f"The stop rule is stricter because it is anytime-valid: {needs}."


def holds_of_any(candidates: int) -> str:
    return f"The stop rule holds for any {candidates} candidates, so no verdict can meet it: ask for less in `stop`."


def _needs(evidence: float, error_level: float, claimed: str) -> str:
    """What the rule lacks. Its e-value is of what it claims; that of the signal is another."""
    return f"it needs e-value {1.0 / error_level:.3g} for {claimed}, and has {e_value(evidence)}"


def _claimed(rule: Stop) -> str:
    if rule.top_k is None:
        return "its goal"
    return "first place" if rule.top_k == 1 else f"the top {rule.top_k}"


def _alpha(rule: Stop, is_goal: bool) -> float:
    return rule.error_level if rule.goal is None or not is_goal else 1.0 - rule.goal
