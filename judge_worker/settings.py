"""Settings of a worker: options of the command line, before NEXTPAIR_WORKER_* variables, before those that every
command reads (NEXTPAIR_URL, NEXTPAIR_API_KEY), before a TOML file.
"""

import json
import os
import re
import socket
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self
from uuid import UUID

from nextpair.words import LOCAL
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

PREFIX = "NEXTPAIR_WORKER_"
SHARED = {"server": "NEXTPAIR_URL", "api_key": "NEXTPAIR_API_KEY"}  # with every other command


class BadSettings(Exception):
    """WorkerSettings that cannot be used; the message names the setting and the remedy."""

    exit_code = 2


class WorkerSettings(BaseModel):
    """Everything that a worker may be told."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    server: str = Field(default=LOCAL, description="Address of the nextpair service.")
    model: str = Field(description="Name or folder of the model.")
    judge: str = Field(default="", description="Name of the judge in the log; the model's name by default.")
    worker: str = Field(
        default_factory=lambda: f"{socket.gethostname()}-{os.getpid()}",
        description="Name of this process among those of the judge. A fixed one gets its leases back after a crash.",
    )
    api_key: str | None = Field(default=None, description="Of the service.")
    sets: list[UUID] = Field(default_factory=list, description="Only these sets.")
    project: str | None = Field(default=None, description="Only the sets of this project.")
    batch: int = Field(default=256, ge=1, le=10_000, description="Pairs judged in one go.")
    orders: Literal["one", "both"] = Field(
        default="one", description="Judge each pair as it is handed out, or in both orders, each stored as it was."
    )
    absolute: tuple[int, int] | None = Field(
        default=None, description="Score each text on this scale, such as 1-10, instead of comparing pairs."
    )
    template: list[str] = Field(
        default_factory=list, description="Templates, each a name or a .jinja file: every pair is judged with each."
    )
    least_label_mass: float = Field(
        default=0.1, ge=0.0, le=1.0, description="With less on all labels together there is no verdict."
    )
    lease_seconds: float = Field(default=120.0, ge=1.0, le=86_400.0, description="Leases are renewed while they last.")
    until_done: bool = Field(default=False, description="End when no set has a pair left, instead of waiting for more.")
    cost_per_hour: float | None = Field(default=None, ge=0.0, description="Of the machine, for the summary.")
    metrics_port: int | None = Field(default=None, ge=1, le=65_535, description="Serve Prometheus metrics here.")

    engine: Literal["vllm", "openai", "scripted"] = "vllm"
    base_url: str | None = Field(default=None, description="Of an OpenAI-compatible server, with or without /v1.")
    engine_key: str | None = Field(default=None, description="API key of that server.")
    headers: dict[str, str] = Field(default_factory=dict, description="More headers for that server.")
    body: dict[str, Any] = Field(
        default_factory=dict, description="More fields of each request to it, as JSON; null takes one out."
    )
    logprobs: bool = Field(default=True, description="Read log-probabilities there, and not only the words.")
    tokenizer: str | None = Field(default=None, description="Of the model behind that server: exact reading by ids.")
    concurrency: int = Field(default=32, ge=1, le=1024, description="Requests at a time to that server.")
    timeout: float = Field(default=120.0, gt=0.0, description="Seconds for one request to that server.")
    rate: float | None = Field(default=None, gt=0.0, description="Judgements a second of the scripted engine.")
    tensor_parallel_size: int | None = Field(default=None, ge=1)
    pipeline_parallel_size: int | None = Field(default=None, ge=1)
    dtype: str | None = None
    max_model_len: int | None = Field(default=None, ge=1)
    quantization: str | None = None
    distributed_executor_backend: str | None = None
    vllm_options: dict[str, Any] = Field(
        default_factory=dict, description="Anything else that vllm.LLM takes, as JSON."
    )

    @field_validator("sets", "template", mode="before")
    @classmethod
    def _several(cls, value: object) -> object:
        return [part.strip() for part in value.split(",")] if isinstance(value, str) else value

    @field_validator("absolute", mode="before")
    @classmethod
    def _scale(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        low, dash, high = value.partition("-")
        if not (dash and low.isdigit() and high.isdigit()):
            raise ValueError("write a scale such as 1-10")
        return int(low), int(high)

    @field_validator("headers", mode="before")
    @classmethod
    def _lines(cls, value: object) -> object:
        if not isinstance(value, list):
            return json.loads(value) if isinstance(value, str) else value
        pairs = [str(line).partition(":") for line in value]
        return {name.strip(): text.strip() for name, _, text in pairs}

    @field_validator("headers")
    @classmethod
    def _sendable(cls, value: dict[str, str]) -> dict[str, str]:
        if not all(re.fullmatch(r"[\w-]+", name) and text and _is_plain(text) for name, text in value.items()):
            raise ValueError("write a header as 'Name: value', in plain letters")  # a value may be secret
        return value

    @field_validator("engine_key")
    @classmethod
    def _sendable_key(cls, value: str | None) -> str | None:
        if value is not None and not _is_plain(value):
            raise ValueError("write plain letters on one line")
        return value

    @field_validator("vllm_options", "body", mode="before")
    @classmethod
    def _json(cls, value: object) -> object:
        return json.loads(value) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _needs_address(self) -> Self:
        if self.engine == "openai" and self.base_url is None:
            raise ValueError("the engine openai needs base_url, such as http://gpu-box:8000")
        if self.absolute and self.absolute[0] >= self.absolute[1]:
            raise ValueError("absolute: write a scale such as 1-10")
        if len(set(self.template)) < len(self.template):
            raise ValueError("template: one is named twice, and its second answer would say nothing new")
        if self.absolute and len(self.template) > 1:
            raise ValueError("template: a text has one score of a judge, so absolute takes one template")
        return self

    @property
    def judge_name(self) -> str:
        return self.judge or self.model.rstrip("/").rsplit("/", 1)[-1]

    @property
    def orders_of_a_pair(self) -> int:
        return 2 if self.orders == "both" else 1

    @property
    def scale(self) -> range:
        """The numbers of `absolute`; none without it."""
        return range(self.absolute[0], self.absolute[1] + 1) if self.absolute else range(0)


def load(options: Mapping[str, Any], file: Path | None, environment: Mapping[str, str]) -> WorkerSettings:
    """Settings from all places where they may be. Raises BadSettings."""
    shared = {name: environment[variable] for name, variable in SHARED.items() if environment.get(variable)}
    from_environment = {
        variable.removeprefix(PREFIX).lower(): value
        for variable, value in environment.items()
        if variable.startswith(PREFIX)
    }
    file = file or (Path(from_environment.pop("config")) if "config" in from_environment else None)
    try:
        from_file = tomllib.loads(file.read_text("utf-8")) if file else {}
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"{file}: {error}") from error
    try:
        return WorkerSettings.model_validate({**from_file, **shared, **from_environment, **options})
    except ValidationError as error:
        raise BadSettings("; ".join(_say(problem) for problem in error.errors())) from error


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _say(problem: Mapping[str, Any]) -> str:
    name = ".".join(map(str, problem["loc"]))
    if problem["type"] == "missing":
        option = name.replace("_", "-")
        return f"{name} is missing: write --{option}, set {PREFIX}{name.upper()}, or put it into the --config file"
    if problem["type"] == "extra_forbidden":
        return f"{name}: there is no such setting"
    return f"{name}: {problem['msg'].removeprefix('Value error, ')}".removeprefix(": ")
