"""Reading bodies, where others must not wait for it."""

import json
import sys
import threading
from collections.abc import Iterator

import pytest

from app.api.bodies import MOST_COMMAS, parse
from app.service.errors import InvalidRequest


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[None]]:
    """Grows by one whenever another thread gets its turn."""
    taken: list[None] = []
    done = threading.Event()

    def take() -> None:
        while not done.wait(0.0001):
            taken.append(None)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(0.0001)
    other = threading.Thread(target=take)
    other.start()
    yield taken
    done.set()
    other.join()
    sys.setswitchinterval(interval)


def test_while_many_objects_are_read_others_get_their_turn(turns: list[None]) -> None:
    value = [{"first": "a", "second": "b", "p_first": 0.5}] * 100_000
    before = len(turns)
    assert parse(json.dumps(value).encode()) == value
    assert len(turns) - before > 20


def test_more_values_than_can_be_read_at_once_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="more than 4,000,000 commas; send it in smaller parts"):
        parse(b"[" + b"1," * (MOST_COMMAS + 1) + b"1]")


def test_what_is_there_twice_is_found_in_a_long_body() -> None:
    body = f'[{[0] * 100_000}, {{"a": [{{"b": 1, "b": 2}}], "c": "{"x" * 1000}"}}]'
    with pytest.raises(InvalidRequest, match="/1/a/0/b occurs twice"):
        parse(body.encode())
