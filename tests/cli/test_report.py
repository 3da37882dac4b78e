"""`nextpair report` of a file, and `nextpair verify`."""

from pathlib import Path

import pytest

from app.files.reports import pdf
from tests.cli.commands import BATTLES, JUDGE, failure, out


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from app import cli

    file = tmp_path_factory.mktemp("report") / "report.html"
    assert cli.run(["report", BATTLES, "-o", str(file), "--question", "Which is <better>?"]) == 0
    return file


def test_a_report_of_a_file_is_verified_and_ranked_again(
    capsys: pytest.CaptureFixture[str], report: Path, tmp_path: Path
) -> None:
    assert "Which is &lt;better&gt;?" in report.read_text()
    printed = out(capsys, "verify", str(report), BATTLES, "--recompute")
    assert printed.startswith("The report is whole, and this is its log: ")
    assert "Ranked again from the log: all" in printed
    other = tmp_path / "battles.csv"
    other.write_bytes(Path(BATTLES).read_bytes().replace(b"a", b"b", 1))
    code, line = failure(capsys, "verify", str(report), str(other))
    assert code == 1
    assert "is not the log of the report: line 1 differs" in line or "one of the lines 1" in line


def test_an_altered_report_is_refused(capsys: pytest.CaptureFixture[str], report: Path, tmp_path: Path) -> None:
    altered = tmp_path / "report.html"
    altered.write_bytes(report.read_bytes().replace(b"P(best)", b"P(BEST)", 1))
    code, line = failure(capsys, "verify", str(altered), BATTLES)
    assert (code, "the report was altered" in line) == (1, True)
    assert failure(capsys, "verify", BATTLES, BATTLES)[0] == 1


def test_figures_that_the_log_does_not_give_are_named(
    capsys: pytest.CaptureFixture[str], report: Path, tmp_path: Path
) -> None:
    """A forger can seal a report again; ranking its log shows what was changed."""
    import json
    import re

    from app.files.reports.seal import seal

    text = report.read_text()
    data = re.search(r'id="nextpair-report">(.*?)</script>', text, re.DOTALL)
    assert data
    content = json.loads(data[1])
    content["ranking"][0]["score"] += 0.1
    forged = tmp_path / "report.html"
    document = text[: text.rindex("<!-- nextpair seal")].replace(data[1], json.dumps(content))
    forged.write_bytes(seal(document.encode()))
    assert out(capsys, "verify", str(forged), BATTLES).startswith("The report is whole")
    code, line = failure(capsys, "verify", str(forged), BATTLES, "--recompute")
    assert code == 1
    assert f"score of {content['ranking'][0]['key']} is" in line


def test_without_chromium_the_message_says_what_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("NEXTPAIR_CHROMIUM", raising=False)
    monkeypatch.setattr("shutil.which", lambda program: None)
    with pytest.raises(pdf.CannotPrint, match="Set NEXTPAIR_CHROMIUM to its path, or open"):
        pdf.write(tmp_path / "report.html", tmp_path / "report.pdf")


def test_a_report_of_nothing_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    code, line = failure(capsys, "report", "nothing.csv")
    assert (code, "there is no such file" in line) == (2, True)


def test_a_report_by_declared_judges_is_ranked_again_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Its judge has no name in the file."""
    report = tmp_path / "report.html"
    for declared in ("yes", "no"):
        out(capsys, "report", JUDGE, "--repeats", declared, "--output", str(report))
        assert "all 192 figures agree" in out(capsys, "verify", str(report), JUDGE, "--recompute")
