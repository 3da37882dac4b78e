"""Every scoring method on the same few pairs, random and selected, each in both orders (PoE tables 1, 2, 5 to 8)."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from nextpair.words import MethodName

from app.inference import fitting
from app.inference.choosing import RANKING, Criterion, Policy, of_mask
from app.inference.choosing.picking import select
from app.inference.fitting import BASELINES
from app.inference.types import Bools, Comparisons, Floats, Ints, by_one_judge
from app.offline.cases import Case
from app.offline.ranking import RankingMethod, model_of
from app.offline.replay import pearson, spearman
from benchmarks.studies.methods.covering import covering
from benchmarks.studies.methods.data import SUMMEVAL, SUMMEVAL_JUDGES, TOPICALCHAT, VICUNA, DataSet, missing, summeval
from benchmarks.studies.methods.markdown import command, in_hundredths, number, table
from benchmarks.studies.methods.measuring import Campaign, Estimate, mean_over_documents

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


class Sample(NamedTuple):
    """The comparisons of one part that are scored."""

    folder: Path
    source: DataSet
    part: str
    documents: int
    draws: int
    share: float  # of the pairs
    chosen: str  # one of CHOSEN, or FULL


def write(campaign: Campaign) -> str:
    judges = {f"SummEval, {judge}": _by_judge(judge) for judge in SUMMEVAL_JUDGES}
    sources = judges | {
        each.title: each for each in (TOPICALCHAT, VICUNA) if not missing(campaign.datasets, each.folder)
    }
    measured = {
        (title, chosen): _agreement(campaign, source, SHARES[title.split(",")[0]], chosen)
        for title, source in sources.items()
        for chosen in (*CHOSEN, FULL)
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


def _by_judge(judge: str) -> DataSet:
    return SUMMEVAL._replace(title=f"SummEval {judge}", load=partial(summeval, judge=judge))


Measured = Mapping[tuple[str, str], Sequence[Sequence[Estimate]]]  # by judge and choice: Spearman, Pearson by method


def _rows(measured: Measured, of: int) -> list[list[str]]:
    return [
        [title, chosen, *(in_hundredths(of_method[of]) for of_method in by_method)]
        for (title, chosen), by_method in measured.items()
    ]


def _shares(measured: Measured) -> list[list[str]]:
    """Figures of the papers' judges follow those of ours on the same data."""
    ours = [
        [
            title,
            chosen,
            *(number(100.0 * part[0].value / whole[0].value) for part, whole in zip(some, full, strict=True)),
        ]
        for (title, chosen), some in measured.items()
        if chosen != FULL and (full := measured[title, FULL])
    ]
    published = [
        [title, chosen, *(number(shares.get(method, np.nan)) for method in METHODS)]
        for (title, chosen), shares in PUBLISHED.items()
    ]
    return ours + published


def _agreement(campaign: Campaign, source: DataSet, share: float, chosen: str) -> list[list[Estimate]]:
    """Spearman and Pearson of each method."""
    parts, draws = source.parts[: campaign.size.parts], 1 if chosen == FULL else campaign.size.draws
    samples = [Sample(campaign.datasets, source, part, campaign.size.documents, draws, share, chosen) for part in parts]
    tasks: Mapping[str, Callable[[], Floats]] = {
        str(("scoring", source.title, METHODS, *sample[2:])): partial(_scored, sample) for sample in samples
    }
    by_part = campaign.checkpoints.all(tasks, campaign.pool)
    return [
        [mean_over_documents([part[:, method, of] for part in by_part]) for of in range(2)]
        for method in range(len(METHODS))
    ]


def _scored(sample: Sample) -> Floats:
    """(C, M, 2) Spearman and Pearson of each document and method, the mean over the draws."""
    cases = sample.source.cases(sample.folder, sample.part, sample.documents)
    drawn = [
        [
            _agreements(case, _comparisons(case, sample, np.random.default_rng([draw, k])))
            for k, case in enumerate(cases)
        ]
        for draw in range(sample.draws)
    ]
    return np.asarray(np.mean(drawn, axis=0))


def _comparisons(case: Case, sample: Sample, rng: np.random.Generator) -> Comparisons:
    """Each of the chosen pairs in both orders."""
    exists = np.triu(~np.isnan(case.answers), 1)
    if sample.chosen == FULL:
        first, second = np.nonzero(exists)
    else:
        first, second = CHOSEN[sample.chosen](exists, round(sample.share * exists.sum()), rng)
    one, other = np.append(first, second), np.append(second, first)
    return by_one_judge(one, other, case.answers[one, other])


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


def _agreements(case: Case, comparisons: Comparisons) -> list[tuple[float, float]]:
    scores = [_scores(name, comparisons, len(case.keys)) for name in METHODS]
    return [(spearman(each, case.truth), pearson(each, case.truth)) for each in scores]


def _scores(name: MethodName, comparisons: Comparisons, n: int) -> Floats:
    if name in BASELINES:
        return BASELINES[name](comparisons, n).score
    return fitting.fit(comparisons, model_of(RankingMethod(name), n)).mean
