"""From comparisons to a posterior: the model, its maximum, the covariance around it, and other methods.

    model.py            who is ranked, the expert, the prior, position biases
    posterior.py        fit: N(mean, Sigma) from nothing. fold: from comparison to comparison. exact, scores
    weights.py          learn: weights of answers, by the evidence of measurements.py (exact) and evidence.py (votes);
                        pool: priors of these that several sets share
    repetition.py       whether a judge repeats itself, by what it answered when it was asked again
    published.py        publish: the posterior that readers get, with all that the method learns; covariates taken out
    absolute.py         absolute scores as part of the prior
    effects.py          judges with effects of their own, and the score they have in common
    people.py           the scores that people would give, where other judges have effects
    baselines.py, judge_aware.py        other methods

`item` (K,) is what each comparison was about, everywhere. Not here: what Sigma is (gaussian), which pair to ask next
(choosing), what is said of a posterior (reporting).
"""

from app.inference.core.edges import TooMany
from app.inference.fitting.absolute import AbsoluteScores, Moments, combine, moments, no_absolute_scores
from app.inference.fitting.baselines import BASELINES
from app.inference.fitting.effects import JudgeEffects
from app.inference.fitting.measurements import Normal
from app.inference.fitting.model import Covariates, Method, Model, build, position_bias_of, usual_verdict_weight
from app.inference.fitting.posterior import Posterior, fit, is_sparse
from app.inference.fitting.published import Effect, Published, covariates_of, effects_of, publish, repeat_correlations
from app.inference.fitting.repetition import Gains, Repetition, gains_of, record_of, repetition_of
from app.inference.fitting.weights import WEAK, Hyperprior, pool
from app.inference.gaussian import Scores
