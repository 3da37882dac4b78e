"""The question that a ranking answers, and why another one cannot be answered."""

from nextpair.words import InferenceTargetName, MethodName, counted

from app.inference.fitting import BASELINES
from app.inference.regimes import MOST_EFFECTS, RANKED_DENSE
from app.inference.reporting import ENOUGH_PROMPTS, Judging, Obstacle, Scope, Target, round_of
from app.sentences.lists import named


def answered(target: Target) -> str:
    """What the ranking is about; where a set's own target cannot be answered, why."""
    if target.method in BASELINES:
        return f"Scores by {target.method}, which states no confidence."
    sentence = _about(target.name, target.judged)
    if target.refused is None:
        return sentence
    name, why = target.refused
    return f"{sentence} Not {name}: {obstacle(why, target.method, target.judged.judging)}."


def obstacle(why: Obstacle, method: MethodName, judging: Judging | None = None) -> str:
    """Why this method, or this log, cannot answer a target, and what to do."""
    match why:
        case Obstacle.NO_UNCERTAINTY:
            return f"{method} states no confidence; choose the method soft-bt"
        case Obstacle.LATENT_SCORES_ALONE:
            return f"{method} ranks by latent scores alone; choose latent, or the method soft-bt"
        case Obstacle.PREDICTS_NO_VERDICT:
            return f"{method} predicts no verdict; choose latent, or the method soft-bt"
        case Obstacle.NOBODY_JUDGED:
            return "nobody has judged yet; choose all-pairs"
        case Obstacle.PEOPLE_ALONE:
            return "only people have judged, so all-pairs and latent are about people already; choose one of them"
    assert judging is not None
    prompts, candidates = counted(judging.prompts, "prompt"), f"{judging.candidates:,} candidates"
    match why:
        case Obstacle.MANY_CANDIDATES:
            return f"{candidates} are more than the {RANKED_DENSE} that it takes; choose latent"
        case Obstacle.LARGE_ROUND:
            judges = counted(judging.judges, "judge")
            verdicts = f"{judges} on {prompts} would give {round_of(judging):,} verdicts of {candidates}"
            return f"{verdicts}, too many to draw; choose new-items or latent"
        case Obstacle.FEW_PROMPTS:
            return f"verdicts on {prompts} say nothing of others; judge more prompts, or choose all-pairs"
    models = counted(judging.models, "model")
    return f"{models} and {candidates} have more than {MOST_EFFECTS:,} judge effects; choose latent"


def _about(target: InferenceTargetName, judged: Scope) -> str:
    judges = named(list(judged.verdicts))
    match target:
        case "latent":
            return "About latent scores: every verdict is a noisy reading of them."
        case "all-pairs":
            return _about_all_pairs(judged, judges)
        case "new-items":
            few = "" if judged.judging.prompts >= ENOUGH_PROMPTS else ": too few prompts to generalise from"
            return f"On prompts like these {judged.judging.prompts}, as {judges} would judge them{few}."
        case "people":
            by_people = sum(judged.verdicts[name] for name in judged.people)
            models = f"{counted(sum(judged.verdicts.values()) - by_people, 'verdict')} of {named(judged.models)}"
            if not judged.people:
                return f"What people would say, estimated from {models}, without a verdict of a person."
            people = "1 person" if len(judged.people) == 1 else f"{len(judged.people)} people"
            return f"What people would say, estimated from {counted(by_people, 'verdict')} of {people} and {models}."


def _about_all_pairs(judged: Scope, judges: str) -> str:
    if not judged.pairs:
        return "By all pairs; there are none yet."
    pairs = "the only pair" if judged.pairs == 1 else f"all {judged.pairs:,} pairs"
    if not judged.verdicts:
        return f"By {pairs}, none of them judged yet."
    prompts = f" on {counted(judged.all_prompts, 'prompt')}" if judged.all_prompts else ""
    them = "it" if judged.pairs == 1 else "them"
    alike = ", each counting the same" if len(judged.verdicts) > 1 else ""
    return f"By {pairs}{prompts}, as {judges} {'judged' if judged.complete else 'would judge'} {them}{alike}."
