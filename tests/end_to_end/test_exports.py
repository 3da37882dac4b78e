"""An export that is imported is the log that it came from: in its own set nothing is new, elsewhere it is the same."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from nextpair import CandidateIn, Client, ComparisonIn, ItemIn, Set
from nextpair.words import ExportFormat, Winner

from tests.cli.commands import out
from tests.end_to_end.processes import Server

KEYS = ("kelp pie", "kelp", "=1+1", 'o"ak, "elm"', "5", "büro\n2", "null", "{}", "lonely")
RAWS: tuple[Any, ...] = (None, "because\n", '{"a": 1}', {"a": [1, None, "ü"]}, 5, [], False, " null ", "5")
WORDS: tuple[Winner | None, ...] = (None, *get_args(Winner))
JUDGES = ("ann", "ann b", "gpt")
ONCE_FOR_A_SET = {"set_id", "client_id", "assignment_id"}


@pytest.fixture
def client(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setenv("NEXTPAIR_URL", server.url)
    with Client(server.url) as service:
        yield service


def random_set(service: Client, rng: np.random.Generator, *, has_prompts: bool) -> Set:
    """A set with a log of every kind of entry, a candidate without comparisons and, of systems, one without outputs."""
    items = [f"item {n}" for n in range(4)] if has_prompts else []
    outputs: dict[str, str | None] | None = {item: f"on {item}" for item in items} or None
    made = service.sets.create(
        name="Source",
        question="Which?",
        candidates=[CandidateIn(key=key, outputs=outputs) for key in rng.permutation(KEYS).tolist()],
        items=[ItemIn(key=item) for item in items],
    )
    if has_prompts:
        made.add_candidates([CandidateIn(key="silent")])
    for _ in range(int(rng.integers(3, 6))):
        made.add_comparisons([random_comparison(rng, items) for _ in range(int(rng.integers(1, 12)))])
        if pair := made.next_pair(judge="model"):
            if rng.random() < 0.5:
                pair.release()
            pair.tell(p_first=float(rng.random()), raw=RAWS[rng.integers(len(RAWS))], label_mass=0.7, latency_ms=1.5)
        take_back(made, rng)
    return made


def random_comparison(rng: np.random.Generator, items: Sequence[str]) -> ComparisonIn:
    first, second = rng.choice(KEYS[:-1], 2, replace=False).tolist()
    word = WORDS[int(rng.integers(len(WORDS)))]
    return ComparisonIn(
        client_id=f"own {rng.integers(2**60)}" if rng.random() < 0.3 else None,
        first=first,
        second=second,
        item=items[int(rng.integers(3))] if items else None,  # of the last one there are outputs alone
        judge=JUDGES[rng.integers(len(JUDGES))],
        winner=word,
        p_first=float(rng.random()) if word is None else None,
        weight=float(rng.choice([1.0, 0.3, 7.0])),
        raw=RAWS[rng.integers(len(RAWS))],
        order_chance=2 / 3 if rng.random() < 0.3 else None,
    )


def take_back(made: Set, rng: np.random.Generator) -> None:
    """Void some comparisons, and restore some of these."""
    entries = [entry for entry in made.comparisons() if entry.voided_by is None]
    for entry in entries:
        if rng.random() < 0.2:
            made.void(entry.seq, reason=f"wrong, {entry.seq}")
            if rng.random() < 0.5:
                made.restore_comparison(entry.seq)


def content(of: Set) -> list[dict[str, Any]]:
    return [entry.model_dump(exclude=ONCE_FOR_A_SET) for entry in of.comparisons()]


def numbers(answer: Any) -> list[tuple[str, Any]]:
    """Everything that a ranking says, but of which set."""
    rows = {row.key: row.model_dump(mode="json") for row in answer.ranking}
    return sorted(_flat({**answer.model_dump(mode="json", exclude={"set_id"}), "ranking": rows}))


def _flat(value: Any, path: str = "") -> list[tuple[str, Any]]:
    if not isinstance(value, dict | list):
        return [(path, value)]
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    return [leaf for name, part in parts for leaf in _flat(part, f"{path}/{name}")]


def imported(service: Client, capsys: pytest.CaptureFixture[str], file: Path, *into: str) -> tuple[Set, str]:
    printed = out(capsys, "import", str(file), *into)
    return service.sets.get(printed.splitlines()[1].rpartition("/")[2]), printed


@pytest.mark.parametrize(("form", "seed"), [("csv", 0), ("csv", 1), ("jsonl", 2), ("parquet", 3)])
def test_an_export_is_the_log_in_any_set(
    client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: ExportFormat, seed: int
) -> None:
    source = random_set(client, np.random.default_rng(seed), has_prompts=seed % 2 == 0)
    before, length = content(source), len(content(source))
    file, of_copy = tmp_path / f"log.{form}", tmp_path / f"copy.{form}"
    file.write_bytes(b"".join(source.export(form)))

    copy, _ = imported(client, capsys, file)
    assert content(copy) == before
    assert {each.key for each in copy.candidates()} == {each.key for each in source.candidates()}
    for method in ("soft-bt", "judge-aware"):
        found, there = numbers(copy.ranking(method=method)), numbers(source.ranking(method=method))
        assert [path for path, _ in found] == [path for path, _ in there]
        for (path, value), (_, expected) in zip(found, there, strict=True):
            is_number = isinstance(expected, float)
            assert value == (pytest.approx(expected, rel=1e-12, abs=1e-12) if is_number else expected), path

    of_copy.write_bytes(b"".join(copy.export(form)))
    for target in (source, copy):
        for each in (file, of_copy):
            _, printed = imported(client, capsys, each, "--into", str(target.id))
            assert f": 0 candidates, 0 comparisons added, {length} duplicates, version " in printed
        assert content(target) == before
