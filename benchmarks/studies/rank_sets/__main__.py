"""Do rank-sets hold, what is a judge worth? `python -m benchmarks.studies.rank_sets`: tables of docs/rank-sets.md."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from benchmarks.studies.rank_sets.arena import arena_tables, read_arena
from benchmarks.studies.rank_sets.simulation import RUNS, designs, figure, simulate, simulation_table

FIGURES, DATA = Path("docs/figures"), Path("../shared/data/chatbot_arena_ppr")
REPETITIONS = 300


def main() -> None:
    parser = ArgumentParser(prog="python -m benchmarks.studies.rank_sets")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the runs, no figure; to see it work")
    quick = parser.parse_args().quick
    fewer = 20 if quick else 1
    measured = {design: list(simulate(design, RUNS[design.k] // fewer)) for design in designs()}
    print(simulation_table(measured), flush=True)
    if not quick:
        figure(measured, FIGURES)
    if DATA.is_dir():
        print(arena_tables(read_arena(DATA), REPETITIONS // fewer))
    else:
        print("skipped Chatbot Arena: its data is not there", file=sys.stderr)


if __name__ == "__main__":
    main()
