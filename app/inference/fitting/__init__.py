"""Comparisons become scores: the model, its maximum, the posterior around it, and methods beside it.

Not here: which pair to ask next (choosing), what is said of a posterior (reporting), compiled loops (kernels).
"""

from app.inference.fitting.absolute import AbsoluteScores, Moments, combine, moments, no_absolute_scores
from app.inference.fitting.baselines import BASELINES
from app.inference.fitting.grids import Normal
from app.inference.fitting.hyperparameters import WEAK, Approximation, Hyperprior, learn
from app.inference.fitting.model import Method, Model, build, usual_evidence
from app.inference.fitting.pooling import Contribution, evidence_apart, pool
from app.inference.fitting.position_bias import build_for, position_bias_of
from app.inference.fitting.posterior import Posterior, fit, fold, is_certified, prior, scores
from app.inference.fitting.published import Published, publish, repeat_correlations
from app.inference.fitting.saturation import as_votes
from app.inference.fitting.worth import Hyperparameters, at_scale, usual_votes, weighed
from app.inference.gaussian import Scores, TooMany

__all__ = [
    "BASELINES",
    "WEAK",
    "AbsoluteScores",
    "Approximation",
    "Contribution",
    "Hyperparameters",
    "Hyperprior",
    "Method",
    "Model",
    "Moments",
    "Normal",
    "Posterior",
    "Published",
    "Scores",
    "TooMany",
    "as_votes",
    "at_scale",
    "build",
    "build_for",
    "combine",
    "evidence_apart",
    "fit",
    "fold",
    "is_certified",
    "learn",
    "moments",
    "no_absolute_scores",
    "pool",
    "position_bias_of",
    "prior",
    "publish",
    "repeat_correlations",
    "scores",
    "usual_evidence",
    "usual_votes",
    "weighed",
]
