"""The blocks of every page run in the order of the page, and print what it shows; others are parsed."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.docs.blocks import PARSED, ROOT, RUN, Block, Command, Counts, blocks, commands, fault, matches, pages
from tests.docs.scratch import Scratch, service

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="the shell's blocks use curl")
NAMED = re.compile(r"(?<![\w/.-])(?:examples|app)/[\w./-]+\.\w+")


@pytest.mark.parametrize("page", pages())
async def test_every_block_runs(
    page: str, database_url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    listed = blocks((ROOT / page).read_text())
    to_run = [block for block in listed if block.language in RUN and not block.reason]
    parsed = [block for block in listed if block.language in PARSED and not block.reason]
    faults = [f"{page}:{block.line}: {wrong}" for block in parsed if (wrong := fault(block))]
    if to_run:
        async with service(database_url) as server:
            scratch = Scratch(tmp_path, server)
            try:
                for block in to_run:
                    faults += await scratch.faults(block, page)
            finally:
                await scratch.close()
    left = [(f"{page}:{block.line}", block.reason) for block in listed if block.reason]
    record_property("blocks", Counts(run=len(to_run), parsed=len(parsed), left=left))
    assert not faults, "\n\n".join(faults)


@pytest.mark.parametrize("page", pages())
def test_files_that_are_named_exist(page: str) -> None:
    """Those of blocks that are not run too."""
    named = {name for block in blocks((ROOT / page).read_text()) for name in NAMED.findall(block.code)}
    assert sorted(name for name in named if not (ROOT / name).exists()) == []


PAGE = """
```bash
echo one
```

It prints

```text
one
```

<!-- not run: needs a GPU -->
```console
$ nextpair worker
```

- entry

  ```python
  print(1)
  ```

Two lines of
prose.

```text
1
```
"""


def test_blocks_are_read() -> None:
    assert [block for block in blocks(PAGE) if block.language != "text"] == [
        Block(2, "bash", "echo one\n", "", "one\n"),
        Block(13, "console", "$ nextpair worker\n", "needs a GPU", None),
        Block(19, "python", "print(1)\n", "", None),
    ]


def test_commands_of_a_console() -> None:
    block = Block(1, "console", "$ one \\\n    more\nout\nput\n$ two\n$ three", "", None)
    assert commands(block) == [
        Command("one \\\n    more\n", "out\nput"),
        Command("two\n", None),
        Command("three", None),
    ]


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a  b\n──\nc\n", "a b\n─────\nc", True),
        ("a\n...\nd", "a\nb\nc\nd\n", True),
        ("id ... made", "id 42-7 made", True),
        ("a", "a\nb", False),
        ("a (1.5)", "a (1x5)", False),
    ],
)
def test_output_matches(shown: str, printed: str, same: bool) -> None:
    assert matches(shown, printed) is same


@pytest.mark.parametrize(
    ("language", "good", "bad"),
    [
        ("json", "{}", "{"),
        ("yaml", "a: 1", "a: ["),
        ("toml", "a = 1", "a"),
        ("nginx", "server { listen 80; }", "server {"),
    ],
)
def test_parsers(language: str, good: str, bad: str) -> None:
    assert not fault(Block(1, language, good, "", None))
    assert fault(Block(1, language, bad, "", None))


async def test_state_is_kept_and_faults_are_found(database_url: str, tmp_path: Path) -> None:
    async with service(database_url) as server:
        scratch = Scratch(tmp_path, server)
        try:
            good = [
                Block(
                    1,
                    "bash",
                    "NAME='two words'\ncurl -sf http://127.0.0.1:8000/readyz > /dev/null\nmkdir x; cd x",
                    "",
                    "",
                ),
                Block(2, "bash", 'echo "$NAME"; basename "$PWD"', "", "two words\nx"),
                Block(3, "python", "import nextpair\nkept = 7", "", None),
                Block(
                    4, "python", "with nextpair.Client.local() as c: print(kept, c.url)", "", "7 http://127.0.0.1:8000"
                ),
                Block(5, "console", "$ nextpair rank nothing.csv\nnextpair: ...nothing.csv...\n", "", None),
            ]
            assert [await scratch.faults(block, "page") for block in good] == [[]] * len(good)
            bad = [
                Block(6, "bash", "false", "", None),
                Block(7, "python", "1 / 0", "", None),
                Block(8, "console", "$ echo one\ntwo\n", "", None),
                Block(9, "bash", "curl -s http://127.0.0.1:8000/v1/sets/nothing", "", None),
            ]
            assert [len(await scratch.faults(block, "page")) for block in bad] == [1] * len(bad)
        finally:
            await scratch.close()
