"""`nextpair rank --plot`."""

from pathlib import Path

import pytest

from app.cli import run

LOG = "group,first,second,winner\na,x,y,first\na,y,z,first\nb,x,z,second\n"


@pytest.fixture
def log(tmp_path: Path) -> str:
    (tmp_path / "log.csv").write_text(LOG)
    return str(tmp_path / "log.csv")


def test_a_ranking_is_drawn_as_svg_and_png(log: str, tmp_path: Path) -> None:
    assert run(["rank", log, "--plot", str(tmp_path / "r.svg")]) == 0
    assert ">x</text>" in (tmp_path / "r.svg").read_text()
    assert run(["rank", log, "--plot", str(tmp_path / "r.png"), "--method", "win-ratio"]) == 0
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")


def test_a_figure_and_a_table_for_a_paper(log: str, tmp_path: Path) -> None:
    figure, table = tmp_path / "r.pdf", tmp_path / "r.tex"
    assert run(["rank", log, "--plot", str(figure), "--width", "single", "--latex", str(table)]) == 0
    assert figure.read_bytes().startswith(b"%PDF")
    assert r"\toprule" in table.read_text()
    assert run(["rank", log, "--latex", str(tmp_path / "r.txt")]) == 2


def test_each_group_has_a_picture_of_its_own(log: str, tmp_path: Path) -> None:
    assert run(["rank", log, "--group-by", "group", "--plot", str(tmp_path / "r.svg")]) == 0
    assert {file.name for file in tmp_path.glob("*.svg")} == {"r-1.svg", "r-2.svg"}


@pytest.mark.parametrize("name", ["r.gif", "r", "nowhere/r.svg"])
def test_what_cannot_be_drawn_is_said(log: str, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rank", log, "--plot", str(tmp_path / name)]) == 2
    assert name in capsys.readouterr().err
