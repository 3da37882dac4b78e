"""The worth of an answer, and how far candidates are apart, learnt from comparisons (methods 11; none of the papers).

With y = logit p where p is a probability (experts/measured_bt.py), and a vote's likelihood that of soft-bt,

    y_g = s_low - s_high + l_g delta + e_g       e_g ~ N(0, sigma2 / u_g), sigma2 of its judge       s ~ N(0, tau2 I)
    phi = 1 / (sigma2 mean p (1 - p))            the votes that an answer of the judge carries

Repeats of a pair of one item by one judge are one group g, for they share its error: y_g is their mean, u_g the largest
of their weights, l_g the mean of +-1 by order; each of them carries its share of u_g.

Of measurements alone the evidence Z(tau2, kappa), sigma2_j = kappa r_j, is exact. With D = diag(u_g / r_judge), R the
rows e_low - e_high, R^T D R = U diag(lambda) U^T and c = U^T R^T D y, each with delta taken out as by a flat prior,

    -2 ln Z = G ln kappa + sum_i ln(1 + tau2 lambda_i / kappa)
              + (y^T D y - sum_i c_i^2 tau2 / (kappa + tau2 lambda_i)) / kappa

which is y ~ N(0, tau2 R R^T + kappa D^-1). Where there are votes, kappa stays where measurements put it, and Laplace's
evidence decides on tau2:  ln Z = L(mu) + ln det Sigma / 2 - N ln(tau2) / 2.

A person who is asked again may think again, a program repeats itself: of a vote's error the share rho comes back, and m
votes of a group count as m / (1 + (m - 1) rho). As votes on a pair in one order vary by pi (1 - pi), pi = E sigma(d),

    1 - rho = sum (p - mean p of its group)^2 / (V - sqrt(V) / 2), at most 1      V = sum (1 - 1 / m) pi (1 - pi)

with pi from a fit that counts every vote, and one standard error in favour of rho = 0: where repeats vary about as much
as chance lets them, a little rho would make scores of little spread out of many votes.

Votes of a judge on a pair that differ by more than chance does, over the pairs on which it has several, count less: phi
is 1 over the dispersion of Pearson's residuals, and at most 1. Single votes say nothing of that.

Priors are normal in ln sigma2 and ln(tau2 / sigma2), so wide that some dozen answers overrule them, and that a set
without any signal is thought possible; for tau2 a vote is an answer of sigma2 = 1. A pool of sets narrows them. sigma2
is never below LEAST_NOISE. Rankings integrate over the Grid; selection takes its mean.

    tau2, sigma2, phi, rho  Hyperparameters.scale, .noise, .votes, .echo     (), (J,), (J,), (J,)
    lambda, c, y^T D y, G   Spectrum
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from app.inference.covariance import dense
from app.inference.experts.measured_bt import is_vote, measurement
from app.inference.fitting import newton
from app.inference.fitting.model import Model, differences, hessian, unit_prior
from app.inference.fitting.posterior import Posterior, fit
from app.inference.types import Comparisons, Floats, Ints, take
from app.inference.verdicts import pair_numbers

LEAST_NOISE = 0.001
SMALLEST_PHI, LARGEST_PHI = 1e-3, 1e3
COARSE, FINE = 25, 9  # points on an axis
SHARP = 0.15  # sd of a logarithm below which one point is enough
NEGLIGIBLE = 1e-3  # weight of a point, relative to the largest
MOST_NUMBERS = 1.6e7  # in the covariances of all points
FLAT = 1e-9  # precision of a bias, of what answers tell of it
FEW = 0.5  # sum of variances of repeated votes below which they say too little to vary by chance
FEW_PARAMETERS = 32  # up to so many, a compiled fit is quicker than one without its covariance
FIRM = 20.0  # degrees of freedom in favour of a dispersion of 1


class Normal(NamedTuple):
    mean: float
    sd: float


class Hyperprior(NamedTuple):
    """Prior of ln tau2, of ln(tau2 / sigma2) where that is None, and of judges' ln sigma2."""

    log_scale: Normal | None = None
    log_noise: Mapping[int, Normal] = {}  # by judge; WEAK_NOISE for all others


