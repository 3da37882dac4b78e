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
from app.storage import db
from tests.factories import (
    Http,
    ask_one,
    candidates,
    compare,
    count_rows,
    create_set,
    create_systems,
    run_sql,
    tell,
    void,
)

NOBODY = "8f14e45f-ceea-467f-9a5d-3e1f5b7f2c11"
BIG = 10**30


class Case(NamedTuple):
    """A request, and what its refusal has to be."""

    name: str
    request: str  # method and path, with the names of World in braces
    body: Any  # JSON value; text is sent as it is
    says: str  # somewhere in the detail or the errors: the field, or the remedy
    status: int = 422
    type: str = "invalid-request"


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
async def world(http: Http) -> World:
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


def of_expert(expert: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return of_set(expert=expert, expert_parameters=parameters)


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
    Case("unknown candidate", COMPARE, compared(first="oak", p_first=1), "/comparisons/0/first", 404,
         "unknown-candidate"),
    Case("itself", COMPARE, compared(second="ash", p_first=1), "two different candidates"),
    Case("p above 1", COMPARE, compared(p_first=1.1), "/comparisons/0/p_first"),
    Case("p below 0", COMPARE, compared(p_first=-0.1), "/comparisons/0/p_first"),
    Case("order of no chance", COMPARE, compared(order_chance=0), "/comparisons/0/order_chance"),
    Case("order chance above 1", COMPARE, compared(order_chance=2), "/comparisons/0/order_chance"),
    Case("no weight", COMPARE, compared(weight=0), "/comparisons/0/weight"),
    Case("next to no weight", COMPARE, compared(weight=1e-17), "/comparisons/0/weight"),
    Case("a weight without end", COMPARE, json.dumps(compared(p_first=1, weight=float("inf"))),
         "/comparisons/0/weight"),
    Case("p is text", COMPARE, compared(p_first="high"), "/comparisons/0/p_first"),
    Case("p is NaN", COMPARE, json.dumps(compared(p_first=float("nan"))), "finite"),
    Case("p is Infinity", COMPARE, json.dumps(compared(p_first=float("inf"))), "finite"),
    Case("p in quotation marks", COMPARE, compared(p_first="0.5"), "/comparisons/0/p_first"),
    Case("p is true", COMPARE, compared(p_first=True), "/comparisons/0/p_first"),
    Case("p twice", COMPARE, '{"comparisons": [{"p_first": 1, "p_first": 0}]}', "/comparisons/0/p_first occurs twice"),
    Case("twice in metadata", MAKE, '{"name": "n", "question": "q", "metadata": {"a/b": [0, {"c": 1, "c": 1}]}}',
         "/metadata/a~1b/1/c"),
    Case("twice within what is there twice", MAKE, '{"name": {"a": 1, "a": 1}, "name": "n", "question": "q"}',
         "/name occurs twice"),
    Case("long metadata", MAKE, of_set(metadata={"a": "x" * 100_000}), "/metadata"),
    Case("a long raw answer", VERDICT, {"p_first": 1, "raw": ["x" * 100_000]}, "/raw"),
    Case("an object without end", MAKE, of_set(metadata={str(n): 1 for n in range(100_001)}), "100,000 members"),
    Case("candidates without end", MAKE, of_set(candidates=[{"key": "a"}] * 100_001), "/candidates"),
    Case("lists too deep", MAKE, "[" * 100_000, "too deep"),
    Case("a number too long", MAKE, '{"name": ' + "1" * 5000 + "}", "too long"),
    Case("half of UTF-16", MAKE, '\ufffeab', "not JSON"),
    Case("p and winner", COMPARE, compared(p_first=1, winner="first"), "found p_first and winner"),
    Case("no answer", COMPARE, compared(), "exactly one of p_first, winner, logprobs"),
    Case("unknown winner", COMPARE, compared(winner="left"), "'first', 'second', 'tie' or 'both_bad'"),
    Case("a failure is no comparison", COMPARE, compared(failure="timeout"), "/comparisons/0/failure"),
    Case("infinite logprob", COMPARE, json.dumps(compared(logprobs={"first": float("-inf"), "second": 0})),
         "/comparisons/0/logprobs/first"),
    Case("a label without logprob", COMPARE, compared(logprobs={"first": 0}), "logprobs/second"),
    Case("no judge", COMPARE, {"comparisons": [{"first": "ash", "second": "elm", "p_first": 1}]}, "judge"),
    Case("unknown field", COMPARE, compared(p_first=1, extra=1), "/comparisons/0/extra"),
    Case("time without zone", COMPARE, compared(p_first=1, created_at="2026-01-01T00:00:00"), "created_at"),
    Case("time beyond reach", COMPARE, compared(p_first=1, created_at="0001-01-01T00:00:00+14:00"), ""),
    Case("no comparisons", COMPARE, {"comparisons": []}, "/comparisons"),
    Case("NUL in a client_id", COMPARE, compared(p_first=1, client_id="a\0"), "NUL"),
    Case("NUL in a judge", COMPARE, compared(p_first=1, judge="a\0"), "NUL"),
    Case("the item is missing", "POST /v1/sets/{systems}/comparisons",
         compared(first="kelp", second="rowan", p_first=1), "/comparisons/0/item", 422, "ambiguous-item"),
    Case("unknown item", "POST /v1/sets/{systems}/comparisons",
         compared(first="kelp", second="rowan", item="six", p_first=1), "six", 404, "unknown-item"),
    Case("no such output", "POST /v1/sets/{systems}/comparisons",
         compared(first="kelp", second="sage", item="one", p_first=1), "sage", 422, "missing-output"),
    Case("an item in a set of texts", COMPARE, compared(p_first=1, item="one"), "one", 404, "unknown-item"),
    Case("unknown set", f"POST /v1/sets/{NOBODY}/comparisons", compared(p_first=1), NOBODY, 404, "unknown-set"),
    Case("deleted set", "POST /v1/sets/{deleted}/comparisons", compared(p_first=1), "deleted", 410, "set-deleted"),
    # Sets and candidates
    Case("no question", MAKE, {"name": "n"}, "/question"),
    Case("empty name", MAKE, of_set(name=""), "/name"),
    Case("long name", MAKE, of_set(name="x" * 201), "/name"),
    Case("a surrogate in a name", MAKE, '{"name": "\\ud800", "question": "q"}', "/name"),
    Case("unknown criterion", MAKE, of_set(selection={"criterion": "best"}), "/selection/criterion"),
    Case("unknown field", MAKE, of_set(colour="red"), "/colour: unknown field; remove it"),
    Case("no prior variance", MAKE, of_set(prior_variance=0), "/prior_variance"),
    Case("NaN as a prior variance", MAKE, json.dumps(of_set(prior_variance=float("nan"))), "/prior_variance"),
    Case("share above 1", MAKE, of_set(selection={"random_share": 1.5}), "/selection/random_share"),
    Case("no budget", MAKE, of_set(budget={"max_comparisons": 0}), "/budget/max_comparisons"),
    Case("a budget beyond 64 bits", MAKE, of_set(budget={"max_comparisons": 2**63}), "/budget/max_comparisons"),
    Case("NUL in a name", MAKE, of_set(name="a\0"), "NUL"),
    Case("NUL in metadata", MAKE, of_set(metadata={"a": "\0"}), "NUL"),
    Case("NaN in metadata", MAKE, json.dumps(of_set(metadata={"a": float("nan")})), "NaN"),
    Case("NUL in a text", MAKE, of_set(candidates=[{"key": "ash", "text": "a\0b"}]), "NUL"),
    Case("a key twice", MAKE, of_set(candidates=candidates("ash", "elm", "ash")), "/candidates/2/key", 422,
         "duplicate-key"),
    Case("an item twice", MAKE, of_set(items=[{"key": "one"}] * 2), "/items/1/key", 422, "duplicate-key"),
    Case("empty key", ADD, {"candidates": [{"key": ""}]}, "/candidates/0/key"),
    Case("long key", ADD, {"candidates": [{"key": "x" * 201}]}, "/candidates/0/key"),
    Case("empty text", ADD, {"candidates": [{"key": "oak", "text": ""}]}, "/candidates/0/text"),
    Case("10 MB of text", ADD, {"candidates": [{"key": "oak", "text": "x" * 10**7}]}, "excerpt", 413, "text-too-large"),
    Case("no candidates", ADD, {"candidates": []}, "/candidates"),
    Case("text and outputs", ADD, {"candidates": [{"key": "oak", "text": "a", "outputs": {"one": "b"}}]},
         "/candidates/0", 409, "texts-or-systems"),
    Case("outputs in a set of texts", ADD, {"candidates": [{"key": "oak", "outputs": {"one": "b"}}]},
         "send text instead", 409, "texts-or-systems"),
    Case("a text in a set of systems", "POST /v1/sets/{systems}/candidates", {"candidates": candidates("oak")},
         "outputs", 409, "texts-or-systems"),
    Case("output for an unknown item", "POST /v1/sets/{systems}/candidates",
         {"candidates": [{"key": "oak", "outputs": {"a/b~": "x"}}]}, "/candidates/0/outputs/a~1b~0", 404,
         "unknown-item"),
    Case("a judged text", ADD, {"candidates": [{"key": "elm", "text": "New."}]}, "another key", 409, "text-in-use"),
    # How a set reads its log, and when it stops
    Case("unknown expert", MAKE, of_set(expert="elo"), "'hard-bt'"),
    Case("a parameter that the expert has not", MAKE, of_expert("gaussian", {"tau": 1}),
         "/expert_parameters gaussian has no parameter 'tau'; it has alpha, beta, v, power"),
    Case("a parameter of an expert that has none", MAKE, of_set(expert_parameters={"prior": 1}),
         "/expert_parameters soft-bt has no parameter 'prior'; it has none"),
    Case("a variance that is not log-concave", MAKE, of_expert("sigma-gaussian", {"v": 0.5}),
         "/expert_parameters v is 0.5; it must be at least 1"),
    Case("the same through Phi", MAKE, of_expert("phi-gaussian", {"v": 0.99}),
         "/expert_parameters v is 0.99; it must be at least 1"),
    Case("no scale", MAKE, of_expert("gaussian", {"alpha": 0}), "/expert_parameters alpha is 0; it must be"),
    Case("a power beyond what is sound", MAKE, of_expert("logit-gaussian", {"power": 2}),
         "/expert_parameters power is 2; it must be from 0"),
    Case("a negative width", MAKE, of_expert("laplace", {"b": -1}), "/expert_parameters b is -1; it must be"),
    Case("a parameter out of all proportion", MAKE, of_expert("gaussian", {"v": 1e-9}),
         "/expert_parameters/v 1e-09 is out of range; send 0, or a size from 0.01 to 100"),
    Case("NaN as a parameter", MAKE, json.dumps(of_expert("gaussian", {"v": float("nan")})), "/expert_parameters/v"),
    Case("a parameter that is no number", MAKE, of_expert("gaussian", {"v": "wide"}), "/expert_parameters/v"),
    Case("laplace without a unit prior", MAKE, of_set(expert="laplace", prior="anchor"),
         "/prior laplace needs the prior unit"),
    Case("unknown prior", MAKE, of_set(prior="flat"), "'anchor'"),
    Case("next to no prior variance", MAKE, of_set(prior_variance=1e-320), "/prior_variance"),
    Case("unknown treatment of bias", MAKE, of_set(position_bias="ignore"), "'estimate'"),
    Case("unknown batch", MAKE, of_set(selection={"batch": "bottom"}), "'top'"),
    Case("an expert cannot change", CHANGE, {"expert": "gaussian"}, "/expert"),
    Case("temperature 0", CHANGE, {"temperatures": {"bob": 0}}, "/temperatures/bob"),
    Case("temperature above 100", MAKE, of_set(temperatures={"a/b~": 101}), "/temperatures/a~1b~0"),
    Case("NaN as a temperature", CHANGE, '{"temperatures": {"bob": NaN}}', "/temperatures/bob"),
    Case("no temperatures", CHANGE, {"temperatures": None}, "/temperatures"),
    Case("temperature of nobody", CHANGE, {"temperatures": {"": 2}},
         "/temperatures/ string should have at least 1 character"),
    Case("NUL in the name of a tempered judge", CHANGE, {"temperatures": {"a\0": 2}}, "NUL"),
    Case("a stop without a criterion", MAKE, of_set(stop={}), "/stop name top_k, rank_width, entropy"),
    Case("a level alone stops nothing", CHANGE, {"stop": {"error_level": 0.1}}, "use budget"),
    Case("the best nobody", CHANGE, {"stop": {"top_k": 0}}, "/stop/top_k"),
    Case("a negative width of ranks", CHANGE, {"stop": {"rank_width": -1}}, "/stop/rank_width"),
    Case("no entropy at all", CHANGE, {"stop": {"entropy_change": 0}}, "/stop/entropy_change"),
    Case("no error at all", CHANGE, {"stop": {"top_k": 1, "error_level": 0}}, "/stop/error_level"),
    Case("a misspelt stop", CHANGE, {"stop": {"topk": 1}}, "/stop/topk"),
    Case("an overlap of nothing", MAKE, of_set(overlap={"share": 0}), "/overlap/share"),
    Case("an overlap of one judge", CHANGE, {"overlap": {"share": 0.2, "judges": 1}}, "/overlap/judges"),
    Case("bad status", "PATCH /v1/sets/{set}", {"status": "closed"}, "'open' or 'paused'"),
    Case("a question cannot change", "PATCH /v1/sets/{set}", {"question": "x"}, "/question"),
    Case("candidates of an unknown set", f"GET /v1/sets/{NOBODY}/candidates", None, NOBODY, 404, "unknown-set"),
    Case("page behind an unknown key", "GET /v1/sets/{set}/candidates?after=oak", None, "oak", 404,
         "unknown-candidate"),
    Case("NUL in a query", "GET /v1/sets/{set}/candidates?after=%00", None, "NUL"),
    # Ask
    Case("no judge to ask for", ASK, {}, "/judge"),
    Case("no pair at all", ASK, {"judge": "a", "count": 0}, "/count"),
    Case("too many pairs", ASK, {"judge": "a", "count": 1001}, "/count"),
    Case("next to no lease", ASK, {"judge": "a", "lease_seconds": 1e-308}, "/lease_seconds"),
    Case("a number of pairs in quotation marks", ASK, {"judge": "a", "count": "1"}, "/count"),
    Case("no lease", ASK, {"judge": "a", "lease_seconds": 0}, "/lease_seconds"),
    Case("too long a wait", ASK, {"judge": "a", "wait_seconds": 61}, "/wait_seconds"),
    Case("asking an unknown set", f"POST /v1/sets/{NOBODY}/next-pair", {"judge": "a"}, NOBODY, 404, "unknown-set"),
    Case("asking a deleted set", "POST /v1/sets/{deleted}/next-pair", {"judge": "a"}, "deleted", 410, "set-deleted"),
    Case("previewing too many", "GET /v1/sets/{set}/next-pair?count=1001", None, "query count"),
    Case("bad UUID among sets", "POST /v1/next-pairs", {"judge": "a", "count": 1, "sets": ["x"]}, "/sets/0"),
    Case("renewing what has expired", "POST /v1/assignments/{expired}/renew", {}, "Ask for a pair", 410, "lease-ended"),
    Case("renewing what is judged", "POST /v1/assignments/{judged}/renew", {}, "done", 410, "lease-ended"),
    Case("releasing what has expired", "POST /v1/assignments/{expired}/release", None, "expired", 410, "lease-ended"),
    Case("renewing nothing", f"POST /v1/assignments/{NOBODY}/renew", {}, NOBODY, 404, "unknown-assignment"),
    # Tell
    Case("two answers", VERDICT, {"p_first": 1, "winner": "first"}, "found p_first and winner"),
    Case("no answer at all", VERDICT, {}, "exactly one of p_first, winner, logprobs, failure"),
    Case("an answer and a failure", VERDICT, {"p_first": 1, "failure": "timeout"}, "found p_first and failure"),
    Case("unknown failure", VERDICT, {"failure": "tired"}, "/failure"),
    Case("NaN as a verdict", VERDICT, '{"p_first": NaN}', "/p_first"),
    Case("label mass above 1", VERDICT, {"p_first": 1, "label_mass": 2}, "/label_mass"),
    Case("negative latency", VERDICT, {"p_first": 1, "latency_ms": -1}, "/latency_ms"),
    Case("NaN in raw", VERDICT, '{"p_first": 1, "raw": {"a": NaN}}', "NaN"),
    Case("NUL in raw", VERDICT, {"p_first": 1, "raw": "\0"}, "NUL"),
    Case("someone else's assignment", VERDICT, {"p_first": 1, "judge": "mallory"}, "'alice'", 409,
         "foreign-assignment"),
    Case("a second verdict", "POST /v1/assignments/{judged}/verdict", {"p_first": 1}, "void", 409, "already-judged"),
    Case("a verdict on nothing", f"POST /v1/assignments/{NOBODY}/verdict", {"p_first": 1}, NOBODY, 404,
         "unknown-assignment"),
    Case("a batch of nothing", "POST /v1/verdicts", {"verdicts": []}, "/verdicts"),
    Case("one bad entry in a batch", "POST /v1/verdicts",
         {"verdicts": [{"assignment_id": NOBODY, "p_first": 1}, {"assignment_id": NOBODY}]}, "/verdicts/1"),
    Case("voiding an unknown seq", "POST /v1/sets/{set}/comparisons/99/void", {"reason": "x"}, "99", 404,
         "unknown-comparison"),
    Case("voiding a seq of another set", "POST /v1/sets/{set}/comparisons/5/void", {"reason": "x"}, "5", 404,
         "unknown-comparison"),
    Case("voiding a void", "POST /v1/sets/{set}/comparisons/2/void", {"reason": "x"}, "2", 404, "unknown-comparison"),
    Case("voiding twice", "POST /v1/sets/{set}/comparisons/1/void", {"reason": "x"}, "entry 2", 409, "already-voided"),
    Case("voiding number 0", "POST /v1/sets/{set}/comparisons/0/void", {"reason": "x"}, "path seq"),
    Case("voiding beyond 64 bits", f"POST /v1/sets/{{set}}/comparisons/{BIG}/void", {"reason": "x"},
         "9223372036854775807"),
    Case("voiding without a reason", "POST /v1/sets/{set}/comparisons/3/void", {}, "/reason"),
    # Absolute scores
    Case("score of an unknown candidate", SCORE, scored(candidate="oak", mean=7, variance=1), "/scores/1/candidate",
         404, "unknown-candidate"),
    Case("score on an unknown item", SCORE, scored(item="one", mean=7, variance=1), "/scores/1/item", 404,
         "unknown-item"),
    Case("the item of a score is missing", "POST /v1/sets/{systems}/absolute-scores",
         {"scores": [{"candidate": "kelp", "judge": "gpt", "mean": 7, "variance": 1}]}, "/scores/0/item", 422,
         "ambiguous-item"),
    Case("score of no output", "POST /v1/sets/{systems}/absolute-scores",
         {"scores": [{"candidate": "sage", "item": "one", "judge": "gpt", "mean": 7, "variance": 1}]},
         "/scores/0/candidate", 422, "missing-output"),
    Case("score by nobody", SCORE, {"scores": [{"candidate": "ash", "mean": 7, "variance": 1}]}, "/scores/0/judge"),
    Case("score that says nothing", SCORE, scored(), "exactly one of probabilities, mean"),
    Case("score in both forms", SCORE, scored(mean=7, variance=1, probabilities={"7": 1}),
         "found probabilities and mean"),
    Case("mean without variance", SCORE, scored(mean=7), "mean and variance belong together"),
    Case("variance without mean", SCORE, scored(variance=1), "mean and variance belong together"),
    Case("variance beside probabilities", SCORE, scored(variance=1, probabilities={"7": 1}), "/scores/1"),
    Case("variance 0", SCORE, scored(mean=7, variance=0), "/scores/1/variance"),
    Case("next to no variance", SCORE, scored(mean=7, variance=5e-324), "/scores/1/variance"),
    Case("negative variance", SCORE, scored(mean=7, variance=-1), "/scores/1/variance"),
    Case("variance beyond computing", SCORE, scored(mean=7, variance=1e300), "/scores/1/variance"),
    Case("infinite variance", SCORE, json.dumps(scored(mean=7, variance=float("inf"))), "/scores/1/variance"),
    Case("infinite mean", SCORE, json.dumps(scored(mean=float("inf"), variance=1)), "/scores/1/mean"),
    Case("NaN as a mean", SCORE, json.dumps(scored(mean=float("nan"), variance=1)), "/scores/1/mean"),
    Case("mean beyond computing", SCORE, scored(mean=1e200, variance=1), "/scores/1/mean"),
    Case("no probabilities", SCORE, scored(probabilities={}), "/scores/1/probabilities"),
    Case("probabilities that are all 0", SCORE, scored(probabilities={"7": 0, "8": 0.0}),
         "/scores/1 probabilities are all 0; leave out"),
    Case("negative probability", SCORE, scored(probabilities={"7": 1, "8": -0.1}), "/scores/1/probabilities/8"),
    Case("NaN as a probability", SCORE, json.dumps(scored(probabilities={"7": float("nan")})),
         "/scores/1/probabilities/7"),
    Case("infinite probability", SCORE, json.dumps(scored(probabilities={"7": float("inf")})),
         "/scores/1/probabilities/7"),
    Case("probability of a word", SCORE, scored(probabilities={"good": 1}), "the value 'good'; name numbers"),
    Case("probability of NaN", SCORE, scored(probabilities={"nan": 1}), "the value 'nan'"),
    Case("probability of infinity", SCORE, scored(probabilities={"-inf": 1}), "the value '-inf'"),
    Case("probability of a value beyond computing", SCORE, scored(probabilities={"1e308": 1}), "'1e308'"),
    Case("unknown field of a score", SCORE, scored(mean=7, variance=1, sd=1), "/scores/1/sd"),
    Case("NUL in a judge who scores", SCORE, scored(mean=7, variance=1, judge="a\0"), "NUL"),
    Case("no scores", SCORE, {"scores": []}, "/scores"),
    Case("scores of an unknown set", f"POST /v1/sets/{NOBODY}/absolute-scores", scored(mean=7, variance=1), NOBODY, 404,
         "unknown-set"),
    Case("scores from beyond 64 bits", f"GET /v1/sets/{{set}}/absolute-scores?after={BIG}", None,
         "9223372036854775807"),
    # Shared priors
    Case("pooled evidence without a scale", POOL, {"pool": "elsewhere"}, "/log_scale"),
    Case("pooled evidence that is too sure", POOL, pooled(sd=0), "an sd from 0.01 to 8"),
    Case("pooled evidence of a noise that is no number", POOL, pooled(noise={"gpt": {"mean": "x", "sd": 1}}),
         "/log_noise/gpt/mean"),
    Case("pooled evidence of nobody", POOL, pooled(noise={"": {"mean": 0, "sd": 1}}), "/log_noise"),
    Case("pooled evidence for an unknown set", f"POST /v1/sets/{NOBODY}/pooled-evidence", pooled(), NOBODY, 404,
         "unknown-set"),
    # Read
    Case("nobody among the first", "GET /v1/sets/{set}/ranking?top_k=0", None, "query top_k"),
    Case("negative epsilon", "GET /v1/sets/{set}/ranking?epsilon=-1", None, "query epsilon"),
    Case("infinite epsilon", "GET /v1/sets/{set}/ranking?epsilon=inf", None, "query epsilon"),
    Case("diagnostics of an unknown set", f"GET /v1/sets/{NOBODY}/diagnostics", None, NOBODY, 404, "unknown-set"),
    Case("calibration of nobody", "GET /v1/sets/{set}/calibration?reference=bob", None, "query judge"),
    Case("calibration against nobody", "GET /v1/sets/{set}/calibration?judge=bob", None, "query reference"),
    Case("calibration of an unknown judge", "GET /v1/sets/{set}/calibration?judge=zoe&reference=bob", None, "'zoe'",
         404, "unknown-judge"),
    Case("calibration against an unknown judge", "GET /v1/sets/{set}/calibration?judge=bob&reference=alice&reference=z",
         None, "'z'", 404, "unknown-judge"),
    Case("calibration against itself", "GET /v1/sets/{set}/calibration?judge=bob&reference=alice&reference=bob", None,
         "name other judges"),
    Case("calibration by an unknown objective",
         "GET /v1/sets/{set}/calibration?judge=bob&reference=alice&objective=auc", None, "'log-loss'"),
    Case("calibration in an unknown set", f"GET /v1/sets/{NOBODY}/calibration?judge=a&reference=b", None, NOBODY, 404,
         "unknown-set"),
    Case("unknown method", "GET /v1/sets/{set}/ranking?method=elo", None, "'bradley-terry'"),
    Case("a misspelt parameter", "GET /v1/sets/{set}/ranking?as_off=1", None, "parameter 'as_off'; use one of as_of, "),
    Case("unknown format", "GET /v1/sets/{set}/ranking?format=gif", None, "'svg'"),
    Case("as of beyond the log", "GET /v1/sets/{set}/ranking?as_of=4", None, "version 3", 422, "version-unknown"),
    Case("as of a negative version", "GET /v1/sets/{set}/ranking?as_of=-1", None, "query as_of"),
    Case("level 1", "GET /v1/sets/{set}/ranking?level=1", None, "query level"),
    Case("level next to nothing", "GET /v1/sets/{set}/ranking?level=1e-300", None, "query level"),
    Case("level NaN", "GET /v1/sets/{set}/ranking?level=nan", None, "query level"),
    Case("ranking of an unknown set", f"GET /v1/sets/{NOBODY}/ranking", None, NOBODY, 404, "unknown-set"),
    Case("predicting an unknown candidate", "GET /v1/sets/{set}/predict?first=ash&second=oak", None, "oak", 404,
         "unknown-candidate"),
    Case("predicting itself", "GET /v1/sets/{set}/predict?first=ash&second=ash", None, "different", 422,
         "same-candidate"),
    Case("predicting half a pair", "GET /v1/sets/{set}/predict?first=ash", None, "query second"),
    Case("negative limit", "GET /v1/sets/{set}/comparisons?limit=-1", None, "query limit"),
    Case("limit beyond a page", "GET /v1/sets?limit=1001", None, "query limit"),
    Case("after beyond 64 bits", f"GET /v1/sets/{{set}}/comparisons?after={2**63}", None, "9223372036854775807"),
    Case("an export from beyond 64 bits", f"GET /v1/sets/{{set}}/comparisons?format=csv&after={2**63}", None,
         "9223372036854775807"),
    Case("as of beyond 64 bits", f"GET /v1/sets/{{set}}/ranking?as_of={2**63}", None, "as_of"),
    Case("events after beyond 64 bits", f"GET /v1/sets/{{set}}/events?after={2**63}", None, "after"),
    Case("unknown export", "GET /v1/sets/{set}/comparisons?format=xlsx", None, "'parquet'"),
    Case("export of an unknown set", f"GET /v1/sets/{NOBODY}/comparisons?format=csv", None, NOBODY, 404, "unknown-set"),
    Case("events of an unknown set", f"GET /v1/sets/{NOBODY}/events", None, NOBODY, 404, "unknown-set"),
    Case("events after a word", "GET /v1/sets/{set}/events?after=yesterday", None, "query after"),
    # Any
    Case("bad UUID", "GET /v1/sets/not-a-uuid", None, "path set_id"),
    Case("not JSON", MAKE, '{"name": "n",', "not JSON at character 13"),
    Case("no body", MAKE, "", "send a JSON object"),
    Case("a list for an object", MAKE, [], "send a JSON object"),
    Case("unknown path", "GET /v1/nothing", None, "/docs", 404, "about:blank"),
    Case("wrong method", "PUT /v1/sets/{set}", {}, "PUT /v1/sets/", 405, "about:blank"),
]  # fmt: skip


