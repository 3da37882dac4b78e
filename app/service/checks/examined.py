"""All that is examined of a ranking, and what a check says of it."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from nextpair.words import CheckVerdict

from app.inference.reporting import Wanted, summary_of
from app.service.diagnostics import Facts

FEW = 20  # pairs, triples or verdicts, below which nothing is said
ABOVE_CHANCE = 1.645  # standard deviations: one in twenty


class CheckResult(NamedTuple):
    """What a check says."""

    verdict: CheckVerdict
    says: str
    figure: str


@dataclass(frozen=True)
class Examined(Facts):
    """Facts, and what of the ranking is checked; each is computed by the first check that needs it."""

    @cached_property
    def ranked(self) -> list[tuple[str, int, float]]:
        """Keys, ranks and P(best), best first."""
        basis, target = self.basis, self.basis.target().name
        table, _ = summary_of(basis.judged.quantity(basis.published_in_rows(target), target), Wanted())
        keys, order = self.basis.catalogue.keys, table.best_first.tolist()
        return [(keys[each], int(table.rank[each]), float(table.p_best[each])) for each in order]

    @cached_property
    def allowed_for(self) -> set[str]:
        """The judges whose position bias the ranking allows for."""
        basis = self.basis
        model, judges = basis.published_in_rows(basis.target().name).model, basis.snapshot.evidence.judges
        allowed = judges[model.estimated_biases] if model.has_biases else judges
        return {basis.names[judge] for judge in allowed.tolist()} if model.allows_for_biases else set()
