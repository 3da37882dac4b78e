"""Reading by the most likely tokens of a chat's answer, where the label is written."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, permutations
from math import exp, log
from typing import Any

from judge_worker.engine import Arrival, BadLabels, LabelReading, Outcome, Unread
from judge_worker.engines.openai.addresses import CHAT
from judge_worker.engines.openai.errors import is_cut_off
from judge_worker.engines.openai.labels import DECORATION, find_label, spells
from judge_worker.engines.openai.server import BATCHES, OpenAIServer, Question
from judge_worker.prompts import Prompt

Token = tuple[str, list[tuple[str, float]]]  # as written, with the most likely ones in its place

TOP = 20  # log-probabilities: the most that the protocol allows
WORDS = 4  # tokens: the prefix may come before the label
MARKERS = re.compile(r"<(?=[|/a-zA-Z_])|(?<=\|)>|\[(?=/?INST\])")  # where markers of known chat templates begin or end
LEAST = 1e-12  # of a probability that is only bounded


class ByText:
    """Any chat server: messages to it, an answer with log-probabilities back, or without them the words alone."""

    batches = BATCHES

    def __init__(self, model: str, server: OpenAIServer, *, logprobs: bool = True) -> None:
        self.model, self._server, self._logprobs = model, server, logprobs

    def prepare(self, prompt: Prompt) -> Prompt:
        labels = [label.strip() for label in prompt.labels]
        for a, b in permutations(labels, 2):
            if self._logprobs and b.startswith(a):
                raise BadLabels(
                    f"The label {a!r} may be the first token of {b!r}. Use --tokenizer with a vLLM server, or labels "
                    "where none begins with another, such as --absolute 1-9."
                )
        return prompt

    def read(self, prepared: Sequence[Prompt]) -> Iterator[Arrival]:
        for n, answers in self._server.ask_all(CHAT, [[self._question(prompt)] for prompt in prepared]):
            yield n, answers[0] if isinstance(answers, list) else answers

    def close(self) -> None:
        self._server.close()

    def _question(self, prompt: Prompt) -> Question[LabelReading]:
        body = {"model": self.model, "messages": chat(prompt), "max_tokens": WORDS, "temperature": 0.0}
        if self._logprobs:
            return Question(
                {**body, "logprobs": True, "top_logprobs": TOP}, lambda answer: _by_logprobs(answer, prompt)
            )
        return Question(body, lambda answer: _by_words(answer, prompt))


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


def _by_logprobs(answer: Any, prompt: Prompt) -> Outcome:
    """Variants of a label, such as "A" and " A", are added up, where the answer has its label."""
    if _says_nothing(answer):
        return _no_label("")
    tokens = [
        (str(each["token"]), [(str(top["token"]), float(top["logprob"])) for top in each["top_logprobs"]])
        for each in answer["choices"][0]["logprobs"]["content"]
    ]
    if not tokens or not tokens[0][1]:
        raise ValueError("no log-probabilities")
    top = _at_label(tokens, prompt, is_cut=is_cut_off(answer))
    if top is None:
        return _no_label("".join(token for token, _ in tokens))
    seen = [sum(exp(p) for token, p in top if spells(token, label, prompt.prefix)) for label in prompt.labels]
    left = max(1.0 - sum(exp(p) for _, p in top), LEAST)
    bound = max(min(left, min(exp(p) for _, p in top)), LEAST)
    logprobs = tuple(log(min(p, 1.0) or bound) for p in seen)
    return LabelReading(logprobs, _prompt_tokens(answer), bounded=not all(seen))


def _by_words(answer: Any, prompt: Prompt) -> Outcome:
    """The label that is written counts as certain."""
    words = _text(answer["choices"][0]["message"].get("content"))
    label = find_label(words, prompt.labels, prompt.prefix, is_cut=is_cut_off(answer))
    if label is None:
        return _no_label(words)
    logprobs = tuple(0.0 if n == label.number else log(LEAST) for n in range(len(prompt.labels)))
    return LabelReading(logprobs, _prompt_tokens(answer), bounded=True)


def _at_label(tokens: Sequence[Token], prompt: Prompt, *, is_cut: bool) -> list[tuple[str, float]] | None:
    """The most likely tokens where the answer has its label, or would have it if it began with one.

    Of several tokens that were cut off the first ones may begin a sentence about a text, so a label is to be there.
    """
    starts = list(accumulate((len(token) for token, _ in tokens), initial=0))
    label = find_label("".join(token for token, _ in tokens), prompt.labels, prompt.prefix, is_cut=is_cut)
    if is_cut and not label and len(tokens) > 1:
        return None
    place = bisect_right(starts, label.start) - 1 if label else _after_the_prefix(tokens, prompt)
    top = tokens[place][1]
    return top if any(spells(token, each, prompt.prefix) for token, _ in top for each in prompt.labels) else None


def _after_the_prefix(tokens: Sequence[Token], prompt: Prompt) -> int:
    """The first token that is a label after nothing but the prefix; 0 if none is."""
    before = ""
    for place, (token, _) in enumerate(tokens):
        if any(spells(token, label, prompt.prefix) for label in prompt.labels):
            return place
        before += token
        if not prompt.prefix.endswith(before.strip(DECORATION)):
            break
    return 0


def _no_label(words: str) -> Unread:
    shown = words if len(words) <= 200 else f"{words[:100]} ... {words[-100:]}"
    return Unread("parse_error", f"The answer names no label: {shown!r}.")


def _says_nothing(answer: Any) -> bool:
    """Whether there is a message without words, as of a model that used its tokens up before it answered."""
    message = answer["choices"][0].get("message")
    return isinstance(message, dict) and not message.get("content")


def _text(content: Any) -> str:
    """The words of a message; of several parts those that are text."""
    if isinstance(content, list):
        return "".join(str(part["text"]) for part in content if part.get("type") in ("text", "output_text"))
    return str(content or "")


def _prompt_tokens(answer: Any) -> int:
    usage = answer.get("usage")
    return int(usage.get("prompt_tokens") or 0) if isinstance(usage, dict) else 0
