"""Worker processes against a service: what is killed or cut loses no verdict and doubles none."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from uuid import UUID

import httpx
import numpy as np
import pytest
from nextpair import AsyncClient
from nextpair.calls import create_set, describe_judge, get_judge, list_absolute_scores, next_pair, ranking
from nextpair.schemas import CandidateIn, Goal, JudgeIn, SetIn, Stop

from app import cli
from tests.end_to_end.processes import Server, eventually, free_port
from tests.end_to_end.workers import Network, WorkerProcess, assert_each_pair_once, create, length, log_of

CANDIDATES, SETS = 12, 3
PAIRS = SETS * CANDIDATES * (CANDIDATES - 1) // 2
TRIES = 30  # of a worker while its network is cut: its four slots and its count try longer than other clients do

Work = Callable[..., WorkerProcess]


@pytest.fixture
async def client(server: Server) -> AsyncIterator[AsyncClient]:
    """No set is left to workers of the next test."""
    async with AsyncClient(server.url, retries=8) as client:
        yield client
        async for each in client.sets.list():
            await each.delete()


@pytest.fixture
def work(server: Server, tmp_path: Path) -> Iterator[Work]:
    """Starts one more worker."""
    workers: list[WorkerProcess] = []

    def begin(sets: Sequence[UUID], *options: str, url: str = server.url) -> WorkerProcess:
        named = [option for set_id in sets for option in ("--set", str(set_id))]
        workers.append(WorkerProcess(url, tmp_path / f"worker-{len(workers)}.log", *named, *options))
        return workers[-1]

    yield begin
    for worker in workers:
        worker.kill()


async def reach(client: AsyncClient, sets: list[UUID], comparisons: int) -> None:
    async with asyncio.timeout(60.0):
        while await length(client, sets) < comparisons:
            await asyncio.sleep(0.1)


async def test_a_worker_is_through_once_the_best_is_known(client: AsyncClient, work: Work) -> None:
    lengths = (400 + 60 * np.random.default_rng(24).standard_normal(24)).astype(int)
    new = SetIn(
        name="best", question="Which is longer?", goal=Goal(top_k=1), stop=Stop(goal=0.95),
        candidates=[CandidateIn(key=f"c{n:02}", text="x" * int(size)) for n, size in enumerate(lengths)],
    )  # fmt: skip
    set_id = (await client.send(create_set(new))).id
    worker = work([set_id], "--until-done")

    assert await worker.end() == 0, worker.log.read_text()
    known = await client.send(ranking(set_id))
    assert known.stopping is not None
    assert known.stopping.converged
    assert known.ranking[0].key == f"c{int(np.argmax(lengths)):02}"
    assert known.comparisons <= 60


async def test_sets_are_judged_to_the_end(client: AsyncClient, work: Work) -> None:
    sets = [await create(client, CANDIDATES) for _ in range(SETS)]
    worker = work(sets, "--until-done", "--batch", "20", "--cost-per-hour", "3.6")

    assert await worker.end() == 0, worker.log.read_text()

    await assert_each_pair_once(client, sets, CANDIDATES)
    for set_id in sets:
        rows = (await client.send(ranking(set_id))).ranking
        assert [row.key for row in rows] == sorted((row.key for row in rows), reverse=True)
    (entry, *_) = await log_of(client, sets[0])
    assert entry.judge == "lengths"
    assert entry.label_mass == pytest.approx(1.0)
    assert isinstance(entry.raw, dict)
    assert entry.raw["model"] == "lengths"
    assert str(entry.raw["template"]).startswith("comparative@")
    said = worker.log.read_text()
    assert f"judged      {PAIRS}" in said
    assert "per 1,000 verdicts" in said


async def test_a_worker_says_what_kind_of_judge_it_is_and_leaves_what_was_said(client: AsyncClient, work: Work) -> None:
    sets = [await create(client, 2)]
    assert await work(sets, "--until-done", "--judge", "newcomer").end() == 0
    made = await client.send(get_judge("newcomer"))
    assert (made.kind, made.model, made.cost_per_1000) == ("llm", "lengths", None)
    await client.send(describe_judge("newcomer", JudgeIn(cost_per_1000=2.5)))
    assert await work(sets, "--until-done", "--judge", "newcomer").end() == 0
    assert (await client.send(get_judge("newcomer"))).cost_per_1000 == 2.5
    await client.send(describe_judge("newcomer", JudgeIn(kind="human")))
    assert await work(sets, "--until-done", "--judge", "newcomer", "--cost-per-1000", "4").end() == 0
    priced = await client.send(get_judge("newcomer"))
    assert (priced.kind, priced.model, priced.cost_per_1000) == ("human", None, 4.0)


async def test_both_orders_are_stored_as_they_were(client: AsyncClient, work: Work) -> None:
    set_id = await create(client, 5)
    worker = work([set_id], "--until-done", "--orders", "both")

    assert await worker.end() == 0, worker.log.read_text()

    log = await log_of(client, set_id)
    assert len(log) == 20
    p = {(entry.first, entry.second): entry.p_first for entry in log}
    assert len(p) == 20
    assert all(p[a, b] + p[b, a] == pytest.approx(1.0) for a, b in p)


async def test_absolute_scores_of_every_text(client: AsyncClient, work: Work) -> None:
    set_id = await create(client, 0, texts=["x" * (10 * n + 5) for n in range(6)])
    for _ in range(2):  # the second finds nothing left to do
        worker = work([set_id], "--absolute", "1-10")
        assert await worker.end() == 0, worker.log.read_text()

    scores = (await client.send(list_absolute_scores(set_id))).scores
    assert len(scores) == 6
    assert all(score.probabilities is not None and len(score.probabilities) == 10 for score in scores)
    means = {score.candidate: score.mean for score in scores}
    assert sorted(means, key=means.__getitem__) == [f"c{n:02}" for n in range(6)]
    assert [row.key for row in (await client.send(ranking(set_id))).ranking] == [f"c{n:02}" for n in range(5, -1, -1)]


async def test_a_pair_that_cannot_be_judged_is_a_failure_of_its_own(client: AsyncClient, work: Work) -> None:
    set_id = await create(client, 0, texts=["short", "longer text", "REFUSE", "the longest of all"])
    worker = work([set_id], "--until-done")

    assert await worker.end() == 0, worker.log.read_text()

    assert all("c02" not in (entry.first, entry.second) for entry in await log_of(client, set_id))
    assert len(await log_of(client, set_id)) == 3
    assert "failures    3 refused" in worker.log.read_text()


async def test_who_is_stopped_gives_back_what_waits(client: AsyncClient, work: Work) -> None:
    sets = [await create(client, CANDIDATES) for _ in range(SETS)]
    worker = work(sets, "--rate", "20", "--batch", "10")
    await reach(client, sets, 10)

    assert await worker.stop(signal.SIGTERM) == 0, worker.log.read_text()

    before = await length(client, sets)
    assert before % 10 == 0  # whole batches
    left = [await client.send(next_pair(set_id, judge="other", count=66)) for set_id in sets]
    assert before + sum(len(each.assignments) for each in left) == PAIRS
    assert "stopped" in worker.log.read_text()


async def test_a_worker_killed_in_mid_batch(client: AsyncClient, work: Work) -> None:
    """Beside another one; its successor of the same name takes its pairs over at once."""
    sets = [await create(client, CANDIDATES) for _ in range(SETS)]
    other = work(sets, "--until-done", "--rate", "30", "--batch", "10", "--worker", "b")
    for fraction in (0.2, 0.4):
        killed = work(sets, "--rate", "30", "--batch", "10", "--worker", "a")
        await reach(client, sets, int(fraction * PAIRS))
        assert await killed.stop(signal.SIGKILL) != 0
    last = work(sets, "--until-done", "--batch", "10", "--worker", "a")

    assert await last.end() == 0, last.log.read_text()
    assert await other.end() == 0, other.log.read_text()
    await assert_each_pair_once(client, sets, CANDIDATES)


async def test_a_service_killed_under_load(server: Server, client: AsyncClient, work: Work) -> None:
    sets = [await create(client, CANDIDATES) for _ in range(SETS)]
    workers = [work(sets, "--until-done", "--rate", "40", "--batch", "10", "--worker", name) for name in "ab"]
    for fraction in (0.2, 0.5):
        await reach(client, sets, int(fraction * PAIRS))
        await server.stop(signal.SIGKILL)
        await server.start()

    for worker in workers:
        assert await worker.end() == 0, worker.log.read_text()
    await assert_each_pair_once(client, sets, CANDIDATES)


async def test_a_network_cut_under_load(server: Server, client: AsyncClient, work: Work) -> None:
    network = Network(server.port)
    await network.mend()
    sets = [await create(client, CANDIDATES) for _ in range(SETS)]
    workers = [
        work(sets, "--until-done", "--rate", "30", "--batch", "10", "--worker", name, url=network.url) for name in "ab"
    ]
    await reach(client, sets, PAIRS // 4)

    await network.cut()
    before = await length(client, sets)
    assert await eventually(lambda: all(tries(worker) >= TRIES for worker in workers), 60.0)
    assert await length(client, sets) - before <= 20  # what was on its way
    await network.mend()

    for worker in workers:
        assert await worker.end() == 0, worker.log.read_text()
    await network.cut()
    await assert_each_pair_once(client, sets, CANDIDATES)


def tries(worker: WorkerProcess) -> int:
    return worker.log.read_text().count("waiting for the service")


async def test_metrics_while_it_works(client: AsyncClient, work: Work) -> None:
    set_id = await create(client, CANDIDATES)
    port = free_port()
    work([set_id], "--rate", "50", "--batch", "10", "--metrics-port", str(port))
    await reach(client, [set_id], 20)

    def sent() -> bool:
        said = httpx.get(f"http://127.0.0.1:{port}/metrics").text
        return "nextpair_worker_judgements_total" in said and "nextpair_worker_label_mass 0.99" in said

    assert await eventually(sent)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--set", str(UUID(int=1)), "--template", "nothing"], "There is no template 'nothing'"),
        (["--engine", "vllm"], "vLLM cannot be imported"),
        (["--absolute", "ten"], "write a scale such as 1-10"),
        ([], "the engine scripted invents verdicts, so it judges only sets that you name with --set ID"),
        (["--project", "mine"], "with --set ID"),
    ],
)
def test_what_cannot_work_ends_with_one_line(capsys: pytest.CaptureFixture[str], options: list[str], says: str) -> None:
    scripted = ["worker", "--server", "http://127.0.0.1:9", "--model", "lengths", "--engine", "scripted"]
    assert cli.run([*scripted, *options]) in (1, 2)
    *_, last = capsys.readouterr().err.splitlines()
    assert last.startswith("nextpair: ")
    assert says in last


async def test_a_worker_without_a_service_ends_with_one_line(tmp_path: Path) -> None:
    worker = WorkerProcess("http://127.0.0.1:9", tmp_path / "worker.log", "--set", str(UUID(int=1)))
    assert await worker.end() in (1, 2)
    *_, last = worker.log.read_text().splitlines()
    assert last.startswith("nextpair: ")
    assert "Check that the server runs" in last
