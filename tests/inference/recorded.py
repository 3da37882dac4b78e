"""Posteriors that were published once, of logs made from seeds: whoever changes how they are computed finds them again.

`python -m tests.inference.recorded` writes them anew, for a change that is meant to move them.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.fitting import Method, no_absolute_scores
from app.inference.gaussian import Scores
from app.inference.targets import publish_for, quantity_of
from app.inference.types import Comparisons, Ints, once_each

FILE = Path(__file__).with_suffix(".json")
DIGITS = 11

KINDS = ("votes", "ties", "probabilities", "rounded", "repeats", "three judges", "prompts")
ONE_VOTE, LEARNT = Method(), Method(verdict_weight="learnt")
METHODS = {
    "one vote": ONE_VOTE,
    "learnt": LEARNT,
    "biases": LEARNT._replace(position_bias="estimate"),
    "auto": LEARNT._replace(position_bias="auto"),
    "wide": ONE_VOTE._replace(prior_variance=16.0, position_bias="estimate"),
    "hard-bt": Method("hard-bt"),
    "gaussian": Method("gaussian"),
    "logit-gaussian": Method("logit-gaussian"),
    "laplace": Method("laplace"),
}
SIZES = ((5, tuple(METHODS)), (16, tuple(METHODS)), (60, ("learnt", "auto", "wide")), (200, ("learnt", "one vote")))


class Log(NamedTuple):
    answers: Comparisons
    item: Ints
    judges: int


def log_of(kind: str, n: int) -> Log:
    """Eight comparisons for each candidate, of random pairs."""
    rng, k = np.random.default_rng([n, KINDS.index(kind)]), 8 * n
    s, judges = rng.standard_normal(n), 3 if kind == "three judges" else 1
    first = rng.integers(min(n, 4) if kind == "repeats" else n, size=k)
    second = (first + 1 + rng.integers(min(n - 1, 2) if kind == "repeats" else n - 1, size=k)) % n
    judge, item = rng.integers(judges, size=k), rng.integers(12, size=k) if kind == "prompts" else np.zeros(k, np.int64)
    lean = np.array([0.0, 1.0, -0.5])[judge]
    d = s[first] - s[second] + lean + rng.standard_normal((12, n))[item, first] * (kind == "prompts")
    drawn = (rng.random(k) < expit(1.5 * d)).astype(float)
    p = expit(d + 0.5 * rng.standard_normal(k))
    p = np.where(judge == 1, p, drawn) if kind == "three judges" else p
    of_kind = {
        "probabilities": p, "three judges": p, "rounded": np.round(expit(8.0 * d), 3),
        "ties": np.where(np.abs(d) < 0.3, 0.5, drawn),
    }  # fmt: skip
    return Log(once_each(first, second, of_kind.get(kind, drawn), judge), item, judges)


def cases() -> Iterator[tuple[str, str, int]]:
    """Name of the method, kind of the log and number of candidates."""
    for n, names in SIZES:
        for name in names:
            yield from ((name, kind, n) for kind in KINDS)


def published(name: str, kind: str, n: int) -> dict[str, list[float]]:
    """Everything that is computed without draws."""
    answers, item, judges = log_of(kind, n)
    latent = publish_for("latent", answers, item, no_absolute_scores(), METHODS[name], n, judges)
    mean, covariance = latent.scores.mean, latent.scores.covariance.matrix()
    columns = {"mean": mean, "sd": np.sqrt(covariance.diagonal()), "first_row": covariance[0]}
    columns["biases"] = latent.posterior.mean[n:]
    if latent.learnt is not None:
        columns["learnt"] = np.array([latent.learnt.scale, *np.ravel(latent.learnt[1:])])
    if kind == "prompts" and name in ("learnt", "auto"):
        posterior = publish_for("new-items", answers, item, no_absolute_scores(), METHODS[name], n, judges)
        has, people = np.ones((12, n), np.bool_), np.zeros(judges, np.bool_)
        on_new_items = quantity_of("new-items", posterior, answers, item, has, people)
        assert isinstance(on_new_items, Scores)
        columns["new_items"] = on_new_items.mean
        columns["sd_on_new_items"] = np.sqrt(on_new_items.covariance.matrix().diagonal())
    return {column: [float(f"{value:.{DIGITS}g}") for value in values] for column, values in columns.items()}


if __name__ == "__main__":
    lines = [f"{json.dumps('/'.join(map(str, case)))}: {json.dumps(published(*case))}" for case in cases()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    sys.stdout.write(f"{FILE.name}: {len(lines)} posteriors\n")
