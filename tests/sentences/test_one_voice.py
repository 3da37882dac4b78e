"""What a ranking says about its confidence never contradicts itself, whatever was judged and whatever is asked."""

from functools import cache, partial
from itertools import combinations, pairwise

import numpy as np
import pytest
from nextpair.words import InferenceTargetName
from scipy.special import expit

from app.inference.choosing import RANKING, Goal, Stop, goal_kinds
from app.inference.choosing.stopping import counts_of, reason
from app.inference.fitting import Method, Published, no_absolute_scores
from app.inference.reporting import Standings, Wanted, beside_one, by_posterior, predict, signal_of, summary_of
from app.inference.targets import Quantity, publish_for, quantity_of
from app.inference.types import Comparisons, Ints, once_each
from app.offline.ranking import judged_alone
from app.sentences.confidence import evidence, first_place
from app.sentences.lists import NAMED

N, LOGS = 6, 4
LEVEL, OF_DRAWS = 0.9, 0.03  # of a goal; how far figures from different draws may be apart
GOALS = (RANKING, Goal(top_k=1), Goal(top_k=3), Goal(against=2), Goal(pair=(0, 1)))
ROUNDING = 1e-9
KINDS = ("votes", "ties", "saturated", "probabilities")
TARGETS: tuple[InferenceTargetName, ...] = ("all-pairs", "new-items", "people", "latent")


def random_log(seed: int) -> tuple[Comparisons, Ints]:
    """Up to a round robin by two judges on three prompts, by a consistent or a noisy judge."""
    rng = np.random.default_rng(seed)
    s = rng.standard_normal(N) * rng.choice([0.1, 1.0, 3.0])
    first, second = np.triu_indices(N, 1)
    every = rng.permutation(np.tile(np.stack([first, second]), 2).T)[: rng.integers(4, 2 * len(first))]
    d = s[every[:, 0]] - s[every[:, 1]] + rng.choice([0.0, 1.0]) * rng.logistic(size=len(every))
    p = {
        "votes": (d > 0.0).astype(float),
        "ties": np.where(np.abs(d) < 0.7, 0.5, d > 0.0),
        "saturated": np.where(d > 0.0, 0.999, 0.001),
        "probabilities": expit(d),
    }[KINDS[seed % len(KINDS)]]
    judge, item = rng.integers(2, size=len(every)), rng.integers(3, size=len(every))
    return once_each(every[:, 0].astype(np.int64), every[:, 1].astype(np.int64), p, judge), item


@cache
def ranked(target: InferenceTargetName, seed: int) -> tuple[Published, Quantity]:
    answers, item = random_log(seed)
    published = publish_for(target, answers, item, no_absolute_scores(), Method(verdict_weight="learnt"), N, 2)
    has = judged_alone(item, answers.first, answers.second, N)
    return published, quantity_of(target, published, answers, item, has, np.array([True, False]))


def standings_of(target: InferenceTargetName, seed: int, wanted: Wanted, goal: Goal = RANKING) -> Standings:
    published, quantity = ranked(target, seed)
    return by_posterior(published, wanted, partial(goal_kinds, goal), quantity)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", range(LOGS))
