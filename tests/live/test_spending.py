"""The budget of clients, on a clock of its own: so many seconds pass for a thread as it says."""

import pytest

from app.live import spending
from app.live.spending import WINDOW, Spending, Spent, charged


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now

    def go(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def of_thread(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(spending, "thread_time", clock)
    return clock


def test_a_client_waits_once_it_has_spent_its_budget_and_until_enough_is_back(of_thread: Clock) -> None:
    clock = Clock()
    budget = Spending(10.0, clock)
    charged.set("ann")
    budget.charging(lambda: of_thread.go(9.0))()
    budget.require()
    budget.charging(lambda: of_thread.go(4.0))()
    with pytest.raises(Spent) as spent:
        budget.require()
    assert spent.value.client == "ann"
    assert spent.value.wait == pytest.approx(3.0 / 10.0 * WINDOW)
    charged.set("ben")
    budget.require()
    charged.set("ann")
    clock.go(spent.value.wait + 1.0)
    budget.require()


def test_what_fails_is_charged_and_the_service_itself_is_not(of_thread: Clock) -> None:
    budget = Spending(10.0, Clock())

    def fail() -> None:
        of_thread.go(20.0)
        raise ValueError

    for client in ("", "ann"):
        charged.set(client)
        with pytest.raises(ValueError):
            budget.charging(fail)()
    with pytest.raises(Spent):
        budget.require()
    charged.set("")
    budget.require()