WEAK_NOISE = Normal(0.0, 2.5)
WEAK_RATIO = Normal(-0.5, 2.5)
WEAK = Hyperprior()


class Hyperparameters(NamedTuple):
    scale: float  # tau2
    noise: Floats  # (J,) sigma2
    votes: Floats  # (J,) phi
    echo: Floats  # (J,) rho


class Grid(NamedTuple):
    """G points of (tau2, kappa) with their posterior weights, which sum to 1."""

    weight: Floats  # (G,)
    scale: Floats  # (G,) tau2
    noise: Floats  # (G,) sigma2 of every judge, relative to Hyperparameters.noise


class Learnt(NamedTuple):
    hyperparameters: Hyperparameters  # at the mean of the logarithms
    grid: Grid


class Groups(NamedTuple):
    """G groups of measurements that share their errors."""

    low: Ints  # (G,)
    high: Ints  # (G,)
    y: Floats  # (G,) of low minus high
    lean: Floats  # (G,) l
    weight: Floats  # (G,) u
    judge: Ints  # (G,)
    spread: Floats  # (G,) mean p (1 - p)


class Spectrum(NamedTuple):
    """All that the evidence of measurements depends on, at given r."""

    eigenvalues: Floats  # (N,)
    projections: Floats  # (N,)
    squares: float
    size: float  # G, less the biases that are taken out


LogDensity = Callable[..., Floats]  # one axis (A,), or two (A,), (B,), to (A,) or (A, B)


def shares(comparisons: Comparisons, item: Ints, n: int, echo: Floats) -> Floats:
    """(K,) what is left of each comparison's weight where m votes of a group count as m / (1 + (m - 1) rho).

    Args: `echo` (J,) is rho; of measurements it is 1.
    """
    group = _repeats(comparisons, item, n)
    largest = np.zeros(group.max(initial=-1) + 1)
    np.maximum.at(largest, group, comparisons.weight)
    others = np.bincount(group, comparisons.weight) / largest - 1.0
    rho = np.where(is_vote(comparisons.p), echo[comparisons.judge], 1.0)
    return np.asarray(1.0 / (1.0 + rho * others[group]), np.float64)


def with_measured_ties(comparisons: Comparisons) -> Comparisons:
    """The comparisons with p next to 1/2 where a judge who says probabilities says 1/2: it measures 0."""
    p, judge = comparisons.p, comparisons.judge
    measures = np.bincount(judge, ~is_vote(p)) > 0
    return comparisons._replace(p=np.where((p == 0.5) & measures[judge], np.nextafter(0.5, 1.0), p))


def weighed(comparisons: Comparisons, item: Ints, n: int, hyperparameters: Hyperparameters) -> Comparisons:
    """The comparisons with their weights in the model: 1 / sigma2 of a measurement, phi of a vote but at most 1.

    Args: `item` (K,) is what each was about.
    """
    comparisons = with_measured_ties(comparisons)
    of_measurement, of_vote = 1.0 / hyperparameters.noise, np.minimum(hyperparameters.votes, 1.0)
    worth = np.where(is_vote(comparisons.p), of_vote[comparisons.judge], of_measurement[comparisons.judge])
    return comparisons._replace(weight=comparisons.weight * shares(comparisons, item, n, hyperparameters.echo) * worth)


def learn(comparisons: Comparisons, item: Ints, model: Model, judges: int, hyperprior: Hyperprior = WEAK) -> Learnt:
    """The hyperparameters of K comparisons by J judges.

    Args: `item` (K,) is what each was about; `model` has the biases to allow for, its own scale is not looked at.
    """
    points = _points(model.n)
    comparisons, model = _among_compared(with_measured_ties(comparisons), model)
    groups = measurements(comparisons, item, model.n)
    noise = _noise_apart(groups, model, judges, hyperprior)
    log_density, floor = _of_measurements(groups, noise, model, hyperprior)
    start = [_prior_of_scale(hyperprior, noise[groups.judge]), Normal(0.0, _sd_of_noise(hyperprior, judges))]
    (log_scale, log_kappa), at, weight = _zoom(log_density, start, COARSE, points)
    kappa = floor + np.exp(log_kappa)
    learnt = Hyperparameters(np.exp(log_scale), noise * kappa, _phi(groups, noise * kappa, judges), np.ones(judges))
    if not is_vote(comparisons.p).any():
        return Learnt(learnt, Grid(weight, np.exp(at[:, 0]), (floor + np.exp(at[:, 1])) / kappa))
    return _with_votes(comparisons, item, model, learnt, hyperprior)


