"""Which Chromium the tests drive. As a program: print it, or how to get one."""

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
HOW_TO_GET_ONE = (
    "there is no Chromium: run `.venv/bin/playwright install chromium` or `apt-get install chromium`, "
    "or set NEXTPAIR_CHROMIUM to its path"
)


def find() -> str | None:
    """The one that NEXTPAIR_CHROMIUM names, the system's, or Playwright's own."""
    named = os.environ.get("NEXTPAIR_CHROMIUM")
    return named or next(filter(None, map(shutil.which, PROGRAMS)), None) or _downloaded()


def _downloaded() -> str | None:
    with sync_playwright() as playwright:
        path = str(playwright.chromium.executable_path)
    return path if Path(path).exists() else None


if __name__ == "__main__":
    sys.exit(None if find() else HOW_TO_GET_ONE)
