"""Any server that speaks OpenAI's protocol.

    vLLM's own server, with a tokenizer here   /completions by token ids: exact, and no text can become markup
    any other, or without a tokenizer          /chat/completions: the most likely tokens where the label is written

In the second way a label that is not among those tokens has at most the smallest of their probabilities, and at most
what they leave. The reading takes that bound and says so. The prefix of a template cannot be given, so the prompt names
the labels; where its answer has the label is found in labels.py. Strings that look like a chat template's markers are
spaced out. Without log-probabilities (`--no-logprobs`) the label that is written counts as certain.

A server's answers are judged in one place: server.py.
"""

import time
from collections.abc import Callable
from typing import Any

import httpx

from judge_worker.engine import Engine, EngineDown
from judge_worker.engines.openai.by_text import ByText
from judge_worker.engines.openai.by_tokens import ByTokens
from judge_worker.engines.openai.server import OpenAIServer
from judge_worker.engines.openai.settings import Settings
from judge_worker.progress import event

__all__ = ["Settings", "open_engine"]


def open_engine(
    model: str,
    settings: Settings,
    transport: httpx.BaseTransport | None = None,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Engine:
    """Raises EngineDown. `transport`, `sleep` and `clock` are for tests."""
    server = OpenAIServer(settings, transport, sleep, clock)
    longest = server.listed(model).get("max_model_len")
    if settings.tokenizer is not None and isinstance(longest, int):
        return ByTokens(model, server, _tokenizer(settings.tokenizer), longest)
    if settings.tokenizer is not None:
        event("the tokenizer is not used", reason="the server does not report max_model_len, as vLLM does")
    return ByText(model, server, logprobs=settings.logprobs)


def _tokenizer(name: str) -> Any:
    try:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(name)
    except (ImportError, OSError, ValueError) as error:
        raise EngineDown(f"The tokenizer {name!r} cannot be loaded: {error}") from error
