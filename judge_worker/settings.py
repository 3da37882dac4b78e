"""Settings of a worker: options of the command line, before NEXTPAIR_WORKER_* variables, before those that every
command reads (NEXTPAIR_URL, NEXTPAIR_API_KEY), before a TOML file. Those of its engine stand among them.
"""

import json
import os
import socket
import tomllib
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self
from uuid import UUID

from nextpair.words import LOCAL, in_words
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo

PREFIX = "NEXTPAIR_WORKER_"
SHARED = {"server": "NEXTPAIR_URL", "api_key": "NEXTPAIR_API_KEY"}  # with every other command
ENGINES = sorted(module.name for module in iter_modules([str(Path(__file__).parent / "engines")]))


class BadSettings(Exception):
    """WorkerSettings that cannot be used; the message names the setting and the remedy."""

    exit_code = 2


class Option(NamedTuple):
    """Form of a setting on the command line. One that may be repeated has the name of one."""

    metavar: str | None = None
    one: str | None = None


JsonObject = Annotated[
    dict[str, Any],
    BeforeValidator(lambda value: json.loads(value) if isinstance(value, str) else value),
    Option("JSON"),
]


class EngineSettings(BaseModel):
    """Settings of one engine; each engine has its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: ClassVar[str]  # of the engine, and of its module in judge_worker.engines
    is_made_up: ClassVar[bool] = False  # are its verdicts: a person names the sets that it may judge

    @property
    def gpus(self) -> int:
        """GPUs that one engine takes."""
        return 0


class WorkerSettings(BaseModel):
    """Settings of a worker."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    server: Annotated[str, Option("URL")] = Field(
        default=LOCAL, description="Address of the service. [default: $NEXTPAIR_URL, or this machine]"
    )
    model: str = Field(description="Name or folder of the model.")
    judge: str = Field(default="", description="Name of the judge in the log. [default: the model's name]")
    worker: str = Field(
        default_factory=lambda: f"{socket.gethostname()}-{os.getpid()}",
        description="Name of this process. With a fixed name it gets its leases back after a crash.",
    )
    api_key: str | None = Field(
        default=None, description="Key of the service; others see this option in `ps`. [default: $NEXTPAIR_API_KEY]"
    )
    sets: Annotated[list[UUID], Option("ID", "set")] = Field(
        default_factory=list, description="Judge only this set; repeatable. The engine scripted needs it."
    )
    project: str | None = Field(default=None, description="Judge only the sets of this project.")
    batch: int = Field(default=256, ge=1, le=10_000, description="Pairs in one batch.")
    orders: Literal["one", "both"] = Field(default="one", description="Show each pair in one order, or in both.")
    absolute: Annotated[tuple[int, int] | None, Option("LOW-HIGH")] = Field(
        default=None, description="Score each text on this scale, such as 1-10, instead of comparing pairs."
    )
    template: Annotated[list[str], Option("NAME|FILE", "template")] = Field(
        default_factory=list,
        description="Prompt: comparative, comparative-tie, absolute (with --absolute), or your own .jinja file. "
        "Repeatable: each pair is judged with each template. [default: comparative]",
    )
    least_label_mass: float = Field(
        default=0.1, ge=0.0, le=1.0, description="Least probability of all labels together. Below it the pair fails."
    )
    lease_seconds: float = Field(
        default=120.0, ge=1.0, le=86_400.0, description="Length of a lease in seconds. Leases are renewed."
    )
    until_done: bool = Field(
        default=False, description="Exit when no set has a pair left, instead of waiting for more."
    )
    cost_per_hour: float | None = Field(
        default=None, ge=0.0, description="Price of the machine per hour, for the cost in the summary."
    )
    cost_per_1000: float | None = Field(
        default=None, ge=0.0, description="Price of 1,000 verdicts, which the service keeps for this judge."
    )
    metrics_port: int | None = Field(
        default=None, ge=1, le=65_535, description="Serve Prometheus metrics on this port."
    )
    engine: EngineSettings = Field(
        description=f"What runs the model: {', '.join(ENGINES[:-1])} or {ENGINES[-1]}. [default: vllm]"
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

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.absolute and self.absolute[0] >= self.absolute[1]:
            raise ValueError("absolute: write a scale such as 1-10")
        if len(set(self.template)) < len(self.template):
            raise ValueError("template: the same template is given twice; remove one")
        if self.absolute and len(self.template) > 1:
            raise ValueError("template: --absolute takes one template, because a judge gives a text one score")
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


class Setting(NamedTuple):
    """One setting of a worker, or of the engine that is named."""

    name: str
    engine: str | None
    field: FieldInfo


def every_setting() -> list[Setting]:
    """All settings of a worker and its engines; each is an option, a variable and a line of the file."""
    own = [Setting(name, None, field) for name, field in WorkerSettings.model_fields.items()]
    return own + [
        Setting(name, engine, field) for engine in ENGINES for name, field in settings_of(engine).model_fields.items()
    ]


def settings_of(engine: str) -> type[EngineSettings]:
    """The settings of the engine of this name."""
    kind: type[EngineSettings] = import_module(f"judge_worker.engines.{engine}").Settings
    return kind


def load(options: Mapping[str, Any], file: Path | None, environment: Mapping[str, str]) -> WorkerSettings:
    """Settings from all places where they may be; an option that is None is none. Raises BadSettings.

    Settings of engines other than the chosen one are left alone, as one file or environment may serve several.
    """
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
    from_options = {name: value for name, value in options.items() if value is not None}
    return _validated({**from_file, **shared, **from_environment, **from_options})


def _validated(values: dict[str, Any]) -> WorkerSettings:
    """Raises BadSettings."""
    chosen = values.pop("engine", "vllm")
    if chosen not in ENGINES:
        raise BadSettings(f"engine: there is no engine {chosen!r}; use one of {', '.join(ENGINES)}")
    of_engines = {setting.name for setting in every_setting() if setting.engine} & values.keys()
    by_engine = {name: values.pop(name) for name in of_engines}
    kind = settings_of(chosen)
    own = {name: value for name, value in by_engine.items() if name in kind.model_fields}
    try:
        return WorkerSettings(**values, engine=kind(**own))
    except ValidationError as error:
        raise BadSettings("; ".join(_say(problem) for problem in error.errors())) from error


def _say(problem: Mapping[str, Any]) -> str:
    name = ".".join(map(str, problem["loc"]))
    if problem["type"] == "missing":
        option = name.replace("_", "-")
        return f"{name} is missing: write --{option}, set {PREFIX}{name.upper()}, or add it to the --config file"
    if problem["type"] == "extra_forbidden":
        return f"{name}: unknown setting; remove it or check its spelling"
    return f"{name}: {in_words(problem)}".removeprefix(": ")
