"""Do rank-sets hold, how much does a judge help? `python -m benchmarks.studies.rank_sets`: tables of rank-sets.md."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from benchmarks.studies.rank_sets import simulation, structure, sweeps
from benchmarks.studies.rank_sets.arena import arena_tables, read_arena

FIGURES, DATA = Path("docs/appendix/figures"), Path("../shared/data/chatbot_arena_ppr")
PARTS = ("simulation", "arena", "sweeps", "structure")
REPETITIONS = {"arena": 300, "sweeps": 100, "structure": 300}


def main() -> None:
    parser = ArgumentParser(prog="python -m benchmarks.studies.rank_sets")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} [default: all]")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the runs, no figure; to see it work")
    chosen = parser.parse_args()
    if unknown := set(chosen.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; the parts are {', '.join(PARTS)}")
    parts, fewer = chosen.parts or PARTS, 20 if chosen.quick else 1
    if "simulation" in parts:
        measured = {
            design: list(simulation.simulate(design, simulation.RUNS[design.k] // fewer))
            for design in simulation.designs()
        }
        print(f"{simulation.promises_table(measured)}\n\n{simulation.estimates_table(measured)}", flush=True)
        if not chosen.quick:
            simulation.figure(measured, FIGURES)
    if not DATA.is_dir():
        print("skipped Chatbot Arena: its data is not there", file=sys.stderr)
        return
    arena = read_arena(DATA)
    if "arena" in parts:
        print(arena_tables(arena, REPETITIONS["arena"] // fewer), flush=True)
    if "sweeps" in parts:
        swept = sweeps.sweep(arena, REPETITIONS["sweeps"] // fewer)
        print(f"\n{sweeps.people_table(swept)}", flush=True)
        if not chosen.quick:
            sweeps.figures(swept, FIGURES)
    if "structure" in parts:
        drawn = structure.rank_sets(arena, REPETITIONS["structure"] // fewer)
        print(f"\n{structure.positions_table(drawn)}\n\n{structure.rank_sets_table(drawn, arena.systems)}", flush=True)
        if not chosen.quick:
            structure.figure(drawn, arena.systems, FIGURES)


if __name__ == "__main__":
    main()
