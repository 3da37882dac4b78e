"""The columns of a ranking."""

from nextpair.schemas import AgainstBaseline, Rank

from app.files.rankings import AGAINST, COLUMNS, IN_CSV


def test_every_field_of_a_rank_has_one_column() -> None:
    of_baseline = [f"against.{name}" for name in AgainstBaseline.model_fields]
    assert sorted(column.field for column in COLUMNS) == sorted({*Rank.model_fields} - {"against"})
    assert sorted(column.field for column in AGAINST) == sorted(of_baseline)


def test_a_range_has_two_names_and_no_name_is_there_twice() -> None:
    names = [name for column in IN_CSV for name in column.names]
    ranges = {column.field for column in IN_CSV if len(column.names) == 2}
    assert len(set(names)) == len(names)
    assert ranges == {column.field for column in IN_CSV if column.field.endswith("interval")}
