"""What every engine keeps to, whatever it is made of. Each test module runs it against its own engines."""

from collections.abc import Sequence
from math import isclose

from judge_worker.engine import Away, Engine, LabelReading, Outcome, Unread
from judge_worker.prompts import Prompt, load, render
from judge_worker.reading import read_all

SHORT, MIDDLE, LONG = (
    "clear river",
    "clear crisp vivid stone river",
    "clear crisp vivid fluent precise lively stone river",
)


def prompt(first: str, second: str, template: str = "comparative") -> Prompt:
    fields = {"question": "Which text has more good words?", "context": None, "prompt": None}
    return render(load(template), {**fields, "first": first, "second": second})


def outcomes(engine: Engine, prompts: Sequence[Prompt]) -> list[Outcome | Away]:
    return read_all(engine, [engine.prepare(each) for each in prompts])


def readings(engine: Engine, prompts: Sequence[Prompt]) -> list[LabelReading]:
    found = outcomes(engine, prompts)
    assert all(isinstance(each, LabelReading) for each in found), found
    return [each for each in found if isinstance(each, LabelReading)]


def one_logprob_for_each_label(engine: Engine) -> None:
    for template, labels in (("comparative", 2), ("comparative-tie", 3)):
        (reading,) = readings(engine, [prompt(SHORT, LONG, template)])
        assert len(reading.logprobs) == labels
        assert all(p <= 0.0 for p in reading.logprobs)
        assert 0.0 < reading.label_mass <= 1.0


def outcomes_are_in_order(engine: Engine) -> None:
    pairs = [(SHORT, LONG), (LONG, SHORT), (SHORT, MIDDLE), (LONG, MIDDLE), (MIDDLE, SHORT)]
    together = readings(engine, [prompt(*pair) for pair in pairs])
    for pair, reading in zip(pairs, together, strict=True):
        (alone,) = readings(engine, [prompt(*pair)])
        assert all(isclose(a, b, abs_tol=1e-3) for a, b in zip(alone.logprobs, reading.logprobs, strict=True)), pair


def reading_again_changes_nothing(engine: Engine) -> None:
    once, again = readings(engine, [prompt(SHORT, LONG), prompt(SHORT, LONG)])
    assert all(isclose(a, b, abs_tol=1e-3) for a, b in zip(once.logprobs, again.logprobs, strict=True))


def nothing_is_read_of_no_prompts(engine: Engine) -> None:
    assert outcomes(engine, []) == []


def a_prompt_that_fails_fails_alone(engine: Engine, bad: Prompt, failure: str) -> None:
    before, failed, after = outcomes(engine, [prompt(SHORT, LONG), bad, prompt(LONG, SHORT)])
    assert isinstance(failed, Unread)
    assert failed.failure == failure
    assert failed.reason
    assert isinstance(before, LabelReading)
    assert isinstance(after, LabelReading)


CONTRACT = (
    one_logprob_for_each_label,
    outcomes_are_in_order,
    reading_again_changes_nothing,
    nothing_is_read_of_no_prompts,
)
