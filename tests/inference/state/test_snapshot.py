"""snapshot = fold(log), however the log comes in."""

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
import pytest

from app.inference import state as snapshots
from app.inference.fitting import posterior as posteriors
from app.inference.fitting.absolute import combine
from app.inference.fitting.measurements import Normal
from app.inference.fitting.model import Method, at_scale, build_for
from app.inference.fitting.posterior import period
from app.inference.fitting.weights import Hyperprior
from app.inference.regimes import AT_ONCE, MEDIUM, SMALL
from app.inference.reporting.calibration import tempered
from app.inference.state import ComparisonRow, Interpretation, ScoreRow, SharedPriors, Snapshot
from app.inference.state.snapshot import learnt_from
from tests.inference.factories import dense

N, ITEMS, LENGTH = 23, 2, 70  # an exact covariance every second comparison
ONE_BY_ONE = range(1, LENGTH + 1)
VOIDS = {30: 4, 55: 29, 70: 68}  # by its own seq, the seq that it takes back
SCORES = (5, 6, 7, 8, 21, 33, 34, 47, 60, 69)  # seqs of absolute scores, where they are mixed in
LATE = {40: 0, 52: 9, 63: 5}  # by seq, judges who compare from there on: their ids are no numbers in order of arrival
PLAIN = Interpretation(Method(), {})
READ = Interpretation(Method(), {0: 2.0, 2: 0.5}, {0: 0.5, 1: 3.0})  # its own temperatures, its own votes
MIXED = {
    "soft-bt": PLAIN,
    "tempered": Interpretation(Method(), {1: 2.5, 9: 0.5, 77: 3.0}),
    "biases": Interpretation(Method(position_bias="estimate"), {}),
    "gaussian": Interpretation(Method("gaussian", (("v", 2.0),), "unit", 2.0, "estimate"), {2: 2.0}),
    "closed form": Interpretation(Method(position_bias="closed-form"), {}),
    "laplace": Interpretation(Method("laplace", position_bias="estimate"), {}),
    "anchor": Interpretation(Method("phi-beta", prior="anchor"), {}),
    "learnt": Interpretation(Method(verdict_weight="learnt"), {2: 2.0}),
    "learnt biases": Interpretation(Method(position_bias="estimate", verdict_weight="learnt"), {}),
    "votes": Interpretation(Method(), {}, {1: 4.0, 9: 0.5}),
}


def rows() -> list[ComparisonRow]:
    rng = np.random.default_rng(7)
    made = []
    for seq in range(1, LENGTH + 1):
        first, second = rng.choice(N, 2, replace=False)
        made.append(
            ComparisonRow(
                seq, int(rng.integers(ITEMS)), int(first), int(second), float(rng.random()), int(rng.integers(3))
            )
        )
    return [row for row in made if row[0] not in VOIDS]


def advance(held: Snapshot, version: int, *, mixed: bool = False) -> Snapshot:
    """To `version` of a log of comparisons and voids; `mixed` puts absolute scores and late judges into it."""
    compared = [row for row in rows() if held.version < row[0] <= version]
    said = [_said(row[0], row[1], row[2]) for row in compared if row[0] in SCORES and mixed]
    compared = [_judged_later(row) for row in compared if row[0] not in SCORES] if mixed else compared
    voided = [v for seq, v in VOIDS.items() if held.version < seq <= version]
    return snapshots.advance(held, version, snapshots.log_from_rows(compared, said), voided)


def _said(seq: int, item: int, candidate: int) -> ScoreRow:
    """By judge 1, who compares too, and judge 8, who does not. One of them says something twice."""
    return ScoreRow(seq, item, candidate, 1 + 7 * (seq % 2), 5.0 + np.sin(seq), 0.5)


def _judged_later(row: ComparisonRow) -> ComparisonRow:
    later = [judge for seq, judge in LATE.items() if seq <= row[0]]
    return row._replace(judge=later[-1] if later and row.seq % 2 else 1 + row.judge % 2)


def by_steps(*versions: int, interpretation: Interpretation = PLAIN, mixed: bool = False) -> Snapshot:
    held = snapshots.empty(interpretation, N, ITEMS)
    for version in versions:
        held = advance(held, version, mixed=mixed)
    return held


def in_steps(held: Snapshot, answers: list[ComparisonRow]) -> Snapshot:
    """One answer after the other."""
    for row in answers:
        held = snapshots.advance(held, row.seq, snapshots.log_from_rows([row]), [])
    return held


