"""Commands that run a service."""

from pathlib import Path

import pytest

from tests.cli.commands import failure


def test_migrate_makes_no_database_that_nobody_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for variable in ("DATABASE_URL", "NEXTPAIR_DATABASE_URL", "NEXTPAIR_DATA_DIR"):
        monkeypatch.delenv(variable, raising=False)
    code, line = failure(capsys, "migrate")
    assert code == 2
    assert f"there is no database in {tmp_path}/nextpair; name one with --database-url" in line
    assert not (tmp_path / "nextpair").exists()


def test_a_file_that_holds_no_rivals_is_not_imported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    answers = tmp_path / "answers.csv"
    answers.write_text("id,prompt,output\n1,Sky?,Blue.\n2,Sea?,Salt.\n")
    code, line = failure(capsys, "import", str(answers), "--server", "http://127.0.0.1:9")
    assert code == 2
    assert "column 'prompt' has 2 different values in 2 rows, so the rows answer different prompts" in line


def test_a_fault_of_a_file_of_outputs_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "outputs.csv"
    file.write_text("model,prompt,output\ngpt,Sky?,Blue.\nllama,Sky?,Red.\n,Sea?,Salt.\n")
    code, line = failure(capsys, "import", str(file), "--server", "http://127.0.0.1:9")
    assert code == 2
    assert line.endswith("line 4, column 'model': empty; every row needs the name of its system here")
    code, line = failure(capsys, "import", str(file), "--systems", "output,gpt", "--server", "http://127.0.0.1:9")
    assert (code, "no column 'gpt'; the columns are model, prompt, output" in line) == (2, True)
