"""The scores on prompts to come: comparisons on one prompt share what is peculiar to it, so prompts are clusters.

Candidate i has the score s_i + u_im on prompt m. Over all prompts there could be, u_im has mean 0; the M prompts that
have comparisons are drawn from these. With l' the expert's slope, c the weight and r the row of the design of each
comparison, at the mode of the posterior (fitting/posterior.py):

    g_m = sum over the comparisons of prompt m of c l'(d) r          A = H^-1        Q the prior's precision
    V = A (M / (M - 1) sum_m g_m g_m^T + Q) A                        the cluster sandwich (Liang and Zeger 1986)
    E = C U max(Lambda - 1, 0) U^T C^T,   Sigma = C C^T,   V = C U Lambda U^T C^T

Sigma and V are of the scores, biases of judges integrated out. E is what V has beyond the posterior's Sigma: V itself
decides only in those directions in which prompts make the scores less certain. It is an error of what the comparisons
tell, not of the prior. With J = Sigma^-1 - Q and h = Sigma^-1 mean - pull, what they tell as if prompts were alike, and
D = Sigma^-1 E Sigma^-1 / x, x ~ chi2_{M-1} / (M - 1), on prompts to come the scores are

    N(mean*, Sigma*),   Sigma* = (Q + J (J + D)^-1 J)^-1,   mean* = Sigma* (pull + J (J + D)^-1 h)

for each part of the posterior, if it is a mixture, and each x of Gauss and Laguerre: about s + e with e ~ t(0, E) of
M - 1 degrees of freedom where there are many comparisons, and the posterior itself where E is 0.

How much of the variance more comparisons on the same prompts would leave follows from omega2, the variance of u, by
moments: residuals of two pairs k, l of one prompt are alike as far as these share candidates. Let g_k and w_k be the
sums of c l'(d) and of w over the comparisons of a pair on a prompt, and H_m = sum w_k r_k r_k^T, without biases. Then,
over pairs k != l of a prompt,

    omega2 = M / (M - 1) sum g_k g_l (r_k . r_l) / sum w_k w_l (r_k . r_l)^2, at least 0
           = M / (M - 1) (sum_m |g_m|^2 - 2 sum_k g_k^2) / (sum_m |H_m|^2 - 4 sum_k w_k^2)

    M prompts, endless comparisons on them      omega2 / M I, t with M - 1 degrees
    f M prompts with as many on each            f J (J + D)^-1 for J (J + D)^-1, x of f M - 1 degrees
"""

from collections.abc import Callable
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from scipy.special import roots_genlaguerre

from app.inference.fitting import Effect, Published, Scores, effects_of
from app.inference.fitting.model import Prior, design_of
from app.inference.gaussian import mixed, plain
from app.inference.types import Floats, Ints
from app.inference.verdicts import firsts, numbered, pair_numbers

NODES = 5
MOST_FREEDOM = 300.0  # degrees beyond which a t is as good as normal
ROUNDING = 1e-9  # of the precision, in directions of which nothing is known
MOST = 100  # times as many prompts that are looked at


class PromptsNeeded(NamedTuple):
    """Prompts that would bring a figure of the ranking to a level, if the scores stay where they are."""

    prompts: int  # M
    share: float | None  # of the variance of differences that more comparisons on these prompts leave; None: unknown
    needed: int | None  # prompts in all, with as many comparisons each; None: not within MOST times M
    comparisons_suffice: bool | None  # endless comparisons on these prompts reach the level; None: unknown


class _Clusters(NamedTuple):
    """A posterior and what the prompts add to it."""

    scores: Scores
    excess: Floats  # (N, N) E
    prompts: int  # M
    prior: Prior


def on_new_items(published: Published, item: Ints, d: Floats | None = None) -> Scores:
    """The scores on prompts like those that have comparisons; `item` (K,) is the prompt of each comparison.

    Args: `d` (K,) are the differences from which prompts depart, those of the mode by default.

    Raises ValueError with fewer than two prompts, TooMany where the covariance is no matrix.
    """
    return _scores(_clusters(published, item, d), 1.0)


def effects_on_new_items(published: Published, item: Ints) -> list[Effect]:
    """The effects of covariates on new prompts: those of the posterior with a covariance of Sigma + E.

    Errors as `on_new_items`.
    """
    sigma = published.posterior.covariance.matrix()
    return effects_of(published, sigma + _beyond(_sandwich(published, *prompts_of(item)), sigma))


