"""A server that speaks OpenAI's protocol in one of the ways that real ones do. Its model likes long texts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from math import exp, log
from typing import Any

import httpx

from judge_worker.engines.scripted import REFUSED

Settings = Mapping[str, Any]  # of the worker, where it needs some
BREAKS = "BREAK"  # in a text: the server fails
QUOTA = {"error": {"message": "You exceeded your current quota.", "type": "insufficient_quota"}}
TOKEN = "Bearer sk-0123456789"


@dataclass
class Server:
    """Answers one request at a time; several threads may ask."""

    models: httpx.Response = field(default_factory=lambda: httpx.Response(200, json={"data": [{"id": "m"}]}))
    refuses: Mapping[str, str] = field(default_factory=dict)  # what it says to a field that it does not know
    most: int = 20  # log-probabilities
    wordy: bool = False  # "Text A" and not "A"
    logprobs: bool = True
    wants: Mapping[str, str] = field(default_factory=dict)  # headers
    wants_fields: Mapping[str, Any] = field(default_factory=dict)
    out: tuple[int, ...] = ()  # chat requests, counted from 0, to which it says `excuse`
    excuse: httpx.Response = field(default_factory=lambda: httpx.Response(500))
    asked: list[str] = field(default_factory=list)  # paths
    _chats: Any = field(default_factory=count)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.url.path)
        if any(request.headers.get(name) != value for name, value in self.wants.items()):
            return httpx.Response(401, text=f"Not authorised: {request.headers.get('Authorization')}")
        if request.url.path == "/v1/models":
            return self.models
        if request.url.path != "/v1/chat/completions":
            return httpx.Response(404, text="Not Found")
        return self.excuse if next(self._chats) in self.out else self._chat(json.loads(request.content))

    def _chat(self, body: Mapping[str, Any]) -> httpx.Response:
        prompt = body["messages"][-1]["content"]
        for name, words in self.refuses.items():
            if name in body:
                return _refusal(400, words)
        if any(body.get(name) != value for name, value in self.wants_fields.items()):
            return _refusal(422, f"wanted: {sorted(self.wants_fields)}")
        if body.get("top_logprobs", 0) > self.most:
            return _refusal(400, f"Invalid 'top_logprobs': must be less than or equal to {self.most}.")
        if REFUSED in prompt:
            return _refusal(400, "content filter")
        if BREAKS in prompt:
            return httpx.Response(500, text="Internal Server Error")
        return self._judge(prompt, body)

    def _judge(self, prompt: str, body: Mapping[str, Any]) -> httpx.Response:
        first, second = (part.split("\n\n")[0] for part in prompt.split("Text A:\n")[1].split("Text B:\n"))
        share = 1.0 / (1.0 + exp(0.1 * (len(second) - len(first))))
        a, b = 0.9 * share, 0.9 * (1.0 - share)
        tops = [{" A": 0.8 * a, "A": 0.2 * a, " B": b, " C": 0.05, "x": 0.04}]
        if self.wordy:
            tops.insert(0, {"Option" if "Option A" in prompt else "Text": 0.9, "The": 0.1})
        budget = body.get("max_tokens") or body.get("max_completion_tokens") or 16
        return answer_of(*tops[:budget], logprobs=self.logprobs)


def answer_of(*tops: Mapping[str, float], logprobs: bool = True) -> httpx.Response:
    """A chat completion whose tokens have these probabilities; the likeliest ones are written."""
    written = [max(top, key=top.__getitem__) for top in tops]
    content = [
        {"token": token, "logprob": log(top[token]), "top_logprobs": [_logprob(each, p) for each, p in top.items()]}
        for token, top in zip(written, tops, strict=True)
    ]
    choice = {"message": {"content": "".join(written)}, "logprobs": {"content": content} if logprobs else None}
    return httpx.Response(200, json={"choices": [choice], "usage": {"prompt_tokens": 42}})


def _logprob(token: str, p: float) -> dict[str, object]:
    return {"token": token, "logprob": log(p)}


def _refusal(status: int, message: str) -> httpx.Response:
    return httpx.Response(status, json={"error": {"message": message}})


def _listing(**answer: Any) -> httpx.Response:
    return httpx.Response(**{"status_code": 200, **answer})


NO_MAX_TOKENS = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
)
NO_TEMPERATURE = "Unsupported value: 'temperature' does not support 0.0 with this model."

VARIATIONS: Mapping[str, tuple[Settings, Mapping[str, Any]]] = {
    "plain": ({}, {}),
    "address with /v1": ({"base_url": "http://engine/v1"}, {}),
    "address with /v1/": ({"base_url": "http://engine/v1/"}, {}),
    "no model list": ({}, {"models": _listing(status_code=404, text="Not Found")}),
    "empty model list": ({}, {"models": _listing(json={"object": "list", "data": []})}),
    "odd model list": ({}, {"models": _listing(json={"models": ["m"]})}),
    "max_tokens refused": ({}, {"refuses": {"max_tokens": NO_MAX_TOKENS}}),
    "top_logprobs up to 5": ({}, {"most": 5}),
    "several tokens": ({}, {"wordy": True}),
    "no logprobs": ({"logprobs": False}, {"logprobs": False}),
    "temperature refused": ({"body": {"temperature": None}}, {"refuses": {"temperature": NO_TEMPERATURE}}),
    "header wanted": ({"headers": {"Authorization": TOKEN}}, {"wants": {"Authorization": TOKEN}}),
    "field wanted": ({"body": {"seed": 7}}, {"wants_fields": {"seed": 7}}),
    "rate limited": ({}, {"out": (0,), "excuse": httpx.Response(429, headers={"Retry-After": "0"})}),
}
