"""What the garbage collector looks at after start-up."""

import gc
from collections.abc import Iterator

import pytest

from app.process import freeze_what_start_up_made


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


def test_what_start_up_made_is_looked_at_no_more_and_what_comes_later_is() -> None:
    old = {"made": "at start-up"}
    freeze_what_start_up_made()
    new = {"made": old}
    assert not any(each is old for each in gc.get_objects())
    assert any(each is new for each in gc.get_objects())
