"""Settings of a server that speaks OpenAI's protocol."""

import json
import re
from typing import Annotated, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field

from judge_worker.settings import EngineSettings, JsonObject, Option


def _of_lines(value: object) -> object:
    if not isinstance(value, list):
        return json.loads(value) if isinstance(value, str) else value
    pairs = [str(line).partition(":") for line in value]
    return {name.strip(): text.strip() for name, _, text in pairs}


def _sendable(headers: dict[str, str]) -> dict[str, str]:
    if not all(re.fullmatch(r"[\w-]+", name) and text and _is_plain(text) for name, text in headers.items()):
        raise ValueError("write a header as 'Name: value', in plain letters")  # a value may be secret
    return headers


def _sendable_key(key: str) -> str:
    if not _is_plain(key):
        raise ValueError("use plain letters on one line")
    return key


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


Headers = Annotated[
    dict[str, str], BeforeValidator(_of_lines), AfterValidator(_sendable), Option("'NAME: VALUE'", "header")
]


class Settings(EngineSettings):
    name: ClassVar[str] = "openai"

    base_url: Annotated[str, Option("URL")] = Field(description="address of the API, with or without /v1.")
    engine_key: Annotated[str, AfterValidator(_sendable_key)] | None = Field(
        default=None, description="key of the API; others see this option in `ps`, but not NEXTPAIR_WORKER_ENGINE_KEY."
    )
    headers: Headers = Field(default_factory=dict, description="header of each request; repeatable.")
    body: JsonObject = Field(
        default_factory=dict, description='fields added to each request, such as {"seed": 1}; null removes one.'
    )
    logprobs: bool = Field(default=True, description="read label probabilities, or count the written label as certain.")
    tokenizer: str | None = Field(
        default=None, description="tokenizer of the model behind a vLLM server, for exact probabilities."
    )
    concurrency: int = Field(default=32, ge=1, le=1024, description="requests at a time.")
    timeout: float = Field(default=120.0, gt=0.0, description="seconds for one request.")
