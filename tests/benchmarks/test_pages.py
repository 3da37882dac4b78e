"""Pages with a part that is measured."""

from pathlib import Path

from benchmarks.pages import put


def test_what_is_written_by_hand_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    begin, end = "<!-- begin of what make bench writes -->", "<!-- end of what make bench writes -->"
    page.write_text(f"By hand.\n{begin}\nof another day\n{end}\nMore.\n")
    for _ in range(2):
        put(page, "make bench", r"| \1 | of today |")
    assert page.read_text() == f"By hand.\n{begin}\n\n| \\1 | of today |\n\n{end}\nMore.\n"
