"""What a report says around its tables: figures, limits, how to verify, and what verification found."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nextpair import schemas
from nextpair.words import counted, percent

from app.sentences.checks import NOTHING
from app.sentences.confidence import UNCLAIMED, pairs_of
from app.sentences.progress import money

NOTHING_JUDGED = "nothing is judged yet"
NOBODY_JUDGED = "Nobody has judged yet."
READ_ONCE = "Intervals and P(best) that are chosen after many looks hold less often than stated."
SIMULATED = "In simulations with votes that follow the model, 95% intervals of scores held in 93.5 to 94.7% of cases."
FAILED_DECISIVE = "They held in 32 to 64% for a decisive judge with widely spread scores."
FAILED_REPEATING = "They held in 74 to 91% for a judge that repeats its votes on the same pairs."
NOBODY_HUMAN = "No human labels overlap with these verdicts, so how often the judges are right is unknown."
UNCORRECTED = "A position bias was not corrected: if judges have one, candidates shown first more often look better."
NO_CONFIDENCE = "This method states no confidence: the order has no error bars."
SEALED = "The last line of this file is a hash of everything above it: an altered byte is found."
NO_SIGNATURE = "It is no signature: whoever alters the report can hash it again. Compare the hash of the log too."
NOTHING_TO_RANK = "The log has no comparison, so there is nothing to rank again."
TOO_MANY = "Too many candidates for this part of the report."


class ReportFigure(NamedTuple):
    """A figure at the top of a report."""

    label: str
    value: str
    note: str


def figures(
    ranking: schemas.Ranking, judges: int, cost: float | None, progress: schemas.GoalProgress | None
) -> list[ReportFigure]:
    """How sure, what was spent, and what is left to the goal of a set; a file has none."""
    by = f"by {counted(judges, 'judge')}" if judges else ""
    spent = ", ".join(filter(None, [by, "" if cost is None else f"cost {money(cost)}"]))
    return [
        _confidence(ranking),
        ReportFigure("Comparisons", f"{ranking.comparisons:,}", spent),
        *([_left(progress)] if progress else []),
    ]


def _confidence(ranking: schemas.Ranking) -> ReportFigure:
    confidence = ranking.confidence
    if confidence is None or not ranking.comparisons:
        return ReportFigure("Confidence", "none", "this method states none" if ranking.comparisons else NOTHING_JUDGED)
    if not ranking.signal.claimed:
        return ReportFigure("Confidence", "none", UNCLAIMED[ranking.signal.case])
    low, high = (percent(share) for share in confidence.interval)
    within = "" if low == "100%" else f" ({low} to {high})"  # a share that is not certain is never written as 100%
    pairs = pairs_of(confidence, len(ranking.ranking))
    unit = f"of {pairs} expected in the right order{within}"
    return ReportFigure("Confidence", percent(confidence.expected_concordance), unit)


def _left(progress: schemas.GoalProgress) -> ReportFigure:
    count, cost = progress.comparisons_left, progress.cost_left
    if not count:
        return ReportFigure("Left", NOTHING if count is None else "0", progress.words)
    unit = "comparison" if count == 1 else "comparisons"
    return ReportFigure("Left", f"≈ {count:,}", unit if cost is None else f"{unit}, {money(cost)}")


def limits(ranking: schemas.Ranking, *, only_people: bool) -> Iterator[str]:
    """Where this ranking may be wrong, the most important first."""
    yield ranking.validation.about
    if ranking.validation.agreement_with_people is None and not only_people:
        yield NOBODY_HUMAN
    if ranking.confidence is None:
        yield NO_CONFIDENCE
    if ranking.components > 1:
        parts = counted(ranking.components, "part")
        yield f"There are {parts} that were never compared with each other: compare scores within a part only."
    if ranking.inference_target.name == "new-items":
        yield "The result is about prompts like these. On other kinds of prompts the order may differ."
    if ranking.method.position_bias == "none":
        yield UNCORRECTED
    if ranking.confidence is not None:
        yield f"{SIMULATED} {FAILED_DECISIVE} {FAILED_REPEATING}"
        yield READ_ONCE


def beside_the_log(definition: schemas.SetOut) -> list[str]:
    """What a ranking was made of that its log does not hold."""
    return [
        *([counted(definition.absolute_scores, "absolute score")] if definition.absolute_scores else []),
        *(["temperatures of judges"] if definition.temperatures else []),
        *(["votes set by judge"] if isinstance(definition.verdict_weight, dict) else []),
    ]


def verified(lines: int, later: int) -> str:
    """What verification of report and log found."""
    since = f" The log has {counted(later, 'later comparison')}, which the report does not cover." if later else ""
    return f"The report is whole, and this is its log: {counted(lines, 'line')}.{since}"


def recomputed(figures_compared: int) -> str:
    return f"Ranked again from the log: all {figures_compared:,} figures agree."


def differences(found: Sequence[str], shown: int) -> str:
    """The first differences, and how many there are."""
    more = f"; and {len(found) - shown:,} more" if len(found) > shown else ""
    return "; ".join(found[:shown]) + more
