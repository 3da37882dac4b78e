"""Ratios inside one run, medians after a warm-up: `python -m benchmarks.speed`."""

import asyncio
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import asyncpg
import numpy as np
from nextpair import Client
from nextpair.calls import create_set, next_pair, send_verdict
from nextpair.schemas import CandidateIn, SetIn, VerdictIn
from scipy.optimize import minimize
from scipy.special import expit

from app.inference.choosing.goals import RANKING, upper_triangle
from app.inference.choosing.selection import Criterion, Policy, equality, score, select
from app.inference.covariance import dense
from app.inference.fitting import newton, posterior
from app.inference.fitting.model import Method, Model, build, differences, scatter
from app.inference.fitting.posterior import Posterior
from app.inference.types import Bools, Comparisons, Floats, by_one_judge, take
from app.storage.embedded.launcher import EmbeddedPostgres
from benchmarks.speed.service import running


def main() -> None:
    for n in (128, 1056):
        model = build(Method(), n)
        log = simulated_log(n, 10 * n)
        compare_fits(log, model)
        compare_update(log, model)
        compare_selection(log, model)
    compare_round_trip()


def simulated_log(n: int, count: int) -> Comparisons:
    rng = np.random.default_rng(0)
    scores, first = rng.standard_normal(n), rng.integers(n, size=count)
    second = (first + rng.integers(1, n, size=count)) % n
    return by_one_judge(first, second, expit(scores[first] - scores[second]))


def compare_fits(log: Comparisons, model: Model) -> None:
    """Compare fits. Ours ends at a gradient below 1e-12; the others as low as they get, about 1e-8."""

    def loss(s: Floats) -> float:
        log_density = model.expert.log_density(differences(s, log, model), log.p)
        return float(0.5 * model.prior.precision @ s**2 - log_density.sum())

    def slope(s: Floats) -> Floats:
        return -newton.gradient(s, differences(s, log, model), log, model)

    def hessian_times(s: Floats, x: Floats) -> Floats:
        weighted = newton.weights(s, log, model) * differences(x, log, model)
        return model.prior.precision * x + scatter(weighted, log, model)

    start = np.zeros(model.n)
    ours = median_ms(lambda: newton.fit(log, model))
    lbfgs = median_ms(lambda: minimize(loss, start, method="L-BFGS-B", jac=slope, options={"gtol": 1e-9, "ftol": 0.0}))
    newton_cg = median_ms(
        lambda: minimize(loss, start, method="Newton-CG", jac=slope, hessp=hessian_times, options={"xtol": 1e-9})
    )
    report(f"N = {model.n}: scores from {len(log.p)} comparisons", ours, "scipy L-BFGS-B", lbfgs)
    report(f"N = {model.n}: scores from {len(log.p)} comparisons", ours, "scipy Newton-CG", newton_cg)


def compare_update(log: Comparisons, model: Model) -> None:
    before = posterior.fit(take(log, slice(-1)), model)
    updated = median_ms(lambda: posterior.update(before, log, model))
    refitted = median_ms(lambda: posterior.fit(log, model, start=before.mean))
    report(f"N = {model.n}: posterior after one more comparison", updated, "fitted and factored again", refitted)


def compare_selection(log: Comparisons, model: Model) -> None:
    fit, upper = posterior.fit(log, model), upper_triangle(model.n)
    for policy in map(Policy, Criterion):
        ours = median_ms(partial(_select, fit, model, upper, policy))
        theirs = median_ms(partial(_scan, fit, dense(fit.covariance), model, upper, policy))
        report(f"N = {model.n}: next pair by {policy.criterion}", ours, "numpy over all pairs", theirs)


def _select(fit: Posterior, model: Model, upper: Bools, policy: Policy) -> None:
    together, rng = np.zeros(model.n, np.int64), np.random.default_rng(0)
    select(fit.mean, fit.covariance, model, upper, together, policy, RANKING, 1, rng)


def _scan(fit: Posterior, sigma: Floats, model: Model, upper: Bools, policy: Policy) -> None:
    """Find the argmax alone: no ties, no explanation."""
    variances = sigma.diagonal()
    v = variances[:, None] + variances - 2.0 * sigma
    m = fit.mean[:, None] - fit.mean
    np.where(upper, score(policy, model, m, v, equality(fit.covariance)), -np.inf).argmax()


def compare_round_trip(candidates: int = 128, rounds: int = 200) -> None:
    with tempfile.TemporaryDirectory(prefix="nextpair-") as folder, running(Path(folder)) as service:
        commits = asyncio.run(two_commits_ms(Path(folder)))
        with Client(service.url) as client:
            entries = [CandidateIn(key=f"c{number}") for number in range(candidates)]
            set_id = client.send(create_set(SetIn(name="Speed", question="Which?", candidates=entries))).id

            def round_trip() -> None:
                (pair,) = client.send(next_pair(set_id, judge="fast")).assignments
                client.send(send_verdict(pair.id, VerdictIn(winner="first")))

            milliseconds = median_ms(round_trip, rounds)
    report(f"N = {candidates}: ask and tell through HTTP", milliseconds, "two commits of a row each", commits)


async def two_commits_ms(data_dir: Path, rounds: int = 200) -> float:
    postgres = EmbeddedPostgres(data_dir)
    connection = await asyncpg.connect(postgres.start().replace("+asyncpg", ""))
    await connection.execute("CREATE TABLE bare (id int)")
    times = []
    for number in range(rounds):
        start = time.perf_counter()
        for _ in ("ask", "tell"):
            await connection.execute("INSERT INTO bare VALUES ($1)", number)
        times.append(time.perf_counter() - start)
    await connection.close()
    postgres.stop()
    return 1e3 * float(np.median(times))


def median_ms(action: Callable[[], object], repeats: int = 15) -> float:
    action()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return 1e3 * float(np.median(times))


def report(ours: str, ms: float, theirs: str, their_ms: float) -> None:
    print(f"{ours:<58} {ms:8.3f} ms   {their_ms / ms:6.2f} x in {theirs}")


if __name__ == "__main__":
    main()
