"""What judges are like: how far people's labels validate them, what is wrong with them, biases, effects, agreement."""

from collections.abc import Mapping, Sequence

import numpy as np
from nextpair import schemas
from nextpair.words import AggregationName, ScaleName, counted

from app.files.rankings import UNITS
from app.inference.judges import (
    DEPARTS,
    FEWEST_VERDICTS,
    Dependence,
    Discrimination,
    Doubt,
    FitRound,
    GroupVerdicts,
    LabelFindings,
    Share,
    Step,
)
from app.inference.reporting import Bias
from app.inference.types import Ints

UNKNOWABLE = [
    "No human labels overlap with these verdicts, so accuracy is unknown.",
    "Judges who share an error agree as well as judges who are right.",
]
ONLY_PEOPLE = "Only people have judged: the ranking is about what they prefer, and no other judge needs validation."
ASK_PEOPLE = (
    "More verdicts of models say little about people, because models have preferences of their own: ask people."
)
REVERSED_ORDER = "Judge more pairs, and some of them in the other order."
NOT_IDENTIFIED = (
    "This judge's position bias cannot be separated from merit yet, so the estimate is mostly the prior. "
    f"{REVERSED_ORDER}"
)
TOO_LITTLE_MIXED = (
    "The closed form assumes that pairs and their orders are random, and this judge has too few or too little mixed. "
    f"{REVERSED_ORDER}"
)
MOST_NAMED = 10  # judges with a line each; of more, one line tells
KNOWN_BIAS = 0.5  # logits, the sd of a position bias that a sentence speaks of
INVERTED = (
    "This judge disagrees with the others, so its verdicts are inverted (discrimination below 0). "
    "Only human labels can tell who is right."
)


def about_labels(labels: LabelFindings | None, judges: Sequence[str]) -> str:
    """How often the majority and the best judge agree with people, and how to weigh judges."""
    return " ".join(sentences_about_labels(labels, judges))


def sentences_about_labels(labels: LabelFindings | None, judges: Sequence[str]) -> list[str]:
    """The same, the most important one first."""
    if labels is None:
        return UNKNOWABLE
    majority = (
        f"The majority agrees with people in {_share(labels.ways['majority'])} of "
        f"{counted(labels.items, 'labelled item')}"
    )
    sentences = [majority]
    if labels.best is not None:
        best = labels.judges[labels.best]
        assert best is not None
        sentences.append(f"The best judge, {judges[labels.best]}, does in {_share(best)} of {best.cases:,}")
        way = (
            f"Rely on {judges[labels.best]} alone"
            if labels.advice == "best judge"
            else f"Weigh them by {labels.advice}"
        )
        sentences.append(f"{way}: {_share(labels.ways[labels.advice])} of labels that it has not seen")
    if labels.among_people is not None:
        sentences.append(f"People agree with each other in {_share(labels.among_people)}")
    if labels.unlike:
        sentences.append(
            "The labelled items are more, or less, disputed than the others, so these shares may not hold for all"
        )
        sentences.append("Label the items that are listed next")
    return [f"{sentence}." for sentence in sentences]


def warnings(group: GroupVerdicts, method: AggregationName, judges: Sequence[str]) -> list[str]:
    """What is wrong with judges, as far as it can be known."""
    by_people = group.labels is not None
    sentences = [doubt_of(doubt, judges[doubt.judge], by_people=by_people) for doubt in group.doubts]
    sentences += [
        _together(members, group.dependence, judges, by_people=by_people) for members in group.dependence.groups()
    ]
    if group.deviation >= DEPARTS:
        departs = f"{method} decides against the majority in {group.deviation:.0%} of items"
        sentences.append(f"{departs}; check some of them by hand")
    return [f"{sentence}." for sentence in sentences]


def doubt_of(doubt: Doubt, judge: str, *, by_people: bool) -> str:
    """What is wrong with one judge, without a full stop."""
    skill = f"(skill {doubt.size:.2f})"
    if doubt.kind == "one_sided":
        same = f"{judge} gives the same verdict {doubt.size:.0%} of the time"
        return f"{same}; average and majority count it like any other"
    if by_people:
        wrong = "no better than chance" if doubt.kind == "chance" else "mostly wrong"
        return f"{judge} is {wrong} by people's labels {skill}"
    if doubt.kind == "chance":
        return f"{judge} is no better than chance, judged by the others {skill}; only human labels can confirm it"
    return f"{judge} disagrees with the others {skill}; only human labels can tell who is right"


