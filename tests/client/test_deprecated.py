"""Names of before 0.2 answer in 0.2, and Python warns of each."""

from collections.abc import Callable
from typing import Any

import nextpair
import pytest
from nextpair import calls, schemas, words
from nextpair.schemas import deprecated
from pydantic import ValidationError

CONFIDENCE = schemas.Confidence(expected_concordance=0.9, pairs=3, interval=(0.8, 1.0), forecast=[])
SCALE = schemas.JudgeScale(c0=1.0, c1=2.0, converged=True)


def old(field: str) -> Any:
    return getattr(SCALE, field)


def test_an_old_field_is_read_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="settled is the old name of converged and removed in 0.3"):
        assert old("settled") is True
    with pytest.raises(AttributeError, match="'JudgeScale' object has no attribute 'setled'"):
        old("setled")


def test_a_response_is_sent_and_read_without_warnings() -> None:
    sent = SCALE.model_dump_json()
    assert sent == '{"c0":1.0,"c1":2.0,"converged":true,"settled":true}'
    assert schemas.JudgeScale.model_validate_json(sent) == SCALE
    assert SCALE.model_copy(update={"converged": False}).model_dump()["settled"] is False


def test_old_shapes_have_the_old_names() -> None:
    later = schemas.ConfidenceForecast(comparisons=10, expected_concordance=0.95)
    shown = deprecated.sureness(CONFIDENCE.model_copy(update={"forecast": [later]})).model_dump()
    assert shown == {
        "concordance": 0.9, "pairs": 3, "interval": (0.8, 1.0), "forecast": [{"comparisons": 10, "concordance": 0.95}],
    }  # fmt: skip


@pytest.mark.parametrize("of", [{"evidence": "learnt"}, {"evidence": {"ann": 2.0}}])
def test_a_request_takes_the_old_name_with_a_warning(of: dict[str, Any]) -> None:
    with pytest.warns(DeprecationWarning, match="evidence is the old name of verdict_weight"):
        patch = schemas.SetPatch(**of)
    assert patch.model_dump(exclude_unset=True) == {"verdict_weight": of["evidence"]}


def test_a_request_takes_one_name_of_a_field() -> None:
    with pytest.raises(ValidationError, match="send verdict_weight or evidence, its old name, not both"):
        schemas.SetPatch.model_validate({"evidence": "learnt", "verdict_weight": "learnt"})


def test_a_call_takes_its_old_argument_with_a_warning() -> None:
    ranking: Callable[..., Any] = calls.ranking
    with pytest.warns(DeprecationWarning, match="evidence is the old name of verdict_weight"):
        assert ranking("42", evidence="learnt").params == {"verdict_weight": "learnt"}
    with pytest.raises(TypeError, match="ranking takes verdict_weight or evidence, its old name, not both"):
        ranking("42", evidence="learnt", verdict_weight="learnt")


def test_trust_asks_for_the_checks_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="trust is the old name of checks"):
        assert calls.trust("42").path == "/v1/sets/42/checks"
    assert nextpair.Set.trust.__doc__ == "Old name of `checks`; removed in 0.3."


@pytest.mark.parametrize(("name", "new"), deprecated.RENAMED.items())
def test_old_names_of_schemas_are_there(name: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"{name} is the old name of {new}"):
        found = getattr(schemas, name)
    assert found in (getattr(schemas, new), getattr(deprecated, name, None))


def test_the_old_name_of_a_word_is_there() -> None:
    with pytest.warns(DeprecationWarning, match="EvidenceName is the old name of VerdictWeightName"):
        assert getattr(words, "EvidenceName") == words.VerdictWeightName  # noqa: B009  # unknown to type checkers
    for module in (schemas, words):
        with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'Nothing'"):
            getattr(module, "Nothing")  # noqa: B009
