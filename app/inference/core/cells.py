"""Cells: what each judge said on each question, added up. Whatever a log says of scores and judges is a sum over cells.

A question is a pair of one item, for one judge, in either order. A judge that is asked it again shares its error, so
that m answers count as m / (1 + (m - 1) rho). Of verdicts of weights c, p as the first shown has it, cell g has

    weight             sum c of losses, ties and wins                              votes; p between is a share of both
    told               sum c, sum c y                                              measurements, y = logit p
    largest            the largest c of a vote, of a tie and of a measurement      m = sum c / largest

in each of the two orders: 0 where the lower-numbered candidate was shown first. What that is worth is read by
hyperparameters of its judge, and is added to the edge (edges.py) of its pair, or of its pair, order and judge where
biases matter.

    vote               c min(phi, 1) / (1 + (m - 1) rho)
    measurement        c / (sigma2 m)

The words of a judge who also says probabilities measure. 1/2 is 0. Where it says more probabilities than 0 and 1, these
are such as were rounded: half as far from the end as the nearest that it says, so that 1.00 beside .99 is .995.

Cells are the one thing here that changes, and belong to whoever adds to them: a verdict costs the same after a million
others. Sums of edges are copied whenever they are asked for.

    tau2, sigma2, phi, rho      Hyperparameters.scale, .noise, .votes, .repeat_correlation      (), (J,), (J,), (J,)

Slow formulas of the kernels: of `put` the sums above; of `read` those of edges.py, of comparisons with these weights.
"""

from functools import cached_property
from threading import Lock
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from app.inference.core.edges import NO_BIAS, NO_OFFSET, Design, Edges
from app.inference.experts import LONGEST, Expert, is_vote
from app.inference.kernels import contiguous, unchecked_kernel
from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import firsts, numbered

LEAST_SHARE = 0.5  # of probabilities, in answers but ties
TIE = np.nextafter(0.5, 1.0)  # as it measures
SPARE = 16  # cells

Number = TypeVar("Number", np.float64, np.int64)
Places = dict[tuple[int, ...], int]


class Hyperparameters(NamedTuple):
    scale: float  # tau2
    noise: Floats  # (J,) sigma2
    votes: Floats  # (J,) phi
    repeat_correlation: Floats  # (J,) rho


def one_vote(judges: int) -> Hyperparameters:
    """Every verdict counts as it is."""
    return Hyperparameters(1.0, np.ones(judges), np.ones(judges), np.zeros(judges))


class Words(NamedTuple):
    """What J judges' words are beside, if they say probabilities at all."""

    probabilities: Floats  # (J,) how many
    inside: Floats  # (J,) of them, that are no ties
    decided: Floats  # (J,) answers that are no ties
    nearest: Floats  # (J,) to 0 or 1, of its probabilities; 1/2 where it says none

    def ends(self, least: float = LEAST_SHARE) -> Floats:
        """(J,) p that its word 0 stands for; NaN, a vote, unless more than `least` of its answers but ties are p."""
        end = np.maximum(0.5 * self.nearest, expit(-LONGEST))
        return np.where(self.inside > least * self.decided, end, np.nan)


def words_of(p: Floats, judge: Ints, judges: int) -> Words:
    """From (K,) verdicts."""
    between, decided, nearest = ~is_vote(p), (p != 0.5) & (p != TIE), np.full(judges, 0.5)
    np.minimum.at(nearest, judge[between], np.minimum(p, 1.0 - p)[between])
    probabilities, inside, in_all = (
        np.bincount(judge, each, judges).astype(np.float64) for each in (between, between & decided, decided)
    )
    return Words(probabilities, inside, in_all, nearest)


def with_measured_words(comparisons: Comparisons, least: float = LEAST_SHARE) -> Comparisons:
    """The comparisons in which the words of judges who measure are probabilities themselves; `least` as of `ends`."""
    p, judge, words = comparisons.p, comparisons.judge, is_vote(comparisons.p)
    if words.all() or not words.any():
        return comparisons
    known = words_of(p, judge, int(judge.max()) + 1)
    end, is_tie = known.ends(least)[judge], (p == 0.5) & (known.probabilities[judge] > 0.0)
    is_end = words & (p != 0.5) & ~np.isnan(end)
    return comparisons._replace(p=np.where(is_tie, TIE, np.where(is_end, np.where(p == 0.0, end, 1.0 - end), p)))


