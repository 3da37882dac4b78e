"""The reference made from the code leaves nothing out, and its examples run."""

import re
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import nextpair
import pytest
from nextpair.words import STATUSES, AskStatus, PageStatus

from app import __version__
from app.files import exports, names, outcomes, pairs, rankings
from app.files.reports.citation import bibtex
from app.settings import Settings
from docs import citation, client_reference, commands_reference, files_reference, settings_reference, statuses_reference
from judge_worker.settings import PREFIX, every_setting
from tests.docs.blocks import ROOT, blocks
from tests.docs.scratch import Scratch, service

PAGES = {
    "client": client_reference.page(),
    "commands": commands_reference.page(),
    "files": files_reference.page(),
    "settings": settings_reference.page(),
    "statuses": statuses_reference.page(),
}
EXAMPLES = "\n".join(block.code for block in blocks(PAGES["client"]) if block.language == "python")
MODULES = {"calls", "schemas"}  # whose contents the HTTP reference has


def without(page: str, wanted: set[str]) -> set[str]:
    """The names that a page does not have as code."""
    return {name for name in wanted if not re.search(rf"`[^`\n]*(?<![\w-]){re.escape(name)}(?![\w-])", PAGES[page])}


def test_every_command_and_option() -> None:
    commands = commands_reference.commands()
    assert set(commands_reference.EXAMPLES) == set(commands)
    assert all(f"\n## nextpair {name}\n" in PAGES["commands"] for name in commands)
    options = {
        option
        for each in commands.values()
        for parameter in each.params
        if not getattr(parameter, "hidden", False)
        for option in parameter.opts
    }
    assert without("commands", {option for option in options if option.startswith("--")}) == set()


def test_every_setting() -> None:
    service = {f"NEXTPAIR_{name.upper()}" for name in Settings.model_fields}
    worker = {f"{PREFIX}{setting.name.upper()}" for setting in every_setting()}
    files = [file for folder in ("app", "judge_worker", "client/nextpair") for file in (ROOT / folder).rglob("*.py")]
    in_code = {name for file in files for name in settings_reference.variables(file.read_text())}
    assert without("settings", service | worker | in_code | {"DATABASE_URL"}) == set()
    composed = re.findall(r"\$\{(\w+)", (ROOT / "docker-compose.yml").read_text())
    assert set(composed) == set(settings_reference.IN_COMPOSE)
    assert all(field.description for field in Settings.model_fields.values())


def test_every_status_and_problem() -> None:
    assert set(STATUSES) == set(get_args(PageStatus)) >= set(get_args(AskStatus))
    for words, meanings in statuses_reference.WORDS.items():
        assert set(meanings) == set(get_args(words))
    assert set(statuses_reference.LEASES) == statuses_reference.lease_words()
    assert without("statuses", {kind.code for kind in statuses_reference.problem_kinds()}) == set()


def test_every_column() -> None:
    recognised = {name for columns in names.RECOGNISED.values() for each in columns for name in each.names}
    written = {name for each in rankings.IN_CSV for name in each.names} | {*exports.COLUMNS, *pairs.VERDICT}
    assert (
        without("files", recognised | written | {word for words in outcomes.READ_AS.values() for word in words})
        == set()
    )
    constants = [value for name, value in vars(names).items() if name.isupper() and name[0] != "_"]
    assert {name for value in constants if not isinstance(value, dict) for name in _flat(value)} <= recognised | written


def _flat(value: object) -> list[str]:
    """Names in a constant; None stands where a file has no such column."""
    if value is None or isinstance(value, str):
        return [] if value is None else [value]
    return [name for each in value for name in _flat(each)]  # type: ignore[attr-defined]


def test_every_name_of_the_client_has_an_example() -> None:
    public = set(dir(nextpair)) - MODULES
    listed = {name for section in client_reference.SECTIONS.values() for name in section} | set(
        client_reference.bodies()
    )
    assert public <= listed
    shown = {name for name in public if not re.search(rf"\b{name}\b", EXAMPLES)}
    assert shown == {"RankedOutputs", "Set", "PairToJudge", "PairsToJudge", "Event", "AsyncSet", "AsyncPairToJudge"}
    for section in client_reference.SECTIONS.values():
        assert [name for name, each in section.items() if "```python" not in client_reference.prose(each)] == []


def test_every_method_of_the_client_has_an_example() -> None:
    kinds = [each for section in client_reference.SECTIONS.values() for each in section.values()]
    found = {
        name
        for kind in kinds
        if isinstance(kind, type) and not issubclass(kind, tuple | Exception)
        for name in client_reference.methods(kind)
    }
    assert {name for name in found if not re.search(rf"\.{name}\b", EXAMPLES)} == {
        "send",
        "each",
        "aclose",
    }


@pytest.mark.skipif(shutil.which("curl") is None, reason="the shell's blocks use curl")
async def test_examples_of_the_client_run(database_url: str, tmp_path: Path) -> None:
    async with service(database_url) as server:
        scratch = Scratch(tmp_path, server)
        try:
            faults = [
                fault
                for block in blocks(PAGES["client"])
                if "to_frame" not in block.code or find_spec("pandas")
                for fault in await scratch.faults(block, "client.md")
            ]
            assert not faults, "\n\n".join(faults)
        finally:
            await scratch.close()


def test_a_report_cites_what_the_docs_cite() -> None:
    assert bibtex(__version__) in citation.page()
