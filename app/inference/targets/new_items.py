"""The scores on prompts to come: comparisons on one prompt share what is peculiar to it, so prompts are clusters.

Candidate i has the score s_i + u_im on prompt m, u_im of mean 0 over all prompts there could be, from which the M that
have comparisons are drawn. With l' the expert's slope, c the weight and r the row of the design of each comparison, at
the mode of the posterior (fitting/posterior.py):

    g_m = sum over the comparisons of prompt m of c l'(d) r          A = H^-1        Q the prior's precision
    V = A (M / (M - 1) sum_m g_m g_m^T + Q) A                        the cluster sandwich (Liang and Zeger 1986)
    E = C U max(Lambda - 1, 0) U^T C^T,   Sigma = C C^T,   V = C U Lambda U^T C^T

E is what V has beyond the posterior's Sigma, of the scores: an error of what the comparisons tell, not of the prior
(decision 66). With J = Sigma^-1 - Q and h = Sigma^-1 mean - pull, what they tell as if prompts were alike, and
D = Sigma^-1 E Sigma^-1 / x, x ~ chi2_{M-1} / (M - 1) by Gauss and Laguerre, each part has on prompts to come the scores

    N(mean*, Sigma*),   Sigma* = (Q + J (J + D)^-1 J)^-1,   mean* = Sigma* (pull + J (J + D)^-1 h)

about s + e with e ~ t(0, E) of M - 1 degrees of freedom where there are many comparisons.

omega2, the variance of u, is by moments: residuals of two pairs k, l of one prompt are alike as far as these share
candidates. With g_k and w_k the sums of c l'(d) and of w over the comparisons of a pair on a prompt, and
H_m = sum w_k r_k r_k^T, without biases, over pairs k != l of a prompt

    omega2 = M / (M - 1) sum g_k g_l (r_k . r_l) / sum w_k w_l (r_k . r_l)^2, at least 0
           = M / (M - 1) (sum_m |g_m|^2 - 2 sum_k g_k^2) / (sum_m |H_m|^2 - 4 sum_k w_k^2)
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import roots_genlaguerre

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
    excess, prompts = _excess(published, item, published.scores.covariance.matrix(), d)
    return _scores(published.scores, published.model.prior, excess, prompts)


def effects_on_new_items(published: Published, item: Ints) -> list[Effect]:
    """The effects of covariates on new prompts, with a covariance of Sigma + E. Errors as `on_new_items`."""
    sigma = published.posterior.covariance.matrix()
    return effects_of(published, sigma + _excess(published, item, sigma)[0])


def prompts_needed(published: Published, item: Ints, figure: Callable[[Scores], float], level: float) -> PromptsNeeded:
    """Number of prompts in all that bring `figure`, such as P(best) of the leader, to `level`, and what else might.

    `figure` has to grow with confidence. Errors as `on_new_items`.
    """
    scores, prior = published.scores, published.model.prior
    excess, prompts = _excess(published, item, scores.covariance.matrix())
    omega2 = variance_of_effects(published, item)
    _, likeliest = max(scores.parts or ((1.0, scores),), key=lambda part: part[0])

    def reached(count: int) -> bool:
        """Whether so many prompts are enough; more than there are, on the likeliest part of the posterior alone."""
        of = scores if count == prompts else likeliest
        return figure(_scores(of, prior, excess, prompts, count / prompts)) >= level

    needed = _fewest(prompts, reached)
    if omega2 is None:
        return PromptsNeeded(prompts, None, needed, None)
    sigma, n = scores.covariance.matrix() + excess, len(excess)
    of_differences = float(2.0 * (np.trace(sigma) - sigma.sum() / n) / (n - 1))  # their mean variance
    left = max(omega2 / prompts, np.finfo(np.float64).tiny)  # by endless comparisons on these: t, M - 1 degrees
    endless = [(share, Scores(scores.mean, plain(np.eye(n) * (left / x)))) for x, share in _nodes(prompts - 1.0)]
    suffices = figure(mixed(endless)) >= level
    return PromptsNeeded(prompts, min(2.0 * left / of_differences, 1.0), needed, suffices)


def variance_of_effects(published: Published, item: Ints, d: Floats | None = None, groups: int = 1) -> float | None:
    """omega2; None where no prompt has two pairs that share a candidate.

    Args: `d` (K,) as of `on_new_items`; where each of several groups of prompts, fewer than M, has scores of its own
        there, M / (M - groups) replaces M / (M - 1).
    """
    (first, second, *_), n = published.comparisons, published.model.n
    prompt, pulls, slope, weight = by_prompt(published, item, d)
    pair, row = numbered(prompt, pair_numbers(published.comparisons, n)), prompt * n
    of_pairs = np.bincount(pair, np.where(first < second, slope, -slope))
    squares = float((np.bincount(pair, weight) ** 2).sum())
    information = np.bincount(np.append(row + first, row + second), np.tile(weight, 2))
    alike = float((information**2).sum()) - 2.0 * squares
    if alike <= 1e-9 * squares:
        return None
    together = float((pulls[:, :n] ** 2).sum() - 2.0 * (of_pairs**2).sum())
    return max(together / alike * len(pulls) / (len(pulls) - groups), 0.0)


def by_prompt(published: Published, item: Ints, d: Floats | None = None) -> tuple[Ints, Floats, Floats, Floats]:
    """Numbers of prompts without gaps (K,), g (M, P), c l'(d) and w (K,); arguments and errors as of `on_new_items`."""
    used, prompt = np.unique(item, return_inverse=True)
    if len(used) < 2:
        raise ValueError(
            f"new prompts: at least 2 prompts need comparisons to say anything of others; {len(used)} has any"
        )
    comparisons, expert = published.comparisons, published.model.expert
    design = design_of(comparisons, published.model)
    d = design.differences(published.posterior.mean) if d is None else d
    slope, weight = (comparisons.weight * each(d, comparisons.p) for each in (expert.slope, expert.curvature))
    row, size = prompt * design.size, len(used) * design.size
    bias = row + design.bias if len(design.bias) else design.bias
    own = design._replace(size=size, first=row + design.first, second=row + design.second, bias=bias, covariates=None)
    pulls = own.scatter(slope).reshape(len(used), design.size)
    if design.covariates is not None:
        np.add.at(pulls[:, design.effects], prompt, slope[:, None] * design.covariates)
    return np.asarray(prompt, np.int64), pulls, slope, weight


