"""The scores that people would give, where judges that are no people have effects of their own (methods 14; ours).

    y = s_first - s_second + a_j,first - a_j,second + delta_j + e      e of judge j's own noise
    s_i ~ N(0, tau2)      a_ji ~ N(0, omega_j^2) of a judge      a = 0 of people, who anchor s

It is the model of consensus.py, with people as one voice without effects. More answers of a judge cure its noise and
leave its effects: it tells at most 1 / omega_j^2 of any direction of s. Nothing is plugged in that a few answers leave
open. Over eta = (ln tau2, ln(omega_j^2 / tau2) of each judge, ln sigma2_v of each voice that measures)

    p(s | log) = sum_g w_g N(mu_g, Sigma_g)      mu_g, Sigma_g = (Q + sum_v M_v)^-1 given eta_g (consensus.py)
    w_g ~ p(eta_g | log) / q(eta_g)              q normal, around the mode and with the curvature of p(eta | log)
    ln p(eta | log) = ln p(log, theta) - ln(det of its precision / det of the prior's) / 2 + ln prior + constant

by Laplace in theta = (s, a, delta), which is exact for measurements. It finds the mode and the curvature; with votes it
makes tau2 too small, so that mu_g, Sigma_g and p(eta_g | log) are by expectation propagation there
(fitting/evidence.py). Weights of votes move with theta, and theta with eta, so that the determinant moves in two
ways. Its slope has theta' = theta - x, twice as far as the posterior's mean is from its mode. With H the precision of
theta, d = R theta, var d = R H^-1 R^T, G_v how many measurements v has, P_v = M_v - M_v Sigma M_v

    H x = R^T (var d dw/dd)                                                    0 where nobody votes
    ln tau2        ((s . s' + tr Sigma) / tau2 - N) / 2
    ln omega_v^2   (a_v . a_v' / omega_v^2 - omega_v^2 tr P_v) / 2
    ln sigma2_v    (sum of w ((y - d) (y - d') + var d) over v's measurements - G_v) / 2
    var d          of t_v + delta_v: A Sigma A + omega_v^2 A of t_v, A = I - omega_v^2 M_v; delta_v given t_v is reduced

Nothing tells the effects of a judge alone from its scores: its omega^2 / tau2 keeps the prior, USUAL_EFFECTS or what
the sets of a pool tell (`effects_apart`, `pool_effects`).

    eta, its prior      Voices.prior; in units of its sd from its mean, z       (D,)
    M_v                 consensus.reduce, Reduced.of_scores: what a voice tells; the choice of judges can read it
    mu_g, Sigma_g, w_g  Scores.parts
"""

from collections.abc import Mapping

import numpy as np

from app.inference.core.maximum import maximum
from app.inference.fitting.measurements import Normal
from app.inference.fitting.published import Published
from app.inference.gaussian import Scores, mixed
from app.inference.targets.voices import Point, Voices, at, true_to_votes, voices_of
from app.inference.types import Bools, Floats

SEED = 0  # of the points: the same log gives the same posterior
POINTS = 64
WIDER = 1.3  # variance of q for that of the curvature
NEGLIGIBLE = 1e-3  # weight of a point, relative to the largest
STEP = 1e-3  # of differences, in prior sds
NEAR = 1e-9  # decrement at the mode
FARTHEST = 5.0  # prior sds of eta: beyond, matrices are not factored exactly
LONGEST = 1.0  # step, in prior sds
FLATTEST = 0.5  # curvature of p(eta | log), for that of the prior


def of_people(published: Published, people: Bools, log_effects: Mapping[int, Normal]) -> Scores:
    """The posterior of the scores that people would give; the latent one where people alone have judged.

    Args:
        published: of a smooth expert.
        people: (J,) tells who they are.
        log_effects: what is known of ln(omega^2 / tau2), by the judges' numbers; USUAL_EFFECTS of all others.

    Raises ValueError for more than RANKED_DENSE candidates or MOST_EFFECTS effects, and numpy.linalg.LinAlgError.
    """
    if people[published.answers.judge].all():
        return published.scores
    voices = voices_of(published, people, log_effects)
    weight, points, _ = integrated(voices)
    return mixed([(w, point.scores) for w, point in zip(weight.tolist(), points, strict=True)])


def integrated(voices: Voices) -> tuple[Floats, list[Point], Floats]:
    """Weights (G,), which sum to 1, points, and their z (G, D), that stand for p(eta | log)."""
    from scipy.stats.qmc import MultivariateNormalQMC  # slow to load, and few need it

    mode, spread, start = mode_of(voices)
    drawn = np.sqrt(WIDER) * MultivariateNormalQMC(np.zeros(len(mode)), rng=np.random.default_rng(SEED)).random(POINTS)
    drawn = drawn[:, mode.argsort().argsort()]  # whatever the order of judges
    z = np.clip(mode + drawn @ spread, -FARTHEST, FARTHEST)
    points = [true_to_votes(at(each, start, voices), voices) for each in z]
    log_weight = np.array([point.log_density for point in points]) + 0.5 / WIDER * (drawn**2).sum(axis=1)
    weight = np.exp(log_weight - log_weight.max())
    kept = np.flatnonzero(weight > NEGLIGIBLE)
    return weight[kept] / weight[kept].sum(), [points[g] for g in kept], z[kept]


def mode_of(voices: Voices) -> tuple[Floats, Floats, Floats]:
    """z (D,) where ln p(eta | log) is greatest, the symmetric root of its covariance by the curvature there, theta."""
    count = len(voices.judges) + 1
    theta = np.zeros(voices.model.n + count * voices.model.n + count)

    def slope(z: Floats) -> Floats:
        within = np.clip(z, -FARTHEST, FARTHEST)
        return at(within, theta, voices).slope - (z - within)

    def slope_and_curvature(z: Floats) -> tuple[Floats, Floats]:
        at_z = slope(z)
        curvature = np.array([at_z - slope(z + step) for step in STEP * np.eye(len(z))]) / STEP
        return at_z, 0.5 * (curvature + curvature.T)

    mode, curvature, _ = maximum(slope_and_curvature, _uphill, np.zeros(len(voices.prior)), NEAR)
    eigenvalues, vectors = _bent(curvature)
    mode = np.clip(mode, -FARTHEST, FARTHEST)
    return mode, np.asarray(vectors / np.sqrt(eigenvalues) @ vectors.T), at(mode, theta, voices).theta


def _uphill(curvature: Floats, slope: Floats) -> Floats:
    """Newton's step, at most LONGEST along an axis of the curvature."""
    eigenvalues, vectors = _bent(curvature)
    return np.asarray(vectors @ np.clip(vectors.T @ slope / eigenvalues, -LONGEST, LONGEST))


def _bent(curvature: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues, FLATTEST or more, and vectors."""
    eigenvalues, vectors = np.linalg.eigh(curvature)
    return np.maximum(eigenvalues, FLATTEST), vectors
