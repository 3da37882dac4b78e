"""Inference targets: the question that a ranking answers, and its certainty is about (decision 69).

What is named comes first, then what the set says; `auto` is decided by what was judged, and by whom.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, get_args

import numpy as np
from nextpair.words import JOINT, InferenceTargetChoice, InferenceTargetName, MethodName, counted

from app.inference import experts
from app.inference.fitting.baselines import BASELINES
from app.inference.regimes import MOST_IN_A_ROUND, RANKED_DENSE
from app.inference.targets import too_many_effects
from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import pair_numbers

TARGETS: tuple[InferenceTargetName, ...] = get_args(InferenceTargetName)
FEWEST_PROMPTS, ENOUGH_PROMPTS = 2, 8  # to say anything of others like them, and to do so by default
REPEATS_ITSELF = 0.5  # rho of a judge whose answer on a pair is taken to be its answer when it is asked again
NAMED = 3  # judges in a sentence


Echoes = Callable[[], Floats]  # finds (J,) rho, where it is needed


class Target(NamedTuple):
    name: InferenceTargetName
    sentence: str
    also: list[InferenceTargetName]  # others that can be answered


class Judging(NamedTuple):
    """All that decides which targets can be answered."""

    candidates: int
    prompts: int  # on which a pair was judged; all texts together are one
    judges: int  # who judged
    has_people: bool  # among them
    models: int
    repeating: bool  # whether models, where there are some, answer alike when they are asked again


class Scope(NamedTuple):
    """What was judged, and by whom."""

    judging: Judging
    pairs: int  # of outputs that there are
    judged: int  # of them, by any judge
    complete: bool  # whether each judge has judged all of them
    all_prompts: int  # 0 of texts
    verdicts: Mapping[str, int]  # by the judge's name, most first
    people: Collection[str]  # names of those judges who are human

    @property
    def models(self) -> list[str]:
        return [name for name in self.verdicts if name not in self.people]


def judging_of(
    comparisons: Comparisons, item: Ints, n: int, people: Bools, repeat_correlations: Echoes | None
) -> Judging:
    """Args: as of `judged_of`, of n candidates."""
    judged = np.bincount(comparisons.judge, minlength=len(people)) > 0
    return Judging(
        candidates=n,
        prompts=int(np.count_nonzero(np.bincount(item))),
        judges=int(judged.sum()),
        has_people=bool((judged & people).any()),
        models=int((judged & ~people).sum()),
        repeating=n > RANKED_DENSE
        or repeat_correlations is None
        or bool((repeat_correlations()[~people] >= REPEATS_ITSELF).all()),
    )


def judged_of(
    comparisons: Comparisons,
    item: Ints,
    has: Bools,
    names: Sequence[str],
    people: Bools,
    repeat_correlations: Echoes | None,
    all_prompts: int,
) -> Scope:
    """What was judged of N candidates, by J judges.

    Args: `item` (K,) is what each comparison was about; `has` (I, N) tells which outputs there are; `names` and
    `people` (J,) are the judges'; `repeat_correlations` finds rho, None of baselines; `all_prompts` is 0 of texts.
    """
    n, verdicts = has.shape[1], np.bincount(comparisons.judge, minlength=len(names))
    by_name = {name: int(count) for name, count in zip(names, verdicts, strict=True) if count}
    outputs = has.sum(axis=1)
    pairs, pair = int((outputs * (outputs - 1) // 2).sum()), item * n * n + pair_numbers(comparisons, n)
    return Scope(
        judging=judging_of(comparisons, item, n, people, repeat_correlations),
        pairs=pairs,
        judged=len(np.unique(pair)),
        complete=len(np.unique(pair * len(names) + comparisons.judge)) == len(by_name) * pairs,
        all_prompts=all_prompts,
        verdicts=dict(sorted(by_name.items(), key=lambda each: (-each[1], each[0]))),
        people={name for name, is_person in zip(names, people, strict=True) if is_person} & by_name.keys(),
    )


def resolve(
    judged: Scope, method: MethodName, own: InferenceTargetChoice = "auto", wanted: InferenceTargetName | None = None
) -> Target:
    """The target of a ranking by this method: `wanted` where it is named, else `own`.

    An `own` that cannot be answered gives way to `latent`, and the sentence says so.
    Raises ValueError where `wanted` cannot be answered.
    """
    judging = judged.judging
    obstacles = {target: method_obstacle(target, method) or _obstacle(target, judging) for target in TARGETS}
    if wanted and (obstacle := obstacles[wanted]):
        raise ValueError(obstacle)
    name = wanted or (_usual(judging) if own == "auto" else own)
    offered = TARGETS if judging.has_people else [target for target in TARGETS if target != "people"]
    also = [target for target in offered if target != name and not obstacles[target]]
    if method in BASELINES:
        return Target("latent", f"Scores by {method}, which states no uncertainty.", also)
    if (obstacle := obstacles[name]) is None:
        return Target(name, _sentence(name, judged), also)
    also.remove("latent")
    sentence = _sentence("latent", judged)
    return Target("latent", sentence if own == "auto" else f"{sentence} Not {name}: {obstacle}.", also)


def own_target(judging: Judging, method: MethodName, own: InferenceTargetChoice) -> InferenceTargetName:
    """The name of the target that `resolve` comes to where none is wanted."""
    name = _usual(judging) if own == "auto" else own
    return "latent" if method_obstacle(name, method) or _obstacle(name, judging) else name


def method_obstacle(target: InferenceTargetName, method: MethodName) -> str | None:
    """Why a method can never answer this target, and what can; None if it can."""
    if method in BASELINES:
        return f"{method} states no uncertainty; leave it out, or choose the method soft-bt"
    if target == "latent":
        return None
    if method in JOINT:
        return f"{method} ranks by latent scores alone; choose latent, or the method soft-bt"
    if target == "new-items" or experts.make(method).as_soft_bt:
        return None
    return f"{method} predicts no verdict; choose latent, or the method soft-bt"


def _obstacle(target: InferenceTargetName, judging: Judging) -> str | None:
    """Why this log cannot answer the target, and what would help; None if it can."""
    if target == "latent":
        return None
    if judging.candidates > RANKED_DENSE:
        return (
            f"of {judging.candidates:,} candidates there is latent alone, as of all above {RANKED_DENSE}; choose latent"
        )
    in_a_round = judging.candidates * (judging.candidates - 1) * judging.prompts * judging.judges
    if target == "all-pairs" and in_a_round > MOST_IN_A_ROUND:
        return (
            f"{counted(judging.judges, 'judge')} on {counted(judging.prompts, 'prompt')} would give {in_a_round:,} "
            f"verdicts of {judging.candidates:,} candidates, more than can be drawn; choose new-items or latent"
        )
    if target == "new-items" and judging.prompts < FEWEST_PROMPTS:
        return (
            f"verdicts on {counted(judging.prompts, 'prompt')} say nothing of others; judge more prompts, "
            "or choose all-pairs"
        )
    if target != "people":
        return None
    if not judging.judges:
        return "nobody has judged yet; choose all-pairs"
    if not judging.models:
        return "every judge of this log is a person, so that all-pairs and latent are about people; choose one of them"
    return too_many_effects(judging.candidates, judging.models)


def _usual(judging: Judging) -> InferenceTargetName:
    """What `auto` is."""
    if judging.prompts >= ENOUGH_PROMPTS:
        return "new-items"
    only_people = judging.has_people and not judging.models
    return "all-pairs" if judging.repeating and not only_people else "latent"


def _sentence(target: InferenceTargetName, judged: Scope) -> str:
    judges = named(list(judged.verdicts))
    match target:
        case "latent":
            return "Latent scores, of which every verdict is a noisy reading."
        case "all-pairs":
            return _of_all_pairs(judged, judges)
        case "new-items":
            few = "" if judged.judging.prompts >= ENOUGH_PROMPTS else ": too few prompts to generalise from"
            return f"On prompts like these {judged.judging.prompts}, as {judges} would judge them{few}."
        case "people":
            theirs = sum(judged.verdicts[name] for name in judged.people)
            people = "1 person" if len(judged.people) == 1 else f"{len(judged.people)} people"
            others, models = sum(judged.verdicts.values()) - theirs, named(judged.models)
            if not judged.people:
                return f"What people would say, as far as {counted(others, 'verdict')} of {models} tell, and no person."
            return (
                f"What people would say, as far as {counted(theirs, 'verdict')} of {people} and "
                f"{counted(others, 'verdict')} of {models} tell."
            )


def _of_all_pairs(judged: Scope, judges: str) -> str:
    if not judged.pairs:
        return "By all pairs; there are none yet."
    pairs = "the only pair" if judged.pairs == 1 else f"all {judged.pairs:,} pairs"
    prompts = f" on {counted(judged.all_prompts, 'prompt')}" if judged.all_prompts else ""
    if not judged.verdicts:
        return f"By {pairs}, none of them judged yet."
    alike = ", each counting the same" if len(judged.verdicts) > 1 else ""
    them = ("it" if judged.pairs == 1 else "them") + alike
    if judged.complete:
        return f"By {pairs}{prompts}, as {judges} judged {them}."
    so_far = "not by each of them yet" if judged.judged == judged.pairs else f"{judged.judged:,} judged so far"
    return f"By {pairs}{prompts}, as {judges} would judge {them} ({so_far})."


def named(names: Sequence[str]) -> str:
    """Up to three names, and how many more there are: a, b, c and 2 more."""
    more = len(names) - NAMED
    shown = [*names[:NAMED], *([f"{more:,} more"] if more > 0 else [])]
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)
