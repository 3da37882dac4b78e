"""How one candidate does against another, what the estimate rests on, and what would decide it."""

from nextpair.words import InferenceTargetName, percent

from app.inference.choosing import Stopping
from app.inference.reporting import Against, SignalTest
from app.sentences import confidence
from app.sentences.lists import quoted
from app.sentences.stopping import more

AIM = "decide which is better"
DECIDED = "Which of the two is better is known with 95% confidence"
WHERE: dict[InferenceTargetName, str] = {
    "latent": "",
    "all-pairs": " in these judges' verdicts on all pairs",
    "new-items": " on prompts like these",
    "people": " as people would judge",
}
NO_VERDICTS = "No verdicts yet: these figures are the prior's."
NOTHING_TO_FORECAST = "A forecast needs verdicts: judge this pair first."
NOT_JOINED = "No chain of comparisons joins the two: these figures are the prior's. Judge this pair first."
BY_SCORES = "The two were never compared: the estimate comes from their absolute scores."
BY_OTHERS = "The two were never compared directly: the estimate comes from their comparisons with others."


def outcome(
    first: str, second: str, beside: Against, target: InferenceTargetName, signal: SignalTest, source: str
) -> str:
    """The win rate with its interval, and who is better; no probability where the verdicts show no signal."""
    assert beside.win_rate is not None
    assert beside.win_rate_interval is not None
    low, high = map(percent, beside.win_rate_interval)
    if source == "prior":
        return f"Nothing compares {quoted(first)} with {quoted(second)} yet: the prior gives each {low} to {high}."
    interval = "" if low == high else f" ({low.rstrip('%')} to {high})"
    rate = f"{quoted(first)} wins {percent(beside.win_rate)} against {quoted(second)}{WHERE[target]}{interval}"
    if not signal.claimed:
        return f"{rate}; {confidence.UNCLAIMED[signal.case]}."
    better, p = (first, beside.p_better) if beside.p_better >= 0.5 else (second, 1.0 - beside.p_better)
    sure = ">99%" if p == 1.0 else percent(p)  # a share of draws
    return f"{rate}; {sure} sure that {quoted(better)} is better."


def to_decide(stopping: Stopping, by_prompts: str, signal: SignalTest, *, is_judged: bool) -> str:
    """How far the pair is from the rule that decides it. Args: `by_prompts` says how many prompts would do."""
    if not is_judged:
        return NOTHING_TO_FORECAST
    if stopping.reason is not None:
        return f"{DECIDED}{'' if signal.claimed else ', under the model of the judges'}."
    return by_prompts or more(stopping, AIM) or "How many more comparisons would decide it is not known."


def note(source: str, signal: SignalTest, *, is_judged: bool) -> str:
    """What to know before the comparison is quoted; empty if there is nothing."""
    if source == "prior":
        return NOT_JOINED if is_judged else NO_VERDICTS
    about = {"others": BY_OTHERS, "absolute-scores": BY_SCORES}.get(source, "")
    no_signal = "" if signal.claimed or not is_judged else confidence.evidence(signal)
    return " ".join(filter(None, [about, no_signal]))
