"""Both wheels, built once, and environments outside the project to install them in."""

import os
import re
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOME = {name: value for name, value in os.environ.items() if not name.startswith(("NEXTPAIR_", "PYTHON", "DATABASE_"))}


class Wheels(NamedTuple):
    client: Path
    server: Path


class Environment:
    """A new environment in `folder`, and commands that run in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.bin = folder, folder / "environment/bin"
        venv.create(folder / "environment", with_pip=True)

    def run(self, program: str, *arguments: str) -> str:
        """Its output. The test fails where the command does."""
        command = [str(self.bin / program), *arguments]
        done = subprocess.run(command, cwd=self.folder, env=HOME, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def install(self, *requirements: str) -> None:
        """Versions are those that the project is tested with; which packages come is the wheels' to say."""
        pins = self.folder / "pins.txt"
        pins.write_text("\n".join(re.findall(r"^\S+==[^\\\n]+", (ROOT / "requirements.lock").read_text(), re.M)))
        self.run("pip", "install", "--quiet", "--constraint", str(pins), *requirements)

    @property
    def packages(self) -> Path:
        [folder] = (self.folder / "environment/lib").glob("python*/site-packages")
        return folder


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Wheels:
    folder = tmp_path_factory.mktemp("wheels")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, "./client", "."], cwd=ROOT, check=True)
    [client], [server] = folder.glob("nextpair-*.whl"), folder.glob("nextpair_server-*.whl")
    return Wheels(client, server)


@pytest.fixture
def new_environment(tmp_path: Path) -> Callable[[], Environment]:
    return lambda: Environment(tmp_path)
