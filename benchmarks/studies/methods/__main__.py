"""`python -m benchmarks.studies.methods` measures everything and writes docs/appendix/benchmarks.md with its figures.

It takes up to 45 minutes on two cores. `--only summeval` measures that section again and leaves the others as they
are; `--keep FOLDER` holds what is done, so that a run that was stopped goes on. Data sets that are not there are
skipped with a line that says so. Each section of the page stands between two marks.
"""

import re
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from benchmarks.studies import data
from benchmarks.studies.data import HANNA, SUMMEVAL, TOPICALCHAT, VICUNA
from benchmarks.studies.methods import ablations, calibration, criteria, experts, scoring, symmetry
from benchmarks.studies.methods.measuring import Campaign, Size
from benchmarks.studies.running import DATA, DOCS, Checkpoints, say

QUICK = Size(documents=2, some_documents=2, parts=1, draws=1, batched=400, batched_parts=1, stories=40)

INTRODUCTION = """\
# Benchmarks: what the methods save

This page is written by `python -m benchmarks.studies.methods`; do not edit it. Its figures are in `figures/`.

A judge whose answers are all on file is replayed through the service's own selection and inference, by the code of
`nextpair simulate`, and the Spearman correlation of the scores with people's is computed after every comparison.
*Comparisons to 90%* is the number after which that correlation, averaged over the documents, first reaches 90% of its
value with all of the judge's comparisons. It is found for every part (dimension or judge) and then averaged. N(N-1)
counts both orders of a pair, as GPM does; no pair is asked twice.

**Every figure has its error**: its standard deviation over redrawn documents (200 times, with
replacement; the same documents in every column, so differences have smaller errors than the figures themselves).
Figures less than two errors apart do not differ here. The commands below take all documents; a section notes how
many of each part its tables have.

| data | candidates | judge | people |
|---|---|---|---|
| SummEval | 100 documents x 12 summaries, 4 dimensions | gpt-3.5-turbo-0301; p = sigmoid(s_i - s_j) of its mean score \
over five prompts | mean of three experts |
| TopicalChat | 60 contexts x 6 responses, 4 dimensions | gpt-3.5-turbo; p from 20 sampled scores a side, the mean \
of seven prompts | mean of three annotators |
| HANNA | 1,056 stories of 11 systems to 96 prompts, 6 dimensions | ChatGPT; p = sigmoid(s_i - s_j) of its mean score \
over four prompts | mean of three annotators |
| Vicuna | 80 questions x 5 systems | five models; hard verdicts on every pair in both orders | share of pairwise wins |

*One vote* counts every verdict as one vote; *learnt* learns verdict weights and the spread of the scores from all
documents together, while they advance step by step (`--pooled`).

The judge of a data set is used in up to five versions: **consistent**, as it is; with **noise**, N(0, 0.5²) or N(0, 1)
added to its logits, drawn once for each pair; **sharp** and **flat**, its logits times 3 and 1/3. The full set is that
of the judge without noise. Except for Vicuna the comparisons are derived from scores of single texts, so the
consistent judge never contradicts itself; real pairwise verdicts are between it and the noisy ones."""


class Section(NamedTuple):
    name: str
    needs: tuple[str, ...]  # data sets
    write: Callable[[Campaign], str]


SECTIONS = (
    Section("summeval", ("summeval",), partial(criteria.write, SUMMEVAL)),
    Section("topicalchat", ("topicalchat",), partial(criteria.write, TOPICALCHAT)),
    Section("hanna", ("hanna",), partial(criteria.write, HANNA)),
    Section("vicuna", ("prd_vicuna80",), partial(criteria.write, VICUNA)),
    Section("stories", ("hanna",), criteria.write_stories),
    Section("symmetry", ("hanna",), symmetry.write),
    Section("scoring", ("summeval",), scoring.write),
    Section("ablations", ("summeval",), ablations.write),
    Section("sorting", (), scoring.write_sorting),
    Section("experts", ("summeval",), experts.write),
    Section("calibration", ("summeval",), calibration.write),
    Section("differences", (), calibration.write_differences),
    Section("bias", ("summeval",), ablations.write_position_bias),
)


def write(campaign: Campaign, page: Path, sections: Sequence[Section], chosen: Sequence[str]) -> None:
    """Write the chosen sections into the page; the others stay as they are."""
    texts = _sections_of(page.read_text(encoding="utf-8")) if page.exists() else {}
    for section in sections:
        if section.name in chosen and not _absent(campaign, section):
            say(f"section: {section.name}")
            texts[section.name] = section.write(campaign)
            page.write_text(_page(texts, sections), encoding="utf-8")


def _page(texts: dict[str, str], sections: Sequence[Section]) -> str:
    marked = [f"<!-- {each.name} -->\n\n{texts[each.name]}" for each in sections if each.name in texts]
    return "\n\n".join([INTRODUCTION, *marked]) + "\n"


def _sections_of(page: str) -> dict[str, str]:
    _, *pieces = re.split(r"^<!-- (.+) -->$", page, flags=re.MULTILINE)
    return {name: text.strip() for name, text in zip(pieces[::2], pieces[1::2], strict=True)}


def _absent(campaign: Campaign, section: Section) -> bool:
    reasons = [why for name in section.needs if (why := data.missing(campaign.datasets, name))]
    for why in reasons:
        say(f"{section.name}: {why}")
    return bool(reasons)


def main(arguments: Sequence[str] | None = None) -> None:
    names = [section.name for section in SECTIONS]
    parser = ArgumentParser(
        "python -m benchmarks.studies.methods", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, help="where the data sets are")
    parser.add_argument("--docs", type=Path, default=DOCS, help="where to write benchmarks.md and figures/")
    parser.add_argument("--keep", type=Path, help="a folder for what is done")
    parser.add_argument("--quick", action="store_true", help="few documents, to see that it works")
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="SECTION", help=", ".join(names))
    chosen, start = parser.parse_args(arguments), time.perf_counter()
    size, checkpoints = QUICK if chosen.quick else Size(), Checkpoints(chosen.keep)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        campaign = Campaign(chosen.data, chosen.docs / "figures", size, checkpoints, pool)
        write(campaign, chosen.docs / "benchmarks.md", SECTIONS, chosen.only)
    say(f"done in {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
