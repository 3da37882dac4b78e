"""Experts: densities of a score difference d = s_first - s_second given one comparison, p(d|C) = f'(d) ptilde(f(d)|C).

An expert is one file with functions of (d, p), each elementwise over shape (K,), and a `make` that takes the expert's
parameters and their defaults. To add one, write the file and name it here.

Not here: what is done with an expert; that is the same for all of them, in fitting and choosing.

    l, l', w = -l''   log_density, slope, curvature     (K,), from d (K,) and p (K,)
    f                 expected: the p that d lets one expect
"""

from collections.abc import Callable, Mapping
from inspect import signature

from app.inference.experts import (
    gaussian,
    hard_bt,
    laplace,
    logit_gaussian,
    phi_beta,
    phi_gaussian,
    sigma_beta,
    sigma_gaussian,
    soft_bt,
)
from app.inference.experts.expert import Expert

MAKERS: dict[str, Callable[..., Expert]] = {
    "soft-bt": soft_bt.make,
    "gaussian": gaussian.make,
    "logit-gaussian": logit_gaussian.make,
    "sigma-beta": sigma_beta.make,
    "phi-beta": phi_beta.make,
    "sigma-gaussian": sigma_gaussian.make,
    "phi-gaussian": phi_gaussian.make,
    "laplace": laplace.make,
    "hard-bt": hard_bt.make,
}


def parameters(name: str) -> dict[str, float]:
    """The parameters of an expert with their defaults. Raises KeyError for an unknown expert."""
    return {key: value.default for key, value in signature(MAKERS[name]).parameters.items()}


def make(name: str, values: Mapping[str, float] | None = None) -> Expert:
    """The expert of this name; what `values` leaves out keeps its default.

    Raises KeyError for an unknown expert, ValueError for a parameter that it does not have or cannot have.
    """
    known, values = parameters(name), values or {}
    if unknown := sorted(values.keys() - known.keys()):
        has = f"it has {', '.join(known)}" if known else "it has none"
        raise ValueError(f"{name} has no parameter {unknown[0]!r}; {has}")
    return MAKERS[name](**values)