def _excess(published: Published, item: Ints, sigma: Floats, d: Floats | None = None) -> tuple[Floats, int]:
    """E of the parameters that come first, as many as have this Sigma, and M."""
    whole, (_, pulls, *_) = published.posterior.covariance.matrix(), by_prompt(published, item, d)
    between = len(pulls) / (len(pulls) - 1) * pulls.T @ pulls + np.diag(published.model.prior.precision)
    sandwich = (whole @ between @ whole)[: len(sigma), : len(sigma)]
    root = np.linalg.cholesky(sigma)
    values, vectors = np.linalg.eigh(np.linalg.solve(root, np.linalg.solve(root, sandwich).T))
    beyond = root @ (vectors * np.sqrt(np.maximum(values - 1.0, 0.0)))
    return np.asarray(beyond @ beyond.T), len(pulls)


def _scores(posterior: Scores, prior: Prior, excess: Floats, prompts: int, times: float = 1.0) -> Scores:
    """The scores on new prompts, had there been f `times` as many: f J (J + D)^-1 counts, x of f M - 1 degrees."""
    n, of_all = len(excess), list[tuple[float, Scores]]()
    pull = prior.pull[:n]
    for weight, part in posterior.parts or ((1.0, posterior),):
        scale = prior.variance if part.scale is None else part.scale
        q = prior.precision[:n] if part.scale is None else np.full(n, 1.0 / scale)
        precision = np.linalg.inv(part.covariance.matrix())
        values, vectors = np.linalg.eigh(precision - np.diag(q))  # of what comparisons tell, in every direction
        known = values > ROUNDING * values.max(initial=0.0)
        root, inverse = (vectors[:, known] * values[known] ** power for power in (0.5, -0.5))
        beyond = inverse.T @ precision @ excess @ precision @ inverse
        told = inverse.T @ (precision @ part.mean - pull)
        for x, share in _nodes(times * prompts - 1.0):
            kept = times * root @ np.linalg.inv(np.eye(len(beyond)) + 0.5 / x * (beyond + beyond.T))
            sigma = np.linalg.inv(np.diag(q) + kept @ root.T)
            covariance, votes = plain(0.5 * (sigma + sigma.T)), part.votes if times == 1.0 else None
            of_x = Scores(sigma @ (pull + kept @ told), covariance, scale=scale, votes=votes)
            of_all.append((weight * share, of_x))
    return mixed(of_all)


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
