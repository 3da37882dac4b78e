"""How a ranking was made, as the methods section of a paper says it: sentences from a set's settings."""

from collections.abc import Iterator, Mapping

from nextpair import schemas
from nextpair.words import (
    BaselineName,
    CriterionName,
    ExpertName,
    InferenceTargetName,
    JointName,
    OrderName,
    PositionBias,
    counted,
    percent,
)

from app.inference.regimes import MEDIUM
from app.sentences.lists import named, quoted

MODELS: dict[ExpertName | JointName | BaselineName, str] = {
    "soft-bt": "the Bradley-Terry model, in which a verdict may be a probability",
    "hard-bt": "the Bradley-Terry model, with each verdict rounded to a win, a loss or a tie",
    "gaussian": "a normal model of the difference, read from the probability",
    "logit-gaussian": "a normal model of the difference, read from the logit of the probability",
    "laplace": "a Laplace model of the difference",
    "sigma-beta": "a beta model of the probability, with a logistic link",
    "phi-beta": "a beta model of the probability, with a normal link",
    "sigma-gaussian": "a normal model of the probability, with a logistic link",
    "phi-gaussian": "a normal model of the probability, with a normal link",
    "judge-aware": "the Bradley-Terry model, with a position bias and a discrimination of each judge",
    "consensus": "the Bradley-Terry model, with effects of each judge on each candidate",
    "win-ratio": "each candidate's share of wins",
    "average-probability": "each candidate's mean probability of winning",
    "bradley-terry": "the Bradley-Terry model by maximum likelihood",
    "poe-g-hard": "a product of Gaussian experts on rounded verdicts",
}
POSITION_BIASES: dict[PositionBias, str] = {
    "none": "No position bias was corrected.",
    "estimate": "The position bias of each judge was estimated together with the scores, and removed.",
    "closed-form": "The position bias of each judge was read from its mean verdict, and removed.",
}
CRITERIA: dict[CriterionName, str] = {
    "knowledge": "the pair whose verdict is expected to add most to the confidence in the order",
    "reordering": "the pair whose order is least known",
    "variance": "the pair whose score difference has the largest variance",
    "exponent": "a mix of the least known order and the largest variance",
    "determinant": "the pair that reduces the joint variance of the scores most",
    "random": "a pair at random",
    "covering": "a pair at random, after each candidate had been compared once",
}
FAIR = "A fair coin decided who was shown first."
ORDERS: dict[OrderName, str] = {
    "balanced": "Of most pairs, the candidate that had been first less often was shown first.",
    "both": "Each pair was asked in both orders, one after the other.",
    "each": "Both orders of a pair could be asked, each when it was most informative.",
    "as_selected": "Of each pair, the candidate that was added to the set earlier was shown first.",
}
LAPLACE = "Uncertainty comes from a Laplace approximation of the posterior."
PROPAGATION = (
    "Uncertainty comes from a normal approximation of the posterior: by expectation propagation where judges vote, "
    "else Laplace's."
)
FROM_A_FILE = "The comparisons come from a file, so nothing is known about how the pairs were chosen."
IMPORTED = "The comparisons were imported, so nothing is known about how the pairs were chosen."
NO_COMPARISON = "There is no comparison yet, so there is nothing to describe."
NO_STOP = "There was no stop rule."


def paragraph(
    ranking: schemas.Ranking,
    definition: schemas.SetOut | None,
    prompts: int,
    judges: int,
    imported: float = 0.0,
    priors: schemas.PooledEvidence | None = None,
) -> list[str]:
    """Say how the ranking was made; `definition` is that of its set, and None of a file.

    Args: of the set, the share of verdicts that it did not ask for, and the priors that others shared with it.
    """
    if not ranking.comparisons:
        return [NO_COMPARISON]
    return [
        *_material(ranking, prompts, judges),
        *_model(ranking, judges),
        *_weights(ranking),
        *_claims(ranking),
        *([FROM_A_FILE] if definition is None else _origin(ranking, definition, imported)),
        *([] if priors is None else [pool(priors)]),
    ]


def _material(ranking: schemas.Ranking, prompts: int, judges: int) -> Iterator[str]:
    by = f" by {counted(judges, 'judge')}" if judges else ""
    on = f" on {counted(prompts, 'prompt')}" if prompts else ""
    candidates = counted(len(ranking.ranking), "candidate")
    yield f"We ranked {candidates} from {counted(ranking.comparisons, 'comparison')}{by}{on}."
    yield ranking.inference_target.sentence


def _model(ranking: schemas.Ranking, judges: int) -> Iterator[str]:
    method = ranking.method
    yield f"Scores come from {MODELS[method.name]} ({method.name}{_parameters(method.expert_parameters)})."
    if method.prior == "anchor":
        yield "A prior variance of a million leaves the differences of scores to the verdicts alone."
    elif method.prior is not None and ranking.verdict_weight is not None:
        yield f"Each score has a normal prior, whose variance was learnt ({ranking.verdict_weight.score_variance:.2f})."
    elif method.prior is not None:
        yield f"Each score has a normal prior with variance {method.prior_variance:g}."
    allowed_for = len(ranking.position_bias or {})
    if method.position_bias == "estimate" and 0 < allowed_for < judges:
        yield f"The position bias of {allowed_for:,} of {judges:,} judges was estimated with the scores, and removed."
    else:
        yield POSITION_BIASES[method.position_bias]


