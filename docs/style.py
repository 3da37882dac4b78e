"""Check the texts that people read: `python -m docs.style` reads all, `python -m docs.style FILE...` those files alone.

It names each banned word with what to write, and each sentence of more than 28 words. It fails where a banned word is
left, where 2% of the sentences or more are too long, or where half of them have more than 15 words.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

from docs import prose, surfaces
from docs.prose import Text
from docs.wording import offences

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "client/README.md", "docs/**/*.md", "app/web/templates/*.html")
EXEMPT = ("docs/appendix", "docs/decisions")
MESSAGES = (
    "app/sentences/**/*.py",
    "app/service/errors.py",
    "app/service/checks/**/*.py",
    "app/offline/printing/**/*.py",
    "app/web/texts.py",
    "app/web/static/lib/texts/*.js",
    "docs/openapi.json",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
)
LONGEST, HALF, SHARE = 28, 15, 0.02
LABEL = 3  # words or fewer are a label, and no sentence


def main(arguments: list[str]) -> int:
    """Print what there is to change, and the totals."""
    files = [Path(each) for each in arguments] or [*_found(PAGES), *_found(MESSAGES)]
    missing = [str(file) for file in files if not file.exists()]
    if missing:
        print(f"No such file: {', '.join(missing)}")
        return 2
    banned = list(_banned(files, with_help=not arguments))
    counts = []
    for file in filter(_is_page, files):
        for sentence in _sentences(file):
            length = prose.words(sentence.text)
            counts += [length] if length > LABEL else []
            if length > LONGEST:
                print(f"{_name(file)}:{sentence.line}: {length} words: {sentence.text}")
    print(*banned, sep="\n", end="\n" if banned else "")
    half, share = median(counts or [0]), sum(each > LONGEST for each in counts) / max(len(counts), 1)
    print(f"{len(counts):,} sentences, median {half:g} words, {share:.1%} over {LONGEST}, {len(banned)} banned words")
    return 1 if banned or share >= SHARE or half > HALF else 0


def _found(patterns: Iterable[str]) -> list[Path]:
    files = [file for pattern in patterns for file in sorted(ROOT.glob(pattern))]
    return [file for file in files if not _name(file).startswith(EXEMPT)]


def _name(file: Path) -> str:
    return str(file.relative_to(ROOT)) if file.is_relative_to(ROOT) else str(file)


def _is_page(file: Path) -> bool:
    return file.suffix in (".md", ".html") and file.name not in ("CHANGELOG.md", "CONTRIBUTING.md")


def _sentences(file: Path) -> Iterator[Text]:
    for block in _texts(file):
        yield from prose.sentences(block)


def _texts(file: Path) -> list[Text]:
    content = file.read_text()
    if file.name == "CHANGELOG.md":
        return [surfaces.unreleased(content)]
    readers = {".html": prose.html, ".py": surfaces.strings, ".js": surfaces.script_strings, ".json": surfaces.openapi}
    return readers.get(file.suffix, prose.markdown)(content)


def _banned(files: list[Path], with_help: bool) -> Iterator[str]:
    """Say where each banned word is, and what to write."""
    for file in files:
        for text in _texts(file):
            for line, word, instead in offences(text.text, text.line, of_code=file.name == "CONTRIBUTING.md"):
                yield f"{_name(file)}:{line}: {word!r}, write: {instead}"
    for place, said in [*_help(), *_reference()] if with_help else []:
        for _, word, instead in offences(said):
            yield f"{place}: {word!r}, write: {instead}"


def _help() -> Iterator[tuple[str, str]]:
    import typer

    from app.cli.entry import app

    return surfaces.helped(typer.main.get_command(app))


def _reference() -> Iterator[tuple[str, str]]:
    """Read the docstrings of the client, and the words around them."""
    from docs import client_reference

    return (("docs/client_reference.py", block.text) for block in prose.markdown(client_reference.page()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
