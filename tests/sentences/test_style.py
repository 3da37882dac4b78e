"""Every sentence that is made is short, and has no word that readers do not know."""

import json
from collections.abc import Iterator
from importlib import import_module
from itertools import product
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, get_args

import pytest
from nextpair import schemas
from nextpair.words import CriterionName, InferenceTargetName, MethodName, OrderName, PositionBias, SignalCase

from app import sentences
from app.inference.choosing import Missing, Stop, Stopping
from app.inference.choosing.forecasting import Forecast
from app.inference.choosing.stopping import Reason
from app.inference.fitting import Effect
from app.inference.judges import Discrimination, FitRound
from app.inference.reporting import Against, Bias, Judging, Obstacle, Scope, SignalTest, Target
from app.inference.targets import PromptsNeeded, TagDeviation
from app.sentences import (
    checks,
    confidence,
    covariates,
    head_to_heads,
    inference_targets,
    judges,
    leaderboards,
    methods,
    progress,
    prompts,
    repetition,
    report,
    slices,
)
from app.sentences import stopping as stops
from docs import prose
from docs.wording import offences

REASONS: tuple[Reason, ...] = ("top_k", "top_k", "rank_width", "goal", "concordance", "entropy_change")
LONGEST = 28  # words
EXAMPLES = json.loads((Path(sentences.__path__[0]).parent / "api/examples.json").read_text())
RULES = (
    Stop(top_k=1),
    Stop(top_k=3),
    Stop(rank_width=2),
    Stop(goal=0.9),
    Stop(concordance=0.9),
    Stop(entropy_change=0.1),
)


def assert_plain(text: str) -> None:
    """Short sentences, without a banned word."""
    assert not [*offences(text)], text
    assert all(prose.words(each.text) <= LONGEST for each in prose.sentences(prose.Text(1, text))), text
    assert "  " not in text


def constants() -> Iterator[str]:
    for module in iter_modules(sentences.__path__):
        found = vars(import_module(f"app.sentences.{module.name}"))
        for value in (value for name, value in found.items() if name.isupper()):
            yield from [value] if isinstance(value, str) else []
            yield from [str(each) for each in value.values()] if isinstance(value, dict) else []


def of_prompts() -> Iterator[str]:
    aims = prompts.TO_NAME_THE_BEST, prompts.TO_STOP, head_to_heads.AIM
    for needed, suffice, aim in product((None, 9, 1_200), (None, True, False), aims):
        yield prompts.needed(PromptsNeeded(8, None, needed, suffice), aim)


def of_head_to_heads() -> Iterator[str]:
    signals = SignalTest(1.2, "not-yet", verdicts=9), SignalTest(90.0, "claimed", verdicts=90)
    for target, p, signal in product(get_args(InferenceTargetName), (0.0, 0.3, 0.5, 1.0), signals):
        beside = Against(0.4, (0.1, 0.7), p, 0.6, (0.5, 0.7))
        yield head_to_heads.outcome("qwen", "llama", beside, target, signal, "verdicts")
    for source, signal, is_judged in product(
        ("verdicts", "others", "absolute-scores", "prior"), signals, (True, False)
    ):
        yield head_to_heads.note(source, signal, is_judged=is_judged)
    ends: tuple[tuple[Reason | None, int | None], ...] = (("goal", 0), (None, None), (None, 18))
    for reason, median in ends:
        stopping = Stopping(reason, Forecast(median, median, median), None)
        yield from (head_to_heads.to_decide(stopping, "", signal, is_judged=True) for signal in signals)


def of_stops() -> Iterator[str]:
    targets: tuple[InferenceTargetName, ...] = get_args(InferenceTargetName)
    forecasts = Forecast(None, None, None), Forecast(1, 1, 2), Forecast(1_000, 20_000, None)
    for forecast, left, e_value in product(forecasts, (None, 0, 9), (None, 8.3)):
        unmet = Stopping(None, forecast, left, e_value)
        yield stops.stricter(unmet, 0.05)
        yield from (stops.state(unmet, rule, "latent") for rule in RULES)
    for (reason, rule), target in product(zip(REASONS, RULES, strict=True), targets):
        yield stops.state(Stopping(reason, Forecast(0, 0, 0), None), rule, target)
    for lacking in (Missing(1, 2), Missing(2, 8), Missing(8, 8, 3.1)):
        yield stops.all_judged(lacking)
        yield stops.state(Stopping(None, Forecast(None, None, None), 0, missing=lacking), RULES[0], "new-items")
    yield stops.holds_of_any(2)


