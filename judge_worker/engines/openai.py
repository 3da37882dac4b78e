"""Any server that speaks OpenAI's protocol.

    vLLM's own server, with a tokenizer here   /v1/completions by token ids: exact, and no text can become markup
    any other, or without a tokenizer          /v1/chat/completions: the top 20 log-probabilities of the first token

In the second way a label that is not among the 20 has at most the smallest of them, and at most what the 20 leave:
the reading takes that bound and says so, and its label mass counts what was seen. The prefix of a template cannot be
given, so the model is told which labels to answer with. Strings that look like a chat template's markers are
spaced out.
"""

import random
import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from itertools import permutations
from math import exp, log
from typing import Any

import httpx

from judge_worker.engine import BadLabels, Engine, EngineDown, Outcome, Reading, Unread
from judge_worker.prompts import Message, Prompt
from judge_worker.settings import Settings
from judge_worker.tokens import Encoded, Encoder, Question, read_answers, too_long

TOP = 20  # the most that the protocol allows
TRIES, FIRST_PAUSE = 8, 0.5  # seconds, doubled each time and shortened at random: half a minute in all
PATIENCE = 120.0  # seconds, the longest Retry-After that is waited for
AWAY = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
OF_ONE_PROMPT = frozenset({200, 400, 413, 422})  # anything else says that the worker is set up wrongly
MARKERS = re.compile(r"<(?=[|/a-zA-Z_])|(?<=\|)>|\[(?=/?INST\])")  # where markers of known chat templates begin or end
LEAST = 1e-12  # of a probability that is only bounded


def open_server(settings: Settings) -> Engine:
    """Raises EngineDown."""
    server = Server(settings)
    served = server.model(settings.model)
    if settings.tokenizer is None or "max_model_len" not in served:
        return ByText(settings.model, server)
    return ByTokens(settings.model, server, _tokenizer(settings.tokenizer), int(served["max_model_len"]))


class Server:
    """Requests that are tried again while the server is away or busy."""

    def __init__(self, settings: Settings, transport: httpx.BaseTransport | None = None) -> None:
        bearer = {"Authorization": f"Bearer {settings.engine_key}"} if settings.engine_key else {}
        self._http = httpx.Client(
            base_url=settings.base_url or "", headers=bearer, timeout=settings.timeout, transport=transport,
            limits=httpx.Limits(max_connections=settings.concurrency),
        )  # fmt: skip
        self._threads = ThreadPoolExecutor(settings.concurrency, thread_name_prefix="openai")

    def model(self, name: str) -> dict[str, Any]:
        """What the server says of a model. Raises EngineDown."""
        answer = self.send("GET", "/v1/models")
        try:
            found: list[dict[str, Any]] = answer.json()["data"]
        except (KeyError, TypeError, ValueError) as error:
            raise EngineDown(f"{self._http.base_url} lists no models but says {answer.text[:200]!r}.") from error
        for each in found:
            if each.get("id") == name:
                return each
        raise EngineDown(f"The server has no model {name!r}, but {', '.join(str(each.get('id')) for each in found)}.")

    def post_all(self, path: str, bodies: Sequence[Mapping[str, Any]]) -> list[httpx.Response]:
        """Answers in order, several requests at a time. Raises EngineDown."""
        return list(self._threads.map(lambda body: self.send("POST", path, body), bodies))

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> httpx.Response:
        """Answers 504 for a request that always timed out. Raises EngineDown when the server is away or refuses us."""
        for tried in range(TRIES):
            answer = self._try(method, path, body)
            if isinstance(answer, httpx.Response) and answer.status_code not in AWAY:
                break
            if tried + 1 < TRIES:
                time.sleep(_pause(answer, tried))
        if isinstance(answer, httpx.ReadTimeout):
            return httpx.Response(HTTPStatus.GATEWAY_TIMEOUT, text=f"No answer in {self._http.timeout.read:g} seconds.")
        if isinstance(answer, httpx.RequestError):
            raise EngineDown(f"No answer from {self._http.base_url}{path}: {answer or type(answer).__name__}.")
        if answer.status_code not in OF_ONE_PROMPT:
            raise EngineDown(f"{self._http.base_url}{path} answered {answer.status_code}: {answer.text[:200]}")
        return answer

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._http.close()

    def _try(self, method: str, path: str, body: Mapping[str, Any] | None) -> httpx.Response | httpx.RequestError:
        try:
            return self._http.request(method, path, json=body)
        except httpx.RequestError as error:
            return error
        except httpx.InvalidURL as error:
            raise EngineDown(f"{self._http.base_url} is no address of a server: {error}.") from error


