"""Signal by simulation, seeds stated: chance and habits hardly ever give it, honest judges do."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy.special import expit, log_expit

from app.inference.choosing.asking import Order, present
from app.inference.reporting import signal
from app.inference.reporting.signal import CLAIMED, Units, log_evidence, signal_of
from app.inference.types import Bools, Comparisons, Floats, Ints, by_one_judge, no_comparisons, once_each, take

N, RUNS = 12, 100
PAIRS = np.array(np.triu_indices(N, 1))
LOOKS = (5, 10, 20, 30, 50, 75, 100, 150, 200)
Habit = Callable[[np.random.Generator, int, Ints], Floats | Bools]  # who names the first, from K and the judges


def shown(rng: np.random.Generator, rounds: int = 1) -> tuple[Ints, Ints]:
    """First and second of every pair, once a round, in random order."""
    pairs = np.concatenate([PAIRS[:, rng.permutation(PAIRS.shape[1])] for _ in range(rounds)], axis=1)
    first, second = np.where(rng.random(pairs.shape[1]) < 0.5, pairs, pairs[::-1])
    return first, second


def of_texts(comparisons: Comparisons, n: int = N) -> signal.SignalTest:
    return signal_of(comparisons, n, np.zeros(comparisons.size, np.int64))


def unknown(log: Comparisons) -> Floats:
    return np.full(log.size, np.nan)


def ever_claimed(
    log: Comparisons, n: int, item: Ints, chance: Floats | None = None, *, new_items: bool = False
) -> bool:
    """Whether signal is claimed at any look at a log that grows."""
    chance = unknown(log) if chance is None else chance
    return any(
        signal_of(take(log, slice(k)), n, item[:k], chance[:k], grew=True, new_items=new_items).claimed
        for k in LOOKS
        if k <= log.size
    )


HABITS: dict[str, Habit] = {
    "coins": lambda rng, k, judge: rng.random(k) < 0.5,
    "always first": lambda rng, k, judge: np.ones(k),
    "drift": lambda rng, k, judge: rng.random(k) < 0.5 + 0.5 * np.sin(np.arange(k) / 15.0),
    "two and two": lambda rng, k, judge: np.arange(k) // 2 % 2 == 0,
    "a habit each": lambda rng, k, judge: rng.random(k) < rng.beta(0.5, 0.5, 5)[judge],
    "half ties, else first": lambda rng, k, judge: np.where(rng.random(k) < 0.5, 0.5, 1.0),
}


@pytest.mark.study
@pytest.mark.parametrize("habit", HABITS)
def test_judges_who_do_not_look_hardly_ever_give_signal_however_often_one_looks(habit: str) -> None:
    """Five judges, pairs of 10 in an order that is a coin; where they are all on texts, and one on each prompt."""
    claimed = np.zeros(2)
    for seed in range(RUNS):
        rng = np.random.default_rng([16, seed])
        judge, i = rng.integers(5, size=200), rng.integers(10, size=200)
        j = (i + rng.integers(1, 10, size=200)) % 10
        log = once_each(i, j, np.asarray(HABITS[habit](rng, 200, judge), np.float64), judge)
        items = np.zeros(200, np.int64), np.arange(200)
        claimed += [ever_claimed(log, 10, items[0]), ever_claimed(log, 10, items[1], new_items=True)]
    assert claimed.max() <= 0.05 * RUNS + 2.0 * np.sqrt(0.05 * 0.95 * RUNS)


AGAINST_THE_COIN: dict[str, Callable[[int, int], float]] = {  # p, from how many answers there were, and A's lead
    "alternates": lambda k, lead: k % 2,
    "always first": lambda k, lead: 1.0,
    "two and two": lambda k, lead: k // 2 % 2,
    "bets that A stands where the rule has it": lambda k, lead: float(lead <= 0),
}


@pytest.mark.study
@pytest.mark.parametrize("new_items", [False, True])
@pytest.mark.parametrize("habit", AGAINST_THE_COIN)
def test_judges_who_know_the_rule_of_the_order_hardly_ever_give_signal(habit: str, new_items: bool) -> None:
    """A and B on 200 prompts, in the service's own order. Of certain orders, as before, alternating gave 12.5%."""
    assert sum(_claims_of_two(seed, habit, new_items) for seed in range(RUNS)) <= 0.05 * RUNS


