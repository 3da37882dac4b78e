"""The client in a project that has an `app` of its own."""

import subprocess
import sys
from collections.abc import Callable

from tests.wheels.conftest import Environment, Wheels

USE = """\
import app
import nextpair


def clearer(first: str, second: str) -> float:
    return 0.9 if len(first) > len(second) else 0.2


def best_of(outputs: dict[str, str], client: nextpair.Client) -> str:
    assert app.OURS
    ranking = nextpair.rank(outputs, judge=clearer, client=client)
    return [row.key for row in ranking][0]
"""
MOST = 20e6  # bytes


def test_it_is_small_and_typed_beside_an_app_of_the_projects_own(
    wheels: Wheels, new_environment: Callable[[], Environment]
) -> None:
    environment = new_environment()
    environment.install(str(wheels.client))
    (environment.folder / "app").mkdir()
    (environment.folder / "app/__init__.py").write_text("OURS = True\n")
    (environment.folder / "use.py").write_text(USE)

    environment.run("python", "-c", "import use")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--python-executable", environment.bin / "python", "use.py"],
        cwd=environment.folder, capture_output=True, text=True,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout

    told = subprocess.run([environment.bin / "nextpair"], capture_output=True, text=True)
    assert (told.returncode, told.stdout) == (1, "")
    assert "pip install ./client '.[all]'" in told.stderr

    environment.run("pip", "uninstall", "--yes", "--quiet", "setuptools", "pip")
    size = sum(file.stat().st_size for file in environment.packages.rglob("*") if file.is_file())
    print(f"site-packages of the client: {size / 1e6:.1f} MB")
    assert size < MOST
