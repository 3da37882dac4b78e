"""Every scoring method on the same few pairs, random and selected, each in both orders (PoE tables 1, 2, 5 to 8).

And sorting by a judge's verdicts, as PAIRS does (Liu et al. 2024), against scores from as many comparisons (PoE C.8).
The sort is a merge sort: the heads of two sorted halves are compared, the more likely one goes first. PAIRS has a beam
of merges too, which of sets this small asks for most pairs.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from nextpair.words import MethodName

from app.inference import fitting
from app.inference.choosing import RANKING, Criterion, Order, Policy
from app.inference.choosing.picking import draw, joining, select
from app.inference.fitting import BASELINES
from app.inference.pair_sets import PairSet, listed, mask, size, without
from app.inference.types import Bools, Comparisons, Floats, Ints, by_one_judge
from app.inference.verdicts import joined
from app.offline.cases import Case, noisy
from app.offline.ranking import RankingMethod, model_of
from app.offline.replay import Setup, open_loop, pearson, replay, spearman
from app.offline.simulation import case_seed
from benchmarks.pages import command, number, table
from benchmarks.studies.data import HANNA, SUMMEVAL, SUMMEVAL_JUDGES, TOPICALCHAT, VICUNA, DataSet, by_judge
from benchmarks.studies.methods.measuring import CONSISTENT, NOISIER, Campaign, Estimate, JudgeFile, mean_over_documents

METHODS: tuple[MethodName, ...] = (
    "win-ratio", "bradley-terry", "poe-g-hard", "average-probability", "gaussian", "phi-beta", "soft-bt",
)  # fmt: skip
SHARES = {SUMMEVAL.title: 0.2, TOPICALCHAT.title: 0.6, VICUNA.title: 0.6}  # of the pairs; PoE: 24 of 120, 9 of 15
FULL = "full"
PUBLISHED: Mapping[tuple[str, str], Mapping[MethodName, float]] = {
    ("SummEval, PoE's five judges", "random"): {
        "win-ratio": 78.0, "bradley-terry": 83.9, "poe-g-hard": 80.7, "average-probability": 85.0,
        "gaussian": 93.2, "soft-bt": 93.9,
    },
    ("SummEval, PoE's five judges", "selected"): {
        "win-ratio": 82.6, "average-probability": 87.3, "gaussian": 95.1, "soft-bt": 95.6,
    },
    ("TopicalChat, PoE's five judges", "random"): {
        "win-ratio": 90.3, "bradley-terry": 92.1, "poe-g-hard": 91.3, "average-probability": 92.2, "gaussian": 96.8,
        "soft-bt": 97.3,
    },
}  # fmt: skip
"""Spearman in percent of that of the full set, the mean over the judges of PoE tables 1, 2 and 7."""

TEXT = """\
## Scoring methods on a fifth of the pairs

As PoE's tables 1 and 2 (Spearman x 100) and 6 to 8 (TopicalChat, Pearson x 100): a fifth of the pairs of SummEval, 13
of 66, and three fifths of TopicalChat, 9 of 15, and of Vicuna, 6 of 10. Each pair is asked in both orders, and all
methods read the same verdicts. *Random* pairs cover every text (PoE 4.2). *Selected* pairs maximise the variance of the
difference (PoE eq. 16) from a chain through all texts on (eq. 60); no verdict enters that choice. Each figure is the
mean over {draws} draws.