def prompts_needed(published: Published, item: Ints, figure: Callable[[Scores], float], level: float) -> PromptsNeeded:
    """Number of prompts in all that bring `figure`, such as P(best) of the leader, to `level`, and what else might.

    `figure` has to grow with confidence. Errors as `on_new_items`.
    """
    clusters, omega2 = _clusters(published, item), variance_of_effects(published, item)
    return PromptsNeeded(
        clusters.prompts,
        None if omega2 is None else _share_left(clusters, omega2),
        _fewest(clusters, lambda scores: figure(scores) >= level),
        None if omega2 is None else figure(_same_prompts(clusters, omega2)) >= level,
    )


def variance_of_effects(published: Published, item: Ints, d: Floats | None = None, groups: int = 1) -> float | None:
    """omega2; None where no prompt has two pairs that share a candidate.

    Args: `d` (K,) are the differences without effects, those of the mode by default; where each of several groups of
        prompts, fewer than M, has scores of its own there, M / (M - groups) replaces M / (M - 1).
    """
    prompt, prompts = prompts_of(item)
    comparisons, model = published.comparisons, published.model
    slope, weight = slopes(published, _at_mode(published) if d is None else d)
    low, high = np.minimum(comparisons.first, comparisons.second), np.maximum(comparisons.first, comparisons.second)
    pair = numbered(prompt, pair_numbers(comparisons, model.n))
    once = firsts(pair)
    g = np.bincount(pair, np.where(comparisons.first == low, slope, -slope))
    w = np.bincount(pair, weight)
    low, high, prompt = low[once], high[once], prompt[once]
    at_low, at_high = prompt * model.n + low, prompt * model.n + high
    size = prompts * model.n
    pull = np.bincount(at_low, g, size) - np.bincount(at_high, g, size)
    information = np.bincount(at_low, w, size) + np.bincount(at_high, w, size)
    alike = float((information**2).sum() - 2.0 * (w**2).sum())
    if alike <= 1e-9 * float((w**2).sum()):
        return None
    together = float((pull**2).sum() - 2.0 * (g**2).sum())
    return max(together / alike * prompts / (prompts - groups), 0.0)


def _clusters(published: Published, item: Ints, d: Floats | None = None) -> _Clusters:
    prompt, prompts = prompts_of(item)
    n, prior = published.model.n, published.model.prior
    sandwich = _sandwich(published, prompt, prompts, d)[:n, :n]
    excess = _beyond(sandwich, published.scores.covariance.matrix())
    return _Clusters(published.scores, excess, prompts, prior)


def _sandwich(published: Published, prompt: Ints, prompts: int, d: Floats | None = None) -> Floats:
    """(P, P) V of all parameters."""
    sigma, pulls = published.posterior.covariance.matrix(), _pulls(published, prompt, prompts, d)
    between = prompts / (prompts - 1) * pulls.T @ pulls + np.diag(published.model.prior.precision)
    return np.asarray(sigma @ between @ sigma)


def prompts_of(item: Ints) -> tuple[Ints, int]:
    """(K,) numbers of the prompts without gaps, and M. Raises ValueError."""
    used, prompt = np.unique(item, return_inverse=True)
    if len(used) < 2:
        raise ValueError(
            f"new prompts: at least 2 prompts need comparisons to say anything of others; {len(used)} has any"
        )
    return np.asarray(prompt, np.int64), len(used)


def slopes(published: Published, d: Floats) -> tuple[Floats, Floats]:
    """c l'(d) and w (K,)."""
    comparisons, expert = published.comparisons, published.model.expert
    return comparisons.weight * expert.slope(d, comparisons.p), comparisons.weight * expert.curvature(d, comparisons.p)


def _at_mode(published: Published) -> Floats:
    """d (K,)."""
    return design_of(published.comparisons, published.model).differences(published.posterior.mean)


def _pulls(published: Published, prompt: Ints, prompts: int, d: Floats | None = None) -> Floats:
    """(M, P) g_m. Slow formula: `Design.scatter` of the slopes of each prompt's comparisons."""
    comparisons, model = published.comparisons, published.model
    slope, _ = slopes(published, _at_mode(published) if d is None else d)
    row, size = prompt * model.size, prompts * model.size
    total = np.bincount(row + comparisons.first, slope, size) - np.bincount(row + comparisons.second, slope, size)
    if model.has_biases:
        total += np.bincount(row + model.n + comparisons.judge, slope, size)
    for place, x in enumerate(model.covariates.values.T if model.covariates else (), model.biases_end):
        total += np.bincount(row + place, slope * x, size)
    return np.asarray(total.reshape(prompts, model.size), np.float64)


