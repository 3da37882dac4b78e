"""Do forecasts of stops on all pairs come true? `python -m benchmarks.studies.round_forecasts` (uncertainty.md).

The sets of `all_pairs`, asked one pair at a time until they stop, at a moment drawn uniformly before that:

    ratio    comparisons forecast (median) over those that it then took, the geometric mean over sets
    held     how often the interval of 80% has what it took
"""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from app.inference.choosing import RANKING, Criterion, Forecast, Goal, Left, Stop
from app.inference.state import check, distance, exact
from benchmarks.studies.all_pairs import RoundWorld, campaign, further
from benchmarks.studies.methods.markdown import table

FIRST_RUN = 2_000  # of the seeds; those from 1,000 on were fitted to
FEWEST = 2  # comparisons
JUDGES = (("votes", 0.0), ("votes", 0.5), ("probabilities", 0.5))


class StudiedStop(NamedTuple):
    stop: Stop
    goal: Goal


RULES = {
    "top 1": StudiedStop(Stop(goal=0.95), Goal(top_k=1)),
    "top 3": StudiedStop(Stop(goal=0.95), Goal(top_k=3)),
    "against": StudiedStop(Stop(goal=0.95), Goal(against=0)),
    "concordance": StudiedStop(Stop(concordance=0.95), RANKING),
}


def main() -> None:
    parser = ArgumentParser("python -m benchmarks.studies.round_forecasts", description=__doc__)
    parser.add_argument("--runs", type=int, default=40, help="sets of every judge")
    parser.add_argument("--candidates", type=int, nargs="+", default=[12, 16, 24])
    parser.add_argument("--rules", nargs="+", choices=RULES, default=list(RULES))
    chosen = parser.parse_args()
    columns = ["stop", "judge", "errors", "N", "sets", "took, mean", "ratio", "held, %"]
    print(table(columns, rows(chosen.rules, chosen.candidates, chosen.runs)))


def rows(rules: Sequence[str], candidates: Sequence[int], runs: int) -> Iterator[Sequence[str]]:
    for rule, n, (judge, errors) in product(rules, candidates, JUDGES):
        read = [one_set(RoundWorld(judge, errors, n), RULES[rule], FIRST_RUN + number) for number in range(runs)]
        known = [(forecast, took) for forecast, took in filter(None, read) if forecast.low is not None]
        ratio = np.exp(np.mean([np.log((forecast.median or np.inf) / took) for forecast, took in known]))
        share_held = np.mean([(forecast.low or 0) <= took <= (forecast.high or np.inf) for forecast, took in known])
        took = np.mean([took for _, took in known])
        yield (
            rule,
            judge,
            f"{errors:g}",
            str(n),
            str(len(known)),
            f"{took:.1f}",
            f"{ratio:.2f}",
            f"{100.0 * share_held:.0f}",
        )


def one_set(world: RoundWorld, rule: StudiedStop, number: int) -> tuple[Forecast, int] | None:
    """Forecast at some moment, and what it then took; None where it stops at once, or never does."""
    of, snapshot = campaign(world, Criterion.KNOWLEDGE, number)
    of = of._replace(plan=of.plan._replace(goal=rule.goal))
    snapshots = [snapshot]
    while not (checked := check(snapshots[-1], *rule, of.sought)).reason:
        if snapshots[-1].version == of.pairs:
            return None
        snapshots.append(further(of, snapshots[-1], checked=checked))
    end = snapshots[-1].version
    if end <= FEWEST:
        return None
    at = snapshots[int(np.random.default_rng([number, world.n]).integers(FEWEST, end))]
    left = Left(of.pairs - at.version, of.pairs - at.version)
    return distance(at, exact(at, target="all-pairs"), *rule, left, of.sought).forecast, end - at.version


if __name__ == "__main__":
    main()