win-ratio, bradley-terry and poe-g-hard read the winner; the others the probability. PoE's PoE-BT is `soft-bt` and its
PoE-g is `gaussian`, here with the service's prior, N(0, 1) on every score; the paper has none. Where comparisons come
from scores of single texts, all of these put a full set in the order of those scores, and without a prior they would
read that order off any pairs that connect all texts. The last rows are the paper's, the mean of the shares of its five
judges, which are other models; win-ratio has 77.7 to 78.4 there."""


def write(campaign: Campaign) -> str:
    sources = [*map(by_judge, SUMMEVAL_JUDGES), *campaign.present(TOPICALCHAT, VICUNA)]
    measured = {
        (source.title, chosen): _agreement(campaign, source, chosen) for source in sources for chosen in (*CHOSEN, FULL)
    }
    header = ["judge", "comparisons", *METHODS]
    tables = [f"**{name}**\n\n{table(header, _rows(measured, of))}" for of, name in enumerate(("Spearman", "Pearson"))]
    shares = f"**Spearman in percent of the full set's**\n\n{table(header, _shares(measured))}"
    line = f"nextpair simulate {SUMMEVAL.command.format(part='coherence')} --seeds 5 --order both"
    few = "--limit-fraction 0.1969 --verdict-weight one-vote"
    shown = [f"{line} {few} --method win-ratio --criterion covering"]
    shown += [f"{line} {few} --method gaussian --prior anchor --criterion variance"]
    text = TEXT.format(draws=campaign.size.draws)
    return "\n\n".join([text, shares, *tables, "Parts of rows, at the end of the curves:", command(*shown)])


Measured = Mapping[tuple[str, str], Sequence[Sequence[Estimate]]]  # by judge and choice: Spearman, Pearson by method


def _rows(measured: Measured, of: int) -> list[list[str]]:
    return [[*key, *(of_method[of].text(100) for of_method in by_method)] for key, by_method in measured.items()]


def _shares(measured: Measured) -> list[list[str]]:
    """Figures of the papers' judges follow those of ours on the same data."""
    rows = []
    for (title, chosen), some in measured.items():
        if chosen != FULL:
            shares = [part[0].value / whole[0].value for part, whole in zip(some, measured[title, FULL], strict=True)]
            rows.append([title, chosen, *(number(100.0 * share) for share in shares)])
    for key, published in PUBLISHED.items():
        rows.append([*key, *(number(published.get(method, np.nan)) for method in METHODS)])
    return rows


def _agreement(campaign: Campaign, source: DataSet, chosen: str) -> list[list[Estimate]]:
    """Spearman and Pearson of each method."""
    draws = 1 if chosen == FULL else campaign.size.draws
    by_part = campaign.of_parts(_scored, source, campaign.size.documents, draws, chosen)
    return [
        [mean_over_documents([part[:, method, of] for part in by_part]) for of in range(2)]
        for method in range(len(METHODS))
    ]


def _scored(folder: Path, source: DataSet, part: str, documents: int, draws: int, chosen: str) -> Floats:
    """(C, M, 2) Spearman and Pearson of each document and method, the mean over the draws."""
    cases, share = source.cases(folder, part, documents), SHARES[source.title.split(",")[0]]
    drawn = [
        [
            _agreements(case, comparisons(case, share, chosen, np.random.default_rng([draw, k])))
            for k, case in enumerate(cases)
        ]
        for draw in range(draws)
    ]
    return np.asarray(np.mean(drawn, axis=0))


def comparisons(case: Case, share: float, chosen: str, rng: np.random.Generator) -> Comparisons:
    """Each of the chosen pairs in both orders. Args: `chosen` is one of CHOSEN, for a share of the pairs, or FULL."""
    exists = np.triu(~np.isnan(case.answers), 1)
    choose = CHOSEN.get(chosen)
    first, second = choose(exists, round(share * exists.sum()), rng) if choose else np.nonzero(exists)
    one, other = np.append(first, second), np.append(second, first)
    return by_one_judge(one, other, case.answers[one, other])


