"""Slices in words."""

import numpy as np
import pytest

from app.inference.fitting import Scores
from app.inference.gaussian import plain
from app.inference.reporting import departure_in_words, slices_in_words
from app.inference.targets import Departure, Sliced

REVERSED = Departure(0.004, 0, 1, 1.2, is_reversal=True, smallest_p=0.001)


@pytest.mark.parametrize(
    ("departure", "alpha", "sentence"),
    [
        (REVERSED, 0.05, "On code prompts, llama beats gpt; on the others, gpt beats llama (p = 0.004)."),
        (
            REVERSED._replace(is_reversal=False),
            0.05,
            "On code prompts, llama does better against gpt than on the others (p = 0.004).",
        ),
        (REVERSED._replace(p_value=0.31), 0.05, "No clear difference between code prompts and the others (p = 0.310)."),
        (REVERSED, 0.0005, "There are too few prompts to tell whether code prompts differ from the others."),
    ],
)
def test_a_departure_is_one_sentence(departure: Departure, alpha: float, sentence: str) -> None:
    assert departure_in_words("code", "llama", "gpt", departure, alpha) == sentence


def test_slices_say_what_differs_and_how_far_they_are_shrunk() -> None:
    sliced = Sliced([Scores(np.zeros(2), plain(np.eye(2)))] * 3, 0.1, 0.3)
    sentences = slices_in_words("category", sliced, ["code", "facts"])
    assert sentences == (
        "Claimed to differ from the other prompts: code, facts. The scores of 3 slices are shrunk towards those of "
        "all prompts: 75% of the variance between prompts is within values of category. Rank intervals hold together "
        "within a slice, not across slices."
    )
    assert "no value of category. " in slices_in_words("category", sliced._replace(within=None), [])
