"""The picture of README.md is what `python -m docs.pictures` draws."""

import re

import pytest

from docs import pictures

NUMBER = re.compile(r"-?\d+\.\d+")
NAME = re.compile(r"\b[mp][0-9a-f]{10}\b")  # of a part, which follows from its numbers


@pytest.mark.slow
def test_the_picture_is_drawn_again() -> None:
    kept, drawn = (NAME.sub("", text) for text in (pictures.FILE.read_text(), pictures.picture().decode()))
    remedy = "Run `python -m docs.pictures`."
    assert NUMBER.sub("", drawn) == NUMBER.sub("", kept), remedy
    assert [float(n) for n in NUMBER.findall(drawn)] == pytest.approx(
        [float(n) for n in NUMBER.findall(kept)], abs=0.5
    ), remedy
