"""The demo ends by its set's own rule, with a leader to believe, and says what random pairs would have needed."""

import re
from collections.abc import Iterator
from threading import Thread
from types import SimpleNamespace
from typing import cast

import httpx
import numpy as np
import pytest
import uvicorn
from nextpair import Client
from nextpair.calls import list_sets, next_pair, ranking

from app.api.contract import EXAMPLES
from app.demo import FOLDER, MODELS, PROJECT, RANDOM_PAIRS, demo_set, play
from app.inference.choosing.criteria import Criterion
from app.main import make_server
from app.settings import Settings
from examples.demo_cost import cost
from tests.end_to_end.processes import free_port


@pytest.fixture
def server(database_url: str) -> Iterator[uvicorn.Server]:
    server = make_server(Settings(database_url=database_url), "127.0.0.1", free_port())
    thread = Thread(target=server.run)
    thread.start()
    yield server
    server.should_exit = True
    thread.join()


@pytest.fixture
def service(server: uvicorn.Server) -> Client:
    return Client(f"http://127.0.0.1:{server.config.port}")


def test_demo_ends_with_a_leader_and_tells_what_random_pairs_would_have_needed(
    server: uvicorn.Server, service: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.demo.MODELS_BUDGET", 60)  # a quarter of it shows as much
    told: list[str] = []
    play(server, service, 0.0, told.append)

    with Client(f"http://127.0.0.1:{server.config.port}") as reader:
        demo, models = reader.send(list_sets(project=PROJECT)).sets
        of_models = reader.send(ranking(models.id))
        leader, *_ = reader.send(ranking(demo.id)).ranking
        asked = reader.send(next_pair(demo.id, judge="anyone"))
    assert (leader.key, asked.status) == ("kelp", "converged")
    assert leader.p_best is not None
    assert leader.p_best >= 0.9
    assert demo.comparisons < 0.75 * RANDOM_PAIRS
    counted = f"converged after {demo.comparisons} comparisons; random pairs need about {RANDOM_PAIRS}"
    assert told[-3].startswith(f"{counted}. By all 276 pairs, as recorded judge would judge them. ")
    assert "The verdicts depend on the candidates" in told[-3]
    assert "he stop rule is met: first place is known with 95% confidence." in told[-3]
    assert [row.key for row in of_models.ranking[2:]] == ["wren", "plover"]
    assert of_models.inference_target.name == "new-items"
    assert told[-1].startswith("budget_reached after 60 comparisons. ")


def test_random_pairs_need_what_is_recorded() -> None:
    recorded = re.search(r"at random ([0-9, \n]+)\.", (FOLDER / "README.md").read_text())
    assert recorded
    counts = [int(count) for count in recorded[1].split(",")]
    assert abs(np.mean(counts) - RANDOM_PAIRS) < 10
    assert cost(Criterion.RANDOM, 0) == counts[0]


def test_judge_waits_until_the_service_is_ready_and_tries_again() -> None:
    paths: list[str] = []
    both = [EXAMPLES["list_sets"]["response"]["sets"][0] | {"name": name} for name in (demo_set().name, MODELS)]
    none = {"status": "exhausted", "assignments": []}
    answers: dict[str, list[httpx.Response | httpx.TransportError]] = {
        "/v1/sets": [httpx.Response(200, json={"sets": both, "next_after": None})],
        "/readyz": [httpx.Response(503, json={}), httpx.Response(200, json=EXAMPLES["ready"]["response"])],
        "/next-pair": [httpx.ReadTimeout("slow"), *[httpx.Response(200, json=none) for _ in both]],
        "/ranking": [httpx.Response(200, json=EXAMPLES["ranking"]["response"]) for _ in both],
    }

    def handle(request: httpx.Request) -> httpx.Response:
        paths.append(next(path for path in answers if request.url.path.endswith(path)))
        answer = answers[paths[-1]].pop(0)
        if isinstance(answer, httpx.TransportError):
            raise answer
        return answer

    running = cast(uvicorn.Server, SimpleNamespace(started=True, should_exit=False))
    told: list[str] = []
    play(running, Client("http://demo", transport=httpx.MockTransport(handle), sleep=lambda _: None), 0.0, told.append)

    assert paths == ["/v1/sets", "/readyz", "/readyz", "/next-pair", "/next-pair", "/ranking", "/next-pair", "/ranking"]
    played = ["ready", f"exhausted after {EXAMPLES['ranking']['response']['comparisons']} comparisons"]
    assert [re.split(r"[:.]", line)[0] for line in told] == ["preparing", *played, *played]
