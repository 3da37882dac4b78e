"""The Python client against a server of its own: `Client.local`, `rank`, and the methods, sync and async."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import nextpair
import pytest

from tests.end_to_end.processes import eventually, postgres_processes

OUTPUTS = {"kelp": "The longest of all.", "fern": "Shorter.", "moss": "In between.", "ivy": "<b>."}


def longer(first: str, second: str) -> float:
    return 0.95 if len(first) > len(second) else 0.05


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[nextpair.Client]:
    with nextpair.Client.local(tmp_path_factory.mktemp("local")) as client:
        yield client


# A server of one's own


def test_a_local_server_is_gone_afterwards_and_its_data_only_where_nobody_named_a_folder(tmp_path: Path) -> None:
    with nextpair.Client.local(tmp_path / "new" / "folder") as client:
        url = client.url
        client.sets.create(name="Sky", question="Which?")
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{url}/readyz")
    assert postgres_processes(tmp_path / "new" / "folder") == []

    with nextpair.Client.local(tmp_path / "new" / "folder") as client:
        assert [each.record.name for each in client.sets.list()] == ["Sky"]


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

    with pytest.raises(nextpair.NoServer, match=r"pip install 'nextpair-server"), nextpair.Client.local():
        pass


def test_a_server_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "nextpair"
    program.write_text("#!/bin/sh\necho 'The disk is full.' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr("nextpair.local._program", lambda: str(program))

    with pytest.raises(nextpair.NoServer, match="The disk is full"), nextpair.Client.local(tmp_path / "data"):
        pass


async def test_a_local_server_ends_with_whoever_started_it_however_that_ends(tmp_path: Path) -> None:
    wait = "print(client.url); time.sleep(600)"
    code = f"import nextpair, time\nwith nextpair.Client.local({str(tmp_path)!r}) as client: {wait}"
    with subprocess.Popen([sys.executable, "-uc", code], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        url = owner.stdout.readline().strip()
        assert httpx.get(f"{url}/readyz").is_success
        owner.kill()

    assert await eventually(lambda: not postgres_processes(tmp_path))


# Methods


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
    assert sky.trust().checks
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
    head, first, *_, comparisons = str(ranking).splitlines()
    assert head.split() == ["rank", "key", "score", "ranks", "best", "output"]
    assert first.startswith("1     kelp  ")
    assert first.endswith("The longest of all.")
    assert comparisons.startswith("6 comparisons, about ")
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


def test_ranking_ends_when_it_is_told_to(client: nextpair.Client) -> None:
    assert nextpair.rank(OUTPUTS, judge=longer, until=3, client=client).ranking.comparisons == 3

    rule = nextpair.Stop(concordance=0.9)
    ranking = nextpair.rank(range(12), judge=lambda a, b: float(a > b), until=rule, client=client).ranking
    assert ranking.stopping is not None
    assert ranking.stopping.reason == "concordance"
    assert 12 < ranking.comparisons < 66

    tossed = nextpair.rank(OUTPUTS, judge=lambda a, b: "tie", until=nextpair.Stop(top_k=1), client=client)
    assert str(tossed).endswith("and the rule to stop is not met")


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


@pytest.mark.parametrize("answer", [1.5, "frist", None])
def test_an_answer_that_is_no_verdict_is_a_failure_of_the_judge(client: nextpair.Client, answer: Any) -> None:
    with pytest.raises(nextpair.JudgeFailed, match="a judge returns a probability, or one of first, second, tie"):
        nextpair.rank(OUTPUTS, judge=lambda first, second: answer, client=client)


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
