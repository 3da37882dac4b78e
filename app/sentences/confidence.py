"""How sure a ranking is: expected concordance, first place with its P(best), and evidence of signal, in this order.

no signal       why there is none, who leads so far, and no probability
P(best) >= SURE the best
else            who leads, with P(best)

Those who share the first rank, or are each first with probability SURE, are named together.
"""

from collections.abc import Mapping, Sequence
from math import floor
from typing import NamedTuple

from nextpair import schemas
from nextpair.words import SignalCase, counted, percent

from app.inference.reporting import CLAIMED, SignalTest
from app.sentences.lists import named, quoted
from app.sentences.progress import Told

SURE = 0.95  # P(best) from which a leader is called the best
LARGEST = 1_000_000  # e-value that is written out
BY_WORD = "By what the judges say of all pairs, "  # where they are known to repeat themselves, and no signal is shown
DECIDED = (
    "The order is fully decided unless a judge contradicts itself: all verdicts agree with it, and each candidate was "
    "compared with the next one."
)
NO_COMPARISONS = "No ranking yet: judge a pair first."
NO_PAIR = "No ranking yet: add a second candidate first."
UNCLAIMED: dict[SignalCase, str] = {  # what stands in the place of a confidence
    "claimed": "none stated",
    "as-judged": "none stated",
    "not-yet": "no signal yet",
    "few-units": "no signal yet",
    "order-follows-candidates": "merit or bias",
    "one-side-always-wins": "one side wins",
}
OTHER_REMEDIES: dict[SignalCase, str] = {  # by the case of the signal; elsewhere more verdicts may show it
    "order-follows-candidates": "Show pairs in both orders.",
    "one-side-always-wins": "Show pairs in both orders, or ask another judge.",
    "few-units": "Name the judge and the prompt of each verdict, or add judges or prompts.",
}
OF_WINNERS = "If this is a list of winners, say --no-positions; if pairs were shown in this order, say --positions."
Ranked = Sequence[tuple[str, int, float | None]]  # keys, ranks and P(best), best first; a baseline has no P(best)


class FirstPlace(NamedTuple):
    claimed: bool  # whether the leader is called the best
    sentence: str  # empty where nobody is first


def summary(
    ranked: Ranked,
    comparisons: int,
    signal: SignalTest | None,
    confidence: schemas.Confidence | None,
    level: float,
    about: str,
) -> list[str]:
    """What a ranking claims. Of rows that were put together the signal is not known, and nobody is called the best.

    Args: `about` says what confidence refers to, behind all that is claimed.
    """
    if not comparisons or len(ranked) < 2:
        return [NO_COMPARISONS if len(ranked) > 1 else NO_PAIR]
    if signal is None:
        return [] if confidence is None else [concordance(confidence, level, len(ranked)), about]
    first = first_place(ranked, comparisons, signal).sentence
    if confidence is None or not signal.claimed:
        return [first]
    return [concordance(confidence, level, len(ranked)), first, evidence(signal), about]


def next_step(signal: SignalTest, *, is_complete: bool) -> str:
    """What to do where comparisons do not show the signal."""
    if signal.case in OTHER_REMEDIES:
        return OTHER_REMEDIES[signal.case]
    if is_complete:
        return "Every pair is judged: add another judge, or candidates."
    return "Judge more pairs."


def concordance(confidence: schemas.Confidence, level: float, candidates: int) -> str:
    """The expected concordance, now and after more comparisons."""
    low, high = (percent(share) for share in confidence.interval)
    within = "" if low == "100%" else f" ({100 * level:g}% interval {low} to {high})"
    later = (
        f"{percent(each.expected_concordance)} after {counted(each.comparisons, 'comparison')}"
        for each in confidence.forecast[-2:]
    )
    pairs = pairs_of(confidence, candidates)
    now = f"{percent(confidence.expected_concordance)} of {pairs} expected in the right order{within}"
    return "; ".join([now, *later]) + "."


