"""The quantity that a ranking is about, for every target, from one posterior and one log."""

from collections.abc import Mapping

import numpy as np
from nextpair.words import InferenceTargetName

from app.inference.fitting.absolute import AbsoluteScores
from app.inference.fitting.evidence import Approximation
from app.inference.fitting.measurements import Normal
from app.inference.fitting.model import Covariates, Method
from app.inference.fitting.people import of_people
from app.inference.fitting.published import Published, publish, repeat_correlations
from app.inference.fitting.repetition import Repetition, repetition_of
from app.inference.fitting.weights import WEAK, Hyperprior
from app.inference.gaussian import Scores
from app.inference.targets.all_pairs import WinRates, asked_in, lasting_of, on_all_pairs
from app.inference.targets.drawing import DRAWS_SEED, drawn_in_place
from app.inference.targets.new_items import on_new_items
from app.inference.types import Bools, Comparisons, Floats, Ints

Quantity = Scores | WinRates


def publish_for(
    target: InferenceTargetName,
    answers: Comparisons,
    item: Ints,
    absolute: AbsoluteScores,
    method: Method,
    n: int,
    judges: int,
    hyperprior: Hyperprior = WEAK,
    dense: int | None = None,
    covariates: Covariates | None = None,
) -> Published:
    """The posterior that the target is read from; arguments as of `publish`.

    It is true to votes that separate candidates, but for latent scores of given verdict weights, as papers have them.
    Of all pairs and new prompts, probabilities that pile up count as votes.
    """
    by_votes = read_from(target) == "all-pairs"
    approximation: Approximation = "ep" if by_votes or method.verdict_weight == "learnt" else "laplace"
    return publish(answers, item, absolute, method, n, judges, hyperprior, dense, approximation, by_votes, covariates)


def read_from(target: InferenceTargetName) -> InferenceTargetName:
    """The target whose posterior it shares: `all-pairs` or `latent`."""
    return "all-pairs" if target in ("all-pairs", "new-items") else "latent"


def quantity_of(
    target: InferenceTargetName,
    published: Published,
    answers: Comparisons,
    item: Ints,
    has: Bools,
    people: Bools,
    draws: int | None = None,
    log_effects: Mapping[int, Normal] = {},
    known: Repetition | None = None,
    *,
    supposing: bool = False,
) -> Quantity:
    """Quantity that is ranked.

    Args: `published` is by `publish_for`; `answers` and `item` (K,) are as they came, and what each was about; `has`
        (I, N) tells which candidates have an output for an item. `people` and `log_effects` are as of `of_people`,
        `known`, by default what these answers tell, and `supposing` as of `lasting_of`, `draws` as of `on_all_pairs`.

    Raises ValueError where the log cannot answer the target. Of no candidates there are but scores.
    """
    if target == "latent" or not published.model.n:
        return published.scores
    if target == "new-items":
        return on_new_items(published, item)
    if target == "people":
        return of_people(published, people, log_effects)
    known = known or repetition_of(published, answers, item, np.full(len(people), np.nan))
    lasting = lasting_of(known, people, repeat_correlations(published, item, len(people)), supposing=supposing)
    answered, rng = asked_in(published, answers, item, has), np.random.default_rng(DRAWS_SEED)
    return on_all_pairs(published, answered, lasting, rng, draws)


def ranked_by(quantity: Quantity) -> Floats:
    """(N,) the scores: a ranking shows them, and is in their order whatever its confidence is about."""
    return quantity.scores.mean if isinstance(quantity, WinRates) else quantity.mean


def is_drawn(quantity: Quantity) -> bool:
    """Whether figures of it are counted in draws, as no normal is true to it."""
    return isinstance(quantity, WinRates) or quantity.has_votes


def drawn_values(quantity: Quantity, draws: int | None = None) -> Floats:
    """(D, N) the draws of what is ranked that a ranking counts. Args: `draws` of scores, where fewer will do."""
    if isinstance(quantity, WinRates):
        return quantity.values
    return drawn_in_place(quantity, np.random.default_rng(DRAWS_SEED), draws)
