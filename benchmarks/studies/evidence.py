"""How often is what a ranking with learnt verdict weights states true? `python -m benchmarks.studies.evidence`.

It writes its tables into uncertainty.md: targets with how many rows miss them, then all rows of each length, then what
goals save (goals.py). It takes hours on one core, with `--runs 20` some minutes; `--keep FOLDER` holds what is done, so
that a run that was stopped goes on.

N = 12 texts, pairs chosen by `reordering`. True scores are drawn from N(0, sd^2). A ranking is compared with the
judge's own scores, unit * s: a log does not identify the unit of a judge.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.inference.choosing import Criterion, Order, Plan, Policy
from app.inference.fitting import Method
from app.inference.reporting import Wanted, expected_wins, observed_wins, ranks, summary_of
from app.inference.state import Snapshot, exact
from app.inference.types import Floats
from benchmarks.loop import judged
from benchmarks.pages import put, table, verdict
from benchmarks.studies import goals
from benchmarks.studies.running import DOCS, Checkpoints, of_runs, options
from benchmarks.studies.simulated import JUDGES, LEARNT, answering
from benchmarks.studies.truth import held, inside

SEED = 20_263
N = 12
SDS = (0.2, 1.0, 3.0)
ASKED = (1, 4, 10)  # times in a row each chosen pair is asked
LENGTHS = (5 * N, 10 * N)  # comparisons
METHODS = {"one-vote": Method(), "learnt": LEARNT}  # by the kind of evidence
SURE = 0.9


class EvidenceSetting(NamedTuple):
    """A row of the tables, except its length."""

    judge: str
    sd: float  # of the true scores
    in_a_row: int  # times that a chosen pair is asked


class CoverageOutcome(NamedTuple):
    """One ranking compared with the truth; the mean of many."""

    pairs: float  # different ones that were asked
    ranks: float  # whether all rank intervals hold together
    best_stated: float  # P(best) of the text at the top
    best: float  # whether it is the best
    claims: float  # "i is above j" with a probability of more than SURE
    true_claims: float
    scores: float  # share of the marginal intervals that hold the score, less the mean of all
    width: float  # worst rank minus best, mean of the texts
    groups: float  # of ties
    false_groups: float  # whether a text of a later one is better than the text at the top


class CoverageRow(NamedTuple):
    """A row of the tables."""

    setting: EvidenceSetting
    length: int
    outcomes: list[CoverageOutcome]  # by METHODS


SETTINGS = tuple(EvidenceSetting(*each) for each in product(JUDGES, SDS, ASKED))


def rows_of(setting: EvidenceSetting, runs: int, checkpoints: Checkpoints) -> list[CoverageRow]:
    """The row at each of LENGTHS."""
    name = f"{setting.judge}-{setting.sd:g}-{setting.in_a_row}"
    by_evidence = [
        checkpoints.once(f"{name}-{evidence}-{runs}", partial(measure, setting, evidence, runs)) for evidence in METHODS
    ]
    return [CoverageRow(setting, length, [each[k] for each in by_evidence]) for k, length in enumerate(LENGTHS)]


def measure(setting: EvidenceSetting, evidence: str, runs: int) -> list[CoverageOutcome]:
    """The mean outcome at each of LENGTHS."""
    by_run = of_runs(partial(one_run, setting, evidence), runs)
    return [CoverageOutcome(*np.mean(at_length, axis=0).tolist()) for at_length in zip(*by_run, strict=True)]


def one_run(setting: EvidenceSetting, evidence: str, number: int) -> list[CoverageOutcome]:
    """The outcome at each of LENGTHS; texts and judge are the same under every kind of evidence."""
    rng = np.random.default_rng([SEED, SETTINGS.index(setting), number])
    truth, judge = rng.normal(0.0, setting.sd, N), JUDGES[setting.judge]
    answer, plan = answering(judge, truth, rng), Plan(Policy(Criterion.REORDERING), Order.BALANCED, number)
    snapshots = islice(judged(answer, N, METHODS[evidence], plan, in_a_row=setting.in_a_row), max(LENGTHS))
    return [outcome(snapshot, judge.unit * truth) for snapshot in snapshots if snapshot.version in LENGTHS]


def outcome(snapshot: Snapshot, truth: Floats) -> CoverageOutcome:
    """The published ranking compared with the (N,) true scores."""
    posterior = exact(snapshot).scores
    stated, _ = summary_of(posterior, Wanted())
    leader, later = int(np.argmax(stated.score)), stated.tie_group > 1
    of_ranks = held(stated, ranks(truth), leader)
    claims = expected_wins(posterior) > SURE
    return CoverageOutcome(
        np.isfinite(observed_wins(snapshot.comparisons, len(truth))).sum() / 2,
        of_ranks.ranks,
        of_ranks.stated,
        of_ranks.so,
        claims.sum(),
        (claims & (truth[:, None] > truth)).sum(),
        inside(truth - truth.mean(), stated.interval).mean(),
        of_ranks.width,
        stated.tie_group.max(),
        (truth[later] > truth[leader]).any(),
    )


# The page

CELLS: dict[str, Callable[[CoverageOutcome], str]] = {
    "pairs": lambda of: f"{of.pairs:.0f}",
    "ranks hold, %": lambda of: f"{100 * of.ranks:.1f}",
    "leader best, stated": lambda of: f"{of.best_stated:.2f}",
    "true": lambda of: f"{of.best:.2f}",
    "claims": lambda of: f"{of.claims:.1f}",
    "true, %": lambda of: f"{100 * of.true_claims / of.claims:.1f}" if of.claims else "–",
    "scores, %": lambda of: f"{100 * of.scores:.1f}",
    "width of ranks": lambda of: f"{of.width:.1f}",
    "tie groups": lambda of: f"{of.groups:.2f}",
    "false, %": lambda of: f"{100 * of.false_groups:.1f}",
}
WIDTHS = {"noisy": 6.5, "consistent": 2.0}  # of ranks, at most: sd 1, each pair once, at the first length


def render(rows: Sequence[CoverageRow], runs: int) -> str:
    """Args: `rows` in any order."""
    parts = [f"{runs:,} runs a row; {' → '.join(METHODS)}.", _targets(rows)]
    for length in LENGTHS:
        cells = [_cells(row) for row in rows if row.length == length]
        parts.append(
            f"After {length // N}N = {length} comparisons:\n\n{table(['judge', 'sd', 'asked', *CELLS], cells)}"
        )
    return "\n\n".join(parts)


def _cells(row: CoverageRow) -> list[str]:
    judge, sd, in_a_row = row.setting
    return [judge, f"{sd:g}", f"{in_a_row}", *(" → ".join(map(cell, row.outcomes)) for cell in CELLS.values())]


def _targets(rows: Sequence[CoverageRow]) -> str:
    """Each target of the last kind of evidence, with how many rows miss it."""
    many = [row for row in rows if row.outcomes[-1].pairs >= 2 * N]
    few = [row for row in rows if row.outcomes[-1].pairs < 2 * N]
    lines = [
        _line("ranks hold in at least 93%", many, lambda of: of.ranks >= 0.93),
        _line(f"in at least 88% where fewer than {2 * N} pairs were asked", few, lambda of: of.ranks >= 0.88),
        _line("leader best: stated within .05 of the truth", rows, lambda of: abs(of.best_stated - of.best) <= 0.05),
        _mean_of_spreads(rows),
        _line("claims above .9 true in at least 88%", rows, lambda of: of.true_claims >= 0.88 * of.claims),
    ]
    lines += [_width_of_ranks(rows, judge, width) for judge, width in WIDTHS.items()]
    return table(["target", "rows that miss it", ""], lines)


def _width_of_ranks(rows: Sequence[CoverageRow], judge: str, width: float) -> list[str]:
    own = [row for row in rows if row.setting == EvidenceSetting(judge, 1.0, 1) and row.length == LENGTHS[0]]
    return _line(f"mean width of ranks at most {width}, {judge}", own, lambda of: of.width <= width)


def _mean_of_spreads(rows: Sequence[CoverageRow]) -> list[str]:
    """No prior is right for every spread of scores; a good one is right for their mean."""
    apart: dict[tuple[str, int, int], list[float]] = {}
    for row in rows:
        outcome, key = row.outcomes[-1], (row.setting.judge, row.setting.in_a_row, row.length)
        apart.setdefault(key, []).append(outcome.best_stated - outcome.best)
    missed = sum(abs(np.mean(of_spreads)) > 0.05 for of_spreads in apart.values())
    return ["the same, mean of the three spreads of scores", f"{missed} of {len(apart)}", verdict(not missed)]


def _line(target: str, rows: Sequence[CoverageRow], met: Callable[[CoverageOutcome], bool]) -> list[str]:
    missed = sum(not met(row.outcomes[-1]) for row in rows)
    return [target, f"{missed} of {len(rows)}", verdict(not missed)]


def main() -> None:
    """`--runs` of every row."""
    chosen = options(__doc__, runs=1000, docs=DOCS, keep="")
    checkpoints = Checkpoints(Path(chosen.keep) if chosen.keep else None)
    rows = [row for setting in SETTINGS for row in rows_of(setting, chosen.runs, checkpoints)]
    text = f"{render(rows, chosen.runs)}\n\n{goals.tables(min(chosen.runs, goals.RUNS), checkpoints)}"
    put(chosen.docs / "uncertainty.md", "python -m benchmarks.studies.evidence", text)


if __name__ == "__main__":
    main()
