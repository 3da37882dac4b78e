"""A job of judging on a Ray cluster: readers cut the files of pairs, and each engine judges one part after the other.

    files -> readers (one for each file) -> parts -> engines (actors, each opens its engine once) -> names of parts

Ray starts again by itself what was killed: a reader, or an engine with the part that it had. What a person has to mend
travels on as a row with an `error`, because of exceptions Ray keeps little more than the trace. Every machine needs the
same files, the same folder and the same environment.
"""

import logging
import os
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import pyarrow as pa

from app.files.tables import InputError
from app.offline.judging import JudgingJob, Part, cut, judge_part
from judge_worker.engine import BadLabels, EngineDown
from judge_worker.offline import OfflineJudge, open_judge
from judge_worker.progress import Stats, event
from judge_worker.prompts import BadTemplate

READERS = 8  # files that are read at a time
COLUMNS: dict[str, pa.DataType] = {"name": pa.string(), "pairs": pa.large_binary(), "error": pa.string()}
ROW = pa.schema(list(COLUMNS.items()))


class Stopped(Exception):
    """The job cannot go on; the message says why and what to do."""

    exit_code = 1


class Engines:
    """An engine on the cluster. Ray calls it with one row at a time."""

    def __init__(self, job: JudgingJob) -> None:
        self._job = job
        self._judge: OfflineJudge | None = None

    def __call__(self, batch: Any) -> Any:
        (row,) = batch.to_pylist()
        if row["error"] is None:
            row["error"] = self._judged(row["name"], row["pairs"])
        return pa.Table.from_pylist([{**row, "pairs": None}], ROW)

    def _judged(self, name: str, packed: bytes) -> str | None:
        """Judge a part; return why the engine cannot."""
        if (self._job.folder / name).exists():  # judged by one who was killed before it could say so
            return None
        try:
            self._judge = self._judge or open_judge(self._job.settings)
            judge_part(self._job, self._judge, name, pa.ipc.open_stream(packed).read_all(), Stats(), lambda: None)
        except (EngineDown, BadLabels, BadTemplate) as error:
            return str(error)
        return None


def judge_on_ray(job: JudgingJob, missing: Sequence[Part], engines: int | None = None) -> Generator[str, None, None]:
    """The names of the parts, each when it is done. Raises Stopped.

    Args:
        engines: how many at a time; by default as many as the GPUs of the cluster hold, one where there are none.
    """
    try:
        import ray
        import ray.data
    except ImportError:
        raise Stopped("Ray is not installed: pip install 'nextpair-server[ray]'") from None
    logging.getLogger("ray.data").setLevel("ERROR")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(logging_level="warning")
    try:
        gpus = int(ray.cluster_resources().get("GPU", 0))
        gpus_of_each = job.settings.engine.gpus if gpus else 0
        size = engines or (max(gpus // gpus_of_each, 1) if gpus_of_each else 1)
        event("Ray", machines=len(ray.nodes()), engines=size, gpus_of_each=gpus_of_each)
        for row in _rows(_plan(job, missing, size, gpus_of_each)):
            if row["error"] is not None:
                raise Stopped(row["error"])
            yield row["name"]
    except ray.exceptions.RayError as error:
        raise Stopped(f"Ray: {error}") from error
    finally:
        ray.shutdown()


def _plan(job: JudgingJob, missing: Sequence[Part], size: int, gpus: int) -> Any:
    """A row for each part, whose verdicts are there when the row is."""
    import ray.data

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.target_max_block_size = 1  # byte: what a reader gives goes on by itself, and to any engine
    numbers = sorted({part.file for part in missing})
    files = ray.data.from_items([{"file": number} for number in numbers], override_num_blocks=len(numbers))
    parts = files.map_batches(
        _read, fn_args=(job, missing), batch_size=1, batch_format="pyarrow", num_cpus=0,
        compute=ray.data.TaskPoolStrategy(size=min(len(numbers), READERS)),
    )  # fmt: skip
    return parts.map_batches(
        Engines, fn_constructor_args=(job,), batch_size=1, batch_format="pyarrow", num_cpus=0 if gpus else 1,
        num_gpus=gpus, compute=ray.data.ActorPoolStrategy(size=size, max_tasks_in_flight_per_actor=2),
    )  # fmt: skip


def _rows(plan: Any) -> Iterator[dict[str, Any]]:
    """What the plan gives, as soon as it gives it.

    Not Ray's `iter_rows`, which fetches in a thread of its own: where the caller stops early, that thread asks Ray for
    more after `ray.shutdown`, and Ray ends the whole process at once, without a word.
    """
    import ray

    for bundle in plan.iter_internal_ref_bundles():
        for table in ray.get(bundle.block_refs):
            yield from table.to_pylist()


def _read(batch: Any, job: JudgingJob, missing: Sequence[Part]) -> Iterator[Any]:
    """The missing parts of a file, as the engines take them."""
    (number,) = batch["file"].to_pylist()
    try:
        for part, table in cut(job, [part for part in missing if part.file == number]):
            yield pa.Table.from_pylist([{"name": part.name, "pairs": _packed(table)}], ROW)
    except InputError as error:
        yield pa.Table.from_pylist([{"error": str(error)}], ROW)


def _packed(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue().to_pybytes()
