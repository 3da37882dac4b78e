"""The one sentence on the first place."""

from collections.abc import Sequence

import pytest
from nextpair.words import InferenceTargetName

from app.inference.reporting import first_place
from app.inference.reporting.signal import Signal

CLAIMED, ABSENT = Signal(e_value=100.0, claimed=True, verdicts=30), Signal(e_value=2.0, claimed=False, verdicts=30)


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
    keys = ("ash", "birch", "cedar", "elm", "fir", "oak")
    place = first_place(list(zip(keys, p_best, strict=False)), CLAIMED, "latent")
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
    place = first_place([("ash", p_best), ("birch", 1.0 - p_best)], ABSENT, target)
    assert not place.claimed
    assert place.sentence == f"{leads}, but the verdicts are still consistent with random judging."


def test_of_no_verdicts_and_of_one_candidate_nothing_is_said() -> None:
    nobody = Signal(e_value=1.0, claimed=False, verdicts=0)
    assert first_place([("ash", 0.5), ("birch", 0.5)], nobody, "latent") == (False, "")
    assert first_place([("ash", 1.0)], CLAIMED, "latent") == (False, "")