def covering(exists: Bools, rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    """All pairs, each once, as the criterion `covering` draws them (PoE 4.2).

    Args: `exists` (N, N) is True at [i, j] where the judge was asked i against j.
    """
    left, component = of_mask(exists | exists.T), np.arange(len(exists))
    while (pairs := joining(component, left, Criterion.COVERING)) is not None:
        i, j = draw(pairs, size(pairs), rng)
        yield i, j
        first, second = np.array([i]), np.array([j])
        left, component = without(left, first, second), joined(component, first, second)
    for i, j in rng.permutation(np.argwhere(mask(left))).tolist():
        yield i, j


def random_pairs(exists: Bools, count: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Pairs that cover every text, otherwise at random (PoE 4.2)."""
    return _sides(list(islice(covering(exists, rng), count)))


def selected_pairs(exists: Bools, count: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Greedy choice of the largest A_ii + A_jj - 2 A_ij, A = (W^T W)^-1 (PoE eq. 16), from a chain on (eq. 60).

    Args: `exists` (N, N) is True at [i, j], i < j, for the pairs that the judge was asked.
    """
    lots = rng.permutation(len(exists))
    chain = [(i, j) for i, j in np.sort(np.column_stack([lots[:-1], lots[1:]])).tolist() if exists[i, j]][:count]
    first, second = _sides(chain)
    model = model_of(RankingMethod("gaussian", prior="anchor"), len(exists))
    posterior = fitting.fit(by_one_judge(first, second, np.full(len(chain), 0.5)), model)
    left = exists.copy()
    left[first, second] = False
    choices = select(
        posterior.mean, posterior.covariance, model, of_mask(left), np.zeros(len(exists), np.int64),
        Policy(Criterion.VARIANCE), RANKING, count - len(chain), rng,
    )  # fmt: skip
    return _sides(chain + [(choice.i, choice.j) for choice in choices])


def _sides(pairs: Sequence[tuple[int, int]]) -> tuple[Ints, Ints]:
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return first, second


CHOSEN = {"random": random_pairs, "selected": selected_pairs}


def _agreements(case: Case, shown: Comparisons) -> list[tuple[float, float]]:
    scores = [_scores(name, shown, len(case.keys)) for name in METHODS]
    return [(spearman(each, case.truth), pearson(each, case.truth)) for each in scores]


def _scores(name: MethodName, shown: Comparisons, n: int) -> Floats:
    if name in BASELINES:
        return BASELINES[name](shown, n).score
    return fitting.fit(shown, model_of(RankingMethod(name), n)).mean


# Sorting

WAYS = (Criterion.REORDERING, Criterion.RANDOM)

SORTING = """\
## Sorting instead of scoring

As PoE's table 9 (Spearman x 100): PAIRS sorts the texts by merging, and asks for a pair when the sort needs it.
`soft-bt` has as many comparisons as the sort took on that document. A sort asks each question once and trusts the
verdict: with a judge that never contradicts itself it ends at the judge's own order; otherwise errors stay."""


def write_sorting(campaign: Campaign) -> str:
    rows = [
        _row(campaign, source, judge)
        for source in campaign.present(SUMMEVAL, TOPICALCHAT, HANNA, VICUNA)
        for judge in ((CONSISTENT,) if source is VICUNA else (CONSISTENT, NOISIER))
    ]
    header = ["data", "judge", "comparisons", "PAIRS", *(f"soft-bt, {way}" for way in WAYS)]
    return f"{SORTING}\n\n{table(header, rows)}"


def _row(campaign: Campaign, source: DataSet, judge: JudgeFile) -> list[str]:
    by_part = campaign.of_parts(_sorted_cases, source, judge, campaign.size.some_documents)
    asked = float(np.mean([part[:, 0].mean() for part in by_part]))
    agreement = [mean_over_documents([part[:, k] for part in by_part]).text(100) for k in range(1, 4)]
    return [source.title, judge.name, number(asked), *agreement]


def _sorted_cases(folder: Path, source: DataSet, part: str, judge: JudgeFile, documents: int) -> Floats:
    """(C, 4) comparisons, Spearman of the sort, and of soft-bt by WAYS with as many comparisons."""
    cases = enumerate(source.cases(folder, part, documents))
    return np.array([_sorted(noisy(case, judge.noise, np.random.default_rng([0, k])), k) for k, case in cases])


def _sorted(case: Case, k: int) -> list[float]:
    start = np.random.default_rng([1, k]).permutation(len(case.answers))  # lots decide where the sort begins
    order, asked = merge_sort(start.tolist(), case.answers)
    scores = np.empty(len(order))
    scores[order] = -np.arange(len(order), dtype=np.float64)
    setups = [Setup(Policy(way), Order.BALANCED, case_seed(0, k), RankingMethod("soft-bt")) for way in WAYS]
    curves = [replay(open_loop(case, setup), case, asked) for setup in setups]
    return [float(asked), spearman(scores, case.truth), *(float(spearmans[-1]) for spearmans, _ in curves)]


def merge_sort(part: list[int], answers: Floats) -> tuple[list[int], int]:
    """Sorted candidates, best first, and how many pairs were asked for."""
    if len(part) < 2:
        return part, 0
    (left, in_left), (right, in_right) = (
        merge_sort(half, answers) for half in (part[: len(part) // 2], part[len(part) // 2 :])
    )
    merged: list[int] = []
    asked = in_left + in_right
    while left and right:
        asked += 1
        ahead = left if answers[left[0], right[0]] >= 0.5 else right
        merged.append(ahead.pop(0))
    return [*merged, *left, *right], asked


def of_mask(mask: Bools) -> PairSet:
    """The pairs where (N, N) is True at [i, j], i < j; the rest is ignored."""
    return listed(len(mask), np.flatnonzero(np.triu(mask, 1)))
