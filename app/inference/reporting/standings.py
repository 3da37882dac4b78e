"""The ranking by any method, as a table: what the service, the command line and the drawings show.

    score, sd       of s_i - mean(s): comparisons say nothing about the common level of all scores (decision 14)
    rank            by the scores, also where what is ranked are win rates: those are drawn, and would order by chance
                    who is nearly equal
    interval        score_i -+ z sd_i, marginal: each one holds with probability `level`; of votes by their draws
    rank interval   simultaneous: all N hold together with probability `level` (intervals.py)
    p_best, p_top_k shares of draws in which a candidate is first, or among the first k, alone or tied
    tie group       of candidates who are not proven apart (confidence.py)
    win rate        the expected share of wins against the others (win_rates.py)

Candidates that the posterior does not tell apart share what draws say of them together. Very many candidates, without
a matrix, have figures by few draws (very_many.py), and no entropy; their win rates are as if scores were independent.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from nextpair.words import InferenceTargetName, JointName

from app.inference.fitting import judge_aware
from app.inference.fitting.baselines import BASELINES
from app.inference.fitting.effects import Consensus, JudgeEffects, consensus, judge_effects_of
from app.inference.fitting.judge_aware import JudgeAware
from app.inference.fitting.model import Model
from app.inference.fitting.published import Published
from app.inference.gaussian import Scores, SparseCovariance
from app.inference.pair_sets import matching
from app.inference.reporting import intervals, very_many, win_rates
from app.inference.reporting.bias import Bias, estimates, listed
from app.inference.reporting.confidence import (
    Confidence,
    ForecastPoint,
    PairsOf,
    all_pairs,
    by_shares,
    confidence_of,
    entropy,
    forecast,
    scores_of,
    tie_groups,
)
from app.inference.reporting.win_rates import VOTES
from app.inference.targets import DRAWS_SEED, Quantity, WinRates, drawn_values, is_drawn
from app.inference.types import Bools, Comparisons, Convergence, Floats, Ints, Outcome
from app.inference.verdicts import components, means

DECIMALS = 12  # of a score
NO_FLOATS, NO_INTS = np.empty(0), np.empty(0, np.int64)


class Wanted(NamedTuple):
    """A reader's wishes for a ranking."""

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
        """How many there are."""
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
    """The ranking of a posterior; no rows where it has not converged.

    Args: `quantity` is what is ranked, that of the `target` (targets): the scores themselves by default.
    """
    _, posterior, answers, comparisons, model, *_ = published
    if not model.n or not posterior.convergence.converged:
        return Standings(Table(), posterior.convergence, entropy=None if model.n else 0.0)
    quantity, verdicts = quantity or published.scores, win_rates.attenuation(published, target)
    standings = _standings(quantity, wanted, pairs_of, verdicts, posterior.convergence, answers, model)
    table = standings.table
    if not isinstance(quantity, WinRates):
        table = table._replace(
            win_rate_interval=win_rates.reaching(table.win_rate_interval, win_rates.never_missed(published))
        )
    return standings._replace(table=table, biases=estimates(posterior, comparisons, model))


def by_judges(
    name: JointName,
    comparisons: Comparisons,
    model: Model,
    people: Bools,
    wanted: Wanted,
    pairs_of: PairsOf = all_pairs,
) -> Standings:
    """The ranking by a method that estimates judges and scores together, and what it says of the judges.

    No rows where a matrix of it cannot be factored.

    Args: `people` (J,) tells who they are. Raises ValueError as `consensus` does.
    """
    fitted: Consensus | JudgeAware
    try:
        with np.errstate(all="ignore"):
            if name == "consensus":
                fitted = consensus(comparisons, model, len(people))
                biases = listed(comparisons, fitted.delta, fitted.sd_of_delta, fitted.share_of_verdicts)
                effects = judge_effects_of(fitted, comparisons)
            else:
                fitted = judge_aware.fit(comparisons, model, people)
                biases, effects = judge_biases(fitted, comparisons), []
            scores, convergence = fitted.of_scores, fitted.convergence
            standings = _standings(scores, wanted, pairs_of, VOTES, convergence, comparisons, model)
            return standings._replace(biases=biases, judge_effects=effects)
    except np.linalg.LinAlgError:
        return Standings(Table(), Convergence(Outcome.SINGULAR, 0, np.nan))


def by_baseline(name: str, comparisons: Comparisons, n: int) -> Standings:
    """Raises KeyError for a name that is not in BASELINES."""
    score, convergence = BASELINES[name](comparisons, n)
    rank = intervals.ranks(score)
    return Standings(_with_counts(Table(rank, _rounded(score, rank)), comparisons), convergence)


def judge_biases(aware: JudgeAware, comparisons: Comparisons) -> list[Bias]:
    """Biases and discriminations of the judges that compared anything."""
    (delta, c), sd = aware.judges, aware.sd_of_judges
    every = listed(comparisons, delta, sd.delta, aware.share_of_verdicts)
    return [
        bias._replace(discrimination=float(c[bias.judge]), sd_of_discrimination=float(sd.c[bias.judge]))
        for bias in every
    ]


