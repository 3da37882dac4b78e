"""Files of inference that a newcomer meets who follows a verdict, an ask or a ranking: no more than there were."""

import csv
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

from app.cli import run
from app.inference import state
from app.inference.choosing.asking import Order, Plan
from app.inference.choosing.criteria import Criterion, Policy
from app.inference.fitting import Method
from app.inference.reporting import Wanted
from app.inference.reporting.standings import by_posterior
from app.inference.state import ComparisonRow, Interpretation, Snapshot
from tests.inference.factories import random_comparisons

N, K = 100, 1_100
INFERENCE = "/app/inference/"


def entered(step: Callable[[], object]) -> set[str]:
    """Files of inference whose functions run, once everything is loaded and compiled."""
    files = set[str]()

    def note(frame: FrameType, event: str, _: Any) -> None:
        path = frame.f_code.co_filename
        if event == "call" and INFERENCE in path and frame.f_code.co_name != "<module>":
            files.add(path.split(INFERENCE)[1])

    step()
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        step()
    finally:
        sys.setprofile(before)
    return files


def rows(first: int, end: int) -> list[ComparisonRow]:
    log = random_comparisons(N, K + 1, seed=0)
    columns = zip(*(column.tolist() for column in log[:3]), strict=True)
    every = [ComparisonRow(seq, 0, i, j, p, 1) for seq, (i, j, p) in enumerate(columns, 1)]
    return every[first:end]


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    nothing = state.empty(Interpretation(Method(verdict_weight="learnt"), {}), N, 1)
    return state.advance(nothing, K, state.log_from_rows(rows(0, K)), [])


def test_a_verdict(snapshot: Snapshot) -> None:
    one = state.log_from_rows(rows(K, K + 1))
    assert len(entered(lambda: state.advance(snapshot, K + 1, one, []))) <= 15


def test_an_ask(snapshot: Snapshot) -> None:
    everyone = np.ones((1, N), np.bool_)
    plan = Plan(Policy(Criterion.VARIANCE), Order.BALANCED, 0)
    assert len(entered(lambda: state.ask(snapshot, everyone, state.NONE_BLOCKED, plan, 1))) <= 10


def test_a_ranking(snapshot: Snapshot) -> None:
    assert len(entered(lambda: by_posterior(state.exact(snapshot), Wanted()))) <= 25


def test_a_file_of_three_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (tmp_path / "log.csv").open("w") as file:
        csv.writer(file).writerows([("first", "second", "winner"), *[("a", "b", "first"), ("b", "c", "second")] * 9])
    assert len(entered(lambda: run(["rank", str(tmp_path / "log.csv"), "--format", "json"]))) <= 32
    assert capsys.readouterr().out
