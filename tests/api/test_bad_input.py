"""Bad input: every refusal says what is wrong and what to do, in the form of RFC 9457, and writes nothing."""

import asyncio
import dataclasses
import json
from collections.abc import AsyncIterator
from typing import Any, NamedTuple
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI
from nextpair.schemas import Problem

from app.service.context import Context
from app.settings import Settings
from app.storage import db
from tests.conftest import running
from tests.factories import ask_one, candidates, compare, count_rows, create_set, create_systems, run_sql, tell, void

NOBODY = "8f14e45f-ceea-467f-9a5d-3e1f5b7f2c11"
BIG = 10**30


class Case(NamedTuple):
    """A request, and what its refusal has to be."""

    name: str
    request: str  # method and path, with the names of World in braces
    body: Any  # JSON value; text is sent as it is
    status: int
    type: str
    says: str  # somewhere in the detail or the errors: the field, or the remedy


class World(NamedTuple):
    """Ids of what the cases need."""

    set: str  # four texts; its log has comparison 1 and its void 2, and comparison 3
    other: str  # another, whose log has comparisons 1 to 5
    systems: str  # two items
    deleted: str
    fresh: str  # an assignment of alice
    judged: str  # one with its verdict
    expired: str


@pytest.fixture
async def world(http: httpx.AsyncClient) -> World:
    here, other, deleted = [(await create_set(http))["id"] for _ in range(3)]
    systems = await create_systems(http, ["one", "two"], "kelp", "rowan")
    await http.post(f"{systems.url}/candidates", json={"candidates": [{"key": "sage", "outputs": {}}]})
    await compare(http, here, "ash>elm")
    await void(http, here, 1)
    judged = await ask_one(http, here)
    await tell(http, judged["id"], p_first=1.0)
    await compare(http, other, *["ash>elm"] * 5)
    fresh = await ask_one(http, here)
    expired = await ask_one(http, other, lease_seconds=0.001)
    await asyncio.sleep(0.01)
    await http.delete(f"/v1/sets/{deleted}")
    return World(here, other, systems["id"], deleted, fresh["id"], judged["id"], expired["id"])


def compared(**fields: Any) -> dict[str, Any]:
    return {"comparisons": [{"first": "ash", "second": "elm", "judge": "bob", **fields}]}


def scored(**fields: Any) -> dict[str, Any]:
    """The second of two absolute scores is bad."""
    good = {"candidate": "elm", "judge": "gpt", "mean": 3, "variance": 1}
    return {"scores": [good, {"candidate": "ash", "judge": "gpt", **fields}]}


def pooled(sd: float = 1.0, noise: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"pool": "elsewhere", "log_scale": {"mean": 0, "sd": sd}, "log_noise": noise or {}}


def of_set(**fields: Any) -> dict[str, Any]:
    return {"name": "n", "question": "q", **fields}


