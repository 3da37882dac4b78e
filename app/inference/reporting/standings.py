"""The ranking by any method, as a table: what the service, the command line and the drawings show.

    score, sd       of s_i - mean(s): comparisons say nothing about the common level of all scores (decision 14)
    rank            by the scores, also where what is ranked are win rates: draws would order by chance who is near
    interval        score_i -+ z sd_i, marginal; of votes by their draws
    rank interval   all N hold together with probability `level` (intervals.py)
    p_best, p_top_k shares of draws in which a candidate is first, or among the first k, alone or tied
    tie group       of candidates who are not proven apart (confidence.py)

Candidates that the posterior does not tell apart share what draws say of them together. Very many candidates, without
a matrix, have figures by few draws (very_many.py), and no entropy; their win rates are as if scores were independent.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from nextpair.words import InferenceTargetName, JointName

from app.inference.fitting import judge_aware
from app.inference.fitting.baselines import BASELINES
from app.inference.fitting.effects import JudgeEffects, consensus
from app.inference.fitting.model import Model
from app.inference.fitting.published import Published
from app.inference.gaussian import Scores, SparseCovariance
from app.inference.pair_sets import matching
from app.inference.reporting import confidence, intervals, very_many, win_rates
from app.inference.reporting.bias import Bias, estimates, judge_biases, listed
from app.inference.reporting.confidence import Confidence, ForecastPoint, PairsOf, all_pairs, scores_of
from app.inference.reporting.win_rates import VOTES
from app.inference.targets import DRAWS_SEED, Quantity, WinRates, drawn_values, is_drawn
from app.inference.types import Bools, Comparisons, Convergence, Floats, Ints, Outcome
from app.inference.verdicts import components, means

DECIMALS = 12  # of a score
NO_FLOATS, NO_INTS = np.empty(0), np.empty(0, np.int64)


class Wanted(NamedTuple):
    level: float = 0.95  # of the marginal intervals, of all rank intervals together, of tie groups
    top_k: int = 1  # of p_top_k
    epsilon: float = 0.0  # of tie groups, in units of the scores


class Table(NamedTuple):
    """Columns in the order of candidates. One that is not known is empty: a baseline has ranks and scores alone."""

    rank: Ints = NO_INTS  # (N,)
    score: Floats = NO_FLOATS  # (N,)
    comparisons: Ints = NO_INTS  # (N,) in the log
    component: Ints = NO_INTS  # (N,) of the graph of the log
    sd: Floats = NO_FLOATS  # (N,)
    interval: Floats = NO_FLOATS  # (N, 2)
    rank_interval: Ints = NO_INTS  # (N, 2), best and worst
    p_best: Floats = NO_FLOATS  # (N,)
    p_top_k: Floats = NO_FLOATS  # (N,)
    tie_group: Ints = NO_INTS  # (N,) 1 for the best
    win_rate: Floats = NO_FLOATS  # (N,)
    win_rate_interval: Floats = NO_FLOATS  # (N, 2)

    @property
    def best_first(self) -> Ints:
        """(N,) candidates by rank."""
        return np.argsort(self.rank, kind="stable")

    @property
    def components(self) -> int:
        return int(self.component.max(initial=-1)) + 1


class Standings(NamedTuple):
    table: Table
    convergence: Convergence
    entropy: float | None = None  # nats; None from a baseline, and without a matrix
    confidence: Confidence | None = None  # None from a baseline, and where there are no two candidates
    forecast: Sequence[ForecastPoint] = ()  # with more comparisons of the same kind; none where there is none yet
    biases: Sequence[Bias] = ()  # one per judge where they are estimated
    judge_effects: Sequence[JudgeEffects] = ()  # one per judge by consensus


def by_posterior(
    published: Published,
    wanted: Wanted,
    pairs_of: PairsOf = all_pairs,
    quantity: Quantity | None = None,
    target: InferenceTargetName = "latent",
) -> Standings:
    """The ranking of a posterior by a quantity, that of the target; no rows where it has not converged."""
    _, posterior, answers, comparisons, model, *_ = published
    if not model.n or not posterior.convergence.converged:
        return Standings(Table(), posterior.convergence, entropy=None if model.n else 0.0)
    quantity, verdicts = quantity or published.scores, win_rates.attenuation(published, target)
    standings = _standings(quantity, wanted, pairs_of, verdicts, posterior.convergence, answers, model)
    table = standings.table
    if not isinstance(quantity, WinRates):
        interval = np.where(win_rates.never_missed(published), [0.0, 1.0], table.win_rate_interval)
        table = table._replace(win_rate_interval=interval)
    return standings._replace(table=table, biases=estimates(posterior, comparisons, model))


def by_judges(
    name: JointName,
    comparisons: Comparisons,
    model: Model,
    people: Bools,
    wanted: Wanted,
    pairs_of: PairsOf = all_pairs,
) -> Standings:
    """The ranking by a method that estimates judges and scores together; no rows where its matrix cannot be factored.

    Args: `people` (J,) tells who they are. Raises ValueError as `consensus` does.
    """
    try:
        with np.errstate(all="ignore"):
            if name == "consensus":
                agreed = consensus(comparisons, model, len(people))
                biases = listed(comparisons, agreed.delta, agreed.sd_of_delta, agreed.share_of_verdicts)
                effects = [agreed.effects[judge] for judge in np.unique(comparisons.judge).tolist()]
                scores, convergence = agreed.of_scores, agreed.convergence
            else:
                aware = judge_aware.fit(comparisons, model, people)
                biases, effects = judge_biases(aware, comparisons), []
                scores, convergence = aware.of_scores, aware.convergence
            standings = _standings(scores, wanted, pairs_of, VOTES, convergence, comparisons, model)
            return standings._replace(biases=biases, judge_effects=effects)
    except np.linalg.LinAlgError:
        return Standings(Table(), Convergence(Outcome.SINGULAR, 0, np.nan))


def by_baseline(name: str, comparisons: Comparisons, n: int) -> Standings:
    """Raises KeyError for a name that is not in BASELINES."""
    score, convergence = BASELINES[name](comparisons, n)
    rank = intervals.ranks(score)
    return Standings(_with_counts(Table(rank, _rounded(score, rank)), comparisons), convergence)


def _standings(
    quantity: Quantity,
    wanted: Wanted,
    pairs_of: PairsOf,
    attenuation: Floats,
    convergence: Convergence,
    comparisons: Comparisons,
    model: Model,
) -> Standings:
    table, sure = summary_of(quantity, wanted, pairs_of, attenuation)
    scores = scores_of(quantity)
    votes, prior = float(comparisons.weight.sum()), 1.0 / model.prior.precision[: model.n]
    return Standings(
        table=_with_counts(table, comparisons),
        convergence=convergence,
        entropy=confidence.entropy(scores.covariance) if scores.covariance.has_matrix else None,
        confidence=sure,
        forecast=confidence.forecast(quantity, table.sd, pairs_of(scores.mean), prior, votes, sure) if sure else [],
    )


def _with_counts(table: Table, comparisons: Comparisons) -> Table:
    times = np.bincount(np.append(comparisons.first, comparisons.second), minlength=len(table.rank))
    return table._replace(comparisons=times, component=components(comparisons, len(times)))


def summary_of(
    quantity: Quantity, wanted: Wanted, pairs_of: PairsOf = all_pairs, attenuation: Floats = VOTES
) -> tuple[Table, Confidence | None]:
    """The ranking, without counts of comparisons, and the confidence in it; none in some pairs of very many."""
    scores, level = scores_of(quantity), wanted.level
    mean, n = scores.mean, len(scores.mean)
    rank, kinds, counted, expected = intervals.ranks(mean), pairs_of(mean), None, None
    if isinstance(scores.covariance, SparseCovariance):
        rng, alike = np.random.default_rng(DRAWS_SEED), np.arange(n)
        p_best, p_top_k, sd, sigma, in_order = very_many.tally(mean, scores.covariance, rank, wanted.top_k, rng)
        scores = scores._replace(covariance=sigma)
        interval = intervals.marginal_intervals(scores, sd, level)
        rank_interval = intervals.rank_intervals(mean, sd, level)
        win_rate = win_rates.rates_of_marginals(mean - mean.mean(), sd, interval, attenuation)
        count = n * (n - 1) // 2 if kinds.meets.size == 1 else 0
    else:
        values, alike, sd = drawn_values(quantity), interchangeable(scores), intervals.relative_sd(scores.covariance)
        drawn, counted, of_votes = intervals.ranks_of(values), values if is_drawn(quantity) else None, None
        p_best, p_top_k = ((drawn <= k).mean(axis=0) for k in (1, wanted.top_k))
        if scores.has_votes:
            of_votes = values if scores is quantity else drawn_values(scores, len(values))
        interval = intervals.marginal_intervals(scores, sd, level, of_votes)
        if counted is None:
            rank_interval = intervals.rank_intervals(mean, sd, level, drawn)
        else:
            rank_interval = intervals.drawn_rank_intervals(rank, drawn, level)
        if isinstance(quantity, WinRates):
            win_rate = win_rates.on_average(values, level)
        else:
            win_rate = win_rates.rates(values, attenuation, level)
        pairs = matching(kinds)
        in_order, count = confidence.shares_in_order(rank, drawn, pairs), int(pairs.sum())
        expected = confidence.concordance(quantity, pairs) if counted is None and count else None
    rank_interval = widest(rank_interval, alike)
    table = Table(
        rank=rank,
        score=_rounded(mean - mean.mean(), rank),
        sd=sd,
        interval=shared(interval, alike),
        rank_interval=rank_interval,
        p_best=shared(p_best, alike),
        p_top_k=shared(p_top_k, alike),
        tie_group=confidence.tie_groups(scores, rank_interval, level, wanted.epsilon, counted),
        win_rate=shared(win_rate[0], alike),
        win_rate_interval=shared(win_rate[1], alike),
    )
    return table, confidence.confidence_of(in_order, count, level, expected) if count else None


def _rounded(score: Floats, rank: Ints) -> Floats:
    """(N,) scores; those who share a rank differ by rounding, and share one. None is -0."""
    return np.round(shared(score, rank), DECIMALS) + 0.0


def interchangeable(posterior: Scores) -> Ints:
    """(N,) the first candidate with which each may swap names and leave the posterior as it is.

    That is i where mean_i = mean_j, Sigma_ii = Sigma_jj, and Sigma_ik = Sigma_jk for every other k, up to rounding.
    Rows that differ do so in sum_k Sigma_ik x_k, without i and j, of one of two x that have nothing to do with them.
    """
    mean, sigma, n = posterior.mean, posterior.covariance.matrix(), len(posterior.mean)
    variance, alike = sigma.diagonal(), np.arange(n)
    tolerance = intervals.SAME_SCORE * max(1.0, float(variance.max(initial=0.0)))
    x = np.cos(np.arange(n)[:, None] ** [2.0, 2.5])
    projected = sigma @ x - variance[:, None] * x
    for j in range(1, n):
        near = (np.abs(mean[:j] - mean[j]) <= intervals.SAME_SCORE) & (np.abs(variance[:j] - variance[j]) <= tolerance)
        apart = projected[:j] - projected[j] + sigma[j, :j, None] * (x[:j] - x[j])
        near &= np.abs(apart).max(axis=1) <= tolerance * n
        alike[j] = alike[near.argmax()] if near.any() else j
    return alike


def shared(values: Floats, group: Ints) -> Floats:
    """(N,) or (N, 2), the mean of such values over those of the same group, numbered up to N."""
    if values.ndim == 2:
        return np.column_stack([shared(column, group) for column in values.T])
    return means(values, group, len(values) + 1)[group]


def widest(interval: Ints, alike: Ints) -> Ints:
    """(N, 2) intervals, that of all who are alike together."""
    ends = interval.copy()
    np.minimum.at(ends[:, 0], alike, interval[:, 0])
    np.maximum.at(ends[:, 1], alike, interval[:, 1])
    return np.asarray(ends[alike])
