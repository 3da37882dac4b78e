"""A transformer as the encoder of `nextpair aggregate`: what it reads, and what training it is good for."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nextpair.words import ContextMethod

from app.analysis.item_contexts import standardised
from app.inference.judges.aggregation import binary, majority, votes
from app.inference.judges.skill_aggregation import ItemContext, Learner, Step, by_context
from app.inference.types import Floats, Ints
from app.offline import transformer
from app.offline.transformer import Transformer, encode, fine_tuned, load, tokens
from examples.tiny_judge import GOOD, PLAIN

Items = list[dict[str, str]]
KINDS = ("BertModel", "GPT2Model", "T5Model")


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def model(judge: str) -> Transformer:
    return load(judge)


@pytest.fixture(scope="module")
def labelled() -> tuple[Items, Ints, Floats]:
    """300 items with their truth, which the first word tells, and three judges' probabilities of it."""
    draw = rng()
    truth = draw.integers(2, size=300)
    items = [{"text": " ".join([(PLAIN[0], GOOD[0])[c], *draw.choice(PLAIN[1:], size=8)])} for c in truth]
    right = draw.random((300, 3)) < [0.7, 0.65, 0.65]
    return items, truth, np.where(right == truth[:, None], 0.9, 0.1)


@pytest.fixture(params=KINDS)
def of_any_kind(request: pytest.FixtureRequest, judge: str, tmp_path: Path) -> str:
    """The folder of a model that has learnt nothing, with the judge's tokenizer."""
    import torch
    import transformers

    torch.manual_seed(0)
    kind = getattr(transformers, request.param)
    sizes: dict[str, dict[str, Any]] = {
        "BertModel": {"hidden_size": 16, "intermediate_size": 16, "max_position_embeddings": 40},
        "GPT2Model": {"n_embd": 16, "n_positions": 40},
        "T5Model": {"d_model": 16, "d_kv": 8, "d_ff": 16},
    }
    tokenizer = transformers.AutoTokenizer.from_pretrained(judge)
    layers = {"num_hidden_layers": 1, "num_attention_heads": 2, "vocab_size": len(tokenizer)}
    special = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1}
    kind(kind.config_class(**sizes[request.param], **layers, **special)).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    return str(tmp_path)


def accuracy(
    method: ContextMethod, truth: Ints, y: Floats, x: Any, learner: Learner | None = None, **options: Any
) -> float:
    found = by_context(binary(y), ItemContext(x, np.arange(len(y)), learner), method, rng(), **options)
    return float((found.labels(rng()) == truth).mean())


def test_features_are_the_last_hidden_state_of_any_model(of_any_kind: str) -> None:
    import torch

    model = load(of_any_kind)
    items = [{"question": "Which?", "answer": " ".join(PLAIN[:n])} for n in range(6)]
    said = [f"question: {item['question']}\nanswer: {item['answer']}" for item in items]
    with torch.no_grad():
        ids = [torch.tensor([model.tokenizer(text)["input_ids"][:40]]) for text in said]
        last = [model.encoder(input_ids=row).last_hidden_state[0, -1].numpy() for row in ids]
    x = encode(items, model)
    assert x.shape == (6, 16)
    np.testing.assert_allclose(x.toarray(), standardised(np.array(last, dtype=np.float64)).toarray(), atol=1e-4)


def test_features_depend_neither_on_the_batch_nor_on_the_padding_side(
    model: Transformer, labelled: tuple[Items, Ints, Floats], monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [{"text": item["text"][: 10 + n]} for n, item in enumerate(labelled[0][:50])]
    read: list[int] = []
    x = encode(items, model, read.append).toarray()
    assert sum(read) == 50
    np.testing.assert_allclose(encode(items[::-1], model).toarray()[::-1], x, atol=1e-4)
    monkeypatch.setattr(transformer, "AT_ONCE", 1)
    np.testing.assert_allclose(encode(items, model).toarray(), x, atol=1e-4)
    for side in ("left", "right"):
        monkeypatch.setattr(model.tokenizer, "padding_side", side)
        np.testing.assert_allclose(encode(items, model).toarray(), x, atol=1e-4)


def test_a_text_is_cut_off_where_the_model_ends(model: Transformer) -> None:
    long = [{"text": " ".join(PLAIN * 100)}, {"text": "river"}]
    assert tokens(long, model).shape == (2, model.encoder.config.max_position_embeddings)
    assert np.isfinite(encode(long, model).toarray()).all()


def test_with_a_transformer_skill_aggregation_beats_the_majority(
    model: Transformer, labelled: tuple[Items, Ints, Floats]
) -> None:
    items, truth, y = labelled
    plain = (majority(votes(binary(y))).labels(rng()) == truth).mean()
    assert accuracy("skill-aggregation", truth, y, encode(items, model)) > plain + 0.1
    tuned = accuracy("skill-aggregation", truth, y, tokens(items, model), learner=fine_tuned(model))
    assert tuned > plain + 0.1


def test_training_the_transformer_helps_and_leaves_the_original_as_it_was(
    model: Transformer, labelled: tuple[Items, Ints, Floats]
) -> None:
    items, truth, y = labelled
    before, steps = encode(items, model), list[Step]()
    frozen = accuracy("skill-aggregation-x", truth, y, before)
    runs = [
        accuracy(
            "skill-aggregation-x", truth, y, tokens(items, model), learner=fine_tuned(model), progress=steps.append
        )
        for _ in range(2)
    ]
    assert runs[0] > frozen + 0.02
    assert runs[0] == runs[1], "the same seed gives the same"
    assert {step.fold for step in steps} == set(range(5))
    np.testing.assert_array_equal(encode(items, model).toarray(), before.toarray())


@pytest.mark.parametrize("method", ["crowdlayer", "train-on-majority"])
def test_the_other_heads_train_it_too(
    model: Transformer, labelled: tuple[Items, Ints, Floats], method: ContextMethod
) -> None:
    items, truth, y = labelled
    assert accuracy(method, truth, y, tokens(items, model), learner=fine_tuned(model)) > 0.8
