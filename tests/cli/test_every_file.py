"""Every command on every file that comes with the project, and on a small file of each shape.

What a command can use ends with exit code 0, and its output is read again; `USES` says what stands in the way else.
"""

import csv
import gzip
import io
import json
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from nextpair.schemas import Aggregation, Comparison, Ranking, RankSets

from app import cli
from app.files import exports, transfer
from app.files.comparisons import ComparisonColumns
from app.files.formats import READERS
from app.files.tables import InputError
from tests.cli.commands import RATINGS, ROOT, failure, out

Row = dict[str, str | int | float]


class Uses(NamedTuple):
    """For each command nothing where it can use a kind of file, else what it says."""

    rank: str = "no column 'first'"  # report and simulate read what rank reads
    rank_sets: str = "no column 'first'"
    aggregate: str = "is not a finite number|write a probability of yes"
    judge: str = "'first_text' (--first-text)"
    imported: str = ""


OUTPUTS, NO_ARRAY = "these are outputs, not comparisons", "no array; write objects between [ and ]"
NO_VERDICT, NO_HUMAN = "give --winner or --p-first", "no column 'human'"
ONE_SYSTEM = "there is one system, '"
APART = "the rows answer different prompts|hold different texts in each row"
USES = {
    "verdicts": Uses(rank="", rank_sets=NO_HUMAN),
    "weighted": Uses(rank="", rank_sets="remove the column 'weight'"),
    "instances": Uses(rank=NO_VERDICT, rank_sets="", imported=NO_VERDICT),
    "pairs": Uses(rank=NO_VERDICT, rank_sets=NO_HUMAN, judge="", imported=NO_VERDICT),
    "annotations": Uses(),
    "texts": Uses(),
    "ratings": Uses(imported="these columns are not known"),
    "labels": Uses(rank=OUTPUTS, rank_sets=OUTPUTS, aggregate="", imported=APART),
    "outputs": Uses(rank=OUTPUTS, rank_sets=OUTPUTS),
    "one model": Uses(OUTPUTS, OUTPUTS, imported=f"{ONE_SYSTEM}|{APART}"),
    "harness log": Uses(*[NO_ARRAY] * 5),
}
KIND_OF = {
    "annotations.json": "annotations",
    "answers.jsonl": "texts",
    "assistants.csv": "outputs",
    "four_models.csv": "outputs",
    "instances.csv": "instances",
    "model_outputs.json": "one model",
    "ratings.csv": "ratings",
    "sums.csv": "labels",
}  # by the name of a file; others are verdicts
MEETINGS = [("x", "y"), ("y", "z"), ("z", "x"), ("x", "z"), ("y", "x"), ("z", "y")] * 3


def row(n: int, first: str, second: str, *columns: str) -> Row:
    """Row `n` of a small file: x is better than y, and y than z."""
    cells: Row = {
        "winner": "tie" if "ties" in columns and n % 3 == 0 else "first" if first < second else "second",
        "p_first": 0.7 if first < second else 0.4,
        "judge": "ann" if n % 2 else "bot",
        "item": f"q{n % 4}",
        "category": "code" if n % 4 < 2 else "prose",
        "weight": 1 + n % 3,
        "first_text": f"a text of {first}",
        "second_text": f"another text of {second}",
        "question": "Which is better?",
    }
    return {"first": first, "second": second} | {name: cells[name] for name in columns if name != "ties"}


def rows(*columns: str) -> list[Row]:
    return [row(n, *pair, *columns) for n, pair in enumerate(MEETINGS)]


SHAPES = {
    "probabilities.csv": ("verdicts", rows("p_first")),
    "one.csv": ("verdicts", rows("winner")[:1]),
    "judge.tsv": ("verdicts", rows("winner", "judge")),
    "item.jsonl.gz": ("verdicts", rows("winner", "item")),
    "ties.json": ("verdicts", rows("winner", "ties")),
    "tags.parquet": ("verdicts", rows("winner", "item", "category")),
    "weight.csv": ("weighted", rows("winner", "weight")),
    "everything.csv": ("weighted", rows("item", "category", "winner", "ties", "judge", "weight")),
    **{f"log.{end}": ("weighted", rows("p_first", "judge", "item")) for end in exports.MEDIA_TYPES},
    "pairs.csv": ("pairs", rows("first_text", "second_text", "question")),
}


def of_the_project() -> Iterable[tuple[str, str]]:
    """Files that come with the project, each with its kind; of two with the same bytes the first."""
    files = sorted(path for folder in ("examples", "app/demo") for path in (ROOT / folder).rglob("*"))
    for path in {path.read_bytes(): path for path in reversed(files) if path.suffix in READERS}.values():
        name = str(path.relative_to(ROOT))
        usual = "harness log" if "/inspect/" in name else "one model" if "/lm_eval/" in name else "verdicts"
        yield name, KIND_OF.get(path.name, usual)


KINDS = dict(of_the_project()) | {name: kind for name, (kind, _) in SHAPES.items()}


@pytest.fixture(scope="module")
async def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("shapes")
    for name, (_, table) in SHAPES.items():
        (made / name).write_bytes(await log(name, table) if name.startswith("log.") else written(name, table))
    return made


def written(name: str, table: list[Row]) -> bytes:
    """The table as a file of the kind that its name says."""
    if name.endswith(".parquet"):
        sink = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(table), sink)
        return sink.getvalue()
    if ".json" in name:
        lines = json.dumps(table) if name.endswith(".json") else "\n".join(map(json.dumps, table))
        return gzip.compress(lines.encode()) if name.endswith(".gz") else lines.encode()
    text = io.StringIO()
    writer = csv.DictWriter(text, list(table[0]), delimiter="\t" if name.endswith(".tsv") else ",")
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue().encode()


