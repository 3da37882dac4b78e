"""The text of a PDF that Chromium printed."""

import re
import zlib

OBJECT = re.compile(rb"(\d+) 0 obj\n(.*?)\nendobj", re.DOTALL)
STREAM = re.compile(rb"stream\n(.*)\nendstream", re.DOTALL)
CHARACTERS = re.compile(rb"beginbfchar\n(.*?)endbfchar", re.DOTALL)
RANGES = re.compile(rb"beginbfrange\n(.*?)endbfrange", re.DOTALL)
WORDS = re.compile(rb"/F(\d+) [\d.]+ Tf|<([0-9A-Fa-f]+)>")  # a font by the number of its object, or glyphs of two bytes


def text_of(pdf: bytes) -> str:
    """Glyphs as characters, in the order in which they are drawn."""
    objects = {int(number): body for number, body in OBJECT.findall(pdf)}
    streams = {number: content for number, body in objects.items() if (content := _stream(body)) is not None}
    fonts = {
        number: _characters(streams[int(named[1])])
        for number, body in objects.items()
        if (named := re.search(rb"/ToUnicode (\d+) 0 R", body))
    }
    return "".join(_drawn(content, fonts) for content in streams.values() if b" Tf" in content)


def _stream(body: bytes) -> bytes | None:
    found = STREAM.search(body)
    if not found:
        return None
    return zlib.decompress(found[1]) if b"/FlateDecode" in body[: found.start()] else found[1]


def _characters(table: bytes) -> dict[int, str]:
    """Characters of a font by glyph."""
    made = {}
    for block in CHARACTERS.findall(table):
        for glyph, text in re.findall(rb"<(\w+)> <(\w+)>", block):
            made[int(glyph, 16)] = bytes.fromhex(text.decode()).decode("utf-16-be")
    for block in RANGES.findall(table):
        for first, last, text in re.findall(rb"<(\w+)> <(\w+)> <(\w+)>", block):
            for n in range(int(last, 16) - int(first, 16) + 1):
                made[int(first, 16) + n] = chr(int(text, 16) + n)
    return made


def _drawn(content: bytes, fonts: dict[int, dict[int, str]]) -> str:
    font: dict[int, str] = {}
    drawn = []
    for name, glyphs in WORDS.findall(content):
        font = fonts.get(int(name), {}) if name else font
        drawn += [font.get(int(glyphs[n : n + 4], 16), "") for n in range(0, len(glyphs), 4)]
    return "".join(drawn)