class ByTokens:
    """vLLM's server: token ids to it, log-probabilities of the wanted ids back."""

    def __init__(self, model: str, server: Server, tokenizer: Any, max_model_len: int) -> None:
        self.model, self._server, self._longest = model, server, max_model_len - 1
        self._encoder = Encoder(tokenizer)

    def prepare(self, prompt: Prompt) -> Encoded | Unread:
        encoded = self._encoder.encode(prompt)
        return too_long(max(len(question.ids) for question in encoded.questions), self._longest) or encoded

    def read(self, prepared: Sequence[Encoded]) -> list[Outcome]:
        questions = [question for encoded in prepared for question in encoded.questions]
        answers = self._server.post_all("/v1/completions", [self._body(question) for question in questions])
        return read_answers(prepared, [_by_id(answer, q) for answer, q in zip(answers, questions, strict=True)])

    def close(self) -> None:
        self._server.close()

    def _body(self, question: Question) -> dict[str, Any]:
        return {
            "model": self.model, "prompt": list(question.ids), "max_tokens": 1, "temperature": 0.0, "logprobs": 1,
            "logprob_token_ids": list(question.wanted), "return_tokens_as_token_ids": True,
        }  # fmt: skip


class ByText:
    """Any chat server: messages to it, the top log-probabilities of the first token back."""

    def __init__(self, model: str, server: Server) -> None:
        self.model, self._server = model, server

    def prepare(self, prompt: Prompt) -> Prompt:
        labels = [label.strip() for label in prompt.labels]
        for a, b in permutations(labels, 2):
            if b.startswith(a):
                raise BadLabels(
                    f"{a!r} may be the first token of {b!r}, which only a tokenizer can tell: use --tokenizer with a "
                    "vLLM server, or labels of which none begins with another, such as --absolute 1-9."
                )
        return prompt

    def read(self, prepared: Sequence[Prompt]) -> list[Outcome]:
        answers = self._server.post_all("/v1/chat/completions", [self._body(prompt) for prompt in prepared])
        return [_outcome(answer, prompt.labels) for answer, prompt in zip(answers, prepared, strict=True)]

    def close(self) -> None:
        self._server.close()

    def _body(self, prompt: Prompt) -> dict[str, Any]:
        return {
            "model": self.model, "messages": chat(prompt), "max_tokens": 1, "temperature": 0.0,
            "logprobs": True, "top_logprobs": TOP,
        }  # fmt: skip


def chat(prompt: Prompt) -> list[dict[str, str]]:
    """Messages without the beginning of the answer: the labels are asked for in words instead."""
    messages = [message for message in prompt.messages if message.role != "assistant"]
    content = [{"role": message.role, "content": _harmless(message)} for message in messages]
    labels = [label.strip() for label in prompt.labels]
    content[-1]["content"] += f"\nYour answer is one of these and nothing else: {', '.join(labels)}"
    return content


def _harmless(message: Message) -> str:
    return "".join(MARKERS.sub(r"\g<0> ", piece.text) if piece.given else piece.text for piece in message.pieces)


def _by_id(answer: httpx.Response, question: Question) -> dict[int, float]:
    """Raises EngineDown: by token ids nothing but a broken server can go wrong."""
    try:
        top = answer.json()["choices"][0]["logprobs"]["top_logprobs"][0]
        return {token: float(top[f"token_id:{token}"]) for token in question.wanted}
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise EngineDown(f"No log-probabilities by token id in the answer: {answer.text[:200]}") from error


def _outcome(answer: httpx.Response, labels: Sequence[str]) -> Outcome:
    if answer.status_code == HTTPStatus.GATEWAY_TIMEOUT:
        return Unread("timeout", answer.text)
    if answer.status_code != HTTPStatus.OK:
        return Unread("refused", f"{answer.status_code}: {answer.text[:300]}")
    try:
        body = answer.json()
        first = body["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        top = [(str(each["token"]), float(each["logprob"])) for each in first]
        return _reading(top, labels, _tokens(body))
    except (KeyError, IndexError, TypeError, ValueError):
        return Unread("parse_error", f"No log-probabilities in the answer: {answer.text[:300]}")


def _tokens(body: Mapping[str, Any]) -> int:
    usage = body.get("usage")
    return int(usage.get("prompt_tokens") or 0) if isinstance(usage, dict) else 0


def _reading(top: Sequence[tuple[str, float]], labels: Sequence[str], tokens: int) -> Outcome:
    """Variants of a label, such as "A" and " A", are added up."""
    seen = [sum(exp(p) for token, p in top if token.strip() == label.strip()) for label in labels]
    if not any(seen):
        return Unread("parse_error", f"No label among the {len(top)} likeliest tokens; the likeliest is {top[0][0]!r}.")
    left = max(1.0 - sum(exp(p) for _, p in top), LEAST)
    bound = max(min(left, min(exp(p) for _, p in top)), LEAST)
    return Reading(tuple(log(min(p, 1.0) or bound) for p in seen), tokens, bounded=not all(seen))


def _pause(answer: httpx.Response | httpx.RequestError, tried: int) -> float:
    """Seconds, never fewer than the server asks for, within reason."""
    asked = answer.headers.get("Retry-After", "") if isinstance(answer, httpx.Response) else ""
    least = min(float(asked), PATIENCE) if asked.isdecimal() else 0.0
    return least + FIRST_PAUSE * 2.0**tried * random.random()


def _tokenizer(name: str) -> Any:
    try:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(name)
    except (ImportError, OSError, ValueError) as error:
        raise EngineDown(f"The tokenizer {name!r} cannot be loaded: {error}") from error
