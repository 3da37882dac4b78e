"""Links in the pages lead to files and sections that exist, and the questions of newcomers are two clicks from Home."""

import re
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

import pytest

from docs.generated import CHANGELOG, REFERENCE, generated
from tests.docs.test_pointers import FENCED, slug

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://github.com/nextpair/nextpair/blob/main/"
TOP = ("README.md", "client/README.md", "CONTRIBUTING.md", "SECURITY.md", "app/demo/README.md", "examples/README.md")
LINK = re.compile(r"\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)", re.MULTILINE)
HEADING = re.compile(r"^#+ (.+?)(?: \{ #([\w-]+) \})?$", re.MULTILINE)
QUESTION = re.compile(r"^- \*\*(.+?\?)\*\*(.*?)(?=^- |^#|\Z)", re.MULTILINE | re.DOTALL)
ENOUGH = 25
CODE = re.compile(r"`[^`\n]*`")
PAGES = [*TOP, *sorted(str(file.relative_to(ROOT)) for file in (ROOT / "docs").rglob("*.md"))]


@cache
def made() -> dict[str, str]:
    """The pages that the site has and the repository has not."""
    return {f"docs/{path}": text for path, text in generated().items()} | {
        f"docs/{CHANGELOG}": (ROOT / "CHANGELOG.md").read_text()
    }


@cache
def anchors(page: str) -> frozenset[str]:
    text = FENCED.sub("", made()[page] if page in made() else (ROOT / page).read_text())
    named = (name or slug(heading) for heading, name in HEADING.findall(text))
    return frozenset({*named, *re.findall(r'<a id="([\w-]+)">', text)})


def links(text: str) -> list[str]:
    return ["".join(found) for found in LINK.findall(CODE.sub("", FENCED.sub("", text)))]


def broken(page: str, link: str, on_github: bool) -> bool:
    """Whether a link of ours leads nowhere. What only the site has is nothing on GitHub."""
    target, _, section = link.removeprefix(REPOSITORY).partition("#")
    if re.match(r"\w+:", target):
        return False  # elsewhere
    own = page if not target else target if link.startswith(REPOSITORY) else normpath(join(dirname(page), target))
    own = own.partition("?")[0]
    exists = (ROOT / own).exists() or (own in made() and not (on_github or link.startswith(REPOSITORY)))
    return not exists or bool(section and own.endswith(".md") and section not in anchors(own))


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    found = links((ROOT / page).read_text())
    assert [link for link in found if broken(page, link, on_github=page in TOP)] == []


@pytest.mark.parametrize("page", ["README.md", "client/README.md"])
def test_links_of_packages_name_their_host(page: str) -> None:
    """On a package index a relative link is dead."""
    assert [link for link in links((ROOT / page).read_text()) if not link.startswith("https://")] == []


def test_a_link_that_leads_nowhere_is_noticed() -> None:
    assert broken("docs/index.md", "nowhere.md", False)
    assert broken("docs/index.md", "tutorial.md#nowhere", False)
    assert broken("README.md", f"{REPOSITORY}docs/reference/commands.md", True)
    assert not broken("docs/how-to/http.md", "../reference/commands.md#nextpair-rank", False)


def in_navigation(entries: list[Any]) -> set[str]:
    pages = (page for entry in entries for page in entry.values())
    return {name for page in pages for name in (in_navigation(page) if isinstance(page, list) else {page})}


def test_every_question_is_answered_within_two_clicks() -> None:
    yaml = pytest.importorskip("yaml")
    text = (ROOT / "docs/questions.md").read_text()
    questions = QUESTION.findall(text)
    navigation = in_navigation(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"])
    one_click = {f"docs/{name}" for name in navigation} | set(REFERENCE) | {"docs/api/index.md"}
    one_click |= {normpath(f"docs/{link.partition('#')[0]}") for link in links((ROOT / "docs/index.md").read_text())}
    assert "docs/questions.md" in one_click
    assert len(questions) >= ENOUGH
    unanswered, far = [], []
    for question, answer in questions:
        targets = [link for link in links(answer) if not broken("docs/questions.md", link, on_github=False)]
        pages = [
            normpath(f"docs/{target.partition('#')[0]}") for target in targets if not target.startswith(REPOSITORY)
        ]
        unanswered += [] if targets else [question]
        far += [question] if pages and not one_click & set(pages) else []
    assert (unanswered, far) == ([], [])


def test_the_site_asks_no_other_host() -> None:
    """The theme asks the host of `repo_url` for stars and releases, and Google for a font."""
    settings = (ROOT / "mkdocs.yml").read_text().splitlines()
    assert not [line for line in settings if line.startswith("repo_url:")]
    assert any(line.startswith("  font: false") for line in settings)