class Cells:
    """G cells of N candidates by J judges, and what they are worth on E edges."""

    def __init__(
        self, comparisons: Comparisons, item: Ints, n: int, judges: int, expert: Expert, *, has_orders: bool
    ) -> None:
        """Args: `item` (K,) is what each was about; the expert is soft-bt in some way; `has_orders`: biases matter."""
        self.n, self.expert, self.has_orders = n, expert, has_orders
        self.measures = expert.measurement is not None  # probabilities are measurements, and not shares of votes
        self._turn = Lock()
        (first, second, p, judge, weight), item = self._as_read(comparisons, item)
        self.words, self.rows = words_of(p, judge, judges), len(p)
        low, high = np.minimum(first, second), np.maximum(first, second)
        cell = numbered(judge, item, low, high)
        self.question = np.column_stack([judge, item, low, high])[firsts(cell)]  # (G, 4)
        self.size = len(self.question)  # G
        self.weight, self.told = np.zeros((self.size, 2, 3)), np.zeros((self.size, 2, 2))
        self.largest, in_order = np.zeros((self.size, 3)), first < second
        put(self.weight, self.told, self.largest, cell, in_order, contiguous(p), contiguous(weight), self.measures)
        cell, order = np.nonzero(self.weight.sum(axis=2) + self.told[:, :, 0])
        by, _, low, high = self.question[cell].T
        first, second = np.where(has_orders & (order == 1), [high, low], [low, high])
        by = by if has_orders else np.zeros_like(by)
        edge = numbered(by, first, second)
        self.edge = np.full((self.size, 2), -1)  # (G, 2), -1 where nothing was said
        self.edge[cell, order] = edge
        self.row = [column[firsts(edge)] for column in (first, second, by)]  # (E,) each
        self.edges_size = len(firsts(edge))  # E
        self.sums = np.zeros((self.edges_size, 4))  # votes, wins, weight, pulled
        self.read(one_vote(judges))

    def _as_read(self, comparisons: Comparisons, item: Ints) -> tuple[Comparisons, Ints]:
        """The comparisons with the p that soft-bt reads, and what each was about.

        Where neither biases nor noise are anybody's own, all are of one judge and one item.
        """
        assert self.expert.as_soft_bt is not None
        p, judge = self.expert.as_soft_bt(comparisons.p), comparisons.judge
        if not self.has_orders and not self.measures:
            judge = item = np.zeros_like(judge)
        return comparisons._replace(p=p, judge=judge), item

    @property
    def size_bytes(self) -> int:
        arrays = self.weight, self.told, self.largest, self.edge, self.sums
        return sum(each.nbytes for each in arrays) + 300 * self.size  # of questions and their places

    def read(self, hyperparameters: Hyperparameters) -> "Cells":
        """The same, what is on the edges being read by these."""
        _, noise, votes, rho = self._read_by = hyperparameters
        self._worth = *self._meaning(), np.minimum(votes, 1.0), contiguous(rho), contiguous(noise)
        self.sums[:] = 0.0
        self._put_on_edges(0, self.size, 1.0)
        return self

    def _put_on_edges(self, begin: int, end: int, sign: float) -> None:
        cells = self.weight, self.told, self.largest, self.question, self.edge, self.has_orders
        read(*cells, begin, end, *self._worth, self.sums, sign)

    def _meaning(self) -> tuple[Bools, Floats]:
        """(J,) whether a judge's words measure, and y of its word 1, NaN where it is a vote."""
        measures, end = self.measures & (self.words.probabilities > 0.0), self.words.ends()
        return measures, np.where(measures, np.minimum(np.log1p(-end) - np.log(end), LONGEST), np.nan)

    def edges(self, size: int, biases: Floats | None = None) -> Edges:
        """What is said, of P parameters; the edges that were there before are the first ones of those after.

        Args: `biases` (J,) of judges, where these are known and no parameters.
        """
        first, second, by = (column[: self.edges_size] for column in self.row)
        bias = self.n + by if self.has_orders and biases is None else NO_BIAS
        design = Design(self.n, size, first, second, bias, NO_OFFSET if biases is None else biases[by])
        return Edges(design, *self.sums[: self.edges_size].T.copy())

    def after(self, rows: int, comparisons: Comparisons, item: Ints) -> bool:
        """Take in these (L,) comparisons, which come after `rows` others; False where others were taken in since."""
        with self._turn:
            if self.rows != rows:
                return False
            self.rows += len(item)
        comparisons, item = self._as_read(comparisons, item)
        for verdict in zip(*(column.tolist() for column in (*comparisons, item)), strict=True):
            self._add(*verdict)
        return True

    def _add(self, first: int, second: int, p: float, judge: int, c: float, item: int) -> None:
        low, high, order = min(first, second), max(first, second), int(first > second)
        cell = self._cell_of(judge, item, low, high)
        if self.edge[cell, order] < 0:
            row = (first, second, judge) if self.has_orders else (low, high, 0)
            self.edge[cell, order] = self._edge_of(*row)
        self._put_on_edges(cell, cell + 1, -1.0)
        one = np.array([cell]), np.array([first < second]), np.array([p]), np.array([c])
        put(self.weight, self.told, self.largest, *one, self.measures)
        if self._still_reads(p, judge):
            self._put_on_edges(cell, cell + 1, 1.0)
        else:
            self.read(self._read_by)

    def _still_reads(self, p: float, judge: int) -> bool:
        """Count this verdict of the judge; False where its words have another meaning from now on."""
        words, is_decided = self.words, p not in (0.5, TIE)
        words.decided[judge] += is_decided
        if p not in (0.0, 0.5, 1.0):
            words.probabilities[judge] += 1.0
            words.inside[judge] += is_decided
            words.nearest[judge] = min(words.nearest[judge], p, 1.0 - p)
        if not self.measures or not words.probabilities[judge]:
            return True
        meaning = zip(self._meaning(), self._worth[:2], strict=True)
        return all(np.array_equal(now, before, equal_nan=True) for now, before in meaning)

    def _cell_of(self, *question: int) -> int:
        cell = self._cells.setdefault(question, self.size)
        if cell == self.size:
            self.size += 1
            self.question, self.edge = _with(self.question, cell, question), _with(self.edge, cell, -1)
            self.weight, self.told, self.largest = (
                _with(each, cell, 0.0) for each in (self.weight, self.told, self.largest)
            )
        return cell

    def _edge_of(self, *row: int) -> int:
        """Args: `row` is first, second and judge."""
        edge = self._edges.setdefault(row, self.edges_size)
        if edge == self.edges_size:
            self.edges_size += 1
            self.row = [_with(column, edge, value) for column, value in zip(self.row, row, strict=True)]
            self.sums = _with(self.sums, edge, 0.0)
        return edge

    @cached_property
    def _cells(self) -> Places:
        return _places(self.question)

    @cached_property
    def _edges(self) -> Places:
        return _places(np.column_stack(self.row))


