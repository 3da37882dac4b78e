"""The page of settings, from the classes that read them."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import AliasChoices, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from app.settings import Settings
from docs.markdown import code, table
from judge_worker.settings import PREFIX, SHARED, Setting, every_setting

BINARIES = "Folder with `initdb` and `postgres`, 14 or newer, for the private PostgreSQL."
OTHERS = {
    "NEXTPAIR_URL": "Address of the service, for the client and every command that uses one.",
    "NEXTPAIR_API_KEY": "Key of that service.",
    "NEXTPAIR_TRACEBACK": "`1` shows where a command failed.",
    "NEXTPAIR_CHROMIUM": "Path of the Chromium that `nextpair report --pdf` prints with. By default it is looked for.",
}
DEFAULTS = {
    "NEXTPAIR_URL": "`http://127.0.0.1:8000`",
    "data_dir": "`/var/lib/nextpair` for root; else `$XDG_DATA_HOME/nextpair` or `~/.local/share/nextpair`",
    "worker": "host name and process id",
}
TYPES = {str: "text", int: "whole number", float: "number", bool: "true or false", Path: "folder", SecretStr: "text"}
INTRODUCTION = """# Settings

Set these as environment variables. Options of a command come first: `nextpair serve --data-dir DIR`.

Keep keys and passwords out of options: everybody on the machine sees those in `ps`. Each has a variable, which you can
read from a file: `export NEXTPAIR_API_KEY=$(cat FILE)`, or `EnvironmentFile=` of systemd. A worker also reads its keys
from its `--config` file.
"""
OF_CONTAINERS = """
## Containers

`docker-compose.yml` reads these from the environment or from a file `.env`.
"""
IN_COMPOSE = {
    "POSTGRES_PASSWORD": ("required", "Password of the database."),
    "NEXTPAIR_API_KEY": ("required", "The key that every request needs."),
    "MODEL": ("`Qwen/Qwen2.5-7B-Instruct`", "Model of the judge."),
    "GPUS": ("`1`", "GPUs that share the model."),
}
OF_WORKERS = """## Judge worker

`nextpair worker` reads each setting from four places. An option comes first (`--lease-seconds 60`), then a variable
(`NEXTPAIR_WORKER_LEASE_SECONDS`), then `NEXTPAIR_URL` and `NEXTPAIR_API_KEY`. A line of the TOML file in `--config`
comes last (`lease_seconds = 60`). `nextpair judge` reads those that concern no service.

The address of the service is one setting: `NEXTPAIR_URL` for every command, `NEXTPAIR_WORKER_SERVER` or `--server` for
the worker. The second comes first. The key is the same, with `NEXTPAIR_API_KEY` and `NEXTPAIR_WORKER_API_KEY`.
"""


def page() -> str:
    """Write the page."""
    others = [[code(name), DEFAULTS.get(name, "none"), says] for name, says in OTHERS.items()]
    return "\n".join(
        [
            INTRODUCTION,
            "## Service\n",
            table(
                ["variable", "type", "default", "meaning"],
                [*_of_service(), ["`NEXTPAIR_PG_BINDIR`", "folder", "found by itself", BINARIES]],
            ),
            "\n## Client and commands\n",
            table(["variable", "default", "meaning"], others),
            OF_CONTAINERS,
            table(["variable", "default", "meaning"], [[code(name), *says] for name, says in IN_COMPOSE.items()]),
            "",
            OF_WORKERS,
            *_of_workers(),
        ]
    )


def _of_service() -> Iterator[list[str]]:
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        variables = (
            [each for each in alias.choices if each != name] if isinstance(alias, AliasChoices) else [_variable(name)]
        )
        yield [
            " or ".join(f"`{each}`" for each in variables),
            _type(field),
            _default(name, field),
            field.description or "",
        ]


def _variable(name: str) -> str:
    return f"{Settings.model_config['env_prefix']}{name.upper()}"


def _of_workers() -> Iterator[str]:
    settings = every_setting()
    for engine in dict.fromkeys(setting.engine for setting in settings):
        yield f"### {f'Engine {engine}' if engine else 'Every engine'}\n"
        yield table(
            ["variable", "type", "default", "meaning"],
            [_of_worker(setting) for setting in settings if setting.engine == engine],
        )
        yield ""


def _of_worker(setting: Setting) -> list[str]:
    described, _, default = (setting.field.description or "").partition("[default: ")
    usual = f"`{PREFIX}{setting.name.upper()}`" + (f" or `{SHARED[setting.name]}`" if setting.name in SHARED else "")
    shown = default.removesuffix("]") or _default(setting.name, setting.field)
    return [usual, _type(setting.field), shown, described.strip()]


def _default(name: str, field: FieldInfo) -> str:
    if name in DEFAULTS:
        return DEFAULTS[name]
    if field.default is PydanticUndefined:
        return "required" if field.default_factory is None else "none"
    if field.default is None or field.default == "":
        return "none"
    if isinstance(field.default, bool):
        return str(field.default).lower()
    return f"{field.default:,}" if isinstance(field.default, int | float) else code(str(field.default))


def _type(field: FieldInfo) -> str:
    return _named(field.annotation) + _bounds(field)


def _named(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return ", ".join(f"`{each}`" for each in get_args(kind))
    if get_origin(kind) in (UnionType, Union):
        return ", or ".join(_named(each) for each in get_args(kind) if each is not type(None))
    if get_origin(kind) in (list, tuple):
        return "list"
    return TYPES.get(kind, "JSON" if get_origin(kind) is dict else "text")


def _bounds(field: FieldInfo) -> str:
    limits = {
        name: getattr(each, name) for each in field.metadata for name in ("ge", "gt", "le", "lt") if hasattr(each, name)
    }
    words = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
    return "".join(f", {words[name]} {limit:,g}" for name, limit in limits.items())


def variables(text: str) -> set[str]:
    """Find the names of our variables in a text."""
    return set(re.findall(r"\b(?:NEXTPAIR_[A-Z_]*[A-Z]|DATABASE_URL)\b", text))
