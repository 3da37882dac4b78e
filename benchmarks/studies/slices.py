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

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from app.inference.fitting import Scores
from app.inference.targets import TagDeviation, by_tag, deviations, on_new_items
from app.inference.types import Comparisons, Floats, Ints, take
from benchmarks.pages import percent, show
from benchmarks.studies import simulated
from benchmarks.studies.running import options
from benchmarks.studies.truth import differences, differences_held

SEED = 20_274
N, TAGS, SD, OMEGA = 4, 3, 0.5, 0.5
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
    """`--runs` of every row of intervals; of every row of claims `--sets` without deviations, `--planted` with one."""
    chosen = options(__doc__, runs=100, sets=1000, planted=200)
    columns = [f"{each}: held, %; width" for each in ("slice", "all prompts", "tag alone")]
    show(["judge", "prompts", "eta", *columns], intervals(chosen.runs))
    columns = ["false claims, %", "planted: claimed, %", "right tag and pair, %", "as a reversal, %"]
    show(["judge", "prompts", "pairs, %", *columns], claims(chosen.sets, chosen.planted))


def intervals(runs: int) -> Iterator[Sequence[str]]:
    """Yield the rows: covered in %, width."""
    for row, (design, eta) in enumerate(INTERVALS):
        of_runs = np.array([one_reading(design, eta, np.random.default_rng([SEED, row, r])) for r in range(runs)])
        cells = [f"{percent(each[:, 0])}, {each[:, 1].mean():.2f}" for each in of_runs.swapaxes(0, 1)]
        yield [design.judge, f"{sum(design.prompts)}", f"{eta:g}", *cells]


def claims(sets: int, planted: int) -> Iterator[Sequence[str]]:
    """Yield the rows, in %."""
    for row, design in enumerate(CLAIMS):
        without = [claimed(one_test(design, False, np.random.default_rng([SEED, row, 0, r]))) for r in range(sets)]
        tests = [one_test(design, True, np.random.default_rng([SEED, row, 1, r])) for r in range(planted)]
        outcomes = np.array([(claimed(each), is_right(each), is_right(each) and each[0].is_reversal) for each in tests])
        cells = map(percent, (without, *outcomes.T))
        yield [design.judge, " + ".join(map(str, design.prompts)), f"{100 * design.share:.0f}", *cells]


def one_reading(design: TaggedDesign, eta: float, rng: np.random.Generator) -> list[IntervalCoverage]:
    """Figures by slices, by the ranking of all prompts, and by those of each tag's prompts alone."""
    scores = rng.normal(0.0, SD, N) + rng.normal(0.0, eta, (TAGS, N))
    log = judged(scores, design, rng)
    published, of_tag = simulated.published(log.comparisons, log.item, N), log.tag[log.item]
    whole = on_new_items(published, log.item)
    alone = []
    for t in range(TAGS):
        own, item = take(log.comparisons, of_tag == t), log.item[of_tag == t]
        alone.append(on_new_items(simulated.published(own, item, N), item))
    flatter = 1.0 / np.sqrt(1.0 + np.pi / 4.0 * OMEGA**2) if design.judge == "votes" else 1.0
    readings = (by_tag(published, log.item, log.tag, TAGS).scores, [whole] * TAGS, alone)
    return [beside_truth(each, flatter * scores) for each in readings]


def beside_truth(by_tag: Sequence[Scores], truth: Floats) -> IntervalCoverage:
    """Args: `truth` (T, N)."""
    variances = [differences(scores)[1] for scores in by_tag]
    covered = [differences_held(scores, of_tag) for scores, of_tag in zip(by_tag, truth, strict=True)]
    return IntervalCoverage(float(np.mean(covered)), float(np.mean(2.0 * NORMAL * np.sqrt(variances))))


def one_test(design: TaggedDesign, is_planted: bool, rng: np.random.Generator) -> list[TagDeviation]:
    scores = np.tile(PLANTED if is_planted else rng.normal(0.0, SD, N), (TAGS, 1))
    if is_planted:
        scores[0, REVERSED] = scores[0, REVERSED[::-1]]
    log = judged(scores, design, rng)
    return deviations(simulated.published(log.comparisons, log.item, N), log.item, log.tag, TAGS, rng)


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
    cells = len(tag) * N * (N - 1) // 2
    shown = simulated.show(theta, rng, np.sort(rng.permutation(cells)[: round(design.share * cells)]))
    return TaggedLog(shown.judged(design.judge, rng), shown.item, tag)


if __name__ == "__main__":
    main()
