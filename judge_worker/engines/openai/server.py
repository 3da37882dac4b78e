"""A server that is asked over HTTP, and what its answers mean.

A server's answer to a prompt is judged in one place, `_ask`:

    what can be read                              is the outcome of that prompt
    a refusal, in whatever words                  is one too
    busy, no quota left, nobody there             is Away
    anything else, twice, and each time another   is a failure of that prompt alone
      prompt is answered right after it
    anything else                                 is Away, or EngineDown where a person has to mend the settings

An error in an answer of 200 counts as the status that it stands for. Which statuses are worth another try is said here,
when to try again by the client's retries.
"""

import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, nullcontext
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar
from uuid import uuid4

import httpx
from nextpair.sending.retries import Backoff, Reply, retry_after

from judge_worker.engine import Away, EngineDown, Unread
from judge_worker.engines.openai.addresses import Address
from judge_worker.engines.openai.errors import is_cut_off, meant_status, refusal
from judge_worker.engines.openai.settings import Settings
from judge_worker.progress import event

T = TypeVar("T")
Body = Mapping[str, Any]

BATCHES = 4  # at a time: a prompt that hangs holds up no other batch
RETRIES = 5
RETRIED_WITHIN = 30.0  # seconds: who asks for longer is away
ROUNDS = 2  # failures while the server answers other prompts: then it is the prompt's
REDIRECTS = 5
NO_QUOTA = "insufficient_quota"
BUSY = frozenset({402, 425, 429, 503, 529})
TRANSIENT = frozenset({408, 409, 425, 429, *range(500, 600)})
FEWEST_LOGPROBS = 5  # log-probabilities that a stingy server gives
LONG_ANSWER = 4096  # tokens, for a model that thinks or explains before it answers

ADDRESS = "Check --base-url and --model, and that the server runs."
KEY = "Check --engine-key, or send the header that the server needs by --header."
FIELDS = "Set or remove a field by --body, such as --body '{\"temperature\": null}'."
LOGPROBS = (
    "Use --no-logprobs if the server gives no log-probabilities. Leave out --tokenizer unless it is vLLM 0.32 or newer."
)
OF_THE_QUESTION = {200: LOGPROBS, 400: FIELDS, 413: FIELDS, 422: FIELDS}  # a status and the remedy
UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
OF_THE_SETTINGS = {**dict.fromkeys((301, 302, 307, 308, 404, 405), ADDRESS), **dict.fromkeys((401, 403), KEY)}


class Question(NamedTuple, Generic[T]):
    """A request, and how its answer is read: `read` raises one of UNREADABLE where it cannot."""

    body: Body
    read: Callable[[Any], T | Unread]


@dataclass
class _Batch:
    """State while a batch is asked: once the server is away, nothing more of it is asked."""

    away: Away | None = None


