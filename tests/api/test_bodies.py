"""Reading bodies, where others must not wait for it."""

import json
import sys
import threading
from collections.abc import Iterator

import pytest

from app.api.bodies import MANY, SHORT, parse
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


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({str(n): n for n in range(100_000)}, id="one object"),
        pytest.param([[]] * 500_000, id="lists"),
        pytest.param(["a"] * 500_000, id="texts"),
        pytest.param([{"candidates": [[n] for n in range(MANY)]}], id="lists in an object"),
    ],
)
def test_while_many_values_are_read_others_get_their_turn(turns: list[None], value: object) -> None:
    body = json.dumps([value, [0] * MANY]).encode()
    before = len(turns)
    assert parse(body) == [value, [0] * MANY]
    assert len(turns) - before > 20


def test_reading_patiently_reads_the_same() -> None:
    value = {"a": [1, 1.5, "\u00e9\n", None, True, {"b": {}}], "c": -0.0}
    (patient, _) = parse(json.dumps([value, [0] * (MANY + 1)]).encode())
    assert patient == parse(json.dumps(value).encode()) == value


@pytest.mark.parametrize("length", [SHORT - 1, SHORT, SHORT + 1])
@pytest.mark.parametrize("value", ["{}", '"{}"', '{{"a": [[1, {}]]}}', "-{}.5e1", '[{{"a": "{}"}}, 2]'])
def test_values_that_are_just_long_enough_for_python_are_whole(value: str, length: int) -> None:
    text = value.format("7" * (length - len(value) + 2))
    (patient, _) = parse(f"[{text},{[0] * (MANY + 1)}]".encode())
    assert patient == json.loads(text)


@pytest.mark.parametrize("before", ["", "x" * SHORT])
def test_a_fault_is_where_it_is_however_the_body_is_read(before: str) -> None:
    entry = f'[{[0] * MANY}, {{"a": ["{before}", {{"b": 1 "c": 2}}], "d": "{"x" * SHORT}"}}]'
    with pytest.raises(json.JSONDecodeError) as patient:
        parse(entry.encode())
    assert entry[patient.value.pos :].startswith('"c"')


def test_what_is_there_twice_is_found_in_a_long_entry() -> None:
    body = f'[{[0] * (MANY + 1)}, {{"a": [{{"b": 1, "b": 2}}], "c": "{"x" * SHORT}"}}]'
    with pytest.raises(InvalidRequest, match="/1/a/0/b occurs twice"):
        parse(body.encode())