def _standings(
    quantity: Quantity,
    wanted: Wanted,
    pairs_of: PairsOf,
    attenuation: Floats,
    convergence: Convergence,
    comparisons: Comparisons,
    model: Model,
) -> Standings:
    table, confidence = summary_of(quantity, wanted, pairs_of, attenuation)
    scores = scores_of(quantity)
    votes, prior = float(comparisons.weight.sum()), 1.0 / model.prior.precision[: model.n]
    return Standings(
        table=_with_counts(table, comparisons),
        convergence=convergence,
        entropy=entropy(scores.covariance) if scores.covariance.has_matrix else None,
        confidence=confidence,
        forecast=forecast(quantity, table.sd, pairs_of(scores.mean), prior, votes, confidence) if confidence else [],
    )


def _with_counts(table: Table, comparisons: Comparisons) -> Table:
    n = len(table.rank)
    times = np.bincount(np.append(comparisons.first, comparisons.second), minlength=n)
    return table._replace(comparisons=times, component=components(comparisons, n))


def summary_of(
    quantity: Quantity, wanted: Wanted, pairs_of: PairsOf = all_pairs, attenuation: Floats = VOTES
) -> tuple[Table, Confidence | None]:
    """The ranking of what is ranked, without counts of comparisons, and the confidence in it.

    No confidence where there are no two candidates, nor, of very many, in some of their pairs.

    Args: the covariance should be exact (posterior.exact); `attenuation` of verdicts is for win rates by scores.
    """
    scores = scores_of(quantity)
    rank, kinds = intervals.ranks(scores.mean), pairs_of(scores.mean)
    if isinstance(scores.covariance, SparseCovariance):
        table, confidence = _by_few_draws(scores, scores.covariance, rank, wanted, attenuation)
        confidence = confidence if kinds.meets.size == 1 else None
    else:
        table, confidence = _by_draws(quantity, rank, wanted, matching(kinds), attenuation)
    return table._replace(rank=rank, score=_rounded(scores.mean - scores.mean.mean(), rank)), confidence


def _rounded(score: Floats, rank: Ints) -> Floats:
    """(N,) scores; those who share a rank differ by rounding, and share one. None is -0."""
    return np.round(shared(score, rank), DECIMALS) + 0.0


def _by_draws(
    quantity: Quantity, rank: Ints, wanted: Wanted, pairs: Bools, attenuation: Floats
) -> tuple[Table, Confidence | None]:
    """What draws say, and the normals where they are true to the posterior."""
    scores, level, values = scores_of(quantity), wanted.level, drawn_values(quantity)
    drawn, alike, sd = intervals.ranks_of(values), interchangeable(scores), intervals.relative_sd(scores.covariance)
    of_scores = None if not scores.has_votes else values if scores is quantity else drawn_values(scores, len(values))
    if isinstance(quantity, WinRates):
        win_rate = win_rates.Rates(quantity.mean, intervals.interval_of(values, level, quantity.mean))
    else:
        win_rate = win_rates.rates(values, attenuation, level)
    if is_drawn(quantity):
        rank_interval = widest(intervals.drawn_rank_intervals(rank, drawn, level), alike)
        tie_group = tie_groups(scores, rank_interval, level, wanted.epsilon, values)
    else:
        rank_interval = widest(intervals.rank_intervals(scores.mean, sd, level, drawn), alike)
        tie_group = tie_groups(scores, rank_interval, level, wanted.epsilon)
    table = Table(
        sd=sd,
        interval=shared(intervals.marginal_intervals(scores, sd, level, of_scores), alike),
        rank_interval=rank_interval,
        p_best=shared((drawn == 1).mean(axis=0), alike),
        p_top_k=shared((drawn <= wanted.top_k).mean(axis=0), alike),
        tie_group=tie_group,
        win_rate=shared(win_rate.mean, alike),
        win_rate_interval=shared(win_rate.interval, alike),
    )
    return table, confidence_of(quantity, drawn, pairs, level)


def _by_few_draws(
    scores: Scores, covariance: SparseCovariance, rank: Ints, wanted: Wanted, attenuation: Floats
) -> tuple[Table, Confidence | None]:
    """Conceptually: `_by_draws` with np.linalg.inv(H)."""
    mean, level, n = scores.mean, wanted.level, len(scores.mean)
    tally = very_many.tally(mean, covariance, rank, wanted.top_k, np.random.default_rng(DRAWS_SEED))
    scores, sd = scores._replace(covariance=tally.covariance), tally.sd
    interval, rank_interval = intervals.marginal_intervals(scores, sd, level), intervals.rank_intervals(mean, sd, level)
    win_rate = win_rates.rates_of_marginals(mean - mean.mean(), sd, interval, attenuation)
    table = Table(
        sd=sd,
        interval=interval,
        rank_interval=rank_interval,
        p_best=tally.p_best,
        p_top_k=tally.p_top_k,
        tie_group=tie_groups(scores, rank_interval, level, wanted.epsilon),
        win_rate=win_rate.mean,
        win_rate_interval=win_rate.interval,
    )
    return table, by_shares(tally.in_order, n * (n - 1) // 2, level) if n > 1 else None


def interchangeable(posterior: Scores) -> Ints:
    """(N,) the first candidate with which each may swap names and leave the posterior as it is.

    That is i where mean_i = mean_j, Sigma_ii = Sigma_jj, and Sigma_ik = Sigma_jk for every other k, up to rounding,
    of covariances relative to the largest variance where that is above 1. Rows that differ do so in sum_k Sigma_ik x_k,
    without i and j, of one of two x that have nothing to do with them.
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
