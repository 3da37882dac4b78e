"""Prompts: a template filled with texts that are never taken for markup.

A template file begins with its labels, the answers whose probabilities are read, and holds a Jinja section for each
message. What stands under `--- assistant` is the beginning of the answer, which a label completes:

    labels: [" A", " B"]
    --- system
    You compare two texts.
    --- user
    Text A: {{ first }} ...
    --- assistant
    Text

The first label stands for the text shown first, the second for the other one, a third for a tie; `labels: scale` are
the numbers of `--absolute`. Whatever `{{ }}` prints comes from a user. It stays apart from the template's own words as
a `Piece` of its own, so that an engine can keep it from forging a turn or a special token. `{{ fence }}` is a number
that none of the prompt's texts holds: no text can forge a line of the template that prints it.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

OPEN, CLOSE = "\ue000", "\ue001"  # private-use characters around what `{{ }}` prints
MARKS, REPLACEMENT = re.compile(f"[{OPEN}{CLOSE}]"), "\ufffd"
TEMPLATES = Path(__file__).parent / "templates"
SCALE = "scale"
CANDIDATES = ("first", "second", "text")  # fields whose writers compete
FENCE = 4  # digits at least; tokenizers merge digits with no bracket
TAGS = re.compile(r"\{[{%#].*?[}%#]\}", re.DOTALL)

Fields = Mapping[str, str | None]


class BadTemplate(Exception):
    """A template that cannot be used; the message says why and what to write."""

    exit_code = 2


class Piece(NamedTuple):
    """A stretch of a message."""

    text: str
    from_user: bool  # and no part of the template


class Message(NamedTuple):
    """A turn of the chat."""

    role: str
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


class Prompt(NamedTuple):
    """Messages, of which the last may be the beginning of the answer, and the labels that go on from there."""

    messages: tuple[Message, ...]
    labels: tuple[str, ...]
    fields: Fields

    @property
    def prefix(self) -> str:
        """The beginning of the answer."""
        return self.messages[-1].text if self.messages[-1].role == "assistant" else ""


class Template(NamedTuple):
    """A template file, compiled."""

    name: str  # with the first digits of the hash of its source: a verdict tells which wording made it
    sections: tuple[tuple[str, jinja2.Template], ...]  # (role, text)
    labels: tuple[str, ...]
    words: re.Pattern[str]  # its own, as a line of a text would repeat them


def load(name: str, scale: Sequence[int] = ()) -> Template:
    """Read a built-in template by name, or a file. Raises BadTemplate."""
    path = Path(name) if Path(name).suffix else TEMPLATES / f"{name}.jinja"
    if not path.is_file():
        ours = ", ".join(sorted(each.stem for each in TEMPLATES.glob("*.jinja")))
        raise BadTemplate(f"There is no template {name!r}; write the path of a .jinja file, or one of {ours}.")
    return parse(path.stem, path.read_text("utf-8"), scale)


def parse(name: str, source: str, scale: Sequence[int] = ()) -> Template:
    """Make a template of its source. Raises BadTemplate."""
    head, *rest = re.split(r"^--- (system|user|assistant)[ \t]*\n", source, flags=re.MULTILINE)
    sections = tuple((role, _compile(name, text)) for role, text in zip(rest[::2], rest[1::2], strict=True))
    roles = [role for role, _ in sections]
    if "user" not in roles or "assistant" in roles[:-1]:
        raise BadTemplate(f"{name}: add a section `--- user`; `--- assistant` is optional and comes last.")
    if sections[-1][0] == "assistant" and rest[-1].rstrip("\n") != rest[-1].rstrip():
        raise BadTemplate(f"{name}: the beginning of the answer ends with a space; put it before each label instead.")
    digest = hashlib.sha256(source.encode()).hexdigest()[:8]
    return Template(
        f"{name}@{digest}", sections, _labels(name, head, scale), _words(zip(rest[::2], rest[1::2], strict=True))
    )


def render(template: Template, fields: Fields) -> Prompt:
    """Fill a template. Raises BadTemplate when it asks for a field that there is not, or fails."""
    fenced = {**fields, "fence": _fence(fields)}
    try:
        messages = tuple(Message(role, _pieces(text.render(fenced))) for role, text in template.sections)
    except (jinja2.TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        there = ", ".join(sorted(fenced))
        raise BadTemplate(f"{template.name}: {error}; the fields are {there}.") from error
    return Prompt(messages, template.labels, fields)


def repeated_words(template: Template, fields: Fields) -> list[str]:
    """Lines of the template that candidates' texts repeat, as a text does that forges a prompt; each once, sorted."""
    return sorted({line[1] for name in CANDIDATES for line in template.words.finditer(fields.get(name) or "")})


