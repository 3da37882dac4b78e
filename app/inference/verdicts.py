"""Which of the two candidates shown a verdict names: the one rule by which it is a tie."""

import numpy as np

from app.inference.types import Floats

TIE = 1e-9  # of |p - 1/2|


def directions(lean: Floats) -> Floats:
    """1 where `lean`, p - 1/2, names the first candidate, -1 where the second, 0 in a tie, NaN where it is NaN."""
    return np.where(np.abs(lean) <= TIE, 0.0, np.sign(lean))
