"""Pictures of results."""

import sys
from concurrent.futures import ThreadPoolExecutor

import httpx
import matplotlib as mpl
import pytest

from app.files import plots
from tests.factories import create_set

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


def test_very_many_candidates_are_drawn_as_a_band_of_what_can_be_seen() -> None:
    rows = [plots.ForestRow(f"name {n}", -n / 1000, (-n / 1000 - 1, -n / 1000 + 1), "") for n in range(5000)]
    few, many = plots.forest(rows[: plots.MOST_ROWS], "t", ""), plots.forest(rows, "t", "")
    assert b"name 399" in few
    assert b"name" not in many.replace(b"font-name", b"")
    assert len(many) < len(few)


async def test_without_matplotlib_a_picture_names_the_extra(
    http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(plots.CannotDraw, match=r"nextpair-server\[plots\]"):
        draw("Title")
    ranking = f"/v1/sets/{(await create_set(http))['id']}/ranking"
    answer = await http.get(ranking, params={"format": "svg"})
    assert (answer.status_code, answer.json()["type"]) == (501, "urn:nextpair:problem:not-installed")
    assert "pip install 'nextpair-server[plots]'" in answer.json()["detail"]
    assert (await http.get(ranking)).status_code == 200


@pytest.mark.parametrize("sign", ["which one ", "\u6f22", "x"])
@pytest.mark.parametrize("count", [1, 40])
def test_words_are_whole_and_clear_of_the_axes(sign: str, count: int) -> None:
    """No word leaves the figure, and the caption lies below the title of the axis, which says score."""
    rows = [plots.ForestRow("name", 0.0, (-1.0, 1.0), "rank 1")] * count
    title, caption = (sign * (200 // len(sign))).strip(), "24 comparisons · compare scores within a part only " * 3
    with plots._sheet(count * plots.ROW, title, caption) as (figure, axes):
        ax = axes(0.28, 0.52, xlabel="score")
        plots._forest(ax, rows, 0.0)
        figure.draw_without_rendering()
        above, below = (text.get_window_extent() for text in figure.texts)
        whole, of_axis = figure.bbox, ax.xaxis.label.get_window_extent()
        drawing = ax.get_window_extent()
    for words in (above, below, of_axis):
        assert whole.x0 <= words.x0 < words.x1 <= whole.x1
        assert whole.y0 <= words.y0 < words.y1 <= whole.y1
    assert below.y1 <= of_axis.y0 < of_axis.y1 < drawing.y0 < drawing.y1 <= above.y0
    assert "score</text>" in plots.forest(rows, title, caption).decode()
