"""Whether a judge repeats itself, by what it answered when it was asked the same again."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import expit

from app.inference.fitting import (
    Gains,
    Method,
    Published,
    Repetition,
    gains_of,
    no_absolute_scores,
    publish,
    record_of,
    repetition_of,
)
from app.inference.fitting.repetition import ALIKE, CONSISTENT, LAPSE, RECORDED, SCALES, SHARES, USUAL
from app.inference.types import Comparisons, Floats, by_one_judge, once_each, take

ONE_VOTE, LEARNT = Method(), Method(verdict_weight="learnt")


def fitted(log: Comparisons, n: int, method: Method = ONE_VOTE) -> Published:
    item, judges = np.zeros(log.size, np.int64), int(log.judge.max()) + 1
    return publish(log, item, no_absolute_scores(), method, n, judges)


def known_of(log: Comparisons, n: int, before: Floats | None = None, method: Method = ONE_VOTE) -> Repetition:
    before = np.full(int(log.judge.max()) + 1, np.nan) if before is None else before
    return repetition_of(fitted(log, n, method), log, np.zeros(log.size, np.int64), before)


def asked(pairs: list[tuple[int, int]], p: list[float]) -> Comparisons:
    first, second = np.array(pairs, np.int64).T
    return by_one_judge(first, second, np.array(p))


def odds(w1: float) -> float:
    return w1 / (1.0 - w1)


@pytest.mark.parametrize("votes", [[1.0, 1.0], [1.0, 0.0, 1.0, 1.0], [0.5, 1.0, 1.0], [0.5, 0.5, 0.5, 0.0]])
def test_the_odds_gain_by_the_probability_of_all_votes(votes: list[float]) -> None:
    """Slow formula: draws of s, and the three answers one by one (seed 0)."""
    others = [1.0, 1.0, 0.0]
    log = asked([(0, 1)] * len(votes) + [(1, 2), (0, 2), (2, 3)], [*votes, *others])
    rng = np.random.default_rng(0)
    s = rng.standard_normal((1_000_000, 4)) * np.sqrt(rng.choice(SCALES, (1_000_000, 1), p=SHARES))
    ties, beside, d = votes.count(0.5) / log.size, np.ones(len(s)), s[:, 0] - s[:, 1]
    for (i, j), p in zip([(1, 2), (0, 2), (2, 3)], others, strict=True):
        beside = beside * expit((s[:, i] - s[:, j]) * (2.0 * p - 1.0))
    q = {1.0: (1.0 - ties) * expit(d), 0.0: (1.0 - ties) * expit(-d), 0.5: np.full(len(d), ties)}
    a = np.sqrt(1.0 - LAPSE)
    repeating = sum(
        q[lasting] * np.prod([(1.0 - a) * q[p] + a * (p == lasting) for p in votes], axis=0) for lasting in q
    )
    drawing = np.prod([q[p] for p in votes], axis=0)
    expected = odds(USUAL) * (beside * repeating).mean() / (beside * drawing).mean()
    known = known_of(log, 4)
    assert np.log(odds(known.probability[0])) == pytest.approx(np.log(expected), abs=0.2)
    most = max(votes.count(p) for p in q)
    assert (known.repeats[0], known.alike[0]) == (len(votes) - 1, most - 1)


def test_the_same_again_is_worth_the_more_the_less_it_was_to_be_expected() -> None:
    """Candidate 0 won against 2 to 21, who won against 1; 22 and 23 were not compared with anybody else."""
    between = [pair for k in range(2, 22) for pair in ((0, k), (k, 1))]
    for pair, is_close in (((22, 23), True), ((0, 1), False)):
        for answers, agrees in (([1.0, 1.0], True), ([1.0, 0.0], False)):
            log = asked([*between, pair, pair], [1.0] * len(between) + answers)
            gain = odds(known_of(log, 24).probability[0]) / odds(USUAL)
            if not agrees:
                assert gain == pytest.approx(LAPSE, rel=0.6)
            elif is_close:
                assert 1.1 < gain < 2.0
            else:
                assert 0.99 < gain < 1.1


def test_a_judge_whom_nobody_asked_again_counts_as_one_who_draws() -> None:
    once = asked([(0, 1), (1, 2), (2, 0)], [1.0, 1.0, 0.0])
    known = known_of(once, 3)
    assert (known.probability[0], known.supposed[0], known.repeats[0]) == (0.0, pytest.approx(USUAL), 0)
    recorded = known_of(once, 3, np.array([0.9]))
    assert recorded.probability[0] == recorded.supposed[0] == pytest.approx(0.9)


@pytest.mark.parametrize("declared", [0.0, 1.0])
def test_who_is_declared_stays_so_whatever_it_answers(declared: float) -> None:
    for answers in ([1.0, 1.0], [1.0, 0.0]):
        known = known_of(asked([(0, 1)] * 2, answers), 2, np.array([declared]))
        assert known.probability.tolist() == [declared]
        assert known.alike[0] == (answers[0] == answers[1])


BIASED = Method(position_bias="estimate")


def shown_both_ways(answers: list[float]) -> Comparisons:
    """Six candidates, each pair of neighbours once, and as many of these the other way round as there are answers."""
    forth = [(0, 1), (1, 2), (3, 2), (3, 4), (5, 4), (0, 5)]
    return asked([*forth, *((j, i) for i, j in forth[: len(answers)])], [1.0, 1.0, 0.0, 1.0, 0.0, 1.0, *answers])


def asked_again(times: int) -> Comparisons:
    """Six candidates, each pair of neighbours once, and so many of these once more."""
    once = shown_both_ways([])
    return take(once, np.append(np.arange(once.size), np.arange(times)))


def test_answers_alike_in_either_order_show_a_judge_who_repeats_itself_and_has_no_bias() -> None:
    """Each of four is worth less than two doublings and more than none; one that differs leaves the other two."""
    alike = [known_of(shown_both_ways([0.0, 0.0, 1.0, 0.0][:swaps]), 6, method=BIASED) for swaps in range(5)]
    assert [(int(known.swaps[0]), int(known.swaps_alike[0])) for known in alike] == [(swaps,) * 2 for swaps in range(5)]
    assert (alike[0].probability[0], alike[0].consistent[0]) == (0.0, 0.0)
    assert alike[0].supposed_consistent[0] == pytest.approx(CONSISTENT * USUAL)
    for one, other in pairwise(alike):
        assert 1.2 < odds(other.supposed_consistent[0]) / odds(one.supposed_consistent[0]) < 4.0
    differs = known_of(shown_both_ways([0.0, 0.0, 0.0]), 6, method=BIASED)
    assert differs.consistent[0] < 0.1
    moved = USUAL * (1.0 - CONSISTENT) / (USUAL * (1.0 - CONSISTENT) + 1.0 - USUAL)
    assert 0.6 * moved < differs.probability[0] - differs.consistent[0] < moved  # a little less: it shows no bias


def test_without_a_bias_in_the_model_the_other_order_is_the_same_question() -> None:
    turned, same = (known_of(log, 6) for log in (shown_both_ways([0.0, 0.0, 1.0]), asked_again(3)))
    assert (turned.repeats[0], turned.alike[0], turned.swaps[0]) == (3, 3, 0)
    assert turned.probability[0] == pytest.approx(same.probability[0])
    assert turned.supposed_consistent[0] == 0.0


def test_who_is_declared_to_repeat_itself_is_consistent_once_that_is_seen() -> None:
    declared = np.array([1.0])
    assert known_of(shown_both_ways([]), 6, declared, BIASED).consistent[0] == 0.0
    alike = known_of(shown_both_ways([0.0, 0.0, 1.0]), 6, declared, BIASED)
    assert alike.probability[0] == 1.0
    assert CONSISTENT < alike.consistent[0] < 1.0


def test_a_record_grows_with_answers_alike_and_falls_with_others_and_is_never_certain() -> None:
    """Of even pairs an answer alike multiplies the odds by (1 - .02 / 2) / (1 / 2), in the other order of one kind."""
    alike, changed = gains_of(1.0, 1.0, 0.0, 0.0, turned=False), gains_of(1.0, 0.0, 0.0, 0.0, turned=False)
    each = np.log((1.0 - 0.5 * LAPSE) / 0.5)
    assert alike == pytest.approx((each, each))
    assert changed == pytest.approx((np.log(LAPSE), np.log(LAPSE)))
    assert gains_of(1.0, 0.0, 0.0, 0.0, turned=True) == pytest.approx((0.0, each))
    assert gains_of(1.0, 1.0, 0.0, 0.0, turned=True) == pytest.approx((0.0, np.log(LAPSE)))
    assert 0.0 < gains_of(1.0, 1.0, 4.0, 0.5, turned=False).moved < 0.03  # as was to be expected
    assert gains_of(0.731, 0.732, 0.0, 1.0, turned=False).moved > 0.6
    assert gains_of(0.731, 0.831, 0.0, 1.0, turned=False).moved == pytest.approx(np.log(LAPSE))
    assert odds(record_of(Gains(2 * each, 2 * each))) == pytest.approx(odds(USUAL) * np.exp(2 * each))
    assert odds(record_of(Gains(0.0, each))) == pytest.approx(
        odds(USUAL) * (1.0 - CONSISTENT + CONSISTENT * np.exp(each))
    )
    assert (record_of(Gains(9.0, 9.0)), record_of(Gains(-9.0, -9.0))) == (1.0 - RECORDED, RECORDED)


def test_one_answer_more_decides_about_measurements() -> None:
    rng, first, second = np.random.default_rng(3), *np.triu_indices(5, 1)
    p = expit(rng.standard_normal(10))
    for again, repeats in ((p[0] + 0.5 * ALIKE, True), (p[0] + 5.0 * ALIKE, False)):
        log = by_one_judge(np.append(first, first[0]), np.append(second, second[0]), np.append(p, again))
        w1 = known_of(log, 5, method=LEARNT).probability[0]
        assert w1 > 0.94 if repeats else w1 < 0.03
    rounded = by_one_judge(np.append(first, first[0]), np.append(second, second[0]), np.append([1.0, *p[1:]], 1.0))
    assert 0.0 < known_of(rounded, 5, method=LEARNT).probability[0] < 1.0
    turned = by_one_judge(np.append(first, second[0]), np.append(second, first[0]), np.append(p, 1.0 - p[0]))
    assert known_of(turned, 5, method=LEARNT).repeats[0] == 0  # the other order is no repeat


def test_labels_and_lines_do_not_matter() -> None:
    rng = np.random.default_rng(4)
    log = once_each(
        rng.integers(3, size=40), 3 + rng.integers(2, size=40), rng.choice([0.0, 0.5, 1.0], 40), np.arange(40) % 2
    )
    before, place = np.array([np.nan, 0.4]), rng.permutation(5)
    moved = take(
        log._replace(first=place[log.first], second=place[log.second], judge=1 - log.judge), rng.permutation(40)
    )
    expected, actual = known_of(log, 5, before), known_of(moved, 5, before[::-1])
    for there, here in zip(expected, actual, strict=True):
        np.testing.assert_allclose(here[::-1], there, rtol=1e-6)


def test_a_row_that_stands_for_several_answers_is_as_many_rows() -> None:
    rows = asked([(0, 1)] * 4 + [(0, 1)] * 2 + [(1, 2)], [1.0] * 4 + [0.0] * 2 + [1.0])
    sums = asked([(0, 1), (0, 1), (1, 2)], [1.0, 0.0, 1.0])._replace(weight=np.array([4.0, 2.0, 1.0]))
    for there, here in zip(known_of(rows, 3), known_of(sums, 3), strict=True):
        np.testing.assert_allclose(here, there, rtol=1e-6)


def test_of_judges_with_the_same_odds_as_many_repeat_themselves() -> None:
    """400 judges of new candidates each, a share USUAL of whom repeats itself: w1 is right on average (seed 5)."""
    rng = np.random.default_rng(5)
    each, repeats = list[float](), rng.random(400) < USUAL
    for does in repeats:
        s = rng.standard_normal(3) * np.sqrt(rng.choice(SCALES, p=SHARES))
        first, second = np.array([0, 1, 0] * 2), np.array([1, 2, 2] * 2)
        drawn = rng.random((3, 3)) < expit(s[first] - s[second])[:3]
        lasts = does & (rng.random((2, 3)) < np.sqrt(1.0 - LAPSE))
        log = by_one_judge(first, second, np.where(lasts, drawn[2], drawn[:2]).ravel().astype(float))
        each.append(float(known_of(log, 3).probability[0]))
    w1 = np.array(each)
    is_sure = w1 > 0.5
    assert repeats[is_sure].mean() == pytest.approx(w1[is_sure].mean(), abs=0.05)
    assert repeats[~is_sure].mean() == pytest.approx(w1[~is_sure].mean(), abs=0.05)


def test_a_crowd_of_who_draws_is_not_taken_to_repeat_itself() -> None:
    """25 votes on random pairs of 5, drawn anew: w1 is 0.95 in at most a share .05 of 100 logs (seeds 0 to 99)."""
    w1 = list[float]()
    for seed in range(100):
        rng = np.random.default_rng(seed)
        s, first = 1.5 * rng.standard_normal(5), rng.integers(5, size=25)
        second = (first + 1 + rng.integers(4, size=25)) % 5
        log = by_one_judge(first, second, (rng.random(25) < expit(s[first] - s[second])).astype(float))
        w1.append(float(known_of(log, 5, method=BIASED).probability[0]))
    assert np.mean(np.array(w1) >= 0.95) <= 0.05


def test_coins_without_a_bias_gain_no_more_than_a_doubling_by_an_answer_alike() -> None:
    """110 coins on 20 candidates, and up to five of them alike in the other order (seeds 0 to 4)."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        first, second = (pairs[:110] for pairs in rng.permutation(np.array(np.triu_indices(20, 1)), axis=1))
        p = rng.integers(2, size=110).astype(float)
        for swaps in range(1, 6):
            log = by_one_judge(
                np.append(first, second[:swaps]), np.append(second, first[:swaps]), np.append(p, 1.0 - p[:swaps])
            )
            w1 = known_of(log, 20, method=BIASED).probability[0]
            assert odds(w1) < 2.2**swaps * odds(USUAL)
