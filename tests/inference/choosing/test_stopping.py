"""By hand and by properties; how often the rules err is simulated, of which benchmarks/studies/stops.py has more."""

import numpy as np
import pytest
from scipy.stats import binom, norm

from app.inference.choosing import Criterion, Order, Plan, Policy
from app.inference.choosing.criteria import RANKING, Goal
from app.inference.choosing.stopping import Stop, can_be_met, log_factor, needed, reason
from app.inference.experts import MAKERS
from app.inference.fitting import Method, posterior
from app.inference.fitting.model import Model
from app.inference.gaussian import Scores, mixed
from app.inference.reporting import predict
from app.inference.types import Comparisons, Floats
from benchmarks.loop import further, opened_again, unjudged
from benchmarks.studies.coverage import answering
from benchmarks.studies.simulated import hard_verdicts
from tests.inference.factories import covariance_of, each_expert, isotropic, model, random_comparisons


def known(mean: list[float], variance: float) -> Scores:
    """Independent posteriors N(mean, variance)."""
    return Scores(np.array(mean), isotropic(len(mean), variance))


def fitted(log: Comparisons, m: Model) -> Scores:
    return posterior.fit(log, m).scores


def bayes_factor(m: Floats, v: Floats, prior: Floats) -> Floats:
    """Savage and Dickey: how much less likely a difference of 0 has become."""
    return np.asarray(norm.pdf(0.0, 0.0, np.sqrt(prior)) / norm.pdf(0.0, m, np.sqrt(v)), np.float64)


def test_scores_that_are_no_numbers_claim_nothing() -> None:
    assert reason(known([np.nan] * 3, 1.0), model(3), Stop(top_k=1)) is None


def test_a_factor_is_that_of_savage_and_dickey() -> None:
    m, v = (grid.ravel() for grid in np.meshgrid(np.linspace(-4.0, 4.0, 41), np.array([0.05, 0.3, 1.0, 2.0])))
    prior = np.full(len(m), 2.0)
    np.testing.assert_allclose(np.exp(log_factor(m, v, prior)), bayes_factor(m, v, prior))


def edge(claims: int) -> float:
    """The least difference that is sure at alpha = 0.05, among so many claims, with v = 0.2 and V = 2."""
    return float(np.sqrt(0.4 * np.log(claims / 0.05 * np.sqrt(10.0))))


def test_a_claim_is_made_of_every_pair_that_it_needs() -> None:
    """k (N - k) cross pairs for the top, N (N - 1) / 2 for the rank intervals."""
    for k, n, claims in ((1, 2, 1), (1, 4, 3), (2, 4, 4)):
        above, below = ([step * edge(claims)] * k + [0.0] * (n - k) for step in (1.001, 0.999))
        assert reason(known(above, 0.1), model(n), Stop(top_k=k)) == "top_k"
        assert reason(known(below, 0.1), model(n), Stop(top_k=k)) is None
    for n, claims in ((2, 1), (3, 3), (5, 10)):
        above, below = ([step * edge(claims) * i for i in range(n)] for step in (1.001, 0.999))
        assert reason(known(above, 0.1), model(n), Stop(rank_width=0)) == "rank_width"
        assert reason(known(below, 0.1), model(n), Stop(rank_width=0)) is None


def test_rank_width_is_that_of_the_widest_interval() -> None:
    """0 is sure, 1 and 2 may change places: their width is 1."""
    live = known([3.0, 0.1, 0.0, -3.0], 0.05)

    assert reason(live, model(4), Stop(rank_width=0)) is None
    assert reason(live, model(4), Stop(rank_width=1)) == "rank_width"
    assert reason(live, model(4), Stop(rank_width=2)) == "rank_width"


@each_expert
def test_entropy_is_about_what_the_most_telling_pair_would_take_off(expert: str) -> None:
    """max ln(1 + w v) / 2 nats."""
    log, m = random_comparisons(5, 40, seed=0), model(5, 1.0, expert)
    live = posterior.fit(log, m)
    sigma = live.covariance.matrix()
    i, j = np.triu_indices(5, 1)
    d = live.mean[i] - live.mean[j]
    w = m.expert.curvature(d, m.expert.expected(d))

    most = float(0.5 * np.log1p(w * (sigma[i, i] + sigma[j, j] - 2.0 * sigma[i, j])).max())

    assert reason(live.scores, m, Stop(entropy_change=1.001 * most)) == "entropy_change"
    assert reason(live.scores, m, Stop(entropy_change=0.999 * most)) is None


