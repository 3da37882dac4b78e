"""What a process takes upon itself when it imports this package."""

import os
import subprocess
import sys

import pytest

VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def run(code: str) -> str:
    """What a new process prints, in whose environment nothing is said of threads."""
    environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=60
    ).stdout.strip()


def test_whoever_imports_us_keeps_their_threads() -> None:
    modules = "nextpair.client, nextpair.schemas, app.cli, judge_worker.run"
    assert run(f"import os; before = dict(os.environ); import {modules}; print(os.environ == before)") == "True"


@pytest.mark.parametrize(("command", "threads"), [("rank", "1"), ("worker", "None"), ("judge", "None")])
def test_a_command_of_ours_takes_one_thread_before_it_loads_numpy(command: str, threads: str) -> None:
    code = (
        "import os, sys; from app import cli; "
        f"cli.run(['{command}', '--help']); print(os.environ.get('OMP_NUM_THREADS'), 'numpy' in sys.modules)"
    )
    assert run(code).splitlines()[-1] == f"{threads} False"
