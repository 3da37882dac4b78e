"""Translations: of pairs and texts to fields of a prompt, and of what an engine read to what the service takes."""

import hashlib
import json
from math import exp
from typing import Any

from nextpair.schemas import AbsoluteScoreIn, Assignment, CandidateOut, ComparisonIn, Logprobs, SetOut, VerdictOf

from judge_worker.engine import LabelReading, Outcome, Unread
from judge_worker.prompts import Fields

LEAST = -1e4  # of a log-probability: JSON knows no infinity


def fields_of(pair: Assignment, *, swapped: bool = False) -> Fields:
    """Fields that a comparative template may print."""
    first, second = (pair.second, pair.first) if swapped else (pair.first, pair.second)
    return {
        "question": pair.question, "context": pair.context, "prompt": pair.item.prompt if pair.item else None,
        "first": first.text, "second": second.text,
    }  # fmt: skip


def fields_of_text(candidate_set: SetOut, text: str, low: int, high: int) -> Fields:
    """Fields that an absolute template may print."""
    scale = {"low": str(low), "high": str(high)}
    return {"question": candidate_set.question, "context": candidate_set.context, "prompt": None, "text": text, **scale}


def without_text(pair: Assignment) -> Unread | None:
    """The reason why a pair cannot be judged, if any: a candidate of a set of systems may be known by its key alone."""
    missing = [shown.key for shown in (pair.first, pair.second) if not shown.text]
    return Unread("skipped", f"No text for {', '.join(map(repr, missing))}.") if missing else None


def enough(outcome: Outcome, least_label_mass: float) -> Outcome:
    """The reading, unless its labels have too little probability."""
    if isinstance(outcome, Unread) or outcome.label_mass >= least_label_mass:
        return outcome
    together = f"All labels together have a probability of {outcome.label_mass:.3g}"
    return Unread("parse_error", f"{together}, below the least_label_mass of {least_label_mass:g}.")


def verdict(pair: Assignment, outcome: Outcome, latency_ms: float, source: dict[str, Any]) -> VerdictOf:
    """Args: source says which model and template it was; it is stored with the verdict."""
    if isinstance(outcome, Unread):
        return VerdictOf(
            assignment_id=pair.id, generation=pair.generation, failure=outcome.failure, reason=outcome.reason[:2000],
            latency_ms=latency_ms, raw=source,
        )  # fmt: skip
    return VerdictOf(
        assignment_id=pair.id, generation=pair.generation, logprobs=logprobs_of(outcome), label_mass=outcome.label_mass,
        latency_ms=latency_ms, raw=source | ({"bounded": True} if outcome.bounded else {}),
    )  # fmt: skip


def replicate(pair: Assignment, reading: LabelReading, *, swapped: bool, wording: str = "") -> ComparisonIn:
    """An assignment judged in another way, as an entry of its own, once for each judge, order and wording of a pair.

    Args:
        wording: name of the template, if it is not the one of the assignment's verdict.
    """
    item = pair.item.key if pair.item else None
    first, second = (pair.second.key, pair.first.key) if swapped else (pair.first.key, pair.second.key)
    way = ["template", wording] if wording else ["swapped"]
    shown = json.dumps([pair.judge, item or "", first, second, *way[1:]])
    return ComparisonIn(
        client_id="-".join([*way, hashlib.sha256(shown.encode()).hexdigest()])[-200:],
        first=first, second=second, item=item, judge=pair.judge, logprobs=logprobs_of(reading),
    )  # fmt: skip


def absolute_score(candidate: CandidateOut, judge: str, low: int, reading: LabelReading) -> AbsoluteScoreIn:
    """The whole distribution over the scale that begins with `low`."""
    highest = max(reading.logprobs)
    shares = {str(low + n): exp(p - highest) for n, p in enumerate(reading.logprobs)}
    return AbsoluteScoreIn(candidate=candidate.key, judge=judge, probabilities=shares)


def logprobs_of(reading: LabelReading) -> Logprobs:
    """The labels' log-probabilities as the contract has them, with p that the first is better: a tie counts half."""
    finite = [max(p, LEAST) for p in reading.logprobs]
    return Logprobs(**dict(zip(("first", "second", "tie"), finite, strict=False)))