def _among_compared(comparisons: Comparisons, model: Model) -> tuple[Comparisons, Model]:
    """The same of those candidates alone that were compared: scores of the others keep their prior, whatever it is."""
    compared, place = np.unique(np.concatenate([comparisons.first, comparisons.second]), return_inverse=True)
    first, second = place.reshape(2, -1)
    n, prior = len(compared), unit_prior(len(compared), model.prior.variance, model.size - model.n)
    return comparisons._replace(first=first, second=second), model._replace(n=n, prior=prior)


def usual_votes(comparisons: Comparisons, hyperparameters: Hyperparameters) -> float:
    """Votes that an answer carries, on average over those so far; 1 before the first."""
    return float(hyperparameters.votes[comparisons.judge].mean()) if comparisons.size else 1.0


def _with_votes(
    comparisons: Comparisons, item: Ints, model: Model, learnt: Hyperparameters, hyperprior: Hyperprior
) -> Learnt:
    """The scale by Laplace's evidence, phi and rho of those who vote; sigma2 as it was learnt from measurements."""
    measures = np.bincount(comparisons.judge, ~is_vote(comparisons.p), len(learnt.votes)) > 0
    fresh = learnt._replace(votes=np.where(measures, learnt.votes, 1.0), echo=np.zeros(len(learnt.votes)))
    start = [_prior_of_scale(hyperprior, np.where(measures, learnt.noise, 1.0)[comparisons.judge])]
    (log_scale,), at, weight = _zoom(_of_all(comparisons, item, model, fresh, start[0]), start, FINE, _points(model.n))
    fresh = fresh._replace(scale=float(np.exp(log_scale)))
    learnt = fresh._replace(echo=_echo(comparisons, item, model, fresh))
    phi = _agreement_of_votes(comparisons, item, model, learnt)
    learnt = learnt._replace(votes=np.where(measures, learnt.votes, phi))
    as_learnt, as_fresh = (weighed(comparisons, item, model.n, each).weight for each in (learnt, fresh))
    if (as_learnt != as_fresh).any():
        log_density = _of_all(comparisons, item, model, learnt, start[0])
        (log_scale,), at, weight = _zoom(log_density, start, FINE, _points(model.n))
    return Learnt(learnt._replace(scale=float(np.exp(log_scale))), Grid(weight, np.exp(at[:, 0]), np.ones(len(at))))


def at_scale(model: Model, scale: float) -> Model:
    """The model with tau2 = `scale`."""
    return model._replace(prior=unit_prior(model.n, scale, model.size - model.n))


def _repeats(comparisons: Comparisons, item: Ints, n: int) -> Ints:
    """(K,) numbers, without gaps, of the groups that share their error."""
    pair = pair_numbers(comparisons, n)
    question = (comparisons.judge * (item.max(initial=0) + 1) + item) * n * n + pair
    return np.asarray(np.unique(question, return_inverse=True)[1], np.int64)


def measurements(comparisons: Comparisons, item: Ints, n: int) -> Groups:
    """The measurements among the comparisons, in groups."""
    rows = ~is_vote(comparisons.p)
    measured = take(comparisons, rows)
    group = _repeats(measured, item[rows], n)
    size, once = group.max(initial=-1) + 1, np.unique(group, return_index=True)[1]
    turned = np.where(measured.first < measured.second, 1.0, -1.0)
    count = np.maximum(np.bincount(group, measured.weight, size), np.finfo(np.float64).tiny)
    largest = np.zeros(size)
    np.maximum.at(largest, group, measured.weight)
    low, high = np.divmod(pair_numbers(measured, n)[once], n)
    y, lean, spread = (
        np.bincount(group, measured.weight * each, size) / count
        for each in (turned * measurement(measured.p), turned, measured.p * (1.0 - measured.p))
    )
    return Groups(low, high, y, lean, largest, measured.judge[once], spread)


