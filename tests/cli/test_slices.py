"""`nextpair rank` by the values of a tag, against a baseline, and in Elo."""

import csv
import io
import json
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from tests.cli.commands import BATTLES, TASTES, failure, out


def judged_by_category(folder: Path) -> tuple[Path, Path]:
    """A log of three systems on 12 prompts, and a table of their outputs; on code the first two change places."""
    rng, log, outputs = (
        np.random.default_rng(5),
        ["prompt_id,kind,first,second,p_first"],
        ["prompt_id,kind,model,output"],
    )
    for n in range(12):
        kind, scores = ("code", (0.0, 1.0, -1.0)) if n % 2 else ("facts", (1.0, 0.0, -1.0))
        by_system = dict(zip(("gpt", "llama", "mistral"), scores, strict=True))
        outputs += [f"p{n},{kind},{system},{system} answers question {n} so." for system in by_system]
        for pair in combinations(by_system, 2):
            first, second = pair if n // 2 % 2 else reversed(pair)
            p = expit(by_system[first] - by_system[second] + rng.normal(0.0, 0.2))
            log.append(f"p{n},{kind},{first},{second},{p:.4f}")
    (folder / "log.csv").write_text("\n".join(log))
    (folder / "outputs.csv").write_text("\n".join(outputs))
    return folder / "log.csv", folder / "outputs.csv"


def test_rank_by_tag_against_a_baseline(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    log, outputs = map(str, judged_by_category(tmp_path))
    printed = out(capsys, "rank", log, "--by", "kind", "--baseline", "mistral")
    assert "On kind code, llama beats gpt; elsewhere gpt beats llama" in printed
    assert re.search(
        r"Against mistral, difference of scores in logits:\n.*\n +#  candidate  difference +95% interval", printed
    )
    assert re.search(r"^kind = code · 6 prompts · 18 comparisons$", printed, re.MULTILINE)
    own = json.loads(out(capsys, "rank", log, "--by", "kind", "--format", "json"))
    others = json.loads(out(capsys, "rank", log, "--by", "kind", "--outputs", outputs, "--format", "json"))
    assert own == others
    rows = list(csv.DictReader(io.StringIO(out(capsys, "rank", log, "--by", "kind", "--format", "csv"))))
    assert [row["kind"] for row in rows] == [*[""] * 3, *["code"] * 3, *["facts"] * 3]


def test_rank_in_elo_is_the_ranking_times_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    logits, elo = (
        json.loads(out(capsys, "rank", BATTLES, "--scale", scale, "--format", "json")) for scale in ("logit", "elo")
    )
    for one, other in zip(logits["ranking"], elo["ranking"], strict=True):
        assert other["score"] == pytest.approx(173.7178 * one["score"], rel=1e-6, abs=1e-9)
    assert re.search(r" [+-]\d+ … [+-]\d+ ", out(capsys, "rank", BATTLES, "--scale", "elo"))


def test_figures_on_a_scale_have_its_unit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    drawing = tmp_path / "ranking.svg"
    options = ["--baseline", "wren", "--plot", str(drawing), "--inference-target", "latent"]
    for scale, unit in (("logit", "logits"), ("elo", "Elo points")):
        printed = out(capsys, "rank", BATTLES, *options, "--scale", scale)
        assert f" · scores in {unit}\n" in printed
        assert f"Against wren, difference of scores in {unit}:" in printed
        assert f">score in {unit}</text>" in drawing.read_text()
        of_judges = out(capsys, "rank", TASTES, "--method", "consensus", "--scale", scale)
        assert re.search(rf"Judge effects of ada: sd [\d.]+ {unit}; largest deviations: ", of_judges)


def test_rank_prints_win_rates_of_each_against_each(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log, _ = judged_by_category(tmp_path)
    printed = out(capsys, "rank", str(log), "--matrix").splitlines()
    start = printed.index("Expected win rate of the row against the column, which is numbered as the rows:")
    assert printed[start + 2].split() == ["#", "candidate", "1", "2", "3"]
    shares = [re.findall(r"(\d+)%", line) for line in printed[start + 4 : start + 7]]
    assert [len(row) for row in shares] == [2, 2, 2]
    assert int(shares[0][0]) + int(shares[1][0]) == pytest.approx(100, abs=1)


def test_what_gives_no_slices_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log, outputs = judged_by_category(tmp_path)
    for chosen, message in [
        (["--by", "genre"], "no column 'genre'; give --outputs FILE, the prompts with their tags; the columns are"),
        (["--by", "genre", "--outputs", str(outputs)], "--by genre: no prompt with comparisons has the tag 'genre'"),
        (["--by", "first"], "column 'first': 'mistral', but line 2 has 'llama' for the same prompt"),
        (
            ["--by", "model", "--outputs", str(outputs)],
            "column 'model': 'llama', but line 2 has 'gpt' for the same prompt",
        ),
        (["--by", "kind", "--outputs", str(log)], "no outputs of several systems are known here"),
        (["--by", "kind", "--method", "win-ratio"], "--by kind: win-ratio ranks all prompts together"),
        (["--by", "kind", "--inference-target", "latent"], "--by kind: slices are about new prompts"),
        (["--outputs", str(outputs)], "add one of them, or leave out --outputs"),
        (["--covariate", "lists"], "--covariate lists needs the outputs: give --outputs FILE"),
        (
            ["--covariate", "lists", "--outputs", str(outputs)],
            "no column 'lists'; the columns are prompt_id, kind, model, output",
        ),
        (["--baseline", "claude"], "--baseline claude: there is no candidate 'claude'"),
        (["--matrix", "--method", "win-ratio"], "--matrix: win-ratio predicts no verdicts; choose the method soft-bt"),
        (["--scale", "elo", "--method", "gaussian"], "--scale elo: the scores of gaussian are not logits"),
    ]:
        code, printed = failure(capsys, "rank", str(log), *chosen)
        assert (code, message in printed) == (2, True), printed
    elsewhere = tmp_path / "elsewhere.csv"
    elsewhere.write_text(re.sub(r"(?m)^p(?=\d)", "q", outputs.read_text()))
    assert (
        "none of its tagged prompts is judged"
        in failure(capsys, "rank", str(log), "--by", "kind", "--outputs", str(elsewhere))[1]
    )
