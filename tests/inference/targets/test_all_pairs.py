"""Win rates of all pairs: known where a judge said it, drawn by the model where it did not."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import expit, logit

from app.inference.fitting import (
    AbsoluteScores,
    Method,
    Published,
    no_absolute_scores,
    repeat_correlations,
    repetition_of,
)
from app.inference.reporting import Wanted, summary_of
from app.inference.targets import WinRates, drawn_values, publish_for, quantity_of
from app.inference.targets.all_pairs import Lasting, RoundAnswers, asked_in, mean_verdicts, on_all_pairs
from app.inference.targets.drawing import draw_scores
from app.inference.types import Bools, Comparisons, Floats, Ints, by_one_judge, join, no_comparisons, once_each, take
from app.offline.ranking import judged_alone

LEARNT = Method(verdict_weight="learnt")
DRAWS = 40_000


def win_rates(answers: Comparisons, n: int, item: Ints | None = None, method: Method = LEARNT) -> WinRates:
    item = np.zeros(answers.size, np.int64) if item is None else item
    judges = int(answers.judge.max(initial=-1)) + 1
    published = publish_for("all-pairs", answers, item, no_absolute_scores(), method, n, judges)
    return drawn_by(published, answers, item, judged_alone(item, answers.first, answers.second, n))


def drawn_by(published: Published, answers: Comparisons, item: Ints, has: Bools) -> WinRates:
    rho = repeat_correlations(published, item, int(answers.judge.max(initial=-1)) + 1)
    lasting = Lasting(np.sqrt(rho), np.ones(len(rho)), np.zeros(len(rho)))
    return on_all_pairs(published, asked_in(published, answers, item, has), lasting, np.random.default_rng(0))


def round_robin(n: int, p: Floats) -> Comparisons:
    """All pairs i < j, with p[i, j]."""
    first, second = np.triu_indices(n, 1)
    return by_one_judge(first.astype(np.int64), second.astype(np.int64), p[first, second])


class Pair(NamedTuple):
    """One pair of one judge: the answers with 0 shown first, and with 1 shown first."""

    d: float
    delta: float = 0.0
    forth: float = np.nan
    back: float = np.nan
    sd: float = 0.0
    rho: float = 1.0
    times: tuple[float, float] | None = None


def drawn(pair: Pair, seed: int = 0) -> Floats:
    """(DRAWS,) verdicts on 0 against 1."""
    p = np.full((1, 2, 2), np.nan)
    p[0, 0, 1], p[0, 1, 0] = pair.forth, pair.back
    forth, back = pair.times or (0.0 if np.isnan(pair.forth) else 1.0, 0.0 if np.isnan(pair.back) else 1.0)
    times = np.zeros((1, 2, 2))
    times[0, 0, 1], times[0, 1, 0] = forth, back
    scores = np.repeat([[pair.d], [0.0]], DRAWS, axis=1)
    has, sd, rho = (
        np.ones((1, 2), np.bool_),
        np.full((1, DRAWS), pair.sd),
        np.full((1, DRAWS), pair.rho),
    )
    bias = np.full((1, DRAWS), pair.delta)
    asked = RoundAnswers(np.zeros(1, np.int64), has, p, times)
    verdicts: Floats = mean_verdicts(scores, bias, asked, sd, rho, np.random.default_rng(seed))[0]
    return verdicts


@pytest.mark.parametrize("cast", [0.0, 1.0])
@pytest.mark.parametrize("delta", [-0.8, 0.8])
@pytest.mark.parametrize("shown_first", [0, 1])
def test_a_vote_in_one_order_tells_of_the_other_as_the_same_error_does(
    cast: float, delta: float, shown_first: int
) -> None:
    """Slow formula: logistic errors are drawn, and those kept that give the vote that was cast."""
    error = np.random.default_rng(1).logistic(size=400_000)
    forth, back = 0.3 + delta + error > 0.0, 0.3 - delta + error > 0.0
    was_cast = forth if shown_first == 0 else back
    for_0 = cast if shown_first == 0 else 1.0 - cast
    expected = 0.5 * (forth.astype(float) + back)[was_cast == bool(for_0)].mean()
    pair = Pair(0.3, delta, forth=cast) if shown_first == 0 else Pair(0.3, delta, back=cast)
    assert drawn(pair).mean() == pytest.approx(expected, abs=0.01)


def test_a_vote_that_was_not_cast_is_drawn_from_the_scores() -> None:
    verdicts = drawn(Pair(0.7))
    assert set(np.unique(verdicts)) == {0.0, 1.0}
    assert verdicts.mean() == pytest.approx(expit(0.7), abs=0.01)
    assert drawn(Pair(0.7, delta=1.0)).mean() == pytest.approx(0.5 * (expit(1.7) + expit(-0.3)), abs=0.01)


def test_scores_far_apart_decide_alike_in_every_draw() -> None:
    """Their odds are no finite numbers; nor are those of close scores beside the odds of another draw."""
    scores = np.array([[900.0, 1.0], [-900.0, 0.0], [-950.0, -1.0]]).repeat([1, 40_000], axis=1)
    nothing = np.full((1, 3, 3), np.nan)
    asked = RoundAnswers(np.zeros(1, np.int64), np.ones((1, 3), np.bool_), nothing, np.zeros((1, 3, 3)))
    none, all_of_it = np.zeros((1, scores.shape[1])), np.ones((1, scores.shape[1]))
    verdicts = mean_verdicts(scores, none, asked, none, all_of_it, np.random.default_rng(0))
    np.testing.assert_array_equal(verdicts[:, 0], [1.0, 0.5, 0.0])
    expected = [expit(scores[i, 1] - np.delete(scores[:, 1], i)).mean() for i in range(3)]
    np.testing.assert_allclose(verdicts[:, 1:].mean(axis=1), expected, atol=0.01)


def test_a_probability_in_one_order_tells_the_other_up_to_the_bias() -> None:
    y = logit(0.8)
    assert drawn(Pair(9.0, 0.4, forth=0.8, sd=1.0)) == pytest.approx(0.5 * (0.8 + expit(y - 0.8)))
    assert drawn(Pair(9.0, 0.4, back=0.8, sd=1.0)) == pytest.approx(0.5 * (0.2 + expit(-y + 0.8)))
    errors = 0.7 * np.random.default_rng(2).standard_normal(400_000)
    assert drawn(Pair(1.0, sd=0.7)).mean() == pytest.approx(expit(1.0 + errors).mean(), abs=0.005)


def test_votes_that_differ_leave_a_lasting_verdict_open() -> None:
    """Slow formula: Bayes over the two lasting verdicts."""
    rho, q, won, lost = 0.6, expit(0.4), 3, 1
    fresh = 1.0 - rho
    for_it = q * (rho + fresh * q) ** won * (fresh * (1.0 - q)) ** lost
    against = (1.0 - q) * (fresh * q) ** won * (rho + fresh * (1.0 - q)) ** lost
    expected = rho * for_it / (for_it + against) + fresh * q
    verdicts = drawn(Pair(0.4, forth=0.75, rho=rho, times=(4.0, 0.0)))
    assert verdicts.mean() == pytest.approx(expected, abs=0.01)
    assert drawn(Pair(0.4, rho=0.0)) == pytest.approx(q)


def test_thousands_of_votes_on_a_pair_do_not_underflow() -> None:
    """They are for it in one order and against in the other, which no bias explains: the lasting vote is open."""
    even = drawn(Pair(0.0, forth=0.9, back=0.9, rho=0.5, times=(4_000.0, 4_000.0)))
    assert even.mean() == pytest.approx(0.5, abs=0.05)
    for_it = drawn(Pair(0.0, forth=0.7, rho=0.5, times=(5_000.0, 0.0)))
    assert for_it == pytest.approx(0.75)


def test_a_measurement_that_does_not_come_back_is_its_mean_whatever_was_measured() -> None:
    """Slow formula: errors drawn anew for each answer."""
    d, delta, sd, rng = 0.9, 0.5, 1.3, np.random.default_rng(11)
    e = sd * rng.standard_normal((2, 400_000))
    expected = 0.5 * (expit(d + delta + e[0]) + expit(d - delta + e[1])).mean()
    for forth, back in ((np.nan, np.nan), (0.01, np.nan), (0.01, 0.99)):
        verdicts = drawn(Pair(d, delta, forth, back, sd, rho=0.0))
        assert verdicts == pytest.approx(expected, abs=0.01)
        assert np.ptp(verdicts) == 0.0


def test_a_part_of_the_draws_has_a_judge_who_repeats_itself() -> None:
    """In w1 of them the pair that was won is won, and in the others as often as the scores say: P(best), by parts."""
    log, item, has = round_robin(2, np.ones((2, 2))), np.zeros(1, np.int64), np.ones((1, 2), np.bool_)
    published = publish_for("all-pairs", log, item, no_absolute_scores(), Method(), 2, 1)
    values = {
        w1: on_all_pairs(
            published,
            asked_in(published, log, item, has),
            Lasting(np.ones(1), np.array([w1]), np.zeros(1)),
            np.random.default_rng(0),
        ).values[:, 0]
        for w1 in (0.0, 0.3, 1.0)
    }
    assert (values[1.0] == 1.0).all()
    assert (values[0.3] == 1.0).mean() == pytest.approx(0.3, abs=1e-3)
    assert values[0.3].mean() == pytest.approx(0.3 + 0.7 * values[0.0].mean(), abs=0.01)


def test_a_lasting_verdict_has_its_order_too() -> None:
    """Slow formula: the judge repeats what one error gave it in each order, or judges again; draws as it did judge."""
    rho, d, delta, rng, size = 0.6, 0.4, 0.9, np.random.default_rng(7), 1_000_000
    error = rng.logistic(size=size)
    lasting, q = np.stack([d + delta + error > 0.0, d - delta + error > 0.0]), expit(np.array([d + delta, d - delta]))
    votes = [np.where(rng.random(size) < rho, lasting[k], rng.random(size) < q[k]) for k in (0, 0, 1)]
    as_it_did = votes[0] & ~votes[1] & ~votes[2]
    expected = rho * lasting[:, as_it_did].mean() + (1.0 - rho) * q.mean()
    verdicts = drawn(Pair(d, delta, forth=0.5, back=1.0, rho=rho, times=(2.0, 1.0)))
    assert verdicts.mean() == pytest.approx(expected, abs=0.005)
    assert drawn(Pair(d, delta, rho=rho)).mean() == pytest.approx(q.mean(), abs=0.005)


@pytest.mark.parametrize("kind", ["votes", "saturated", "probabilities"])
def test_all_pairs_in_is_all_known(kind: str) -> None:
    s, n = np.random.default_rng(3).standard_normal(9), 9
    d = s[:, None] - s
    p = {"votes": (d > 0.0).astype(float), "saturated": np.where(d > 0.0, 0.999, 0.001), "probabilities": expit(d)}[
        kind
    ]
    rates = win_rates(round_robin(n, p), n)
    p = np.round(p) if kind == "saturated" else p  # words
    np.fill_diagonal(p, 0.0)
    np.testing.assert_allclose(rates.values, np.tile(p.sum(axis=1) / (n - 1), (len(rates.values), 1)), atol=1e-9)
    ranking, confidence = summary_of(rates, Wanted())
    best = int(np.argmax(s))
    assert (ranking.p_best[best], ranking.rank_interval[best].tolist()) == (1.0, [1, 1])
    assert sorted(ranking.tie_group.tolist()) == list(range(1, n + 1))
    assert confidence is not None
    assert confidence.expected_concordance == 1.0


def test_words_said_as_probabilities_are_words() -> None:
    words = round_robin(8, (np.subtract.outer(np.arange(8.0), np.arange(8.0)) < 0.0).astype(float))
    some = take(words, np.random.default_rng(8).permutation(words.size)[:18])
    said = some._replace(p=np.where(some.p == 1.0, 0.999, 0.001))
    item, has = np.zeros(some.size, np.int64), np.ones((1, 8), np.bool_)
    rates = []
    for answers in (some, said):
        published = publish_for("all-pairs", answers, item, no_absolute_scores(), LEARNT, 8, 1)
        model, fixed = np.zeros(1, np.bool_), np.ones(1)
        known = repetition_of(published, answers, item, fixed)
        rates.append(drawn_values(quantity_of("all-pairs", published, answers, item, has, model, known=known)))
    np.testing.assert_allclose(rates[1].mean(axis=0), rates[0].mean(axis=0), atol=0.02)
    assert set(np.unique(np.round(7.0 * rates[1], 6))) <= set(range(8))


def test_what_ties_once_all_is_known_shares_its_place() -> None:
    p = np.array([[0.5, 0.5, 1.0], [0.5, 0.5, 1.0], [0.0, 0.0, 0.5]])
    ranking, _ = summary_of(win_rates(round_robin(3, p), 3), Wanted())
    assert ranking.rank.tolist() == [1, 1, 3]
    assert ranking.p_best.tolist() == [1.0, 1.0, 0.0]
    assert ranking.tie_group.tolist() == [1, 1, 2]
    assert ranking.rank_interval.tolist() == [[1, 1], [1, 1], [3, 3]]


def test_nothing_judged_leaves_all_alike() -> None:
    nobody = no_comparisons()
    published = publish_for("all-pairs", nobody, nobody.first, no_absolute_scores(), LEARNT, 5, 0)
    rates = drawn_by(published, nobody, nobody.first, np.ones((1, 5), np.bool_))
    ranking, _ = summary_of(rates, Wanted())
    np.testing.assert_allclose(ranking.win_rate, 0.5, atol=0.02)
    np.testing.assert_allclose(ranking.p_best, ranking.p_best.mean(), atol=0.03)
    assert set(ranking.tie_group.tolist()) == {1}


def some_log(seed: int, n: int = 7, count: int = 15, judges: int = 2) -> Comparisons:
    rng = np.random.default_rng(seed)
    first = rng.integers(n, size=count)
    second = (first + rng.integers(1, n, size=count)) % n
    s = rng.standard_normal(n)
    judge = rng.integers(judges, size=count)
    vote = (rng.random(count) < expit(s[first] - s[second])).astype(float)
    p = np.where(judge == 0, vote, expit(s[first] - s[second] + 0.3 * rng.standard_normal(count)))
    return once_each(first, second, p, judge)


def test_relabelling_relabels() -> None:
    log, place = some_log(4), np.random.default_rng(5).permutation(7)
    moved = log._replace(first=place[log.first], second=place[log.second])
    np.testing.assert_allclose(win_rates(moved, 7).values[:, place], win_rates(log, 7).values, atol=1e-6)


def test_judges_may_have_any_number() -> None:
    log = some_log(6)
    np.testing.assert_allclose(
        win_rates(log._replace(judge=1 - log.judge), 7).values, win_rates(log, 7).values, atol=1e-6
    )


def test_several_judges_count_alike() -> None:
    """Two judges who both judged the only pair: the mean of theirs."""
    log = once_each(np.array([0, 0]), np.array([1, 1]), np.array([1.0, 0.0]), np.array([0, 1]))
    np.testing.assert_allclose(win_rates(log, 2).values, 0.5)


def test_a_judge_who_said_the_same_again_said_it_once() -> None:
    log, has, p = some_log(7, judges=1), np.ones((1, 7), np.bool_), list[Floats]()
    for each in (log, join(log, take(log, slice(1)))):
        item = np.zeros(each.size, np.int64)
        published = publish_for("all-pairs", each, item, no_absolute_scores(), LEARNT, 7, 1)
        p.append(asked_in(published, each, item, has).p)
    np.testing.assert_array_equal(p[0], p[1])


@pytest.mark.parametrize("votes", [1.0, 2.0])
def test_a_judge_who_contradicts_itself_is_not_certain_whatever_its_verdict_weight(votes: float) -> None:
    """On each pair four answers of six are for the first one, in each order two of three; or all, and it is certain."""
    first, second = np.array([(0, 1), (0, 2), (1, 2)]).repeat(6, axis=0).T
    turned = np.tile([False, True], 9)
    won = np.tile([1.0, 1.0, 1.0, 1.0, 0.0, 0.0], 3)
    for p, is_certain in ((won, False), (np.ones(18), True)):
        log = by_one_judge(np.where(turned, second, first), np.where(turned, first, second), np.abs(turned - p))
        ranking, _ = summary_of(win_rates(log._replace(weight=np.full(18, votes)), 3, method=Method()), Wanted())
        assert (ranking.p_best[0] == 1.0) == is_certain
        assert (ranking.rank_interval.tolist() == [[1, 1], [2, 2], [3, 3]]) == is_certain


def test_candidates_without_an_output_are_not_asked_about() -> None:
    log = once_each(np.array([0, 1]), np.array([1, 2]), np.array([1.0, 1.0]), np.zeros(2, np.int64))
    item = np.array([0, 1])
    has = np.array([[True, True, False], [False, True, True]])
    published = publish_for("all-pairs", log, item, no_absolute_scores(), LEARNT, 3, 1)
    rates = drawn_by(published, log, item, has)
    np.testing.assert_allclose(rates.values, np.tile([1.0, 0.5, 0.0], (len(rates.values), 1)))
    assert (rates.verdicts, rates.judged, rates.known) == (2, 2, 2.0)


def test_a_candidate_who_cannot_be_asked_about_wins_as_often_as_its_score_says() -> None:
    """0 won both pairs, on two items; 3 has no output, and 4 the only one on a third. 3 has good absolute scores."""
    log = once_each(np.array([0, 0]), np.array([1, 2]), np.array([1.0, 1.0]), np.zeros(2, np.int64))
    item, has = np.array([0, 1]), np.array([[1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 0, 0, 0, 1]], np.bool_)
    absolute = AbsoluteScores(np.array([0, 1, 3]), np.ones(3, np.int64), np.array([0.0, -1.0, 1.0]), np.full(3, 0.5))
    published = publish_for("all-pairs", log, item, absolute, Method(absolute_scale="given"), 5, 2)
    rates = drawn_by(published, log, item, has)
    s, _ = draw_scores(published.scores, np.arange(5), np.random.default_rng(0), 50_000)
    wins = expit(s[:, :, None] - s[:, None]).mean(axis=0)
    expected = [(won + wins[i, 3] + wins[i, 4]) / (known + 2) for i, won, known in ((0, 2, 2), (1, 0, 1), (2, 0, 1))]
    expected += [np.delete(wins[i], i).mean() for i in (3, 4)]
    np.testing.assert_allclose(rates.mean, expected, atol=0.02)
    ranking, _ = summary_of(rates, Wanted())
    assert ranking.rank_interval[3:].tolist() == [[1, 5], [1, 5]]
    assert 0.1 < ranking.p_best[3] < 0.9
    assert (rates.verdicts, rates.judged, rates.known) == (2, 2, 2.0)