async def test_bad_input_is_refused_and_writes_nothing(
    http: Http, context: Context, world: World, subtests: pytest.Subtests
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


async def test_a_value_beyond_storing_is_no_error_of_the_server(http: Http, caplog: pytest.LogCaptureFixture) -> None:
    await http.post("/v1/sets", json=of_set(name="a\0"))
    assert not caplog.records


async def test_what_the_database_refuses_is_logged_without_what_was_sent(
    http: Http, context: Context, caplog: pytest.LogCaptureFixture
) -> None:
    await run_sql(context.engine, "ALTER TABLE sets ADD CONSTRAINT honest CHECK (question <> 'Secret?')")
    answer = await http.post("/v1/sets", json=of_set(question="Secret?", name="Hidden"))
    assert answer.status_code == 500
    assert "honest" in caplog.text
    assert "Secret" not in caplog.text
    assert "Hidden" not in caplog.text


async def test_a_hundred_faults_are_listed_and_all_are_counted(http: Http) -> None:
    sent = {"comparisons": [{"first": "ash", "second": "elm", "judge": "bob", "p_first": 2}] * 1500}
    answer = await http.post(f"/v1/sets/{NOBODY}/comparisons", json=sent)
    assert_problem(answer, 422, INVALID, "(1,499 more; the first 100 are in `errors`)")
    assert len(answer.json()["errors"]) == 100


async def test_a_body_of_nothing_but_faults_is_given_up(http: Http) -> None:
    sent = {"comparisons": [{f"x{n}": 1 for n in range(20)}] * 1000}
    assert_problem(
        await http.post(f"/v1/sets/{NOBODY}/comparisons", json=sent), 422, INVALID, "more than 10,000 faults"
    )


async def test_every_fault_of_a_body_is_listed(http: Http) -> None:
    answer = await http.post("/v1/sets", json={"name": "", "order": "up", "colour": "red"})
    assert {e["pointer"] for e in answer.json()["errors"]} == {"/name", "/question", "/order", "/colour"}
    assert "3 more in `errors`" in answer.json()["detail"]


# Size


async def test_an_announced_body_over_the_limit_is_refused(small: Http) -> None:
    answer = await small.post("/v1/sets", json=of_set(context="x" * 2000))
    assert_problem(answer, 413, "body-too-large", "NEXTPAIR_MAX_BODY_BYTES")


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "k"}])
async def test_a_body_that_grows_over_the_limit_is_refused(small: Http, headers: dict[str, str]) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(30):
            yield b" " * 100

    answer = await small.post("/v1/sets", content=chunks(), headers={"Content-Type": "application/json", **headers})
    assert_problem(answer, 413, "body-too-large", "smaller parts")
    assert (await small.get("/v1/sets")).json()["sets"] == []


