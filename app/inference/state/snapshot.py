"""What a set's log amounts to at one version. Immutable: every step returns a new snapshot.

snapshot = fold(log): comparisons that no void took back, the posterior given them, and which pairs they used up.

Absolute scores enter as part of the prior, on a scale that is estimated. Pairs are chosen with the scale as it was
when the number of comparisons last was a power of two; what is published estimates it from all of them.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

import numpy as np

from app.inference.choosing import stopping
from app.inference.choosing.asking import Draws, Leased, Plan, Presented, next_pairs
from app.inference.choosing.order import Order
from app.inference.choosing.selection import Criterion, Policy
from app.inference.choosing.stopping import Stop, reason
from app.inference.fitting import posterior as posteriors
from app.inference.fitting.absolute import AbsoluteScores, Scale, combine, join_scores, no_absolute_scores, take_scores
from app.inference.fitting.model import Method, Model, build
from app.inference.fitting.posterior import Posterior, scores
from app.inference.judges.pair_votes import PairVotes, votes_by_pair
from app.inference.kernels.availability import BOTH_ORDERS, LOWER_FIRST, OrdersShown, mark, still_open
from app.inference.kernels.bradley_terry import serves
from app.inference.reporting.bias import Bias, estimates
from app.inference.reporting.calibration import tempered
from app.inference.types import Bools, Comparisons, Ints, join, no_comparisons, take

QUICK = 300  # comparisons or asks, each a tenth of a millisecond


class Catalogue(NamedTuple):
    """Who is in the set; changes only with `revision`."""

    revision: int
    keys: tuple[str, ...]  # (N,)
    ids: dict[str, int]
    items: tuple[tuple[str, str | None], ...]  # (I,) key and prompt
    item_ids: dict[str, int]
    lengths: Ints  # (I, N) bytes of the candidate's output on the item; -1 where it has none
    has: Bools  # (I, N) whether it has one
    size_bytes: int


class Entries(NamedTuple):
    """K comparisons of the log, oldest first."""

    seq: Ints  # (K,)
    item: Ints  # (K,)
    comparisons: Comparisons  # p as stored; judges by their id


class Scored(NamedTuple):
    """M absolute scores of the log, oldest first."""

    seq: Ints  # (M,)
    item: Ints  # (M,)
    scores: AbsoluteScores  # judges by their id


class Log(NamedTuple):
    entries: Entries
    scored: Scored


class Interpretation(NamedTuple):
    """How a set wants its log to be read."""

    method: Method
    temperatures: Mapping[int, float]  # by judge id; 1 for all others


class Evidence(NamedTuple):
    """The log as the model reads it: what was voided or scored again is left out."""

    judges: Ints  # (J,) ids, ascending; their places are the judges' numbers
    comparisons: Comparisons  # p tempered
    absolute: AbsoluteScores


class Stage(NamedTuple):
    """What the model depends on besides the interpretation: while it stays, the posterior goes on from where it was."""

    judges: int  # whose biases are parameters
    absolute: int  # sequence number of the last absolute score
    fitted: int  # comparisons at which the scale of absolute scores was estimated: the last power of two


class Snapshot(NamedTuple):
    version: int
    interpretation: Interpretation
    log: Log  # what counts of it
    evidence: Evidence
    stage: Stage
    model: Model
    posterior: Posterior
    shown: OrdersShown  # (I, N, N)

    @property
    def comparisons(self) -> Comparisons:
        return self.evidence.comparisons

    @property
    def size_bytes(self) -> int:
        rows = 100 * len(self.log.entries.seq) + 60 * len(self.log.scored.seq)
        return self.posterior.size_bytes + self.shown.nbytes + rows


class Published(NamedTuple):
    """The posterior as it is published, with the model that it belongs to."""

    posterior: Posterior
    model: Model
    scale: Scale | None  # of the absolute scores, if there are any
    settled: bool  # whether that scale is final


class BlockedPairs(NamedTuple):
    """B assignments that keep their pair from being handed out; the first `leases` of them are live."""

    item: Ints  # (B,)
    first: Ints  # (B,)
    second: Ints  # (B,)
    leases: int


class ChosenPair(NamedTuple):
    """A pair on an item, ready to be shown."""

    item: int
    pair: Presented
    criterion: Literal["rank-sets"] | None = None  # None is the set's own


def make_catalogue(
    revision: int, keys: tuple[str, ...], items: tuple[tuple[str, str | None], ...], lengths: Ints
) -> Catalogue:
    ids, item_ids = {key: i for i, key in enumerate(keys)}, {key: i for i, (key, _) in enumerate(items)}
    texts = sum(map(len, keys)) + sum(len(key) + len(prompt or "") for key, prompt in items)
    size_bytes = lengths.nbytes + lengths.size + 4 * texts + 200 * (len(keys) + len(items))
    return Catalogue(revision, keys, ids, items, item_ids, lengths, lengths >= 0, size_bytes)


def no_entries() -> Entries:
    return Entries(np.empty(0, np.int64), np.empty(0, np.int64), no_comparisons())


def none_scored() -> Scored:
    return Scored(np.empty(0, np.int64), np.empty(0, np.int64), no_absolute_scores())


def entries(rows: Iterable[tuple[int, int, int, int, float, int, float]]) -> Entries:
    """From rows of (seq, item, first, second, p, judge, weight)."""
    table = list(rows)
    if not table:
        return no_entries()
    seq, item, first, second, p, judge, weight = (np.array(column) for column in zip(*table, strict=True))
    return Entries(seq, item, Comparisons(first, second, p.astype(np.float64), judge, weight.astype(np.float64)))


def scored(rows: Iterable[tuple[int, int, int, int, float, float]]) -> Scored:
    """From rows of (seq, item, candidate, judge, mean, variance)."""
    table = list(rows)
    if not table:
        return none_scored()
    seq, item, candidate, judge, mean, variance = (np.array(column) for column in zip(*table, strict=True))
    return Scored(seq, item, AbsoluteScores(candidate, judge, mean.astype(np.float64), variance.astype(np.float64)))


def log_from_rows(
    compared: Iterable[tuple[int, int, int, int, float, int, float]],
    said: Iterable[tuple[int, int, int, int, float, float]] = (),
) -> Log:
    """From rows as `entries` and `scored` take them."""
    return Log(entries(compared), scored(said))


def empty(interpretation: Interpretation, n: int, items: int) -> Snapshot:
    """A set before its first comparison."""
    nobody = np.empty(0, np.int64)
    evidence = Evidence(nobody, no_comparisons(), no_absolute_scores())
    model, asked = build(interpretation.method, n, 0), np.zeros((items, n, n), np.uint8)
    log = Log(no_entries(), none_scored())
    return Snapshot(0, interpretation, log, evidence, Stage(0, 0, 0), model, posteriors.prior(model), asked)


def are_quick(snapshots: Iterable[Snapshot], steps: int) -> bool:
    """Whether so many comparisons or asks over these take some milliseconds: kernels then do all the work."""
    return steps <= QUICK and all(serves(each.model.expert, each.model.size) for each in snapshots)


def warm_up() -> None:
    """Compile the kernels that sets need, or load them: seconds once, then a fraction of one. Safe in any thread."""
    nobody, plan = np.empty(0, np.int64), Plan(Policy(Criterion.VARIANCE), Order.BALANCED, 0)
    held = advance(empty(Interpretation(Method(), {}), 3, 1), 1, log_from_rows([(1, 0, 0, 1, 0.5, 1, 1.0)]), [])
    everyone = make_catalogue(0, ("a", "b", "c"), (("", None),), np.ones((1, 3), np.int64))
    ask(held, everyone, BlockedPairs(nobody, nobody, nobody, 0), plan, 1)


def advance(held: Snapshot, version: int, new: Log, voided: Iterable[int]) -> Snapshot:
    """The snapshot at `version`, given the log since and the sequence numbers that were voided since."""
    gone = list(voided)
    log = _without(_join(held.log, new), gone)
    evidence = _read(log, held.interpretation, _judges(log) if gone else _with_judges(held.evidence.judges, new))
    stage = _stage(log, evidence, held.interpretation.method)
    asked = _asked(np.zeros_like(held.shown), log.entries) if gone else _asked(held.shown, new.entries)
    goes_on = stage == held.stage and not gone
    model = held.model if goes_on else _model(held.interpretation, held.model.n, evidence, stage)
    start = held.posterior if goes_on else posteriors.prior(model)
    posterior = posteriors.fold(start, evidence.comparisons, model)
    return Snapshot(version, held.interpretation, log, evidence, stage, model, posterior, asked)


def exact(snapshot: Snapshot) -> Published:
    """The posterior as it is published: from all comparisons, covariance and scale included."""
    if snapshot.evidence.absolute.size:
        return under(snapshot, snapshot.interpretation.method)
    posterior = posteriors.exact(snapshot.posterior, snapshot.comparisons, snapshot.model)
    return Published(posterior, snapshot.model, None, True)


def under(snapshot: Snapshot, method: Method) -> Published:
    """The posterior of the same evidence by another method, fitted from scratch."""
    judges, comparisons, absolute = snapshot.evidence
    plain = build(method, snapshot.model.n, len(judges))
    if absolute.size:
        return Published(*combine(comparisons, plain, absolute))
    return Published(posteriors.fit(comparisons, plain), plain, None, True)


def biases(snapshot: Snapshot) -> list[Bias]:
    """Every judge's, by the set's method, which need not estimate them itself; none where its fit did not converge."""
    found = under(snapshot, snapshot.interpretation.method._replace(position_bias="estimate"))
    if not found.posterior.convergence.converged:
        return []
    return estimates(found.posterior, snapshot.comparisons, found.model)


def _judges(log: Log) -> Ints:
    """(J,) ids of who said something, ascending."""
    return np.unique(np.concatenate([log.entries.comparisons.judge, log.scored.scores.judge]))


def _with_judges(judges: Ints, new: Log) -> Ints:
    """`judges` and those of `new`."""
    said = {*new.entries.comparisons.judge.tolist(), *new.scored.scores.judge.tolist()}
    return judges if said <= set(judges.tolist()) else np.union1d(judges, _judges(new))


def _read(log: Log, interpretation: Interpretation, judges: Ints) -> Evidence:
    said, absolute = log.entries.comparisons, _latest(log.scored)
    p, numbers = said.p, judges.searchsorted(said.judge)
    if interpretation.temperatures:
        temperature = np.array([interpretation.temperatures.get(judge, 1.0) for judge in judges.tolist()])
        p = tempered(p, temperature[numbers])
    absolute = absolute._replace(judge=judges.searchsorted(absolute.judge))
    return Evidence(judges, said._replace(p=p, judge=numbers), absolute)


def _latest(scored: Scored) -> AbsoluteScores:
    """Of several scores by one judge for one output, the last."""
    if not scored.seq.size:
        return scored.scores
    place = np.column_stack([scored.item, scored.scores.candidate, scored.scores.judge])[::-1]
    kept = len(place) - 1 - np.unique(place, axis=0, return_index=True)[1]
    return take_scores(scored.scores, np.sort(kept))


def _stage(log: Log, evidence: Evidence, method: Method) -> Stage:
    biases = len(evidence.judges) if method.position_bias == "estimate" else 0
    if not evidence.absolute.size:
        return Stage(biases, 0, 0)
    size = evidence.comparisons.size
    return Stage(biases, int(log.scored.seq[-1]), 1 << (size.bit_length() - 1) if size else 0)


def _model(interpretation: Interpretation, n: int, evidence: Evidence, stage: Stage) -> Model:
    plain = build(interpretation.method, n, len(evidence.judges))
    if not evidence.absolute.size:
        return plain
    return combine(take(evidence.comparisons, slice(stage.fitted)), plain, evidence.absolute).model


def raw(snapshot: Snapshot) -> Comparisons:
    """What counts of the log, as it was said; judges by their numbers."""
    return snapshot.log.entries.comparisons._replace(judge=snapshot.comparisons.judge)


def pair_votes_of(snapshot: Snapshot) -> PairVotes:
    """What each judge says of each pair of outputs."""
    return votes_by_pair(raw(snapshot), snapshot.log.entries.item, len(snapshot.evidence.judges))


def plain_model(snapshot: Snapshot) -> Model:
    """Without what absolute scores add to the prior: the prior that a stop is judged against."""
    return build(snapshot.interpretation.method, snapshot.model.n, len(snapshot.evidence.judges))


def stop_reason(snapshot: Snapshot, stop: Stop) -> stopping.Reason | None:
    """Why no more pairs are needed, if so. Between checkpoints a stop is confirmed by the exact covariance."""
    if snapshot.model.n < 2:
        return None
    live = scores(snapshot.posterior, snapshot.comparisons, snapshot.model)
    plain = plain_model(snapshot)
    if reason(live, plain, stop) is None:
        return None
    published = exact(snapshot)
    return reason(scores(published.posterior, snapshot.comparisons, published.model), plain, stop)


def ask(snapshot: Snapshot, catalogue: Catalogue, blocked: BlockedPairs, plan: Plan, count: int) -> list[ChosenPair]:
    """Up to `count` pairs that are neither used up nor blocked, best first.

    A round gives each pair of candidates at most once; further items of the same pairs come in further rounds, with
    everything chosen so far counted as leased.
    """
    item, first, second, leases = blocked
    blocked = BlockedPairs(item.copy(), first.copy(), second.copy(), leases)  # in one layout, so that one kernel does
    rng = Draws(plan, snapshot.version, blocked.leases)
    asks: list[ChosenPair] = []
    while len(asks) < count and (chosen := _round(snapshot, catalogue, blocked, plan, count - len(asks), rng)):
        asks += chosen
        if len(asks) < count:
            blocked = _with_leases(blocked, chosen)
    return asks


def _round(
    snapshot: Snapshot, catalogue: Catalogue, blocked: BlockedPairs, plan: Plan, count: int, rng: Draws
) -> list[ChosenPair]:
    slots = _open_slots(snapshot, catalogue, blocked, plan.order)
    leased = Leased(blocked.first[: blocked.leases], blocked.second[: blocked.leases])
    open_pairs = slots[0] if len(slots) == 1 else np.asarray(slots.any(axis=0))
    pairs = next_pairs(snapshot.posterior, snapshot.model, snapshot.comparisons, leased, open_pairs, plan, count, rng)
    return [_on_item(pair, slots, snapshot.shown, plan.order, rng) for pair in pairs]


def _with_leases(blocked: BlockedPairs, chosen: list[ChosenPair]) -> BlockedPairs:
    new = np.array([(ask.item, ask.pair.first, ask.pair.second) for ask in chosen], np.int64).T
    at, columns = blocked.leases, (blocked.item, blocked.first, blocked.second)
    item, first, second = (np.insert(old, at, add) for old, add in zip(columns, new, strict=True))
    return BlockedPairs(item, first, second, blocked.leases + len(chosen))


def _open_slots(snapshot: Snapshot, catalogue: Catalogue, blocked: BlockedPairs, order: Order) -> Bools:
    """(I, N, N), True at [item, i, j], i < j, where the pair may be shown now.

    With order "both", a pair seen in one order comes before any new pair.
    """
    used_up = BOTH_ORDERS if order is Order.BOTH else LOWER_FIRST
    slots = still_open(snapshot.shown, catalogue.has, blocked.item, blocked.first, blocked.second, used_up)
    if order is not Order.BOTH:
        return slots
    half = slots & (snapshot.shown != 0)
    return half if half.any() else slots


def _asked(asked: OrdersShown, new: Entries) -> OrdersShown:
    return mark(asked, new.item, new.comparisons.first, new.comparisons.second)


def _on_item(pair: Presented, slots: Bools, asked: OrdersShown, order: Order, rng: Draws) -> ChosenPair:
    i, j = pair.choice.i, pair.choice.j
    items = slots[:, i, j].nonzero()[0]
    item = int(items[0]) if len(items) == 1 else rng.choice(items)
    if order is Order.BOTH and asked[item, i, j]:
        first, second = (j, i) if asked[item, i, j] == LOWER_FIRST else (i, j)
        pair = Presented(first, second, pair.choice)
    return ChosenPair(item, pair)


def _join(old: Log, new: Log) -> Log:
    entries = Entries(
        np.concatenate([old.entries.seq, new.entries.seq]),
        np.concatenate([old.entries.item, new.entries.item]),
        join(old.entries.comparisons, new.entries.comparisons),
    )
    return Log(entries, _join_scored(old.scored, new.scored))


def _join_scored(old: Scored, new: Scored) -> Scored:
    if not len(new.seq):
        return old
    seq, item = np.concatenate([old.seq, new.seq]), np.concatenate([old.item, new.item])
    return Scored(seq, item, join_scores(old.scores, new.scores))


def _without(log: Log, gone: list[int]) -> Log:
    if not gone:
        return log
    kept = ~np.isin(log.entries.seq, gone)
    entries = Entries(log.entries.seq[kept], log.entries.item[kept], take(log.entries.comparisons, kept))
    return Log(entries, log.scored)