def assert_same(one: Snapshot, other: Snapshot) -> None:
    assert (one.version, one.interpretation, one.stage) == (other.version, other.interpretation, other.stage)
    assert np.array_equal(one.log.entries.seq, other.log.entries.seq)
    assert np.array_equal(one.log.scored.seq, other.log.scored.seq)
    assert np.array_equal(one.evidence.judges, other.evidence.judges)
    assert all(map(np.array_equal, one.comparisons, other.comparisons))
    assert one.shown[:2] == other.shown[:2]
    assert np.array_equal(one.shown.code, other.shown.code)
    assert np.array_equal(one.shown.orders, other.shown.orders)
    assert all(map(np.array_equal, one.tally, other.tally))
    assert one.model.prior.precision == pytest.approx(other.model.prior.precision, rel=1e-8)
    assert one.model.prior.pull == pytest.approx(other.model.prior.pull, abs=1e-8)
    assert one.model.votes == pytest.approx(other.model.votes, rel=1e-8)
    assert one.posterior.mean == pytest.approx(other.posterior.mean, abs=1e-8)
    here, there = (posteriors.exact(each.posterior).covariance.matrix() for each in (one, other))
    assert here == pytest.approx(there, rel=1e-7, abs=1e-8)
    assert_near(one)
    assert_near(other)


def assert_near(held: Snapshot) -> None:
    """99% of the variances of differences within 2% of exact; none further off than 10%."""
    i, j = np.triu_indices(held.model.n, 1)
    live, exact = (each.covariance.variances(i, j) for each in (held.posterior, posteriors.exact(held.posterior)))
    error = np.abs(live / exact - 1.0)
    assert np.quantile(error, 0.99) < 0.02
    assert error.max() < 0.1


@pytest.mark.parametrize("steps", [ONE_BY_ONE, range(7, LENGTH + 1, 7), (29, 31, 54, 70)])
@pytest.mark.parametrize("interpretation", [PLAIN, MIXED["learnt"], READ], ids=["one-vote", "learnt", "read"])
def test_catching_up_in_one_go_equals_step_by_step(steps: Iterable[int], interpretation: Interpretation) -> None:
    assert_same(by_steps(*steps, interpretation=interpretation), by_steps(LENGTH, interpretation=interpretation))


def among_many(
    *versions: int,
    n: int = AT_ONCE + 1,
    way: str = "learnt",
    voided: int | None = None,
    ahead: bool = True,
) -> Snapshot:
    """The same comparisons among more than AT_ONCE candidates, where the next stage's weights may be learnt ahead."""
    held = snapshots.empty(MIXED[way], n, ITEMS)
    for version in versions:
        voids = [voided] if voided and held.version < version == versions[-1] else []
        new = snapshots.log_from_rows([row for row in rows() if held.version < row[0] <= version])
        held = snapshots.advance(held, version, new, voids)
        while ahead and held.due:
            held = snapshots.compute_due(held)
    return held


def test_a_stage_among_many_has_what_the_one_before_taught_whenever_it_was_learnt() -> None:
    stages = [learnt_from(size, AT_ONCE + 1) for size in (0, 1, 2, 9, 10, 39, 40, 63, 64)]
    assert stages == [0, 0, 1, 7, 8, 28, 32, 48, 56]
    ahead = among_many(*ONE_BY_ONE)
    assert ahead.learnt_ahead is not None
    assert_same(ahead, among_many(LENGTH, ahead=False))


def test_weights_are_forgotten_with_what_they_were_learnt_from() -> None:
    stale = among_many(60, 63)
    assert stale.learnt_ahead is not None
    assert_same(among_many(60, 63, LENGTH, voided=2), among_many(LENGTH, voided=2, ahead=False))
    late = snapshots.advance(among_many(60, ahead=False), 61, snapshots.log_from_rows([]), [1, 2, 3, 5, 6, 7])
    assert snapshots.with_computed(late, stale) is late


def test_weights_of_another_method_are_not_taken() -> None:
    other = Interpretation(Method(position_bias="closed-form", verdict_weight="learnt"), {})
    n, answers = AT_ONCE + 1, snapshots.log_from_rows(rows())
    read_again = snapshots.advance(snapshots.empty(other, n, ITEMS), LENGTH, answers, [])
    assert snapshots.with_computed(read_again, snapshots.compute_due(among_many(LENGTH, ahead=False))) is read_again


