"""Do rank-sets hold, how much does a judge help? `python -m benchmarks.studies.rank_sets`: tables of rank-sets.md.

`--parts simulation`, `arena`, `sweeps` or `structure` for some of them; `--quick` takes a twentieth of the runs and
draws no figure.
"""

from benchmarks.studies.rank_sets import arena, simulation
from benchmarks.studies.running import DATA, DOCS, options, say

PARTS = ["simulation", "arena", "sweeps", "structure"]
REPETITIONS = {"arena": 300, "sweeps": 100, "structure": 300}


def main() -> None:
    chosen = options(__doc__, parts=PARTS, quick=False, data=DATA, docs=DOCS)
    fewer, figures, folder = 20 if chosen.quick else 1, chosen.docs / "figures", chosen.data / "chatbot_arena_ppr"
    if "simulation" in chosen.parts:
        measured = {
            design: simulation.simulate(design, simulation.RUNS[design.k] // fewer) for design in simulation.designs()
        }
        print(f"{simulation.promises_table(measured)}\n\n{simulation.estimates_table(measured)}", flush=True)
        if not chosen.quick:
            simulation.figure(measured, figures)
    if not folder.is_dir():
        say("skipped Chatbot Arena: its data is not there")
        return
    instances, runs = arena.read_arena(folder), {part: count // fewer for part, count in REPETITIONS.items()}
    if "arena" in chosen.parts:
        print(f"\n{arena.arena_tables(instances, runs['arena'])}", flush=True)
    if "sweeps" in chosen.parts:
        swept = arena.sweep(instances, runs["sweeps"])
        print(f"\n{arena.people_table(swept)}", flush=True)
        if not chosen.quick:
            arena.sweeps_figures(swept, figures)
    if "structure" in chosen.parts:
        drawn, systems = arena.rank_sets(instances, runs["structure"]), instances.systems
        print(f"\n{arena.positions_table(drawn)}\n\n{arena.rank_sets_table(drawn, systems)}", flush=True)
        if not chosen.quick:
            arena.structure_figure(drawn, systems, figures)


if __name__ == "__main__":
    main()
