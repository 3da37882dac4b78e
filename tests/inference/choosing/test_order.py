import numpy as np
import pytest

from app.inference.choosing.asking import Order, lead, present
from app.inference.types import Ints
from tests.inference.factories import comparisons


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


def test_as_selected_does_not_balance() -> None:
    assert leads_after(3000, 10, Order.AS_SELECTED, seed=0)[-1][0] > 100


@pytest.mark.parametrize("order", Order)
def test_both_candidates_of_the_pair_are_shown(order: Order) -> None:
    rng = np.random.default_rng(0)

    assert {frozenset(present(2, 5, np.zeros(6, np.int64), order, rng)[:2]) for _ in range(20)} == {frozenset({2, 5})}


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


def test_lead_is_how_much_more_often_first_than_second() -> None:
    log = comparisons((0, 1, 0.5), (0, 2, 0.5), (1, 0, 0.5), (2, 1, 0.5), (0, 1, 0.5))

    assert lead(log.first, log.second, np.zeros(4, np.int64)).tolist() == [2, -2, 0, 0]
