"""Signal by simulation, seeds stated: chance and habits hardly ever give it, honest judges do."""

from itertools import product

import numpy as np
import pytest
from scipy.special import expit

from app.inference.fitting.prediction import log_likelihoods, logits, predict
from app.inference.reporting.signal import CLAIMED, counting, log_evidence, log_evidence_on_new_items, signal_of
from app.inference.types import Comparisons, Floats, Ints, by_one_judge, no_comparisons, once_each, take

N, RUNS = 12, 100
PAIRS = np.array(np.triu_indices(N, 1))


def shown(rng: np.random.Generator, rounds: int = 1) -> tuple[Ints, Ints]:
    """First and second of every pair, once a round, in random order."""
    pairs = np.concatenate([PAIRS[:, rng.permutation(PAIRS.shape[1])] for _ in range(rounds)], axis=1)
    first, second = np.where(rng.random(pairs.shape[1]) < 0.5, pairs, pairs[::-1])
    return first, second


def evidence(comparisons: Comparisons) -> Floats:
    return log_evidence(comparisons, N, np.zeros(comparisons.size, np.int64))


@pytest.mark.parametrize("bias", [0.5, 0.9, 1.0])
def test_judges_who_do_not_look_hardly_ever_give_signal_however_often_one_looks(bias: float) -> None:
    """Three judges who name the first position so often, each of whom repeats on every pair what it said before."""
    claimed = 0
    for seed in range(RUNS):
        rng = np.random.default_rng([38, seed])
        first, second = shown(rng, rounds=3)
        once, judge = rng.random((3, N, N)) < bias, rng.integers(3, size=len(first))
        log = once_each(first, second, once[judge, first, second].astype(np.float64), judge)
        claimed += bool(evidence(log).max() >= np.log(CLAIMED))
    assert claimed <= 0.05 * RUNS + 2.0 * np.sqrt(0.05 * 0.95 * RUNS)


def test_the_first_candidate_winning_always_where_it_is_always_shown_first_is_no_signal() -> None:
    """Orders that follow the numbers, as `as_selected` has them: position bias looks like merit."""
    first, second = PAIRS
    assert signal_of(by_one_judge(first, second, np.ones(len(first))), N, np.zeros(len(first), np.int64)).e_value <= 1.0


@pytest.mark.parametrize(("sd", "least"), [(1.0, 0.3), (3.0, 0.95)])
def test_honest_judges_give_signal(sd: float, least: float) -> None:
    """All pairs of 12 once, hard verdicts."""
    claimed = 0
    for seed in range(RUNS):
        rng = np.random.default_rng([39, seed])
        first, second = shown(rng)
        s = rng.normal(0.0, sd, N)
        log = by_one_judge(first, second, (rng.random(len(first)) < expit(s[first] - s[second])).astype(np.float64))
        claimed += bool(evidence(log)[-1] >= np.log(CLAIMED))
    assert claimed >= least * RUNS


@pytest.mark.parametrize("bias", [0.3, 0.5, 0.95])
def test_the_mean_over_all_random_verdicts_is_at_most_1(bias: float) -> None:
    first, second = (side[:8] for side in shown(np.random.default_rng(40)))
    judge, total = np.arange(8) % 2, np.zeros(8)
    for verdicts in product((0.0, 1.0), repeat=8):
        p = np.array(verdicts)
        chance = np.prod(np.where(p == 1.0, bias, 1.0 - bias))
        total += chance * np.exp(evidence(once_each(first, second, p, judge)))
    assert total.max() <= 1.0 + 1e-9
    assert total.min() > 0.02


def test_repeats_and_ties_do_not_count() -> None:
    log = once_each(
        np.array([0, 1, 0, 2, 0]),
        np.array([1, 0, 1, 3, 1]),
        np.array([1.0, 0.0, 1.0, 0.5, 1.0]),
        np.array([0, 0, 0, 0, 1]),
    )
    assert counting(log, N, np.zeros(5, np.int64)).tolist() == [True, False, False, False, True]
    assert counting(log, N, np.arange(5)).tolist() == [True, True, True, False, True]
    before = evidence(log)
    assert before[0] == before[1] == before[2] == before[3]


def test_a_log_without_verdicts_says_nothing() -> None:
    assert signal_of(no_comparisons(), N, np.empty(0, np.int64)) == (1.0, False, 0)