INVALID = "invalid-request"
COMPARE = "POST /v1/sets/{set}/comparisons"
VERDICT = "POST /v1/assignments/{fresh}/verdict"
ADD = "POST /v1/sets/{set}/candidates"
MAKE = "POST /v1/sets"
CHANGE = "PATCH /v1/sets/{set}"
SCORE = "POST /v1/sets/{set}/absolute-scores"
POOL = "POST /v1/sets/{set}/pooled-evidence"
ASK = "POST /v1/sets/{set}/next-pair"
CASES = [
    # Comparisons
    Case("unknown candidate", COMPARE, compared(first="oak", p_first=1), 404, "unknown-candidate",
         "/comparisons/0/first"),
    Case("itself", COMPARE, compared(second="ash", p_first=1), 422, INVALID, "two different candidates"),
    Case("p above 1", COMPARE, compared(p_first=1.1), 422, INVALID, "/comparisons/0/p_first"),
    Case("p below 0", COMPARE, compared(p_first=-0.1), 422, INVALID, "/comparisons/0/p_first"),
    Case("order of no chance", COMPARE, compared(order_chance=0), 422, INVALID, "/comparisons/0/order_chance"),
    Case("order chance above 1", COMPARE, compared(order_chance=2), 422, INVALID, "/comparisons/0/order_chance"),
    Case("no weight", COMPARE, compared(weight=0), 422, INVALID, "/comparisons/0/weight"),
    Case("next to no weight", COMPARE, compared(weight=1e-17), 422, INVALID, "/comparisons/0/weight"),
    Case("a weight without end", COMPARE, '{"comparisons": [{"first": "ash", "second": "elm", "p_first": 1, '
         '"judge": "bob", "weight": Infinity}]}', 422, INVALID, "/comparisons/0/weight"),
    Case("p is text", COMPARE, compared(p_first="high"), 422, INVALID, "/comparisons/0/p_first"),
    Case("p is NaN", COMPARE, json.dumps(compared(p_first=float("nan"))), 422, INVALID, "finite"),
    Case("p is Infinity", COMPARE, json.dumps(compared(p_first=float("inf"))), 422, INVALID, "finite"),
    Case("p in quotation marks", COMPARE, compared(p_first="0.5"), 422, INVALID, "/comparisons/0/p_first"),
    Case("p is true", COMPARE, compared(p_first=True), 422, INVALID, "/comparisons/0/p_first"),
    Case("p twice", COMPARE, '{"comparisons": [{"first": "ash", "second": "elm", "judge": "bob", "p_first": 1, '
         '"p_first": 0}]}', 422, INVALID, "/comparisons/0/p_first occurs twice"),
    Case("twice in metadata", MAKE, '{"name": "n", "question": "q", "metadata": {"a/b": [0, {"c": 1, "c": 1}]}}', 422,
         INVALID, "/metadata/a~1b/1/c"),
    Case("twice within what is there twice", MAKE, '{"name": {"a": 1, "a": 1}, "name": "n", "question": "q"}', 422,
         INVALID, "/name occurs twice"),
    Case("long metadata", MAKE, of_set(metadata={"a": "x" * 100_000}), 422, INVALID, "/metadata"),
    Case("a long raw answer", VERDICT, {"p_first": 1, "raw": ["x" * 100_000]}, 422, INVALID, "/raw"),
    Case("an object without end", MAKE, of_set(metadata={str(n): 1 for n in range(100_001)}), 422, INVALID,
         "100,000 members"),
    Case("candidates without end", MAKE, of_set(candidates=[{"key": "a"}] * 100_001), 422, INVALID, "/candidates"),
    Case("lists too deep", MAKE, "[" * 100_000, 422, INVALID, "too deep"),
    Case("a number too long", MAKE, '{"name": ' + "1" * 5000 + "}", 422, INVALID, "too long"),
    Case("half of UTF-16", MAKE, '\ufffeab', 422, INVALID, "not JSON"),
    Case("p and winner", COMPARE, compared(p_first=1, winner="first"), 422, INVALID, "found p_first and winner"),
    Case("no answer", COMPARE, compared(), 422, INVALID, "exactly one of p_first, winner, logprobs"),
    Case("unknown winner", COMPARE, compared(winner="left"), 422, INVALID, "'first', 'second', 'tie' or 'both_bad'"),
    Case("a failure is no comparison", COMPARE, compared(failure="timeout"), 422, INVALID, "/comparisons/0/failure"),
    Case("infinite logprob", COMPARE, json.dumps(compared(logprobs={"first": float("-inf"), "second": 0})), 422,
         INVALID,
         "/comparisons/0/logprobs/first"),
    Case("a label without logprob", COMPARE, compared(logprobs={"first": 0}), 422, INVALID, "logprobs/second"),
    Case("no judge", COMPARE, {"comparisons": [{"first": "ash", "second": "elm", "p_first": 1}]}, 422, INVALID,
         "judge"),
    Case("unknown field", COMPARE, compared(p_first=1, extra=1), 422, INVALID, "/comparisons/0/extra"),
    Case("time without zone", COMPARE, compared(p_first=1, created_at="2026-01-01T00:00:00"), 422, INVALID,
         "created_at"),
    Case("time beyond reach", COMPARE, compared(p_first=1, created_at="0001-01-01T00:00:00+14:00"), 422, INVALID, ""),
    Case("no comparisons", COMPARE, {"comparisons": []}, 422, INVALID, "/comparisons"),
    Case("NUL in a client_id", COMPARE, compared(p_first=1, client_id="a\0"), 422, INVALID, "NUL"),
    Case("NUL in a judge", COMPARE, compared(p_first=1, judge="a\0"), 422, INVALID, "NUL"),
    Case("the item is missing", "POST /v1/sets/{systems}/comparisons", compared(first="kelp", second="rowan",
         p_first=1),
         422, "ambiguous-item", "/comparisons/0/item"),
    Case("unknown item", "POST /v1/sets/{systems}/comparisons",
         compared(first="kelp", second="rowan", item="six", p_first=1), 404, "unknown-item", "six"),
    Case("no such output", "POST /v1/sets/{systems}/comparisons",
         compared(first="kelp", second="sage", item="one", p_first=1), 422, "missing-output", "sage"),
    Case("an item in a set of texts", COMPARE, compared(p_first=1, item="one"), 404, "unknown-item", "one"),
    Case("unknown set", f"POST /v1/sets/{NOBODY}/comparisons", compared(p_first=1), 404, "unknown-set", NOBODY),
    Case("deleted set", "POST /v1/sets/{deleted}/comparisons", compared(p_first=1), 410, "set-deleted", "deleted"),
    # Sets and candidates
    Case("no question", MAKE, {"name": "n"}, 422, INVALID, "/question"),
    Case("empty name", MAKE, of_set(name=""), 422, INVALID, "/name"),
    Case("long name", MAKE, of_set(name="x" * 201), 422, INVALID, "/name"),
    Case("a surrogate in a name", MAKE, '{"name": "\\ud800", "question": "q"}', 422, INVALID, "/name"),
    Case("unknown criterion", MAKE, of_set(selection={"criterion": "best"}), 422, INVALID, "/selection/criterion"),
    Case("unknown expert", MAKE, of_set(expert="elo"), 422, INVALID, "/expert"),
    Case("unknown field", MAKE, of_set(colour="red"), 422, INVALID, "/colour: unknown field; remove it"),
    Case("no prior variance", MAKE, of_set(prior_variance=0), 422, INVALID, "/prior_variance"),
    Case("NaN as a prior variance", MAKE, json.dumps(of_set(prior_variance=float("nan"))), 422, INVALID,
         "/prior_variance"),
    Case("share above 1", MAKE, of_set(selection={"random_share": 1.5}), 422, INVALID, "/selection/random_share"),
    Case("no budget", MAKE, of_set(budget={"max_comparisons": 0}), 422, INVALID, "/budget/max_comparisons"),
    Case("a budget beyond 64 bits", MAKE, of_set(budget={"max_comparisons": 2**63}), 422, INVALID,
         "/budget/max_comparisons"),
    Case("NUL in a name", MAKE, of_set(name="a\0"), 422, INVALID, "NUL"),
    Case("NUL in metadata", MAKE, of_set(metadata={"a": "\0"}), 422, INVALID, "NUL"),
    Case("NaN in metadata", MAKE, json.dumps(of_set(metadata={"a": float("nan")})), 422, INVALID, "NaN"),
    Case("NUL in a text", MAKE, of_set(candidates=[{"key": "ash", "text": "a\0b"}]), 422, INVALID, "NUL"),
    Case("a key twice", MAKE, of_set(candidates=candidates("ash", "elm", "ash")), 422, "duplicate-key",
         "/candidates/2/key"),
    Case("an item twice", MAKE, of_set(items=[{"key": "one"}] * 2), 422, "duplicate-key", "/items/1/key"),
    Case("empty key", ADD, {"candidates": [{"key": ""}]}, 422, INVALID, "/candidates/0/key"),
    Case("long key", ADD, {"candidates": [{"key": "x" * 201}]}, 422, INVALID, "/candidates/0/key"),
    Case("empty text", ADD, {"candidates": [{"key": "oak", "text": ""}]}, 422, INVALID, "/candidates/0/text"),
    Case("10 MB of text", ADD, {"candidates": [{"key": "oak", "text": "x" * 10**7}]}, 413, "text-too-large", "excerpt"),
    Case("no candidates", ADD, {"candidates": []}, 422, INVALID, "/candidates"),
    Case("text and outputs", ADD, {"candidates": [{"key": "oak", "text": "a", "outputs": {"one": "b"}}]}, 409,
         "texts-or-systems", "/candidates/0"),
    Case("outputs in a set of texts", ADD, {"candidates": [{"key": "oak", "outputs": {"one": "b"}}]}, 409,
         "texts-or-systems", "send text instead"),
    Case("a text in a set of systems", "POST /v1/sets/{systems}/candidates", {"candidates": candidates("oak")}, 409,
         "texts-or-systems", "outputs"),
    Case("output for an unknown item", "POST /v1/sets/{systems}/candidates",
         {"candidates": [{"key": "oak", "outputs": {"a/b~": "x"}}]}, 404, "unknown-item",
         "/candidates/0/outputs/a~1b~0"),
    Case("a judged text", ADD, {"candidates": [{"key": "elm", "text": "New."}]}, 409, "text-in-use", "another key"),
    # How a set reads its log, and when it stops
    Case("unknown expert", MAKE, of_set(expert="elo"), 422, INVALID, "'hard-bt'"),
    Case("a parameter that the expert has not", MAKE, of_set(expert="gaussian", expert_parameters={"tau": 1}), 422,
         INVALID, "/expert_parameters gaussian has no parameter 'tau'; it has alpha, beta, v, power"),
    Case("a parameter of an expert that has none", MAKE, of_set(expert_parameters={"prior": 1}), 422, INVALID,
         "/expert_parameters soft-bt has no parameter 'prior'; it has none"),
    Case("a variance that is not log-concave", MAKE, of_set(expert="sigma-gaussian", expert_parameters={"v": 0.5}),
         422, INVALID, "/expert_parameters v is 0.5; it must be at least 1"),
    Case("the same through Phi", MAKE, of_set(expert="phi-gaussian", expert_parameters={"v": 0.99}), 422, INVALID,
         "/expert_parameters v is 0.99; it must be at least 1"),
    Case("no scale", MAKE, of_set(expert="gaussian", expert_parameters={"alpha": 0}), 422, INVALID,
         "/expert_parameters alpha is 0; it must be"),
    Case("a power beyond what is sound", MAKE, of_set(expert="logit-gaussian", expert_parameters={"power": 2}), 422,
         INVALID, "/expert_parameters power is 2; it must be from 0"),
    Case("a negative width", MAKE, of_set(expert="laplace", expert_parameters={"b": -1}), 422, INVALID,
         "/expert_parameters b is -1; it must be"),
    Case("a parameter out of all proportion", MAKE, of_set(expert="gaussian", expert_parameters={"v": 1e-9}), 422,
         INVALID, "/expert_parameters/v 1e-09 is out of range; send 0, or a size from 0.01 to 100"),
    Case("NaN as a parameter", MAKE, json.dumps(of_set(expert="gaussian", expert_parameters={"v": float("nan")})),
         422, INVALID, "/expert_parameters/v"),
    Case("a parameter that is no number", MAKE, of_set(expert="gaussian", expert_parameters={"v": "wide"}), 422,
         INVALID, "/expert_parameters/v"),
    Case("laplace without a unit prior", MAKE, of_set(expert="laplace", prior="anchor"), 422, INVALID,
         "/prior laplace needs the prior unit"),
    Case("unknown prior", MAKE, of_set(prior="flat"), 422, INVALID, "'anchor'"),
    Case("next to no prior variance", MAKE, of_set(prior_variance=1e-320), 422, INVALID, "/prior_variance"),
    Case("unknown treatment of bias", MAKE, of_set(position_bias="ignore"), 422, INVALID, "'estimate'"),
    Case("unknown batch", MAKE, of_set(selection={"batch": "bottom"}), 422, INVALID, "'top'"),
    Case("an expert cannot change", CHANGE, {"expert": "gaussian"}, 422, INVALID, "/expert"),
    Case("temperature 0", CHANGE, {"temperatures": {"bob": 0}}, 422, INVALID, "/temperatures/bob"),
    Case("temperature above 100", MAKE, of_set(temperatures={"a/b~": 101}), 422, INVALID, "/temperatures/a~1b~0"),
    Case("NaN as a temperature", CHANGE, '{"temperatures": {"bob": NaN}}', 422, INVALID, "/temperatures/bob"),
    Case("no temperatures", CHANGE, {"temperatures": None}, 422, INVALID, "/temperatures"),
    Case("temperature of nobody", CHANGE, {"temperatures": {"": 2}}, 422, INVALID,
         "/temperatures/ string should have at least 1 character"),
    Case("NUL in the name of a tempered judge", CHANGE, {"temperatures": {"a\0": 2}}, 422, INVALID, "NUL"),
    Case("a stop without a criterion", MAKE, of_set(stop={}), 422, INVALID, "/stop name top_k, rank_width, entropy"),
    Case("a level alone stops nothing", CHANGE, {"stop": {"error_level": 0.1}}, 422, INVALID, "use budget"),
    Case("the best nobody", CHANGE, {"stop": {"top_k": 0}}, 422, INVALID, "/stop/top_k"),
    Case("a negative width of ranks", CHANGE, {"stop": {"rank_width": -1}}, 422, INVALID, "/stop/rank_width"),
    Case("no entropy at all", CHANGE, {"stop": {"entropy_change": 0}}, 422, INVALID, "/stop/entropy_change"),
    Case("no error at all", CHANGE, {"stop": {"top_k": 1, "error_level": 0}}, 422, INVALID, "/stop/error_level"),
    Case("a misspelt stop", CHANGE, {"stop": {"topk": 1}}, 422, INVALID, "/stop/topk"),
    Case("an overlap of nothing", MAKE, of_set(overlap={"share": 0}), 422, INVALID, "/overlap/share"),
    Case("an overlap of one judge", CHANGE, {"overlap": {"share": 0.2, "judges": 1}}, 422, INVALID, "/overlap/judges"),
    Case("bad status", "PATCH /v1/sets/{set}", {"status": "closed"}, 422, INVALID, "'open' or 'paused'"),
    Case("a question cannot change", "PATCH /v1/sets/{set}", {"question": "x"}, 422, INVALID, "/question"),
    Case("candidates of an unknown set", f"GET /v1/sets/{NOBODY}/candidates", None, 404, "unknown-set", NOBODY),
    Case("page behind an unknown key", "GET /v1/sets/{set}/candidates?after=oak", None, 404, "unknown-candidate",
         "oak"),
    Case("NUL in a query", "GET /v1/sets/{set}/candidates?after=%00", None, 422, INVALID, "NUL"),
    # Ask
    Case("no judge to ask for", ASK, {}, 422, INVALID, "/judge"),
    Case("no pair at all", ASK, {"judge": "a", "count": 0}, 422, INVALID, "/count"),
    Case("too many pairs", ASK, {"judge": "a", "count": 1001}, 422, INVALID, "/count"),
    Case("next to no lease", ASK, {"judge": "a", "lease_seconds": 1e-308}, 422, INVALID, "/lease_seconds"),
    Case("a number of pairs in quotation marks", ASK, {"judge": "a", "count": "1"}, 422, INVALID, "/count"),
    Case("no lease", ASK, {"judge": "a", "lease_seconds": 0}, 422, INVALID, "/lease_seconds"),
    Case("too long a wait", ASK, {"judge": "a", "wait_seconds": 61}, 422, INVALID, "/wait_seconds"),
    Case("asking an unknown set", f"POST /v1/sets/{NOBODY}/next-pair", {"judge": "a"}, 404, "unknown-set", NOBODY),
    Case("asking a deleted set", "POST /v1/sets/{deleted}/next-pair", {"judge": "a"}, 410, "set-deleted", "deleted"),
    Case("previewing too many", "GET /v1/sets/{set}/next-pair?count=1001", None, 422, INVALID, "query count"),
    Case("bad UUID among sets", "POST /v1/next-pairs", {"judge": "a", "count": 1, "sets": ["x"]}, 422, INVALID,
         "/sets/0"),
    Case("renewing what has expired", "POST /v1/assignments/{expired}/renew", {}, 410, "lease-ended", "Ask for a pair"),
    Case("renewing what is judged", "POST /v1/assignments/{judged}/renew", {}, 410, "lease-ended", "done"),
    Case("releasing what has expired", "POST /v1/assignments/{expired}/release", None, 410, "lease-ended", "expired"),
    Case("renewing nothing", f"POST /v1/assignments/{NOBODY}/renew", {}, 404, "unknown-assignment", NOBODY),
    # Tell
    Case("two answers", VERDICT, {"p_first": 1, "winner": "first"}, 422, INVALID, "found p_first and winner"),
    Case("no answer at all", VERDICT, {}, 422, INVALID, "exactly one of p_first, winner, logprobs, failure"),
    Case("an answer and a failure", VERDICT, {"p_first": 1, "failure": "timeout"}, 422, INVALID,
         "found p_first and failure"),
    Case("unknown failure", VERDICT, {"failure": "tired"}, 422, INVALID, "/failure"),
    Case("NaN as a verdict", VERDICT, '{"p_first": NaN}', 422, INVALID, "/p_first"),
    Case("label mass above 1", VERDICT, {"p_first": 1, "label_mass": 2}, 422, INVALID, "/label_mass"),
    Case("negative latency", VERDICT, {"p_first": 1, "latency_ms": -1}, 422, INVALID, "/latency_ms"),
    Case("NaN in raw", VERDICT, '{"p_first": 1, "raw": {"a": NaN}}', 422, INVALID, "NaN"),
    Case("NUL in raw", VERDICT, {"p_first": 1, "raw": "\0"}, 422, INVALID, "NUL"),
    Case("someone else's assignment", VERDICT, {"p_first": 1, "judge": "mallory"}, 409, "foreign-assignment",
         "'alice'"),
    Case("a second verdict", "POST /v1/assignments/{judged}/verdict", {"p_first": 1}, 409, "already-judged", "void"),
    Case("a verdict on nothing", f"POST /v1/assignments/{NOBODY}/verdict", {"p_first": 1}, 404,
         "unknown-assignment", NOBODY),
    Case("a batch of nothing", "POST /v1/verdicts", {"verdicts": []}, 422, INVALID, "/verdicts"),
    Case("one bad entry in a batch", "POST /v1/verdicts",
         {"verdicts": [{"assignment_id": NOBODY, "p_first": 1}, {"assignment_id": NOBODY}]}, 422, INVALID,
         "/verdicts/1"),
    Case("voiding an unknown seq", "POST /v1/sets/{set}/comparisons/99/void", {"reason": "x"}, 404,
         "unknown-comparison", "99"),
    Case("voiding a seq of another set", "POST /v1/sets/{set}/comparisons/5/void", {"reason": "x"}, 404,
         "unknown-comparison", "5"),
    Case("voiding a void", "POST /v1/sets/{set}/comparisons/2/void", {"reason": "x"}, 404, "unknown-comparison", "2"),
    Case("voiding twice", "POST /v1/sets/{set}/comparisons/1/void", {"reason": "x"}, 409, "already-voided", "entry 2"),
    Case("voiding number 0", "POST /v1/sets/{set}/comparisons/0/void", {"reason": "x"}, 422, INVALID, "path seq"),
    Case("voiding beyond 64 bits", f"POST /v1/sets/{{set}}/comparisons/{BIG}/void", {"reason": "x"}, 422, INVALID,
         "9223372036854775807"),
    Case("voiding without a reason", "POST /v1/sets/{set}/comparisons/3/void", {}, 422, INVALID, "/reason"),
    # Absolute scores
    Case("score of an unknown candidate", SCORE, scored(candidate="oak", mean=7, variance=1), 404, "unknown-candidate",
         "/scores/1/candidate"),
    Case("score on an unknown item", SCORE, scored(item="one", mean=7, variance=1), 404, "unknown-item",
         "/scores/1/item"),
    Case("the item of a score is missing", "POST /v1/sets/{systems}/absolute-scores",
         {"scores": [{"candidate": "kelp", "judge": "gpt", "mean": 7, "variance": 1}]}, 422, "ambiguous-item",
         "/scores/0/item"),
    Case("score of no output", "POST /v1/sets/{systems}/absolute-scores",
         {"scores": [{"candidate": "sage", "item": "one", "judge": "gpt", "mean": 7, "variance": 1}]}, 422,
         "missing-output", "/scores/0/candidate"),
    Case("score by nobody", SCORE, {"scores": [{"candidate": "ash", "mean": 7, "variance": 1}]}, 422, INVALID,
         "/scores/0/judge"),
    Case("score that says nothing", SCORE, scored(), 422, INVALID, "exactly one of probabilities, mean"),
    Case("score in both forms", SCORE, scored(mean=7, variance=1, probabilities={"7": 1}), 422, INVALID,
         "found probabilities and mean"),
    Case("mean without variance", SCORE, scored(mean=7), 422, INVALID, "mean and variance belong together"),
    Case("variance without mean", SCORE, scored(variance=1), 422, INVALID, "mean and variance belong together"),
    Case("variance beside probabilities", SCORE, scored(variance=1, probabilities={"7": 1}), 422, INVALID, "/scores/1"),
    Case("variance 0", SCORE, scored(mean=7, variance=0), 422, INVALID, "/scores/1/variance"),
    Case("next to no variance", SCORE, scored(mean=7, variance=5e-324), 422, INVALID, "/scores/1/variance"),
    Case("negative variance", SCORE, scored(mean=7, variance=-1), 422, INVALID, "/scores/1/variance"),
    Case("variance beyond computing", SCORE, scored(mean=7, variance=1e300), 422, INVALID, "/scores/1/variance"),
    Case("infinite variance", SCORE, json.dumps(scored(mean=7, variance=float("inf"))), 422, INVALID,
         "/scores/1/variance"),
    Case("infinite mean", SCORE, json.dumps(scored(mean=float("inf"), variance=1)), 422, INVALID, "/scores/1/mean"),
    Case("NaN as a mean", SCORE, json.dumps(scored(mean=float("nan"), variance=1)), 422, INVALID, "/scores/1/mean"),
    Case("mean beyond computing", SCORE, scored(mean=1e200, variance=1), 422, INVALID, "/scores/1/mean"),
    Case("no probabilities", SCORE, scored(probabilities={}), 422, INVALID, "/scores/1/probabilities"),
    Case("probabilities that are all 0", SCORE, scored(probabilities={"7": 0, "8": 0.0}), 422, INVALID,
         "/scores/1 probabilities are all 0; leave out"),
    Case("negative probability", SCORE, scored(probabilities={"7": 1, "8": -0.1}), 422, INVALID,
         "/scores/1/probabilities/8"),
    Case("NaN as a probability", SCORE, json.dumps(scored(probabilities={"7": float("nan")})), 422, INVALID,
         "/scores/1/probabilities/7"),
    Case("infinite probability", SCORE, json.dumps(scored(probabilities={"7": float("inf")})), 422, INVALID,
         "/scores/1/probabilities/7"),
    Case("probability of a word", SCORE, scored(probabilities={"good": 1}), 422, INVALID,
         "the value 'good'; name numbers"),
    Case("probability of NaN", SCORE, scored(probabilities={"nan": 1}), 422, INVALID, "the value 'nan'"),
    Case("probability of infinity", SCORE, scored(probabilities={"-inf": 1}), 422, INVALID, "the value '-inf'"),
    Case("probability of a value beyond computing", SCORE, scored(probabilities={"1e308": 1}), 422, INVALID, "'1e308'"),
    Case("unknown field of a score", SCORE, scored(mean=7, variance=1, sd=1), 422, INVALID, "/scores/1/sd"),
    Case("NUL in a judge who scores", SCORE, scored(mean=7, variance=1, judge="a\0"), 422, INVALID, "NUL"),
    Case("no scores", SCORE, {"scores": []}, 422, INVALID, "/scores"),
    Case("scores of an unknown set", f"POST /v1/sets/{NOBODY}/absolute-scores", scored(mean=7, variance=1), 404,
         "unknown-set", NOBODY),
    Case("scores from beyond 64 bits", f"GET /v1/sets/{{set}}/absolute-scores?after={BIG}", None, 422, INVALID,
         "9223372036854775807"),
    # Shared priors
    Case("pooled evidence without a scale", POOL, {"pool": "elsewhere"}, 422, INVALID, "/log_scale"),
    Case("pooled evidence that is too sure", POOL, pooled(sd=0), 422, INVALID, "an sd from 0.01 to 8"),
    Case("pooled evidence of a noise that is no number", POOL, pooled(noise={"gpt": {"mean": "x", "sd": 1}}), 422,
         INVALID, "/log_noise/gpt/mean"),
    Case("pooled evidence of nobody", POOL, pooled(noise={"": {"mean": 0, "sd": 1}}), 422, INVALID, "/log_noise"),
    Case("pooled evidence for an unknown set", f"POST /v1/sets/{NOBODY}/pooled-evidence", pooled(), 404, "unknown-set",
         NOBODY),
    # Read
    Case("nobody among the first", "GET /v1/sets/{set}/ranking?top_k=0", None, 422, INVALID, "query top_k"),
    Case("negative epsilon", "GET /v1/sets/{set}/ranking?epsilon=-1", None, 422, INVALID, "query epsilon"),
    Case("infinite epsilon", "GET /v1/sets/{set}/ranking?epsilon=inf", None, 422, INVALID, "query epsilon"),
    Case("diagnostics of an unknown set", f"GET /v1/sets/{NOBODY}/diagnostics", None, 404, "unknown-set", NOBODY),
    Case("calibration of nobody", "GET /v1/sets/{set}/calibration?reference=bob", None, 422, INVALID, "query judge"),
    Case("calibration against nobody", "GET /v1/sets/{set}/calibration?judge=bob", None, 422, INVALID,
         "query reference"),
    Case("calibration of an unknown judge", "GET /v1/sets/{set}/calibration?judge=zoe&reference=bob", None, 404,
         "unknown-judge", "'zoe'"),
    Case("calibration against an unknown judge", "GET /v1/sets/{set}/calibration?judge=bob&reference=alice&reference=z",
         None, 404, "unknown-judge", "'z'"),
    Case("calibration against itself", "GET /v1/sets/{set}/calibration?judge=bob&reference=alice&reference=bob", None,
         422, INVALID, "name other judges"),
    Case("calibration by an unknown objective",
         "GET /v1/sets/{set}/calibration?judge=bob&reference=alice&objective=auc", None, 422, INVALID, "'log-loss'"),
    Case("calibration in an unknown set", f"GET /v1/sets/{NOBODY}/calibration?judge=a&reference=b", None, 404,
         "unknown-set", NOBODY),
    Case("unknown method", "GET /v1/sets/{set}/ranking?method=elo", None, 422, INVALID, "'bradley-terry'"),
    Case("unknown format", "GET /v1/sets/{set}/ranking?format=gif", None, 422, INVALID, "'svg'"),
    Case("as of beyond the log", "GET /v1/sets/{set}/ranking?as_of=4", None, 422, "version-unknown", "version 3"),
    Case("as of a negative version", "GET /v1/sets/{set}/ranking?as_of=-1", None, 422, INVALID, "query as_of"),
    Case("level 1", "GET /v1/sets/{set}/ranking?level=1", None, 422, INVALID, "query level"),
    Case("level next to nothing", "GET /v1/sets/{set}/ranking?level=1e-300", None, 422, INVALID, "query level"),
    Case("level NaN", "GET /v1/sets/{set}/ranking?level=nan", None, 422, INVALID, "query level"),
    Case("ranking of an unknown set", f"GET /v1/sets/{NOBODY}/ranking", None, 404, "unknown-set", NOBODY),
    Case("predicting an unknown candidate", "GET /v1/sets/{set}/predict?first=ash&second=oak", None, 404,
         "unknown-candidate", "oak"),
    Case("predicting itself", "GET /v1/sets/{set}/predict?first=ash&second=ash", None, 422, "same-candidate",
         "different"),
    Case("predicting half a pair", "GET /v1/sets/{set}/predict?first=ash", None, 422, INVALID, "query second"),
    Case("negative limit", "GET /v1/sets/{set}/comparisons?limit=-1", None, 422, INVALID, "query limit"),
    Case("limit beyond a page", "GET /v1/sets?limit=1001", None, 422, INVALID, "query limit"),
    Case("after beyond 64 bits", f"GET /v1/sets/{{set}}/comparisons?after={2**63}", None, 422, INVALID,
         "9223372036854775807"),
    Case("an export from beyond 64 bits", f"GET /v1/sets/{{set}}/comparisons?format=csv&after={2**63}", None, 422,
         INVALID, "9223372036854775807"),
    Case("as of beyond 64 bits", f"GET /v1/sets/{{set}}/ranking?as_of={2**63}", None, 422, INVALID, "as_of"),
    Case("events after beyond 64 bits", f"GET /v1/sets/{{set}}/events?after={2**63}", None, 422, INVALID, "after"),
    Case("unknown export", "GET /v1/sets/{set}/comparisons?format=xlsx", None, 422, INVALID, "'parquet'"),
    Case("export of an unknown set", f"GET /v1/sets/{NOBODY}/comparisons?format=csv", None, 404, "unknown-set", NOBODY),
    Case("events of an unknown set", f"GET /v1/sets/{NOBODY}/events", None, 404, "unknown-set", NOBODY),
    Case("events after a word", "GET /v1/sets/{set}/events?after=yesterday", None, 422, INVALID, "query after"),
    # Any
    Case("bad UUID", "GET /v1/sets/not-a-uuid", None, 422, INVALID, "path set_id"),
    Case("not JSON", MAKE, '{"name": "n",', 422, INVALID, "not JSON at character 13"),
    Case("no body", MAKE, "", 422, INVALID, "send a JSON object"),
    Case("a list for an object", MAKE, [], 422, INVALID, "send a JSON object"),
    Case("unknown path", "GET /v1/nothing", None, 404, "about:blank", "/docs"),
    Case("wrong method", "PUT /v1/sets/{set}", {}, 405, "about:blank", "PUT /v1/sets/"),
]  # fmt: skip


