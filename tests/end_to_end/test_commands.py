"""The commands that need a service: each once as a process, else called in this one."""

import asyncio
import csv
import io
import re
from pathlib import Path

import httpx
import pytest
from nextpair import Client, NextpairError

from app import cli
from app.files import transfer
from app.files.comparisons import ComparisonColumns
from app.storage.db import latest_migration
from tests.cli.commands import ROOT, failure, out
from tests.end_to_end.commands import nextpair
from tests.end_to_end.processes import Server

SIMULATE = "simulate app/demo/judge.csv --truth app/demo/ratings.csv --truth-column overall --seeds 1".split()


@pytest.fixture
def url(server: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """The service that commands turn to."""
    monkeypatch.setenv("NEXTPAIR_URL", server.url)
    monkeypatch.chdir(ROOT)
    return server.url


def test_an_import_can_be_exported_and_imported_again(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = out(capsys, "import", "examples/battles.csv", "--name", "battles", "--project", "arena")
    assert "60 comparisons added" in first
    assert len(httpx.get(f"{url}/v1/sets", params={"project": "arena"}).json()["sets"]) == 1
    assert httpx.get(first.splitlines()[1]).status_code == 200  # the page of the set
    log = _log(out(capsys, "export", _set_id(first)))
    for form in ("csv", "jsonl", "parquet"):
        file = tmp_path / f"log.{form}"
        out(capsys, "export", _set_id(first), "--format", form, "-o", str(file))
        again = out(capsys, "import", str(file))
        assert "60 comparisons added" in again
        assert _log(out(capsys, "export", _set_id(again))) == log


async def test_importing_the_same_file_again_changes_nothing(server: Server) -> None:
    first = await nextpair("import", "examples/battles.csv", server=server.url)
    set_id = _set_id(first.stdout)
    exported = await nextpair("export", set_id, server=server.url)
    assert len(_log(exported.stdout)) == 60
    again = await nextpair("import", "examples/battles.csv", "--into", set_id, server=server.url)
    assert "0 comparisons added, 60 duplicates, version 60" in again.stdout


async def test_a_simulation_through_the_service_asks_the_same_pairs(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = tmp_path / "here.csv", tmp_path / "there.csv"
    only = [
        "--criterion",
        "reordering",
        "--criterion",
        "covering",
        "--equal",
        "0",
        "--limit-fraction",
        "0.05",
        "--verdict-weight",
        "one-vote",
    ]
    await asyncio.to_thread(out, capsys, *SIMULATE, *only, "--curve", str(here))
    done = await nextpair(*SIMULATE, *only, "--curve", str(there), "--http", server.url)
    assert done.code == 0, done.stderr
    assert _to_digits(here) == _to_digits(there)


def _to_digits(file: Path) -> str:
    """A table whose numbers have six digits: the service sends nine of a score."""
    return re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.6g}", file.read_text())


async def test_no_service_is_one_clear_line() -> None:
    done = await nextpair("import", "examples/battles.csv", server="http://127.0.0.1:9")
    assert done.code == 1
    assert re.fullmatch(r"nextpair: .*http://127\.0\.0\.1:9.*\n", done.stderr)


async def test_an_address_that_is_not_loopback_is_refused(tmp_path: Path) -> None:
    done = await nextpair("serve", "--host", "0.0.0.0", "--data-dir", str(tmp_path))
    assert done.code != 0
    assert "loopback" in done.stderr


async def test_migrate_says_where_the_database_is(tmp_path: Path) -> None:
    done = await nextpair("migrate", "--data-dir", str(tmp_path))
    assert (done.code, done.stdout) == (0, f"the database in {tmp_path} is at revision {latest_migration()}\n"), (
        done.stderr
    )


def _set_id(printed: str) -> str:
    return printed.split()[1].rstrip(":")


def _log(exported: str) -> list[tuple[str, ...]]:
    """What an import should keep, entry by entry."""
    once_for_a_set = {"set_id", "client_id"}
    return [
        tuple(cell for name, cell in row.items() if name not in once_for_a_set)
        for row in csv.DictReader(io.StringIO(exported))
    ]


async def test_an_export_that_fails_is_one_clear_line_and_leaves_the_old_file(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.write_text("precious")
    done = await nextpair("export", "00000000-0000-0000-0000-000000000000", "-o", str(file), server=server.url)
    assert done.code == 1
    assert re.fullmatch(r"nextpair: .*no set .*\n", done.stderr)
    assert file.read_text() == "precious"


def test_a_copy_of_a_file_brings_nothing_new(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header, *rows = (ROOT / "examples/battles.csv").read_text().splitlines()
    copy = tmp_path / "copy.csv"
    copy.write_text("\n".join([header, *reversed(rows)]))
    first = out(capsys, "import", "examples/battles.csv")
    again = out(capsys, "import", str(copy), "--into", _set_id(first))
    assert "0 comparisons added, 60 duplicates" in again


def test_a_set_without_prompts_refuses_a_file_with_prompts(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As one that an earlier version made from this file, which did not read its prompts."""
    (without, with_prompts), row = (tmp_path / name for name in ("without.csv", "with.csv")), "heron,finch,heron"
    without.write_text(f"first,second,winner\n{row}\n")
    with_prompts.write_text(f"first,second,winner,prompt\n{row},Why?\n")
    set_id = _set_id(out(capsys, "import", str(without)))
    _, message = failure(capsys, "import", str(with_prompts), "--into", set_id)
    assert "This is a set of texts and cannot have items; create another set" in message
    assert httpx.get(f"{url}/v1/sets/{set_id}").json()["version"] == 1


def test_an_import_says_that_it_exceeds_the_budget(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = _set_id(out(capsys, "import", "examples/battles.csv"))
    httpx.patch(f"{url}/v1/sets/{first}", json={"budget": {"max_comparisons": 60}}).raise_for_status()
    assert ": 0 candidates, 0 comparisons added, 60 duplicates" in out(
        capsys, "import", "examples/battles.csv", "--into", first
    )
    more = tmp_path / "more.csv"
    more.write_text("first,second,winner\nheron-2,newcomer,first\n")
    assert cli.run(["import", str(more), "--into", first]) == 0
    printed = capsys.readouterr()
    assert ": 1 candidate, 1 comparison added, 0 duplicates, version 61" in printed.out
    assert printed.err == "The set has 61 comparisons, more than its budget of 60.\n"


OUTPUTS = "model,prompt_id,prompt,kind,output\n" + "".join(
    f"{model},p{n},Why {n}?,k{n % 3},{model} knows why it is {n}.\n"
    for model in ("gpt", "llama", "qwen", "phi")
    for n in range(15)
)


async def test_outputs_of_four_systems_for_many_prompts_are_one_set(url: str, tmp_path: Path) -> None:
    file = tmp_path / "outputs.csv"
    file.write_text(OUTPUTS)
    done = await nextpair("import", str(file), server=url)
    summary, address = done.stdout.splitlines()
    assert summary.endswith(": 4 systems, 15 prompts, 60 outputs, 0 missing; tags kind"), done.stderr
    with Client(url) as service:
        made = service.sets.get(address.rpartition("/")[2])
        items, candidates = list(made.items()), {each.key: each.outputs for each in made.candidates()}
    assert [(item.key, item.prompt, item.tags) for item in items[:2]] == [
        ("p0", "Why 0?", {"kind": "k0"}), ("p1", "Why 1?", {"kind": "k1"}),
    ]  # fmt: skip
    assert candidates["qwen"] == {f"p{n}": f"qwen knows why it is {n}." for n in range(15)}

    again = await nextpair("import", str(file), "--into", str(made.id), "--prompt", "prompt_id", server=url)
    assert again.stdout == done.stdout, again.stderr
    refused = await nextpair("rank", str(file))
    assert "these are outputs, not comparisons; send them with nextpair import" in refused.stderr


def test_outputs_come_in_parts_and_nothing_stays_of_a_file_that_is_refused(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "PART", 2000)
    file = tmp_path / "outputs.csv"
    file.write_text(OUTPUTS)
    contents = transfer.read(transfer.Source(str(file), ComparisonColumns()))
    with Client(url) as service:
        made = transfer.create(service, "whole", "Which?", contents)
        assert [candidate.outputs for candidate in made.candidates()] == [each.outputs for each in contents.candidates]
        assert [item.key for item in made.items()] == [item.key for item in contents.items]

        too_long = {**(contents.candidates[0].outputs or {}), "p14": "x" * 1_000_001}
        contents.candidates[0] = contents.candidates[0].model_copy(update={"outputs": too_long})
        with pytest.raises(NextpairError, match="1,000,001 characters"):
            transfer.create(service, "refused", "Which?", contents)
        assert [each.record.name for each in service.sets.list() if each.record.name in ("whole", "refused")] == [
            "whole"
        ]


def test_candidates_are_imported_with_their_texts(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    address = (
        f"{url}/v1/sets/{_set_id(out(capsys, 'import', 'app/demo/answers.jsonl', '--inference-target', 'latent'))}"
    )
    assert httpx.get(address).json()["inference_target"] == "latent"
    page = httpx.get(f"{address}/candidates").json()
    assert len(page["candidates"]) == 24
    assert all(candidate["text"] for candidate in page["candidates"])