def repeated(n: int, seed: int) -> list[ComparisonRow]:
    """Judges who say words, probabilities or both answer pairs again, in either order."""
    rng, made = np.random.default_rng(seed), list[ComparisonRow]()
    for seq in range(1, LENGTH + 1):
        again = bool(made) and rng.random() < 0.5
        _, item, first, second, _, judge, *_ = made[rng.integers(len(made))] if again else rows()[0]
        if not again:
            item, judge = int(rng.integers(ITEMS)), int(rng.integers(3))
            first, second = rng.choice(min(n, N), 2, replace=False).tolist()
        if rng.random() < 0.5:
            first, second = second, first
        p = float(rng.choice([0.0, 0.5, 1.0])) if judge == 0 or (judge == 1 and rng.random() < 0.5) else rng.random()
        made.append(ComparisonRow(seq, item, first, second, p, judge))
    return made


@pytest.mark.parametrize(("n", "seed"), [*((n, seed) for n in (6, SMALL + 6) for seed in range(3)), (MEDIUM + 4, 0)])
@pytest.mark.parametrize("way", ["learnt", "learnt biases"])
def test_answers_that_repeat_take_from_those_before_in_steps_as_in_one_go(n: int, way: str, seed: int) -> None:
    answers = repeated(n, seed)
    one_by_one = in_steps(snapshots.empty(MIXED[way], n, ITEMS), answers)
    in_one_go = snapshots.advance(snapshots.empty(MIXED[way], n, ITEMS), LENGTH, snapshots.log_from_rows(answers), [])

    weight = snapshots.in_model(one_by_one).weight
    assert (weight < weight.max()).any()
    assert_same(one_by_one, in_one_go)
    fresh = posteriors.exact(in_one_go.posterior).covariance.matrix().diagonal()
    assert one_by_one.posterior.covariance.matrix().diagonal() == pytest.approx(fresh, rel=0.1)


@pytest.mark.parametrize("seed", range(3))
def test_answers_that_repeat_beside_absolute_scores_come_to_the_same_in_steps_as_in_one_go(seed: int) -> None:
    n, nothing = 6, snapshots.empty(MIXED["learnt"], 6, ITEMS)
    scored = [ScoreRow(seq, 0, seq, 5, 0.5 * seq, 0.3) for seq in range(4)]
    answers = [row._replace(seq=row.seq + 4) for row in repeated(n, seed)]
    one_by_one = in_steps(snapshots.advance(nothing, 4, snapshots.log_from_rows([], scored), []), answers)
    in_one_go = snapshots.advance(nothing, LENGTH + 4, snapshots.log_from_rows(answers, scored), [])
    assert_same(one_by_one, in_one_go)


def test_an_answer_in_the_other_order_needs_no_fresh_covariance() -> None:
    held = among_many(66, n=MEDIUM + 4)
    _, item, first, second, p, judge, *_ = rows()[-1]
    again = snapshots.log_from_rows([ComparisonRow(67, item, second, first, 0.9 - 0.8 * p, judge)])

    after = snapshots.advance(held, 67, again, [])

    assert dense(after.posterior.covariance).base is dense(held.posterior.covariance).base


@pytest.mark.parametrize("way", ["soft-bt", "biases", "learnt"])
def test_a_covariance_that_is_recomputed_ahead_is_gone_on_from_whenever_it_was_computed(way: str) -> None:
    n = MEDIUM + 4
    ahead, left = among_many(*ONE_BY_ONE, n=n, way=way), among_many(*ONE_BY_ONE, n=n, way=way, ahead=False)
    assert ahead.posterior.since_exact < period(n)
    assert_same(ahead, left)
    assert_same(ahead, among_many(LENGTH, n=n, way=way, ahead=False))


@pytest.mark.parametrize("way", ["soft-bt", "biases", "learnt"])
def test_a_covariance_takes_a_while_in_which_more_has_come(way: str) -> None:
    n = MEDIUM + 4
    began = among_many(58, 59, n=n, way=way, ahead=False)  # 57 comparisons, in the stage of 56
    computed = began._replace(posterior=posteriors.fit_edges(began.posterior.edges, began.model))
    later = snapshots.advance(began, 62, snapshots.log_from_rows([row for row in rows() if 59 < row.seq <= 62]), [])
    taken = snapshots.with_computed(later, computed)
    assert 0 < taken.posterior.since_exact <= later.comparisons.size - began.comparisons.size
    assert_same(taken, later)


