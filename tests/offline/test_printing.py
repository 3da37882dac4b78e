"""Tables of rankings on a narrow and on a wide terminal."""

import pytest

from tests.cli.commands import out

BATTLES = "examples/battles.csv"


@pytest.mark.parametrize(
    ("columns", "heads", "note"),
    [
        (
            160,
            ["±", "sd", "tie", "n", "●"],
            "",
        ),
        (
            80,
            ["±", "sd", "tie", "n"],
            "Left out at 80 columns: the picture of intervals. Widen the terminal to see more.",
        ),
        (62, ["score", "ranks"], "Left out at 62 columns: ± sd, tie, interval, the picture of intervals."),
    ],
)
def test_a_narrow_table_says_what_it_leaves_out(
    columns: int, heads: list[str], note: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    printed = out(capsys, "rank", BATTLES)
    assert all(head in printed for head in heads)
    assert ("Left out at" in printed) == bool(note)
    assert note in " ".join(printed.split())
    assert max(map(len, printed.splitlines())) <= columns
