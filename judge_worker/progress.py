"""Counts of what a worker has done, for a person, a log and Prometheus."""

import json
import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from judge_worker.engine import Outcome, Unread

log = logging.getLogger("judge_worker")

TERMINAL, LOG = 0.5, 10.0  # seconds between lines


@dataclass(eq=False)  # a collector is known by identity
class Stats(Collector):
    """Counts since the start; times in seconds."""

    judged: int = 0
    tokens: int = 0
    label_mass: float = 0.0  # the sum over what was judged
    failures: Counter[str] = field(default_factory=Counter)  # by kind
    skipped: Counter[str] = field(default_factory=Counter)  # verdicts that the service did not need, by title
    started: float = field(default_factory=time.monotonic)
    sets_left: int | None = None
    pairs_left: int | None = None
    end: str = ""  # why no pair is left, in words
    _batches: int = 0  # at the engine
    _begun: float = 0.0  # when the first of them was
    _read: float = 0.0

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """While a batch is at the engine; there may be several."""
        if not self._batches:
            self._begun = time.monotonic()
        self._batches += 1
        try:
            yield
        finally:
            self._batches -= 1
            if not self._batches:
                self._read += time.monotonic() - self._begun

    @property
    def reading(self) -> float:
        """Seconds in which the engine was busy."""
        return self._read + (time.monotonic() - self._begun if self._batches else 0.0)

    def count(self, outcomes: Iterable[Outcome]) -> None:
        for outcome in outcomes:
            if isinstance(outcome, Unread):
                self.failures[outcome.failure] += 1
            else:
                self.judged += 1
                self.tokens += outcome.tokens
                self.label_mass += outcome.label_mass

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.started

    @property
    def rate(self) -> float:
        return self.judged / max(self.elapsed, 1e-9)

    @property
    def busy(self) -> float:
        """Share of the time in which the engine was at work."""
        return min(self.reading / max(self.elapsed, 1e-9), 1.0)

    @property
    def mean_label_mass(self) -> float:
        return self.label_mass / self.judged if self.judged else 0.0

    def collect(self) -> Iterable[Metric]:
        """Yield what Prometheus reads."""
        yield _counter("judgements", "Pairs or texts judged.", self.judged)
        yield _counter("tokens", "Prompt tokens.", self.tokens)
        yield _counter("engine_seconds", "Seconds in which the engine was busy.", self.reading)
        failures = CounterMetricFamily("nextpair_worker_failures", "Pairs without a verdict.", labels=["kind"])
        for kind, times in self.failures.items():
            failures.add_metric([kind], times)
        yield failures
        yield GaugeMetricFamily(
            "nextpair_worker_label_mass", "Mean probability of all labels together.", self.mean_label_mass
        )


def _counter(name: str, says: str, value: float) -> CounterMetricFamily:
    return CounterMetricFamily(f"nextpair_worker_{name}", says, value=value)


def line(stats: Stats) -> str:
    """One line for a terminal."""
    parts = [
        f"{stats.judged:,} judged",
        f"{stats.rate:,.1f}/s",
        f"{stats.tokens / max(stats.elapsed, 1e-9):,.0f} tokens/s",
    ]
    parts += [f"label mass {stats.mean_label_mass:.3f}", f"{sum(stats.failures.values())} failed"]
    if stats.reading:
        parts.append(f"engine busy {stats.busy:.0%}")
    if stats.sets_left is not None:
        parts.append(f"{stats.sets_left} sets left")
    if stats.pairs_left and stats.judged:
        parts.append(f"at most {_clock(stats.pairs_left / stats.rate)} left")
    return " · ".join(parts)


def show(stats: Stats) -> None:
    """Write over the last line on a terminal, or a line of JSON elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\033[K{line(stats)}", end="", file=sys.stderr, flush=True)
    else:
        event("progress", **_facts(stats))


def pause_between_lines() -> float:
    """Seconds."""
    return TERMINAL if sys.stderr.isatty() else LOG


def now_and_then(stats: Stats) -> Callable[[], None]:
    """Function that may be called at any time, and shows the counts when it is time for another line."""
    due = time.monotonic() + pause_between_lines()

    def show_when_due() -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + pause_between_lines()
            show(stats)

    return show_when_due


def event(name: str, **facts: object) -> None:
    """Report something that happened: in words on a terminal, or as a line of JSON."""
    if sys.stderr.isatty():
        details = ", ".join(f"{key} {value}" for key, value in facts.items())
        print(f"\r\033[K{name}{': ' * bool(details)}{details}", file=sys.stderr, flush=True)
    else:
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        print(json.dumps({"time": stamp, "event": name, **facts}), file=sys.stderr, flush=True)


def summary(stats: Stats, cost_per_hour: float | None) -> str:
    """Lines for the end: all that was done, and its cost where the hour's is known."""
    failures = ", ".join(f"{times} {kind}" for kind, times in stats.failures.items()) or "none"
    lines = [
        f"judged      {stats.judged:,} in {_clock(stats.elapsed)}, {stats.rate:,.1f}/s",
        f"failures    {failures}",
        f"label mass  {stats.mean_label_mass:.4f}",
        f"tokens      {stats.tokens:,}",
    ]
    if stats.reading:
        lines.append(f"engine      busy {stats.busy:.0%} of the time")
    if stats.skipped:
        lines.append("skipped     " + ", ".join(f"{times} ({title})" for title, times in stats.skipped.items()))
    if stats.end:
        lines.append(f"end         {stats.end}")
    if cost_per_hour is not None and stats.judged:
        cost = 1000.0 * cost_per_hour * stats.elapsed / 3600.0 / stats.judged
        lines.append(f"cost        {cost:.4f} per 1,000 verdicts")
    return "\n".join(lines)


def _facts(stats: Stats) -> dict[str, object]:
    return {
        "judged": stats.judged, "per_second": round(stats.rate, 2), "tokens": stats.tokens,
        "label_mass": round(stats.mean_label_mass, 4), "failures": dict(stats.failures),
        "engine_busy": round(stats.busy, 3), "sets_left": stats.sets_left, "pairs_left": stats.pairs_left,
    }  # fmt: skip


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