@pytest.mark.parametrize("way", ["soft-bt", "biases", "learnt"])
def test_a_covariance_is_forgotten_with_what_it_was_computed_from(way: str) -> None:
    n = MEDIUM + 4
    stale = among_many(*range(60, 67), n=n, way=way)
    computed = snapshots.compute_due(stale)
    voided = snapshots.advance(stale, 67, snapshots.log_from_rows([]), [2])
    assert snapshots.with_computed(voided, computed) is voided
    after = among_many(66, LENGTH, n=n, way=way, voided=2)
    assert_same(after, among_many(LENGTH, n=n, way=way, voided=2, ahead=False))


def test_a_covariance_is_recomputed_ahead_once_it_is_due() -> None:
    n = MEDIUM + 4
    early, due = (among_many(version, n=n, way="soft-bt", ahead=False) for version in (period(n) - 1, period(n) + 3))
    assert (early.due, due.due) == (None, "covariance")
    computed = snapshots.compute_due(due)
    assert_same(snapshots.with_computed(due, computed), due)
    assert snapshots.with_computed(due, computed).due is computed.due is None


@cache
def mixed_by_steps(name: str, steps: Sequence[int]) -> Snapshot:
    return by_steps(*steps, interpretation=MIXED[name], mixed=True)


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("steps", [ONE_BY_ONE, range(7, LENGTH + 1, 7), (8, 29, 31, 54, 61, 70)])
def test_absolute_scores_and_judges_who_come_later_are_caught_up_with_alike(steps: Sequence[int], name: str) -> None:
    held = mixed_by_steps(name, steps)
    assert_same(held, mixed_by_steps(name, (LENGTH,)))
    assert held.evidence.judges.tolist() == [0, 1, 2, 5, 8, 9]
    assert held.evidence.absolute.size == len(SCORES) - 1


@pytest.mark.parametrize("name", MIXED)
def test_what_is_published_is_a_fit_of_everything_from_scratch(name: str) -> None:
    held = mixed_by_steps(name, ONE_BY_ONE)
    judges, _, answers, absolute = held.evidence
    published = snapshots.exact(held)
    model = build_for(MIXED[name].method, N, answers, len(judges))
    model = at_scale(model, published.learnt.scale) if published.learnt else model
    fitted = combine(published.comparisons, model, absolute)
    assert published.posterior.mean == pytest.approx(fitted.posterior.mean, abs=1e-8)
    assert published.posterior.covariance.matrix() == pytest.approx(fitted.posterior.covariance.matrix(), rel=1e-8)
    assert published.scale is not None
    assert (published.scale.c1[np.unique(absolute.judge)] > 0).all()


def test_a_log_keeps_the_last_shared_priors() -> None:
    shared = [SharedPriors(seq, Hyperprior(Normal(0.1 * seq, 1.0), {1: Normal(-1.0, 0.5)})) for seq in (2, 6)]
    snapshot = snapshots.advance(
        snapshots.empty(PLAIN, N, ITEMS), 2, snapshots.log_from_rows(rows()[:1], pooled=shared[0]), []
    )
    assert snapshot.log.pooled == shared[0]
    scored = [_said(5, 0, 1)]
    snapshot = snapshots.advance(snapshot, 5, snapshots.log_from_rows(rows()[2:4], scored), [1])
    assert snapshot.log.pooled == shared[0]
    snapshot = snapshots.advance(snapshot, 6, snapshots.log_from_rows([], pooled=shared[1]), [])
    assert snapshot.log.pooled == shared[1]


@pytest.mark.parametrize(("verdict_weight", "matters"), [("learnt", True), ("one-vote", False)])
def test_shared_priors_count_from_their_version_on(verdict_weight: str, matters: bool) -> None:
    interpretation = Interpretation(Method(verdict_weight=verdict_weight), {})
    first, later = (snapshots.log_from_rows(rows()[part]) for part in (slice(0, 9), slice(9, 11)))
    shared = SharedPriors(10, Hyperprior(Normal(2.0, 0.1), {judge: Normal(-3.0, 0.1) for judge in range(3)}))
    before = snapshots.advance(snapshots.empty(interpretation, N, ITEMS), 9, first, [])
    after = snapshots.advance(before, 10, snapshots.log_from_rows([], pooled=shared), [])
    assert (snapshots.exact(after).posterior.mean != snapshots.exact(before).posterior.mean).any() == matters
    at_the_end = snapshots.advance(after, 12, later, [])
    at_once = snapshots.log_from_rows(rows()[:11], pooled=shared)
    assert_same(at_the_end, snapshots.advance(snapshots.empty(interpretation, N, ITEMS), 12, at_once, []))
    if at_the_end.learnt is not None:
        assert np.log(at_the_end.learnt.noise) == pytest.approx(-3.0, abs=0.4)
        assert np.log(at_the_end.learnt.scale) == pytest.approx(2.0, abs=0.4)


