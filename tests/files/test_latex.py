"""LaTeX tables: what is written compiles, whatever names hold."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nextpair import schemas

from app.files import latex
from app.files.latex import escaped
from app.offline.groups import Group
from app.offline.ranking import RankingMethod, rank
from tests.sentences.test_one_voice import N, random_log

HOSTILE = [r"a\b{c}", "50% & $5 #1_x^2~", "<script>\n\n\\end{table}", '"quoted" |bar|', "tab\tnew\r\nline\x00", "é ü ß"]
COMMAND = re.compile(r"\\(?:textbackslash|textasciicircum|textasciitilde|textless|textgreater|textbar)\{\}|\\[{}$&#%_]")


def ranking() -> schemas.Ranking:
    answers, item = random_log(3)
    group = Group((), HOSTILE[:N], answers, ["gpt", "ann"], items=["p", "q", "r"], item=item)
    return rank(group, RankingMethod("soft-bt", verdict_weight="learnt", inference_target="latent")).ranking


@given(st.text())
def test_no_sign_of_a_name_is_a_command(name: str) -> None:
    rest = COMMAND.sub("", escaped(name))
    assert not set(rest) & set('\\{}$&#%_^~<>|"\n\r\t\x00')


def test_the_table_has_a_caption_and_as_many_cells_in_each_row() -> None:
    table = latex.table(ranking(), "Trees & 100%")
    assert r"\caption{Trees \& 100\%. " in table
    assert "About latent scores" in table
    assert r"Intervals are marginal at 95\%; rank intervals hold jointly." in table
    assert r"\label{tab:trees-100}" in table
    rows = re.search(r"\\toprule\n(.*)\\bottomrule", table, re.DOTALL)
    assert rows
    lines = [line for line in rows[1].splitlines() if line.endswith(r"\\")]
    assert len(lines) == 1 + N
    assert len({len(re.findall(r"(?<!\\)&", line)) for line in lines}) == 1


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_the_table_compiles(tmp_path: Path) -> None:
    document = (
        r"\documentclass{article}\usepackage{booktabs}\begin{document}"
        + latex.table(ranking(), "T")
        + r"\end{document}"
    )
    (tmp_path / "table.tex").write_text(document)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
