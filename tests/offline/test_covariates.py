"""Covariates from a table of outputs: the length of texts, and columns with a number for each output."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from nextpair import schemas
from scipy.special import expit

from app.files.comparisons import ComparisonColumns
from app.files.tables import InputError
from app.inference.reporting import Wanted
from app.offline.outputs import load
from app.offline.ranking import RankingMethod, rank_file

SYSTEMS, PROMPTS = ["ash", "elm", "fir"], 12
LISTS = np.random.default_rng(7).poisson([1.0, 2.0, 3.0], (PROMPTS, 3))  # fir writes most


def table(folder: Path, *lines: str) -> str:
    (folder / "outputs.csv").write_text("\n".join(lines))
    return str(folder / "outputs.csv")


@pytest.fixture
def log(tmp_path: Path) -> str:
    """By a judge to whom all are equally good and who favours lists."""
    rng, rows = np.random.default_rng(8), ["prompt_id,first,second,p_first"]
    for n, first, second in product(range(PROMPTS), range(3), range(3)):
        if first < second:
            p = expit(0.8 * (LISTS[n, first] - LISTS[n, second]) / LISTS.std() + rng.normal(0.0, 0.2))
            rows.append(f"p{n},{SYSTEMS[first]},{SYSTEMS[second]},{p:.4f}")
    (tmp_path / "log.csv").write_text("\n".join(rows))
    return str(tmp_path / "log.csv")


def outputs(folder: Path) -> str:
    """The length of a text follows its lists."""
    rows = [
        f"p{n},{system},{'x' * (2 + lists)},{lists},{5 - 2 * lists},{np.log1p(2 + lists):.17g}"
        for n in range(PROMPTS)
        for system, lists in zip(SYSTEMS, LISTS[n], strict=True)
    ]
    return table(folder, "prompt_id,model,output,lists,fewer,ln_bytes", *rows)


def ranked(log: str, outputs: str, *covariates: str) -> schemas.Ranking:
    method = RankingMethod("soft-bt", verdict_weight="learnt", wanted=Wanted(), covariate=covariates)
    (one,) = rank_file(log, ComparisonColumns(), [], [], method, outputs_of=outputs if covariates else None)
    return one.ranking


def scores(ranking: schemas.Ranking) -> dict[str, float]:
    return {row.key: row.score for row in ranking.ranking}


def test_a_column_is_taken_out_of_the_scores(log: str, tmp_path: Path) -> None:
    alone, beside = (scores(ranked(log, outputs(tmp_path), *names)) for names in ((), ("lists",)))
    assert np.ptp([*alone.values()]) > 0.5 > 0.3 > np.ptp([*beside.values()])
    effects = ranked(log, outputs(tmp_path), "lists").effects or {}
    assert effects["lists"].interval[0] < 0.8 < effects["lists"].interval[1]
    assert effects["lists"].sentence.startswith(
        "Outputs with more lists win more: one standard deviation of lists adds +0."
    )


def test_the_unit_of_a_column_does_not_matter(log: str, tmp_path: Path) -> None:
    """Nor does it matter whether the length is a column."""
    file = outputs(tmp_path)
    for one, other, sign in (("lists", "fewer", -1.0), ("length", "ln_bytes", 1.0)):
        first, second = ranked(log, file, one), ranked(log, file, other)
        assert scores(second) == pytest.approx(scores(first), abs=1e-9)
        assert (second.effects or {})[other].effect == pytest.approx(sign * (first.effects or {})[one].effect, abs=1e-9)
    assert list(ranked(log, file, "length", "lists").effects or {}) == ["length", "lists"]


def test_a_covariate_is_no_tag_and_outputs_that_are_missing_need_no_number(tmp_path: Path) -> None:
    file = table(
        tmp_path, "prompt_id,model,output,lists", "p0,ash,a,1", "p0,elm,b,2", "p1,ash,c,0", "p1,elm,,", "p0,ash,a,1"
    )
    numbers = {("p0", "ash"): 1.0, ("p0", "elm"): 2.0, ("p1", "ash"): 0.0}
    assert load(file, covariates=["lists"]) == ({"p0": {}, "p1": {}}, {"lists": numbers})


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        (["p0,elm,b,many"], "line 4, column 'lists': 'many' is not a finite number; write a number for"),
        (["p0,elm,b,inf"], "line 4, column 'lists': 'inf' is not a finite number"),
        (["p0,elm,b,"], "line 4, column 'lists': empty; write a number for each output"),
        (
            ["p0,elm,b,2", "p0,ash,a,3"],
            "line 5, column 'lists': 3.0, but an earlier row has 1.0 for the same output; write one number for each",
        ),
        (["p0,elm,b,1"], "column 'lists': has the same value in all outputs for a prompt"),
        (["p0,elm,b,1", "p1,elm,b,2"], "name a column that differs between them"),
    ],
)
def test_what_is_no_number_for_each_output_is_refused_with_a_remedy(
    rows: list[str], fault: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=fault):
        load(table(tmp_path, "prompt_id,model,output,lists", "p0,ash,a,1", "p1,ash,a,2", *rows), covariates=["lists"])


def test_a_wide_table_has_lengths_alone(tmp_path: Path) -> None:
    said, denied = (
        "It is so, in each and every case that was ever seen.",
        "It is not so, in any case that was ever seen.",
    )
    wide = table(tmp_path, "prompt_id,ash,elm,lists", f'p0,"{said}","{denied}",1', f'p1,"{denied}","{said}",2')
    assert load(wide, covariates=["length"]).covariates["length"]["p0", "ash"] == pytest.approx(np.log1p(len(said)))
    with pytest.raises(InputError, match=r"a column of a wide table is about prompts; .* write a long table"):
        load(wide, covariates=["lists"])