def pairs_of(confidence: schemas.Confidence, candidates: int) -> str:
    """The pairs that the expected concordance is of: all, or those of the goal."""
    is_whole = confidence.pairs == candidates * (candidates - 1) // 2
    return "pairs" if is_whole else f"the {counted(confidence.pairs, 'pair')} of the goal"


def first_place(ranked: Ranked, comparisons: int, signal: SignalTest) -> FirstPlace:
    """What a ranking by so many comparisons says of its first place."""
    if len(ranked) < 2 or not comparisons:
        return FirstPlace(claimed=False, sentence="")
    first = leaders(ranked) if signal.claimed else [(key, p_best) for key, rank, p_best in ranked if rank == 1]
    keys, chances = [key for key, _ in first], [p_best for _, p_best in first if p_best is not None]
    is_shared = len(keys) > 1
    leading = f"{named(keys)} {'lead' if is_shared else 'leads'}"
    if not chances:
        return FirstPlace(claimed=False, sentence=f"{leading}; this method states no confidence.")
    if not signal.claimed:
        return FirstPlace(claimed=False, sentence=f"{evidence(signal)} {leading} so far.")
    by_whom = BY_WORD if signal.case == "as-judged" else ""
    if chances[0] < SURE:
        chance = " to ".join(dict.fromkeys([percent(min(chances)), percent(max(chances))]))
        each = " each" if is_shared else ""
        return FirstPlace(claimed=False, sentence=f"{by_whom}{leading}: P(best) {chance}{each}.")
    if not is_shared:
        best = f"{by_whom}{quoted(keys[0])} is the best: P(best) {percent(chances[0])}."
        return FirstPlace(claimed=True, sentence=best)
    return FirstPlace(claimed=True, sentence=f"{by_whom}{'shared' if by_whom else 'Shared'} first: {named(keys)}.")


def leaders(ranked: Ranked) -> list[tuple[str, float | None]]:
    """Keys and P(best) of those who are named as first."""
    return [(key, p_best) for key, rank, p_best in ranked if rank == 1 or (p_best is not None and p_best >= SURE)]


def in_short(
    value: float | None, signal: SignalCase, *, is_p_best: bool, goal: Mapping[str, object], made: int
) -> Told:
    """P(best), or the expected concordance, of a ranking by so many comparisons, and what it is about."""
    if value is None and not made:
        return Told("no verdict yet", "Confidence needs a first verdict.")
    if value is None:
        return Told(UNCLAIMED[signal], "The verdicts do not show yet that they depend on the candidates.")
    if is_p_best:
        return Told(f"P(best) {percent(value)}", "Probability that the leader is the best candidate.")
    if goal.get("pair"):
        return Told(f"{percent(value)} sure", "Probability that the leader is the better of the two candidates.")
    pairs = "the pairs that decide the goal" if any(goal.values()) else "all pairs of candidates"
    return Told(f"{percent(value)} in order", f"Share of {pairs} that is expected in the right order.")


def evidence(signal: SignalTest) -> str:
    """The evidence of signal, or why there is none: that is no evidence of chance."""
    shown = e_value(signal.e_value)
    match signal.case:
        case "claimed":
            return f"The verdicts depend on the candidates (e-value {shown})."
        case "as-judged":
            return f"Whether that order is more than chance is not shown yet (e-value {shown})."
        case "order-follows-candidates":
            return "Merit cannot be separated from position bias: who is shown first depends on who it is."
        case "one-side-always-wins":
            return "The same side always wins: these are lists of winners, or judges always name one position."
        case "few-units":
            counting = (
                f"only {counted(signal.verdicts, 'separate answer')} {'counts' if signal.verdicts == 1 else 'count'}"
            )
            return f"No signal yet (e-value {shown}, below {CLAIMED:.0f}): {counting}."
        case _:
            return f"No signal yet (e-value {shown}, below {CLAIMED:.0f})."


def e_value(value: float) -> str:
    """Rounded down, so that what is below a threshold never looks as if it reached it."""
    if value >= LARGEST:
        return "over a million"
    return f"{floor(value):,}" if value >= CLAIMED else f"{floor(10.0 * value) / 10.0:g}"
