"""Sets and their progress, with the comparisons that count and the temperatures by name."""

from nextpair import schemas

from app.storage.schema import Record


def present_set(row: Record) -> schemas.SetOut:
    selection = schemas.Selection(
        criterion=row.criterion,
        epsilon=row.epsilon,
        random_share=row.random_share,
        batch=row.batch,
        seed=row.seed,
        equal=row.equal,
    )
    return schemas.SetOut(
        id=row.id, name=row.name, question=row.question, attribute=row.attribute, context=row.context,
        expert=row.expert, expert_parameters=row.expert_parameters, prior=row.prior,
        prior_variance=row.prior_variance, selection=selection, inference_target=row.inference_target,
        order=row.order, position_bias=row.position_bias, absolute_scale=row.absolute_scale,
        absolute_variance=row.absolute_variance,
        temperatures=temperatures_of(row), verdict_weight=votes_of(row) or row.evidence,
        budget=None if row.max_comparisons is None else schemas.Budget(max_comparisons=row.max_comparisons),
        stop=row.stop, overlap=row.overlap, goal=row.goal, project=row.project, pool_by=row.pool_by,
        metadata=row.metadata, version=row.version, comparisons=comparisons_of(row),
        absolute_scores=row.absolute_scores, candidates=row.candidates, items=row.items, status=row.status,
        created_at=row.created_at, deleted_at=row.deleted_at,
    )  # fmt: skip


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
