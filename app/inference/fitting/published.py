"""The posterior as it is published: from all comparisons, by one method, with everything that the method learns."""

from typing import NamedTuple

from app.inference.fitting import posterior as posteriors
from app.inference.fitting.absolute import AbsoluteScores, Scale, combine
from app.inference.fitting.closed_form import build_for
from app.inference.fitting.hyperparameters import WEAK, Hyperprior, learn
from app.inference.fitting.integration import integrate
from app.inference.fitting.model import Method, Model
from app.inference.fitting.posterior import Posterior, Scores
from app.inference.fitting.worth import Hyperparameters, at_scale, usual_votes, weighed
from app.inference.types import Comparisons, Ints


class Published(NamedTuple):
    """A posterior with the model that it belongs to."""

    scores: Scores  # their marginal; where it is learnt what answers are worth, over all that this may be
    posterior: Posterior  # where that is as it was learnt
    answers: Comparisons  # as they came
    comparisons: Comparisons  # with their weights in the model
    model: Model
    learnt: Hyperparameters | None = None
    scale: Scale | None = None  # of the absolute scores, if there are any
    settled: bool = True  # whether that scale is final


def publish(
    answers: Comparisons,
    item: Ints,
    absolute: AbsoluteScores,
    method: Method,
    n: int,
    judges: int,
    hyperprior: Hyperprior = WEAK,
    dense: int | None = None,
) -> Published:
    """The posterior of N candidates by J judges, fitted from scratch; `item` (K,) is what each answer was about.

    What answers are worth and the scale of absolute scores are not integrated over together: with absolute scores, the
    former stays as it was learnt from comparisons.

    Args: of more than `dense` candidates nothing of the covariance is worked out where it need not be a matrix; that of
        a mixture has to be.
    """
    model, comparisons, learnt = build_for(method, n, answers, judges), answers, None
    if method.evidence == "learnt" and answers.size:
        learnt, grid = learn(answers, item, model, judges, hyperprior)
        model = at_scale(model, learnt.scale)._replace(votes=usual_votes(answers, learnt))
        comparisons = weighed(answers, item, n, learnt)
        if not absolute.size:
            is_sharp = len(grid.weight) == 1
            posterior = posteriors.fit(comparisons, model, dense=dense if is_sharp else None)
            alone = posteriors.scores(posterior, comparisons, model)._replace(scale=learnt.scale)
            of_scores = alone if is_sharp else integrate(comparisons, model, grid)
            return Published(of_scores, posterior, answers, comparisons, model, learnt)
    if absolute.size:
        posterior, model, scale, settled = combine(
            comparisons, model, absolute, is_given=method.absolute_scale == "given"
        )
    else:
        posterior, scale, settled = posteriors.fit(comparisons, model, dense=dense), None, True
    marginal = posteriors.scores(posterior, comparisons, model)
    return Published(marginal, posterior, answers, comparisons, model, learnt, scale, settled)
