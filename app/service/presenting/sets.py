"""Sets and their progress, with the comparisons that count and the temperatures by name."""

from nextpair import schemas

from app.storage.schema import Record


def present_set(row: Record) -> schemas.SetOut:
    selection = {name: getattr(row, name) for name in schemas.Selection.model_fields}
    budget = None if row.max_comparisons is None else {"max_comparisons": row.max_comparisons}
    more = {
        "selection": selection,
        "budget": budget,
        "temperatures": temperatures_of(row),
        "verdict_weight": votes_of(row) or row.evidence,
        "comparisons": comparisons_of(row),
    }
    return schemas.SetOut.model_validate({**row._mapping, **more})


def present_progress(row: Record) -> schemas.SetProgress:
    return schemas.SetProgress(
        version=row.version, comparisons=comparisons_of(row), candidates=row.candidates, status=row.status
    )


def comparisons_of(row: Record) -> int:
    """Number of comparisons that count: a void is an entry too, and takes one back."""
    return int(row.version - row.absolute_scores - 2 * row.voids - row.pooled_evidence)


def votes_of(row: Record) -> dict[str, float]:
    """Votes that the set says a verdict counts for, by the judge's name; none where it says a word."""
    return {} if isinstance(row.evidence, str) else {name: votes for name, (_, votes) in row.evidence.items()}


def temperatures_of(row: Record) -> dict[str, float]:
    """Temperatures by the judge's name."""
    return {name: temperature for name, (_, temperature) in row.temperatures.items()}