def _together(members: Ints, dependence: Dependence, judges: Sequence[str], *, by_people: bool) -> str:
    """The judges of a group that agree more than errors of each its own would make them."""
    i, j = np.triu_indices(len(members), 1)
    observed, expected = (float(share[members[i], members[j]].mean()) for share in dependence[:2])
    names = ", ".join(judges[k] for k in members[:-1]) + f" and {judges[members[-1]]}"
    agree = f"{names} agree in {observed:.0%} of items; independent errors would make it {expected:.0%}"
    if by_people:
        worth = f"{dependence.counts_for[members].sum():.1f} judges"
        return f"{agree}. Their errors are correlated, and they count for {worth}"
    return f"{agree}. Their errors are correlated, or those of all others are; only human labels can tell which"


def _share(rightness: Share) -> str:
    low, high = rightness.interval
    return f"{rightness.share:.0%} ({low:.0%} to {high:.0%})"


def named_for(discrimination: Discrimination, judge: str) -> str:
    """What a judge is named for."""
    if discrimination.named == "changed":
        return f"{judge} judges differently since verdict {discrimination.since + 1:,}: check what was changed."
    if discrimination.named == "random":
        return f"{judge} judges at random where the others follow an order."
    return f"{judge} disagrees with the others; only human labels can tell who is right."


def warning_of(bias: Bias) -> str | None:
    """What to doubt about the estimate of a position bias."""
    unidentified = TOO_LITTLE_MIXED if bias.is_closed_form else NOT_IDENTIFIED
    doubts = [*([] if bias.identified else [unidentified]), *([INVERTED] if bias.is_against else [])]
    return " ".join(doubts) or None


def about_judge(card: schemas.JudgeCard) -> str:
    """What a judge is, and how good."""
    parts = [_agreeing(card), _biased(card.position_bias)]
    return f"{', and '.join(part for part in parts if part)}."


def over_time(card: schemas.JudgeCard) -> str:
    """Whether a judge judges worse than it did before."""
    kept, verdicts = card.relative_discrimination, counted(card.comparisons, "verdict")
    if kept is None:
        return f"{verdicts} are too few to tell whether it changes over time; it takes {FEWEST_VERDICTS}."
    if kept.named == "changed" and kept.before is not None:
        fell = f"from {kept.before:.2f} to {kept.after:.2f}"
        return f"It judges differently since verdict {kept.since + 1:,}: its relative discrimination fell {fell}."
    if kept.named is not None:
        return "It is in doubt from its first verdict on."
    parts = (
        "" if kept.before is None else f": {kept.before:.2f} before verdict {kept.since + 1:,}, {kept.after:.2f} since"
    )
    return f"No decline beyond chance shows in {verdicts}, by relative discrimination{parts}."


def _agreeing(card: schemas.JudgeCard) -> str:
    by_people, by_others = card.agreement_with_people, card.agreement
    if by_people is not None:
        low, high = by_people.interval
        pairs = counted(by_people.pairs, "pair")
        return f"{card.judge} agrees with people on {by_people.share:.0%} of {pairs} ({low:.0%} to {high:.0%})"
    if by_others is not None and by_others.share is not None:
        pairs = counted(by_others.pairs, "shared pair")
        return f"{card.judge} agrees with the other judges on {by_others.share:.0%} of {pairs}"
    return f"{card.judge} sent {counted(card.comparisons, 'verdict')}, none of them on a pair that others judged"


def _biased(bias: schemas.JudgeBias | None) -> str:
    """Only what the verdicts show; nothing of a bias that is hardly known."""
    if bias is None or bias.sd > KNOWN_BIAS:
        return ""
    if abs(bias.delta) <= 2.0 * bias.sd:
        return "shows no clear position bias"
    side = "first" if bias.delta > 0.0 else "second"
    return f"favours the {side} text by {abs(bias.delta):.1f} logits"


