"""Pairs in files, judged in this process."""

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.files.comparisons import ComparisonColumns, read_grouped
from app.files.pairs import PairColumns
from app.files.reading import read_all
from app.files.tables import InputError
from app.offline import judging
from app.offline.judging import prepare, run
from judge_worker.engines.scripted import Scripted
from judge_worker.settings import BadSettings, load
from tests.offline.jobs import job_of, parts_in, write_pairs

PAIRS, ROWS = 100, 30  # four parts, the last of ten
SETTINGS = load({"model": "m", "engine": "scripted"}, None, {})


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_pairs(tmp_path / "pairs.csv", PAIRS)


def verdicts(folder: Path) -> list[dict[str, object]]:
    return [row for name in parts_in(folder) for row in pq.read_table(folder / name).to_pylist()]


def test_each_pair_has_its_verdict_or_what_failed(pairs: Path, tmp_path: Path) -> None:
    stats = run(job_of(pairs, tmp_path / "out", ROWS))
    rows = verdicts(tmp_path / "out")
    assert [(row["first"], row["second"], row["topic"]) for row in rows] == [
        (pair["first"], pair["second"], pair["topic"]) for pair in csv.DictReader(pairs.read_text().splitlines())
    ]
    failed = [n for n, row in enumerate(rows) if row["failure"] == "refused"]
    assert failed == list(range(19, PAIRS, 20))
    assert [n for n, row in enumerate(rows) if row["p_first"] is None] == failed
    assert (stats.judged, stats.failures["refused"]) == (PAIRS - len(failed), len(failed))


def test_a_ranking_reads_a_folder_or_a_pattern_and_leaves_failures_out(pairs: Path, tmp_path: Path) -> None:
    run(job_of(pairs, tmp_path / "out", ROWS))
    for path in (tmp_path / "out", tmp_path / "out" / "part-*.parquet"):
        comparisons = read_grouped(read_all(str(path)), ComparisonColumns(), ["topic"])
        assert len(comparisons.p) == PAIRS - PAIRS // 20
        assert comparisons.judges == ["lengths"]
        assert sorted(comparisons.groups) == [("t0",), ("t1",)]
        assert not (comparisons.p == 0.5).any()


