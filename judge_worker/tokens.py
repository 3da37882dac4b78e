"""Token ids of a prompt, by a real tokenizer, such that no text of a user can become a special token.

The template's own words go through the model's chat template with a placeholder for each piece of a user. The words
between placeholders are tokenised with special tokens, the pieces themselves without (`split_special_tokens`). Labels
are spelled after the words at the end of the rendered prompt, so that their ids are those the model would go on with.

A label of several tokens takes a question for each beginning that it shares or passes:

    log P(label) = sum over k of log P(token k | prompt, tokens before k) + log(1 - sum of P(tokens that go on))

the last term only where a longer label begins with this one, as " 10" does with " 1" under some tokenizers.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from math import exp, log
from threading import Lock
from typing import Any, NamedTuple

from judge_worker.engine import BadLabels, LabelReading, Unread
from judge_worker.prompts import Message, Prompt

PLACEHOLDER = "NEXTPAIR-GIVEN-{}-TEXT"
PLACEHOLDERS = re.compile(r"NEXTPAIR-GIVEN-(\d+)-TEXT")

Shape = tuple[tuple[str, tuple[str | None, ...]], ...]  # (role, the template's words; None for a piece of a user)
Spelling = tuple[tuple[int, ...], ...]  # token ids of each label


class TokenQuestion(NamedTuple):
    """Tokens whose log-probabilities are wanted after `ids`."""

    ids: tuple[int, ...]
    wanted: tuple[int, ...]


class Encoded(NamedTuple):
    """A prompt as an engine asks it."""

    questions: tuple[TokenQuestion, ...]  # the first asks about the prompt itself
    spelling: Spelling


class _Skeleton(NamedTuple):
    """Token ids of all that a template gives every prompt of one shape."""

    parts: tuple[tuple[int, ...] | int, ...]  # token ids, or the number of a piece of a user
    spelling: Spelling


class PromptEncoder:
    """Prompts to questions, from any thread. `tokenizer` is one of transformers'."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._alone = Lock()  # whether special tokens are split is a state that all threads of a tokenizer share
        self._skeleton = lru_cache(256)(self._make_skeleton)

    def encode(self, prompt: Prompt) -> Encoded:
        """Raises BadLabels."""
        user_texts = [piece.text for message in prompt.messages for piece in message.pieces if piece.from_user]
        ids: list[int] = []
        with self._alone:
            skeleton = self._skeleton(_shape(prompt.messages), prompt.labels)
            for part in skeleton.parts:
                if isinstance(part, int):
                    ids += self._tokenizer.encode(user_texts[part], add_special_tokens=False, split_special_tokens=True)
                else:
                    ids += part
        return Encoded(questions(tuple(ids), skeleton.spelling), skeleton.spelling)

    def _words(self, text: str) -> tuple[int, ...]:
        return tuple(self._tokenizer.encode(text, add_special_tokens=False))

    def _make_skeleton(self, shape: Shape, labels: tuple[str, ...]) -> _Skeleton:
        *before, tail = PLACEHOLDERS.split(self._rendered(shape))
        parts = [int(text) if n % 2 else self._words(text) for n, text in enumerate(before)]
        return _Skeleton((*parts, self._words(tail)), self._spell(tail, labels))

    def _rendered(self, shape: Shape) -> str:
        messages = [{"role": role, "content": text} for role, text in _with_placeholders(shape)]
        if not self._tokenizer.chat_template:
            return self._start() + "\n\n".join(message["content"] for message in messages)
        goes_on = messages[-1]["role"] == "assistant"
        options = {"tokenize": False, "add_generation_prompt": not goes_on, "continue_final_message": goes_on}
        for way in (messages, _without_system(messages)):
            try:
                return str(self._tokenizer.apply_chat_template(way, **options))
            except Exception as error:  # whatever a model's own template raises
                failure = error
        raise BadLabels(f"The model's chat template fails: {failure}") from failure

    def _start(self) -> str:
        """The token that begins a text, where this tokenizer has one."""
        begins = self._tokenizer.encode("") or [None]
        bos = self._tokenizer.bos_token
        return bos if bos and begins[0] == self._tokenizer.bos_token_id else ""

    def _spell(self, tail: str, labels: Sequence[str]) -> Spelling:
        before = self._words(tail)
        spelled = [self._words(tail + label) for label in labels]
        for label, ids in zip(labels, spelled, strict=True):
            if ids[: len(before)] != before or len(ids) == len(before):
                raise BadLabels(
                    f"The tokenizer merges the end of the prompt {tail[-20:]!r} with the label {label!r}. "
                    "Write another prefix under `--- assistant`, or other labels."
                )
        return tuple(ids[len(before) :] for ids in spelled)


def questions(prompt: tuple[int, ...], spelling: Spelling) -> tuple[TokenQuestion, ...]:
    """One for each beginning of a label that goes on, the empty one first."""
    wanted: dict[tuple[int, ...], dict[int, None]] = {}
    for ids in spelling:
        for k, token in enumerate(ids):
            wanted.setdefault(ids[:k], {})[token] = None
    return tuple(TokenQuestion(prompt + beginning, tuple(tokens)) for beginning, tokens in wanted.items())


def read_answers(prepared: Sequence[Encoded], answers: Sequence[Mapping[int, float]]) -> list[LabelReading]:
    """One reading for each prompt, from the answers to all their questions one after the other."""
    bounds = pairwise(accumulate((len(encoded.questions) for encoded in prepared), initial=0))
    return [reading(encoded, answers[start:stop]) for encoded, (start, stop) in zip(prepared, bounds, strict=True)]


def reading(encoded: Encoded, answers: Sequence[Mapping[int, float]]) -> LabelReading:
    """Reading of a prompt's labels from the answers to all its questions."""
    return LabelReading(label_logprobs(encoded, answers), len(encoded.questions[0].ids))


def too_long(tokens: int, most: int) -> Unread | None:
    if tokens <= most:
        return None
    return Unread("skipped", f"The prompt has {tokens} tokens; the model accepts {most}.")


def label_logprobs(encoded: Encoded, answers: Sequence[Mapping[int, float]]) -> tuple[float, ...]:
    """(L,) of the labels, from the log-probabilities that answer each question."""
    prompt = len(encoded.questions[0].ids)
    after = {question.ids[prompt:]: answer for question, answer in zip(encoded.questions, answers, strict=True)}
    return tuple(_logprob(ids, after) for ids in encoded.spelling)


def _logprob(ids: tuple[int, ...], after: Mapping[tuple[int, ...], Mapping[int, float]]) -> float:
    spelled = sum(after[ids[:k]][token] for k, token in enumerate(ids))
    longer = sum(map(exp, after[ids].values())) if ids in after else 0.0
    return spelled + log(max(1.0 - longer, 1e-12))


def _shape(messages: Sequence[Message]) -> Shape:
    return tuple(
        (message.role, tuple(None if piece.from_user else piece.text for piece in message.pieces))
        for message in messages
    )


def _with_placeholders(shape: Shape) -> list[tuple[str, str]]:
    numbers = iter(range(sum(word is None for _, words in shape for word in words)))
    return [
        (role, "".join(PLACEHOLDER.format(next(numbers)) if word is None else word for word in words))
        for role, words in shape
    ]


def _without_system(messages: Sequence[Mapping[str, str]]) -> Sequence[Mapping[str, str]]:
    """Begin the next turn with the words of the system's, for models that know none."""
    if messages[0]["role"] != "system":
        return messages
    system, first, *rest = messages
    return [{"role": first["role"], "content": f"{system['content']}\n\n{first['content']}"}, *rest]
