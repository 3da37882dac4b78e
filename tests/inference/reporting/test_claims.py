"""The one sentence on the first place."""

from collections.abc import Sequence

import pytest
from nextpair.words import InferenceTargetName

from app.inference.reporting import first_place
from app.inference.reporting.signal import SignalTest

KEYS = ("ash", "birch", "cedar", "elm", "fir", "oak")
CLAIMED, ABSENT = (
    SignalTest(e_value=100.0, claimed=True, verdicts=30),
    SignalTest(e_value=2.0, claimed=False, verdicts=30),
)


def placed(p_best: Sequence[float | None], shared: int = 1) -> list[tuple[str, int, float | None]]:
    """Rows of which so many share the first rank."""
    return [(KEYS[k], 1 if k < shared else k + 1, chance) for k, chance in enumerate(p_best)]


@pytest.mark.parametrize(
    ("p_best", "sentence"),
    [
        ((0.7, 0.2), "ash leads: it is the best with a probability of 70%."),
        ((0.96, 0.04), "ash is the best, with a probability of 96%."),
        ((0.9999, 0.0001), "ash is the best, with a probability of 99%."),
        ((1.0, 0.0), "ash is the best, with a probability of 100%."),
        ((1.0, 1.0), "Shared first: ash and birch."),
        ((1.0, 1.0, 1.0, 1.0, 1.0, 0.0), "Shared first: ash, birch, cedar and 2 more."),
        ((0.004, 0.003), "ash leads: it is the best with a probability of <1%."),
        ((None, None), "ash leads; this method states no confidence."),
    ],
)
def test_what_is_said_depends_on_how_probable_it_is(p_best: Sequence[float | None], sentence: str) -> None:
    place = first_place(placed(p_best), 30, CLAIMED, "latent")
    assert place.sentence == sentence
    assert place.claimed == ("leads" not in sentence)


@pytest.mark.parametrize(
    ("target", "p_best", "leads"),
    [
        ("latent", 1.0, "ash leads"),
        ("all-pairs", 0.9, "ash leads"),
        ("all-pairs", 0.97, "ash wins the most by all pairs, with a probability of 97%"),
    ],
)
def test_without_signal_nobody_is_the_best(target: InferenceTargetName, p_best: float, leads: str) -> None:
    place = first_place(placed([p_best, 1.0 - p_best]), 30, ABSENT, target)
    assert not place.claimed
    assert place.sentence == f"{leads}, but the verdicts are still consistent with random judging."


@pytest.mark.parametrize(
    ("signal", "target", "p_best", "shared", "sentence"),
    [
        (CLAIMED, "all-pairs", (1.0, 1.0, 0.0), 2, "Shared first: ash and birch."),
        (CLAIMED, "latent", (0.4, 0.4, 0.2), 2, "ash and birch lead: each is the best with a probability of 40%."),
        (
            CLAIMED,
            "latent",
            (0.4, 0.3, 0.3),
            2,
            "ash and birch lead: each is the best with a probability of 30% to 40%.",
        ),
        (CLAIMED, "latent", (None, None), 2, "ash and birch lead; this method states no confidence."),
        (ABSENT, "latent", (0.5, 0.5), 2, "ash and birch lead, but {not_yet}."),
        (ABSENT, "all-pairs", (1.0, 1.0, 0.0), 2, "Shared first by all pairs: ash and birch, but {not_yet}."),
        (ABSENT, "all-pairs", (0.97, 0.96, 0.1), 1, "Shared first by all pairs: ash and birch, but {not_yet}."),
        (ABSENT, "all-pairs", (0.6, 0.6, 0.1), 2, "ash and birch lead, but {not_yet}."),
    ],
)
def test_those_who_share_the_first_place_are_named_together(
    signal: SignalTest, target: InferenceTargetName, p_best: Sequence[float | None], shared: int, sentence: str
) -> None:
    place = first_place(placed(p_best, shared), 30, signal, target)
    assert place.sentence == sentence.format(not_yet="the verdicts are still consistent with random judging")
    assert place.claimed == sentence.startswith("Shared first:")


def test_of_no_verdicts_and_of_one_candidate_nothing_is_said() -> None:
    nobody = SignalTest(e_value=1.0, claimed=False, verdicts=0)
    assert first_place(placed([0.5, 0.5], 2), 0, nobody, "latent") == (False, "")
    assert first_place(placed([1.0]), 30, CLAIMED, "latent") == (False, "")


def test_verdicts_that_are_all_ties_share_the_first_place() -> None:
    ties = SignalTest(e_value=1.0, claimed=False, verdicts=0)
    place = first_place(placed([1.0, 1.0, 1.0, 1.0], 4), 6, ties, "all-pairs")
    shared = "Shared first by all pairs: ash, birch, cedar and 1 more"
    assert place == (False, f"{shared}, but the verdicts are still consistent with random judging.")