def test_the_log_is_kept_raw_and_read_tempered() -> None:
    held = by_steps(LENGTH, interpretation=MIXED["tempered"], mixed=True)
    raw, read = held.log.entries.comparisons, held.comparisons
    of_judge = held.evidence.judges[read.judge]
    assert np.array_equal(of_judge, raw.judge)
    for judge, temperature in ((1, 2.5), (2, 1.0), (9, 0.5)):
        rows = of_judge == judge
        assert read.p[rows] == pytest.approx(tempered(raw.p[rows], temperature))


def test_of_several_scores_of_one_output_the_last_counts() -> None:
    """The same judge, item and candidate; another judge and another item are other scores."""
    rows = [(1, 0, 2, 4, 1.0, 1.0), (2, 0, 2, 4, 9.0, 0.5), (3, 1, 2, 4, 5.0, 1.0), (4, 0, 2, 6, 7.0, 1.0)]
    said = [ScoreRow(*row) for row in rows]
    empty = snapshots.empty(PLAIN, 3, 2)
    at_once = snapshots.advance(empty, 4, snapshots.log_from_rows([], said), [])
    one_by_one = empty
    for row in said:
        one_by_one = snapshots.advance(one_by_one, row[0], snapshots.log_from_rows([], [row]), [])
    for held in (at_once, one_by_one):
        assert held.evidence.absolute.mean.tolist() == [9.0, 5.0, 7.0]
        assert held.evidence.absolute.variance.tolist() == [0.5, 1.0, 1.0]
        assert held.log.scored.seq.tolist() == [1, 2, 3, 4]
    assert_same(at_once, one_by_one)


def test_voided_entries_are_gone() -> None:
    assert not set(VOIDS.values()) & set(by_steps(LENGTH).log.entries.seq.tolist())


def test_advancing_by_nothing_changes_nothing() -> None:
    held = by_steps(20)
    assert_same(snapshots.advance(held, 20, snapshots.log_from_rows([]), []), held)


def test_size_counts_what_grows() -> None:
    assert by_steps(LENGTH).size_bytes > by_steps(1).size_bytes > ITEMS * N * N


def test_biases_of_a_fit_that_did_not_converge_are_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    held = by_steps(LENGTH, interpretation=Interpretation(Method("laplace"), {}))
    published = snapshots.exact(held)
    assert len(snapshots.biases(held, published)) == 3
    monkeypatch.setattr(posteriors, "MAX_ITERATIONS", 0)
    assert snapshots.biases(held, published) == []


def test_two_snapshots_go_on_from_one() -> None:
    """The second has its own sums, whose edges stand in another order."""
    n, way = SMALL + 6, MIXED["learnt biases"]
    answers = repeated(n, 0)
    some = snapshots.advance(snapshots.empty(way, n, ITEMS), LENGTH, snapshots.log_from_rows(answers[:-3]), [])
    one, other = (
        snapshots.advance(
            some, LENGTH + 1, snapshots.log_from_rows([row._replace(first=row.second, second=row.first)]), []
        )
        for row in answers[-2:]
    )
    again = snapshots.advance(some, LENGTH + 1, snapshots.log_from_rows(answers[-3:]), [])
    assert one.cells is some.cells is not other.cells
    assert_same(again, snapshots.advance(snapshots.empty(way, n, ITEMS), LENGTH + 1, again.log, []))
    for each in (one, other):
        assert_same(each, snapshots.advance(snapshots.empty(way, n, ITEMS), LENGTH + 1, each.log, []))


def test_a_lot_at_once_is_added_up_at_once() -> None:
    n = SMALL + 6
    many = [ComparisonRow(seq, 0, seq % n, (seq + 1 + seq % 5) % n, 0.5 + seq % 3 / 7, 1) for seq in range(1, 301)]
    nothing = snapshots.empty(Interpretation(Method(), {}), n, ITEMS)
    one_by_one = nothing
    for start in range(0, 300, 50):
        one_by_one = snapshots.advance(one_by_one, start + 50, snapshots.log_from_rows(many[start : start + 50]), [])
    at_once = snapshots.advance(nothing, 300, snapshots.log_from_rows(many), [])
    assert at_once.cells is not nothing.cells
    assert_same(one_by_one, at_once)
