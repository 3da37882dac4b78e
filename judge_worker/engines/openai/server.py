"""A server that is asked over HTTP, and what its answers mean.

A server's answer to a prompt is judged in one place, `_ask`:

    what can be read                              is the outcome of that prompt
    busy, no quota left, nobody there             is Away
    anything else, with another prompt answered   is a failure of that prompt alone
      right after it
    anything else                                 is Away, or EngineDown where a person has to mend the settings
"""

import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, TypeVar
from uuid import uuid4

import httpx

from judge_worker.engine import Away, EngineDown, Unread
from judge_worker.progress import event
from judge_worker.settings import WorkerSettings

T = TypeVar("T")
Body = Mapping[str, Any]
Answer = httpx.Response | httpx.RequestError

TRIES, FIRST_PAUSE = 5, 0.5  # seconds, doubled each time and shortened at random
PATIENCE = 30.0  # seconds: who asks for longer is away
NO_QUOTA = "insufficient_quota"
BUSY = frozenset({402, 425, 429, 503, 529})  # said of the server, whatever the prompt
PASSING = frozenset({408, 409, 425, 429, *range(500, 600)})
FEW = 5  # log-probabilities that a stingy server gives

ADDRESS = "Check --base-url and --model, and that the server runs."
KEY = "Check --engine-key, or give by --header what the server wants to see."
FIELDS = "Set a field by --body or take it out, as in --body '{\"temperature\": null}'."
LOGPROBS = (
    "Use --no-logprobs where a server gives no log-probabilities, and leave --tokenizer out where it is not vLLM 0.32 "
    "or newer."
)
OF_THE_QUESTION = {200: LOGPROBS, 400: FIELDS, 413: FIELDS, 422: FIELDS}  # a status and the remedy
OF_THE_SETTINGS = {**dict.fromkeys((301, 302, 307, 308, 404, 405), ADDRESS), **dict.fromkeys((401, 403), KEY)}


class OpenAIServer:
    """Sends requests and judges the answers. `transport` is for tests."""

    def __init__(self, settings: WorkerSettings, transport: httpx.BaseTransport | None = None) -> None:
        bearer = {"Authorization": f"Bearer {settings.engine_key}"} if settings.engine_key else {}
        headers = bearer | settings.headers
        self._address = versioned(settings.base_url or "")
        self._http = httpx.Client(
            base_url=self._address, headers=headers, timeout=settings.timeout, transport=transport,
            limits=httpx.Limits(max_connections=settings.concurrency),
        )  # fmt: skip
        self._threads = ThreadPoolExecutor(settings.concurrency, thread_name_prefix="openai")
        self._secrets = [word for value in headers.values() for word in value.split() if len(word) > 6]
        self._own_fields = settings.body
        self._changes: list[Change] = []
        self._answered: Body | None = None  # the first question that was answered
        self._away: Away | None = None

    def listed(self, model: str) -> Body:
        """Return a model's entry in the server's list, or nothing. Raises EngineDown if nobody is there."""
        answer = self._send("GET", "/models")
        if isinstance(answer, httpx.RequestError):
            raise EngineDown(f"{self._words(answer)} {ADDRESS}")
        try:
            models: dict[str, Body] = {str(each["id"]): each for each in answer.json()["data"]}
        except (LookupError, TypeError, ValueError):
            models = {}
        if model not in models:
            event("the server does not list the model", model=model, it_lists=", ".join(models)[:200] or "nothing")
        return models.get(model, {})

    def ask_all(self, path: str, bodies: Sequence[Body], read: Callable[[Body, Any], T]) -> list[T | Unread | Away]:
        """Return what `read` makes of each question and its answer, in order. Raises EngineDown.

        `read` raises LookupError, TypeError or ValueError for what it cannot read.
        """
        self._away = None
        if self._answered is None:  # one at a time, until it is known how the server wants to be asked
            return [self._ask(path, body, read) for body in bodies]
        return list(self._threads.map(lambda body: self._ask(path, body, read), bodies))

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._http.close()

    def _ask(self, path: str, body: Body, read: Callable[[Body, Any], T]) -> T | Unread | Away:
        if self._away is not None:
            return self._away
        answer = self._send("POST", path, body)
        if (outcome := _read(answer, body, read)) is not None:
            self._answered = self._answered or body
            return outcome
        words, status = self._words(answer), _status(answer)
        if self._answered is None and self._changes_for(answer):
            return self._ask(path, body, read)
        if status not in BUSY and not isinstance(answer, httpx.ConnectError | httpx.ConnectTimeout):
            if self._answers_another(path, read):
                return Unread(_failure(answer), words)
            if self._answered is None and status in OF_THE_QUESTION:
                return Unread(_failure(answer), f"{words} {OF_THE_QUESTION[status]}")
            if status in OF_THE_SETTINGS:
                raise EngineDown(f"{words} {OF_THE_SETTINGS[status]}")
        self._away = Away(words, _retry_after(answer))
        return self._away

    def _answers_another(self, path: str, read: Callable[[Body, Any], Any]) -> bool:
        """Tell whether a question that was answered before still is."""
        if self._answered is None:
            return False
        again = _anew(self._answered)
        return _read(self._send("POST", path, again), again, read) is not None

    def _changes_for(self, refusal: Answer) -> bool:
        """Learn from a refusal how the server wants to be asked."""
        if _status(refusal) not in (400, 422) or not isinstance(refusal, httpx.Response):
            return False
        for words, change in CHANGES.items():
            if change not in self._changes and re.search(words, refusal.text, re.IGNORECASE):
                self._changes.append(change)
                return True
        return False

    def _send(self, method: str, path: str, body: Body | None = None) -> Answer:
        """The last answer of several, while the server may answer better in a moment."""
        for tried in range(TRIES):
            answer = self._try(method, path, body)
            pause = _pause(answer, tried)
            if pause is None or tried + 1 == TRIES:
                break
            time.sleep(pause)
        return answer

    def _try(self, method: str, path: str, body: Body | None) -> Answer:
        try:
            return self._http.request(method, path, json=None if body is None else self._shaped(body))
        except httpx.RequestError as error:
            return error
        except httpx.InvalidURL as error:
            raise EngineDown(f"{self._address} is no address of a server: {error}.") from error

    def _shaped(self, body: Body) -> Body:
        for change in self._changes:
            body = change(body)
        return {name: value for name, value in {**body, **self._own_fields}.items() if value is not None}

    def _words(self, answer: Answer) -> str:
        """Describe an answer to a person, without what was sent in secret."""
        if isinstance(answer, httpx.ReadTimeout):
            words = f"gave no answer in {self._http.timeout.read:g} seconds"
        elif isinstance(answer, httpx.RequestError):
            words = f"gave no answer: {answer or type(answer).__name__}"
        else:
            words = f"answered {answer.status_code}: {' '.join(answer.text.split())[:300]}"
        for secret in self._secrets:
            words = words.replace(secret, "...")
        return f"{httpx.URL(self._address).copy_with(userinfo=b'')} {words}."