def test_evidence_is_that_of_the_log_up_to_there() -> None:
    rng = np.random.default_rng(41)
    first, second = shown(rng)
    log = once_each(first, second, rng.random(len(first)), rng.integers(3, size=len(first)))
    part = take(log, slice(30))
    assert evidence(part)[-1] == pytest.approx(evidence(log)[29])


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
    """However often one looks, 200 runs."""
    logs = (systems_on_prompts(seed, 0.0, omega, bias) for seed in range(200))
    claimed = sum(log_evidence_on_new_items(log, 8, item).max() >= np.log(CLAIMED) for log, item in logs)
    assert claimed <= 0.05 * 200 + 2.0 * np.sqrt(0.05 * 0.95 * 200)


def test_systems_that_differ_on_all_prompts_give_signal_of_new_ones() -> None:
    logs = (systems_on_prompts(seed, 1.0, 0.5) for seed in range(40))
    assert sum(signal_of(log, 8, item, new_items=True).claimed for log, item in logs) >= 30


def test_evidence_by_prompt_is_that_of_inverted_prompts_and_of_first_verdicts() -> None:
    """Slow formulas: 2 L(z) / (L(z) + L(1 - z)), where a judge says as much of either order; E of the first verdicts."""
    log, item = systems_on_prompts(3, 1.0, 0.5, prompts=3)
    swapped = log._replace(first=log.second, second=log.first, p=1.0 - log.p)
    both = Comparisons(*(np.concatenate(pair) for pair in zip(log, swapped._replace(judge=log.judge + 1), strict=True)))
    twice = np.concatenate([item, item])
    order = np.argsort(twice, kind="stable")
    both, twice = take(both, order), twice[order]
    bets, z = logits(predict(both, 8, twice)._replace(bias=np.zeros(both.size))), both.p > 0.5
    same = (twice[:, None] == twice) & (both.judge[:, None] == both.judge)
    centred = bets - bets @ same / same.sum(axis=0)
    of_z, of_turned = (log_likelihoods(centred, won) for won in (z, ~z))
    by_prompt = [np.log(2.0) - np.logaddexp(0.0, (of_turned - of_z)[:, twice == m].sum(axis=1)) for m in range(3)]
    inverted = np.exp(np.cumsum(by_prompt, axis=0)).mean(axis=1)
    begins = np.unique(twice, return_index=True)[1]
    likelihoods = np.exp(log_likelihoods(logits(predict(both, 8, twice)), z)[:, begins].cumsum(axis=1)).mean(axis=0)
    wins = z[begins].cumsum()
    of = np.arange(1, 4)
    first = likelihoods / ((wins / of) ** wins * (1.0 - wins / of) ** (of - wins))
    assert set(both.judge[begins]) == {0}
    assert log_evidence_on_new_items(both, 8, twice) == pytest.approx(np.log((inverted + first) / 2.0))


def arena(seed: int, sd: float, bias: float) -> tuple[Comparisons, Ints]:
    """One hard verdict on each of 300 prompts, about two of 6 systems whose outputs vary from prompt to prompt."""
    rng = np.random.default_rng([67, seed])
    s, first = rng.normal(0.0, sd, 6), rng.integers(6, size=300)
    second = (first + rng.integers(1, 6, size=300)) % 6
    d = s[first] - s[second] + rng.normal(0.0, 2.0, 300) + bias
    return by_one_judge(first, second, (rng.random(300) < expit(d)).astype(np.float64)), rng.permutation(300)


@pytest.mark.parametrize("bias", [0.0, 1.0])
def test_one_random_verdict_on_each_prompt_hardly_ever_gives_signal(bias: float) -> None:
    """However often one looks, 200 runs."""
    logs = (arena(seed, 0.0, bias) for seed in range(200))
    claimed = sum(log_evidence_on_new_items(log, 6, item).max() >= np.log(CLAIMED) for log, item in logs)
    assert claimed <= 0.05 * 200 + 2.0 * np.sqrt(0.05 * 0.95 * 200)


def test_one_verdict_on_each_prompt_gives_signal_where_systems_differ() -> None:
    logs = (arena(seed, 1.0, 0.5) for seed in range(40))
    assert sum(signal_of(log, 6, item, new_items=True).claimed for log, item in logs) >= 25


def test_a_judge_who_always_names_the_first_gives_no_signal_of_new_prompts() -> None:
    log, item = systems_on_prompts(4, 1.0, 0.0)
    always = log._replace(p=np.ones(log.size))
    assert signal_of(always, 8, item, new_items=True).e_value <= 1.0
    assert signal_of(no_comparisons(), 8, np.zeros(0, np.int64), new_items=True).e_value == 1.0


def test_one_prompt_gives_no_signal_of_new_ones_however_many_verdicts() -> None:
    log, _ = systems_on_prompts(5, 2.0, 0.0)
    assert signal_of(log, 8, np.zeros(log.size, np.int64), new_items=True).e_value <= 1.0
