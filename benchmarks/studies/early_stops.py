"""False winners: how often is one named when every verdict is looked at? `python -m benchmarks.studies.early_stops`.

Hard verdicts from the model, and every pair stays open. Two rules look at the same verdicts, after each of them:

    ours      stopping: the Bayes factor against s_i = s_j is at least c / alpha for each of c = k (N - k) pairs
    naive     Phi(m / sqrt(v)) >= 1 - alpha for each of the same pairs, as one would read it off a single look

the pairs being those of the k leaders with the rest, alpha = 5%. Where the k-th and the next are equal every stop is
false. The same for stopping at a rank width of N / 2. Behind that width are N (N - 1) / 2 claims "i is surely above j";
also counted are runs in which, at any look, one of them is false, and runs in which a rank interval made from them
holds no rank that its candidate may have.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, product
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import binomtest

from app.inference.choosing.forecasting import distance_to_stop
from app.inference.choosing.selection import Criterion, Policy
from app.inference.choosing.stopping import Stop, log_factor, rank_bounds, reason, separated
from app.inference.fitting.model import Method, Model, build
from app.inference.fitting.posterior import scores
from app.inference.gaussian import Scores
from app.inference.types import Bools, Floats, Ints
from benchmarks.studies import stops
from benchmarks.studies.coverage import hard_verdicts, judged_batches, table_head

SEED = 20_261
ALPHA = 0.05
EVERY = 25  # how often the naive rule is looked at by someone who looks less often
WAYS = (0.25, 0.5, 0.75)  # of the comparisons that it took: where forecasts are read
COURSES = 200  # of stops.py, for each of its rows
QUICK = 50  # times fewer runs
THIRD_TIED = np.array([1.0, 0.8, 0.5, 0.5, 0.2, 0.0, -0.5, -1.0])
ONE_AHEAD = np.concatenate([[1.5], np.linspace(0.5, -1.5, 7)])


class Scenario(NamedTuple):
    """True scores, who are looked for, and how long."""

    name: str
    truth: Callable[[np.random.Generator], Floats]
    runs: int
    top_k: int = 1
    votes: int = 300


class Stopped(NamedTuple):
    """The first stop of a rule, in comparisons, and whether what it claimed is false; None where it never did."""

    at: int | None
    false: bool


class Run(NamedTuple):
    """One run: where each rule stopped, and what was false."""

    ours: Stopped
    naive: Stopped
    naive_seldom: Stopped
    naive_once: Stopped  # looked at after the last comparison only
    width: Stopped
    order_false: bool  # at any look
    ranks_false: bool
    forecast: tuple[float, ...]  # over what it took, at each of WAYS; inf where none was made


class Look(NamedTuple):
    """Rules that would stop at a verdict, and claims that would be false."""

    ours: bool
    naive: bool
    width: bool
    top_false: bool  # were it claimed now
    order_false: bool
    ranks_false: bool


def two_tied(rng: np.random.Generator) -> Floats:
    return np.concatenate([[1.0], np.linspace(1.0, -1.0, 7)])


def two_tied_drawn(rng: np.random.Generator) -> Floats:
    drawn = np.sort(rng.standard_normal(8))
    drawn[-2] = drawn[-1]
    return drawn


TIED = (
    Scenario("two tied at 1, six below, to -1", two_tied, 1000),
    Scenario("from N(0, 1), the best two made equal", two_tied_drawn, 200),
    Scenario("all eight tied", lambda rng: np.zeros(8), 200),
    Scenario("two tied at 3, six below, to -3", lambda rng: 3.0 * two_tied(rng), 200),
    Scenario("top 3, the third and fourth tied", lambda rng: THIRD_TIED, 200, top_k=3),
    Scenario("eight within 0.01", lambda rng: np.linspace(0.01, 0.0, 8), 200),
    Scenario("twenty within 0.01, 1000 verdicts", lambda rng: np.linspace(0.01, 0.0, 20), 50, votes=1000),
)
AHEAD = Scenario("one at 1.5, seven from 0.5 to -1.5", lambda rng: ONE_AHEAD, 200, votes=1000)


def main() -> None:
    parser = ArgumentParser(prog="python -m benchmarks.studies.early_stops")
    parser.add_argument("--quick", action="store_true", help="a fiftieth of the runs, to see that it works")
    fewer = QUICK if parser.parse_args().quick else 1
    print(tied_heading())
    for scenario, criterion in product(TIED, Criterion):
        print(tied_row(scenario, criterion, list(measure(scenario, criterion, scenario.runs // fewer))), flush=True)
    print(ahead_heading())
    for criterion in Criterion:
        print(ahead_row(criterion, list(measure(AHEAD, criterion, AHEAD.runs // fewer))), flush=True)
    print(stops.heading())
    for row in stops.rows(COURSES // fewer):
        print(row, flush=True)


def measure(scenario: Scenario, criterion: Criterion, runs: int) -> Iterable[Run]:
    key = [SEED, [*TIED, AHEAD].index(scenario), list(Criterion).index(criterion)]
    for number in range(runs):
        yield one_run(scenario, criterion, np.random.default_rng([*key, number]))
        print(f"\r{scenario.name}, {criterion} {number + 1}/{runs}", end=" ", file=sys.stderr)
    print(file=sys.stderr)


def one_run(scenario: Scenario, criterion: Criterion, rng: np.random.Generator) -> Run:
    """Go on to the last of `scenario.votes`, whoever has stopped: the rules see the same verdicts."""
    truth, k = rng.permutation(scenario.truth(rng)), scenario.top_k
    model, looks, forecasts = build(Method(), len(truth)), list[Look](), list[int | None]()
    states = judged_batches(truth, hard_verdicts, model, Policy(criterion), rng, repeats=True)
    for live, log in islice(states, scenario.votes):
        marginal = scores(live, log, model)
        looks.append(look(marginal, model, truth, k))
        if scenario is AHEAD:
            forecasts.append(
                distance_to_stop(marginal, model, log.size, Stop(top_k=k, error_level=ALPHA)).forecast.median
            )
    naive, top_false = [each.naive for each in looks], [each.top_false for each in looks]
    ours = first_stop([each.ours for each in looks], top_false)
    return Run(
        ours,
        first_stop(naive, top_false),
        first_stop(naive, top_false, EVERY),
        first_stop(naive, top_false, scenario.votes),
        first_stop([each.width for each in looks], [each.ranks_false for each in looks]),
        any(each.order_false for each in looks),
        any(each.ranks_false for each in looks),
        over_actual(forecasts, ours.at),
    )


def look(posterior: Scores, model: Model, truth: Floats, k: int) -> Look:
    n, top = model.n, np.argsort(-posterior.mean, kind="stable")
    m, v = differences(posterior)
    cross = np.ix_(top[:k], top[k:])
    surely_above = separated(log_factor(m, v, prior_variances(model)), n * (n - 1) // 2, ALPHA) & (m > 0.0)
    return Look(
        reason(posterior, model, Stop(top_k=k, error_level=ALPHA)) is not None,
        bool((m[cross] >= float(ndtri(1.0 - ALPHA)) * np.sqrt(v[cross])).all()),
        reason(posterior, model, Stop(rank_width=n // 2, error_level=ALPHA)) is not None,
        bool(truth[top[:k]].min() <= truth[top[k:]].max()),
        bool((surely_above & (truth[:, None] <= truth)).any()),
        not are_possible(rank_bounds(surely_above), truth),
    )


def differences(posterior: Scores) -> tuple[Floats, Floats]:
    """(N, N) mean and variance of s_i - s_j; the diagonal's variance is 1."""
    mean, sigma = posterior.mean, posterior.covariance.matrix()
    v = sigma.diagonal()[:, None] + sigma.diagonal() - 2.0 * sigma
    np.fill_diagonal(v, 1.0)
    return mean[:, None] - mean, v