async def test_bad_input_is_refused_and_writes_nothing(
    http: httpx.AsyncClient, context: Context, world: World, subtests: pytest.Subtests
) -> None:
    before = await count_rows(context.engine)
    for case in CASES:
        with subtests.test(case.name):
            method, path = case.request.format(**world._asdict()).split(" ", 1)
            body = case.body if case.body is None or isinstance(case.body, str) else json.dumps(case.body)
            answer = await http.request(method, path, content=body, headers={"Content-Type": "application/json"})
            assert_problem(answer, case.status, case.type, case.says)
            assert await count_rows(context.engine) == before


def assert_problem(answer: httpx.Response, status: int, code: str, says: str) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = Problem.model_validate(answer.json())
    assert (problem.status, problem.type) == (status, code if ":" in code else f"urn:nextpair:problem:{code}")
    assert problem.title
    assert says in problem.detail or any(says in f"{e.pointer} {e.detail}" for e in problem.errors or ())


async def test_a_value_beyond_storing_is_no_error_of_the_server(
    http: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    await http.post("/v1/sets", json=of_set(name="a\0"))
    assert not caplog.records


async def test_what_the_database_refuses_is_logged_without_what_was_sent(
    http: httpx.AsyncClient, context: Context, caplog: pytest.LogCaptureFixture
) -> None:
    await run_sql(context.engine, "ALTER TABLE sets ADD CONSTRAINT honest CHECK (question <> 'Secret?')")
    answer = await http.post("/v1/sets", json=of_set(question="Secret?", name="Hidden"))
    assert answer.status_code == 500
    assert "honest" in caplog.text
    assert "Secret" not in caplog.text
    assert "Hidden" not in caplog.text


async def test_a_hundred_faults_are_listed_and_all_are_counted(http: httpx.AsyncClient) -> None:
    sent = {"comparisons": [{"first": "ash", "second": "elm", "judge": "bob", "p_first": 2}] * 1500}
    answer = await http.post(f"/v1/sets/{NOBODY}/comparisons", json=sent)
    assert_problem(answer, 422, INVALID, "(1,499 more; the first 100 are in `errors`)")
    assert len(answer.json()["errors"]) == 100


async def test_a_body_of_nothing_but_faults_is_given_up(http: httpx.AsyncClient) -> None:
    sent = {"comparisons": [{f"x{n}": 1 for n in range(20)}] * 1000}
    assert_problem(
        await http.post(f"/v1/sets/{NOBODY}/comparisons", json=sent), 422, INVALID, "more than 10,000 faults"
    )


async def test_every_fault_of_a_body_is_listed(http: httpx.AsyncClient) -> None:
    answer = await http.post("/v1/sets", json={"name": "", "order": "up", "colour": "red"})
    assert {e["pointer"] for e in answer.json()["errors"]} == {"/name", "/question", "/order", "/colour"}
    assert "3 more in `errors`" in answer.json()["detail"]


# Size


@pytest.fixture
async def small(database_url: str) -> AsyncIterator[httpx.AsyncClient]:
    """A service with low limits."""
    settings = Settings(database_url=database_url, max_body_bytes=2000, max_text_chars=100, max_candidates=3)
    async with (
        running(settings) as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client,
    ):
        yield client


async def test_an_announced_body_over_the_limit_is_refused(small: httpx.AsyncClient) -> None:
    answer = await small.post("/v1/sets", json=of_set(context="x" * 2000))
    assert_problem(answer, 413, "body-too-large", "NEXTPAIR_MAX_BODY_BYTES")


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "k"}])
async def test_a_body_that_grows_over_the_limit_is_refused(small: httpx.AsyncClient, headers: dict[str, str]) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(30):
            yield b" " * 100

    answer = await small.post("/v1/sets", content=chunks(), headers={"Content-Type": "application/json", **headers})
    assert_problem(answer, 413, "body-too-large", "smaller parts")
    assert (await small.get("/v1/sets")).json()["sets"] == []


