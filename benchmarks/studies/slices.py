"""Scores by tag, and claims that a tag differs: `python -m benchmarks.studies.slices` prints tables of uncertainty.md.

Four systems have scores N(0, SD^2), effects N(0, eta^2) on each of three tags and N(0, OMEGA^2) on each prompt. Every
prompt has all six pairs, or a share of them drawn at random. Votes are 1 with probability sigma(d), else 0; who says
probabilities says sigma(d + e), e ~ N(0, NOISE^2), where d is the difference of scores and effects.

    intervals   95% intervals of differences on prompts of a tag: of the slice, of the ranking of all prompts, and of
                a ranking of the tag's prompts alone; the truth is scores plus effects of tags, for votes flattened by
                the effects of prompts, 1 / sqrt(1 + pi/8 2 OMEGA^2)
    claims      sets in which the test claims a deviation at .05, without effects of tags and with a planted reversal:
                scores .9, .3, -.3, -.9, where the first and third system change places on the first tag
"""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.fitting import Method, Published, Scores, no_absolute_scores, publish
from app.inference.targets import TagDeviation, by_tag, deviations, on_new_items
from app.inference.types import Comparisons, Floats, Ints, by_one_judge, take
from benchmarks.studies.methods.markdown import table, with_error
from benchmarks.studies.truth import differences, differences_held

SEED = 20_274
N, TAGS, SD, OMEGA, NOISE = 4, 3, 0.5, 0.5, 0.5
PLANTED = np.array([0.9, 0.3, -0.3, -0.9])
REVERSED = (0, 2)  # change places on tag 0
LEVEL = 0.05
NORMAL = 1.96  # half the width of a 95% interval, in standard deviations


class TaggedDesign(NamedTuple):
    """Judges, and what each compares."""

    judge: str
    prompts: tuple[int, ...]  # of each tag
    share: float = 1.0  # of the pairs on prompts


class TaggedLog(NamedTuple):
    comparisons: Comparisons
    item: Ints
    tag: Ints  # (M,)


class IntervalCoverage(NamedTuple):
    """Error of one way of reading a tag's scores: the mean over tags and differences."""

    covered: float
    width: float


EVEN = ((5, 5, 5), (20, 20, 20))
INTERVALS = [
    (TaggedDesign(judge, sizes), eta)
    for judge, sizes, eta in product(("probabilities", "votes"), EVEN, (0.0, 0.3, 0.6))
]
CLAIMS = [
    *(TaggedDesign(judge, (size,) * TAGS) for judge, size in product(("probabilities", "votes"), (5, 10, 20))),
    *(TaggedDesign(judge, (2, 4, 9)) for judge in ("probabilities", "votes")),
    *(TaggedDesign(judge, (20, 20, 20), 0.5) for judge in ("probabilities", "votes")),
]


def main() -> None:
    parser = ArgumentParser("python -m benchmarks.studies.slices", description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="of every row of intervals")
    parser.add_argument("--sets", type=int, default=1000, help="without deviations, of every row of claims")
    parser.add_argument("--planted", type=int, default=200, help="with a reversal, of every row of claims")
    chosen = parser.parse_args()
    columns = [f"{each}: held, %; width" for each in ("slice", "all prompts", "tag alone")]
    print(table(["judge", "prompts", "eta", *columns], intervals(chosen.runs)), flush=True)
    columns = ["false claims, %", "planted: claimed, %", "right tag and pair, %", "as a reversal, %"]
    print("\n" + table(["judge", "prompts", "pairs, %", *columns], claims(chosen.sets, chosen.planted)))


def intervals(runs: int) -> Iterator[Sequence[str]]:
    """Yield the rows: covered in %, width."""
    for row, (design, eta) in enumerate(INTERVALS):
        of_runs = np.array([one_reading(design, eta, np.random.default_rng([SEED, row, r])) for r in range(runs)])
        cells = [f"{with_error(100.0 * each[:, 0], '.1f')}, {each[:, 1].mean():.2f}" for each in of_runs.swapaxes(0, 1)]
        yield [design.judge, f"{sum(design.prompts)}", f"{eta:g}", *cells]


