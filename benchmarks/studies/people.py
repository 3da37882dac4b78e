"""Verdicts of people where models judge: `python -m benchmarks.studies.people` prints a table of judges.md.

By simulation: s_i ~ N(0, 1) is what people would say of N candidates. A model j sees s_i + a_ji, a_ji ~ N(0, omega^2);
its probabilities have logits with errors of sd NOISE, or it votes. People vote by s. Pairs are drawn at random.

After each BATCH the ranking is looked at, and "top 1" stops at the first P(best) of LEVEL or more: it is false if
another candidate is people's best. At the last look: the share of the 95% intervals of differences that hold, and what
P(best) of the leader is stated to be and is. Beside it, the same of the latent score, which takes models for people.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.fitting import Scores, no_absolute_scores, publish
from app.inference.fitting.people import of_people
from app.inference.reporting import Wanted, summary_of
from app.inference.types import Bools, Comparisons, Floats, once_each, take
from benchmarks.pages import show, with_error
from benchmarks.studies.running import of_runs, options
from benchmarks.studies.simulated import LEARNT, hard_verdicts
from benchmarks.studies.truth import differences_held

SEED = 20_267
N, COMPARISONS, BATCH = 16, 160, 20
NOISE, LEVEL = 0.7, 0.95


class PeopleSetting(NamedTuple):
    """Judges of a simulation."""

    effects: float  # omega
    models: int
    by_people: float  # share of the verdicts
    votes: bool = False


SETTINGS = (
    *(PeopleSetting(effects, models, share) for effects in (0.5, 1.0) for models in (1, 5) for share in (0.0, 0.25)),
    *(PeopleSetting(1.0, models, 0.0, votes=True) for models in (1, 5)),
)


class Seen(NamedTuple):
    """One run by one way of ranking."""

    differences_held: float
    stated: float
    right: bool
    stopped: bool
    false: bool


def main() -> None:
    runs = options(__doc__, runs=200).runs
    columns = ["differences held", "P(best) stated", "true", "stopped", "falsely"]
    rows = [row(each, np.array(of_runs(partial(run, each), runs))) for each in SETTINGS]
    show(["effects", "models", "verdicts by people", *columns], rows)


def row(setting: PeopleSetting, seen: Floats) -> list[str]:
    """`latent → people` in each cell, of runs (R, 2, 5)."""
    models = f"{setting.models}, votes" if setting.votes else f"{setting.models}"
    cells = [" → ".join(with_error(of_way, ".1%") for of_way in of_ways.T) for of_ways in np.moveaxis(seen, 2, 0)]
    return [f"{setting.effects:g}", models, f"{setting.by_people:.0%}", *cells]


def run(setting: PeopleSetting, number: int) -> list[Seen]:
    """Figures by the latent score, and by what people would say."""
    s, log, people = simulate(setting, np.random.default_rng([SEED, SETTINGS.index(setting), number]))
    looks = [look(take(log, slice(size)), people) for size in range(BATCH, COMPARISONS + 1, BATCH)]
    return [outcome([scores[way] for scores in looks], s) for way in (0, 1)]


def simulate(setting: PeopleSetting, rng: np.random.Generator) -> tuple[Floats, Comparisons, Bools]:
    """(N,) what people would say, verdicts, and who is a person: the last judge."""
    effects, models, by_people, votes = setting
    s = rng.standard_normal(N)
    t = np.vstack([s + effects * rng.standard_normal((models, N)), s])
    share = np.append(np.full(models, (1.0 - by_people) / models), by_people)
    judge, first = rng.choice(models + 1, COMPARISONS, p=share), rng.integers(N, size=COMPARISONS)
    second = (first + rng.integers(1, N, size=COMPARISONS)) % N
    people = np.arange(models + 1) == models
    d = t[judge, first] - t[judge, second]
    p = expit(d + NOISE * rng.standard_normal(COMPARISONS))
    vote = hard_verdicts(d, rng)
    return s, once_each(first, second, np.where(people[judge] | votes, vote, p), judge), people


def look(log: Comparisons, people: Bools) -> tuple[Scores, Scores]:
    published = publish(log, np.zeros(log.size, np.int64), no_absolute_scores(), LEARNT, N, len(people))
    return published.scores, of_people(published, people, {})


def outcome(looks: list[Scores], s: Floats) -> Seen:
    best = int(s.argmax())
    p_best = [summary_of(scores, Wanted())[0].p_best for scores in looks]
    stop = next((p for p in p_best if p.max() >= LEVEL), None)
    false = stop is not None and int(stop.argmax()) != best
    return Seen(
        differences_held(looks[-1], s),
        float(p_best[-1].max()),
        int(p_best[-1].argmax()) == best,
        stop is not None,
        false,
    )


if __name__ == "__main__":
    main()