def test_the_first_reason_that_holds_is_given() -> None:
    sure, vague = known([5.0, 0.0, -5.0], 1e-4), known([0.3, 0.0, 0.0], 1e-4)
    everything = Stop(top_k=1, rank_width=0, entropy_change=1.0)

    assert reason(sure, model(3), everything) == "top_k"
    assert reason(sure, model(3), everything._replace(top_k=None)) == "rank_width"
    assert reason(sure, model(3), Stop(entropy_change=1.0)) == "entropy_change"
    assert reason(vague, model(3), everything._replace(top_k=2)) == "entropy_change"
    assert reason(sure, model(3), Stop()) is None


@pytest.mark.parametrize("n", [2, 3, 8])
@pytest.mark.parametrize(("expert", "prior"), [(name, "unit") for name in MAKERS] + [("soft-bt", "anchor")])
def test_without_data_nothing_is_reported(expert: str, prior: str, n: int) -> None:
    """Not even of a top or a width that holds of any ranking."""
    m = model(n, 1.0, expert, prior=prior, biases=1)
    before = posterior.prior(m).scores

    for k in range(1, n + 2):
        stop = Stop(top_k=k, rank_width=k - 1 if k < n else n + 5, entropy_change=1e-3, error_level=0.5)
        assert reason(before, m, stop) is None


@pytest.mark.parametrize("stop", [Stop(top_k=3), Stop(top_k=9), Stop(rank_width=2), Stop(rank_width=9)])
def test_what_holds_of_any_three_candidates_is_no_reason(stop: Stop) -> None:
    assert reason(known([5.0, 0.0, -5.0], 1e-4), model(3), stop) is None
    assert not can_be_met(stop, 3)
    assert can_be_met(stop, 20)


@each_expert
def test_a_judge_that_only_ties_is_never_a_reason_to_claim_an_order(expert: str) -> None:
    log, m = random_comparisons(4, 400, seed=0)._replace(p=np.full(400, 0.5)), model(4, 1.0, expert)

    assert reason(fitted(log, m), m, Stop(top_k=1, rank_width=1)) is None


def test_what_is_common_to_all_scores_does_not_count() -> None:
    """A level that nobody knows blurs every score and no difference."""
    sharp = known([2.0, 0.0, 0.0], 0.1)
    blurred = Scores(sharp.mean + 7.0, covariance_of(0.1 * np.eye(3) + 40.0))

    for level in (0.05, 1e-12):
        stop = Stop(top_k=1, error_level=level)
        assert reason(blurred, model(3), stop) == reason(sharp, model(3), stop)


def test_a_goal_is_known_once_its_claims_are_sure() -> None:
    """0 against each of the others; of a pair the two alone, and the rest may tie."""
    live = known([2.0, 0.0, 0.0, -0.1], 0.1)

    for goal, met in (
        (Goal(top_k=1), True),
        (Goal(top_k=2), False),
        (Goal(against=0), True),
        (Goal(against=1), False),
        (Goal(pair=(3, 0)), True),
        (Goal(pair=(1, 2)), False),
    ):
        assert (reason(live, model(4), Stop(goal=0.95), goal) == "goal") is met
    assert reason(live, model(4), Stop(goal=0.95)) is None


def test_a_goal_takes_so_many_claims_as_it_has_at_the_confidence_asked_for() -> None:
    for goal, claims in ((Goal(pair=(0, 1)), 1), (Goal(against=0), 3), (Goal(top_k=1), 3)):
        for step, met in ((1.001, True), (0.999, False)):
            live = known([step * edge(claims), 0.0, 0.0, 0.0], 0.1)
            assert (reason(live, model(4), Stop(goal=0.95), goal) == "goal") is met
    assert reason(known([edge(1) * 1.001, 0.0], 0.1), model(2), Stop(goal=0.99), Goal(pair=(0, 1))) is None


