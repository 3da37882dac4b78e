"""The backup of a private database, by the commands of docs/how-to/backup-and-upgrade.md."""

import re
from pathlib import Path

from tests.end_to_end.commands import ROOT, run
from tests.end_to_end.processes import Server

BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)


async def test_the_documented_commands_dump_and_restore_a_private_database(server: Server, tmp_path: Path) -> None:
    blocks = BLOCK.findall((ROOT / "docs/how-to/backup-and-upgrade.md").read_text())
    script = "".join(block for block in blocks if '"$BIN/' in block or block.startswith("$ BIN="))
    commands = re.sub(r"^\$ ", "", script, flags=re.MULTILINE)
    assert commands.count("pg_dump") == 2
    assert "pg_restore" in commands
    commands = commands.replace("DIR/data", f"{server.data_dir}/data").replace(
        "realpath DIR", f"realpath {server.data_dir}"
    )
    done = await run("bash", "-euo", "pipefail", "-c", f"cd {tmp_path}\n{commands}")
    assert done.code == 0, done.stderr
    assert re.search(r"pg_dump \(PostgreSQL\) \d+", done.stdout)
    assert (tmp_path / "nextpair.dump").read_bytes().startswith(b"PGDMP")