def _noise_apart(groups: Groups, model: Model, judges: int, hyperprior: Hyperprior) -> Floats:
    """(J,) sigma2 of each judge from its own answers alone, where several measure; else what the prior expects."""
    expected = np.exp([hyperprior.log_noise.get(judge, WEAK_NOISE).mean for judge in range(judges)])
    measuring = np.unique(groups.judge)
    if len(measuring) < 2:
        return np.asarray(expected, np.float64)
    apart = expected.copy()
    for judge in measuring:
        own = Groups(*(column[groups.judge == judge] for column in groups))
        log_density, floor = _of_measurements(own, expected, model, hyperprior)
        start = [
            _prior_of_scale(hyperprior, expected[[judge]]),
            Normal(0.0, hyperprior.log_noise.get(judge, WEAK_NOISE).sd),
        ]
        (_, log_kappa), _, _ = _zoom(log_density, start, COARSE, 1)
        apart[judge] *= floor + np.exp(log_kappa)
    return apart


def _of_measurements(groups: Groups, noise: Floats, model: Model, hyperprior: Hyperprior) -> tuple[LogDensity, float]:
    """ln Z + ln prior at (A,) ln tau2 and (B,) ln kappa', kappa = kappa' + floor; and that floor."""
    r = noise[groups.judge]
    floor, sd = LEAST_NOISE / float(r.min(initial=1.0)), _sd_of_noise(hyperprior, len(noise))
    of_groups = spectrum(groups, r, model)
    typical = float(np.log(r).mean()) if len(r) else 0.0

    def log_density(log_scale: Floats, log_kappa: Floats) -> Floats:
        kappa = floor + np.exp(log_kappa)
        above_noise = log_scale[:, None] - typical - np.log(kappa)
        of_scale = above_noise if hyperprior.log_scale is None else log_scale[:, None]
        return np.asarray(
            log_evidence(of_groups, np.exp(log_scale), kappa)
            + _log_prior(of_scale, hyperprior.log_scale or WEAK_RATIO)
            - 0.5 * (log_kappa / sd) ** 2
        )

    return log_density, floor


def log_evidence(of_groups: Spectrum, scale: Floats, kappa: Floats) -> Floats:
    """ln Z at each tau2 (A,) and kappa (B,): (A, B), but for what depends on neither."""
    eigenvalues, projections, squares, size = of_groups
    signal = scale[:, None, None] * eigenvalues
    left = squares - (projections**2 * scale[:, None, None] / (kappa[:, None] + signal)).sum(axis=2)
    spread = size * np.log(kappa) + np.log1p(signal / kappa[:, None]).sum(axis=2)
    return np.asarray(-0.5 * (spread + left / kappa))


def spectrum(groups: Groups, r: Floats, model: Model) -> Spectrum:
    n, d = model.n, groups.weight / r
    links = np.bincount(groups.low * n + groups.high, d, n * n).reshape(n, n)
    gram = np.asarray(np.diag(links.sum(axis=0) + links.sum(axis=1)) - links - links.T, np.float64)
    pull, squares = _scattered(groups, d * groups.y, n), float(d @ groups.y**2)
    size = float(len(d))
    for judge in np.unique(groups.judge) if model.allows_for_biases else ():
        lean = np.where(groups.judge == judge, groups.lean, 0.0)
        if (told := float(d @ lean**2)) > 0.0:
            towards, tells = _scattered(groups, d * lean, n), float(d @ (lean * groups.y))
            gram = gram - np.outer(towards, towards) / (told * (1.0 + FLAT))
            pull, squares, size = pull - towards * tells / told, squares - tells**2 / told, size - 1.0
    eigenvalues, vectors = np.linalg.eigh(gram)
    return Spectrum(np.maximum(eigenvalues, 0.0), vectors.T @ pull, squares, size)


