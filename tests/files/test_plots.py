"""Pictures of results."""

from concurrent.futures import ThreadPoolExecutor

import matplotlib as mpl

from app.files import plots

CURVE = plots.Curve("entropy", [1.0, 2.0, 3.0], [3.0, 1.0, 2.0])


def draw(title: str) -> bytes:
    return plots.lines([("comparisons", "nats", CURVE)], title)


def test_pictures_that_are_drawn_at_once_are_those_drawn_alone() -> None:
    titles, settings = [f"Title {n}" for n in range(4)], dict(mpl.rcParams)
    alone = [draw(title) for title in titles]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(draw, titles)) == alone
    assert dict(mpl.rcParams) == settings


def test_signs_that_our_fonts_lack_are_left_to_the_readers() -> None:
    row = plots.ForestRow("\u6f22\u5b57 \U0001f600", 0.5, (0.0, 1.0), "rank 1")
    assert "\u6f22\u5b57 \U0001f600</text>" in plots.forest([row], "\u0e44\u0e17\u0e22", "").decode()
    assert plots.forest([row], "\u0e44\u0e17\u0e22", "", "png").startswith(b"\x89PNG")
