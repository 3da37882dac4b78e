"""The sentences on first place, concordance and signal."""

from collections.abc import Sequence

import pytest
from nextpair import schemas

from app.inference.reporting import SignalTest
from app.sentences import confidence

KEYS = ("ash", "birch", "cedar", "elm", "fir", "oak")
CLAIMED, ABSENT = (
    SignalTest(e_value=100.0, case="claimed", verdicts=30),
    SignalTest(e_value=2.0, case="not-yet", verdicts=30),
)
NO_RANKING = "No signal yet (e-value 2, below 20)."


def placed(p_best: Sequence[float | None], shared: int = 1) -> list[tuple[str, int, float | None]]:
    """Rows of which so many share the first rank."""
    return [(KEYS[k], 1 if k < shared else k + 1, chance) for k, chance in enumerate(p_best)]


@pytest.mark.parametrize(
    ("p_best", "shared", "sentence"),
    [
        ((0.7, 0.2), 1, "ash leads: P(best) 70%."),
        ((0.96, 0.04), 1, "ash is the best: P(best) 96%."),
        ((0.9999, 0.0001), 1, "ash is the best: P(best) >99%."),
        ((1.0, 0.0), 1, "ash is the best: P(best) 100%."),
        ((1.0, 1.0), 1, "Shared first: ash and birch."),
        ((1.0, 1.0, 1.0, 1.0, 1.0, 0.0), 1, "Shared first: ash, birch, cedar and 2 more."),
        ((0.004, 0.003), 1, "ash leads: P(best) <1%."),
        ((None, None), 1, "ash leads; this method states no confidence."),
        ((1.0, 1.0, 0.0), 2, "Shared first: ash and birch."),
        ((0.4, 0.4, 0.2), 2, "ash and birch lead: P(best) 40% each."),
        ((0.4, 0.3, 0.3), 2, "ash and birch lead: P(best) 30% to 40% each."),
        ((None, None), 2, "ash and birch lead; this method states no confidence."),
    ],
)
def test_what_is_said_depends_on_how_probable_it_is(p_best: Sequence[float | None], shared: int, sentence: str) -> None:
    place = confidence.first_place(placed(p_best, shared), 30, CLAIMED)
    assert place.sentence == sentence
    assert place.claimed == ("lead" not in sentence)


@pytest.mark.parametrize(
    ("p_best", "shared", "leading"),
    [
        ((1.0, 0.0), 1, "ash leads so far."),
        ((0.6, 0.4), 1, "ash leads so far."),
        ((1.0, 1.0, 0.0), 2, "ash and birch lead so far."),
        ((0.97, 0.96, 0.1), 1, "ash leads so far."),
    ],
)
def test_without_signal_there_is_no_ranking(p_best: Sequence[float], shared: int, leading: str) -> None:
    place = confidence.first_place(placed(p_best, shared), 30, ABSENT)
    assert place == (False, f"{NO_RANKING} {leading}")


def test_keys_that_are_numbers_are_quoted() -> None:
    alone, shared = [("0", 1, 0.97), ("1", 2, 0.03)], [("0", 1, 0.5), ("1", 1, 0.5)]
    assert confidence.first_place(alone, 30, CLAIMED).sentence == '"0" is the best: P(best) 97%.'
    assert confidence.first_place(shared, 30, CLAIMED).sentence.startswith('"0" and "1" lead: ')
    assert confidence.first_place(alone, 30, ABSENT).sentence.endswith(' "0" leads so far.')


def test_without_a_comparison_or_a_pair_the_next_step_is_said() -> None:
    nobody = SignalTest(e_value=1.0, case="few-units", verdicts=0)
    assert confidence.first_place(placed([0.5, 0.5], 2), 0, nobody) == (False, "")
    assert confidence.first_place(placed([1.0]), 30, CLAIMED) == (False, "")
    assert confidence.summary(placed([0.5, 0.5], 2), 0, nobody, None, 0.95, "") == [confidence.NO_COMPARISONS]
    assert confidence.summary(placed([1.0]), 0, nobody, None, 0.95, "") == [confidence.NO_PAIR]


@pytest.mark.parametrize(
    ("concordance", "interval", "line"),
    [
        (1.0, (1.0, 1.0), "100% of pairs expected in the right order."),
        (0.996, (0.996, 1.0), ">99% of pairs expected in the right order (95% interval >99% to 100%)."),
        (0.94, (0.9, 0.97), "94% of pairs expected in the right order (95% interval 90% to 97%)."),
    ],
)
def test_all_pairs_are_in_order_only_where_their_expected_share_is_one(
    concordance: float, interval: tuple[float, float], line: str
) -> None:
    found = schemas.Confidence(expected_concordance=concordance, pairs=276, interval=interval, forecast=[])
    assert confidence.concordance(found, 0.95, 24) == line


def test_a_goal_says_how_many_pairs_it_is_about() -> None:
    found = schemas.Confidence(expected_concordance=0.94, pairs=23, interval=(0.9, 0.97), forecast=[])
    line = "94% of the 23 pairs of the goal expected in the right order (95% interval 90% to 97%)."
    assert confidence.concordance(found, 0.95, 24) == line


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.04, "0"), (2.0, "2"), (19.99, "19.9"), (20.0, "20"), (1234.5, "1,234"), (1e9, "over a million")],
)
def test_an_e_value_never_looks_larger_than_it_is(value: float, shown: str) -> None:
    assert confidence.e_value(value) == shown
