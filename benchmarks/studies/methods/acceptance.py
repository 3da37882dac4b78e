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
from benchmarks.studies.methods.position_bias import WITHIN, Estimate, Leaning

CANDIDATES = (Criterion.REORDERING, Criterion.EXPONENT)
FAIR, LEANING, SAVING = 0.15, 0.18, 0.20


class Line(NamedTuple):
    target: str
    found: str
    passed: bool

    @property
    def cells(self) -> tuple[str, str, str]:
        return self.target, self.found, verdict(self.passed)


def of_summeval(study: Study) -> Line:
    shares = {
        name: curves.share(curves.needed(study.compared.criteria, name), study.compared.criteria) for name in CANDIDATES
    }
    return _at_most("SummEval: 90% of the full set with at most 15% of N(N-1) comparisons", FAIR, shares)


def of_leaning(found: Leaning) -> list[Line]:
    shares = {
        name: curves.share(curves.needed(found.acceptance, name, found.fair), found.acceptance) for name in CANDIDATES
    }
    target = "The same with a bias of 1 in the logits, estimated: at most 18% (of what the unbiased full set gives)"
    return [_at_most(target, LEANING, shares), *(_estimated(name, found) for name in CANDIDATES)]


def of_topicalchat(study: Study) -> Line:
    random = float(curves.needed(study.compared.criteria, Criterion.RANDOM).mean())
    saved = {
        name: 1.0 - float(curves.needed(study.compared.criteria, name).mean()) / random
        for name in (*CANDIDATES, Criterion.DETERMINANT, Criterion.VARIANCE)
    }
    found = ", ".join(f"{name} {percent(value)}" for name, value in saved.items())
    target = "TopicalChat, N = 6: 90% with at least 20% fewer comparisons than random"
    return Line(target, f"fewer by: {found}", max(saved[name] for name in CANDIDATES) >= SAVING)


def of_large(found: Large) -> list[Line]:
    """Each of ours against each of the rivals, at every batch."""
    return [
        _beats(found, ours.name, rival.name)
        for ours in OURS
        for rival in RIVALS
        if {ours.name, rival.name} <= found.curves.keys()
    ]


def _beats(found: Large, ours: str, rival: str) -> Line:
    margin = found.mean(ours) - found.mean(rival)
    worst = int(margin.argmin())
    text = (
        f"smallest margin {signed(float(margin[worst]))} at K = {found.comparisons[worst]:.0f}, "
        f"mean {signed(float(margin.mean()))}, ahead at {percent(float(np.mean(margin > 0.0)))} of the batches"
    )
    tried = "" if ours == REORDERING.name else " (tried, no target)"
    verdicts = "hard verdicts" if found.hard else "soft"
    return Line(
        f"HANNA, {verdicts}, b = {found.batch}: {ours} beats {rival} at every K{tried}",
        text,
        bool((margin > 0.0).all()),
    )


def _at_most(target: str, most: float, shares: dict[Criterion, float]) -> Line:
    found = ", ".join(f"{name} {percent(share)}" for name, share in shares.items())
    return Line(target, found, any(share <= most for share in shares.values()))


def _estimated(criterion: Criterion, found: Leaning) -> Line:
    single, pooled = found.estimates[criterion]
    text = f"a document alone: {_said(single)}; the documents of a dimension and seed together: {_said(pooled)}"
    target = f"The estimated bias within 2 standard errors of 1, when {criterion} stops"
    return Line(target, text, within(single) >= 0.95 and within(pooled) >= 0.95)


def within(found: Sequence[Estimate]) -> float:
    return float(np.mean(np.abs(_z(found)) <= WITHIN)) if found else float("nan")


def _said(found: Sequence[Estimate]) -> str:
    if not found:
        return "none"
    delta = np.mean([one.delta for one in found])
    return f"mean {delta:.2f}, mean z {_z(found).mean():+.2f}, {percent(within(found))} within"


def _z(found: Sequence[Estimate]) -> Floats:
    return np.array([one.z for one in found])
