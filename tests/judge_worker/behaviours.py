"""Servers as they behave: what one may answer, and what becomes of fifteen pairs that are asked there.

Time is that of a clock which only sleeping, waiting and answering move on. One of the pairs, the odd one, has a text
that some servers stumble over.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from math import log
from typing import Any, NamedTuple

import httpx

PAIRS = 15
ODD = "ODD"  # in a text
WELL = 10  # chats that are answered before something happens: two examples and eight pairs
LATENCY = 0.05  # seconds
TIMEOUT = 15.0  # seconds
KEY = "sk-0123456789"
HOUR = 3600.0


class Clock:
    """A clock that several threads sleep by at the same time."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._alone = threading.Lock()

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        until = self.now + seconds
        with self._alone:
            self.now = max(self.now, until)


class Asked(NamedTuple):
    """A chat, as the server sees it."""

    n: int  # how many came before
    since: float  # seconds since the first one after WELL
    odd: bool
    body: Mapping[str, Any]
    request: httpx.Request
    clock: Clock


Answer = Callable[[Asked], httpx.Response | None]  # None: as a server does that is well


@dataclass
class Server:
    """Answers as its behaviour says. Its model prefers the first text."""

    behaviour: "Behaviour"
    clock: Clock
    asked: list[httpx.Request] = field(default_factory=list)
    given: int = 0  # answers that can be read
    _began: float | None = None
    _alone: Any = field(default_factory=threading.Lock)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json={"data": [{"id": "m"}]})
        with self._alone:
            n = len(self.asked)
            self.asked.append(request)
            if n == WELL:
                self._began = self.clock.now
        self.clock.sleep(LATENCY)
        body = json.loads(request.content)
        since = self.clock.now - self._began if self._began is not None else -1.0
        odd = ODD in body["messages"][-1]["content"]
        answer = self.behaviour.answer(Asked(n, since, odd, body, request, self.clock))
        if answer is None:
            self.given += 1
            return completion(body, self.behaviour.words)
        return answer


class Behaviour(NamedTuple):
    """What a server does, and what is to become of it."""

    name: str
    answer: Answer
    stored: int = PAIRS
    failures: Mapping[str, int] = {}
    ends: str = ""  # what the worker says as it ends
    settings: Mapping[str, Any] = {}
    words: str = "A"  # of a model that prefers the first
    most: int = 100_000  # chats


# What a server says


def completion(body: Mapping[str, Any], words: str = "A", **message: Any) -> httpx.Response:
    """A chat completion, cut off where it has as many tokens as are allowed."""
    tokens = re.findall(r"\s*[\w<>/]+|\s*\W", words)
    budget = body.get("max_tokens") or body.get("max_completion_tokens") or 16
    written = tokens[:budget]
    content = [{"token": token, "logprob": log(0.9), "top_logprobs": _likeliest(token)} for token in written]
    choice = {
        "message": {"role": "assistant", "content": "".join(written), **message},
        "finish_reason": "length" if len(tokens) > budget else "stop",
        "logprobs": {"content": content} if body.get("logprobs") else None,
    }
    return httpx.Response(200, json={"choices": [choice], "usage": {"prompt_tokens": 42}})


def _likeliest(token: str) -> list[dict[str, object]]:
    other = token.replace("A", "B") if "A" in token else f"{token}s"
    return [{"token": token, "logprob": log(0.7)}, {"token": other, "logprob": log(0.2)}]


def error(status: int, code: object, message: str = "no", **headers: str) -> httpx.Response:
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, json={"error": {"message": message, "code": code}}, headers=headers)


def date_in(seconds: float) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


