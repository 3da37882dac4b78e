"""The study of signal: it runs, and random judging is what it should be."""

from itertools import islice

from benchmarks.studies.signal import changes, cycles, signals


def test_random_verdicts_give_no_signal() -> None:
    ((name, _, *shares),) = islice(signals(3), 1)
    assert name == "random verdicts, random"
    assert shares == ["0.0 ± 0.0"] * 4


def test_a_full_cycle_is_in_doubt_and_a_clear_order_is_not() -> None:
    doubted = dict(cycles(3))
    assert doubted["a cycle, right in 100%"] == "100.0 ± 0.0"
    assert doubted["hard, spread 3"] == "0.0 ± 0.0"


def test_a_row_for_each_kind_of_judge() -> None:
    assert [(row[0], row[2]) for row in islice(changes(1), 2)] == [("12", "is honest too"), ("12", "judges at random")]
