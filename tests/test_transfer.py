"""What `nextpair import` reads."""

from pathlib import Path

import pytest

from app import transfer
from app.tables import Columns, InputError


def source(folder: Path, content: str) -> transfer.Source:
    path = folder / "trees.csv"
    path.write_text(content)
    return transfer.Source(str(path), Columns(), item=None, judge=None)


def test_a_file_with_key_and_text_holds_candidates(tmp_path: Path) -> None:
    contents = transfer.read(source(tmp_path, "key,text\nash,Tall.\nbirch,White.\n"))
    assert [(each.key, each.text) for each in contents.candidates] == [("ash", "Tall."), ("birch", "White.")]
    assert (contents.items, contents.comparisons) == ([], [])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("key,text\nash,Tall.\nash,Old.\n", "line 3, column 'key': the key 'ash' is on line 2 already"),
        ("key,text\nash,Tall.\n,Old.\nbirch,\n", "line 3, column 'key': empty"),
        ("key,text\nash,Tall.\nbirch,a,b\n", "line 3: 3 fields, the header has 2"),
    ],
)
def test_the_first_bad_line_is_the_error(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        transfer.read(source(tmp_path, content))
    assert said in str(caught.value)
