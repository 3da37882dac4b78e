"""Files that others write: what holds no rival candidates is refused, and what does is read."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.files import transfer
from app.files.candidates import CandidateColumns
from app.files.comparisons import ComparisonColumns
from app.files.tables import InputError
from tests.files.factories import grouped, write

SKY, SEA = "Why is the sky blue?", "Why is the sea salty?"
ANSWERS = [
    "Air scatters blue light most.",
    "Rivers carry salt from rocks.",
    "Somebody painted it blue.",
    "Fish did it.",
]


def jsonl(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def each_prompt(**cells: Any) -> list[dict[str, Any]]:
    """Two rows in which a function of prompt and answer fills the cells."""
    asked = zip((SKY, SEA), ANSWERS[:2], strict=True)
    return [
        {name: cell(prompt, answer) if callable(cell) else cell for name, cell in cells.items()}
        for prompt, answer in asked
    ]


def of_prompt(prompt: str, _: str) -> str:
    return prompt


def of_answer(_: str, answer: str) -> str:
    return answer


LM_EVAL = jsonl(
    *({"doc_id": n, "doc": {"question": prompt}, "target": "x", "arguments": [[prompt, {"until": ["\n"]}]],
       "resps": [[answer]], "filtered_resps": [answer], "acc": 1.0, "doc_hash": f"{n:064x}"}
      for n, (prompt, answer) in enumerate(zip((SKY, SEA), ANSWERS, strict=False)))
)  # fmt: skip
ALPACA_EVAL = json.dumps(each_prompt(dataset="koala", instruction=of_prompt, output=of_answer, generator="gpt-4"))
PROMPTFOO = jsonl(
    *each_prompt(promptIdx=0, provider={"id": "openai:gpt-4o"}, prompt=lambda p, _: {"raw": p, "label": p},
                 vars=lambda p, _: {"question": p}, response=lambda _, a: {"output": a, "cached": False}, success=True)
)  # fmt: skip
PROMPTFOO_OF_ONE_PROMPT = jsonl(
    *({"provider": {"id": model}, "prompt": {"raw": SKY}, "response": {"output": answer}, "success": True}
      for model, answer in zip(("gpt-4o", "claude"), ANSWERS, strict=False))
)  # fmt: skip
LANGFUSE = json.dumps(
    each_prompt(id=lambda p, _: p[-5:], timestamp="2026-01-01T00:00:00Z", name="chat", metadata={"user": 1},
                input=lambda p, _: {"messages": [{"role": "user", "content": p}]},
                output=lambda _, a: {"role": "assistant", "content": a}, tags=[])
)  # fmt: skip
BRAINTRUST = jsonl(
    *each_prompt(id=lambda p, _: p[-5:], input=of_prompt, output=of_answer, expected="x", scores={"Factuality": 1},
                 metadata={"model": "gpt-4o"}, span_id="s", created="2026-01-01T00:00:00Z")
)  # fmt: skip
LABEL_STUDIO = json.dumps(
    [{"id": n, "data": {"prompt": prompt, "answer1": "Light.", "answer2": "Paint."},
      "annotations": [{"id": 7 + n, "result": [{"value": {"selected": "left"}}]}], "created_at": "2026-01-01"}
     for n, prompt in enumerate((SKY, SEA))]
)  # fmt: skip
WIDE = f"prompt,gpt-4o,claude\n{SKY},{ANSWERS[0]},{ANSWERS[2]}\n{SEA},{ANSWERS[1]},{ANSWERS[3]}\n"
WIDE_SHORT = f"question,gpt-4o,claude\n{SKY},Light,Paint\n{SEA},Salt,Fish\n"
WIDE_WITHOUT_PROMPT = f"id,gpt-4o,claude\n1,{ANSWERS[0]},{ANSWERS[2]}\n2,{ANSWERS[1]},{ANSWERS[3]} and more fish\n"
LONG = "id,model,prompt,output\n" + "".join(
    f"{n},{model},{prompt},{answer}\n"
    for n, (model, prompt, answer) in enumerate(
        zip(("gpt", "gpt", "claude", "claude"), (SKY, SEA, SKY, SEA), ANSWERS, strict=True)
    )
)
SUMMARIES = "id,article,system,text\n" + "".join(
    f"{n},{article},{system},Summary {n}.\n"
    for n, (article, system) in enumerate(
        (a, s) for a in ("Rain fell all day long.", "No rain fell all week.") for s in "xyz"
    )
)
MT_BENCH = jsonl(
    *({"question_id": 81 + n, "answer_id": f"{n:022x}", "model_id": "vicuna-13b",
       "choices": [{"index": 0, "turns": [answer, "More."]}], "tstamp": 1.5} for n, answer in enumerate(ANSWERS[:2]))
)  # fmt: skip
HELM = json.dumps(
    [{"instance_id": f"id{n}", "train_trial_index": 0, "predicted_text": answer, "stats": {"exact_match": 0.0}}
     for n, answer in enumerate(ANSWERS)]
)  # fmt: skip
INSPECT = jsonl(*each_prompt(sample_id=lambda p, _: p[-5:], epoch=1, input=of_prompt, target="x", answer=of_answer))
OPENAI_EVALS = jsonl(
    *({"run_id": "r", "event_id": n, "sample_id": f"match.{n}", "type": "sampling",
       "data": {"prompt": prompt, "sampled": [answer]}, "created_by": ""}
      for n, (prompt, answer) in enumerate(zip((SKY, SEA), ANSWERS, strict=False)))
)  # fmt: skip
OPENAI_EVALS_LOG = (
    jsonl({"spec": {"completion_fns": ["gpt"]}}) + OPENAI_EVALS + jsonl({"final_report": {"accuracy": 1}})
)
OPENAI_BATCH = jsonl(
    *({"id": f"batch_{n}", "custom_id": f"r-{n}", "response": {"status_code": 200, "body": {"choices": [answer]}}}
      for n, answer in enumerate(ANSWERS))
)  # fmt: skip
CHAT = jsonl(
    *({"messages": [{"role": "user", "content": p}, {"role": "assistant", "content": a}]}
      for p, a in zip((SKY, SEA), ANSWERS, strict=False))
)  # fmt: skip
PREFERENCES = jsonl({"chosen": ANSWERS[0], "rejected": ANSWERS[2]}, {"chosen": ANSWERS[1], "rejected": ANSWERS[3]})
HUMAN_EVAL = jsonl(*({"task_id": f"HumanEval/{n}", "completion": f"    return sum(range({n}))\n"} for n in range(3)))
GSM8K = jsonl(*each_prompt(question=of_prompt, answer=of_answer))
RAGAS = jsonl(*each_prompt(user_input=of_prompt, retrieved_contexts=["x"], response=of_answer, reference="y"))
LANGSMITH = f"id,inputs.question,output\n1,{SKY},{ANSWERS[0]}\n2,{SEA},{ANSWERS[1]}\n"


@pytest.mark.parametrize(
    ("name", "content", "column"),
    [
        ("lm-eval.jsonl", LM_EVAL, "arguments"),
        ("promptfoo.jsonl", PROMPTFOO, "prompt"),
        ("promptfoo-one-prompt.jsonl", PROMPTFOO_OF_ONE_PROMPT, "response"),
        ("langfuse.json", LANGFUSE, "input"),
        ("braintrust.jsonl", BRAINTRUST, "input"),
        ("label-studio.json", LABEL_STUDIO, "data"),
        ("wide.csv", WIDE, "prompt"),
        ("wide-short.csv", WIDE_SHORT, "gpt-4o"),
        ("wide-without-prompt.csv", WIDE_WITHOUT_PROMPT, "claude"),
        ("summaries.csv", SUMMARIES, "article"),
        ("mt-bench.jsonl", MT_BENCH, "question_id"),
        ("helm.json", HELM, "instance_id"),
        ("inspect.jsonl", INSPECT, "input"),
        ("openai-evals.jsonl", OPENAI_EVALS, "data"),
        ("openai-batch.jsonl", OPENAI_BATCH, "response"),
        ("chat.jsonl", CHAT, "messages"),
        ("preferences.jsonl", PREFERENCES, "chosen"),
        ("human-eval.jsonl", HUMAN_EVAL, "task_id"),
        ("gsm8k.jsonl", GSM8K, "question"),
        ("ragas.jsonl", RAGAS, "user_input"),
        ("langsmith.csv", LANGSMITH, "inputs.question"),
    ],
)
def test_what_means_something_else_is_refused_by_the_column_that_shows_it(
    tmp_path: Path, name: str, content: str, column: str
) -> None:
    with pytest.raises(InputError) as caught:
        transfer.read(source(write(tmp_path, name, content)))
    assert repr(column) in str(caught.value)
    assert "candidates are one text per row, and all of them answer the same prompt" in str(caught.value)


def source(path: str, columns: CandidateColumns = CandidateColumns()) -> transfer.Source:  # noqa: B008  # immutable
    return transfer.Source(path, ComparisonColumns(), candidates=columns)


@pytest.mark.parametrize(
    ("name", "content", "texts"),
    [
        ("one-prompt.csv", f"model,prompt,output\ngpt,{SKY},{ANSWERS[0]}\nclaude,{SKY},{ANSWERS[2]}\n",
         [ANSWERS[0], ANSWERS[2]]),
        ("samples.csv", f"id,model,temperature,text\n1,gpt,0,{ANSWERS[0]}\n2,gpt,1,{ANSWERS[2]}\n",
         [ANSWERS[0], ANSWERS[2]]),
        ("metadata.jsonl", jsonl({"key": "a", "text": "One.", "tags": ["x"], "scores": {"n": 1}},
                                 {"key": "b", "text": "Two.", "tags": ["y"], "scores": {"n": 2}}), ["One.", "Two."]),
        ("json-texts.jsonl", jsonl({"key": "a", "text": '{"x": 1}'}, {"key": "b", "text": "[1]"}), ['{"x": 1}', "[1]"]),
        ("papers.csv", "id,title,abstract,url\n1,On the scattering of light,"
         + "Light scatters. " * 20 + ",https://example.org/papers/1\n2,On the saltiness of seas,"
         + "Salt stays behind. " * 20 + ",https://example.org/papers/2\n",
         [("Light scatters. " * 20).strip(), ("Salt stays behind. " * 20).strip()]),
        ("prompts.csv", f"act,prompt,type\npoet,{SKY},x\nsailor,{SEA},x\n", [SKY, SEA]),
        ("questions.csv", f"question_id,question\n1,{SKY}\n2,{SEA}\n", [SKY, SEA]),
        ("documents.csv", "query,doc_id,text\nsky,d1,Blue.\nsky,d2,Red.\n", ["Blue.", "Red."]),
        ("empty-prompts.csv", "prompt,text\n,Blue.\n,Red.\n", ["Blue.", "Red."]),
        ("licences.csv", "key,text,licence\na,Blue.,Creative Commons Attribution\nb,Red.,Creative Commons Attribution\n"
         "c,Green.,Creative Commons Zero\n", ["Blue.", "Red.", "Green."]),
        ("notes.csv", f"key,text,comment\na,Blue.,{SKY}\nb,Red.,{SEA}\n", ["Blue.", "Red."]),
    ],
)  # fmt: skip
def test_rivals_with_other_columns_are_read(tmp_path: Path, name: str, content: str, texts: list[str]) -> None:
    contents = transfer.read(source(write(tmp_path, name, content)))
    assert [each.text for each in contents.candidates] == texts


def test_whoever_names_key_and_text_knows_what_the_rows_are(tmp_path: Path) -> None:
    path = write(tmp_path, "gsm8k.jsonl", GSM8K)
    with pytest.raises(InputError, match="name both --key and --text"):
        transfer.read(source(path, CandidateColumns(text="answer")))
    named = transfer.read(source(path, CandidateColumns("question", "answer"))).candidates
    assert [(each.key, each.text) for each in named] == [(SKY, ANSWERS[0]), (SEA, ANSWERS[1])]


ARENA = "model_a,model_b,winner_model_a,winner_model_b,winner_tie\ngpt,claude,1,0,0\ngpt,llama,0,0,1\n"


@pytest.mark.parametrize(
    "content",
    [
        ARENA,
        ARENA.replace("winner_tie", "outcome"),
        "model_a,model_b,winner_model_a,tie\ngpt,claude,1,0\ngpt,llama,0,1\n",
    ],
)
def test_ties_in_another_column_are_no_losses(tmp_path: Path, content: str) -> None:
    path = write(tmp_path, "arena.csv", content)
    with pytest.raises(InputError) as caught:
        grouped(path, ComparisonColumns(p_first="winner_model_a"))
    assert "line 3, column 'winner_model_a': 0 would count this tie as a loss" in str(caught.value)
    assert "name it with --winner" in str(caught.value)


def test_ties_in_another_column_of_parquet_are_no_losses(tmp_path: Path) -> None:
    cells = {"model_a": ["g", "g"], "model_b": ["c", "l"], "winner_model_a": [1, 0], "winner_tie": [False, True]}
    pq.write_table(pa.table(cells), tmp_path / "arena.parquet")
    with pytest.raises(InputError, match="would count this tie as a loss"):
        grouped(str(tmp_path / "arena.parquet"), ComparisonColumns(p_first="winner_model_a"))


@pytest.mark.parametrize(
    "content",
    [
        "model_a,model_b,p_first,tie\na,b,0.5,1\na,c,0,0\n",
        "model_a,model_b,winner_model_a,winner_model_b,winner_tie\na,b,1,0,0\na,c,0,1,0\n",
        "model_a,model_b,winner_model_a,winner_tie\na,b,1,0\na,c,0.5,1\n",
    ],
)
def test_ties_that_count_as_halves_are_read(tmp_path: Path, content: str) -> None:
    column = "p_first" if "p_first" in content else "winner_model_a"
    assert len(grouped(write(tmp_path, "arena.csv", content), ComparisonColumns(p_first=column)).p) == 2


@pytest.mark.parametrize(("name", "content"), [("long.csv", LONG), ("wide.csv", WIDE.replace("it", "all of it"))])
def test_outputs_of_systems_for_many_prompts_are_no_rivals_but_a_set(tmp_path: Path, name: str, content: str) -> None:
    contents = transfer.read(source(write(tmp_path, name, content)))
    assert [item.prompt for item in contents.items] == [SKY, SEA]
    assert [len(candidate.outputs or {}) for candidate in contents.candidates] == [2, 2]


def test_outputs_of_one_system_say_that_another_is_needed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="column 'generator': there is one system, 'gpt-4'; put the outputs of two"):
        transfer.read(source(write(tmp_path, "alpaca-eval.json", ALPACA_EVAL)))


def test_a_log_of_openai_evals_is_not_known(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        transfer.read(source(write(tmp_path, "log.jsonl", OPENAI_EVALS_LOG)))
