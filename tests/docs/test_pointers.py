"""Pages and sections that code and other pages point to, by their path from the root, exist."""

import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
POINTER = re.compile(r"(?<![\w-])(docs/[\w./-]+\.md)(?:#([\w-]+))?")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
MADE = re.compile(r"docs/(reference|api)/|docs/changelog")  # some of them are made when the site is built


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "*.py", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split() if (ROOT / name).exists()]


@cache
def anchors(page: str) -> frozenset[str]:
    """The sections of a page, as its renderer names them."""
    text = FENCED.sub("", (ROOT / page).read_text(encoding="utf-8"))
    return frozenset({*map(slug, HEADING.findall(text)), *re.findall(r'<a id="([\w-]+)">', text)})


def slug(heading: str) -> str:
    words = re.sub(r"\]\([^)]*\)|[`\[]", "", heading).lower()
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", words).strip())


def broken(text: str) -> list[str]:
    found = []
    for page, section in POINTER.findall(text):
        if not (ROOT / page).exists():
            found += [] if MADE.match(page) else [page]
        elif section and section not in anchors(page):
            found.append(f"{page}#{section}")
    return found


def test_what_is_pointed_to_exists() -> None:
    others = [path for path in tracked() if path != Path(__file__)]
    found = {str(path.relative_to(ROOT)): broken(path.read_text(encoding="utf-8")) for path in others}
    assert len(found) > 100
    assert {path: missing for path, missing in found.items() if missing} == {}


def test_a_page_or_section_that_is_gone_is_noticed() -> None:
    page = "docs/appendix/equations.md"
    assert broken(f"see {page}#the-posterior and ../{page}") == []
    assert broken(f"see {page}#no-such-section") == [f"{page}#no-such-section"]
    assert broken("see docs/nowhere.md") == ["docs/nowhere.md"]