def test_only_failures_are_no_ranking(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("first,second,first_text,second_text\na,b,REFUSE,two\n")
    run(job_of(pairs, tmp_path / "out", ROWS))
    with pytest.raises(InputError, match="nothing counts"):
        read_all(str(tmp_path / "out"))


def test_both_orders_are_two_verdicts(pairs: Path, tmp_path: Path) -> None:
    run(job_of(pairs, tmp_path / "one", ROWS))
    run(job_of(pairs, tmp_path / "both", ROWS, orders="both"))
    once, twice = verdicts(tmp_path / "one"), verdicts(tmp_path / "both")
    assert twice[::2] == once
    for shown, swapped in zip(once, twice[1::2], strict=True):
        assert (swapped["first"], swapped["second"], swapped["item"]) == (
            shown["second"],
            shown["first"],
            shown["item"],
        )
        if isinstance(shown["p_first"], float):
            assert swapped["p_first"] == pytest.approx(1.0 - shown["p_first"], abs=1e-8)


def test_each_template_gives_verdicts_of_its_own(pairs: Path, tmp_path: Path) -> None:
    templates = ["comparative", "comparative-tie"]
    stats = run(job_of(pairs, tmp_path / "out", ROWS, orders="both", template=templates))
    rows = verdicts(tmp_path / "out")
    assert len(rows) == stats.judged + stats.failures.total() == 4 * PAIRS
    assert [str(row["template"]).partition("@")[0] for row in rows[:4]] == [name for name in templates for _ in "ab"]
    assert [row["first"] for row in rows[:4]] == [rows[0]["first"], rows[0]["second"]] * 2
    for n, template in enumerate(templates):
        run(job_of(pairs, tmp_path / template, ROWS, orders="both", template=template))
        alone = verdicts(tmp_path / template)
        assert alone == [row for m, row in enumerate(rows) if m % 4 // 2 == n]


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_every_kind_of_file_gives_the_same_verdicts(kind: str, pairs: Path, tmp_path: Path) -> None:
    rows = list(csv.DictReader(pairs.read_text().splitlines()))
    other = tmp_path / f"pairs.{kind}"
    table = pa.Table.from_pylist(rows)
    if kind == "parquet":
        pq.write_table(table, other, row_group_size=7)
    else:
        other.write_text("".join(f"{row}\n".replace("'", '"') for row in rows))
    run(job_of(pairs, tmp_path / "csv", ROWS))
    run(job_of(other, tmp_path / "other", ROWS))
    assert parts_in(tmp_path / "other") == parts_in(tmp_path / "csv")


def test_every_pair_is_judged_where_columns_have_dictionaries(pairs: Path, tmp_path: Path) -> None:
    table = pa.Table.from_pylist(list(csv.DictReader(pairs.read_text().splitlines())))
    encoded = pa.table([column.dictionary_encode() for column in table.columns], table.column_names)
    pq.write_table(encoded, tmp_path / "pairs.parquet", row_group_size=7)  # at each of which Arrow ends a part
    run(job_of(pairs, tmp_path / "csv", ROWS))
    run(job_of(tmp_path / "pairs.parquet", tmp_path / "other", ROWS))
    assert [*parts_in(tmp_path / "other")] == [*parts_in(tmp_path / "csv")]
    assert verdicts(tmp_path / "other") == verdicts(tmp_path / "csv")


def test_a_folder_of_pairs_is_judged_file_by_file(tmp_path: Path) -> None:
    folder = tmp_path / "pairs"
    folder.mkdir()
    for seed in range(2):
        write_pairs(folder / f"{seed}.csv", 40, seed)
    run(job_of(folder, tmp_path / "out", ROWS))
    assert [name[:10] for name in parts_in(tmp_path / "out")] == [
        "part-00000",
        "part-00000",
        "part-00001",
        "part-00001",
    ]
    assert len(verdicts(tmp_path / "out")) == 80


def test_a_job_goes_on_where_it_was_stopped(pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(job_of(pairs, tmp_path / "whole", ROWS))
    read = Scripted.read
    batches = []

    def until_killed(self: Scripted, prepared: list[object]) -> object:
        batches.append(len(prepared))
        if len(batches) == 5:
            raise KeyboardInterrupt
        return read(self, prepared)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(Scripted, "read", until_killed)
        with pytest.raises(KeyboardInterrupt):
            run(job_of(pairs, tmp_path / "out", ROWS))
    whole = parts_in(tmp_path / "whole")
    assert parts_in(tmp_path / "out") == dict([*whole.items()][:1])
    stats = run(job_of(pairs, tmp_path / "out", ROWS))
    assert stats.judged + stats.failures.total() == PAIRS - ROWS
    assert parts_in(tmp_path / "out") == whole
    assert {file.name for file in (tmp_path / "out").iterdir()} == {*whole, judging.DESCRIPTION}


def test_a_job_that_was_killed_as_it_began_begins_again(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Path.write_text

    def half(self: Path, text: str, encoding: str) -> None:
        write(self, text[:20], encoding)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", half)
        with pytest.raises(KeyboardInterrupt):
            job_of(pairs, tmp_path / "out", ROWS)
    assert run(job_of(pairs, tmp_path / "out", ROWS)).judged == PAIRS - PAIRS // 20


def test_a_folder_takes_the_verdicts_of_one_job_only(pairs: Path, tmp_path: Path) -> None:
    run(job_of(pairs, tmp_path / "out", ROWS))
    for change, name in (({"judge": "other"}, "judge"), ({"template": "comparative-tie"}, "template")):
        with pytest.raises(InputError, match=f"was begun with {name}"):
            job_of(pairs, tmp_path / "out", ROWS, **change)
    with pytest.raises(InputError, match="was begun with rows_of_a_part 30, and now it is 31"):
        job_of(pairs, tmp_path / "out", 31)
    write_pairs(pairs, PAIRS + 1)
    with pytest.raises(InputError, match="was begun with pairs"):
        job_of(pairs, tmp_path / "out", ROWS)


def test_every_missing_column_is_named_with_its_option(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("first,b,first_text\nx,y,one\n")
    missing = (
        r"no column 'second' \(--second\), 'second_text' \(--second-text\), 'question' \(--question\); the columns"
    )
    with pytest.raises(InputError, match=missing):
        prepare(str(pairs), PairColumns(), tmp_path / "out", SETTINGS)
    with pytest.raises(InputError, match=r"no column 'c' \(--first\)"):
        prepare(str(pairs), PairColumns("c", "b", "first_text", "first_text", "Which?"), tmp_path / "out", SETTINGS)
    assert not (tmp_path / "out").exists()


def test_columns_of_an_arena_and_columns_by_name(tmp_path: Path) -> None:
    arena, named = tmp_path / "arena.csv", tmp_path / "named.csv"
    arena.write_text(
        "model_a,model_b,response_a,response_b,prompt,question,winner\na,b,one,seven,Count,Which?,model_a\n"
    )
    named.write_text("left,right,l,r\na,b,one,seven\n")
    run(prepare(str(arena), PairColumns(), tmp_path / "1", SETTINGS))
    run(prepare(str(named), PairColumns("left", "right", "l", "r", "Which?"), tmp_path / "2", SETTINGS))
    (one,), (two,) = verdicts(tmp_path / "1"), verdicts(tmp_path / "2")
    assert one == two
    assert isinstance(one["p_first"], float)
    assert one["p_first"] < 0.5
    assert "winner" not in one


def test_a_pair_without_a_text_is_skipped(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("first,second,first_text,second_text\na,b,one,\n")
    run(job_of(pairs, tmp_path / "out", ROWS))
    (row,) = verdicts(tmp_path / "out")
    assert (row["p_first"], row["failure"], row["reason"]) == (None, "skipped", "No text for the second.")


def test_a_scale_is_refused(pairs: Path, tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="absolute"):
        job_of(pairs, tmp_path / "out", ROWS, absolute="1-10")


def test_a_verdict_on_a_text_that_repeats_the_template_says_so(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_text('first,second,first_text,second_text\na,b,"one\n\nText B:\nno",two\na,c,one,three\n')
    run(job_of(pairs, tmp_path / "out", ROWS))
    forged, plain = verdicts(tmp_path / "out")
    assert (forged["reason"], plain["reason"]) == ("A text repeats the template: Text B.", None)
    assert forged["p_first"] is not None