def prior_variances(model: Model) -> Floats:
    """(N, N) of s_i - s_j before any comparison."""
    variances = 1.0 / model.prior.precision[: model.n]
    return np.asarray(variances[:, None] + variances)


def are_possible(bounds: Ints, truth: Floats) -> bool:
    """Tell whether each (N, 2) rank interval holds a rank that its candidate may have; equals share several."""
    above: Bools = truth[:, None] > truth
    best, worst = 1 + above.sum(axis=0), len(truth) - above.sum(axis=1)
    return bool(((bounds[:, 0] <= worst) & (best <= bounds[:, 1])).all())


def first_stop(stops: Sequence[bool], false: Sequence[bool], every: int = 1) -> Stopped:
    """Return the first stop of one who looks after each `every` comparisons."""
    for at in range(every, len(stops) + 1, every):
        if stops[at - 1]:
            return Stopped(at, false[at - 1])
    return Stopped(None, False)


def over_actual(forecasts: Sequence[int | None], stopped: int | None) -> tuple[float, ...]:
    """Comparisons forecast over those it took, at each of WAYS; empty where nobody stopped or nothing was forecast."""
    if stopped is None or not forecasts or stopped < 1.0 / WAYS[0]:
        return ()
    return tuple(_ratio(forecasts[int(way * stopped) - 1], stopped - int(way * stopped)) for way in WAYS)


