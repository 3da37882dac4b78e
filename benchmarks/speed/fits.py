"""Scores from a log, to the same optimum where a peer has the same objective; its gradient says how near it came."""

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.optimize import minimize

from app.inference.fitting import Method, build, posterior
from app.inference.fitting.model import edges_of
from app.inference.types import Comparisons, Floats
from benchmarks.speed.machine import ROOT
from benchmarks.speed.measuring import Extent, Row, medians
from benchmarks.speed.problem import gradient, hessian_times, loss, simulated_log, winners

PEERS_PYTHON = ROOT / ".venv-peers" / "bin" / "python"
PATIENCE = 60  # seconds for a peer, from its start on
MANY = 10_000  # more than this is left to those who minimise the same in numpy
WHAT = "scores from a log"


class Peer(NamedTuple):
    """A package, and what it fits."""

    name: str
    is_soft: bool  # takes p; otherwise winners drawn by p
    precision: float | None  # of the prior; 0 where it has none, None where it follows a rule of its own
    note: str


PEERS = (
    Peer("scikit-learn liblinear", True, 1.0, "p as two weighted rows"),
    Peer("scikit-learn newton-cg", True, 1.0, "p as two weighted rows"),
    Peer("scikit-learn lbfgs", True, 1.0, "p as two weighted rows"),
    Peer("choix opt", False, 1.0, "winners only"),
    Peer("choix I-LSR", False, None, "winners only, a prior of its own"),
    Peer("evalica", True, 0.0, "p as two weighted rows, no prior"),
    Peer("arena-rank", True, 0.0, "no prior"),
    Peer("openskill", False, None, "winners only, one pass"),
    Peer("trueskill", False, None, "winners only, one pass"),
)


def measure(extent: Extent) -> Iterator[Row]:
    for n in extent.sparse:
        log = simulated_log(n)
        ours = our_fit(n, log)
        yield from _beside_scipy(n, log, ours, extent.seconds)
        if extent.peers and n <= MANY:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "problem.npz"
                write_problem(path, n, log)
                for peer in PEERS:
                    (ms,) = medians(ours, seconds=0.25 * extent.seconds)
                    theirs, _, note = _ask(peer, path, log if peer.is_soft else winners(log), extent.seconds)
                    yield Row(WHAT, n, peer.name, ms, theirs, note)


def our_fit(n: int, log: Comparisons) -> Callable[[], Floats]:
    """Our fit, as sets and files have it."""
    model = build(Method(), n)
    return lambda: posterior.map_of(edges_of(log, model), model).theta


def _beside_scipy(n: int, log: Comparisons, ours: Callable[[], Floats], seconds: float) -> Iterator[Row]:
    def value(s: Floats) -> float:
        return loss(s, log, 1.0)

    def slope(s: Floats) -> Floats:
        return gradient(s, log, 1.0)

    def product(s: Floats, x: Floats) -> Floats:
        return hessian_times(s, x, log, 1.0)

    def minimised(method: Literal["L-BFGS-B", "Newton-CG"], **settings: Any) -> Floats:
        return np.asarray(minimize(value, start, method=method, jac=slope, **settings).x)

    start = np.zeros(n)
    lbfgs = partial(minimised, "L-BFGS-B", options={"gtol": 1e-9, "ftol": 0.0})
    newton_cg = partial(minimised, "Newton-CG", hessp=product, options={"xtol": 1e-9})
    for name, theirs in (("scipy L-BFGS-B", lbfgs), ("scipy Newton-CG", newton_cg)):
        our_ms, their_ms = medians(ours, theirs, seconds=seconds)
        norm, our_norm = (np.abs(slope(fit())).max() for fit in (theirs, ours))
        yield Row(WHAT, n, name, our_ms, their_ms, f"gradient {norm:.0e}, ours {our_norm:.0e}")


def write_problem(path: Path, n: int, log: Comparisons) -> None:
    np.savez(path, n=n, first=log.first, second=log.second, p=log.p, first_won=winners(log).p > 0.5)


def _ask(peer: Peer, problem: Path, log: Comparisons, seconds: float) -> tuple[float | None, float | None, str]:
    """Milliseconds, or None; the norm of its gradient, if it has one; and what there is to say of it."""
    if not PEERS_PYTHON.exists():
        return None, None, "not installed: make install-peers"
    command = [str(PEERS_PYTHON), "-m", "benchmarks.speed.peers", str(problem), peer.name, str(seconds)]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return None, None, f"{peer.note}; not within {PATIENCE} s"
    except subprocess.CalledProcessError as error:
        return None, None, f"{peer.note}; {error.stderr.strip().splitlines()[-1]}"
    answer = json.loads(done.stdout.splitlines()[-1])
    note, norm = peer.note, None
    if peer.precision is not None:
        norm = float(np.abs(gradient(np.array(answer["scores"]), log, peer.precision)).max())
        note += f"; gradient {norm:.0e}"
    return answer["ms"], norm, note + (f"; {answer['mb']:,.0f} MB" if answer["mb"] > 50 else "")
