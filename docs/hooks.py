"""Additions to the pages in this folder: the API reference, the changelog and the screenshots that are there."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from app.main import create_app
from app.service import errors
from app.settings import Settings
from docs.api_reference import MODELS, PAGES, ProblemKind, pages

DOCS = Path(__file__).parent
CHANGELOG = "changelog.md"
API = [
    {"Overview": "api/index.md"},
    *({title: f"api/{tag}.md"} for tag, title in PAGES.items()),
    {"Models": f"api/{MODELS}"},
]
SCREENSHOT = re.compile(r"^<!-- screenshot: (?P<page>\w+) (?P<device>desktop|phone): (?P<says>.+) -->$", re.MULTILINE)


def on_config(config: MkDocsConfig) -> None:
    """The API reference joins the navigation; a page that is not written yet is left out of it."""
    entries = _written(config.nav or [])
    reference = next(entry["Reference"] for entry in entries if "Reference" in entry)
    reference.append({"HTTP": API})
    config.nav = entries


def _written(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {title: _written(page) if isinstance(page, list) else page}
        for entry in entries
        for title, page in entry.items()
        if isinstance(page, list) or page == CHANGELOG or (DOCS / page).exists()
    ]


def on_files(files: Files, config: MkDocsConfig) -> None:
    files.append(File.generated(config, CHANGELOG, abs_src_path=str(DOCS.parent / "CHANGELOG.md")))
    for name, text in _api_pages().items():
        files.append(File.generated(config, f"api/{name}", content=text))


def _api_pages() -> dict[str, str]:
    document = create_app(Settings()).openapi()
    return pages(document, list(_problems(errors.AppError)))


def _problems(kind: type[errors.AppError]) -> Iterator[ProblemKind]:
    """Errors that are raised: those that nothing is derived from."""
    for below in kind.__subclasses__():
        yield from _problems(below)
    if not kind.__subclasses__():
        error = kind("")
        yield ProblemKind(error.status, error.code, error.title)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    up = "../" * (len(PurePosixPath(page.file.src_uri).parts) - 1)
    return SCREENSHOT.sub(partial(_screenshot, up), markdown)


def _screenshot(up: str, place: re.Match[str]) -> str:
    """The picture for the reader's colour scheme, or nothing where `docs/screenshots.py` has not run."""
    pictures = {scheme: f"images/{place['page']}-{scheme}-{place['device']}.png" for scheme in ("light", "dark")}
    if not all((DOCS / picture).exists() for picture in pictures.values()):
        return ""
    return "\n".join(f"![{place['says']}]({up}{picture}#only-{scheme})" for scheme, picture in pictures.items())
