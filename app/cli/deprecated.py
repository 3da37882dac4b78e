"""Names of options of before 0.2: they answer in 0.2 and are removed in 0.3, with this module."""

from typing import Annotated

import typer
from nextpair.words import VerdictWeightName

EvidenceOption = Annotated[VerdictWeightName | None, typer.Option("--evidence", hidden=True)]


def verdict_weight_of(chosen: VerdictWeightName | None, old: VerdictWeightName | None) -> VerdictWeightName | None:
    """The choice by either name. Raises typer.BadParameter for both."""
    if old is None:
        return chosen
    if chosen is not None:
        raise typer.BadParameter("give --verdict-weight or --evidence, its old name, not both.")
    typer.echo("--evidence is the old name of --verdict-weight and removed in 0.3; use --verdict-weight.", err=True)
    return old
