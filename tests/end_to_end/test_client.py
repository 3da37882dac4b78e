"""The Python client against a server of its own: `Client.local`, `rank`, and the methods, sync and async."""

import asyncio
import io
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import nextpair
import pytest

from tests.end_to_end.processes import Server, eventually, postgres_processes

OUTPUTS = {"kelp": "The longest of all.", "fern": "Shorter.", "moss": "In between.", "ivy": "<b>."}


def longer(first: str, second: str) -> float:
    return 0.95 if len(first) > len(second) else 0.05


@pytest.fixture
def client(server: Server) -> Iterator[nextpair.Client]:
    with nextpair.Client(server.url) as client:
        yield client


# A server of one's own


async def test_a_local_server_ends_with_whoever_started_it_and_its_data_stays_in_a_folder_with_a_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """However that ends: the first server's client is closed, the second's is killed."""
    folder = tmp_path / "new" / "folder"
    with nextpair.Client.local(folder) as client:
        starting = "Starting a private nextpair server; the first start compiles for up to a minute.\n"
        assert capsys.readouterr() == ("", starting)
        url = client.url
        client.sets.create(name="Sky", question="Which?")
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{url}/readyz")
    assert postgres_processes(folder) == []

    wait = "print(client.url, *[each.record.name for each in client.sets.list()]); time.sleep(600)"
    code = f"import nextpair, time\nwith nextpair.Client.local({str(folder)!r}) as client: {wait}"
    with subprocess.Popen([sys.executable, "-uc", code], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        url, *names = owner.stdout.readline().split()
        assert names == ["Sky"]
        assert httpx.get(f"{url}/readyz").is_success
        owner.kill()
    assert await eventually(lambda: not postgres_processes(folder))


async def test_a_local_server_for_asyncio_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NEXTPAIR_API_KEY", "of another service, not of this one")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    async with nextpair.AsyncClient.local() as client:
        sky = await client.sets.create(name="Sky", question="Which?")
        await sky.add_candidates(OUTPUTS)
        while pair := await sky.next_pair(judge="ada"):
            await pair.tell(p_first=longer(pair.first.text or "", pair.second.text or ""))

        assert (await sky.next_pairs(judge="ada")).status == "exhausted"
        assert [row.key for row in (await sky.ranking()).ranking] == ["kelp", "moss", "fern", "ivy"]
        assert [comparison.seq async for comparison in sky.comparisons(after=2)] == [3, 4, 5, 6]
        async with aclosing(sky.events(after=5)) as events:  # type: ignore[type-var]
            assert (await anext(events)).id == "6"
        assert len([chunk async for chunk in sky.export("jsonl")]) > 0
    assert list(tmp_path.iterdir()) == []


def test_without_a_server_there_is_a_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))

    with pytest.raises(nextpair.NoServer, match=r"pip install \./client '\.\[all\]'"), nextpair.Client.local():
        pass


