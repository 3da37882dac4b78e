"""Rankings of comparisons and the absolute scores of another file together."""

from pathlib import Path

import numpy as np
import pytest
from nextpair.schemas import Ranking

from app.files.comparisons import ComparisonColumns
from app.files.tables import InputError
from app.inference.fitting import AbsoluteScores, Method, build
from app.inference.fitting.absolute import combine
from app.inference.types import once_each
from app.offline.ranking import RankingMethod, rank_file

SAID = [("ash", "ann", 8.0, 0.5), ("elm", "ann", 3.0, 0.5), ("fir", "ann", 6.0, 1.0), ("oak", "bob", 2.0, 0.3)]
COMPARED = [("ash", "elm", 0.7, "ann"), ("elm", "fir", 0.4, "cyd"), ("fir", "ash", 0.3, "cyd")]
KEYS = ["ash", "elm", "fir", "oak"]


def ranked(tmp_path: Path, scores: str, method: RankingMethod, group: str = "") -> list[Ranking]:
    compared, said = tmp_path / "compared.csv", tmp_path / "said.csv"
    rows = [",".join(map(str, row)) for row in COMPARED]
    if group:
        rows = [f"{row},{name}" for name in "uv" for row in rows]
    compared.write_text("\n".join(["first,second,p_first,judge" + (f",{group}" if group else ""), *rows]))
    said.write_text(scores)
    rankings = rank_file(str(compared), ComparisonColumns(), [group] if group else [], [], method, str(said))
    return [each.ranking for each in rankings]


def table(header: str = "candidate,judge,mean,variance") -> str:
    return "\n".join([header, *(",".join(map(str, row)) for row in SAID)])


@pytest.mark.parametrize("method", [RankingMethod("soft-bt"), RankingMethod("gaussian", position_bias="estimate")])
def test_scores_join_the_comparisons_as_in_the_service(tmp_path: Path, method: RankingMethod) -> None:
    """A candidate that nobody compared is ranked too, and a judge who only scores has a scale."""
    (here,) = ranked(tmp_path, table(), method)
    log = once_each(np.array([0, 1, 2]), np.array([1, 2, 0]), np.array([0.7, 0.4, 0.3]), np.array([0, 1, 1]))
    said = AbsoluteScores(
        np.array([0, 1, 2, 3]), np.array([0, 0, 0, 2]), np.array([row[2] for row in SAID]), np.array([0.5, 0.5, 1, 0.3])
    )
    there = combine(log, build(Method(method.name, position_bias=method.position_bias), 4, 3), said)

    mean = there.posterior.mean[:4]
    scores = {row.key: row.score for row in here.ranking}
    assert [scores[key] for key in KEYS] == pytest.approx(mean - mean.mean())
    assert here.absolute_scores is not None
    assert here.absolute_scores.keys() == {"ann", "bob"}
    assert here.absolute_scores["ann"].c0 == pytest.approx(there.scale.c0[0] - mean.mean())
    assert here.absolute_scores["ann"].c1 == pytest.approx(there.scale.c1[0])


def test_scores_without_group_columns_hold_for_every_group_and_others_for_their_own(tmp_path: Path) -> None:
    both = ranked(tmp_path, table(), RankingMethod("soft-bt"), "doc")
    assert [len(each.ranking) for each in both] == [4, 4]
    only_v = "doc,key,score\nv,oak,3\nv,ash,5\nw,ash,1"
    u, v = ranked(tmp_path, only_v, RankingMethod("soft-bt"), "doc")
    assert (len(u.ranking), len(v.ranking)) == (3, 4)
    assert u.absolute_scores is None
    assert v.absolute_scores is not None


def test_scores_of_no_group_and_baselines_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none of its scores is in a group of the comparisons"):
        ranked(tmp_path, "doc,key,score\nw,ash,1", RankingMethod("soft-bt"), "doc")
    with pytest.raises(InputError, match="win-ratio is a baseline: it reads comparisons alone"):
        ranked(tmp_path, table(), RankingMethod("win-ratio"))


def test_judge_aware_reads_scores_too(tmp_path: Path) -> None:
    (alone,), (beside,) = (
        ranked(tmp_path, text, RankingMethod("judge-aware")) for text in ("key,score\nash,5\nelm,5\nfir,5", table())
    )
    assert len(alone.ranking) == 3
    assert beside.ranking[0].key == "ash"
    assert len(beside.ranking) == 4
