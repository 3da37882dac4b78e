"""The page of the Python client, from its docstrings and signatures."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from inspect import Parameter, getdoc, isclass, signature
from typing import Any

import nextpair
from nextpair.resources.judges import JudgeCollection, ProjectCollection
from nextpair.resources.pairs import AssignmentCollection
from nextpair.resources.sets import SetCollection
from pydantic import BaseModel

from docs.markdown import code, table

INTRODUCTION = """# Python client

Everything that `import nextpair` gives. [Rank from Python](../how-to/python.md) shows how to use it. The examples below
run in their order, against the service at `NEXTPAIR_URL`.
"""
SECTIONS: dict[str, dict[str, Any]] = {
    "Rank by a function": {"rank": nextpair.rank, "RankedOutputs": nextpair.RankedOutputs},
    "Client": {"Client": nextpair.Client, "client.sets": SetCollection},
    "Sets and pairs": {
        "Set": nextpair.Set,
        "PairToJudge": nextpair.PairToJudge,
        "PairsToJudge": nextpair.PairsToJudge,
        "Event": nextpair.Event,
    },
    "Over many sets": {
        "client.assignments": AssignmentCollection,
        "client.projects": ProjectCollection,
        "client.judges": JudgeCollection,
    },
    "Errors": {
        name: getattr(nextpair, name)
        for name in (
            "NextpairError",
            "ApiError",
            "Unreachable",
            "BadTable",
            "NoServer",
            "JudgeFailed",
            "OlderVersionWarning",
        )
    },
    "With asyncio": {name: getattr(nextpair, name) for name in ("AsyncClient", "AsyncSet", "AsyncPairToJudge")},
}
BODIES = """## Bodies of requests

These are pydantic models, for arguments of the methods above. A dict with the same fields does as well. Answers are
models of [`nextpair.schemas`](../api/models.md).
"""
MODULES = """## Modules

`nextpair.calls` has a function for each request, and `client.send` sends what it describes. `nextpair.schemas` has a
model for each request and answer.
"""
MADE = ("rank", "Client", "AsyncClient")  # by whoever uses them
BODY = "[fields](../api/models.md#{name})"


def page() -> str:
    """Write the page."""
    return "\n".join([INTRODUCTION, *_sections(), BODIES, table(["model", "what it is", ""], _bodies()), "", MODULES])


def bodies() -> dict[str, type[BaseModel]]:
    """List the models that `import nextpair` gives, by their names."""
    public = {name: getattr(nextpair, name) for name in dir(nextpair)}
    return {name: each for name, each in public.items() if isclass(each) and issubclass(each, BaseModel)}


def methods(kind: type) -> dict[str, Any]:
    """List the public methods and properties of a class, by their names."""
    names = dict.fromkeys(name for each in kind.__mro__[:-1] for name in vars(each) if not name.startswith("_"))
    found = {name: getattr(kind, name) for name in names}
    return {name: each for name, each in found.items() if callable(each) or isinstance(each, cached_property)}


def prose(documented: object) -> str:
    """Write a docstring as Markdown: what is indented is code."""
    parts = re.split(r"\n\n((?: {4}.*\n?|\n)+)", f"{getdoc(documented)}\n")
    return "\n\n".join(_fenced(part) if at % 2 else part.strip() for at, part in enumerate(parts) if part.strip())


def _fenced(indented: str) -> str:
    return f"```python\n{re.sub(r'^ {4}', '', indented, flags=re.MULTILINE).strip()}\n```"


def _sections() -> Iterator[str]:
    for title, listed in SECTIONS.items():
        yield f"## {title}\n"
        for name, each in listed.items():
            yield f"### {name}\n"
            if name in MADE:
                yield f"{_call(name, each)}\n"
            yield f"{prose(each)}\n"
            if isclass(each) and not name.startswith("Async") and (rows := _methods(each)):
                yield table(["method", "what it does"], rows)
                yield ""


def _methods(kind: type) -> list[list[str]]:
    if issubclass(kind, tuple | Exception):
        return []
    return [
        [code(name) if isinstance(each, cached_property) else _call(name, each), (getdoc(each) or "").split("\n\n")[0]]
        for name, each in methods(kind).items()
    ]


def _call(name: str, called: Callable[..., object]) -> str:
    """Write how it is called, with the names of arguments and their defaults."""
    return code(f"{name}({', '.join(_arguments(list(signature(called).parameters.values())))})")


def _arguments(parameters: list[Parameter]) -> Iterator[str]:
    keyword_only = False
    for each in parameters:
        if each.name in ("self", "cls"):
            continue
        if each.kind is Parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            yield "*"
        stars = "**" if each.kind is Parameter.VAR_KEYWORD else ""
        yield stars + each.name + _default(each.default)


def _default(default: object) -> str:
    if default is Parameter.empty:
        return ""
    return f"={'...' if callable(default) or repr(default).startswith('<') else repr(default)}"


def _bodies() -> list[list[str]]:
    return [
        [code(name), " ".join((each.__doc__ or "").split("\n\n")[0].split()) or ABOUT[name], BODY.format(name=name)]
        for name, each in bodies().items()
    ]


ABOUT = {
    "Budget": "How many comparisons a set may take.",
    "ComparisonIn": "A comparison that was judged elsewhere.",
    "ItemIn": "A prompt that several systems have outputs for.",
    "VerdictOf": "A verdict on one of many pairs.",
}
