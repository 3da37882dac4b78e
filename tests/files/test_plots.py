"""Pictures of results."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import httpx
import matplotlib as mpl
import pytest
from nextpair import schemas
from nextpair.words import FigureWidth

from app.files import plots
from app.files.pictures import draw_ranking
from docs.examples import FILE
from tests.factories import create_set

EXAMPLES = json.loads(FILE.read_text())
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


@pytest.mark.parametrize(("width", "millimetres"), [("single", 85.0), ("double", 174.0)])
def test_a_figure_for_a_journal_is_as_wide_as_its_column(width: FigureWidth, millimetres: float) -> None:
    paper, name = plots.PAPERS[width], "a name that is much too long for a narrow column"
    rows = [plots.ForestRow(name, 0.0, (-1.0, 1.0), "rank 100–120")] * 9
    with plots._sheet(9 * plots.ROW, "Title", "Caption", paper) as (figure, axes):
        ax = axes(*paper.forest, xlabel="score (95% interval)")
        plots._forest(ax, rows, 0.0, paper.longest)
        figure.draw_without_rendering()
        assert figure.get_figwidth() * 25.4 == pytest.approx(millimetres)
        words = [text.get_window_extent() for text in [*ax.texts, ax.xaxis.label]]
        whole = figure.bbox
    assert not figure.texts  # neither title nor caption
    assert all(whole.x0 <= each.x0 < each.x1 <= whole.x1 and each.y0 >= whole.y0 for each in words)
    assert {text.get_fontsize() for text in ax.texts} == {8.0}


def test_slices_are_drawn_below_the_whole() -> None:
    ranking = schemas.Ranking.model_validate(EXAMPLES["ranking"]["response"])
    deviation = schemas.SliceDeviation(
        p_value=0.5, claimed=False, first="kelp", second="rowan", difference=0.1, reversal=False, sentence="None."
    )
    each = schemas.Slice(value="code <b>", prompts=3, comparisons=9, deviation=deviation, ranking=ranking.ranking)
    slices = schemas.Slices(tag="kind", slices=[each], untagged=0, shared=None, sentence="By kind.")
    drawn = draw_ranking(ranking.model_copy(update={"slices": slices}), "Trees", "svg").decode()
    alone = draw_ranking(ranking, "Trees", "svg").decode()
    assert [drawn.count(f">{row.key}</text>") for row in ranking.ranking] == [2] * len(ranking.ranking)
    assert "code &lt;b&gt;</text>" in drawn
    assert "3 prompts</text>" in drawn
    assert "all prompts" not in alone
    assert draw_ranking(ranking, "Trees", "pdf", "single").startswith(b"%PDF")