def test_a_server_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "nextpair"
    program.write_text("#!/bin/sh\necho 'The disk is full.' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr("nextpair.local._program", lambda: str(program))

    with pytest.raises(nextpair.NoServer, match="The disk is full"), nextpair.Client.local(tmp_path / "data"):
        pass


# Methods


def test_one_call_makes_a_set_of_a_table(client: nextpair.Client, tmp_path: Path) -> None:
    table = [
        {"model": model, "prompt": f"What is {n} + {n}?", "kind": "odd" if n % 2 else "even", "output": model + str(n)}
        for n in range(15)
        for model in ("gpt", "llama", "qwen", "phi")
    ]
    path = tmp_path / "outputs.csv"
    path.write_text("".join(",".join(row) + "\n" for row in (table[0], *(row.values() for row in table))))
    for data in (path, path.read_bytes(), table):
        sums = client.sets.create_from(data, file="outputs.csv", name="Sums", question="Which?", project="tables")
        assert (sums.record.candidates, sums.record.items, sums.record.project) == (4, 15, "tables")
        assert {item.prompt: item.tags for item in sums.items()} == {
            row["prompt"]: {"kind": row["kind"]} for row in table
        }
        phi = next(each for each in sums.candidates() if each.key == "phi")
        assert phi.outputs == {row["prompt"]: row["output"] for row in table if row["model"] == "phi"}

    with pytest.raises(nextpair.BadTable, match=r"line 61, column 'prompt'.*empty"):
        client.sets.create_from(
            [*table, {"model": "gpt", "output": "7"}], name="Sums", question="Which?", project="tables"
        )
    assert len(list(client.sets.list(project="tables"))) == 3


def test_a_set_from_beginning_to_end(client: nextpair.Client) -> None:
    sky = client.sets.create(name="Sky", question="Which?", project="methods", metadata={"n": 1})
    assert sky.add_candidates(OUTPUTS).created == 4
    assert [candidate.key for candidate in sky.candidates()] == list(OUTPUTS)

    pair = sky.next_pair(judge="ada", lease_seconds=60.0)
    assert pair is not None
    assert pair.renew(lease_seconds=600.0).expires_at > pair.assignment.expires_at
    pair.release()
    while pair := sky.next_pair(judge="ada"):
        pair.tell(winner="first" if longer(pair.first.text or "", pair.second.text or "") > 0.5 else "second")
    again = nextpair.ComparisonIn(first="kelp", second="ivy", judge="bob", winner="first")
    assert sky.add_comparisons([again]).version == 7
    sky.void(7, reason="made up")

    assert sky.ranking(method="bradley-terry").ranking[0].key == "kelp"
    assert [comparison.judge for comparison in sky.comparisons(after=5)] == ["ada", "bob"]
    assert sky.predict(first="kelp", second="ivy").p_first_better > 0.5
    assert {card.judge for card in sky.judges().judges} >= {"ada"}
    assert sky.checks().checks
    assert sky.ranking_picture().startswith(b"<?xml")
    assert b"".join(sky.export("csv")).count(b"\n") == 8
    assert next(sky.events(after=5)).event == "comparison"

    assert sky.update(status="paused").status == "paused"
    assert (sky.read().status, sky.record.status) == ("paused", "open")
    assert [each.id for each in client.sets.list(project="methods", status="paused")] == [sky.id]
    sky.delete()
    with pytest.raises(nextpair.ApiError) as raised:
        client.sets.get(sky.id)
    assert raised.value.status == 410
    assert raised.value.problem is not None
    assert raised.value.problem.type == "urn:nextpair:problem:set-deleted"


def test_many_pairs_at_once(client: nextpair.Client) -> None:
    sky = client.sets.create(name="Many", question="Which?", project="many")
    sky.add_candidates(OUTPUTS)
    status, _, pairs = client.assignments.next_pairs(judge="ada", count=4, project="many")
    assert (status, len(pairs)) == ("open", 4)
    assert client.assignments.release([pairs[0].id]).released == 1
    assert len(client.assignments.renew([pair.id for pair in pairs]).held) == 3
    verdicts = [nextpair.VerdictOf(assignment_id=pair.id, winner="tie") for pair in pairs[1:]]
    assert [result.status for result in client.assignments.tell(verdicts).results] == [201] * 3


def test_judges_are_described(client: nextpair.Client) -> None:
    assert client.judges.describe("gpt", kind="llm", cost_per_1000=2.0).cost_per_1000 == 2.0
    assert client.judges.get("gpt").kind == "llm"
    assert "gpt" in [judge.name for judge in client.judges.list(kind="llm")]


# rank


def test_outputs_are_ranked(client: nextpair.Client, capsys: pytest.CaptureFixture[str]) -> None:
    ranking = nextpair.rank(OUTPUTS, judge=longer, question="Which is longer?", client=client)

    assert [row.key for row in ranking] == ["kelp", "moss", "fern", "ivy"]
    assert (len(ranking), ranking.best) == (4, OUTPUTS["kelp"])
    head, first, *_, comparisons, target, first_place, repeats, next_step = str(ranking).splitlines()
    assert head.split() == ["rank", "key", "score", "ranks", "wins", "output"]
    assert first.startswith("1     kelp  ")
    assert first.endswith("The longest of all.")
    assert target == "By all 6 pairs, as function judged them."
    assert first.split()[5:7] == ["1–4", "75%"]
    assert first_place.startswith("No signal yet (e-value")
    assert first_place.endswith("kelp leads so far.")
    assert repeats.startswith("Nobody asked function the same question twice")
    assert next_step == "Every pair is judged: add another judge, or candidates."
    assert comparisons == "6 comparisons."
    assert "<td>&lt;b&gt;.</td>" in ranking._repr_html_()
    assert capsys.readouterr().err == ""
    assert client.sets.get(ranking.ranking.set_id).record.question == "Which is longer?"


def test_the_ranking_draws_itself(client: nextpair.Client, tmp_path: Path) -> None:
    picture = nextpair.rank(OUTPUTS, judge=longer, client=client).plot()

    assert "kelp" in picture._repr_svg_()
    picture.save(tmp_path / "ranking.svg")
    assert (tmp_path / "ranking.svg").read_text(encoding="utf-8") == picture.svg


def test_the_ranking_becomes_a_data_frame(client: nextpair.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    ranking = nextpair.rank(OUTPUTS, judge=longer, client=client)

    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        ranking.to_frame()
    pandas = ModuleType("pandas")
    pandas.DataFrame = list  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    first, *_ = ranking.to_frame()
    assert (first["rank"], first["key"], first["output"]) == (1, "kelp", OUTPUTS["kelp"])
    assert [row["key"] for row in nextpair.rank(["a", "ccc", "bb"], judge=longer, client=client).to_frame()] == [
        1,
        2,
        0,
    ]


class Column:
    """As a data frame has it: items, not keys."""

    def items(self) -> Iterator[tuple[int, Any]]:
        yield from {7: "short", 9: "longest of all", 8: ""}.items()


def test_outputs_may_be_a_list_a_column_or_no_texts_at_all(client: nextpair.Client) -> None:
    def larger(first: float, second: float) -> bool:
        return first > second

    assert nextpair.rank((n for n in (3, 1, 2)), judge=larger, client=client).best == 3
    assert [row.key for row in nextpair.rank(Column(), judge=longer, client=client)] == ["9", "7", "8"]
    with pytest.raises(TypeError, match="not one text"):
        nextpair.rank("kelp", judge=longer)
    with pytest.raises(ValueError, match="two outputs at least"):
        nextpair.rank(["kelp"], judge=longer)
    with pytest.raises(ValueError, match="one at least"):
        nextpair.rank(OUTPUTS, judge=longer, until=0)
    with pytest.raises(ValueError, match="the same key"):
        nextpair.rank({1: "kelp", "1": "fern"}, judge=longer)


class Frame(dict[str, Column]):
    """A data frame as far as it matters here: named columns, which `items` gives as if they were the outputs."""

    columns = ("question", "answer")

    def __init__(self) -> None:
        super().__init__(question=Column(), answer=Column())


def test_the_columns_of_a_data_frame_are_no_outputs(client: nextpair.Client) -> None:
    with pytest.raises(TypeError, match=r"pass frame\['answer'\], or frame.set_index\('id'\)\['answer'\]"):
        nextpair.rank(Frame(), judge=longer, client=client)
    assert len(nextpair.rank(Frame()["answer"], judge=longer, client=client)) == 3


@pytest.mark.parametrize("is_async", [False, True])
def test_judges_are_called_several_at_once(client: nextpair.Client, is_async: bool) -> None:
    """None of three calls returns before all three are under way."""
    asked: list[tuple[int, int]] = []
    meeting, async_meeting = threading.Barrier(3), asyncio.Barrier(3)

    def judge(first: int, second: int) -> float:
        asked.append((first, second))
        meeting.wait(60.0)
        return float(first > second)

    async def async_judge(first: int, second: int) -> float:
        asked.append((first, second))
        async with asyncio.timeout(60.0):
            await async_meeting.wait()
        return float(first > second)

    chosen: Any = async_judge if is_async else judge
    ranking = nextpair.rank(range(9), judge=chosen, until=12, concurrency=3, client=client)

    assert ranking.ranking.comparisons == len(asked) == 12
    assert len({frozenset(pair) for pair in asked}) == 12


async def test_an_async_judge_is_awaited_where_a_loop_runs_already(client: nextpair.Client) -> None:
    """As in a notebook."""

    async def judge(first: str, second: str) -> float:
        await asyncio.sleep(0)
        return longer(first, second)

    assert nextpair.rank(OUTPUTS, judge=judge, client=client).best == OUTPUTS["kelp"]


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_run_that_broke_is_continued(client: nextpair.Client, concurrency: int) -> None:
    paid: list[frozenset[int]] = []
    name = f"Continued by {concurrency}"

    def failing(first: int, second: int) -> float:
        if len(paid) >= 7:
            raise ConnectionError("no credit")
        paid.append(frozenset((first, second)))
        return float(first > second)

    def judge(first: int, second: int) -> float:
        paid.append(frozenset((first, second)))
        return float(first > second)

    with pytest.raises(nextpair.JudgeFailed, match="no credit") as raised:
        nextpair.rank(range(6), judge=failing, client=client, name=name, concurrency=concurrency)
    assert raised.value.ranking.ranking.comparisons == len(paid)
    assert len(paid) < 15

    ranking = nextpair.rank(range(6), judge=judge, client=client, name=name, concurrency=concurrency)
    assert ranking.ranking.set_id == raised.value.ranking.ranking.set_id
    assert [row.key for row in ranking] == ["5", "4", "3", "2", "1", "0"]
    assert ranking.ranking.comparisons == len(paid) == len(set(paid)) == 15, "each pair was paid for once"


def test_a_run_goes_on_to_the_number_that_is_asked_for_now(client: nextpair.Client) -> None:
    for until in (3, 5):
        ranking = nextpair.rank(OUTPUTS, judge=longer, until=until, client=client, name="More")
        assert ranking.ranking.comparisons == until
    rule = nextpair.Stop(concordance=0.9999)
    assert nextpair.rank(OUTPUTS, judge=longer, until=rule, client=client, name="More").ranking.comparisons > 5


def test_pairs_of_a_run_that_was_killed_are_judged_by_the_next(client: nextpair.Client) -> None:
    nextpair.rank(OUTPUTS, judge=longer, until=1, client=client, name="Killed")
    (sky,) = [each for each in client.sets.list() if each.record.name == "Killed"]
    sky.update(budget=None)
    assert sky.next_pairs(judge="function", worker="1").pairs
    assert nextpair.rank(OUTPUTS, judge=longer, client=client, name="Killed").ranking.comparisons == 6


def test_what_cannot_be_continued_says_why(client: nextpair.Client) -> None:
    nextpair.rank(OUTPUTS, judge=longer, until=1, client=client, name="Mine")
    with pytest.raises(ValueError, match="has other outputs"):
        nextpair.rank({**OUTPUTS, "kelp": "Other."}, judge=longer, client=client, name="Mine")
    with pytest.raises(ValueError, match=r"asks 'Which is better\?'"):
        nextpair.rank(OUTPUTS, judge=longer, question="Which is longer?", client=client, name="Mine")
    client.sets.create(name="Mine", question="Which?")
    with pytest.raises(ValueError, match="2 sets are called 'Mine'"):
        nextpair.rank(OUTPUTS, judge=longer, client=client, name="Mine")
    with pytest.raises(ValueError, match="give client too"):
        nextpair.rank(OUTPUTS, judge=longer, name="Mine")
    with pytest.raises(ValueError, match="1 at least"):
        nextpair.rank(OUTPUTS, judge=longer, concurrency=0, client=client)


def test_ranking_ends_when_it_is_stopped(client: nextpair.Client) -> None:
    assert nextpair.rank(OUTPUTS, judge=longer, until=3, client=client).ranking.comparisons == 3

    rule = nextpair.Stop(concordance=0.9)
    ranking = nextpair.rank(range(12), judge=lambda a, b: float(a > b), until=rule, client=client).ranking
    assert ranking.stopping is not None
    assert ranking.stopping.reason == "concordance"
    assert 12 < ranking.comparisons < 66

    tied = nextpair.rank(OUTPUTS, judge=lambda a, b: "tie", until=nextpair.Stop(top_k=1), client=client).ranking
    assert tied.stopping is not None
    assert not tied.stopping.converged  # who only ties agrees with itself by chance too
    assert {(row.rank, row.rank_interval) for row in tied.ranking} == {(1, (1, 4))}  # ties show no signal


def test_a_judge_that_fails_loses_nothing(client: nextpair.Client) -> None:
    verdicts = iter([1.0, 0.5])

    def judge(first: str, second: str) -> float:
        return next(verdicts)

    with pytest.raises(nextpair.JudgeFailed, match="The judge failed on '") as raised:
        nextpair.rank(OUTPUTS, judge=judge, client=client)

    assert isinstance(raised.value.__cause__, StopIteration)
    assert raised.value.ranking.ranking.comparisons == 2
    sky = client.sets.get(raised.value.ranking.ranking.set_id)
    assert sky.next_pair(judge="someone else") is not None
    assert len(sky.next_pairs(judge="another", count=10).pairs) == 3  # 6 pairs, 2 judged, 1 with someone else


@pytest.mark.parametrize("answer", [1.5, "frist"])
def test_an_answer_that_is_no_verdict_is_a_failure_of_the_judge(client: nextpair.Client, answer: Any) -> None:
    with pytest.raises(nextpair.JudgeFailed, match="a judge returns a probability, one of first, second, tie"):
        nextpair.rank(OUTPUTS, judge=lambda first, second: answer, client=client)


@pytest.mark.parametrize("is_async", [False, True])
def test_a_judge_that_returns_none_skips_the_pair(client: nextpair.Client, is_async: bool) -> None:
    asked: list[frozenset[str]] = []

    def judge(first: str, second: str) -> float | None:
        asked.append(frozenset((first, second)))
        return None if OUTPUTS["kelp"] in asked[-1] else longer(first, second)

    async def async_judge(first: str, second: str) -> float | None:
        return judge(first, second)

    ranking = nextpair.rank(OUTPUTS, judge=async_judge if is_async else judge, client=client)

    assert len(asked) == len({*asked}) == 6
    assert ranking.ranking.comparisons == 3
    (function,) = client.sets.get(ranking.ranking.set_id).diagnostics().judges.values()
    assert function.failures == {"skipped": 3}


def test_ctrl_c_releases_the_pair(client: nextpair.Client) -> None:
    def judge(first: str, second: str) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nextpair.rank(OUTPUTS, judge=judge, question="Interrupted?", client=client)
    (sky,) = [each for each in client.sets.list() if each.record.question == "Interrupted?"]
    assert len(sky.next_pairs(judge="ada", count=10).pairs) == 6


def test_a_terminal_sees_how_far_it_is(
    client: nextpair.Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    nextpair.rank(OUTPUTS, judge=longer, until=2, client=client)

    assert capsys.readouterr().err == "\r1 of 2 comparisons\r2 of 2 comparisons\n"


@pytest.mark.parametrize(("module", "shown"), [("ipykernel.iostream", "\r1 of 1 comparisons\n"), ("io", "")])
def test_a_notebook_sees_it_too_and_a_file_does_not(
    client: nextpair.Client, monkeypatch: pytest.MonkeyPatch, module: str, shown: str
) -> None:
    stderr = type("OutStream", (io.StringIO,), {"__module__": module})()
    monkeypatch.setattr(sys, "stderr", stderr)
    nextpair.rank(OUTPUTS, judge=longer, until=1, client=client)

    assert stderr.getvalue() == shown
