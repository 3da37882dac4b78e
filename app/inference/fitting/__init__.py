"""Comparisons become scores: the model, its maximum, the posterior around it, and methods beside it.

Not here: which pair to ask next (choosing), what is said of a posterior (reporting), compiled loops (kernels).
"""

from app.inference.fitting.absolute import AbsoluteScores, Moments, combine, moments, no_absolute_scores
from app.inference.fitting.baselines import BASELINES
from app.inference.fitting.grids import Normal
from app.inference.fitting.hyperparameters import WEAK, Hyperprior
from app.inference.fitting.model import Method, Model, build, usual_evidence
from app.inference.fitting.pooling import pool
from app.inference.fitting.position_bias import build_for, position_bias_of
from app.inference.fitting.posterior import Posterior, fit, is_certified, scores
from app.inference.fitting.published import Published, publish, repeat_correlations
from app.inference.fitting.worth import Hyperparameters
from app.inference.gaussian import Scores, TooMany
