"""What was judged, counted by hand, and targets beyond the limits; tests/api has the rules on whole sets."""

import numpy as np
import pytest
from nextpair.words import InferenceTargetChoice, InferenceTargetName

from app.inference.reporting import Obstacle, Scope, Target, judged_of, own_target, resolve
from app.inference.types import Comparisons
from app.sentences.inference_targets import answered, obstacle


def judged(n: int, *verdicts: tuple[int, int, int, int], items: int = 1) -> Scope:
    """N candidates on all items, with votes of two judges: (item, first, second, judge)."""
    table = np.array(verdicts, np.int64).reshape(-1, 4)
    item, first, second, judge = table.T
    votes = Comparisons(first, second, np.ones(len(table)), judge, np.ones(len(table)))
    return judged_of(votes, item, np.ones((items, n), np.bool_), ["gpt", "ann"], np.array([False, True]), 0)


def refusal(judged: Scope, target: InferenceTargetName) -> str:
    why = resolve(judged, "soft-bt", wanted=target)
    assert isinstance(why, Obstacle)
    return obstacle(why, "soft-bt", judged.judging)


def answering(judged: Scope, own: InferenceTargetChoice = "auto", wanted: InferenceTargetName | None = None) -> Target:
    target = resolve(judged, "soft-bt", own, wanted)
    assert isinstance(target, Target)
    return target


def test_a_pair_counts_once_in_either_order_and_on_each_item() -> None:
    found = judged(3, (0, 0, 1, 0), (0, 1, 0, 0), (1, 1, 0, 0), (1, 2, 1, 1), items=2)
    assert (found.pairs, found.judging.prompts, found.complete) == (6, 2, False)
    assert (found.verdicts, found.people, found.models) == ({"gpt": 3, "ann": 1}, {"ann"}, ["gpt"])


def test_all_pairs_are_judged_once_each_judge_has_judged_all_of_them() -> None:
    by_one = [(0, 0, 1, 0), (0, 2, 0, 0), (0, 1, 2, 0)]
    assert judged(3, *by_one).complete
    assert not judged(3, *by_one, (0, 0, 1, 1)).complete
    assert judged(3, *by_one, (0, 1, 0, 1), (0, 2, 0, 1), (0, 1, 2, 1)).complete


def test_a_round_of_very_many_verdicts_is_refused() -> None:
    on_many_items = judged(200, *((item, 0, 1, 0) for item in range(51)), items=51)
    said = refusal(on_many_items, "all-pairs")
    assert said.startswith("1 judge on 51 prompts would give 2,029,800 verdicts of 200 candidates")
    assert "all-pairs" not in answering(on_many_items).also
    assert answering(judged(200, *((item, 0, 1, 0) for item in range(50)), items=50), wanted="all-pairs").name


@pytest.mark.parametrize("target", ["all-pairs", "new-items", "people"])
def test_of_very_many_candidates_there_is_latent_alone(target: InferenceTargetName) -> None:
    many = judged(501, (0, 0, 1, 0), (1, 0, 1, 1), items=2)
    assert refusal(many, target) == "501 candidates are more than the 500 that it takes; choose latent"
    assert answering(many).name == "latent"
    assert answering(judged(500, (0, 0, 1, 0), (1, 0, 1, 1), items=2), wanted=target).name == target


def test_of_very_many_effects_of_models_there_is_latent_alone() -> None:
    names = [f"model {number}" for number in range(24)] + ["ann"]
    is_person = np.array([name == "ann" for name in names])
    judge, zeros = np.arange(25), np.zeros(25, np.int64)
    votes = Comparisons(zeros, zeros + 1, np.ones(25), judge, np.ones(25))
    few, many = (judged_of(votes, zeros, np.ones((1, n), np.bool_), names, is_person, 0) for n in (208, 209))
    assert answering(few, wanted="people").name == "people"
    assert refusal(many, "people") == "24 models and 209 candidates have more than 5,000 judge effects; choose latent"
    found = answering(many, "people")
    assert (found.name, found.also) == ("latent", ["all-pairs"])
    assert "Not people: 24 models and 209 candidates have more than 5,000 judge effects" in answered(found)
    assert own_target(many.judging, "soft-bt", "people") == "latent"