def of_targets() -> Iterator[str]:
    names: tuple[InferenceTargetName, ...] = get_args(InferenceTargetName)
    for verdicts, is_complete, items in product(
        ({}, {"gpt": 3}, {"gpt": 3, "ann": 2, "bob": 1, "cy": 1}), (True, False), (0, 7)
    ):
        judging = Judging(5, items or 1, items or 1, len(verdicts), has_people=True, models=1)
        for pairs, people in product((0, 1, 3_000), ((), ("ann",))):
            scope = Scope(judging, pairs, is_complete, items, verdicts, {*people} & verdicts.keys())
            yield from (
                inference_targets.answered(Target(name, [], "soft-bt", scope))
                for name in (names if verdicts else ("all-pairs", "latent"))
            )
            yield inference_targets.answered(Target("latent", [], "win-ratio", scope))
            for why in Obstacle:
                yield inference_targets.answered(Target("latent", [], "gaussian", scope, ("people", why)))


def of_slices() -> Iterator[str]:
    for p, is_reversal, is_claimed in product((0.001, 0.4), (True, False), (True, False)):
        test = TagDeviation(p, 0, 1, 0.4, is_reversal, 0.001)
        yield slices.difference("category", "code", "finch", "heron", test, is_claimed=is_claimed)
    firsts = ("finch", 0.9), ("finch", None), ("heron", 0.6)
    for reversed_on, other_on, shared, (first, chance) in product(
        ([], ["code"]), ([], ["facts", "writing"]), (None, 0.25), firsts
    ):
        leaders = slices.Leaders("finch", [("code", first, chance), ("facts", "finch", chance)])
        yield slices.summary("category", leaders, 2, shared, reversed_on, other_on)
    yield slices.too_few_prompts("category", "code")


def of_judges() -> Iterator[str]:
    for is_closed_form, identified, c in product((True, False), (True, False), (None, -1.0)):
        bias = Bias(0, 0.3, 0.1, identified, 40, c, None if c is None else 0.1, is_closed_form)
        warning = judges.warning_of(bias)
        yield warning or ""
        of_judge = schemas.JudgeBias(
            delta=0.3,
            sd=0.1,
            comparisons=40,
            discrimination=c,
            discrimination_sd=None if c is None else 0.1,
            warning=warning,
        )
        for count in (1, 500):
            yield from judges.position_biases(dict.fromkeys(map(str, range(count)), of_judge))
    for count in (1, 500):
        names = [str(number) for number in range(count)]
        effects = dict.fromkeys(names, schemas.JudgeEffects(sd=0.2, largest_deviations=[]))
        yield from judges.effects_of_judges(effects, "elo")
        yield from judges.scales(dict.fromkeys(names, schemas.JudgeScale(c0=0.1, c1=0.4, converged=True)), "logit")
    for named in ("changed", "random", "inverted"):
        yield judges.named_for(Discrimination(0, 0.1, named, 4, 1.0, 0.1), "gpt")
    yield judges.progress(FitRound("effects", 3))


def of_progress() -> Iterator[str]:
    for cost, interval in product((None, 0.0, 0.001, 0.22, 1_234.5), (None, (1, 9), (4, None))):
        yield progress.to_rule(18, interval, cost).sentence
        yield from (progress.to_goal(18, 0.95, cost, is_order=each).sentence for each in (True, False))
        for made, has_rule in product((3, 200), (True, False)):
            yield progress.of_budget(made, 200, cost, has_rule=has_rule).sentence
    for flag in (True, False):
        yield progress.goal_reached(0.95, is_order=flag).sentence
        yield progress.no_limit(0.95, has_signal=flag).sentence
        yield from (progress.not_begun(budget, has_rule=flag).sentence for budget in (None, 9))
    for flag in (True, False):
        yield progress.rule_unmet("The stop rule is not met yet.", is_exhausted=False, is_unsupported=flag).sentence


def of_the_rest() -> Iterator[str]:
    for name, low, high in product(("length", "lists"), (-0.1, 0.1), (0.2,)):
        yield covariates.effect(Effect(name, 0.15, 0.02, 0.9), low, high)
        yield covariates.unidentified(name)
    for weights, missing in product(({}, {"clarity": 0.5, "accuracy": 0.5}), (0, 1, 4)):
        yield leaderboards.order("set", ["clarity", "accuracy"], weights, 5, missing)
    for low, unclear in product((0.3, 0.6), ([], ["clarity"])):
        rates = [schemas.Weighted(win_rate=rate, interval=(rate - low / 4, rate + low / 4)) for rate in (0.7, 0.6, 0.2)]
        yield leaderboards.first_place([*zip(("finch", "heron", "wren"), rates, strict=True)], unclear)
        yield leaderboards.first_place([("finch", rates[0]), ("heron", rates[2])], unclear)
    yield leaderboards.first_of_one("clarity", "finch leads: P(best) 70%.", 2)
    for case, e_value in product(get_args(SignalCase), (1e9, 20.0, 19.99, 0.0)):
        signal = SignalTest(e_value, case, 30)
        for p_best in ((None, None), (0.99, 0.01), (0.4, 0.4), (1.0, 1.0)):
            ranked = [("a", 1, p_best[0]), ("b", 1 if p_best[0] == p_best[1] else 2, p_best[1])]
            yield confidence.first_place(ranked, 30, signal).sentence
        yield from (confidence.next_step(signal, is_complete=flag) for flag in (True, False))
    yield from (checks.bias_unknown("gpt"), checks.favours("gpt", 0.1), checks.failing("gpt"), checks.small_bias(0.3))