def test_a_ranking_does_not_contradict_itself(target: InferenceTargetName, seed: int) -> None:
    standings = standings_of(target, seed, Wanted())
    table, (best, worst) = standings.table, standings.table.rank_interval.T
    assert ((best <= table.rank) & (table.rank <= worst)).all()
    assert (table.win_rate_interval[:, 0] <= table.win_rate_interval[:, 1]).all()
    assert ((table.win_rate >= 0.0) & (table.win_rate <= 1.0)).all()
    for certain in np.flatnonzero(table.p_best == 1.0):
        assert (best[certain], worst[certain]) == (1, 1)
        assert (table.p_best[table.tie_group == table.tie_group[certain]] == 1.0).all()
    apart = worst[:, None] < best
    assert (table.tie_group[:, None] < table.tie_group)[apart].all()
    win_rate = summary_of(ranked(target, seed)[1], Wanted())[0].win_rate
    assert win_rate.mean() == pytest.approx(0.5, abs=0.03 if target == "all-pairs" else 0.01)
    assert table.p_best.sum() >= 1.0 - 1e-9
    assert standings.confidence is not None
    shares = [standings.confidence.expected_concordance, *(each.expected_concordance for each in standings.forecast)]
    assert all(later >= sooner - 1e-3 for sooner, later in pairwise(shares))
    order = table.best_first
    p_best = table.p_best[order].tolist()
    answers, item = random_log(seed)
    signal = signal_of(answers, N, item, new_items=target == "new-items")
    keys = [f"<{candidate}>" for candidate in order.tolist()]
    places = list(zip(keys, table.rank[order].tolist(), p_best, strict=True))
    place = first_place(places, answers.size, signal)
    assert place.sentence
    assert place.claimed == (signal.claimed and p_best[0] >= 0.95)
    assert "100%" not in place.sentence or p_best[0] == 1.0
    shared = [key for key, rank, chance in places if rank == 1 or chance >= 0.95]
    assert [key in place.sentence for key in keys] == [key in shared[:NAMED] for key in keys]
    alone = f"{keys[0]} leads", f"{keys[0]} is the best"
    assert any(each in place.sentence for each in alone) is (len(shared) == 1)
    assert ("P(best)" in place.sentence or "Shared first" in place.sentence) is signal.claimed
    assert place.sentence.startswith(evidence(signal)) is not signal.claimed


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", range(LOGS // 2))
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_every_interval_holds_its_estimate(target: InferenceTargetName, seed: int, level: float) -> None:
    published, quantity = ranked(target, seed)
    standings = standings_of(target, seed, Wanted(level=level), GOALS[seed % len(GOALS)])
    assert standings.confidence is not None
    estimates = [(standings.confidence.expected_concordance, standings.confidence.interval)]
    table = standings.table
    estimates += zip(table.rank.tolist(), table.rank_interval.tolist(), strict=True)
    estimates += zip(table.score.tolist(), table.interval.tolist(), strict=True)
    estimates += zip(table.win_rate.tolist(), table.win_rate_interval.tolist(), strict=True)
    for i, j in combinations(range(N), 2):
        beside = beside_one(quantity, published, target, i, j, level)
        assert beside.win_rate is not None
        assert beside.win_rate_interval is not None
        estimates += [(beside.win_rate, beside.win_rate_interval), (beside.difference, beside.interval)]
    assert [each for each, (low, high) in estimates if not low - ROUNDING <= each <= high + ROUNDING] == []


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", range(LOGS // 2))
def test_a_goal_is_reached_where_the_ranking_says_so(target: InferenceTargetName, seed: int) -> None:
    published, quantity = ranked(target, seed)
    for goal in GOALS:
        met = reason(published.scores, published.model, Stop(goal=LEVEL), goal, quantity)
        if goal == RANKING:  # which is no claim
            assert met is None
            continue
        certain = counts_of(quantity).probability(goal)
        assert met == ("goal" if certain >= LEVEL else None)
        standings = standings_of(target, seed, Wanted(), goal)
        assert standings.confidence is not None
        assert certain <= standings.confidence.expected_concordance + OF_DRAWS
        if goal.top_k == 1:
            leader = standings.table.best_first[0]
            assert certain == pytest.approx(standings.table.p_best[leader], abs=OF_DRAWS)
        if goal.pair:
            i, j = sorted(goal.pair, key=lambda candidate: -quantity.mean[candidate])
            assert certain <= predict(quantity, i, j).p_first_better + OF_DRAWS or quantity.mean[i] == quantity.mean[j]
    for i, j in ((0, 1), (2, 5)):
        there, back = (predict(quantity, *pair).p_first_better for pair in ((i, j), (j, i)))
        assert there + back == pytest.approx(1.0)


@pytest.mark.parametrize("target", TARGETS)
def test_more_places_are_never_less_likely(target: InferenceTargetName) -> None:
    of_one, of_three = (standings_of(target, 1, Wanted(top_k=top_k)).table.p_top_k for top_k in (1, 3))
    assert (of_three >= of_one).all()