def test_an_order_is_likely_enough_by_the_mean_over_the_pairs_of_the_goal() -> None:
    live = known([1.0, 0.0, 0.0], 0.5)
    share = float(np.mean(norm.cdf([1.0, 1.0, 0.0])))

    assert reason(live, model(3), Stop(concordance=share - 1e-9)) == "concordance"
    assert reason(live, model(3), Stop(concordance=share + 1e-9)) is None
    assert reason(live, model(3), Stop(concordance=share + 1e-9), Goal(against=0)) == "concordance"


def test_pairs_that_are_needed_are_the_claims_that_are_not_sure() -> None:
    live = known([2.0, 1.9, -3.0], 0.1)

    def pairs(stop: Stop, goal: Goal = RANKING) -> list[list[int]]:
        return np.argwhere(needed(live, model(3), stop, goal)).tolist()

    assert pairs(Stop(top_k=1)) == [[0, 1]]
    assert pairs(Stop(top_k=2)) == [[1, 2]]  # of claims that seem decided, the least
    assert pairs(Stop(rank_width=0)) == [[0, 1]]
    assert pairs(Stop(goal=0.95), Goal(against=2)) == [[1, 2]]
    assert pairs(Stop(concordance=0.99), Goal(pair=(1, 2))) == [[1, 2]]
    assert pairs(Stop(entropy_change=1e-9)) == [[0, 1], [0, 2], [1, 2]]


def mixture(*parts: tuple[float, list[float], float, float]) -> Scores:
    """Of weight, mean, variance and scale."""
    return mixed([(weight, known(mean, variance)._replace(scale=scale)) for weight, mean, variance, scale in parts])


def test_the_factor_of_a_mixture_is_the_harmonic_mean_of_those_of_its_parts() -> None:
    parts = [(0.3, [2.0, 0.0], 0.1, 0.5), (0.7, [1.2, 0.0], 0.2, 4.0)]
    factors = [bayes_factor(np.array(mean[0]), np.array(2.0 * v), np.array(2.0 * t)) for _, mean, v, t in parts]
    factor = float(1.0 / sum(part[0] / each for part, each in zip(parts, factors, strict=True)))

    for step, met in ((1.001, True), (0.999, False)):
        assert (reason(mixture(*parts), model(2), Stop(top_k=1, error_level=step / factor)) == "top_k") is met


def test_an_anchored_prior_takes_more_evidence() -> None:
    """It expects differences of thousands, so that B = sqrt(v / V) exp(m^2 / 2v) starts far lower."""
    live = known([1.5, 0.0], 0.1)

    assert reason(live, model(2), Stop(top_k=1)) == "top_k"
    assert reason(live, model(2, 1.0, prior="anchor"), Stop(top_k=1)) is None


RUNS, VERDICTS = 100, 60
TRUTH = np.array([1.0, 1.0, -1.0])  # two leaders that are equal: every sole winner is false
MOST = binom.ppf(0.999, RUNS, 0.05)  # 13: with a chance of 5% in a run, more come once in a thousand times


def named(rng: np.random.Generator) -> tuple[bool, bool]:
    """Whether a sole winner is ever named: by the rule, and where P(leader beats each rival) >= 95%."""
    snapshot, ours, naive = unjudged(len(TRUTH), Method()), False, False
    plan = Plan(Policy(Criterion.REORDERING), Order.BALANCED, int(rng.integers(2**32)))
    for _ in range(VERDICTS):
        snapshot = further(opened_again(snapshot), plan, answering(hard_verdicts, TRUTH, rng))
        marginal = snapshot.posterior.scores
        leader, *rivals = (int(i) for i in np.argsort(-marginal.mean))
        ours |= reason(marginal, snapshot.model, Stop(top_k=1, error_level=0.05)) is not None
        naive |= all(predict(marginal, leader, rival).p_first_better >= 0.95 for rival in rivals)
    return ours, naive


@pytest.mark.study
def test_two_tied_leaders_rarely_make_a_sole_winner_however_often_one_looks() -> None:
    """Reading off 95% at every verdict would make too many: so the runs can tell a rule that is not to be looked at."""
    runs = [named(np.random.default_rng([3, seed])) for seed in range(RUNS)]
    ours, naive = (sum(side) for side in zip(*runs, strict=True))

    assert ours <= MOST < naive