def versioned(base_url: str) -> str:
    """The address with /v1 in its path, unless a version is there already."""
    address = base_url.rstrip("/")
    return address if re.search(r"[^:/]/(.*/)?v\d", address) else f"{address}/v1"


# How a server wants to be asked, by what its refusal says

Change = Callable[[Body], Body]


def _of_completion(body: Body) -> Body:
    return {("max_completion_tokens" if name == "max_tokens" else name): value for name, value in body.items()}


def _fewer(body: Body) -> Body:
    return {**body, "top_logprobs": FEW} if "top_logprobs" in body else body


CHANGES: Mapping[str, Change] = {"max_completion_tokens|unsupported.*max_tokens": _of_completion, "logprobs": _fewer}


def _anew(body: Body) -> Body:
    """The question in other words, so that no cache on the way answers it."""
    if "messages" not in body:
        return body
    *before, last = body["messages"]
    return {**body, "messages": [*before, {**last, "content": f"{last['content']}\n({uuid4()})"}]}


# What a server answers


def _read(answer: Answer, body: Body, read: Callable[[Body, Any], T]) -> T | None:
    if not isinstance(answer, httpx.Response) or not answer.is_success:
        return None
    try:
        return read(body, answer.json())
    except (LookupError, TypeError, ValueError):
        return None


def _status(answer: Answer) -> int:
    return answer.status_code if isinstance(answer, httpx.Response) else 0


def _failure(answer: Answer) -> Literal["refused", "parse_error", "timeout"]:
    if isinstance(answer, httpx.TimeoutException) or _status(answer) in (408, 504):
        return "timeout"
    return "parse_error" if _status(answer) == 200 else "refused"


def _pause(answer: Answer, tried: int) -> float | None:
    """Seconds until it is of use to try again, never fewer than the server asks for; None if it is of no use soon."""
    if isinstance(answer, httpx.Response) and (answer.status_code not in PASSING or NO_QUOTA in answer.text):
        return None
    if (isinstance(answer, httpx.ReadTimeout) and tried) or _retry_after(answer) > PATIENCE:
        return None
    return _retry_after(answer) + FIRST_PAUSE * 2.0**tried * random.random()


def _retry_after(answer: Answer) -> float:
    seconds = answer.headers.get("Retry-After", "") if isinstance(answer, httpx.Response) else ""
    return float(seconds) if re.fullmatch(r"\d+(\.\d+)?", seconds) else 0.0
