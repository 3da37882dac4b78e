"""The prose of a page of Markdown or of a template: its blocks, and their sentences."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple

CODE = "□"  # stands for a code span or a value: one word
ABBREVIATIONS = set("e.g. i.e. vs. cf. etc. no. nos. al. approx. fig. eq. dr. st. p. pp.".split())
END = re.compile(r"(?<![.…])[.!?][\"'”’)\]]*(?=\s)")
FENCE = re.compile(r"^\s*(?:>\s*)?(```+|~~~+)")
STARTS = re.compile(r"^\s*(?:#{1,6} |[-*+] |\d+[.)] |>|!!! |\?\?\? |: )")
MARKER = re.compile(r"^\s*(?:(?:#{1,6}|[-*+]|\d+[.)]|>|:)\s+|(?:!!!|\?\?\?)\s+\w+\s*)*")
RULER = re.compile(r"^[\s|:-]+$")
BLOCKS = set(
    "p div li td th h1 h2 h3 h4 dt dd option label button title form section summary legend figcaption select table tr "
    "ul dl br main fieldset details input textarea header nav dialog".split()
)
SPOKEN = {"title", "aria-label", "placeholder", "alt"}
UNREAD = {"script", "style", "svg"}


class Text(NamedTuple):
    line: int
    text: str


def words(sentence: str) -> int:
    return sum(any(character.isalnum() or character == CODE for character in word) for word in sentence.split())


def sentences(block: Text) -> Iterator[Text]:
    """Split a block at the ends of its sentences."""
    start = 0
    for end in [*(each.end() for each in END.finditer(block.text)), len(block.text)]:
        part = block.text[start:end]
        last = part.split()[-1].lstrip("(").lower() if part.strip() else ""
        if end < len(block.text) and (last in ABBREVIATIONS or re.fullmatch(r"[a-z]\.", last)):
            continue
        if part.strip():
            before = block.text[:start] + part[: len(part) - len(part.lstrip())]
            yield Text(block.line + before.count("\n"), " ".join(part.split()))
        start = end


def markdown(page: str) -> list[Text]:
    """Read the blocks of a page: paragraphs, headings, list entries, cells."""
    return [block for raw in _raw_blocks(_without_code(page)) for block in _cells(raw)]


def _without_code(page: str) -> list[str]:
    """Blank front matter, comments and fenced code, and keep the number of lines."""
    page = re.sub(r"\A---\n.*?\n---\n", _blank, page, flags=re.DOTALL)
    lines, fence = [], ""
    for line in page.split("\n"):
        mark = FENCE.match(line)
        if not fence and mark:
            fence = mark[1]
        elif fence and mark and mark[1].startswith(fence) and line.strip() == mark[1]:
            fence, line = "", ""
        lines.append("" if fence else line)
    return re.sub(r"<!--.*?-->", _blank, "\n".join(lines), flags=re.DOTALL).split("\n")


def _blank(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _raw_blocks(lines: list[str]) -> Iterator[Text]:
    """Join the lines of each paragraph or list entry; a heading and a row of a table stand alone."""
    block: list[str] = []
    for number, line in enumerate([*lines, ""], 1):
        alone = line.lstrip().startswith(("|", "#"))
        if block and (not line.strip() or alone or STARTS.match(line)):
            yield Text(number - len(block), "\n".join(block))
            block = []
        if alone:
            yield Text(number, line)
        elif line.strip():
            block.append(line)


def _cells(raw: Text) -> Iterator[Text]:
    text = _plain(MARKER.sub("", raw.text))
    if not raw.text.lstrip().startswith("|"):
        yield Text(raw.line, text)
    elif not RULER.match(raw.text):
        yield from (Text(raw.line, cell) for cell in re.split(r"(?<!\\)\|", text) if cell.strip())


def _plain(text: str) -> str:
    """Keep what a reader reads: no code, no targets of links, no tags, no emphasis."""
    text = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", lambda found: CODE + _blank(found), text, flags=re.DOTALL)
    text = re.sub(r"^ {0,3}\[[^\]]+\]: .*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"!?\[([^\[\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[([^\[\]]*)\](?:\[[^\]]*\])?", r"\1", text)
    text = re.sub(r"\{[:\s]*[#.][^}]*\}", "", text)
    text = re.sub(r"<img[^>]*\balt=\"([^\"]*)\"[^>]*>", r"\1", text)
    text = re.sub(r"</?[a-zA-Z][^>]*>", "", text)
    return re.sub(r"\*\*|__|(?<!\w)[*_]|[*_](?!\w)", "", text)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[Text] = []
        self._open: list[str] = []
        self._text, self._line = "", 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in BLOCKS:
            self.end_block()
        if tag in UNREAD:
            self._open.append(tag)
        if tag == "code":
            self._add(CODE)
            self._open.append(tag)
        self.texts += [Text(self.getpos()[0], value) for name, value in attrs if name in SPOKEN and value]

    def handle_endtag(self, tag: str) -> None:
        if tag in BLOCKS:
            self.end_block()
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if not self._open:
            self._add(data)

    def _add(self, data: str) -> None:
        if not self._text.strip():
            self._line = self.getpos()[0] + len(data[: len(data) - len(data.lstrip())].split("\n")) - 1
            data = data.lstrip()
        self._text += data

    def end_block(self) -> None:
        if self._text.strip():
            self.texts.append(Text(self._line, self._text.rstrip()))
        self._text = ""


def html(template: str) -> list[Text]:
    """Read what a template shows: its text, and the attributes that are shown or read aloud."""
    template = re.sub(r"\{\{.*?\}\}", lambda found: CODE + _blank(found), template, flags=re.DOTALL)
    template = re.sub(r"\{#.*?#\}", _blank, template, flags=re.DOTALL)
    template = re.sub(r"\{%.*?%\}", _block, template, flags=re.DOTALL)
    reader = _Reader()
    reader.feed(template)
    reader.close()
    reader.end_block()
    return reader.texts


def _block(found: re.Match[str]) -> str:
    """A block of Jinja ends a text; `if`, `else` and `for` within a line do not."""
    return ("<br>" if re.match(r"\{%-?\s*(end)?block", found[0]) else "") + _blank(found)
