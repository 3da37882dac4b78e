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

from app.inference.core.edges import Design
from app.inference.fitting import Effect, Published, Scores, effects_of
from app.inference.fitting.model import Prior, design_of
from app.inference.gaussian import mixed, plain
from app.inference.types import Floats, Ints
from app.inference.verdicts import numbered, pair_numbers

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


def on_new_items(published: Published, item: Ints, d: Floats | None = None) -> Scores:
    """The scores on prompts like those that have comparisons; `item` (K,) is the prompt of each comparison.

    Args: `d` (K,) are the differences from which prompts depart, those of the mode by default.

    Raises ValueError with fewer than two prompts, TooMany where the covariance is no matrix.
    """
    excess = _excess(published, item, published.scores.covariance.matrix(), d)
    return _scores(published.scores, published.model.prior, excess, prompts_of(item)[1])


def effects_on_new_items(published: Published, item: Ints) -> list[Effect]:
    """The effects of covariates on new prompts: those of the posterior with a covariance of Sigma + E.

    Errors as `on_new_items`.
    """
    sigma = published.posterior.covariance.matrix()
    return effects_of(published, sigma + _excess(published, item, sigma))


def prompts_needed(published: Published, item: Ints, figure: Callable[[Scores], float], level: float) -> PromptsNeeded:
    """Number of prompts in all that bring `figure`, such as P(best) of the leader, to `level`, and what else might.

    `figure` has to grow with confidence. Errors as `on_new_items`.
    """
    (_, prompts), scores, prior = prompts_of(item), published.scores, published.model.prior
    excess, omega2 = _excess(published, item, scores.covariance.matrix()), variance_of_effects(published, item)
    likeliest = max(scores.parts, key=itemgetter(0))[1] if scores.parts else scores

    def reached(count: int) -> bool:
        """Whether so many prompts are enough; more than there are, on the likeliest part of the posterior alone."""
        of = scores if count == prompts else likeliest
        return figure(_scores(of, prior, excess, prompts, count / prompts)) >= level

    needed = _fewest(prompts, reached)
    if omega2 is None:
        return PromptsNeeded(prompts, None, needed, None)
    sigma, n = scores.covariance.matrix() + excess, len(excess)
    of_differences = float(2.0 * (np.trace(sigma) - sigma.sum() / n) / (n - 1))  # their mean variance
    left = max(omega2 / prompts, np.finfo(np.float64).tiny)  # by endless comparisons on the present prompts
    endless = [(share, Scores(scores.mean, plain(np.eye(n) * (left / x)))) for x, share in _nodes(prompts - 1.0)]
    suffices = figure(mixed(endless)) >= level
    return PromptsNeeded(prompts, min(2.0 * left / of_differences, 1.0), needed, suffices)


def variance_of_effects(published: Published, item: Ints, d: Floats | None = None, groups: int = 1) -> float | None:
    """omega2; None where no prompt has two pairs that share a candidate.

    Args: `d` (K,) are the differences without effects, those of the mode by default; where each of several groups of
        prompts, fewer than M, has scores of its own there, M / (M - groups) replaces M / (M - 1).
    """
    (prompt, prompts), comparisons, model = prompts_of(item), published.comparisons, published.model
    slope, weight = slopes(published, d)
    pair = numbered(prompt, pair_numbers(comparisons, model.n))
    of_pairs = np.bincount(pair, np.where(comparisons.first < comparisons.second, slope, -slope))
    squares = float((np.bincount(pair, weight) ** 2).sum())
    own = by_prompt(design_of(comparisons, model), prompt, prompts)
    pull, information = (
        sums.reshape(prompts, model.size)[:, : model.n] for sums in (own.scatter(slope), own.information(weight))
    )
    alike = float((information**2).sum()) - 2.0 * squares
    if alike <= 1e-9 * squares:
        return None
    together = float((pull**2).sum() - 2.0 * (of_pairs**2).sum())
    return max(together / alike * prompts / (prompts - groups), 0.0)


def prompts_of(item: Ints) -> tuple[Ints, int]:
    """(K,) numbers of the prompts without gaps, and M. Raises ValueError."""
    used, prompt = np.unique(item, return_inverse=True)
    if len(used) < 2:
        raise ValueError(
            f"new prompts: at least 2 prompts need comparisons to say anything of others; {len(used)} has any"
        )
    return np.asarray(prompt, np.int64), len(used)


def slopes(published: Published, d: Floats | None = None) -> tuple[Floats, Floats]:
    """c l'(d) and w (K,), by default at the mode."""
    comparisons, model = published.comparisons, published.model
    d = design_of(comparisons, model).differences(published.posterior.mean) if d is None else d
    slope, curvature = model.expert.slope(d, comparisons.p), model.expert.curvature(d, comparisons.p)
    return comparisons.weight * slope, comparisons.weight * curvature


def by_prompt(design: Design, prompt: Ints, prompts: int) -> Design:
    """The design in which each of M prompts has all P parameters for itself, without covariates; `prompt` (K,)."""
    row = prompt * design.size
    bias = row + design.bias if len(design.bias) else design.bias
    own = design._replace(first=row + design.first, second=row + design.second, bias=bias)
    return own._replace(size=prompts * design.size, covariates=None)


def _excess(published: Published, item: Ints, sigma: Floats, d: Floats | None = None) -> Floats:
    """E of the parameters that come first, as many as have this Sigma."""
    (prompt, prompts), whole = prompts_of(item), published.posterior.covariance.matrix()
    design, (slope, _) = design_of(published.comparisons, published.model), slopes(published, d)
    pulls = by_prompt(design, prompt, prompts).scatter(slope).reshape(prompts, design.size)  # g
    if design.covariates is not None:
        np.add.at(pulls[:, design.effects], prompt, slope[:, None] * design.covariates)
    between = prompts / (prompts - 1) * pulls.T @ pulls + np.diag(published.model.prior.precision)
    sandwich = (whole @ between @ whole)[: len(sigma), : len(sigma)]
    root = np.linalg.cholesky(sigma)
    values, vectors = np.linalg.eigh(np.linalg.solve(root, np.linalg.solve(root, sandwich).T))
    beyond = root @ (vectors * np.sqrt(np.maximum(values - 1.0, 0.0)))
    return np.asarray(beyond @ beyond.T)


def _scores(posterior: Scores, prior: Prior, excess: Floats, prompts: int, times: float = 1.0) -> Scores:
    """The scores on new prompts, had there been so many times as many prompts as these."""
    parts = posterior.parts or ((1.0, posterior),)
    if times != 1.0:
        parts = tuple((weight, part._replace(votes=None)) for weight, part in parts)
    nodes = _nodes(times * prompts - 1.0)
    pairs = [(weight * share, part, x) for weight, part in parts for x, share in nodes]
    return mixed([(weight, _with_excess(part, excess / x, prior, times)) for weight, part, x in pairs])


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


def _fewest(low: int, reached: Callable[[int], bool]) -> int | None:
    """Prompts in all, the present ones at least, with which a figure that grows with them is reached, within 5%."""
    high = MOST * low
    if reached(low):
        return low
    if not reached(high):
        return None
    while high - low > max(low // 20, 1):
        middle = round((low * high) ** 0.5) if high > 2 * low else (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high
