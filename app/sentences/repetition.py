"""Whether judges repeat themselves, which decides what their verdicts say of all pairs."""

from collections.abc import Mapping

from nextpair.schemas import Repetition
from nextpair.words import counted, percent

from app.sentences.confidence import SURE
from app.sentences.lists import named, quoted

LISTED = 3  # judges of whom each is spoken of
REMEDY = "Declare it with `repeats`, or ask the same again."


def repeated(judges: Mapping[str, Repetition], if_so: str = "") -> list[str]:
    """What is known of judges, by name, who are no people.

    Args: `if_so` says what the ranking would be if those of whom nothing is known repeated themselves.
    """
    unknown = [name for name, judge in judges.items() if judge.known is None and not _again(judge)]
    tested = sorted((name for name, judge in judges.items() if _again(judge)), key=lambda name: -_again(judges[name]))
    sentences = [_unknown(unknown, if_so)] if unknown else []
    return [*sentences, *(_tested(name, judges[name]) for name in tested[:LISTED])]


def would_be(key: str, p_best: float, now: float | None) -> str:
    """The claim about the leader if judges repeated themselves, where it is another than now; chances may be none."""
    if now is None:
        return f"{quoted(key)} would be the best by their word" if p_best >= SURE else ""
    if percent(p_best) == percent(now):
        return ""
    return f"P(best) of {quoted(key)} would be {percent(p_best)}, not {percent(now)}"


def _unknown(names: list[str], if_so: str) -> str:
    one = len(names) == 1
    nobody = (
        f"Nobody asked {named(names) if len(names) <= LISTED else f'{len(names):,} judges'} the same question twice"
    )
    counts = f"so each verdict counts as one of many {'it' if one else 'they'} might give"
    if not if_so:
        return f"{nobody}, {counts}."
    return f"{nobody}, {counts}. If {'it always answers' if one else 'they always answer'} alike, {if_so}. {REMEDY}"


def _again(judge: Repetition) -> int:
    """How often it was asked again, in either order."""
    return judge.repeats + judge.swaps


def _tested(name: str, judge: Repetition) -> str:
    again = f"{judge.alike:,} of {counted(judge.repeats, 'repeated question')}"
    turned = f"{judge.swaps_alike:,} of {counted(judge.swaps, 'question')} in the other order"
    ways = [way for way, times in ((again, judge.repeats), (turned, judge.swaps)) if times]
    return f"{named([name])} answered {' and '.join(ways)} alike{_so(judge)}."


def _so(judge: Repetition) -> str:
    if judge.known in (0.0, 1.0):
        return f"; it is declared {'to repeat itself' if judge.known else 'not to'}"
    if judge.probability >= 0.5:
        return f": it repeats itself with probability {percent(judge.probability)}"
    return ": its verdicts count as draws"
