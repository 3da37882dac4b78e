"""Runs by their numbers, in a process for each core that this one may use."""

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from typing import TypeVar

T = TypeVar("T")
_pool = cache(lambda: ProcessPoolExecutor(len(os.sched_getaffinity(0)), get_context("spawn")))


def of_runs(measure: Callable[[int], T], runs: int) -> list[T]:
    """Results of each run, in their order."""
    return list(_pool().map(measure, range(runs), chunksize=10))
