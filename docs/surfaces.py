"""Texts for people outside the pages: the command's help, the HTTP document, messages of the code, the changelog."""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from docs.prose import Text

SAID = {"description", "summary", "title"}
JS_STRING = re.compile(
    r"//[^\n]*|/\*.*?\*/|'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"|`((?:[^`\\]|\\.)*)`", re.DOTALL
)
CODE_SPAN = re.compile(r"`[^`]*`")


def openapi(document: str) -> list[Text]:
    """Read what the HTTP document says, each with the line of its key; titles made of names are left out."""
    lines = document.split("\n")
    return [
        Text(number, CODE_SPAN.sub("", json.loads(found[2])))
        for number, line in enumerate(lines, 1)
        if (found := re.match(r'\s*"(\w+)": ("(?:[^"\\]|\\.)*"),?$', line)) and found[1] in SAID
        if not found[2].istitle()
    ]


def strings(source: str) -> list[Text]:
    """Read the strings of a module that have a blank in them, and are no docstrings."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        Text(node.lineno, CODE_SPAN.sub("", node.value))
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
        if id(node) not in docstrings
    ]


def script_strings(source: str) -> list[Text]:
    """Read the strings of a script that have a blank in them."""
    return [
        Text(source.count("\n", 0, found.start()) + 1, text)
        for found in JS_STRING.finditer(source)
        if (text := found[1] or found[2] or found[3]) and " " in text
    ]


def unreleased(changelog: str) -> Text:
    """Read what the changelog says of the next version."""
    before, found, after = changelog.partition("\n## Unreleased")
    text = after.partition("\n## ")[0] if found else ""
    return Text(before.count("\n") + 2, CODE_SPAN.sub(lambda span: "\n" * span[0].count("\n"), text))


def helped(command: Any, path: str = "nextpair") -> Iterator[tuple[str, str]]:
    """Read the help of a command, its options and the commands below it, by what it is the help of."""
    command = command.whole() if hasattr(command, "whole") else command
    yield f"{path} --help", command.help or ""
    for parameter in command.params:
        yield f"{path} {max(parameter.opts, key=len)} --help", str(getattr(parameter, "help", None) or "")
    below: dict[str, Any] = getattr(command, "commands", {})
    for name, each in below.items():
        yield from helped(each, f"{path} {name}")