def _scattered(groups: Groups, values: Floats, n: int) -> Floats:
    """R^T values, (N,)."""
    return np.asarray(np.bincount(groups.low, values, n) - np.bincount(groups.high, values, n), np.float64)


def _of_all(comparisons: Comparisons, item: Ints, model: Model, learnt: Hyperparameters, prior: Normal) -> LogDensity:
    """ln Z by Laplace + ln prior at (A,) ln tau2; measurements and phi as they were learnt."""
    with_weights = weighed(comparisons, item, model.n, learnt)

    def log_density(log_scale: Floats) -> Floats:
        return np.array(
            [laplace_evidence(with_weights, at_scale(model, float(np.exp(x)))) for x in log_scale]
        ) + _log_prior(log_scale, prior)

    return log_density


def laplace_evidence(comparisons: Comparisons, model: Model) -> float:
    """ln Z of all comparisons at the model's tau2, up to a constant."""
    if model.size <= FEW_PARAMETERS:
        mean, covariance, *_ = fit(comparisons, model)
        log_det = covariance.log_det
    else:
        mean, weights, _ = newton.fit(comparisons, model)
        factor, _ = lapack.dpotrf(hessian(weights, comparisons, model), lower=1, overwrite_a=1)
        log_det = -2.0 * float(np.log(factor.diagonal()).sum())
    value, _, _ = newton.evaluate(mean, newton.Objective(comparisons, model, 0.0))
    return value + 0.5 * log_det - 0.5 * model.n * float(np.log(model.prior.variance))


def _phi(groups: Groups, noise: Floats, judges: int) -> Floats:
    """(J,) phi of those who measure; 1 of all others."""
    answers = np.bincount(groups.judge, groups.weight, judges)
    spread = np.bincount(groups.judge, groups.weight * groups.spread, judges) / np.maximum(answers, 1e-300)
    phi = 1.0 / np.maximum(noise * spread, 1.0 / LARGEST_PHI)
    return np.where(answers > 0.0, np.maximum(phi, SMALLEST_PHI), 1.0)


def _agreement_of_votes(comparisons: Comparisons, item: Ints, model: Model, learnt: Hyperparameters) -> Floats:
    """(J,) phi by the dispersion of each judge's votes on the pairs on which it has several; 1 where it has none."""
    at_one = weighed(comparisons, item, model.n, learnt)
    posterior = fit(at_one, at_scale(model, learnt.scale))
    votes = is_vote(comparisons.p)
    cast = take(at_one, votes)
    expected = model.expert.expected(differences(posterior.mean, cast, model))
    turned = np.where(cast.first < cast.second, 1.0, -1.0)
    group = _repeats(cast, np.zeros(cast.size, np.int64), model.n)
    residual = np.bincount(group, cast.weight * turned * (cast.p - expected))
    variance, count = np.bincount(group, cast.weight * expected * (1.0 - expected)), np.bincount(group, cast.weight)
    several, once = count > 1.0 + 1e-9, np.unique(group, return_index=True)[1]
    judges, own = len(learnt.votes), cast.judge[once][several]
    chi2 = np.bincount(own, (residual**2 / np.maximum(variance, 1e-300))[several], judges)
    left = 1.0 - variance * _variances(posterior, cast)[once]
    freedom = np.bincount(own, np.maximum(left, 0.0)[several], judges)
    return np.minimum((FIRM + freedom) / (FIRM + chi2), 1.0)