def _beyond(sandwich: Floats, sigma: Floats) -> Floats:
    """E, of the shape of both."""
    root = np.linalg.cholesky(sigma)
    half = np.linalg.solve(root, sandwich)
    values, vectors = np.linalg.eigh(np.linalg.solve(root, half.T))
    beyond = root @ (vectors * np.sqrt(np.maximum(values - 1.0, 0.0)))
    return np.asarray(beyond @ beyond.T)


def _scores(clusters: _Clusters, times: float) -> Scores:
    """The scores on new prompts, had there been so many times as many prompts."""
    posterior, excess, prompts, prior = clusters
    return mixed(
        [
            (
                weight * share,
                _with_excess(part if times == 1.0 else part._replace(votes=None), excess / x, prior, times),
            )
            for weight, part in posterior.parts or ((1.0, posterior),)
            for x, share in _nodes(times * prompts - 1.0)
        ]
    )


def _with_excess(part: Scores, excess: Floats, prior: Prior, times: float) -> Scores:
    """N(mean*, Sigma*) of one part of the posterior. Args: `excess` (N, N) is E / x."""
    n, scale = len(part.mean), prior.variance if part.scale is None else part.scale
    q = prior.precision[:n] if part.scale is None else np.full(n, 1.0 / scale)
    pull, precision = prior.pull[:n], np.linalg.inv(part.covariance.matrix())
    values, vectors = np.linalg.eigh(precision - np.diag(q))  # of what comparisons tell, in every direction
    known = values > ROUNDING * values.max(initial=0.0)
    root, inverse = (vectors[:, known] * values[known] ** power for power in (0.5, -0.5))
    beyond = inverse.T @ precision @ excess @ precision @ inverse
    share = times * root @ np.linalg.inv(np.eye(int(known.sum())) + 0.5 * (beyond + beyond.T))
    sigma = np.linalg.inv(np.diag(q) + share @ root.T)
    mean = sigma @ (pull + share @ inverse.T @ (precision @ part.mean - pull))
    sigma = 0.5 * (sigma + sigma.T)
    return Scores(mean, plain(sigma), scale=scale, votes=part.votes)


def _nodes(freedom: float) -> list[tuple[float, float]]:
    """Values x of chi2 / freedom, and the share of each."""
    freedom = min(freedom, MOST_FREEDOM)
    x, share = roots_genlaguerre(NODES, 0.5 * freedom - 1.0)
    return list(zip(2.0 * x / freedom, share / share.sum(), strict=True))


def _same_prompts(clusters: _Clusters, omega2: float) -> Scores:
    """The scores after endless comparisons on the present prompts."""
    mean, n = clusters.scores.mean, len(clusters.scores.mean)
    variance = max(omega2 / clusters.prompts, np.finfo(np.float64).tiny)
    return mixed(
        [
            (share, Scores(mean, plain(np.eye(n) * variance / x, n * float(np.log(variance / x)))))
            for x, share in _nodes(clusters.prompts - 1.0)
        ]
    )


def _share_left(clusters: _Clusters, omega2: float) -> float:
    """Share of the mean variance of differences that endless comparisons on the present prompts leave; at most 1."""
    sigma = clusters.scores.covariance.matrix() + clusters.excess
    n = len(sigma)
    of_differences = 2.0 * (np.trace(sigma) - sigma.sum() / n) / (n - 1)
    return min(2.0 * omega2 / clusters.prompts / float(of_differences), 1.0)


def _fewest(clusters: _Clusters, reached: Callable[[Scores], bool]) -> int | None:
    """Prompts in all, the present ones at least, with which a figure that grows with them is reached, within 5%.

    More prompts than there are are tried on the likeliest part of the posterior alone.
    """
    low, high = clusters.prompts, MOST * clusters.prompts
    if reached(_scores(clusters, 1.0)):
        return low
    if parts := clusters.scores.parts:
        clusters = clusters._replace(scores=max(parts, key=itemgetter(0))[1])
    if not reached(_scores(clusters, float(MOST))):
        return None
    while high - low > max(low // 20, 1):
        middle = round((low * high) ** 0.5) if high > 2 * low else (low + high) // 2
        low, high = (low, middle) if reached(_scores(clusters, middle / clusters.prompts)) else (middle, high)
    return high
