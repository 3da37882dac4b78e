"""A real Ray on this machine, with two engines: what it writes is what one process writes, whoever is killed."""

import os
import signal
from functools import partial
from pathlib import Path

import pytest

from app.offline.judging import missing_parts, run
from app.offline.on_ray import Stopped, judge_on_ray
from tests.offline.jobs import job_of, parts_in, write_pairs

PAIRS, ROWS = 1200, 40  # 30 parts
SLOW = 100.0  # verdicts a second, so that there is time to kill an engine


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pairs(tmp_path_factory.mktemp("pairs") / "pairs.csv", PAIRS)


@pytest.fixture(scope="module")
def expected(pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("here")
    run(job_of(pairs, folder, ROWS))
    return parts_in(folder)


def test_ray_writes_what_one_process_writes(pairs: Path, tmp_path: Path, expected: dict[str, bytes]) -> None:
    stats = run(job_of(pairs, tmp_path, ROWS), partial(judge_on_ray, engines=2))
    assert parts_in(tmp_path) == expected
    assert (stats.judged, dict(stats.failures)) == (PAIRS * 19 // 20, {"refused": PAIRS // 20})


def test_engines_that_are_killed_lose_nothing(pairs: Path, tmp_path: Path, expected: dict[str, bytes]) -> None:
    job, killed, done = job_of(pairs, tmp_path, ROWS, rate=SLOW), set[int](), list[str]()
    for name in judge_on_ray(job, missing_parts(job), engines=2):
        done.append(name)
        if len(done) in (4, 12):
            killed |= _kill(_engines() - killed)
    assert len(killed) == 4, "two engines, twice"
    assert sorted(done) == sorted(expected)
    assert parts_in(tmp_path) == expected


def test_a_job_that_was_stopped_goes_on(pairs: Path, tmp_path: Path, expected: dict[str, bytes]) -> None:
    job = job_of(pairs, tmp_path, ROWS)
    begun = judge_on_ray(job, missing_parts(job), engines=2)
    next(begun)
    begun.close()
    before = {name: (tmp_path / name).stat().st_mtime_ns for name in parts_in(tmp_path)}
    assert before
    stats = run(job_of(pairs, tmp_path, ROWS), partial(judge_on_ray, engines=2))
    assert stats.judged + stats.failures.total() == PAIRS - ROWS * len(before)
    assert all((tmp_path / name).stat().st_mtime_ns == time for name, time in before.items())
    assert parts_in(tmp_path) == expected


def test_an_engine_that_cannot_be_opened_says_why(pairs: Path, tmp_path: Path) -> None:
    job = job_of(pairs, tmp_path, ROWS, engine="openai", base_url="http://127.0.0.1:9")
    with pytest.raises(Stopped, match=r"^http://127.0.0.1:9/v1 gave no answer"):
        run(job, judge_on_ray)


def test_a_line_that_is_no_pair_is_named(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.csv", 10)
    with pairs.open("a") as stream:
        stream.write("a,a,one,two,i,t\n")
    with pytest.raises(Stopped, match=r"line 12, column 'second': compares a candidate with itself"):
        run(job_of(pairs, tmp_path / "verdicts", ROWS), judge_on_ray)


def _engines() -> set[int]:
    """The processes of this test's engines."""
    titles = {
        int(file.parent.name): file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline") if _is_ours(file)
    }
    return {process for process, title in titles.items() if title.startswith(b"ray::MapWorker")}


def _is_ours(file: Path) -> bool:
    """True for what this process has started, or what that has started."""
    try:
        process = int(file.parent.name)
        while process > 1 and process != os.getpid():
            process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return False
    return process == os.getpid()


def _kill(processes: set[int]) -> set[int]:
    for process in processes:
        os.kill(process, signal.SIGKILL)
    return processes