def _claims_of_two(seed: int, habit: str, new_items: bool) -> bool:
    rng, leads, rows = np.random.default_rng([38, seed]), np.zeros(2, np.int64), list[tuple[int, int, float, float]]()
    for k in range(200):
        first, second, chance = present(0, 1, None if new_items else leads, Order.BALANCED, rng)
        rows.append((first, second, float(AGAINST_THE_COIN[habit](k, int(leads[0] - leads[1]))), chance))
        leads[[first, second]] += [1, -1]
    firsts, seconds, p, chances = (np.array(column) for column in zip(*rows, strict=True))
    return ever_claimed(by_one_judge(firsts, seconds, p), 2, np.arange(200), chances, new_items=new_items)


def test_an_order_that_was_certain_says_nothing_however_right_the_judge() -> None:
    """Evidence that there would be but for the order is named so; beside coins, it takes nothing away."""
    first, second = np.tile(PAIRS, 2)
    log = by_one_judge(first, second, (np.arange(len(first)) % 12 > 0).astype(np.float64))
    log, none, certain = log._replace(judge=np.arange(log.size) // 66), np.zeros(log.size, np.int64), np.ones(log.size)
    for new_items, item in ((False, none), (True, np.arange(log.size) // 4)):
        told = signal_of(log, N, item, certain, grew=True, new_items=new_items)
        assert told.e_value == pytest.approx(1.0)
        assert told[1:] == ("order-follows-candidates", told.verdicts, 1.0)
    assert signal_of(log, N, none, np.where(log.judge == 0, 0.5, 1.0), grew=True).claimed
    assert signal_of(take(log, slice(4)), N, none[:4], certain[:4], grew=True).case == "few-units"


def test_only_orders_of_unknown_chance_are_held_to_follow_the_candidates() -> None:
    """The lower number is first and wins: merit if coins fell so; where nobody knows, it may be position bias."""
    first, second = np.tile(PAIRS, 3)
    log = by_one_judge(first, second, (np.arange(len(first)) % 9 > 0).astype(np.float64))
    log, none = log._replace(judge=np.repeat(np.arange(3), PAIRS.shape[1])), np.zeros(len(first), np.int64)
    told = signal_of(log, N, none, np.full(log.size, 0.5), grew=True)
    assert (told.case, told.order_e_value) == ("claimed", 1.0)
    assert signal_of(log, N, none, grew=True).case == "order-follows-candidates"


@pytest.mark.parametrize("new_items", [False, True])
@pytest.mark.parametrize("of_lower", [(1 / 2, 2 / 3, 1 / 3, 2 / 3, 1 / 3, 2 / 3), (0.1, 1 / 2, 0.4, 2 / 3, 0.9, 1 / 3)])
def test_factors_have_mean_1_over_the_orders_whatever_the_scores(of_lower: tuple[float, ...], new_items: bool) -> None:
    """Answers that go by position; six coins, and the pair of the first row the other way round, for certain."""
    pairs, p = np.append(PAIRS[:, :6], PAIRS[:, :1], axis=1), np.array([1.0, 1.0, 0.0, 0.9, 0.2, 1.0, 1.0])
    total, s, one_item = 0.0, np.random.default_rng(1).normal(size=N), np.zeros(7, np.int64)
    for order in product((True, False), repeat=6):
        chance = np.append(np.where(order, of_lower, 1.0 - np.array(of_lower)), 1.0)
        first, second = np.where([*order, not order[0]], pairs, pairs[::-1])
        log = by_one_judge(first, second, p)
        of_prompts = signal._of_prompts(log, N, one_item, chance)[0]
        won = of_prompts if new_items else signal._of_pairs(log, N, one_item, chance, False, None)[0]
        total += chance.prod() * np.prod(expit(won.contrast @ s + won.lean) / expit(won.lean))
    assert total == pytest.approx(1.0, abs=1e-12)


def test_orders_that_follow_the_candidates_look_like_merit_and_are_said_to() -> None:
    """70% of rows show the lower number first, to judges with a habit of their own, of whom one says second once."""
    first, second = np.tile(PAIRS, 3)
    turned = np.random.default_rng(7).random(len(first)) < 0.3
    log = by_one_judge(np.where(turned, second, first), np.where(turned, first, second), np.ones(len(first)))
    log = log._replace(judge=np.repeat(np.arange(3), len(first) // 3))
    assert of_texts(log).case == "one-side-always-wins"
    log.p[0] = 0.0
    told = of_texts(log)
    assert told.case == "order-follows-candidates"
    assert told.order_e_value > CLAIMED > told.e_value


@pytest.mark.parametrize(("sd", "least"), [(1.0, 0.3), (3.0, 0.95)])
def test_honest_judges_give_signal(sd: float, least: float) -> None:
    """All pairs of 12 once, hard verdicts."""
    claimed = 0
    for seed in range(RUNS):
        rng = np.random.default_rng([39, seed])
        first, second = shown(rng)
        s = rng.normal(0.0, sd, N)
        log = by_one_judge(first, second, (rng.random(len(first)) < expit(s[first] - s[second])).astype(np.float64))
        claimed += of_texts(log).claimed
    assert claimed >= least * RUNS


def test_the_votes_of_a_crowd_add_up() -> None:
    """1,000 people with a vote each, 500 with two; also beside somebody who always says first."""
    rng = np.random.default_rng(59)
    s, first = rng.normal(size=8), rng.integers(8, size=1_000)
    second = (first + rng.integers(1, 8, size=1_000)) % 8
    p = (rng.random(1_000) < expit(s[first] - s[second])).astype(np.float64)
    for judge in (np.arange(1_000), np.arange(1_000) // 2):
        log = once_each(first, second, p, judge)
        with_another = log._replace(
            first=np.append(first, first[:300]), second=np.append(second, second[:300]),
            p=np.append(p, np.ones(300)), judge=np.append(judge, np.full(300, 1_000)), weight=np.ones(1_300),
        )  # fmt: skip
        assert of_texts(log, 8).e_value > 1e60
        assert of_texts(with_another, 8).e_value > 1e60


@pytest.mark.parametrize("grew", [False, True])
@pytest.mark.parametrize("of_lower", [(0.5, 0.5, 0.5, 0.5), (1 / 3, 2 / 3, 0.5, 0.9)])
def test_the_bound_is_below_the_evidence_whose_mean_over_all_random_verdicts_is_1(
    of_lower: tuple[float, ...], grew: bool
) -> None:
    """So the mean of the bound, over all verdicts and all orders, is at most 1, whatever the habit and the coins."""
    pairs, judge, habits = np.array([[0, 0, 1, 0], [1, 2, 2, 1]]), np.array([0, 1, 0, 0]), np.array([0.5, 0.95])
    total = np.zeros(2)
    for order, verdicts in product(product((False, True), repeat=4), product((0.0, 1.0), repeat=4)):
        p = np.array(verdicts)
        first, second = np.where(order, pairs, pairs[::-1])
        log, chance = once_each(first, second, p, judge), np.where(order, of_lower, 1.0 - np.array(of_lower))
        won, _ = signal._of_pairs(log, 3, np.zeros(4, np.int64), chance, grew, None)
        of_verdicts = np.where(p[:, None] == 1.0, habits, 1.0 - habits).prod(axis=0)
        total += chance.prod() * of_verdicts * np.exp(log_evidence(won, 3))
    assert total.max() <= 1.0 + 1e-9
    assert total.min() > 0.3


def by_sampling(units: Units, n: int, draws: int = 100_000) -> float:
    """The evidence itself, by draws from the priors: the slow formula."""
    rng, logs = np.random.default_rng(1), list[float]()
    for pi, share in signal.FOLLOWING:
        for tau, part in signal.SPREADS:
            t = (units.contrast @ rng.normal(0.0, tau, (draws, n)).T).T
            of_judges = np.ones(draws)
            for judge in np.unique(units.judge):
                mine = units.judge == judge
                gains = (
                    units.times
                    * (log_expit(2.0 * expit(-units.stood * habit) * t + units.lean) - log_expit(units.lean))
                    for habit in signal.HABITS
                )
                follows = np.dot(signal.SHARES, [np.exp(each[:, mine].sum(axis=1)) for each in gains])
                of_judges *= pi * follows + 1.0 - pi
            logs.append(np.log(share * part * of_judges.mean()))
    return float(np.logaddexp.reduce(logs))


@pytest.mark.parametrize("chances", [(np.nan,), (0.5, 1 / 3, 2 / 3, 1.0)])
@pytest.mark.parametrize("new_items", [False, True])
def test_the_bound_is_near_the_evidence_and_not_above(new_items: bool, chances: tuple[float, ...]) -> None:
    rng = np.random.default_rng(3)
    first, second = (side[:40] % 4 for side in shown(rng))
    apart = first != second
    first, second = first[apart], second[apart]
    s = np.array([1.5, 0.5, -0.5, -1.5])
    p = (rng.random(len(first)) < expit(s[first] - s[second])).astype(np.float64)
    log, item = once_each(first, second, p, np.arange(len(first)) % 3), np.arange(len(first)) // 3
    chance = rng.choice(chances, log.size)
    of_prompts = signal._of_prompts(log, 4, item, chance)[0]
    won = of_prompts if new_items else signal._of_pairs(log, 4, item, chance, False, None)[0]
    exact = by_sampling(won, 4)
    assert exact - 1.0 < log_evidence(won, 4) <= exact + 0.05


@pytest.mark.parametrize("new_items", [False, True])
def test_lines_and_names_in_another_order_change_nothing(new_items: bool) -> None:
    log, item = systems_on_prompts(3, 1.0, 0.5, bias=1.0)
    log = log._replace(judge=np.arange(log.size) % 7)
    rng = np.random.default_rng(4)
    lines, candidates, judges = rng.permutation(log.size), rng.permutation(8), rng.permutation(7)
    renamed = Comparisons(candidates[log.first], candidates[log.second], log.p, judges[log.judge], log.weight)
    told, other = (
        signal_of(each, 8, of, new_items=new_items) for each, of in ((log, item), (take(renamed, lines), item[lines]))
    )
    assert np.log(told.e_value) == pytest.approx(np.log(other.e_value), abs=1e-9)
    assert told[1:3] == other[1:3]


def test_verdicts_that_count() -> None:
    """The first that decides, of a log that grows; of a file one net vote; of nobody's each."""
    first, second = np.array([0, 1, 0, 2, 0, 2]), np.array([1, 0, 1, 3, 1, 3])
    log = once_each(first, second, np.array([0.5, 1.0, 1.0, 0.5, 1.0, 0.5]), np.array([0, 0, 0, 0, 1, 0]))
    grown, _ = signal._of_pairs(log, N, np.zeros(6, np.int64), np.array([0.5, 1 / 3, 0.5, 0.5, 0.5, 0.5]), True, None)
    assert sorted(grown.contrast.toarray()[:, :2].tolist()) == [[-1.0, 1.0], [1.0, -1.0]]
    assert grown.stood.tolist() == [1.0, 1.0]
    assert sorted(grown.lean) == pytest.approx([-np.log(2.0), 0.0])
    assert of_texts(log).verdicts == 1  # judge 0 said both
    assert signal_of(log, N, np.arange(6)).verdicts == 3
    nobody = log._replace(judge=np.zeros(6, np.int64), weight=np.array([1.0, 2.5, 0.25, 1.0, 1.0, 1.0]))
    won, _ = signal._of_pairs(nobody, N, np.zeros(6, np.int64), unknown(log), False, np.ones(1, np.bool_))
    assert sorted(won.times.tolist()) == [1.25, 2.0]


def test_few_answers_and_an_empty_log_say_so() -> None:
    assert of_texts(no_comparisons()) == (1.0, "few-units", 0, 1.0)
    again = by_one_judge(np.zeros(30, np.int64), np.ones(30, np.int64), np.arange(30) % 7 / 6.0)
    assert of_texts(again)[1:3] == ("few-units", 1)


def systems_on_prompts(
    seed: int, sd: float, omega: float, bias: float = 0.0, prompts: int = 20
) -> tuple[Comparisons, Ints]:
    """Half of the pairs of 8 systems on each prompt, hard verdicts of a judge with position bias for the first."""
    rng = np.random.default_rng([66, seed])
    s, u, pairs = rng.normal(0.0, sd, 8), rng.normal(0.0, omega, (prompts, 8)), np.array(np.triu_indices(8, 1))
    item = np.repeat(np.arange(prompts), 14)
    chosen = np.concatenate([rng.permutation(28)[:14] for _ in range(prompts)])
    first, second = np.where(rng.random(len(item)) < 0.5, pairs[:, chosen], pairs[::-1, chosen])
    d = s[first] - s[second] + u[item, first] - u[item, second] + bias
    return by_one_judge(first, second, (rng.random(len(d)) < expit(d)).astype(np.float64)), item


@pytest.mark.parametrize(("omega", "bias"), [(0.0, 2.0), (2.0, 0.0), (2.0, 1.0)])
def test_effects_of_prompts_hardly_ever_give_signal_of_new_ones(omega: float, bias: float) -> None:
    logs = (systems_on_prompts(seed, 0.0, omega, bias) for seed in range(RUNS))
    claimed = sum(signal_of(log, 8, item, new_items=True).claimed for log, item in logs)
    assert claimed <= 0.05 * RUNS + 2.0 * np.sqrt(0.05 * 0.95 * RUNS)


def test_systems_that_differ_on_all_prompts_give_signal_of_new_ones() -> None:
    logs = (systems_on_prompts(seed, 1.0, 0.5) for seed in range(40))
    assert sum(signal_of(log, 8, item, new_items=True).claimed for log, item in logs) >= 30


def test_a_judge_who_always_names_the_first_gives_no_signal_of_new_prompts() -> None:
    log, item = systems_on_prompts(4, 1.0, 0.0)
    told = signal_of(log._replace(p=np.ones(log.size)), 8, item, new_items=True)
    assert told.e_value < CLAIMED
    assert told.case == "one-side-always-wins"


def test_one_prompt_gives_no_signal_of_new_ones_however_many_verdicts() -> None:
    log, _ = systems_on_prompts(5, 2.0, 0.0)
    assert signal_of(log, 8, np.zeros(log.size, np.int64), new_items=True)[1:3] == ("few-units", 1)


def test_many_candidates_go_by_the_diagonal_which_says_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    log, item = systems_on_prompts(6, 1.0, 0.0)
    won, _ = signal._of_pairs(log, 8, item, unknown(log), False, None)
    by_matrix = log_evidence(won, 8)
    monkeypatch.setattr(signal, "FULL", 4)
    assert by_matrix - 5.0 < log_evidence(won, 8) <= by_matrix + 1e-6


def test_sizes_of_contrasts_are_those_of_their_variances() -> None:
    """Two systems, whose contrasts on prompts are of one pair: slow formula r V r^T."""
    log, item = systems_on_prompts(7, 1.0, 0.5)
    two = np.flatnonzero((log.first < 2) & (log.second < 2))
    log = take(log, two)._replace(p=np.linspace(0.1, 0.8, len(two)))
    won, _ = signal._of_prompts(log, 2, item[two], unknown(log))
    r, v = won.contrast.toarray(), np.array([[2.0, 0.3], [0.3, 1.0]])
    assert signal._along(won.contrast, v) == pytest.approx(np.einsum("ui,ij,uj->u", r, v, r))
    assert len(np.unique(np.abs(r))) > 2
