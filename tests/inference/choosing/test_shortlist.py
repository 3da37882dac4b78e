"""What a shortlist finds is what a scan of all open pairs finds; test_many.py has the same without a matrix."""

import numpy as np
import pytest

from app.inference.choosing import picking
from app.inference.choosing.criteria import DRAWN, VAGUEST, Criterion, Policy, listed_by
from app.inference.choosing.goals import RANKING, Goal, favoured, goal_kinds
from app.inference.choosing.picking import Choice, Search, best_of, select
from app.inference.fitting import posterior
from app.inference.fitting.posterior import Posterior
from app.inference.kernels.pair_sets import PairSet, listed, mask
from app.inference.regimes import MEDIUM
from app.inference.types import no_comparisons
from tests.inference.factories import dense, every_pair, model, random_comparisons, together

N = 100
EVERY = np.flatnonzero(np.triu(np.ones((N, N)), 1))
each_criterion = pytest.mark.parametrize("criterion", [Criterion.VARIANCE, Criterion.REORDERING, Criterion.KNOWLEDGE])


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> Posterior:
    monkeypatch.setattr(posterior, "DENSE", 5)
    return posterior.fit(random_comparisons(N, 4 * N, seed=5), model(N))


def chosen(
    live: Posterior, pairs: PairSet, count: int, criterion: Criterion, seed: int = 0, goal: Goal = RANKING
) -> list[Choice]:
    chance = np.random.default_rng(seed)
    return select(live.mean, live.covariance, live.model, pairs, together(N), Policy(criterion), goal, count, chance)


@pytest.mark.parametrize("criterion", [each for each in Criterion if each not in DRAWN])
@pytest.mark.parametrize("goal", [RANKING, Goal(top_k=9), Goal(against=7)])
def test_the_best_of_many_pairs_is_on_the_list(
    criterion: Criterion, goal: Goal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seeds 0 to 3, 150 candidates compared some eight times, of whose pairs nine in ten are open."""
    n = 2 * MEDIUM - 50
    for seed in range(4):
        of_log = random_comparisons(n, 4 * n, seed=seed)
        fitted = posterior.fit(of_log, model(n))
        closed = np.flatnonzero(np.triu(np.random.default_rng(seed).random((n, n)) < 0.1, 1))
        search = Search(fitted.mean, model(n), Policy(criterion), 0.01, goal, goal_kinds(goal, fitted.mean), None)
        pairs, sigma = favoured(listed(n, closed, leaves_out=True), search.matters), dense(fitted.covariance)

        code, values = best_of(pairs, search, sigma, 5)
        monkeypatch.setattr(picking, "MEDIUM", n)
        scanned, scores = best_of(pairs, search, sigma, 5)
        monkeypatch.undo()

        assert code[values.argmax()] == scanned[scores.argmax()]
        np.testing.assert_allclose(np.sort(values), np.sort(scores), rtol=0.2)


@pytest.mark.parametrize("criterion", [each for each in Criterion if each not in DRAWN])
def test_where_the_list_is_closed_the_best_of_all_is_found(criterion: Criterion) -> None:
    """Most pairs are open, but none between those of the largest variances or of near means."""
    n = 2 * MEDIUM
    fitted = posterior.fit(random_comparisons(n, 4 * n, seed=0), model(n))
    search = Search(fitted.mean, model(n), Policy(criterion), 0.01, RANKING, goal_kinds(RANKING, fitted.mean), None)
    sigma = dense(fitted.covariance)
    first, second = listed_by(fitted.mean, sigma.diagonal, every_pair(n), VAGUEST)
    pairs = listed(n, np.unique(first * n + second), leaves_out=True)
    i, j = np.nonzero(mask(pairs))

    code, _ = best_of(pairs, search, sigma)

    values = search.score(fitted.mean[i] - fitted.mean[j], sigma.variances(i, j))
    assert len(i) > 0.5 * n * (n - 1) / 2
    assert code.tolist() == [i[values.argmax()] * n + j[values.argmax()]]


@each_criterion
@pytest.mark.parametrize("leaves_out", [True, False])
def test_of_few_open_pairs_all_are_chosen_and_no_more(live: Posterior, criterion: Criterion, leaves_out: bool) -> None:
    left = np.array([3 * N + 9, 5 * N + 41, 17 * N + 20])
    pairs = listed(N, np.setdiff1d(EVERY, left) if leaves_out else left, leaves_out=leaves_out)

    choices = chosen(live, pairs, 5, criterion)

    assert sorted(choice.i * N + choice.j for choice in choices) == left.tolist()


@each_criterion
def test_no_pair_is_chosen_twice_however_many_are_wanted(live: Posterior, criterion: Criterion) -> None:
    choices = chosen(live, every_pair(N), 300, criterion)

    assert len({(choice.i, choice.j) for choice in choices}) == 300
    assert all(choice.i < choice.j for choice in choices)


def test_the_first_pairs_share_no_candidate(live: Posterior) -> None:
    choices = chosen(live, every_pair(N), 8, Criterion.REORDERING)

    assert len({who for choice in choices[:2] for who in (choice.i, choice.j)}) == 4


def test_the_goal_says_which_pairs_come_into_question(live: Posterior) -> None:
    choices = chosen(live, every_pair(N), 20, Criterion.REORDERING, goal=Goal(against=7))

    assert all(7 in (choice.i, choice.j) for choice in choices)


def test_pairs_that_are_level_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any comparison all 4,950 pairs are level."""
    monkeypatch.setattr(posterior, "DENSE", 5)
    nothing = posterior.fit(no_comparisons(), model(N))

    choices = [chosen(nothing, every_pair(N), 1, Criterion.DETERMINANT, seed)[0] for seed in range(60)]

    assert len({(choice.i, choice.j) for choice in choices}) > 45
    assert len({who for choice in choices for who in (choice.i, choice.j)}) > 50
