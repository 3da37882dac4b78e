import numpy as np
import pytest

from app.inference.choosing.asking import Order, Plan, Presented, lead, next_pairs, present, tally
from app.inference.choosing.criteria import Criterion, Policy
from app.inference.fitting import posterior
from app.inference.types import Bools, Ints, no_comparisons
from tests.inference.factories import cycle, joined, model, of_mask, random_comparisons

N = 12
PLAN = Plan(Policy(Criterion.VARIANCE), Order.AS_SELECTED, seed=0)
NONE_LEASED = np.empty(0, np.int64), np.empty(0, np.int64)
LOG = joined(cycle(N, seed=0), random_comparisons(N, 10, seed=0))


def all_open(n: int = N) -> Bools:
    return np.ones((n, n), np.bool_)


def ask(
    plan: Plan = PLAN, *, count: int = 1, leased: tuple[Ints, Ints] = NONE_LEASED, seen: bool = True
) -> list[Presented]:
    """Ask after LOG, or before any comparison. What is out on a lease is not open."""
    log, open_pairs = (LOG if seen else no_comparisons()), all_open()
    open_pairs[leased] = open_pairs[leased[::-1]] = False
    live = posterior.fit(log, model(N))
    rng = np.random.default_rng((plan.seed, len(leased[0])))
    return next_pairs(live.scores, model(N), tally(log, N), leased, of_mask(open_pairs), plan, count, rng)


def lease(presented: list[Presented]) -> tuple[Ints, Ints]:
    return np.array([p.first for p in presented]), np.array([p.second for p in presented])


def shown(presented: list[Presented]) -> list[tuple[int, int]]:
    return [(p.first, p.second) for p in presented]


@pytest.mark.parametrize("criterion", [Criterion.VARIANCE, Criterion.DETERMINANT, Criterion.REORDERING])
def test_asking_five_times_gives_the_pairs_of_asking_for_five(criterion: Criterion) -> None:
    """Pairs that are out are fantasised, so workers who ask apart get what one batch would hold."""
    plan = PLAN._replace(policy=Policy(criterion))
    apart: list[Presented] = []
    for _ in range(5):
        apart += ask(plan, leased=lease(apart) if apart else NONE_LEASED)

    assert shown(apart) == shown(ask(plan, count=5))


def test_a_batch_balances_the_orders_within_itself() -> None:
    """All 66 pairs of a cold start in one ask: leads have half the variance of those of fair coins, N - 1."""
    plans = (PLAN._replace(order=Order.BALANCED, seed=seed) for seed in range(10))
    leads = [lead(*lease(ask(plan, count=66, seen=False)), np.zeros(N, np.int64)) for plan in plans]
    assert np.square(leads).mean() < 0.6 * (N - 1)


@pytest.mark.parametrize("seed", range(20))
def test_pairs_on_a_lease_count_for_the_balance_of_orders(seed: int) -> None:
    """0 leads in a pair that is out, so it comes second to who was in none, most likely."""
    leased, nothing = (np.array([0]), np.array([1])), no_comparisons()
    plan = Plan(Policy(Criterion.VARIANCE), Order.BALANCED, seed)
    only = np.zeros((3, 3), np.bool_)
    only[0, 2] = True

    live = posterior.fit(nothing, model(3))
    rng = np.random.default_rng(seed)
    presented = next_pairs(live.scores, model(3), tally(nothing, 3), leased, of_mask(only), plan, 1, rng)

    chances = {(pair.first, pair.second): pair.order_chance for pair in presented}
    assert chances in ({(2, 0): 2 / 3}, {(0, 2): 1 / 3})


def leads_after(rounds: int, n: int, order: Order, seed: int) -> list[Ints]:
    """The leads after each of `rounds` uniform pairs."""
    rng, leads, history = np.random.default_rng(seed), np.zeros(n, np.int64), []
    for _ in range(rounds):
        i, j = sorted(int(k) for k in rng.choice(n, 2, replace=False))
        first, second, _ = present(i, j, leads, order, rng)
        leads[first] += 1
        leads[second] -= 1
        history.append(leads.copy())
    return history


@pytest.mark.parametrize("n", [2, 3, 10, 50])
@pytest.mark.parametrize("order", [Order.BALANCED, Order.BOTH])
def test_no_candidate_ever_leads_much_more_often_than_it_follows(n: int, order: Order) -> None:
    """Leads stay as they are, with a variance below 10; those of fair coins have one of 2 * 6,000 / n at the end."""
    leads = np.array(leads_after(6000, n, order, seed=0))
    assert np.abs(leads).max() <= 20
    assert [np.square(each).mean() < 10.0 for each in np.split(leads, 3)] == [True] * 3


@pytest.mark.parametrize("order", [Order.BALANCED, Order.BOTH, Order.EACH])
@pytest.mark.parametrize(("leads", "of_first"), [([-1, 1], 2 / 3), ([2, 1], 1 / 3), ([3, 3], 1 / 2), (None, 1 / 2)])
def test_an_order_is_shown_as_often_as_its_chance_says(order: Order, leads: list[int] | None, of_first: float) -> None:
    """Who has led less often goes first in two of three; about prompts to come, leads do not count."""
    rng = np.random.default_rng(0)
    counted = None if leads is None else np.array(leads)
    shown = [present(0, 1, counted, order, rng) for _ in range(4000)]
    assert np.mean([first == 0 for first, _, _ in shown]) == pytest.approx(of_first, abs=4.0 * 0.5 / np.sqrt(4000))
    assert {first: chance for first, _, chance in shown} == pytest.approx({0: of_first, 1: 1.0 - of_first})


@pytest.mark.parametrize("leads", [[0, 0], [5, -5], [-5, 5]])
def test_as_selected_shows_the_earlier_candidate_first(leads: list[int]) -> None:
    assert present(0, 1, np.array(leads), Order.AS_SELECTED, np.random.default_rng(0)) == (0, 1, 1.0)