def _fence(fields: Fields) -> str:
    """A number whose digits no field has in this order, however they are spaced: the first ones of the fields' hash.

    The same texts in another order have the same number.
    """
    texts = sorted(text for text in fields.values() if text)
    hashed = str(int(hashlib.sha256(json.dumps(texts).encode()).hexdigest(), 16))
    of_texts = [_digits(text) for text in texts]
    numbers = (hashed[:length] for length in range(FENCE, len(hashed)))
    return next(number for number in numbers if not any(number in digits for digits in of_texts))


def _digits(text: str) -> str:
    digits = re.sub(r"\D+", "", text)
    return digits if digits.isascii() else "".join(str(unicodedata.digit(digit)) for digit in digits)


def _words(sections: Iterable[tuple[str, str]]) -> re.Pattern[str]:
    """A pattern of what a template's lines begin with: on a line without other words, or before a colon."""
    shown = "\n".join(text for role, text in sections if role != "assistant")
    pieces = re.findall(r"\w(?:.*\w)?", TAGS.sub("\n", shown))
    words = {re.escape(piece) for piece in pieces if not piece[0].islower()}
    either = "|".join(sorted(words, key=len, reverse=True)) or "(?!)"
    return re.compile(rf"^(?:[^\w\n]|\d)*({either})(?=(?:[^\w\n]|\d)*(?:[:：]|$))", re.MULTILINE | re.IGNORECASE)


def _labels(name: str, head: str, scale: Sequence[int]) -> tuple[str, ...]:
    line = head.strip().removeprefix("labels:").strip()
    if (line == SCALE) != bool(scale):
        raise BadTemplate(f"{name}: `labels: scale` goes with --absolute, and other labels without it.")
    if line == SCALE:
        return tuple(f" {number}" for number in scale)
    try:
        labels = json.loads(line)
    except json.JSONDecodeError:
        labels = None
    if not isinstance(labels, list) or not 2 <= len(set(map(str, labels))) == len(labels) <= 3:
        raise BadTemplate(f'{name}: begin with a line such as labels: [" A", " B"], two or three different strings.')
    return tuple(map(str, labels))


def _compile(name: str, text: str) -> jinja2.Template:
    try:
        template = _ENVIRONMENT.from_string(text.rstrip("\n"))
    except jinja2.TemplateError as error:
        raise BadTemplate(f"{name}: {error}") from error
    template.globals = dict(template.globals)  # every rendering copies them, and a chain of maps takes its time
    return template


def _mark(value: Any) -> Any:
    """Mark what `{{ }}` prints; a field that is missing prints nothing."""
    if isinstance(value, jinja2.Undefined):
        return value
    if value is None:
        return ""
    return f"{OPEN}{MARKS.sub(REPLACEMENT, str(value))}{CLOSE}"


def _pieces(marked: str) -> tuple[Piece, ...]:
    parts = MARKS.split(marked)  # the template's and the user's in turns
    return tuple(Piece(text, from_user=bool(n % 2)) for n, text in enumerate(parts) if text)


_ENVIRONMENT = ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined, finalize=_mark, autoescape=False)
