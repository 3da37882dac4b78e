"""Reading by the likeliest tokens of a chat's answer, where the label is written."""

import re
from collections.abc import Sequence
from itertools import permutations
from math import exp, log
from typing import Any, NamedTuple

from judge_worker.engine import Away, BadLabels, LabelReading, Outcome, Unread
from judge_worker.engines.openai.server import Body, OpenAIServer
from judge_worker.prompts import Prompt

CHAT = "/chat/completions"
TOP = 20  # log-probabilities: the most that the protocol allows
WORDS = 4  # tokens: the prefix may come before the label
MARKERS = re.compile(r"<(?=[|/a-zA-Z_])|(?<=\|)>|\[(?=/?INST\])")  # where markers of known chat templates begin or end
DECORATION = " \t\n*_`'\"().:>#"  # that models put around a label
LEAST = 1e-12  # of a probability that is only bounded


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


# What a server answers


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
