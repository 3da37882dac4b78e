"""A judge without a model: it prefers the longer text. For tests, trials and measurements."""

import time
from collections.abc import Iterator, Sequence
from math import exp, log
from typing import ClassVar

from pydantic import Field

from judge_worker.engine import Arrival, Engine, LabelReading, Outcome, Unread
from judge_worker.prompts import Prompt
from judge_worker.settings import EngineSettings

PER_CHARACTER = 0.1  # logits
REFUSED = "REFUSE"  # in a text: the judge does not answer
ALMOST = 1.0 - 1e-9


class Settings(EngineSettings):
    name: ClassVar[str] = "scripted"
    is_made_up: ClassVar[bool] = True

    rate: float | None = Field(default=None, gt=0.0, description="most verdicts per second.")


def open_engine(model: str, settings: Settings) -> Engine:
    return Scripted(model, settings.rate)


class Scripted:
    """The longer text wins."""

    batches = 1

    def __init__(self, model: str, rate: float | None = None) -> None:
        """Args: rate in verdicts per second; none is unlimited."""
        self.model, self._rate = model, rate

    def prepare(self, prompt: Prompt) -> Prompt:
        return prompt

    def read(self, prepared: Sequence[Prompt]) -> Iterator[Arrival]:
        end = time.monotonic() + (len(prepared) / self._rate if self._rate else 0.0)
        outcomes = [_judge(prompt) for prompt in prepared]
        time.sleep(max(end - time.monotonic(), 0.0))
        yield from enumerate(outcomes)

    def close(self) -> None: ...


def _judge(prompt: Prompt) -> Outcome:
    texts = [prompt.fields.get(name) or "" for name in ("first", "second", "text")]
    if any(REFUSED in text for text in texts):
        return Unread("refused", f"a text says {REFUSED}")
    share = _comparison(prompt, texts) if prompt.fields.get("first") is not None else _score(prompt, texts[2])
    return LabelReading(tuple(log(max(ALMOST * p, 1e-300)) for p in share), sum(map(len, texts)))


def _comparison(prompt: Prompt, texts: Sequence[str]) -> list[float]:
    p = 1.0 / (1.0 + exp(min(PER_CHARACTER * (len(texts[1]) - len(texts[0])), 700.0)))
    return [p, 1.0 - p, *[0.0 for _ in prompt.labels[2:]]]


def _score(prompt: Prompt, text: str) -> list[float]:
    """The number of the label grows with the text, a tenth of it for every ten characters."""
    best = min(len(text) // 10, len(prompt.labels) - 1)
    return [0.91 if n == best else 0.09 / (len(prompt.labels) - 1) for n in range(len(prompt.labels))]
