"""`python -m benchmarks.studies.methods` measures everything and writes docs/benchmarks.md with its figures.

It takes about half an hour on a quiet core; `--keep FOLDER` holds what is done, so that a run that was stopped goes
on. Data sets that are not there are skipped with a line that says so.
"""

import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.studies.methods import page, sections
from benchmarks.studies.methods.checkpoints import Checkpoints
from benchmarks.studies.methods.curves import say
from benchmarks.studies.methods.size import FULL, QUICK

ROOT = Path(__file__).resolve().parents[3]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(
        "python -m benchmarks.studies.methods", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data", help="where the data sets are")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="where to write benchmarks.md and figures/")
    parser.add_argument("--keep", type=Path, help="a folder for what is done")
    parser.add_argument("--quick", action="store_true", help="one seed and few documents, to see that it works")
    chosen, start = parser.parse_args(arguments), time.perf_counter()
    size, checkpoints = QUICK if chosen.quick else FULL, Checkpoints(chosen.keep)
    page.write(page.Campaign(chosen.data, chosen.docs / "figures", size, checkpoints), chosen.docs, sections.ALL)
    say(f"done in {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
