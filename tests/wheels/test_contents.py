"""What is in a wheel and what is not."""

import re
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from zipfile import ZipFile

from tests.wheels.conftest import ROOT, Wheels


def names(wheel: Path) -> set[str]:
    return set(ZipFile(wheel).namelist())


def metadata(wheel: Path) -> Message:
    archive = ZipFile(wheel)
    [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    return message_from_bytes(archive.read(name))


def top_level(wheel: Path) -> set[str]:
    return {name.split("/")[0] for name in names(wheel) if ".dist-info/" not in name}


def files(folder: Path) -> set[str]:
    return {
        str(file.relative_to(ROOT)) for file in folder.rglob("*") if file.is_file() and "__pycache__" not in str(file)
    }


def test_the_server_brings_its_pages_migrations_and_demo_and_nothing_else(wheels: Wheels) -> None:
    assert top_level(wheels.server) == {"app", "judge_worker"}
    assert not [
        name for name in names(wheels.server) if re.search(r"Dockerfile|requirements|node_modules|tests/", name)
    ]
    shown = files(ROOT / "app/web/static") | files(ROOT / "app/web/templates") | files(ROOT / "app/demo")
    assert shown | files(ROOT / "judge_worker/templates") <= names(wheels.server)
    assert {f"app/{name}" for name in files(ROOT / "migrations")} <= names(wheels.server)


def test_the_client_is_typed_and_needs_httpx_and_pydantic_only(wheels: Wheels) -> None:
    assert top_level(wheels.client) == {"nextpair"}
    assert "nextpair/py.typed" in names(wheels.client)
    needs = metadata(wheels.client).get_all("Requires-Dist") or []
    assert {re.split(r"[^\w-]", need)[0] for need in needs} == {"httpx", "pydantic"}


def test_both_say_where_they_come_from_and_under_which_licence(wheels: Wheels) -> None:
    for wheel in wheels:
        described = metadata(wheel)
        assert described["License-Expression"] == "Apache-2.0"
        assert "Issues, https://github.com/nextpair/nextpair/issues" in (described.get_all("Project-URL") or [])
        assert str(described.get_payload()).startswith("# ")
        assert any(name.endswith("licenses/LICENSE") for name in names(wheel))