def _echo(comparisons: Comparisons, item: Ints, model: Model, fresh: Hyperparameters) -> Floats:
    """(J,) rho by how far votes on the same pair of an item in the same order vary; 1 where they never do.

    Args: `fresh` counts every repeat in full.
    """
    posterior = fit(weighed(comparisons, item, model.n, fresh), at_scale(model, fresh.scale))
    votes, judges = is_vote(comparisons.p), len(fresh.votes)
    cast = take(comparisons, votes)
    flatter = 1.0 / np.sqrt(1.0 + np.pi / 8.0 * _variances(posterior, cast))
    expected = model.expert.expected(flatter * differences(posterior.mean, cast, model))
    in_order = 2 * _repeats(cast, item[votes], model.n) + (cast.first < cast.second)
    _, group, m = np.unique(in_order, return_inverse=True, return_counts=True)
    apart = cast.p - (np.bincount(group, cast.p) / m)[group]
    by_chance = (1.0 - 1.0 / m)[group] * flatter * expected * (1.0 - expected)
    varies, may_vary = (np.bincount(cast.judge, each, judges) for each in (apart**2, by_chance))
    return np.asarray(1.0 - np.minimum(varies / np.maximum(may_vary - 0.5 * np.sqrt(may_vary), FEW), 1.0), np.float64)


def _variances(posterior: Posterior, comparisons: Comparisons) -> Floats:
    """(K,) posterior variances of s_first - s_second."""
    sigma, i, j = dense(posterior.covariance), comparisons.first, comparisons.second
    return np.asarray(sigma[i, i] + sigma[j, j] - 2.0 * sigma[i, j], np.float64)


def _prior_of_scale(hyperprior: Hyperprior, noise: Floats) -> Normal:
    """Prior of ln tau2 at this (K,) sigma2."""
    if hyperprior.log_scale is not None:
        return hyperprior.log_scale
    typical = float(np.log(noise).mean()) if len(noise) else 0.0
    return Normal(WEAK_RATIO.mean + typical, WEAK_RATIO.sd)


def _sd_of_noise(hyperprior: Hyperprior, judges: int) -> float:
    return min(hyperprior.log_noise.get(judge, WEAK_NOISE).sd for judge in range(max(judges, 1)))


def _log_prior(x: Floats, prior: Normal) -> Floats:
    return np.asarray(-0.5 * ((x - prior.mean) / prior.sd) ** 2)


def _points(n: int) -> int:
    """Points on an axis whose covariances all together hold MOST_NUMBERS."""
    return int(np.clip(np.sqrt(MOST_NUMBERS) / max(n, 1), 1, FINE))


def _zoom(
    log_density: LogDensity, start: Sequence[Normal], coarse: int, fine: int
) -> tuple[list[float], Floats, Floats]:
    """The mean (D,), and points (G, D) with their weights (G,), of a density on D axes.

    A grid of `coarse` points on each axis is moved and narrowed until it resolves the density; of the `fine` one that
    follows, points of negligible weight are left out. Where all axes are sharp, the mean is the only point.
    """
    reach = 4.0 * np.linspace(-1.0, 1.0, coarse)
    mean, sd = np.array([each.mean for each in start]), np.array([each.sd for each in start])
    while True:
        spacing = sd * (reach[1] - reach[0])
        mean, sd = _moments([m + s * reach for m, s in zip(mean, sd, strict=True)], log_density)
        if (spacing <= 1.1 * sd).all():
            break
        sd = np.maximum(sd, 0.25 * spacing)
    if fine == 1 or (sd < SHARP).all():
        return mean.tolist(), mean[None, :], np.ones(1)
    axes = [m + s * np.linspace(-2.7, 2.7, fine) for m, s in zip(mean, sd, strict=True)]
    weight = _normalised(log_density(*axes)).ravel()
    kept = weight > NEGLIGIBLE * weight.max()
    at = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))[kept]
    return mean.tolist(), at, weight[kept] / weight[kept].sum()


def _moments(axes: Sequence[Floats], log_density: LogDensity) -> tuple[Floats, Floats]:
    """Mean and sd (D,) of a density on a grid."""
    weight = _normalised(log_density(*axes))
    mean, sd = np.empty(len(axes)), np.empty(len(axes))
    for k, axis in enumerate(axes):
        marginal = weight.sum(axis=tuple(other for other in range(len(axes)) if other != k))
        mean[k] = marginal @ axis
        sd[k] = np.sqrt(marginal @ (axis - mean[k]) ** 2)
    return mean, sd


def _normalised(log_density: Floats) -> Floats:
    density = np.exp(log_density - log_density.max())
    return np.asarray(density / density.sum())
