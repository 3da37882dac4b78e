"""Additions to the pages in this folder: the reference made from the code, the changelog, screenshots."""

import re
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from docs.api_reference import MODELS, PAGES
from docs.generated import CHANGELOG, REFERENCE, generated

DOCS = Path(__file__).parent
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
        if isinstance(page, list) or page in (CHANGELOG, *REFERENCE) or (DOCS / page).exists()
    ]


def on_files(files: Files, config: MkDocsConfig) -> None:
    files.append(File.generated(config, CHANGELOG, abs_src_path=str(DOCS.parent / "CHANGELOG.md")))
    for path, text in generated().items():
        files.append(File.generated(config, path, content=text))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    up = "../" * (len(PurePosixPath(page.file.src_uri).parts) - 1)
    return SCREENSHOT.sub(partial(_screenshot, up), markdown)


def _screenshot(up: str, place: re.Match[str]) -> str:
    """The picture for the reader's colour scheme, or nothing where `docs/screenshots.py` has not run."""
    pictures = {scheme: f"images/{place['page']}-{scheme}-{place['device']}.png" for scheme in ("light", "dark")}
    if not all((DOCS / picture).exists() for picture in pictures.values()):
        return ""
    return "\n".join(f"![{place['says']}]({up}{picture}#only-{scheme})" for scheme, picture in pictures.items())