async def test_a_text_over_the_limit_is_refused(small: httpx.AsyncClient) -> None:
    answer = await small.post("/v1/sets", json=of_set(candidates=[{"key": "ash", "text": "x" * 101}]))
    assert_problem(answer, 413, "text-too-large", "/candidates/0/text")


@pytest.mark.parametrize("field", ["context", "question", "attribute"])
async def test_what_comes_with_every_pair_is_no_longer_than_a_text(small: httpx.AsyncClient, field: str) -> None:
    answer = await small.post("/v1/sets", json=of_set(**{field: "x" * 101}))
    assert_problem(answer, 413, "text-too-large", f"/{field}")


async def test_a_set_over_the_limit_is_refused(small: httpx.AsyncClient) -> None:
    answer = await small.post("/v1/sets", json=of_set(candidates=candidates("a", "b", "c", "d")))
    assert_problem(answer, 413, "set-too-large", "NEXTPAIR_MAX_CANDIDATES")
    assert (await small.get("/v1/sets")).json()["sets"] == []


# No database

REQUESTS: list[tuple[str, str, Any]] = [
    ("GET", f"/v1/sets/{NOBODY}", None),
    ("GET", f"/v1/sets/{NOBODY}/ranking", None),
    ("GET", f"/v1/sets/{NOBODY}/events", None),
    ("POST", "/v1/sets", of_set()),
    ("POST", f"/v1/sets/{NOBODY}/next-pair", {"judge": "a"}),
    ("POST", "/v1/verdicts", {"verdicts": [{"assignment_id": NOBODY, "p_first": 1}]}),
    ("GET", "/readyz", None),
]