def claims(sets: int, planted: int) -> Iterator[Sequence[str]]:
    """Yield the rows, in %."""
    for row, design in enumerate(CLAIMS):
        without = [claimed(one_test(design, False, np.random.default_rng([SEED, row, 0, r]))) for r in range(sets)]
        tests = [one_test(design, True, np.random.default_rng([SEED, row, 1, r])) for r in range(planted)]
        outcomes = np.array([(claimed(each), is_right(each), is_right(each) and each[0].is_reversal) for each in tests])
        cells = [with_error(100.0 * np.array(each), ".1f") for each in (without, *outcomes.T)]
        yield [design.judge, " + ".join(map(str, design.prompts)), f"{100 * design.share:.0f}", *cells]


def one_reading(design: TaggedDesign, eta: float, rng: np.random.Generator) -> list[IntervalCoverage]:
    """Figures by slices, by the ranking of all prompts, and by those of each tag's prompts alone."""
    scores = rng.normal(0.0, SD, N) + rng.normal(0.0, eta, (TAGS, N))
    log = judged(scores, design, rng)
    published, of_tag = fitted(log.comparisons, log.item), log.tag[log.item]
    whole = on_new_items(published, log.item)
    alone = [
        on_new_items(fitted(take(log.comparisons, of_tag == t), log.item[of_tag == t]), log.item[of_tag == t])
        for t in range(TAGS)
    ]
    flatter = 1.0 / np.sqrt(1.0 + np.pi / 4.0 * OMEGA**2) if design.judge == "votes" else 1.0
    readings = (by_tag(published, log.item, log.tag, TAGS).scores, [whole] * TAGS, alone)
    return [shown(each, flatter * scores) for each in readings]


def shown(by_tag: Sequence[Scores], truth: Floats) -> IntervalCoverage:
    """Args: `truth` (T, N)."""
    variances = [differences(scores)[1] for scores in by_tag]
    covered = [differences_held(scores, of_tag) for scores, of_tag in zip(by_tag, truth, strict=True)]
    return IntervalCoverage(float(np.mean(covered)), float(np.mean(2.0 * NORMAL * np.sqrt(variances))))


def one_test(design: TaggedDesign, is_planted: bool, rng: np.random.Generator) -> list[TagDeviation]:
    scores = np.tile(PLANTED if is_planted else rng.normal(0.0, SD, N), (TAGS, 1))
    if is_planted:
        scores[0, REVERSED] = scores[0, REVERSED[::-1]]
    log = judged(scores, design, rng)
    return deviations(fitted(log.comparisons, log.item), log.item, log.tag, TAGS, rng)


def claimed(tested: list[TagDeviation]) -> bool:
    return min(each.p_value for each in tested) <= LEVEL


def is_right(tested: list[TagDeviation]) -> bool:
    """Whether the planted reversal is the strongest claim."""
    of_tag = tested[0]
    is_first = of_tag.p_value == min(each.p_value for each in tested)
    return claimed(tested) and is_first and (of_tag.second, of_tag.first) == REVERSED


def judged(scores: Floats, design: TaggedDesign, rng: np.random.Generator) -> TaggedLog:
    """Args: `scores` (T, N)."""
    tag = np.repeat(np.arange(TAGS), design.prompts)
    theta = scores[tag] + rng.normal(0.0, OMEGA, (len(tag), N))
    pairs = np.array(np.triu_indices(N, 1))
    cells = len(tag) * pairs.shape[1]
    item, pair = np.divmod(np.sort(rng.permutation(cells)[: round(design.share * cells)]), pairs.shape[1])
    first, second = np.where(rng.random(len(item)) < 0.5, pairs[:, pair], pairs[::-1, pair])
    d = theta[item, first] - theta[item, second]
    thought = expit(d + NOISE * rng.standard_normal(len(d)))
    p = thought if design.judge == "probabilities" else (rng.random(len(d)) < expit(d)).astype(np.float64)
    return TaggedLog(by_one_judge(first, second, p), item, tag)


def fitted(comparisons: Comparisons, item: Ints) -> Published:
    return publish(comparisons, item, no_absolute_scores(), Method(verdict_weight="learnt"), N, 1)


if __name__ == "__main__":
    main()
