"""Inference targets: the question that a ranking answers, and its confidence is about (decision 69).

What is named comes first, then what the set says; `auto` is decided by the prompts that the set has, and by who judged.
"""

from collections.abc import Collection, Mapping, Sequence
from enum import Enum, auto
from typing import NamedTuple, get_args

import numpy as np
from nextpair.words import JOINT, InferenceTargetChoice, InferenceTargetName, MethodName

from app.inference import experts
from app.inference.fitting.baselines import BASELINES
from app.inference.fitting.people import has_too_many_effects
from app.inference.regimes import MOST_IN_A_ROUND, RANKED_DENSE
from app.inference.types import Bools, Comparisons, Ints
from app.inference.verdicts import pair_numbers

TARGETS: tuple[InferenceTargetName, ...] = get_args(InferenceTargetName)
FEWEST_PROMPTS, ENOUGH_PROMPTS = 2, 8  # to say anything of others like them, and to do so by default


class Obstacle(Enum):
    """Why a method, or a log, cannot answer a target."""

    NO_UNCERTAINTY = auto()
    LATENT_SCORES_ALONE = auto()
    PREDICTS_NO_VERDICT = auto()
    MANY_CANDIDATES = auto()
    LARGE_ROUND = auto()
    FEW_PROMPTS = auto()
    NOBODY_JUDGED = auto()
    PEOPLE_ALONE = auto()
    MANY_EFFECTS = auto()


class Judging(NamedTuple):
    candidates: int
    prompts: int  # on which a pair was judged; all texts together are one
    possible_prompts: int  # on which one can be
    judges: int  # who judged
    has_people: bool  # among them
    models: int


class Scope(NamedTuple):
    judging: Judging
    pairs: int  # of outputs that there are
    complete: bool  # whether each judge has judged all of them
    all_prompts: int  # 0 of texts
    verdicts: Mapping[str, int]  # by the judge's name, most first
    people: Collection[str]  # names of those judges who are human

    @property
    def models(self) -> list[str]:
        return [name for name in self.verdicts if name not in self.people]


class Target(NamedTuple):
    name: InferenceTargetName
    also: list[InferenceTargetName]  # others that can be answered
    method: MethodName
    judged: Scope
    refused: tuple[InferenceTargetName, Obstacle] | None = None  # the set's own, which cannot be answered


def judging_of(comparisons: Comparisons, item: Ints, has: Bools, people: Bools) -> Judging:
    judged = np.bincount(comparisons.judge, minlength=len(people)) > 0
    return Judging(
        candidates=has.shape[1],
        prompts=judged_prompts(item),
        possible_prompts=possible_prompts(has),
        judges=int(judged.sum()),
        has_people=bool((judged & people).any()),
        models=int((judged & ~people).sum()),
    )


def judged_prompts(item: Ints) -> int:
    """Prompts among those that (K,) comparisons were about."""
    return int(np.count_nonzero(np.bincount(item)))


def possible_prompts(has: Bools) -> int:
    """Prompts on which two candidates have outputs (I, N); all texts are one."""
    return int((has.sum(axis=1) > 1).sum())


def judged_of(
    comparisons: Comparisons, item: Ints, has: Bools, names: Sequence[str], people: Bools, all_prompts: int
) -> Scope:
    """Args: `has` (I, N) tells which outputs there are; `names` and `people` (J,) are the judges'."""
    n, verdicts, outputs = has.shape[1], np.bincount(comparisons.judge, minlength=len(names)), has.sum(axis=1)
    by_name = {name: int(count) for name, count in zip(names, verdicts, strict=True) if count}
    pairs, pair = int((outputs * (outputs - 1) // 2).sum()), item * n * n + pair_numbers(comparisons, n)
    return Scope(
        judging=judging_of(comparisons, item, has, people),
        pairs=pairs,
        complete=len(np.unique(pair * len(names) + comparisons.judge)) == len(by_name) * pairs,
        all_prompts=all_prompts,
        verdicts=dict(sorted(by_name.items(), key=lambda each: (-each[1], each[0]))),
        people={name for name, is_person in zip(names, people, strict=True) if is_person} & by_name.keys(),
    )


def resolve(
    judged: Scope, method: MethodName, own: InferenceTargetChoice = "auto", wanted: InferenceTargetName | None = None
) -> Target | Obstacle:
    """The target of a ranking by this method: `wanted`, or its obstacle; else `own`, or `latent` in its place."""
    judging, refused = judged.judging, None
    obstacles = {target: _obstacle(target, method, judging) for target in TARGETS}
    if wanted and (obstacle := obstacles[wanted]):
        return obstacle
    if not wanted and own != "auto" and method not in BASELINES and (obstacle := obstacles[own]):
        refused = own, obstacle
    name = wanted or own_target(judging, method, own)
    possible = [target for target in TARGETS if not obstacles[target] and (target != "people" or judging.has_people)]
    also = [target for target in possible if target != name]
    return Target(name, also, method, judged, refused)


def own_target(judging: Judging, method: MethodName, own: InferenceTargetChoice) -> InferenceTargetName:
    """The name of the target that `resolve` comes to where none is wanted."""
    usual: InferenceTargetName = "latent" if judging.has_people and not judging.models else "all-pairs"
    if judging.possible_prompts >= ENOUGH_PROMPTS:
        usual = "new-items"
    name = usual if own == "auto" else own
    return "latent" if _obstacle(name, method, judging) else name


def method_obstacle(target: InferenceTargetName, method: MethodName) -> Obstacle | None:
    """Why a method can never answer this target; None if it can."""
    if method in BASELINES:
        return Obstacle.NO_UNCERTAINTY
    if target == "latent":
        return None
    if method in JOINT:
        return Obstacle.LATENT_SCORES_ALONE
    if target == "new-items" or experts.make(method).as_soft_bt:
        return None
    return Obstacle.PREDICTS_NO_VERDICT


def _obstacle(target: InferenceTargetName, method: MethodName, judging: Judging) -> Obstacle | None:
    """Why the method, or this log, cannot answer the target; None if they can."""
    of_method = method_obstacle(target, method)
    if of_method or target == "latent":
        return of_method
    if judging.candidates > RANKED_DENSE:
        return Obstacle.MANY_CANDIDATES
    if target == "all-pairs":
        return Obstacle.LARGE_ROUND if round_of(judging) > MOST_IN_A_ROUND else None
    if target == "new-items":
        return Obstacle.FEW_PROMPTS if judging.prompts < FEWEST_PROMPTS else None
    if not judging.judges:
        return Obstacle.NOBODY_JUDGED
    if not judging.models:
        return Obstacle.PEOPLE_ALONE
    return Obstacle.MANY_EFFECTS if has_too_many_effects(judging.candidates, judging.models) else None


def round_of(judging: Judging) -> int:
    """How many verdicts there are once every judge has judged every pair in both orders."""
    return judging.candidates * (judging.candidates - 1) * judging.prompts * judging.judges