def of_repetition() -> Iterator[str]:
    """What is said of judges' repeating themselves, whatever is known of them."""
    judges = {
        f"judge {number}": schemas.Repetition(
            known=known, repeats=repeats, alike=alike, swaps=swaps, swaps_alike=swaps_alike, probability=probability
        )
        for number, (known, repeats, alike, swaps, swaps_alike, probability) in enumerate(
            [
                (None, 0, 0, 0, 0, 0.0),
                (None, 4, 4, 0, 0, 0.96),
                (None, 0, 0, 1, 1, 0.6),
                (0.9, 4, 2, 3, 3, 0.1),
                (1.0, 1, 1, 0, 0, 1.0),
                (0.0, 1, 0, 0, 0, 0.0),
                (0.9, 0, 0, 0, 0, 0.9),
            ]
        )
    }
    for name, judge in judges.items():
        yield from repetition.repeated({name: judge}, repetition.would_be("finch", 0.99, 0.4))
        yield from repetition.repeated({name: judge}, repetition.would_be("finch", 0.99, None))
    unknown = {f"{number}": judges["judge 0"] for number in range(5)}
    yield from repetition.repeated(unknown, repetition.would_be("finch", 0.3, None))


def of_reports() -> Iterator[str]:
    """Every sentence of reports of sets with all kinds of settings."""
    ranking = schemas.Ranking.model_validate(EXAMPLES["ranking"]["response"])
    definition = schemas.SetOut.model_validate(EXAMPLES["get_set"]["response"])
    stop = schemas.Stop(top_k=3, rank_width=2, concordance=0.9, goal=0.9, entropy_change=0.01)
    changes: list[dict[str, Any]] = [
        {"goal": schemas.Goal(top_k=3), "stop": stop, "pool_by": "question"},
        {"goal": schemas.Goal(against="kelp"), "stop": None, "pool_by": "project", "project": "sky"},
        {"goal": schemas.Goal(pair=("kelp", "rowan")), "overlap": schemas.Overlap(share=0.2), "absolute_scores": 2},
        *({"order": order} for order in get_args(OrderName)),
        *({"selection": schemas.Selection(criterion=each, random_share=0.1)} for each in get_args(CriterionName)),
    ]
    methods_of = [
        {"name": name, "position_bias": bias, "epsilon": 0.1} | more
        for name in get_args(MethodName)
        for bias in get_args(PositionBias)
        for more in (
            {"temperatures": {"gpt": 1.5}, "verdict_weight": {"gpt": 2.0}},
            {"prior": "anchor"},
            {"prior": None},
        )
    ]
    for change in changes:
        changed = definition.model_copy(update=change)
        yield from methods.paragraph(ranking, changed, 40, 2)
    priors = EXAMPLES["list_pooled_evidence"]["response"]["entries"]
    for imported, pool in product((0.01, 0.5, 1.0), ("project:sky", "question:1f", "elsewhere")):
        shared = schemas.PooledEvidence.model_validate({**priors[0], "pool": pool, "sets": round(10 * imported) + 1})
        yield from methods.paragraph(ranking, definition, 40, 2, imported, shared)
        yield from report.beside_the_log(changed)
    for each in methods_of:
        method = ranking.method.model_copy(update=each)
        for weight in (None, ranking.verdict_weight):
            other = ranking.model_copy(update={"method": method, "verdict_weight": weight, "components": 2})
            yield from methods.paragraph(other, None, 0, 0)
            yield from report.limits(other, only_people=False)
    for left, confidence_of in product((None, 0, 1, 40), (None, ranking.confidence)):
        other = ranking.model_copy(update={"confidence": confidence_of})
        progress = schemas.GoalProgress(
            aim="stop", share=0.5, comparisons_left=left, cost_left=1.5, words="stop rule met", sentence=""
        )
        yield from (figure.note for figure in report.figures(other, 2, 1.5, progress))
    yield report.verified(1, 0)
    yield report.verified(900, 12)
    yield report.recomputed(32)


@pytest.mark.parametrize(
    "made",
    [
        constants,
        of_prompts,
        of_head_to_heads,
        of_stops,
        of_targets,
        of_slices,
        of_judges,
        of_progress,
        of_the_rest,
        of_repetition,
        of_reports,
    ],
    ids=lambda each: each.__name__,
)
def test_sentences_are_short_and_plain(made: object) -> None:
    assert callable(made)
    texts = {text for text in made() if " " in text}
    assert texts
    for text in texts:
        assert_plain(text)
