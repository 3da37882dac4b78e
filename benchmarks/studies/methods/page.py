"""docs/benchmarks.md: sections of measured results, one after the other."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from benchmarks.studies.methods import data
from benchmarks.studies.methods.acceptance import Line
from benchmarks.studies.methods.checkpoints import Checkpoints
from benchmarks.studies.methods.curves import say
from benchmarks.studies.methods.markdown import table
from benchmarks.studies.methods.size import Size

T = TypeVar("T")

INTRODUCTION = """\
# Benchmarks: what the methods save

This page is written by `python -m benchmarks.studies.methods`; do not edit it. Its figures are in `figures/`.

A judge whose answers are all on file is replayed through the service's own selection and inference, and the Spearman
correlation of the scores with what people say is taken after every comparison. *Comparisons to 90%* is the number
after which that correlation, averaged over the documents, first reaches 90% of what all of the judge's comparisons
give. It is found for every dimension and seed and then averaged. N(N-1) counts both orders of a pair, as GPM does.

| data | candidates | judge | people |
|---|---|---|---|
| SummEval | 100 documents x 12 summaries, 4 dimensions | gpt-3.5-turbo-0301; p = sigmoid((s_i - s_j) / T) of its mean \
score over five prompts, T = 1 unless said otherwise | mean of three experts |
| TopicalChat | 60 contexts x 6 responses, 4 dimensions | gpt-3.5-turbo; p from 20 sampled scores a side, the mean \
of seven prompts | mean of three annotators |
| Vicuna | 80 questions x 5 systems | five models; hard verdicts on every pair in both orders | share of pairwise wins |
| HANNA | 1,056 stories, 6 dimensions | ChatGPT; p = sigmoid(s_i - s_j) of its mean score over four prompts | mean of \
three annotators |

Three things to keep in mind. Except for Vicuna and SummEval's chain of verdicts the comparisons are derived from
absolute scores, so that such a judge never contradicts itself; real pairwise verdicts are noisier. T is not known for
them: fitted to gpt-3.5's own verdicts on SummEval it is 0.93, and label probabilities are usually sharper. And the
last digits are noise: the ratio of two criteria varies by about ten points between seeds."""


class Section(NamedTuple):
    """A part of the page."""

    text: str
    lines: Sequence[Line] = ()  # of the acceptance table


class Campaign(NamedTuple):
    """Everything that is measured: from which data, how much of it, and where results go."""

    datasets: Path  # a folder for each
    figures: Path
    size: Size
    checkpoints: Checkpoints

    def measured(self, name: str, measure: Callable[..., T], *more: Any) -> T:
        """Return what `measure` makes of data and size, kept under a name."""
        return self.checkpoints.once(name, partial(measure, self.datasets, self.size, *more))


Write = Callable[[Campaign], Section]


def write(campaign: Campaign, docs: Path, sections: Sequence[tuple[tuple[str, ...], Write]]) -> None:
    """Write docs/benchmarks.md. Args: `sections` says which data sets each needs."""
    written = [part for needs, section in sections if (part := _section(campaign, needs, section))]
    lines = [line for part in written for line in part.lines]
    text = "\n\n".join([INTRODUCTION, acceptance(campaign.size, lines), *(part.text for part in written)])
    (docs / "benchmarks.md").write_text(text + "\n", encoding="utf-8")


def acceptance(size: Size, lines: Sequence[Line]) -> str:
    rows = table(["target", "measured", ""], [line.cells for line in lines])
    hanna = f"HANNA over {size.hanna_seeds} a dimension, with hard verdicts over {size.hanna_hard_seeds}"
    seeds = f"Averaged over dimensions and {size.seeds} seeds; {hanna}."
    return f"## Targets\n\n{seeds}\n\n{rows}"


def _section(campaign: Campaign, needs: tuple[str, ...], section: Write) -> Section | None:
    if absent := [why for name in needs if (why := data.missing(campaign.datasets, name))]:
        say("; ".join(absent))
        return None
    return section(campaign)
