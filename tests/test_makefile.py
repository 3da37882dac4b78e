"""What `make` installs for what."""

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