def _places(rows: Ints) -> Places:
    return {tuple(row): place for place, row in enumerate(rows.tolist())}


def _with(array: NDArray[Number], at: int, value: float | tuple[int, ...]) -> NDArray[Number]:
    """The array with a value behind its first ones, and room for more: in place, or a longer copy."""
    if at == len(array):
        array = np.concatenate([array, np.zeros((len(array) + SPARE, *array.shape[1:]), array.dtype)])
    array[at] = value
    return array


@unchecked_kernel
def put(
    weight: Floats, told: Floats, largest: Floats, cell: Ints, is_in_order: Bools, p: Floats, c: Floats, measures: bool
) -> None:  # fmt: skip
    """Add (K,) verdicts to cells, in place."""
    for k in range(len(p)):
        g, order = cell[k], 0 if is_in_order[k] else 1
        if not measures or p[k] == 0.0 or p[k] == 0.5 or p[k] == 1.0:
            if p[k] == 0.5:
                weight[g, order, 1] += c[k]
                kind = 1
            else:
                weight[g, order, 0] += c[k] * (1.0 - p[k])
                weight[g, order, 2] += c[k] * p[k]
                kind = 0
        else:
            y = min(max(np.log(p[k] / (1.0 - p[k])), -LONGEST), LONGEST)
            told[g, order, 0] += c[k]
            told[g, order, 1] += c[k] * y
            kind = 2
        largest[g, kind] = max(largest[g, kind], c[k])


@unchecked_kernel
def read(
    weight: Floats, told: Floats, largest: Floats, question: Ints, edge: Ints, has_orders: bool, begin: int, end: int,
    measures: Bools, y_of_a_win: Floats, of_a_vote: Floats, rho: Floats, noise: Floats, sums: Floats, sign: float,
) -> None:  # fmt: skip
    """Add what cells from `begin` to `end` are worth to their edges, in place; with a sign of -1 take it away."""
    for g in range(begin, end):
        j = question[g, 0]
        top, total = max(largest[g, 0], largest[g, 1], largest[g, 2]), 0.0
        if top == 0.0:
            continue
        for order in range(2):
            total += weight[g, order, 0] + weight[g, order, 1] + weight[g, order, 2] + told[g, order, 0]
        others = total / top - 1.0
        vote, precision = sign * of_a_vote[j] / (1.0 + rho[j] * others), sign / (noise[j] * (1.0 + others))
        for order in range(2):
            e = edge[g, order]
            if e < 0:
                continue
            losses, ties, wins = weight[g, order, 0], weight[g, order, 1], weight[g, order, 2]
            c, cy = told[g, order, 0], told[g, order, 1]
            if measures[j]:
                c += ties
                ties = 0.0
                if not np.isnan(y_of_a_win[j]):
                    c += losses + wins
                    cy += (wins - losses) * y_of_a_win[j]
                    losses, wins = 0.0, 0.0
            votes, won, pulled = (losses + ties + wins) * vote, (wins + 0.5 * ties) * vote, cy * precision
            is_turned = order == 1 and not has_orders
            sums[e, 0] += votes
            sums[e, 1] += votes - won if is_turned else won
            sums[e, 2] += c * precision
            sums[e, 3] += -pulled if is_turned else pulled