def position_biases(by_judge: Mapping[str, schemas.JudgeBias]) -> list[str]:
    if len(by_judge) > MOST_NAMED:
        spread = _spread([bias.delta for bias in by_judge.values()])
        doubted = sum(bias.warning is not None for bias in by_judge.values())
        doubt = f"; {doubted:,} of them cannot be relied on yet" if doubted else ""
        return [f"Position biases of {len(by_judge):,} judges: {spread} logits towards the first{doubt}"]
    return [_position_bias(judge, bias) for judge, bias in by_judge.items()]


def _position_bias(judge: str, bias: schemas.JudgeBias) -> str:
    c, sd = bias.discrimination, bias.discrimination_sd
    merit = "" if c is None else f", discrimination {c:.2f} ± {sd:.2f}"
    doubt = f". {bias.warning}" if bias.warning else ""
    return f"Position bias of {judge}: {bias.delta:+z.2f} ± {bias.sd:.2f} logits towards the first{merit}{doubt}"


def effects_of_judges(by_judge: Mapping[str, schemas.JudgeEffects], scale: ScaleName | None) -> list[str]:
    """How the judges' scores differ from the ranking's, on the scale of both."""
    if len(by_judge) > MOST_NAMED:
        digits, unit = _unit_of_effects(scale)
        spread = _spread([effects.sd for effects in by_judge.values()], digits)
        return [f"Judge effects of {len(by_judge):,} judges: sd {spread} {unit}"]
    return [_effects(judge, effects, scale) for judge, effects in by_judge.items()]


def _effects(judge: str, of_judge: schemas.JudgeEffects, scale: ScaleName | None) -> str:
    digits, unit = _unit_of_effects(scale)
    largest = ", ".join(
        f"{each.key} {each.deviation:+z.{digits}f} ± {each.sd:.{digits}f}" for each in of_judge.largest_deviations
    )
    return f"Judge effects of {judge}: sd {of_judge.sd:.{digits}f} {unit}; largest deviations: {largest}"


def _unit_of_effects(scale: ScaleName | None) -> tuple[int, str]:
    return (0 if scale == "elo" else 2), UNITS[scale or "logit"]


def scales(by_judge: Mapping[str, schemas.JudgeScale], scale: ScaleName | None) -> list[str]:
    """How each judge's absolute scores map to the scores that are shown, which are on the scale."""
    if len(by_judge) > MOST_NAMED:
        spread = _spread([each.c1 for each in by_judge.values()])
        return [f"Absolute scores of {len(by_judge):,} judges: each point that one gave adds {spread} to the score"]
    return [_scale(judge, each, scale) for judge, each in by_judge.items()]


def _scale(judge: str, of_judge: schemas.JudgeScale, scale: ScaleName | None) -> str:
    unit = f" in {UNITS[scale]}" if scale else ""
    doubt = "" if of_judge.converged else ", not converged yet"
    return f"Absolute scores of {judge}: score{unit} = {of_judge.c0:+z.2f} {of_judge.c1:+z.2f} x what it gave{doubt}"


def _spread(values: Sequence[float], digits: int = 2) -> str:
    """What many judges have together, where naming each would take a page."""
    least, middle, most = np.quantile(values, [0.0, 0.5, 1.0])
    return f"{least:+z.{digits}f} to {most:+z.{digits}f} (median {middle:+z.{digits}f})"


def with_people(agreed: schemas.AgreementWithPeople) -> str:
    low, high = agreed.interval
    return f"Agreement with people: {agreed.share:.0%} of {counted(agreed.pairs, 'pair')} ({low:.0%} to {high:.0%})"


def agreement(alpha: schemas.Alpha | schemas.ItemAlpha, units: str, disputes: int | None = None) -> str:
    """How far judges agree, over so many pairs or items."""
    low, high = alpha.interval
    disputed = "" if disputes is None else f", {disputes:,} of them disputed"
    of = f"over {units} that several judged{disputed}"
    return f"Agreement of judges (Krippendorff's alpha): {alpha.value:.2f} ({low:.2f} to {high:.2f}) {of}"


def progress(done: Step | FitRound) -> str:
    """How far the work on judges is."""
    if isinstance(done, Step):
        return f"{done.fold + 1} of {done.folds} fits to the texts, step {done.iteration}"
    return f"{'scores and judges together' if done.of == 'judges' else 'judge effects'}, round {done.number}"