class _Drip(httpx.SyncByteStream):
    """A byte now and then, without end."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def __iter__(self) -> Iterator[bytes]:
        while True:
            self._clock.sleep(5.0)
            yield b" "


# When it says so


def well(asked: Asked) -> None:
    return None


def outage(seconds: float, say: Callable[[Asked], httpx.Response]) -> Answer:
    """All is well, then nothing is, and then all is again."""
    return lambda asked: say(asked) if 0.0 <= asked.since < seconds else None


def status(code: int, text: str = "not now", **headers: str) -> Callable[[Asked], httpx.Response]:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: httpx.Response(code, text=text, headers=given)


def success(**answer: Any) -> Callable[[Asked], httpx.Response]:
    return lambda _: httpx.Response(200, **answer)


def breaks(kind: type[httpx.RequestError]) -> Callable[[Asked], httpx.Response]:
    def fail(asked: Asked) -> httpx.Response:
        asked.clock.sleep(TIMEOUT if issubclass(kind, httpx.TimeoutException) else 0.0)
        raise kind("broken", request=asked.request)

    return fail


def only_odd(say: Callable[[Asked], httpx.Response]) -> Answer:
    return lambda asked: say(asked) if asked.odd else None


def now_and_then(fails: Callable[[Asked], bool]) -> Answer:
    return lambda asked: httpx.Response(500, text="oops") if asked.n >= WELL and fails(asked) else None


def from_then_on(say: Callable[[Asked], httpx.Response]) -> Answer:
    return lambda asked: say(asked) if asked.n >= WELL else None


def only_under(url: str) -> Answer:
    return lambda asked: None if str(asked.request.url) == url else httpx.Response(404, text="Not Found")


def redirected(location: str, code: int, keyless: bool = False) -> Answer:
    """The answer is elsewhere, and there no key may arrive from another origin."""

    def answer(asked: Asked) -> httpx.Response | None:
        if str(asked.request.url) != location:
            return httpx.Response(code, headers={"Location": location})
        secret = asked.request.headers.get("Authorization") or asked.request.headers.get("api-key")
        return None if (secret is None) == keyless else httpx.Response(400, text=f"leaked: {secret}")

    return answer


WORDS = {"logprobs": False}
REFUSED, PARSE, TIMED_OUT = {"refused": 1}, {"parse_error": 1}, {"timeout": 1}
ALL_BUT_ONE = PAIRS - 1

OUTAGES = [
    Behaviour("500 for 2 seconds", outage(2.0, status(500))),
    Behaviour("500 for 17 seconds", outage(17.0, status(500))),
    Behaviour("500 for a minute", outage(60.0, status(500))),
    Behaviour("500 for an hour", outage(HOUR, status(500)), most=3000),
    Behaviour("502 with a page of HTML", outage(17.0, status(502, "<html>Bad Gateway</html>"))),
    Behaviour("503 for 17 seconds", outage(17.0, status(503))),
    Behaviour("503 and Retry-After in seconds", outage(20.0, status(503, Retry_After="20"))),
    Behaviour("503 and Retry-After as a date", outage(20.0, status(503, Retry_After=date_in(25.0))), most=60),
    Behaviour("503 and Retry-After of an hour", outage(HOUR, status(503, Retry_After="3600")), most=150),
    Behaviour("504 for 17 seconds", outage(17.0, status(504))),
    Behaviour("520 for 17 seconds", outage(17.0, status(520))),
    Behaviour("529 for 17 seconds", outage(17.0, status(529))),
    Behaviour("429 for 17 seconds", outage(17.0, status(429))),
    Behaviour("429 and Retry-After in seconds", outage(7.0, status(429, Retry_After="7")), most=60),
    Behaviour("429 and Retry-After as a date", outage(7.0, status(429, Retry_After=date_in(10.0))), most=60),
    Behaviour("429 and Retry-After of half a second", outage(2.0, status(429, Retry_After="0.5"))),
    Behaviour("429, no quota for an hour", outage(HOUR, lambda _: error(429, "insufficient_quota")), most=500),
    Behaviour("402 for an hour", outage(HOUR, status(402)), most=500),
    Behaviour("408 for 17 seconds", outage(17.0, status(408))),
    Behaviour("409 for 17 seconds", outage(17.0, status(409))),
    Behaviour("425 for 17 seconds", outage(17.0, status(425))),
    Behaviour("400 of a proxy without budget", outage(HOUR, status(400, "budget exceeded")), most=1000),
    Behaviour("nobody at the address", outage(17.0, breaks(httpx.ConnectError))),
    Behaviour("no connection in time", outage(60.0, breaks(httpx.ConnectTimeout))),
    Behaviour("connections reset", outage(17.0, breaks(httpx.ReadError))),
    Behaviour("answers cut off", outage(17.0, breaks(httpx.RemoteProtocolError))),
    Behaviour("all requests hang for a minute", outage(60.0, breaks(httpx.ReadTimeout))),
    Behaviour("200 with a page of HTML", outage(17.0, success(text="<html>Maintenance</html>"))),
    Behaviour("200 with nothing", outage(17.0, success(content=b""))),
    Behaviour("200 with half of the JSON", outage(17.0, success(text='{"choices": [{"mess'))),
    Behaviour("200 with null", outage(17.0, success(text="null"))),
    Behaviour("200 with an error of the server", outage(17.0, lambda _: error(200, "server_error"))),
    Behaviour("200 with the error 429", outage(17.0, lambda _: error(200, 429))),
    Behaviour("200 with an error that says overloaded", outage(17.0, success(json={"error": "overloaded"}))),
    Behaviour(
        "200 with the error 502 in a choice", outage(17.0, success(json={"choices": [{"error": {"code": 502}}]}))
    ),
    Behaviour("200 with an object that is an error", outage(17.0, success(json={"object": "error", "code": 503}))),
    Behaviour("200 with an error that says nothing", outage(17.0, success(json={"error": {"message": "?"}}))),
    Behaviour("every second answer a 500", now_and_then(lambda asked: asked.n % 2 == 0)),
    Behaviour("two of three answers a 500", now_and_then(lambda asked: asked.n % 3 != 0)),
    Behaviour("four of five answers a 500", now_and_then(lambda asked: asked.n % 5 != 0)),
    Behaviour(
        "up for a second of every five", now_and_then(lambda asked: asked.since < 60.0 and asked.since % 5.0 > 1.0)
    ),
    Behaviour(
        "down, and then up by halves",
        now_and_then(lambda asked: asked.since < 10.0 or (asked.since < 30.0 and asked.n % 2 == 0)),
    ),
]

OF_ONE_PAIR = [
    Behaviour("500 for one pair", only_odd(status(500)), ALL_BUT_ONE, REFUSED),
    Behaviour("504 for one pair", only_odd(status(504)), ALL_BUT_ONE, TIMED_OUT),
    Behaviour("400 for one pair", only_odd(status(400, "no")), ALL_BUT_ONE, REFUSED),
    Behaviour("413 for one pair", only_odd(status(413, "too long")), ALL_BUT_ONE, REFUSED),
    Behaviour("403 for one pair", only_odd(status(403, "blocked")), ALL_BUT_ONE, REFUSED),
    Behaviour(
        "403 for one pair, 429 now and then",
        lambda asked: httpx.Response(403 if asked.odd else 429) if asked.odd or asked.n % 3 == 0 else None,
        ALL_BUT_ONE,
        REFUSED,
    ),
    Behaviour(
        "429, one pair is larger than the limit",
        only_odd(lambda _: error(429, "rate_limit_exceeded", "Request too large for m")), ALL_BUT_ONE, REFUSED,
    ),
    Behaviour(
        "400 by a content filter", only_odd(lambda _: error(400, "content_filter")), ALL_BUT_ONE, REFUSED, most=17
    ),
    Behaviour("one pair hangs", only_odd(breaks(httpx.ReadTimeout)), ALL_BUT_ONE, TIMED_OUT, most=20),
    Behaviour(
        "a byte now and then", only_odd(lambda asked: httpx.Response(200, stream=_Drip(asked.clock))), ALL_BUT_ONE,
        TIMED_OUT,
    ),
    Behaviour("one answer always cut off", only_odd(breaks(httpx.RemoteProtocolError)), ALL_BUT_ONE, REFUSED),
    Behaviour(
        "message.refusal", only_odd(lambda asked: completion(asked.body, "", refusal="I cannot help.")), ALL_BUT_ONE,
        REFUSED, most=17,
    ),
    Behaviour(
        "finish_reason content_filter",
        only_odd(success(json={"choices": [{"message": {"content": None}, "finish_reason": "content_filter"}]})),
        ALL_BUT_ONE, REFUSED, most=17,
    ),
    Behaviour(
        "200 with a content filter's error", only_odd(lambda _: error(200, "content_filter")), ALL_BUT_ONE, REFUSED,
        most=17,
    ),
    Behaviour(
        "200 with an error about the request", only_odd(lambda _: error(200, "invalid_request_error")), ALL_BUT_ONE,
        REFUSED,
    ),
    Behaviour("200 without choices for one pair", only_odd(success(json={"choices": []})), ALL_BUT_ONE, PARSE),
    Behaviour(
        "a message without content", only_odd(success(json={"choices": [{"message": {"role": "assistant"}}]})),
        ALL_BUT_ONE, PARSE, most=17,
    ),
    Behaviour(
        "a message without content, and no log-probabilities",
        only_odd(success(json={"choices": [{"message": {"role": "assistant"}, "finish_reason": "length"}]})),
        ALL_BUT_ONE, PARSE, settings=WORDS, most=18,
    ),
    Behaviour(
        "parts that are no objects", only_odd(lambda asked: completion(asked.body, content=["A"])), ALL_BUT_ONE, PARSE,
        settings=WORDS,
    ),
    Behaviour(
        "an answer without a label", only_odd(lambda asked: completion(asked.body, "Sorry, no.")), ALL_BUT_ONE, PARSE
    ),
]  # fmt: skip

UNTIL_MENDED = [
    Behaviour("401 in mid-batch", from_then_on(status(401, "revoked")), WELL - 2, ends="401: revoked.*--engine-key"),
    Behaviour("403 in mid-batch", from_then_on(status(403)), WELL - 2, ends="403.*--header"),
    Behaviour("404 in mid-batch", from_then_on(status(404)), WELL - 2, ends="404.*--model"),
    Behaviour("405 in mid-batch", from_then_on(status(405)), WELL - 2, ends="405.*--base-url"),
    Behaviour(
        "200 with the error of a bad key", from_then_on(lambda _: error(200, "invalid_api_key")), WELL - 2,
        ends="401.*--engine-key",
    ),
]  # fmt: skip

PARTS = [{"type": "thinking", "text": "B"}, {"type": "text", "text": "A"}]
AZURE = "http://azure/openai/deployments/m"
MANNERS = [
    Behaviour("no /v1 at all", only_under("http://engine/chat/completions")),
    Behaviour(
        "a path without /v1", only_under("http://engine/llm/chat/completions"), settings={"base_url": "http://engine/llm"}
    ),
    Behaviour(
        "Azure's api-version", only_under(f"{AZURE}/chat/completions?api-version=2024-10-21"),
        settings={"base_url": f"{AZURE}?api-version=2024-10-21"},
    ),
    Behaviour(
        "the address of the chats themselves", only_under("http://engine/v3/chat/completions"),
        settings={"base_url": "http://engine/v3/chat/completions"},
    ),
    Behaviour("307 to another path", redirected("http://engine/elsewhere", 307)),
    Behaviour("308 to another path", redirected("http://engine/elsewhere", 308)),
    Behaviour("307 to another origin, without the key", redirected("http://other/v1/chat", 307, keyless=True)),
    Behaviour("thoughts before the label", well, words="<think>Is it B? No.</think>\n\nA"),
    Behaviour("thoughts, and no log-probabilities", well, words="<think>Is it B? No.</think>\n\nA", settings=WORDS),
    Behaviour("Answer: A", well, words="Answer: A"),
    Behaviour("Answer: A, and no log-probabilities", well, words="**Answer:** A", settings=WORDS),
    Behaviour("a sentence that ends in the label", well, words="Unlike Text B it is clear, so the better is Text A."),
    Behaviour(
        "a sentence, and no log-probabilities", well, words="I think the better one is Text A.", settings=WORDS
    ),
    Behaviour("another label where it is cut", well, words="When comparing Text B with the other: Text A."),
    Behaviour(
        "another label where it is cut, and no log-probabilities", well,
        words="When comparing Text B with the other: Text A.", settings=WORDS,
    ),
    Behaviour("Text B is worse", well, words="Text B: it is worse. Better is Text A."),
    Behaviour(
        "content as a list of parts",
        lambda asked: completion(asked.body, content=PARTS),
        settings=WORDS,
    ),
    Behaviour(
        "blank lines before the JSON",
        lambda asked: httpx.Response(200, content=b"\n\n" + completion(asked.body).content),
    ),
]  # fmt: skip

BEHAVIOURS = [*OUTAGES, *OF_ONE_PAIR, *UNTIL_MENDED, *MANNERS]