async def log(name: str, table: list[Row]) -> bytes:
    """The table as the service exports a log, with a comparison that was voided."""

    async def batches() -> AsyncIterator[list[Comparison]]:
        yield [
            Comparison(
                seq=seq, set_id=UUID(int=1), item=str(cells["item"]), first=str(cells["first"]),
                second=str(cells["second"]), p_first=float(cells["p_first"]), winner=None, weight=1.0,
                judge=str(cells["judge"]), client_id=None, assignment_id=None, late=False, label_mass=None,
                latency_ms=None, raw=None, created_at=datetime(2026, 6, 1, tzinfo=UTC),
                voided_by=99 if seq == 3 else None,
            )
            for seq, cells in enumerate(table, 1)
        ]  # fmt: skip

    return b"".join([part async for part in exports.encode(batches(), name.removeprefix("log."))])


@pytest.fixture
def place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """The path of a file by its name."""
    monkeypatch.chdir(ROOT)
    return lambda name: str(folder / name) if name in SHAPES else name


def table_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if not USES[kind].rank])
def test_verdicts_are_ranked_reported_and_replayed(
    name: str, place: Callable[[str], str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file, report, truth = place(name), str(tmp_path / "report.html"), tmp_path / "truth.csv"
    drawn = [str(tmp_path / f"figure{end}") for end in (".svg", ".tex")]
    printed = out(capsys, "rank", file, "--plot", drawn[0], "--latex", drawn[1])
    ranking = Ranking.model_validate_json(out(capsys, "rank", file, "--format", "json"))
    places = [each.key for each in ranking.ranking]
    assert [line["key"] for line in table_of(out(capsys, "rank", file, "--format", "csv"))] == places
    assert all(key in text for key in places for text in (printed, *(Path(each).read_text() for each in drawn)))
    assert out(capsys, "report", file, "--output", report) == f"{report}\n"
    whole, again = out(capsys, "verify", report, file, "--recompute").splitlines()
    assert (whole.split(":")[0], again.split(":")[0]) == (
        "The report is whole, and this is its log",
        "Ranked again from the log",
    )
    truth.write_text("\n".join(["key,value", *(f"{each.key},{each.score}" for each in ranking.ranking)]))
    if len(places) > 2:  # two are always in one order or the other
        known = ["--truth", str(truth), "--truth-column", "value", "--criterion", "random", "--seeds", "1"]
        (cost,) = table_of(out(capsys, "simulate", file, *known, "--format", "csv"))
        assert cost["criterion"] == "random"


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_a_command_that_cannot_use_a_file_says_why(
    name: str, kind: str, place: Callable[[str], str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file, report, uses = place(name), str(tmp_path / "report.html"), USES[kind]
    commands = [
        (uses.rank, ["rank", file]),
        (uses.rank, ["report", file, "--output", report]),
        (uses.rank, ["simulate", file, "--truth", RATINGS, "--truth-column", "overall"]),
        (uses.rank_sets, ["rank-sets", file, "--people", "human", "--judge", "gpt"]),
        (uses.aggregate, ["aggregate", file]),
        (uses.judge, ["judge", file, "--out", str(tmp_path / "verdicts"), "--engine", "scripted", "--model", "m"]),
        ("does not end with its seal", ["verify", file, file]),
    ]
    for why, command in commands:
        if why:
            code, line = failure(capsys, *command)
            assert (code, any(each in line for each in why.split("|"))) in [(2, True), (1, True)], line
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_a_file_is_imported_or_refused_for_a_reason(name: str, kind: str, place: Callable[[str], str]) -> None:
    source = transfer.Source(place(name), ComparisonColumns())
    if USES[kind].imported:
        with pytest.raises(InputError, match=USES[kind].imported.replace("[", r"\[")):
            transfer.read(source)
    else:
        contents = transfer.read(source)
        assert len(contents.candidates) >= 2
        assert contents.comparisons or contents.outputs or kind == "texts"


def test_labels_instances_and_pairs_have_commands_of_their_own(
    place: Callable[[str], str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    labels = ["aggregate", "examples/sums.csv", "--item", "item", "--text", "question", "--reference", "alice"]
    labels += ["--text", "answer"]
    combined = Aggregation.model_validate_json(out(capsys, *labels, "--format", "json"))
    assert [line["item"] for line in table_of(out(capsys, *labels, "--format", "csv"))] == [
        each.item for each in combined.items
    ]
    assert all(each.judge in out(capsys, *labels) for each in combined.judges[:1])
    instances = ["rank-sets", "examples/instances.csv", "--people", "human", "--judge", "gpt"]
    sets = RankSets.model_validate_json(out(capsys, *instances, "--format", "json"))
    systems = sorted(each.key for each in sets.systems)
    assert sorted(line["system"] for line in table_of(out(capsys, *instances, "--format", "csv"))) == systems
    assert all(each in out(capsys, *instances) for each in systems[:1])
    verdicts = str(tmp_path / "verdicts")
    assert cli.run(["judge", place("pairs.csv"), "--out", verdicts, "--engine", "scripted", "--model", "longer"]) == 0
    capsys.readouterr()
    ranking = Ranking.model_validate_json(out(capsys, "rank", verdicts, "--format", "json"))
    assert ranking.comparisons == len(MEETINGS)
