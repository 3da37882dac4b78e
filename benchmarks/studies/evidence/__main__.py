"""`python -m benchmarks.studies.evidence` writes its tables into docs/appendix/uncertainty.md.

It takes hours on one core, with `--runs 20` some minutes; `--keep FOLDER` holds what is done, so that a run that was
stopped goes on.
"""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from benchmarks.pages import put
from benchmarks.studies.evidence import coverage, goals, page
from benchmarks.studies.methods.checkpoints import Checkpoints

DOCS = Path(__file__).resolve().parents[3] / "docs/appendix"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser("python -m benchmarks.studies.evidence", description=__doc__)
    parser.add_argument("--runs", type=int, default=1000, help="of every row")
    parser.add_argument("--docs", type=Path, default=DOCS, help="the folder of uncertainty.md")
    parser.add_argument("--keep", type=Path, help="a folder for what is done")
    chosen = parser.parse_args(arguments)
    checkpoints = Checkpoints(chosen.keep)
    rows = [row for setting in coverage.SETTINGS for row in coverage.rows_of(setting, chosen.runs, checkpoints)]
    searches = goals.tables(min(chosen.runs, goals.RUNS), checkpoints)
    text = f"{page.render(rows, chosen.runs)}\n\n{searches}"
    put(chosen.docs / "uncertainty.md", "python -m benchmarks.studies.evidence", text)


if __name__ == "__main__":
    main()
