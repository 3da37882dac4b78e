"""Any server that speaks OpenAI's protocol.

    vLLM's own server, with a tokenizer here   /completions by token ids: exact, and no text can become markup
    any other, or without a tokenizer          /chat/completions: the likeliest tokens where the label is written

In the second way a label that is not among those tokens has at most the smallest of their probabilities, and at most
what they leave: the reading takes that bound and says so. The prefix of a template cannot be given, so the model is
told which labels to answer with, and may write the prefix before the label. Strings that look like a chat template's
markers are spaced out. Without log-probabilities (`--no-logprobs`) the label that is written counts as certain.

A server's answer to a prompt is judged in one place, `OpenAIServer._ask`:

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
from itertools import permutations
from math import exp, log
from typing import Any, Literal, NamedTuple, TypeVar
from uuid import uuid4

import httpx

from judge_worker.engine import Away, BadLabels, Engine, EngineDown, LabelReading, Outcome, Unread
from judge_worker.progress import event
from judge_worker.prompts import Prompt
from judge_worker.settings import WorkerSettings
from judge_worker.tokens import Encoded, PromptEncoder, TokenQuestion, read_answers, too_long

T = TypeVar("T")
Body = Mapping[str, Any]
Answer = httpx.Response | httpx.RequestError

CHAT, COMPLETIONS = "/chat/completions", "/completions"
TOP, FEW = 20, 5  # log-probabilities: the most that the protocol allows, and what a stingy server gives
WORDS = 4  # tokens: the prefix may come before the label
TRIES, FIRST_PAUSE = 5, 0.5  # seconds, doubled each time and shortened at random
PATIENCE = 30.0  # seconds: who asks for longer is away
NO_QUOTA = "insufficient_quota"
BUSY = frozenset({402, 425, 429, 503, 529})  # said of the server, whatever the prompt
PASSING = frozenset({408, 409, 425, 429, *range(500, 600)})
MARKERS = re.compile(r"<(?=[|/a-zA-Z_])|(?<=\|)>|\[(?=/?INST\])")  # where markers of known chat templates begin or end
DECORATION = " \t\n*_`'\"().:>#"  # that models put around a label
LEAST = 1e-12  # of a probability that is only bounded

ADDRESS = "Check --base-url and --model, and that the server runs."
KEY = "Check --engine-key, or give by --header what the server wants to see."
FIELDS = "Set a field by --body or take it out, as in --body '{\"temperature\": null}'."
LOGPROBS = (
    "Use --no-logprobs where a server gives no log-probabilities, and leave --tokenizer out where it is not vLLM 0.32 "
    "or newer."
)
OF_THE_QUESTION = {200: LOGPROBS, 400: FIELDS, 413: FIELDS, 422: FIELDS}  # a status and the remedy
OF_THE_SETTINGS = {**dict.fromkeys((301, 302, 307, 308, 404, 405), ADDRESS), **dict.fromkeys((401, 403), KEY)}


def open_server(settings: WorkerSettings, transport: httpx.BaseTransport | None = None) -> Engine:
    """Raises EngineDown."""
    server = OpenAIServer(settings, transport)
    longest = server.listed(settings.model).get("max_model_len")
    if settings.tokenizer is not None and isinstance(longest, int):
        return ByTokens(settings.model, server, _tokenizer(settings.tokenizer), longest)
    if settings.tokenizer is not None:
        event("the tokenizer is not used", because="the server does not tell max_model_len, as vLLM does")
    return ByText(settings.model, server, logprobs=settings.logprobs)


def versioned(base_url: str) -> str:
    """The address with /v1 in its path, unless a version is there already."""
    address = base_url.rstrip("/")
    return address if re.search(r"[^:/]/(.*/)?v\d", address) else f"{address}/v1"


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


class ByTokens:
    """vLLM's server: token ids to it, log-probabilities of the wanted ids back."""

    def __init__(self, model: str, server: OpenAIServer, tokenizer: Any, max_model_len: int) -> None:
        self.model, self._server, self._longest = model, server, max_model_len - 1
        self._encoder = PromptEncoder(tokenizer)

    def prepare(self, prompt: Prompt) -> Encoded | Unread:
        encoded = self._encoder.encode(prompt)
        return too_long(max(len(question.ids) for question in encoded.questions), self._longest) or encoded

    def read(self, prepared: Sequence[Encoded]) -> list[Outcome | Away]:
        questions = [question for encoded in prepared for question in encoded.questions]
        return read_answers(prepared, self._server.ask_all(COMPLETIONS, [self._body(q) for q in questions], _by_id))

    def close(self) -> None:
        self._server.close()

    def _body(self, question: TokenQuestion) -> Body:
        return {
            "model": self.model, "prompt": list(question.ids), "max_tokens": 1, "temperature": 0.0, "logprobs": 1,
            "logprob_token_ids": list(question.wanted), "return_tokens_as_token_ids": True,
        }  # fmt: skip


class Spoken(NamedTuple):
    """An answer's tokens, each with the likeliest ones in its place and their log-probabilities."""

    tokens: list[tuple[str, list[tuple[str, float]]]]
    prompt_tokens: int


