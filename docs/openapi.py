"""The OpenAPI document as a file, docs/openapi.json: `python -m docs.openapi` writes it, and names what breaks clients.

`python -m docs.openapi --check` compares the file with that of the branch this one goes into, and fails if a breaking
change is not named in CHANGELOG.md.
"""

import json
import subprocess
import sys
from pathlib import Path

from app.main import create_app
from app.settings import Settings
from docs.contract_changes import Change, Json, breaking

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs/openapi.json"
BASES = ("origin/main", "main")
RELEASE = "\n## "


def document() -> Json:
    return create_app(Settings()).openapi()


def text_of(document: Json) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def unnamed(changes: list[Change], changelog: str) -> list[Change]:
    """Changes whose place does not stand, in backticks, in the first section of the changelog."""
    unreleased = RELEASE.join(changelog.split(RELEASE)[:2])
    return [change for change in changes if f"`{change.place}`" not in unreleased]


def earlier(root: Path = ROOT) -> Json | None:
    """The document where this branch left the main one, or before the last commit on that; None if git has none."""
    head = _git(root, "rev-parse", "HEAD")
    for base in filter(None, (_git(root, "merge-base", "HEAD", branch) for branch in BASES)):
        if before := _git(root, "show", f"{base if base != head else 'HEAD^'}:docs/openapi.json"):
            return dict(json.loads(before))
    return None


def _git(root: Path, *arguments: str) -> str:
    """What git prints; nothing where it fails."""
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def write() -> None:
    before = json.loads(FILE.read_text()) if FILE.exists() else None
    now = document()
    FILE.write_text(text_of(now))
    print("docs/openapi.json is written.")
    if before and (changes := breaking(before, now)):
        print("These changes break clients; name each in CHANGELOG.md by its place:", *changes, sep="\n- ")


def check() -> int:
    before = earlier()
    if before is None:
        print("SKIPPED: make check-contract, because git has no earlier docs/openapi.json")
        return 0
    changes = breaking(before, json.loads(FILE.read_text()))
    missing = unnamed(changes, (ROOT / "CHANGELOG.md").read_text())
    print(f"{len(changes)} changes of the contract break clients.", *changes, sep="\n- ")
    if missing:
        print("Name these in CHANGELOG.md, under Unreleased, by their place:", *missing, sep="\n- ")
    return 1 if missing else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(check())
    write()