def _weights(ranking: schemas.Ranking) -> Iterator[str]:
    method = ranking.method
    if ranking.verdict_weight is not None:
        votes = ranking.verdict_weight.effective_votes
        yield "Verdicts are weighted by the consistency of their judge, learnt from the verdicts."
        if votes:
            low, high = min(votes.values()), max(votes.values())
            range_of = f"{low:.2g}" if f"{low:.2g}" == f"{high:.2g}" else f"{low:.2g} to {high:.2g}"
            yield f"One verdict counts as {range_of} votes."
    elif isinstance(method.verdict_weight, dict):
        yield f"Each verdict counts as one vote, except those of {_by_judge(method.verdict_weight)} votes."
    elif method.verdict_weight == "one-vote":
        yield "Each verdict counts as one vote."
    if method.temperatures:
        yield f"Logits of verdicts were divided by the temperature of their judge: {_by_judge(method.temperatures)}."


def _claims(ranking: schemas.Ranking) -> Iterator[str]:
    method, level = ranking.method, f"{100.0 * ranking.method.level:g}%"
    if not any(row.interval for row in ranking.ranking):
        yield "This method states no intervals."
        return
    yield PROPAGATION if _is_propagated(ranking) else LAPLACE
    yield f"Each interval holds with {level} on its own; all rank intervals hold together with {level}."
    if method.epsilon:
        yield f"Scores that differ by less than {method.epsilon:g} logits count as tied."


def _is_propagated(ranking: schemas.Ranking) -> bool:
    """Whether votes, if there are any, were fitted by expectation propagation."""
    method, is_small = ranking.method, len(ranking.ranking) <= MEDIUM and not ranking.effects
    of_votes = method.name in ("soft-bt", "hard-bt") and method.prior == "unit"
    is_true = ranking.inference_target.name != "latent" or method.verdict_weight == "learnt"
    return of_votes and is_small and is_true


def _origin(ranking: schemas.Ranking, definition: schemas.SetOut, imported: float) -> Iterator[str]:
    if imported == 1.0:
        yield IMPORTED
        return
    if imported:
        yield f"A share of {percent(imported)} of the comparisons was imported; the others were asked for."
    yield from _selection(definition, ranking.inference_target.name)


def _selection(definition: schemas.SetOut, target: InferenceTargetName) -> Iterator[str]:
    chosen = definition.selection
    yield f"The acquisition function {chosen.criterion} chose {CRITERIA[chosen.criterion]}."
    if chosen.random_share and chosen.criterion != "random":
        yield f"A share of {percent(chosen.random_share)} of the pairs was drawn at random instead."
    yield FAIR if definition.order == "balanced" and target == "new-items" else ORDERS[definition.order]
    if definition.overlap is not None:
        share, judges = percent(definition.overlap.share), counted(definition.overlap.judges, "judge")
        yield f"A random {share} of the pairs went to {judges} each."
    if aim := goal(definition.goal):
        yield aim
    yield stop(definition.stop, target)
    if definition.budget is not None and definition.budget.max_comparisons:
        yield f"The budget was {counted(definition.budget.max_comparisons, 'comparison')}."


def pool(priors: schemas.PooledEvidence) -> str:
    """Where the priors that other sets shared come from."""
    kind, _, name = priors.pool.partition(":")
    which = {"project": f" of the project {quoted(name)}", "question": " with the same question"}.get(kind, "")
    return f"Priors were shared by {counted(priors.sets, 'set')}{which} (partial pooling)."


def goal(aim: schemas.Goal) -> str:
    """What pairs were chosen for; empty for the ranking."""
    if aim.top_k:
        return f"Pairs were chosen to find the best {'candidate' if aim.top_k == 1 else f'{aim.top_k} candidates'}."
    if aim.against:
        return f"Pairs were chosen to find the candidates that are better than {quoted(aim.against)}."
    if aim.pair:
        return f"Pairs were chosen to find the better of {named(aim.pair)}."
    return ""


def stop(rule: schemas.Stop | None, target: InferenceTargetName) -> str:
    """The stop rule, with what each part of it claims: about latent scores alone it holds however often one looks."""
    if rule is None:
        return NO_STOP
    always = " (anytime-valid)" if target == "latent" else ""
    level = f"{100.0 * (1.0 - rule.error_level):g}% confidence{always}"
    parts = [
        rule.top_k is not None
        and f"the best {'candidate is' if rule.top_k == 1 else f'{rule.top_k} are'} known with {level}",
        rule.rank_width is not None and f"every rank interval is at most {rule.rank_width} wide with {level}",
        rule.concordance is not None and f"{100.0 * rule.concordance:g}% of pairs are expected in the right order",
        rule.goal is not None and f"the goal is known with {100.0 * rule.goal:g}% confidence{always}",
        rule.entropy_change is not None
        and f"no comparison lowers the entropy by more than {rule.entropy_change:g} nats",
    ]
    return " ".join(f"Judging stops once {part}." for part in parts if part)


def _parameters(values: Mapping[str, float] | None) -> str:
    return "".join(f", {name} = {value:g}" for name, value in (values or {}).items())


def _by_judge(values: Mapping[str, float]) -> str:
    return named([f"{judge} {value:.3g}" for judge, value in values.items()])
