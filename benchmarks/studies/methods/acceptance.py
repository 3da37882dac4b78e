"""The targets this project set itself, and whether what was measured meets them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.inference.choosing.selection import Criterion
from app.inference.types import Floats
from benchmarks.studies.methods import curves
from benchmarks.studies.methods.efficiency import Study
from benchmarks.studies.methods.large import OURS, REORDERING, RIVALS, Large
from benchmarks.studies.methods.markdown import percent, signed, verdict
from benchmarks.studies.methods.position_bias import WITHIN, BiasEstimate, BiasStudy

CANDIDATES = (Criterion.REORDERING, Criterion.EXPONENT)
FAIR, BIASED, SAVING = 0.15, 0.18, 0.20


class Line(NamedTuple):
    """A line of the table of targets."""

    target: str
    measured: str
    passed: bool

    @property
    def cells(self) -> tuple[str, str, str]:
        return self.target, self.measured, verdict(self.passed)


def of_summeval(study: Study) -> Line:
    shares = {name: curves.share(curves.needed(study.compared, name), study.compared) for name in CANDIDATES}
    return _at_most("SummEval: 90% of the full set with at most 15% of N(N-1) comparisons", FAIR, shares)


def of_bias(study: BiasStudy) -> list[Line]:
    shares = {
        name: curves.share(curves.needed(study.acceptance, name, study.fair), study.acceptance) for name in CANDIDATES
    }
    target = "The same with a bias of 1 in the logits, estimated: at most 18% (of what the unbiased full set gives)"
    return [_at_most(target, BIASED, shares), *(_estimated(name, study) for name in CANDIDATES)]


def of_topicalchat(study: Study) -> Line:
    random = float(curves.needed(study.compared, Criterion.RANDOM).mean())
    saved = {
        name: 1.0 - float(curves.needed(study.compared, name).mean()) / random
        for name in (*CANDIDATES, Criterion.DETERMINANT, Criterion.VARIANCE)
    }
    by_name = ", ".join(f"{name} {percent(value)}" for name, value in saved.items())
    target = "TopicalChat, N = 6: 90% with at least 20% fewer comparisons than random"
    return Line(target, f"fewer by: {by_name}", max(saved[name] for name in CANDIDATES) >= SAVING)


def of_large(study: Large) -> list[Line]:
    """Compare each of ours with each of the rivals, at every batch."""
    return [
        _beats(study, ours.name, rival.name)
        for ours in OURS
        for rival in RIVALS
        if {ours.name, rival.name} <= study.curves.keys()
    ]


def _beats(study: Large, ours: str, rival: str) -> Line:
    margin = study.mean(ours) - study.mean(rival)
    worst = int(margin.argmin())
    text = (
        f"smallest margin {signed(float(margin[worst]))} at K = {study.comparisons[worst]:.0f}, "
        f"mean {signed(float(margin.mean()))}, ahead at {percent(float(np.mean(margin > 0.0)))} of the batches"
    )
    tried = "" if ours == REORDERING.name else " (tried, no target)"
    verdicts = "hard verdicts" if study.hard else "soft"
    return Line(
        f"HANNA, {verdicts}, b = {study.batch}: {ours} beats {rival} at every K{tried}",
        text,
        bool((margin > 0.0).all()),
    )


def _at_most(target: str, most: float, shares: dict[Criterion, float]) -> Line:
    by_name = ", ".join(f"{name} {percent(share)}" for name, share in shares.items())
    return Line(target, by_name, any(share <= most for share in shares.values()))


def _estimated(criterion: Criterion, study: BiasStudy) -> Line:
    single, pooled = study.estimates[criterion]
    text = f"a document alone: {_describe(single)}; the documents of a dimension and seed together: {_describe(pooled)}"
    target = f"The estimated bias within 2 standard errors of 1, when {criterion} stops"
    return Line(target, text, within(single) >= 0.95 and within(pooled) >= 0.95)


def within(estimates: Sequence[BiasEstimate]) -> float:
    return float(np.mean(np.abs(_z(estimates)) <= WITHIN)) if estimates else float("nan")


def _describe(estimates: Sequence[BiasEstimate]) -> str:
    if not estimates:
        return "none"
    delta = np.mean([one.delta for one in estimates])
    return f"mean {delta:.2f}, mean z {_z(estimates).mean():+.2f}, {percent(within(estimates))} within"


def _z(estimates: Sequence[BiasEstimate]) -> Floats:
    return np.array([one.z for one in estimates])
