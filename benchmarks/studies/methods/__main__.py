"""`python -m benchmarks.studies.methods` measures everything and writes docs/appendix/benchmarks.md with its figures.

It takes up to 45 minutes on two cores. `--only summeval` measures that section again and leaves the others as they
are; `--keep FOLDER` holds what is done, so that a run that was stopped goes on. Data sets that are not there are
skipped with a line that says so.
"""

import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmarks.studies.methods import page
from benchmarks.studies.methods.checkpoints import Checkpoints
from benchmarks.studies.methods.measuring import Campaign
from benchmarks.studies.methods.progress import say
from benchmarks.studies.methods.sections import SECTIONS
from benchmarks.studies.methods.size import FULL, QUICK

ROOT = Path(__file__).resolve().parents[3]


def main(arguments: Sequence[str] | None = None) -> None:
    names = [section.name for section in SECTIONS]
    parser = ArgumentParser(
        "python -m benchmarks.studies.methods", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data", help="where the data sets are")
    parser.add_argument(
        "--docs", type=Path, default=ROOT / "docs/appendix", help="where to write benchmarks.md and figures/"
    )
    parser.add_argument("--keep", type=Path, help="a folder for what is done")
    parser.add_argument("--quick", action="store_true", help="few documents, to see that it works")
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="SECTION", help=", ".join(names))
    chosen, start = parser.parse_args(arguments), time.perf_counter()
    size, checkpoints = QUICK if chosen.quick else FULL, Checkpoints(chosen.keep)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        campaign = Campaign(chosen.data, chosen.docs / "figures", size, checkpoints, pool)
        page.write(campaign, chosen.docs / "benchmarks.md", SECTIONS, chosen.only)
    say(f"done in {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
