"""The columns of a ranking."""

from nextpair.schemas import Rank

from app.files.rankings import COLUMNS


def test_every_field_of_a_rank_has_one_column() -> None:
    assert sorted(column.field for column in COLUMNS) == sorted(Rank.model_fields)


def test_a_range_has_two_names_and_no_name_is_there_twice() -> None:
    names = [name for column in COLUMNS for name in column.names]
    ranges = {column.field for column in COLUMNS if len(column.names) == 2}
    assert len(set(names)) == len(names)
    assert ranges == {field for field in Rank.model_fields if field.endswith("interval")}
