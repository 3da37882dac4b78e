"""Comparisons become scores: the model, its maximum, the posterior around it, and methods beside it.

Not here: which pair to ask next (choosing), what is said of a posterior (reporting), compiled loops (kernels).
"""

from app.inference.fitting.absolute import AbsoluteScores, Combined, Moments, Scale, combine, moments
from app.inference.fitting.baselines import BASELINES
from app.inference.fitting.judge_aware import JudgeAware
from app.inference.fitting.judge_aware import fit as fit_judge_aware
from app.inference.fitting.model import Method, Model, build, differences
from app.inference.fitting.posterior import Posterior, Scores, exact, fit, fold, prior, scores

__all__ = [
    "BASELINES",
    "AbsoluteScores",
    "Combined",
    "JudgeAware",
    "Method",
    "Model",
    "Moments",
    "Posterior",
    "Scale",
    "Scores",
    "build",
    "combine",
    "differences",
    "exact",
    "fit",
    "fit_judge_aware",
    "fold",
    "moments",
    "prior",
    "scores",
]
