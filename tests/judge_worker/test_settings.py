"""Where settings come from, and what is said of bad ones."""

from pathlib import Path
from typing import Any

import pytest
from nextpair.words import LOCAL

from judge_worker.engines import openai, scripted, vllm
from judge_worker.settings import BadSettings, load

GIVEN = {"server": "http://service", "model": "m"}
OPENAI = {**GIVEN, "engine": "openai", "base_url": "http://engine"}


def test_options_come_before_variables_and_those_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "worker.toml"
    file.write_text('server = "http://file"\nmodel = "file"\njudge = "file"\nbatch = 7\n[vllm_options]\nseed = 1\n')
    environment = {"NEXTPAIR_WORKER_MODEL": "environment", "NEXTPAIR_WORKER_JUDGE": "environment", "OTHER": "x"}

    settings = load({"judge": "option"}, file, environment)

    assert (settings.server, settings.model, settings.judge) == ("http://file", "environment", "option")
    assert (settings.batch, settings.engine) == (7, vllm.Settings(vllm_options={"seed": 1}))


def test_the_service_is_found_as_by_every_command() -> None:
    shared = {"NEXTPAIR_URL": "http://shared", "NEXTPAIR_API_KEY": "key"}
    own = {"NEXTPAIR_WORKER_SERVER": "http://own"}
    assert load({"model": "m"}, None, {"NEXTPAIR_URL": ""}).server == LOCAL
    assert load({"model": "m"}, None, shared).server == "http://shared"
    assert load({"model": "m"}, None, shared).api_key == "key"
    assert load({"model": "m"}, None, {**shared, **own}).server == "http://own"
    assert load(GIVEN, None, {**shared, **own}).server == "http://service"


def test_words_of_variables_and_options_are_read() -> None:
    environment = {
        "NEXTPAIR_WORKER_SETS": "0b0f8b0e-7c1f-4e0c-9a0e-3f1c2d4e5a6b,0b0f8b0e-7c1f-4e0c-9a0e-3f1c2d4e5a6c",
        "NEXTPAIR_WORKER_UNTIL_DONE": "true",
        "NEXTPAIR_WORKER_VLLM_OPTIONS": '{"gpu_memory_utilization": 0.8}',
    }
    settings = load({**GIVEN, "absolute": "1-10"}, None, environment)
    assert len(settings.sets) == 2
    assert settings.until_done
    assert settings.absolute == (1, 10)
    assert settings.engine == vllm.Settings(vllm_options={"gpu_memory_utilization": 0.8})


def test_headers_are_lines_of_an_option_or_json_of_a_variable() -> None:
    by_option = load({**OPENAI, "headers": ["X-Team: a: b", "X-Key:k"]}, None, {})
    assert by_option.engine == openai.Settings(base_url="http://engine", headers={"X-Team": "a: b", "X-Key": "k"})
    variables = {"NEXTPAIR_WORKER_HEADERS": '{"X-Key": "k"}', "NEXTPAIR_WORKER_BODY": '{"top_k": null}'}
    by_variable = load(OPENAI, None, variables)
    assert by_variable.engine == openai.Settings(base_url="http://engine", headers={"X-Key": "k"}, body={"top_k": None})


@pytest.mark.parametrize(
    "given", [{"headers": ["sk-secret"]}, {"headers": ["X Y: sk-secret"]}, {"engine_key": "sk-secret\n"}]
)
def test_a_bad_header_is_not_repeated(given: dict[str, Any]) -> None:
    with pytest.raises(BadSettings) as caught:
        load({**OPENAI, **given}, None, {})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("model", "judge", "name"), [("org/llama-70b", "", "llama-70b"), ("/models/x/", "", "x"), ("m", "mine", "mine")]
)
def test_the_judge_is_named_after_the_model(model: str, judge: str, name: str) -> None:
    assert load({**GIVEN, "model": model, "judge": judge}, None, {}).judge_name == name


def test_settings_of_other_engines_are_left_alone() -> None:
    others = {"tensor_parallel_size": 4, "concurrency": -1}
    assert load({**GIVEN, **others, "engine": "scripted", "rate": 2.0}, None, {}).engine == scripted.Settings(rate=2.0)


def test_a_variable_that_means_nothing_is_an_error() -> None:
    with pytest.raises(BadSettings, match="set: unknown setting"):
        load(GIVEN, None, {"NEXTPAIR_WORKER_SET": "0b0f8b0e-7c1f-4e0c-9a0e-3f1c2d4e5a6b"})


def test_several_templates(tmp_path: Path) -> None:
    file = tmp_path / "worker.toml"
    file.write_text('template = ["one.jinja", "two.jinja"]\n')
    assert load(GIVEN, file, {}).template == ["one.jinja", "two.jinja"]
    assert load(GIVEN, None, {"NEXTPAIR_WORKER_TEMPLATE": "one.jinja,two.jinja"}).template == ["one.jinja", "two.jinja"]
    assert load({**GIVEN, "template": ["one.jinja"]}, file, {}).template == ["one.jinja"]
    assert load(GIVEN, None, {"NEXTPAIR_WORKER_TEMPLATE": "one.jinja"}).template == ["one.jinja"]


def test_the_file_may_be_named_by_a_variable(tmp_path: Path) -> None:
    (tmp_path / "worker.toml").write_text("batch = 7\n")
    assert load(GIVEN, None, {"NEXTPAIR_WORKER_CONFIG": str(tmp_path / "worker.toml")}).batch == 7


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"server": "http://service"}, "model is missing: write --model, set NEXTPAIR_WORKER_MODEL"),
        ({**GIVEN, "batch": 0}, "batch: "),
        ({**GIVEN, "engine": "gpu"}, "engine: "),
        ({**GIVEN, "engine": "openai"}, "base_url is missing: write --base-url"),
        ({**GIVEN, "absolute": "10"}, "write a scale such as 1-10"),
        ({**GIVEN, "absolute": "5-1"}, "write a scale such as 1-10"),
        ({**GIVEN, "template": ["a", "a"]}, "the same template is given twice"),
        ({**GIVEN, "template": ["a", "b"], "absolute": "1-10"}, "absolute takes one template"),
        ({**GIVEN, "colour": "red"}, "colour: unknown setting"),
    ],
)
def test_bad_settings_are_named(given: dict[str, Any], says: str) -> None:
    with pytest.raises(BadSettings, match=says):
        load(given, None, {})