async def test_a_text_over_the_limit_is_refused(small: Http) -> None:
    answer = await small.post("/v1/sets", json=of_set(candidates=[{"key": "ash", "text": "x" * 101}]))
    assert_problem(answer, 413, "text-too-large", "/candidates/0/text")


@pytest.mark.parametrize("field", ["context", "question", "attribute"])
async def test_what_comes_with_every_pair_is_no_longer_than_a_text(small: Http, field: str) -> None:
    answer = await small.post("/v1/sets", json=of_set(**{field: "x" * 101}))
    assert_problem(answer, 413, "text-too-large", f"/{field}")


async def test_a_set_over_the_limit_is_refused(small: Http) -> None:
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
    http: Http, app: FastAPI, context: Context, method: str, path: str, body: Any
) -> None:
    dead = db.connect("postgresql://nobody@127.0.0.1:1/nowhere")
    app.state.context = dataclasses.replace(context, engine=dead, spare=dead)
    answer = await http.request(method, path, json=body)
    assert_problem(answer, 503, "database-down", "Send the request again")
    assert int(answer.headers["Retry-After"]) >= 1
    assert (await http.get("/healthz")).status_code == 200
    await dead.dispose()


async def test_the_service_recovers_when_the_database_has_dropped_every_connection(
    http: Http, context: Context, cluster: Any
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


async def test_a_database_that_dies_in_the_middle_has_written_nothing(http: Http, context: Context) -> None:
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


async def test_errors_are_in_words(http: Http) -> None:
    assert_problem(await http.get("/v1/sets/nonsense"), 422, "invalid-request", "not an id; copy it from the address")
    created = await create_set(http)
    preview = await http.get(f"{created.url}/next-pair", params={"pair": ["ash", "ash"]})
    for answer in (preview, await http.post("/v1/sets", json=of_set(goal={"pair": ["ash", "ash"]}))):
        assert_problem(answer, 422, "invalid-request", "pair takes two different candidates; found 'ash' twice")
        assert "Value error" not in answer.text