def tied_heading() -> str:
    naive = "naive, at every verdict % | every 25 % | at the last %"
    widths = "width: stopped % | false % | order, any look % | ranks, any look %"
    return table_head(f"truth | selection | runs | ours % | {naive} | {widths}")


def tied_row(scenario: Scenario, criterion: Criterion, runs: Sequence[Run]) -> str:
    naive = ([each.naive for each in runs], [each.naive_seldom for each in runs], [each.naive_once for each in runs])
    cells = [scenario.name, criterion, f"{len(runs)}", share([run.ours.false for run in runs])]
    cells += [percent([stop.false for stop in stops]) for stops in naive]
    cells += [percent([run.width.at is not None for run in runs]), percent([run.width.false for run in runs])]
    cells += [share([run.order_false for run in runs]), share([run.ranks_false for run in runs])]
    return f"| {' | '.join(cells)} |"


def ahead_heading() -> str:
    rules = " | ".join(f"{rule}: stopped by 300 % | by 1000 % | false % | after" for rule in ("ours", "naive"))
    ways = " | ".join(f"forecast / actual at {way:.0%}" for way in WAYS)
    return table_head(f"selection | runs | {rules} | {ways}")


def ahead_row(criterion: Criterion, runs: Sequence[Run]) -> str:
    cells = [
        criterion,
        f"{len(runs)}",
        *stop_cells([run.ours for run in runs]),
        *stop_cells([run.naive for run in runs]),
    ]
    forecast = [run.forecast for run in runs if run.forecast]
    cells += [quartiles(ratios, 2) for ratios in zip(*forecast, strict=True)] if forecast else ["–"] * len(WAYS)
    return f"| {' | '.join(cells)} |"


def stop_cells(stopped: Sequence[Stopped]) -> list[str]:
    """Cells of a rule. In the quartiles who has not stopped stops after everyone else."""
    after = [np.inf if stop.at is None else float(stop.at) for stop in stopped]
    by = [percent([at <= votes for at in after]) for votes in (300, AHEAD.votes)]
    return [*by, share([stop.false for stop in stopped]), quartiles(after, 0)]


def percent(hits: Sequence[bool]) -> str:
    return f"{100.0 * np.mean(hits):.1f}"


def share(hits: Sequence[bool]) -> str:
    """Write a share in percent, with its exact 95% interval."""
    interval = binomtest(sum(hits), len(hits)).proportion_ci(0.95, "exact")
    return f"{percent(hits)} ({100.0 * interval.low:.1f} to {100.0 * interval.high:.1f})"


def quartiles(values: Sequence[float], digits: int) -> str:
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75), method="nearest")
    return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def _ratio(forecast: int | None, actual: int) -> float:
    return np.inf if forecast is None else forecast / actual


if __name__ == "__main__":
    main()