class OpenAIServer:
    """Sends requests and judges the answers. `transport`, `sleep` and `clock` are for tests."""

    def __init__(
        self,
        settings: Settings,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        bearer = {"Authorization": f"Bearer {settings.engine_key}"} if settings.engine_key else {}
        self._headers = bearer | settings.headers
        self._address = Address(settings.base_url)
        self._http = httpx.Client(
            timeout=settings.timeout, transport=transport, limits=httpx.Limits(max_connections=settings.concurrency)
        )
        self._timeout, self._sleep, self._clock = settings.timeout, sleep, clock
        self._backoff = Backoff(RETRIES, random.random, TRANSIENT, RETRIED_WITHIN)
        self._threads = ThreadPoolExecutor(settings.concurrency, thread_name_prefix="openai")
        self._secrets = [word for value in self._headers.values() for word in value.split() if len(word) > 6]
        self._own_fields = settings.body
        self._changes: list[Change] = []
        self._first = threading.Lock()
        self._answered: Question[Any] | None = None  # the first question that was answered

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

    def ask_all(
        self, path: str, prompts: Sequence[Sequence[Question[T]]]
    ) -> Iterator[tuple[int, list[T] | Unread | Away]]:
        """Yield the number of each prompt with the answers to its questions, as they come.

        A prompt's questions are asked one after the other, until one has no answer. Raises EngineDown, after all that
        was answered.
        """
        batch, down = _Batch(), None
        numbers = {self._threads.submit(self._answers, path, each, batch): n for n, each in enumerate(prompts)}
        try:
            for future in as_completed(numbers):
                try:
                    answers = future.result()
                except EngineDown as error:
                    down, batch.away = down or error, batch.away or Away(str(error))
                else:
                    if not (down and isinstance(answers, Away)):
                        yield numbers[future], answers
        finally:
            batch.away = batch.away or Away("nobody waits for the answer")
        if down:
            raise down

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._http.close()

    def _answers(self, path: str, questions: Sequence[Question[T]], batch: _Batch) -> list[T] | Unread | Away:
        answers = []
        for question in questions:
            # one at a time, until it is known how the server wants to be asked
            with self._first if self._answered is None else nullcontext():
                answer = self._ask(path, question, batch)
            if isinstance(answer, Unread | Away):
                return answer
            answers.append(answer)
        return answers

    def _ask(self, path: str, question: Question[T], batch: _Batch) -> T | Unread | Away:
        for _ in range(ROUNDS):
            if batch.away is not None:
                return batch.away
            answer = self._send("POST", path, question.body)
            if (outcome := _read(answer, question)) is not None:
                if _is_cut_off(answer, outcome) and (longer := self._with_more_tokens(question)):
                    whole = self._ask(path, longer, batch)
                    return outcome if self._took_no_more(whole, question) else whole
                self._answered = self._answered or question
                return outcome
            if self._answered is None and self._learns_from(answer):
                return self._ask(path, question, batch)
            if (failure := self._failure_of_the_server(path, answer)) is not None:
                return self._unanswered(answer, failure, batch)
        return Unread(_failure(answer), self._words(answer))

    def _failure_of_the_server(self, path: str, answer: Reply) -> Reply | None:
        """A failure that is not the prompt's own: this one, or that of a question which was answered before.

        None if that question is answered again: at once, where this failure may be one of an outage that just ends.
        """
        is_busy = _status(answer) in BUSY or isinstance(answer, httpx.ConnectError | httpx.ConnectTimeout)
        if self._answered is None or is_busy:
            return answer
        again = self._answered._replace(body=_reworded(self._answered.body))
        ask = self._try if _status(answer) in {0, *TRANSIENT} else self._send
        other = ask("POST", path, again.body)
        return other if _read(other, again) is None else None

    def _unanswered(self, answer: Reply, failure: Reply, batch: _Batch) -> Unread | Away:
        """The server's failure. Raises EngineDown where a person has to mend the settings."""
        words, status = self._words(answer), _status(answer)
        if self._answered is None and status in OF_THE_QUESTION:
            return Unread(_failure(answer), f"{words} {OF_THE_QUESTION[status]}")
        if status in OF_THE_SETTINGS and _status(failure) in OF_THE_SETTINGS:
            raise EngineDown(f"{words} {OF_THE_SETTINGS[status]}")
        batch.away = Away(words, max(retry_after(answer), retry_after(failure)))
        return batch.away

    def _learns_from(self, answer: Reply) -> bool:
        """Learn from a refusal how the server wants to be asked."""
        if _status(answer) in (404, 405):
            return self._address.try_another()
        if _status(answer) not in (400, 422) or not isinstance(answer, httpx.Response):
            return False
        for words, change in CHANGES.items():
            if change not in self._changes and re.search(words, answer.text, re.IGNORECASE):
                self._changes.append(change)
                return True
        return False

    def _with_more_tokens(self, question: Question[T]) -> Question[T] | None:
        """The question with more tokens to answer in; all that follow too, where it is the first. None if it had."""
        if self._shaped(_longer(question.body)) == self._shaped(question.body):
            return None
        if self._answered is None:
            self._changes.insert(0, _longer)
            return question
        return question._replace(body=_longer(question.body))

    def _took_no_more(self, whole: Any, question: Question[Any]) -> bool:
        """Whether the server refuses a question with so many tokens: no other is then asked so."""
        if not isinstance(whole, Unread) or whole.failure != "refused":
            return False
        self._changes = [change for change in self._changes if change is not _longer]
        self._answered = self._answered or question
        return True

    def _send(self, method: str, path: str, body: Body | None = None) -> Reply:
        """The last answer of several, while the server may answer better in a moment."""
        tried, answer = 1, self._try(method, path, body)
        while not _is_final(answer) and (pause := self._backoff.pause(answer, tried)) is not None:
            self._sleep(pause)
            tried, answer = tried + 1, self._try(method, path, body)
        return answer

    def _try(self, method: str, path: str, body: Body | None) -> Reply:
        """An answer, whose status is the one that it means."""
        try:
            request = self._http.build_request(
                method,
                self._address.url(path),
                json=None if body is None else self._shaped(body),
                headers=self._headers,
            )
            answer = self._exchange(request)
        except httpx.RequestError as error:
            return error
        except httpx.InvalidURL as error:
            raise EngineDown(f"{self._address} is not the address of a server: {error}.") from error
        answer.status_code = meant_status(answer)
        return answer

    def _exchange(self, request: httpx.Request) -> httpx.Response:
        """The answer, where redirects lead. Nothing that was given in secret is sent to another origin."""
        until = self._clock() + self._timeout
        for _ in range(REDIRECTS):
            answer = self._http.send(request, stream=True)
            answer.stream = _Until(answer, until, self._clock)
            with closing(answer):
                answer.read()
            following = answer.next_request
            if following is None or following.method != request.method:
                break
            if _origin(following.url) != _origin(request.url):
                for name in self._headers:
                    following.headers.pop(name, None)
            request = following
        return answer

    def _shaped(self, body: Body) -> Body:
        for change in self._changes:
            body = change(body)
        return {name: value for name, value in {**body, **self._own_fields}.items() if value is not None}

    def _words(self, answer: Reply) -> str:
        """Describe an answer to a person, without what was sent in secret."""
        if isinstance(answer, httpx.ReadTimeout):
            words = f"gave no answer in {self._timeout:g} seconds"
        elif isinstance(answer, httpx.RequestError):
            words = f"gave no answer: {answer or type(answer).__name__}"
        else:
            words = f"answered {answer.status_code}: {' '.join(answer.text.split())[:300]}"
        for secret in self._secrets:
            words = words.replace(secret, "...")
        return f"{self._address} {words}."


class _Until(httpx.SyncByteStream):
    """The body of an answer, which times out as a whole: a server may send a byte now and then without end."""

    def __init__(self, answer: httpx.Response, until: float, clock: Callable[[], float]) -> None:
        self._stream, self._request, self._until, self._clock = answer.stream, answer.request, until, clock

    def __iter__(self) -> Iterator[bytes]:
        assert isinstance(self._stream, httpx.SyncByteStream)
        for chunk in self._stream:
            if self._clock() > self._until:
                raise httpx.ReadTimeout("the answer takes too long", request=self._request)
            yield chunk

    def close(self) -> None:
        assert isinstance(self._stream, httpx.SyncByteStream)
        self._stream.close()


# How a server wants to be asked, by what its refusal says

Change = Callable[[Body], Body]


def _longer(body: Body) -> Body:
    return {**body, "max_tokens": LONG_ANSWER} if "messages" in body else body


CHANGES: Mapping[str, Change] = {
    "max_completion_tokens|unsupported.*max_tokens": lambda body: {
        ("max_completion_tokens" if name == "max_tokens" else name): value for name, value in body.items()
    },
    "logprobs": lambda body: {**body, "top_logprobs": FEWEST_LOGPROBS} if "top_logprobs" in body else body,
}


def _reworded(body: Body) -> Body:
    """The question in other words, so that no cache on the way answers it."""
    if "messages" not in body:
        return body
    *before, last = body["messages"]
    return {**body, "messages": [*before, {**last, "content": f"{last['content']}\n({uuid4()})"}]}


# What a server answers


def _read(answer: Reply, question: Question[T]) -> T | Unread | None:
    if not isinstance(answer, httpx.Response):
        return None
    if words := refusal(answer):
        return Unread("refused", words)
    if not answer.is_success:
        return None
    try:
        return question.read(answer.json())
    except UNREADABLE:
        return None


def _is_cut_off(answer: Reply, outcome: Any) -> bool:
    """Whether no label was read in an answer that ends in the middle."""
    if not isinstance(outcome, Unread) or outcome.failure != "parse_error" or not isinstance(answer, httpx.Response):
        return False
    return is_cut_off(answer.json())


def _status(answer: Reply) -> int:
    return answer.status_code if isinstance(answer, httpx.Response) else 0


def _failure(answer: Reply) -> Literal["refused", "parse_error", "timeout"]:
    if isinstance(answer, httpx.TimeoutException) or _status(answer) in (408, 504):
        return "timeout"
    return "parse_error" if _status(answer) == 200 else "refused"


def _is_final(answer: Reply) -> bool:
    """Whether asking the same soon cannot help: a prompt that takes too long, a quota that is used up."""
    if isinstance(answer, httpx.Response):
        return NO_QUOTA in answer.text
    return isinstance(answer, httpx.ReadTimeout)


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
