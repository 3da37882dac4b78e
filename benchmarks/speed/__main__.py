"""Speed as ratios inside one run, ours beside a limit of the machine or a peer: `python -m benchmarks.speed`.

A whole run adds its ratios to benchmarks/history.jsonl, and writes the tables and figures of performance.md.
"""

import argparse
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.console import Console

from benchmarks.pages import put
from benchmarks.speed import choices, drawing, fits, history, many, memory, services, tables, votes
from benchmarks.speed.machine import ROOT, BenchRun, new_run
from benchmarks.speed.measuring import Extent, Row

WHOLE = Extent(
    dense=(16, 128, 1056, 4000),
    sparse=(16, 128, 1056, 10_000, 100_000),
    seconds=1.0,
    votes=300,
    peers=True,
    services=True,
)
QUICK = Extent(dense=(16, 1056), sparse=(128, 10_000), seconds=0.2, votes=30, peers=False, services=False)

HISTORY, LATEST = ROOT / "benchmarks" / "history.jsonl", ROOT / "benchmarks" / "results" / "latest.json"
PAGE, FIGURES = ROOT / "docs/appendix/performance.md", ROOT / "docs/appendix/figures"

SECTIONS: dict[str, tuple[str, Callable[[Extent], Iterable[Row]]]] = {
    "fits": ("Scores from a log", fits.measure),
    "votes": ("A vote in process", votes.measure),
    "choices": ("The next pair", choices.measure),
    "many": ("Without a covariance", many.measure),
    "memory": ("Memory, and whole files", memory.measure),
    "services": ("Over HTTP", services.measure),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sizes, no peers, no services; nothing is kept")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, metavar="SECTION", help=f"of {', '.join(SECTIONS)}")
    parser.add_argument("--sparse", nargs="+", type=int, metavar="N", help="candidates without a covariance; not kept")
    chosen = parser.parse_args()
    extent = QUICK if chosen.quick else WHOLE
    if chosen.sparse:
        extent = extent._replace(sparse=tuple(chosen.sparse))
    console, run = Console(width=None if os.isatty(1) else 180), new_run()
    last = history.last_ratios(HISTORY, run.machine)
    console.print(run.in_words)
    measured = measure(chosen.only or SECTIONS, extent, last, console)
    if extent == WHOLE and not chosen.only:
        keep(run, measured)
    worse = [row.name for rows in measured.values() for row in rows if history.got_worse(row, last)]
    console.print(f"{len(worse)} ratios are more than a quarter worse than on the last run here.")


def measure(
    names: Iterable[str], extent: Extent, last: Mapping[str, float], console: Console
) -> dict[str, Sequence[Row]]:
    measured: dict[str, Sequence[Row]] = {}
    for name in names:
        title, section = SECTIONS[name]
        rows: list[Row] = []
        with console.status(title) as status:
            for row in section(extent):
                rows.append(row)
                status.update(f"{title}: {row.name}")
        measured[name] = rows
        if measured[name]:
            tables.show(console, title, measured[name], last)
    return measured


def keep(run: BenchRun, measured: Mapping[str, Sequence[Row]]) -> None:
    LATEST.parent.mkdir(exist_ok=True)
    rows = {name: [row._asdict() | {"ratio": row.ratio} for row in rows] for name, rows in measured.items()}
    LATEST.write_text(json.dumps(run._asdict() | {"sections": rows}, indent=1) + "\n")
    history.append(HISTORY, run, measured)
    shown = [f"### {SECTIONS[name][0]}\n\n{tables.markdown(rows)}" for name, rows in measured.items() if rows]
    put(PAGE, "make bench", "\n\n".join([f"{run.in_words}.", *shown]))
    drawing.draw(FIGURES, measured)


if __name__ == "__main__":
    main()