class ByText:
    """Any chat server: messages to it, an answer with log-probabilities back, or without them the words alone."""

    def __init__(self, model: str, server: OpenAIServer, *, logprobs: bool = True) -> None:
        self.model, self._server, self._logprobs = model, server, logprobs

    def prepare(self, prompt: Prompt) -> Prompt:
        labels = [label.strip() for label in prompt.labels]
        for a, b in permutations(labels, 2):
            if self._logprobs and b.startswith(a):
                raise BadLabels(
                    f"{a!r} may be the first token of {b!r}, which only a tokenizer can tell: use --tokenizer with a "
                    "vLLM server, or labels of which none begins with another, such as --absolute 1-9."
                )
        return prompt

    def read(self, prepared: Sequence[Prompt]) -> list[Outcome | Away]:
        read = _spoken if self._logprobs else _written
        answers = self._server.ask_all(CHAT, [self._body(prompt) for prompt in prepared], read)
        return [
            _reading(answer, prompt) if isinstance(answer, Spoken) else answer
            for answer, prompt in zip(answers, prepared, strict=True)
        ]

    def close(self) -> None:
        self._server.close()

    def _body(self, prompt: Prompt) -> Body:
        body = {"model": self.model, "messages": chat(prompt), "max_tokens": WORDS, "temperature": 0.0}
        return body | ({"logprobs": True, "top_logprobs": TOP} if self._logprobs else {})


def chat(prompt: Prompt) -> list[dict[str, str]]:
    """Messages without the beginning of the answer: the labels are asked for in words instead."""
    messages = [message for message in prompt.messages if message.role != "assistant"]
    content = [
        {
            "role": message.role,
            "content": "".join(
                MARKERS.sub(r"\g<0> ", piece.text) if piece.from_user else piece.text for piece in message.pieces
            ),
        }
        for message in messages
    ]
    labels = [label.strip() for label in prompt.labels]
    content[-1]["content"] += f"\nYour answer is one of these and nothing else: {', '.join(labels)}"
    return content


# How a server wants to be asked, by what its refusal says

Change = Callable[[Body], Body]


def _of_completion(body: Body) -> Body:
    return {("max_completion_tokens" if name == "max_tokens" else name): value for name, value in body.items()}


def _fewer(body: Body) -> Body:
    return {**body, "top_logprobs": FEW} if "top_logprobs" in body else body


CHANGES: Mapping[str, Change] = {"max_completion_tokens|unsupported.*max_tokens": _of_completion, "logprobs": _fewer}


def _anew(body: Body) -> Body:
    """The same question in other words, so that no cache on the way answers it."""
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


def _by_id(body: Body, answer: Any) -> dict[int, float]:
    top = answer["choices"][0]["logprobs"]["top_logprobs"][0]
    return {token: float(top[f"token_id:{token}"]) for token in body["logprob_token_ids"]}


def _spoken(_: Body, answer: Any) -> Spoken:
    tokens = [
        (str(each["token"]), [(str(top["token"]), float(top["logprob"])) for top in each["top_logprobs"]])
        for each in answer["choices"][0]["logprobs"]["content"]
    ]
    if not tokens or not tokens[0][1]:
        raise ValueError("no log-probabilities")
    return Spoken(tokens, _prompt_tokens(answer))


def _written(_: Body, answer: Any) -> Spoken:
    words = str(answer["choices"][0]["message"]["content"] or "")
    return Spoken([(words, [(words, 0.0)])], _prompt_tokens(answer))


def _prompt_tokens(answer: Any) -> int:
    usage = answer.get("usage")
    return int(usage.get("prompt_tokens") or 0) if isinstance(usage, dict) else 0


def _reading(spoken: Spoken, prompt: Prompt) -> Outcome:
    """Variants of a label, such as "A" and " A", are added up."""
    top = _at_label(spoken, prompt)
    seen = [sum(exp(p) for token, p in top if _spells(token, label, prompt.prefix)) for label in prompt.labels]
    if not any(seen):
        return Unread("parse_error", f"No label among the {len(top)} likeliest tokens; the likeliest is {top[0][0]!r}.")
    left = max(1.0 - sum(exp(p) for _, p in top), LEAST)
    bound = max(min(left, min(exp(p) for _, p in top)), LEAST)
    logprobs = tuple(log(min(p, 1.0) or bound) for p in seen)
    return LabelReading(logprobs, spoken.prompt_tokens, bounded=not all(seen))


def _at_label(spoken: Spoken, prompt: Prompt) -> list[tuple[str, float]]:
    """The likeliest tokens where a label was written, after nothing but the prefix; if none was, the first ones."""
    before = ""
    for token, top in spoken.tokens:
        if top and any(_spells(token, label, prompt.prefix) for label in prompt.labels):
            return top
        before += token
        if not prompt.prefix.endswith(before.strip(DECORATION)):
            break
    return spoken.tokens[0][1]


def _spells(text: str, label: str, prefix: str) -> bool:
    return _bare(text) in (_bare(label), _bare(prefix + label))


def _bare(text: str) -> str:
    return text.strip(DECORATION) or text.strip()


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


def _tokenizer(name: str) -> Any:
    try:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(name)
    except (ImportError, OSError, ValueError) as error:
        raise EngineDown(f"The tokenizer {name!r} cannot be loaded: {error}") from error
