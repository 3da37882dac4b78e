import numpy as np
import pytest

from app.inference.choosing.order import Order, lead, present
from app.inference.types import Ints
from tests.inference.factories import comparisons


def leads_after(rounds: int, n: int, order: Order, seed: int) -> list[Ints]:
    """The leads after each of `rounds` uniform pairs."""
    rng, leads, history = np.random.default_rng(seed), np.zeros(n, np.int64), []
    for _ in range(rounds):
        i, j = sorted(int(k) for k in rng.choice(n, 2, replace=False))
        first, second = present(i, j, leads, order, rng)
        leads[first] += 1
        leads[second] -= 1
        history.append(leads.copy())
    return history


@pytest.mark.parametrize("n", [2, 3, 10, 50])
@pytest.mark.parametrize("order", [Order.BALANCED, Order.BOTH])
def test_no_candidate_ever_leads_much_more_often_than_it_follows(n: int, order: Order) -> None:
    assert np.abs(leads_after(3000, n, order, seed=0)).max() <= 3


def test_as_selected_does_not_balance() -> None:
    assert leads_after(3000, 10, Order.AS_SELECTED, seed=0)[-1][0] > 100


@pytest.mark.parametrize("order", Order)
def test_both_candidates_of_the_pair_are_shown(order: Order) -> None:
    rng = np.random.default_rng(0)

    assert {frozenset(present(2, 5, np.zeros(6, np.int64), order, rng)) for _ in range(20)} == {frozenset({2, 5})}


@pytest.mark.parametrize("order", [Order.BALANCED, Order.BOTH])
def test_who_has_led_less_often_goes_first(order: Order) -> None:
    rng = np.random.default_rng(0)

    assert present(0, 1, np.array([-1, 1]), order, rng) == (0, 1)
    assert present(0, 1, np.array([2, 1]), order, rng) == (1, 0)


def test_a_fair_coin_decides_between_equals() -> None:
    rng, leads = np.random.default_rng(0), np.array([3, 3])

    first = [present(0, 1, leads, Order.BALANCED, rng)[0] for _ in range(2000)]

    assert np.mean(first) == pytest.approx(0.5, abs=4.0 * 0.5 / np.sqrt(2000))


@pytest.mark.parametrize("leads", [[0, 0], [5, -5], [-5, 5]])
def test_as_selected_shows_the_earlier_candidate_first(leads: list[int]) -> None:
    assert present(0, 1, np.array(leads), Order.AS_SELECTED, np.random.default_rng(0)) == (0, 1)


def test_lead_is_how_much_more_often_first_than_second() -> None:
    log = comparisons((0, 1, 0.5), (0, 2, 0.5), (1, 0, 0.5), (2, 1, 0.5), (0, 1, 0.5))

    assert lead(log.first, log.second, np.zeros(4, np.int64)).tolist() == [2, -2, 0, 0]
