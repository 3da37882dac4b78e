"""`python -m benchmarks.studies.confidence` writes its tables into docs/appendix/uncertainty.md, in ten minutes."""

from argparse import ArgumentParser
from pathlib import Path

from benchmarks.pages import put
from benchmarks.studies.confidence import data_sets, simulation


def main() -> None:
    parser = ArgumentParser("python -m benchmarks.studies.confidence", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--docs", type=Path, default=Path("docs/appendix"))
    parser.add_argument("--sets", type=int, help="of a part of a data set, at most")
    parser.add_argument("--runs", type=int, default=40, help="of every simulated judge")
    chosen = parser.parse_args()
    text = f"{simulation.study(chosen.runs)}\n\n{data_sets.study(chosen.data, chosen.sets)}"
    put(chosen.docs / "uncertainty.md", "python -m benchmarks.studies.confidence", text)


if __name__ == "__main__":
    main()
