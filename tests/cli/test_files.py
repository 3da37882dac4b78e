"""The commands `rank` and `simulate`, as a person calls them."""

import csv
import io
import json
import re
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from nextpair.schemas import ABOUT_CONFIDENCE
from nextpair.words import JOINT, CriterionName, MethodName, OrderName
from scipy.special import expit

from app.cli import options, run
from app.files import reading
from app.inference.choosing import Criterion, Order
from app.inference.experts import MAKERS
from app.inference.fitting import BASELINES
from tests.cli.commands import BATTLES, JUDGE, RATINGS, failure, out
from tests.conftest import SHARED
from tests.files.factories import case


def test_options_offer_what_there_is() -> None:
    assert set(get_args(MethodName)) == {*MAKERS, *JOINT, *BASELINES}
    assert set(get_args(OrderName)) == set(Order)
    assert set(get_args(CriterionName)) == set(Criterion)


def test_help_names_the_kinds_of_files_that_are_read() -> None:
    assert options.KINDS == reading.KINDS


@pytest.mark.parametrize(
    ("header", "rows"), [("winner", "first,,SKIP,second"), ("p_first", "0.9,,n/a,0.2"), ("Winner", "oak,None,,pine")]
)
def test_rows_without_a_winner_are_skipped_and_counted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, header: str, rows: str
) -> None:
    file = tmp_path / "log.csv"
    file.write_text("\n".join([f"first,second,{header}", *(f"oak,pine,{cell}" for cell in rows.split(","))]))
    assert failure(capsys, "rank", str(file))[0] == 2
    assert run(["rank", str(file), "--skip-empty", "--format", "json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == "2 rows of 4 skipped: they do not say who won\n"
    assert json.loads(printed.out)["comparisons"] == 2


def test_names_that_look_alike_are_one_or_warned_of(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_bytes(Path(case("ranking/c30_alike.csv")).read_bytes())
    assert (
        "line 8, column 'first': 'GPT-4\\u200b' has U+200B, which nobody sees; remove it"
        in failure(capsys, "rank", str(log))[1]
    )
    log.write_text(log.read_text("utf-8").replace("\u200b", ""), "utf-8")
    assert run(["rank", str(log), "--format", "json"]) == 0
    printed = capsys.readouterr()
    assert printed.err.startswith("candidates look alike: 'GPT-4' and 'gpt-4', 'GPT-4' and 'gpt\u20114'; if two are")
    keys = [row["key"] for row in json.loads(printed.out)["ranking"]]
    assert sorted(keys) == ["GPT-4", "caf\u00e9", "gpt-4", "gpt\u20114", "oak", "pine"]


def test_a_file_in_which_nobody_won_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("first,second,winner\noak,pine,\n")
    _, error = failure(capsys, "rank", str(tmp_path / "log.csv"), "--skip-empty")
    assert error.endswith("log.csv, column 'winner': no row says who won; name another column with --winner")


def test_rank_prints_a_table_that_fits(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for width in (60, 80, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = out(capsys, "rank", JUDGE, "--repeats", "yes").splitlines()
        assert max(map(len, lines)) <= width
    assert lines[0] == "552 comparisons · 24 candidates · method soft-bt · scores in logits"
    assert lines[1] == "By all 276 pairs, as the judge judged them."
    assert lines[2] == "100% of pairs expected in the right order."
    assert lines[3] == "kelp is the best: P(best) 100%."
    assert lines[4] == "The verdicts depend on the candidates (e-value over a million)."
    assert lines[5] == ABOUT_CONFIDENCE
    assert lines[10].split()[:2] == ["1", "kelp"]
    assert "●" in lines[10]
    assert lines[8].split()[7:11] == ["ranks", "P(best)", "tie", "n"]
    monkeypatch.setenv("COLUMNS", "80")
    assert out(capsys, "rank", JUDGE, "--repeats", "yes").splitlines()[9].split()[5:] == [
        "ranks",
        "P(best)",
        "tie",
        "n",
        "wins",
        "interval",
    ]
    monkeypatch.setenv("COLUMNS", "200")
    lines = out(capsys, "rank", JUDGE, "--inference-target", "latent").splitlines()
    assert re.fullmatch(
        r">?\d+% of pairs expected in the right order \(95% interval \d+% to \d+%\); >?\d+% after 1,104 comparisons; "
        r">?\d+% after 2,208 comparisons\.",
        lines[2],
    )


def test_names_are_whole_in_a_table_of_eighty_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    table = out(capsys, "rank", JUDGE, "--top-k", "3")
    assert {"kelp", "thistle", "bramble"} <= set(table.split())
    assert "P(top 3)" in table


def test_rank_as_json_and_csv_agree(capsys: pytest.CaptureFixture[str]) -> None:
    group = json.loads(out(capsys, "rank", BATTLES, "--format", "json"))
    rows = list(csv.DictReader(io.StringIO(out(capsys, "rank", BATTLES, "--format", "csv"))))
    assert [row["key"] for row in rows] == [row["key"] for row in group["ranking"]]
    assert group["convergence"]["converged"]
    assert float(rows[0]["sd"]) == group["ranking"][0]["sd"]
    low, high = group["confidence"]["interval"]
    assert 0.0 <= low <= group["confidence"]["expected_concordance"] <= high <= 1.0


def test_rank_by_group_and_condition(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("g,first,second,winner\nu,x,y,x\nv,x,y,y\n")
    printed = out(capsys, "rank", str(log), "--group-by", "g", "--method", "win-ratio")
    assert printed.index("g = u") < printed.index("g = v")
    u, v = json.loads(out(capsys, "rank", str(log), "--group-by", "g", "--method", "win-ratio", "--format", "json"))
    assert [(each["group"], each["ranking"][0]["key"]) for each in (u, v)] == [({"g": "u"}, "x"), ({"g": "v"}, "y")]
    rows = out(capsys, "rank", str(log), "--group-by", "g", "--method", "win-ratio", "--format", "csv").splitlines()
    assert [row[:6] for row in rows] == ["g,rank", "u,1,x,", "u,2,y,", "v,1,y,", "v,2,x,"]
    only = out(capsys, "rank", str(log), "--where", "g=v", "--format", "csv").splitlines()
    assert only[1].startswith("1,y,")


def test_rank_tells_that_parts_never_met(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("first,second,winner\nx,y,x\nv,w,w\n")
    assert "2 parts were never compared with each other" in out(capsys, "rank", str(log))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rank", "none.csv"], "Invalid value for 'files': none.csv: there is no such file."),
        (
            ["simulate", JUDGE, "--truth", "none.csv", "--truth-column", "x"],
            "Invalid value for '--truth': none.csv: there is no",
        ),
        (["rank", JUDGE, "--first", "x"], f"{JUDGE}: no column 'x'; the columns are first, second, p_first"),
        (
            ["rank", JUDGE, "--level", "1"],
            "Invalid value for '--level': 1 must be above 0 and at most 0.9999.",
        ),
        (["rank", JUDGE, "--prior-variance", "0"], "Invalid value for '--prior-variance'"),
        (["rank", JUDGE, "--method", "elo"], "Invalid value for '--method'"),
        (["rank", JUDGE, "--where", "x"], "--where 'x' is no condition; write column=value"),
        (["rank"], "Missing argument"),
        (["rnk"], "No such command"),
        (["simulate", JUDGE, "--truth", RATINGS], "Missing option '--truth-column'"),
        (["simulate", JUDGE, "--truth", RATINGS, "--truth-column", "x"], f"{RATINGS}: no column 'x'"),
        (
            [
                "simulate",
                JUDGE,
                JUDGE,
                "--truth",
                RATINGS,
                "--truth-column",
                "overall",
                "--score-column",
                "p_first",
            ],
            "absolute scores are read from one file only",
        ),
    ],
)
def test_bad_input_is_one_line_and_code_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    code, line = failure(capsys, *arguments)
    assert code == 2
    assert line.startswith(message)


def test_rank_joins_absolute_scores(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_text("key,score,judge\nkelp,9,gauge\nrowan,2,gauge\nnew,1,gauge\n")
    common = ["rank", JUDGE, "--scores", str(scores)]
    result = json.loads(out(capsys, *common, "--format", "json"))
    assert len(result["ranking"]) == 25
    assert result["ranking"][-1]["key"] == "new"
    scale = result["absolute_scores"]["gauge"]
    assert scale["converged"]
    said = f"Absolute scores of gauge: score in logits = {scale['c0']:+.2f} {scale['c1']:+.2f} x what it gave"
    assert said in out(capsys, *common)
    assert failure(capsys, "rank", JUDGE, "--scores", "none.csv")[0] == 2


def test_simulate_prints_the_cost_of_each_criterion(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    curve = tmp_path / "curve.csv"
    common = ["simulate", JUDGE, "--truth", RATINGS, "--truth-column", "overall", "--seeds", "2"]
    chosen = ["--criterion", "reordering", "--criterion", "random", "--limit-fraction", "0.15"]
    printed = out(capsys, *common, *chosen, "--curve", str(curve))
    assert "1 group of 552 ordered pairs · 2 seeds" in printed
    header, *rows = curve.read_text().splitlines()
    assert header == "criterion,seed,comparisons,spearman,pearson"
    assert len(rows) == 2 * 2 * 83
    result = json.loads(out(capsys, *common, *chosen, "--format", "json"))
    by_name = {cost["criterion"]: cost for cost in result["criteria"]}
    assert by_name["reordering"]["comparisons"] < by_name["random"]["comparisons"]
    assert by_name["random"]["of_random"] == 1.0
    assert result["full_set_spearman"] > 0.98
    assert result["full_set_pearson"] > 0.9
    assert 0.0 < by_name["random"]["last_pearson"] < result["full_set_pearson"]


def test_simulate_measures_how_far_a_goal_is_reached(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    curve = tmp_path / "curve.csv"
    common = ["simulate", JUDGE, "--truth", RATINGS, "--truth-column", "overall", "--seeds", "1", "--limit-fraction"]
    wanted = ["0.05", "--criterion", "knowledge", "--goal", "top_k=3", "--curve", str(curve)]
    result = json.loads(out(capsys, *common, *wanted, "--format", "json"))
    assert curve.read_text().splitlines()[0] == "criterion,seed,comparisons,goal,pearson"
    assert 0.0 <= result["full_set_goal"] <= 1.0
    assert out(capsys, *common, *wanted).splitlines()[1].startswith("Full set: share of the goal ")
    _, line = failure(capsys, *common, "0.05", "--goal", "against=nobody")
    assert "--goal names nobody" in line


def test_simulate_from_absolute_scores(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    rows = [f"{doc},{system},{score}" for doc in "uv" for system, score in (("x", 1), ("y", 3), ("z", ""), ("w", 2))]
    scores.write_text("\n".join(["doc,system,score", *rows]))
    truth = tmp_path / "truth.csv"
    truth.write_text("doc,system,t\n" + "".join(f"u,{s},{t}\nv,{s},1\n" for s, t in zip("xyzw", "1342", strict=True)))
    printed = out(
        capsys, "simulate", str(scores), "--score-column", "score", "--group-by", "doc",
        "--truth", str(truth), "--truth-key", "system", "--truth-column", "t", "--criterion", "random",
    )  # fmt: skip
    assert "1 group of 6 ordered pairs" in printed
    assert "1 group left out, because its truth is constant." in printed
    assert "2 candidates left out, because the judge gave no score." in printed


@pytest.mark.study
def test_choosing_pairs_saves_comparisons_on_summeval(capsys: pytest.CaptureFixture[str], shared_data: Path) -> None:
    """Coherence, one seed: selection.md has 74% of random over all dimensions; a seed is good to 10 points."""
    judge, truth = (str(shared_data / "summeval" / name) for name in ("llm_absolute_12sys.csv.gz", "human.csv.gz"))
    who = ["--where", "judge=gpt-3.5-turbo-0301", "--where", "dim=coherence", "--group-by", "doc"]
    what = ["--score-column", "score", "--truth", truth, "--truth-key", "system", "--truth-column", "coherence"]
    brief = "--verdict-weight one-vote --seeds 1 --limit-fraction 0.2 --criterion reordering --criterion random".split()

    result = json.loads(out(capsys, "simulate", judge, *who, *what, *brief, "--format", "json"))

    cost = {each["criterion"]: each["of_random"] for each in result["criteria"]}
    assert cost["reordering"] <= 0.85


def test_every_expert_ranks_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    for name in MAKERS:
        result = json.loads(out(capsys, "rank", JUDGE, "--method", name, "--format", "json"))
        assert {row["key"] for row in result["ranking"][:4]} == {"kelp", "thistle", "nettle", "gorse"}, name


def test_a_bias_is_shown_for_each_judge(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "biased.csv"
    rows = [f"{a},{b},0.8,eve" for a, b in ("xy", "yx", "yz", "zy", "xz", "zx")] + ["x,y,0.4,adam", "y,x,0.4,adam"]
    file.write_text("first,second,p_first,judge\n" + "\n".join(rows) + "\n")

    printed = out(capsys, "rank", str(file), "--position-bias", "estimate", "--inference-target", "latent")
    result = json.loads(
        out(
            capsys, "rank", str(file), "--position-bias", "estimate", "--inference-target", "latent", "--format", "json"
        )
    )

    assert "Position bias of eve: +1." in printed
    assert "Position bias of adam: -0." in printed
    assert result["position_bias"]["eve"]["warning"] is None


def test_judge_effects_are_shown_for_each_judge(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, crowd = tmp_path / "tastes.csv", tmp_path / "crowd.csv"
    said = [f"{a},{b},{int(a < b)},eve" for a, b in ("xy", "yx", "yz", "zy", "xz", "zx")] * 9
    said += [f"{a},{b},{int(a > b)},{judge}" for a, b in ("xz", "zx") for judge in ("adam", "ann")]
    file.write_text("first,second,p_first,judge\n" + "\n".join(said) + "\n")
    crowd.write_text("first,second,p_first,judge\n" + "".join(f"a{n},b{n},1,c{n}\n" for n in range(51)))

    printed = out(capsys, "rank", str(file), "--method", "consensus")
    group = json.loads(out(capsys, "rank", str(file), "--method", "consensus", "--format", "json"))

    assert "Judge effects of eve: sd " in printed
    assert set(group["judge_effects"]) == {"eve", "adam", "ann"}
    assert {each["key"] for each in group["judge_effects"]["eve"]["largest_deviations"]} == {"x", "y", "z"}
    assert "here are 102 x 51" in failure(capsys, "rank", str(crowd), "--method", "consensus")[1]


def test_several_judges_have_an_agreement_and_disputes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "judges.csv"
    rows = [f"{a},{b},{p},{judge}," for judge in ("ann", "ben") for a, b, p in (("x", "y", 0.9), ("z", "y", 0.2))]
    rows += ["x,z,0.9,ann,", "z,x,0.6,ben,", "x,y,0.1,ann,other", "x,z,0.5,cid,"]
    file.write_text("first,second,p_first,judge,item\n" + "\n".join(rows) + "\n")

    printed = out(capsys, "rank", str(file))
    group = json.loads(out(capsys, "rank", str(file), "--format", "json"))

    assert "(Krippendorff's alpha): 0." in printed
    assert "over 3 pairs that several judged, 1 of them disputed" in printed
    agreement = group["agreement"]["judges"][0]
    low, high = agreement.pop("kappa_interval")
    assert agreement == {
        "judges": ["ann", "ben"], "pairs": 3, "share": pytest.approx(2 / 3), "kappa": pytest.approx(1 / 3),
    }  # fmt: skip
    assert -1.0 <= low < 1 / 3 < high <= 1.0
    (dispute,) = group["agreement"]["disputes"]
    assert dispute == {
        "item": None,
        "first": "x",
        "second": "z",
        "p_first": pytest.approx({"ann": 0.9, "ben": 0.4, "cid": 0.5}),
    }
    assert json.loads(out(capsys, "rank", JUDGE, "--format", "json"))["agreement"] is None


def test_a_crowd_has_one_line_for_the_biases_of_all_and_no_list_of_every_two(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Some 150 people on each of three pairs: as many twos as cannot be listed."""
    rng, rows = np.random.default_rng(0), ["first,second,winner,judge"]
    rows += [
        f"{a},{b},{'first' if rng.random() < 0.7 else 'second'},u{n}" for n in range(150) for a, b in ("xy", "yz", "xz")
    ]
    (file := tmp_path / "crowd.csv").write_text("\n".join(rows))
    printed = out(capsys, "rank", str(file), "--position-bias", "estimate")
    assert "Position biases of 150 judges: " in printed
    assert len(printed.splitlines()) < 20
    assert "over 3 pairs that several judged, 3 of them disputed" in " ".join(printed.split())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.analysis.judges.MOST_LISTED", 100)
        answer = json.loads(out(capsys, "rank", str(file), "--format", "json"))
    assert answer["agreement"]["judges"] == []
    assert answer["left_out"] == ["the agreement of each two judges"]
    assert len(answer["agreement"]["disputes"]) == 3


def test_thousands_of_people_with_a_vote_each_rank_quietly(capsys: pytest.CaptureFixture[str]) -> None:
    if not (file := SHARED / "cases/ranking/c59_scale2000.csv").is_file():
        pytest.skip("needs ../shared/cases, which is not here")
    printed = out(capsys, "rank", str(file))
    rows = [line.split()[1] for line in printed.splitlines() if "  model-" in line[:12]]
    assert rows == [f"model-{letter}" for letter in "ABCDEFGH"]
    assert len(printed.splitlines()) < 25


def test_the_columns_of_items_and_the_judges_who_are_people_are_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    usual, named = tmp_path / "usual.csv", tmp_path / "named.csv"
    rows = [f"x,y,{p},{judge},{item}" for item, p in enumerate((0.9, 0.8, 0.3)) for judge in ("gpt", "ann")]
    for file, item in ((usual, "item"), (named, "topic")):
        file.write_text(f"first,second,p_first,judge,{item}\n" + "\n".join(rows) + "\n")

    printed = out(capsys, "rank", str(usual), "--reference", "ann")
    assert "Agreement with people: 100% of 3 pairs (44% to 100%)" in printed
    assert out(capsys, "rank", str(named), "--reference", "ann", "--item", "topic") == printed
    assert "of 1 pair " in out(capsys, "rank", str(named), "--reference", "ann")
    assert "no column 'prompt'" in failure(capsys, "rank", str(named), "--item", "prompt")[1]


def test_what_would_decide_a_ranking_about_new_prompts_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rng, rows = np.random.default_rng(0), ["first,second,p_first,item"]
    for n in range(9):
        logits = dict(zip("abc", [0.3, 0.0, -0.3] + 0.6 * rng.standard_normal(3), strict=True))
        rows += [f"{i},{j},{expit(logits[i] - logits[j])},prompt {n}" for i, j in ("ab", "bc", "ca")]
    (file := tmp_path / "log.csv").write_text("\n".join(rows))
    printed = json.loads(out(capsys, "rank", str(file), "--format", "json"))
    judged, needed, suffice, sentence = printed["prompts"].values()
    more = f"about {needed - 9} more prompts would show who is best; more comparisons on these 9 prompts would not."
    assert (judged, suffice, sentence) == (9, False, f"As scores stand, {more}")
    assert more in " ".join(out(capsys, "rank", str(file)).split())
    latent = json.loads(out(capsys, "rank", str(file), "--inference-target", "latent", "--format", "json"))
    assert latent["prompts"] is None


def test_the_top_k_and_tie_groups_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    plain, wide = (
        json.loads(out(capsys, "rank", JUDGE, "--top-k", "3", "--epsilon", epsilon, "--format", "json"))
        for epsilon in ("0", "2")
    )
    assert "P(top 3)" in out(capsys, "rank", JUDGE, "--top-k", "3")
    assert sum(row["p_top_k"] for row in plain["ranking"]) == pytest.approx(3.0)
    assert max(row["tie_group"] for row in wide["ranking"]) < max(row["tie_group"] for row in plain["ranking"])


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--method", "sigma-gaussian", "--parameter", "v=0.5"], "v is 0.5; it must be at least 1"),
        (["--method", "gaussian", "--parameter", "w=1"], "gaussian has no parameter 'w'; it has alpha, beta, v"),
        (["--method", "gaussian", "--parameter", "v"], "--parameter needs a name and a number"),
        (["--method", "laplace", "--prior", "anchor"], "laplace needs the prior unit"),
        (["--method", "win-ratio", "--position-bias", "estimate"], "win-ratio is a baseline"),
        (["--judge", "nobody"], "nobody"),
    ],
)
def test_an_impossible_method_is_one_clear_line(
    capsys: pytest.CaptureFixture[str], options: list[str], complaint: str
) -> None:
    code, message = failure(capsys, "rank", JUDGE, *options)
    assert code == 2
    assert complaint in message
