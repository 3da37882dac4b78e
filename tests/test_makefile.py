"""What `make` installs for what."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize(("target", "tools"), [("run", False), ("test", True), ("check", True), ("docs", False)])
def test_running_installs_no_test_tools(target: str, tools: bool) -> None:
    as_if_new = ["make", "--dry-run", "--always-make", target]
    planned = subprocess.run(as_if_new, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "pip install" in planned
    assert ("requirements-dev.lock" in planned) == tools


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_help_names_every_target() -> None:
    command = ["make", "--no-print-directory", "help"]  # as `make test` may run this
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    [targets] = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert [line.split()[0] for line in shown.splitlines()] == targets.split()


@pytest.mark.parametrize("lock", sorted(ROOT.glob("requirements*.lock")), ids=lambda lock: lock.stem)
def test_locks_name_hashes_and_no_index(lock: Path) -> None:
    entries = re.split(r"\n(?=\S)", lock.read_text())
    assert all("==" in entry and "--hash=sha256:" in entry for entry in entries)
    assert "://" not in lock.read_text()
