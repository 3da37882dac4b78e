"""From readings to verdicts for the service."""

from math import log
from uuid import UUID

import pytest
from nextpair.schemas import Assignment, CandidateOut

from app.api.contract import EXAMPLES
from app.service.comparisons import probability
from judge_worker.engine import LabelReading, Unread
from judge_worker.verdicts import absolute_score, enough, fields_of, replicate, verdict, without_text

PAIR = Assignment.model_validate(EXAMPLES["next_pair"]["response"]["assignments"][0])
READING = LabelReading((log(0.6), log(0.2)), 50)


def test_a_reading_becomes_log_probabilities_with_their_mass() -> None:
    told = verdict(PAIR, READING, 12.0, {"model": "m"})
    assert (told.assignment_id, told.generation) == (PAIR.id, PAIR.generation)
    assert probability(told) == pytest.approx(0.75)
    assert told.label_mass == pytest.approx(0.8)
    assert (told.latency_ms, told.raw) == (12.0, {"model": "m"})


def test_a_tie_counts_half() -> None:
    told = verdict(PAIR, LabelReading((log(0.5), log(0.1), log(0.4)), 50), 1.0, {})
    assert probability(told) == pytest.approx(0.7)


def test_a_bound_is_sent() -> None:
    assert verdict(PAIR, READING._replace(bounded=True), 1.0, {"model": "m"}).raw == {"model": "m", "bounded": True}


def test_no_reading_is_a_failure() -> None:
    told = verdict(PAIR, Unread("refused", "r" * 5000), 1.0, {})
    assert (told.failure, told.logprobs, told.generation) == ("refused", None, PAIR.generation)
    assert told.reason is not None
    assert len(told.reason) == 2000


def test_too_little_on_the_labels_is_no_verdict() -> None:
    assert enough(READING, 0.8) is READING
    unread = enough(READING, 0.81)
    assert isinstance(unread, Unread)
    assert unread.failure == "parse_error"
    assert "least_label_mass of 0.81" in unread.reason


def test_the_other_order_is_an_entry_of_its_own() -> None:
    other = replicate(PAIR, READING, swapped=True)
    assert (other.first, other.second, other.judge) == (PAIR.second.key, PAIR.first.key, PAIR.judge)
    again = PAIR.model_copy(update={"id": UUID(int=1)})
    assert other.client_id == replicate(again, READING, swapped=True).client_id  # whichever assignment it was
    assert probability(other) == pytest.approx(0.75)
    assert fields_of(PAIR, swapped=True)["first"] == PAIR.second.text


def test_candidates_without_a_text_cannot_be_judged() -> None:
    assert without_text(PAIR) is None
    bare = PAIR.model_copy(update={"id": UUID(int=1), "second": PAIR.second.model_copy(update={"text": None})})
    unread = without_text(bare)
    assert unread is not None
    assert (unread.failure, PAIR.second.key in unread.reason) == ("skipped", True)


def test_an_absolute_score_is_the_whole_distribution() -> None:
    candidate = CandidateOut(key="c", text="t", outputs=None, metadata={})
    score = absolute_score(candidate, "m", 1, LabelReading((log(0.1), log(0.2), log(0.6)), 9))
    assert score.probabilities is not None
    total = sum(score.probabilities.values())
    assert {label: p / total for label, p in score.probabilities.items()} == pytest.approx(
        {"1": 1 / 9, "2": 2 / 9, "3": 6 / 9}
    )
