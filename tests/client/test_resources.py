"""Objects with methods: each sends what its call describes, and sync and async are alike."""

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any
from uuid import UUID

import httpx
import pytest
from nextpair import AsyncClient, AsyncPairToJudge, AsyncSet, Client, PairToJudge, Set, calls
from nextpair.resources.judges import JudgeCollection
from nextpair.resources.pairs import AssignmentCollection
from nextpair.resources.sets import AsyncSetCollection, SetCollection
from nextpair.schemas import AbsoluteScoreIn, Assignment, CandidateIn, ComparisonIn, SetIn, SetOut, SetPatch, VerdictOf

from app.api.contract import EXAMPLES

RECORD = SetOut.model_validate(EXAMPLES["create_set"]["response"])
ASSIGNMENT = Assignment.model_validate(EXAMPLES["next_pair"]["response"]["assignments"][0])
PAIR, OTHER = ASSIGNMENT.id, str(UUID(int=7))
OF_SET, OF_PAIR = f"/v1/sets/{RECORD.id}", f"/v1/assignments/{PAIR}"


class Server:
    """Answers with one after the other, and keeps the requests."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.requests = iter(answers), list[httpx.Request]()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = next(self.answers)
        return httpx.Response(200, content=answer) if isinstance(answer, bytes) else httpx.Response(200, json=answer)


def sync_use(server: Server, use: Callable[[Any], Any]) -> Any:
    with Client("http://service", transport=httpx.MockTransport(server), retries=0) as client:
        answer = use(client)
        return list(answer) if isinstance(answer, Iterator) else answer


def async_use(server: Server, use: Callable[[Any], Any]) -> Any:
    async def main() -> Any:
        async with AsyncClient("http://service", transport=httpx.MockTransport(server), retries=0) as client:
            answer = use(client)
            return [entry async for entry in answer] if isinstance(answer, AsyncIterator) else await answer

    return asyncio.run(main())


Use = Callable[[Server, Callable[[Any], Any]], Any]
both = pytest.mark.parametrize("use", [sync_use, async_use], ids=["sync", "async"])


def sky(client: Any) -> Any:
    return Set(client, RECORD) if isinstance(client, Client) else AsyncSet(client, RECORD)


def pair(client: Any) -> Any:
    return PairToJudge(client, ASSIGNMENT) if isinstance(client, Client) else AsyncPairToJudge(client, ASSIGNMENT)


ONE = ComparisonIn(first="kelp", second="fern", judge="ada", winner="tie")
SCORE = AbsoluteScoreIn(candidate="kelp", judge="ada", mean=7.0, variance=0.5)
METHODS: list[tuple[Callable[[Any], Any], str, str, Any, Any]] = [
    (
        lambda c: c.sets.create(name="Sky", question="Which?"),
        "POST", "/v1/sets", {"name": "Sky", "question": "Which?"}, "create_set",
    ),
    (lambda c: c.sets.get(RECORD.id), "GET", OF_SET, None, "create_set"),
    (lambda c: sky(c).read(), "GET", OF_SET, None, "create_set"),
    (lambda c: sky(c).update(budget=None), "PATCH", OF_SET, {"budget": None}, "create_set"),
    (lambda c: sky(c).delete(), "DELETE", OF_SET, None, b""),
    (
        lambda c: sky(c).add_candidates({"kelp": "Green."}),
        "POST", f"{OF_SET}/candidates", {"candidates": [{"key": "kelp", "text": "Green."}], "items": []},
        "add_candidates",
    ),
    (
        lambda c: sky(c).add_candidates(iter([CandidateIn(key="kelp")])),
        "POST", f"{OF_SET}/candidates", {"candidates": [{"key": "kelp"}], "items": []}, "add_candidates",
    ),
    (
        lambda c: sky(c).next_pairs(judge="ada", count=3, wait_seconds=2.0),
        "POST", f"{OF_SET}/next-pair", {"judge": "ada", "count": 3, "lease_seconds": 600.0, "wait_seconds": 2.0},
        "next_pair",
    ),
    (
        lambda c: sky(c).next_pair(judge="ada", worker="one"),
        "POST", f"{OF_SET}/next-pair",
        {"judge": "ada", "count": 1, "lease_seconds": 600.0, "wait_seconds": 0.0, "worker": "one"}, "next_pair",
    ),
    (lambda c: sky(c).preview_pairs(count=2), "GET", f"{OF_SET}/next-pair?count=2", None, "preview_pairs"),
    (
        lambda c: sky(c).add_comparisons([ONE]),
        "POST", f"{OF_SET}/comparisons",
        {"comparisons": [{"first": "kelp", "second": "fern", "judge": "ada", "winner": "tie"}]}, "add_comparisons",
    ),
    (lambda c: sky(c).void(4, reason="slip"), "POST", f"{OF_SET}/comparisons/4/void", {"reason": "slip"}, "void"),
    (
        lambda c: sky(c).add_absolute_scores([SCORE]),
        "POST", f"{OF_SET}/absolute-scores",
        {"scores": [{"candidate": "kelp", "judge": "ada", "mean": 7.0, "variance": 0.5}]}, "add_absolute_scores",
    ),
    (
        lambda c: sky(c).add_pooled_evidence(pool="elsewhere", log_scale={"mean": 1.0, "sd": 0.5}),
        "POST", f"{OF_SET}/pooled-evidence", {"pool": "elsewhere", "log_scale": {"mean": 1.0, "sd": 0.5}},
        "add_pooled_evidence",
    ),
    (lambda c: sky(c).ranking(top_k=2), "GET", f"{OF_SET}/ranking?top_k=2", None, "ranking"),
    (lambda c: sky(c).ranking_picture(form="png"), "GET", f"{OF_SET}/ranking?format=png", None, b"PNG"),
    (
        lambda c: sky(c).ranking_picture(form="pdf", width="single", by="kind"),
        "GET", f"{OF_SET}/ranking?format=pdf&width=single&by=kind", None, b"PDF",
    ),
    (lambda c: sky(c).ranking_latex(), "GET", f"{OF_SET}/ranking?format=latex", None, b"tex"),
    (lambda c: sky(c).report(), "GET", f"{OF_SET}/report", None, b"<!doctype html>"),
    (
        lambda c: sky(c).predict(first="kelp", second="fern"),
        "GET", f"{OF_SET}/predict?first=kelp&second=fern", None, "predict",
    ),
    (
        lambda c: c.judges.aggregate(items=[{"item": "q1", "answers": {"ada": 1, "bob": 0.2}}], seed=3),
        "POST", "/v1/aggregations", {"items": [{"item": "q1", "answers": {"ada": 1.0, "bob": 0.2}}], "seed": 3},
        "aggregate",
    ),
    (lambda c: sky(c).checks(), "GET", f"{OF_SET}/checks", None, "checks"),
    (lambda c: sky(c).diagnostics(), "GET", f"{OF_SET}/diagnostics", None, "diagnostics"),
    (lambda c: sky(c).matrix(of="expected"), "GET", f"{OF_SET}/matrix?of=expected", None, "matrix"),
    (lambda c: sky(c).judges(verdicts=False), "GET", f"{OF_SET}/judges?verdicts=false", None, "judges"),
    (
        lambda c: sky(c).calibration(judge="gpt", reference=["ada"]),
        "GET", f"{OF_SET}/calibration?judge=gpt&reference=ada", None, "calibration",
    ),
    (lambda c: sky(c).rank_sets(judge="gpt"), "GET", f"{OF_SET}/rank-sets?judge=gpt", None, "rank_sets"),
    (lambda c: pair(c).tell(p_first=0.7), "POST", f"{OF_PAIR}/verdict", {"p_first": 0.7}, "send_verdict"),
    (lambda c: pair(c).renew(lease_seconds=9.0), "POST", f"{OF_PAIR}/renew", {"lease_seconds": 9.0}, "renew"),
    (lambda c: pair(c).release(), "POST", f"{OF_PAIR}/release", None, "renew"),
    (
        lambda c: c.assignments.next_pairs(judge="ada", count=2),
        "POST", "/v1/next-pairs", {"judge": "ada", "count": 2, "lease_seconds": 600.0}, "next_pair",
    ),
    (
        lambda c: c.assignments.tell(iter([VerdictOf(assignment_id=PAIR, winner="first")])),
        "POST", "/v1/verdicts", {"verdicts": [{"assignment_id": str(PAIR), "winner": "first"}]}, "send_verdicts",
    ),
    (
        lambda c: c.assignments.renew([PAIR]),
        "POST", "/v1/assignments/renew", {"assignments": [str(PAIR)], "lease_seconds": 600.0}, "renew_many",
    ),
    (
        lambda c: c.assignments.release([PAIR]),
        "POST", "/v1/assignments/release", {"assignments": [str(PAIR)]}, "release_many",
    ),
    (lambda c: c.judges.get("ada"), "GET", "/v1/judges/ada", None, "get_judge"),
    (
        lambda c: c.judges.describe("gpt", kind="llm", cost_per_1000=2.0),
        "PUT", "/v1/judges/gpt", {"kind": "llm", "cost_per_1000": 2.0}, "get_judge",
    ),
]  # fmt: skip


@both
@pytest.mark.parametrize(("method", "verb", "target", "body", "answer"), METHODS)
def test_a_method_sends_its_call(
    use: Use, method: Callable[[Any], Any], verb: str, target: str, body: Any, answer: Any
) -> None:
    server = Server(answer if isinstance(answer, bytes) else EXAMPLES[answer]["response"])

    use(server, method)

    [request] = server.requests
    assert (request.method, request.url.raw_path.decode()) == (verb, target)
    assert (json.loads(request.content) if request.content else None) == body


@both
def test_what_is_created_and_asked_for_has_methods_too(use: Use) -> None:
    created = use(
        Server(EXAMPLES["create_set"]["response"]), lambda client: client.sets.create(name="Sky", question="Which?")
    )
    leased = use(Server(EXAMPLES["next_pair"]["response"]), lambda client: sky(client).next_pair(judge="ada"))
    many = use(
        Server(EXAMPLES["next_pair"]["response"]), lambda client: client.assignments.next_pairs(judge="ada", count=2)
    )

    assert (created.id, created.record) == (RECORD.id, RECORD)
    assert (leased.id, leased.assignment, leased.first.key) == (PAIR, ASSIGNMENT, "kelp")
    assert (many.status, [each.id for each in many.pairs]) == ("open", [PAIR])
    assert isinstance(leased, PairToJudge | AsyncPairToJudge)
    assert RECORD.name in repr(created)
    assert "'kelp', 'rowan'" in repr(leased)


@both
def test_no_pair_is_none_and_the_status_says_why(use: Use) -> None:
    none = {"status": "converged", "reason": "top_k", "assignments": []}

    assert use(Server(none), lambda client: sky(client).next_pair(judge="ada")) is None
    assert use(Server(none), lambda client: sky(client).next_pairs(judge="ada")) == ("converged", "top_k", [])


LISTINGS: list[tuple[Callable[[Any], Any], str, str, str, Any]] = [
    (
        lambda c: c.sets.list(project="demo", status="open"),
        "/v1/sets?project=demo&status=open",
        "sets",
        "list_sets",
        str(OTHER),
    ),
    (lambda c: sky(c).candidates(), f"{OF_SET}/candidates?", "candidates", "list_candidates", "kelp"),
    (lambda c: sky(c).items(), f"{OF_SET}/items?", "items", "list_items", "sky"),
    (
        lambda c: sky(c).comparisons(judge="ada"),
        f"{OF_SET}/comparisons?judge=ada",
        "comparisons",
        "list_comparisons",
        5,
    ),
    (lambda c: sky(c).absolute_scores(), f"{OF_SET}/absolute-scores?", "scores", "list_absolute_scores", 5),
    (lambda c: sky(c).pooled_evidence(), f"{OF_SET}/pooled-evidence?", "entries", "list_pooled_evidence", 5),
    (lambda c: sky(c).disputes(), f"{OF_SET}/disputes?", "disputes", "list_disputes", 5),
    (lambda c: sky(c).pairs(judge="ada"), f"{OF_SET}/pairs?judge=ada", "pairs", "list_judged_pairs", 5),
    (lambda c: sky(c).item_statistics(), f"{OF_SET}/item-statistics?", "items", "list_item_statistics", 5),
    (lambda c: c.judges.list(kind="llm"), "/v1/judges?kind=llm", "judges", "list_judges", "gpt"),
]


@both
@pytest.mark.parametrize(("method", "target", "name", "example", "after"), LISTINGS)
def test_a_listing_reads_all_pages(
    use: Use, method: Callable[[Any], Any], target: str, name: str, example: str, after: Any
) -> None:
    page = EXAMPLES[example]["response"]
    server = Server(page | {"next_after": after}, page | {"next_after": None})

    entries = use(server, method)

    assert len(entries) == 2 * len(page[name])
    first, second = (dict(request.url.params) for request in server.requests)
    assert second == first | {"after": str(after)}
    assert first == dict(httpx.URL(target).params) | {"limit": "1000"}


def test_a_page_is_asked_for_when_it_is_needed() -> None:
    server = Server(EXAMPLES["list_comparisons"]["response"] | {"next_after": 5})
    with Client("http://service", transport=httpx.MockTransport(server)) as client:
        next(sky(client).comparisons(after=3))

    [request] = server.requests
    assert request.url.params["after"] == "3"


@pytest.mark.parametrize(
    ("blocking", "waiting"), [(Client, AsyncClient), (Set, AsyncSet), (SetCollection, AsyncSetCollection)]
)
def test_sync_and_async_have_the_same_methods_and_arguments(blocking: type, waiting: type) -> None:
    """Of what is written for each of them."""

    def methods(of: type) -> dict[str, list[str]]:
        functions = {name: getattr(of, name) for name in dir(of) if not name.startswith("_")}
        return {
            name.replace("aclose", "close"): list(inspect.signature(function).parameters) if callable(function) else []
            for name, function in functions.items()
        }

    assert methods(blocking) == methods(waiting)


def test_arguments_outside_the_contract_raise_before_anything_is_sent() -> None:
    server = Server()
    with Client("http://service", transport=httpx.MockTransport(server)) as client:
        with pytest.raises(ValueError, match="exactly one of"):
            pair(client).tell(p_first=0.5, winner="first")
        with pytest.raises(ValueError, match="question"):
            client.sets.create(name="Sky")  # type: ignore[call-arg]

    assert server.requests == []


def test_help_names_the_arguments_that_a_method_takes() -> None:
    for kind in (Set, AsyncSet):
        assert (
            str(inspect.signature(kind.comparisons))
            == "(self, /, *, judge: str | None = None, after: int | None = None)"
        )
        assert list(inspect.signature(kind.update).parameters) == ["self", *SetPatch.model_fields]
        assert kind.next_pair.__qualname__ == "SetMethods.next_pair"
    assert list(inspect.signature(SetCollection.create).parameters) == ["self", *SetIn.model_fields]


def test_methods_are_documented() -> None:
    undocumented = [
        f"{kind.__name__}.{name}"
        for kind in (Client, Set, PairToJudge, SetCollection, JudgeCollection, AssignmentCollection)
        for name in dir(kind)
        if not name.startswith("_") and callable(member := getattr(kind, name)) and not member.__doc__
    ]
    assert undocumented == []


def test_address_and_key_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(*[EXAMPLES["ready"]["response"]] * 3)
    monkeypatch.setenv("NEXTPAIR_URL", "http://there:1234")
    monkeypatch.setenv("NEXTPAIR_API_KEY", "secret")
    for url, api_key in ((None, None), ("http://here", None), (None, "")):
        with Client(url, api_key=api_key, transport=httpx.MockTransport(server)) as client:
            client.send(calls.ready())

    assert [request.url.host for request in server.requests] == ["there", "here", "there"]
    keys = [request.headers.get("Authorization") for request in server.requests]
    assert keys == ["Bearer secret", "Bearer secret", None]
