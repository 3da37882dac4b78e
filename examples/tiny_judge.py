"""Train a judge in under a minute on a CPU: `python -m examples.tiny_judge FOLDER`.

A Llama of 150,000 parameters learns to compare texts by how many good words are in them, on the worker's own prompts:

    P(the first is better) = sigmoid(SCALE * (good words of the first - good words of the second))

Some of the texts that it learns from hold junk that counts for nothing, so that it keeps to its task when a text tries
to be something else. The truth is known, nothing is downloaded, and the folder is a model like any other: vLLM and
transformers load it. Its task means nothing; it is there to try a worker from end to end.

Needs torch, tokenizers and transformers.
"""

import random
import string
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from math import exp
from pathlib import Path
from typing import Any

from judge_worker.prompts import Prompt, Template, load, render
from judge_worker.tokens import PromptEncoder

GOOD = ("clear", "crisp", "vivid", "fluent", "precise", "lively", "elegant", "witty", "warm", "deep")
PLAIN = ("stone", "river", "table", "paper", "window", "garden", "letter", "engine", "number", "street",
         "basket", "copper", "meadow", "ladder", "harbor", "pencil")  # fmt: skip
QUESTION = "Which text has more good words?"
LENGTH = 10  # words of a text
JUNK, JUNK_SHARE = string.ascii_letters + string.punctuation + "    \n", 0.3
CLEAN = 0.6  # of the steps have none
SCALE = 0.6  # logits for one good word
SPECIAL = {
    "begin": "<|begin|>",
    "end": "<|end|>",
    "system": "<|system|>",
    "user": "<|user|>",
    "assistant": "<|assistant|>",
}
CHAT = (
    "{{ '<|begin|>' }}{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] }}"
    "{% if not loop.last %}{{ '<|end|>' }}{% endif %}{% endfor %}"
)
STEPS, BATCH, RATE = 500, 64, 4e-3


def text(quality: int, rng: random.Random) -> str:
    """So many good words among LENGTH."""
    words = rng.choices(GOOD, k=quality) + rng.choices(PLAIN, k=LENGTH - quality)
    return " ".join(rng.sample(words, len(words)))


def quality(of: str) -> int:
    return sum(word in GOOD for word in of.split())


def with_junk(of: str, rng: random.Random, share: float) -> str:
    """A few words that mean nothing to the judge, in front or behind, in a share of the texts."""
    if rng.random() >= share:
        return of
    junk = "".join(rng.choices(JUNK, k=rng.randint(1, 30)))
    return rng.choice((f"{of} {junk}", f"{junk} {of}"))


def p_first(first: str, second: str) -> float:
    return 1.0 / (1.0 + exp(SCALE * (quality(second) - quality(first))))


def prompt_of(template: Template, first: str, second: str) -> Prompt:
    return render(template, {"question": QUESTION, "context": None, "prompt": None, "first": first, "second": second})


def train(folder: Path, steps: int = STEPS, seed: int = 0) -> None:
    """Write model and tokenizer into `folder`; the same seed gives the same weights on the same machine."""
    import torch

    torch.manual_seed(seed)
    torch.set_num_threads(1)  # small matrices: more threads are slower
    template, rng = load("comparative"), random.Random(seed)
    tokenizer = _tokenizer(template, rng)
    encoder, model = PromptEncoder(tokenizer), _model(len(tokenizer))
    a, b = (ids[0] for ids in encoder.encode(prompt_of(template, "stone", "river")).spelling)
    optimiser = torch.optim.AdamW(model.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps)
    start = time.monotonic()
    for step, batch in enumerate(_batches(template, encoder, rng, steps)):
        ends = torch.tensor([len(ids) - 1 for ids, _ in batch])
        ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(ids) for ids, _ in batch], batch_first=True)
        p = torch.tensor([p for _, p in batch])
        last = model.model(input_ids=ids).last_hidden_state[torch.arange(len(batch)), ends]
        logprobs = model.lm_head(last).log_softmax(-1)
        loss = -(p * logprobs[:, a] + (1.0 - p) * logprobs[:, b]).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if step % 50 == 0 or step == steps - 1:
            print(f"step {step + 1}/{steps}, loss {loss.item():.4f}, {time.monotonic() - start:.0f} s", flush=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _batches(
    template: Template, encoder: PromptEncoder, rng: random.Random, steps: int
) -> Iterator[list[tuple[tuple[int, ...], float]]]:
    """Token ids and p, without junk at first. What pads a batch comes behind a prompt, where nothing looks."""
    for step in range(steps):
        share = JUNK_SHARE if step >= CLEAN * steps else 0.0
        pairs = [_pair(rng) for _ in range(BATCH)]
        shown = [(with_junk(first, rng, share), with_junk(second, rng, share)) for first, second in pairs]
        yield [
            (encoder.encode(prompt_of(template, *texts)).questions[0].ids, p_first(*pair))
            for texts, pair in zip(shown, pairs, strict=True)
        ]


def _tokenizer(template: Template, rng: random.Random) -> Any:
    """Byte-level BPE, trained on prompts until every word is a token of its own."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    bpe = Tokenizer(models.BPE())
    digits = pre_tokenizers.Digits(individual_digits=True)  # so that all numbers of prompts are equally long
    bpe.pre_tokenizer = pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    bpe.decoder = decoders.ByteLevel()
    corpus = ["\n".join(message.text for message in prompt_of(template, *_pair(rng)).messages) for _ in range(300)]
    corpus += [f"Text{label}" for label in template.labels] * 100 + [f"\n{word} {word}" for word in GOOD + PLAIN] * 20
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=1000, special_tokens=list(SPECIAL.values()), initial_alphabet=alphabet, show_progress=False
    )
    bpe.train_from_iterator(corpus, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe, bos_token=SPECIAL["begin"], eos_token=SPECIAL["end"], pad_token=SPECIAL["end"],
        additional_special_tokens=[SPECIAL[role] for role in ("system", "user", "assistant")], chat_template=CHAT,
    )  # fmt: skip


def _pair(rng: random.Random) -> tuple[str, str]:
    return text(rng.randint(0, LENGTH), rng), text(rng.randint(0, LENGTH), rng)


def _model(vocabulary: int) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=vocabulary, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, head_dim=32, max_position_embeddings=1024, tie_word_embeddings=True,
        bos_token_id=0, eos_token_id=1, pad_token_id=1,
    )  # fmt: skip
    return LlamaForCausalLM(config)


def main() -> None:
    parser = ArgumentParser(prog="python -m examples.tiny_judge", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    train(chosen.folder, chosen.steps, chosen.seed)


if __name__ == "__main__":
    main()