@pytest.mark.parametrize(("method", "path", "body"), REQUESTS, ids=lambda value: str(value)[:40])
async def test_without_a_database_the_answer_is_to_try_again(
    http: httpx.AsyncClient, app: FastAPI, context: Context, method: str, path: str, body: Any
) -> None:
    dead = db.connect("postgresql://nobody@127.0.0.1:1/nowhere")
    app.state.context = dataclasses.replace(context, engine=dead, spare=dead)
    answer = await http.request(method, path, json=body)
    assert_problem(answer, 503, "database-down", "Send the request again")
    assert int(answer.headers["Retry-After"]) >= 1
    assert (await http.get("/healthz")).status_code == 200
    await dead.dispose()


async def test_the_service_recovers_when_the_database_has_dropped_every_connection(
    http: httpx.AsyncClient, context: Context, cluster: Any
) -> None:
    created = await create_set(http)
    killer = db.connect(cluster.url("postgres"))
    name = context.engine.url.database
    await run_sql(killer, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    await killer.dispose()
    answers = [await http.get(created.url) for _ in range(3)]
    for answer in answers:
        if answer.status_code != 200:
            assert_problem(answer, 503, "database-down", "Send the request again")
    assert answers[-1].status_code == 200


async def test_a_database_that_dies_in_the_middle_has_written_nothing(
    http: httpx.AsyncClient, context: Context
) -> None:
    created = await create_set(http)
    await run_sql(
        context.engine,
        "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$",
        "CREATE TRIGGER dying AFTER INSERT ON comparisons FOR EACH ROW EXECUTE FUNCTION die()",
    )
    before = await count_rows(context.engine)
    headers = {"Idempotency-Key": str(uuid4())}
    for new in (compared(p_first=1), {"comparisons": compared(p_first=1)["comparisons"] * 60}):  # INSERT and COPY
        answer = await http.post(f"{created.url}/comparisons", json=new, headers=headers)
        assert_problem(answer, 503, "database-down", "same Idempotency-Key")
        assert answer.headers["Retry-After"]
    assert await count_rows(context.engine) == before


async def test_errors_are_in_words(http: httpx.AsyncClient) -> None:
    assert_problem(await http.get("/v1/sets/nonsense"), 422, "invalid-request", "not an id; copy it from the address")
    created = await create_set(http)
    preview = await http.get(f"{created.url}/next-pair", params={"pair": ["ash", "ash"]})
    for answer in (preview, await http.post("/v1/sets", json=of_set(goal={"pair": ["ash", "ash"]}))):
        assert_problem(answer, 422, "invalid-request", "pair takes two different candidates; found 'ash' twice")
        assert "Value error" not in answer.text
