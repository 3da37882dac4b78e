"""A transformer reads what the items say, as it is or trained along with the judges' skills (SA 4). Needs torch.

    x_n      the item's token ids, each plus 1, and 0 behind their end
    h_n      the transformer's last hidden state at the last token
    f(X_n)   (h_n - centre) / spread / sqrt(F), by the mean and deviation over the items before anything is learnt

`encode` gives f(X). `fine_tuned` is a learner in place of `skill_aggregation.linear` that learns the transformer too.
From a fit to f(X) on, Adam goes down the same loss, until groups held out are said no better. There is no dropout.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from scipy.sparse import csr_array
from transformers import AutoModel, AutoTokenizer

from app.analysis.item_contexts import standardised
from app.inference.judges import skill_aggregation
from app.inference.judges.skill_aggregation import Learner, Predict, Training, VotedItems
from app.inference.types import Convergence, Floats, Ints, Outcome

AT_ONCE = 32  # items read together where nothing is learnt
RATE, RATE_OF_HEAD = 5e-5, 5e-3  # of Adam, the second for W, b, z and V
BATCH, EPOCHS, PATIENCE = 16, 10, 2  # items of a step, epochs at the most, and those without a better one
Tensor = Any  # mypy runs without torch


class Transformer(NamedTuple):
    tokenizer: Any
    encoder: Any


class _Trained(NamedTuple):
    """The state of a training."""

    encoder: Any
    centre: Tensor  # (F,)
    spread: Tensor  # (F,), times sqrt(F)
    theta: Tensor  # packed W, b, z and V


def load(model: str) -> Transformer:
    """The transformer of that name on the Hugging Face hub, or in that folder.

    Raises ImportError, OSError or ValueError.
    """
    encoder = AutoModel.from_pretrained(model)
    encoder = encoder.get_encoder() if encoder.config.is_encoder_decoder else encoder
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return Transformer(AutoTokenizer.from_pretrained(model), encoder.float().to(device).eval())


def tokens(items: Sequence[Mapping[str, str]], model: Transformer) -> csr_array:
    """(N, T) x, cut off where the model can read no further. Each field is a line, `field: text`."""
    texts = ["\n".join(f"{field}: {text}" for field, text in item.items()) for item in items]
    longest = min(model.tokenizer.model_max_length, getattr(model.encoder.config, "max_position_embeddings", 2**30))
    ids = model.tokenizer(texts, truncation=True, max_length=longest)["input_ids"]
    ends = np.cumsum([0, *map(len, ids)])
    places = np.arange(ends[-1]) - np.repeat(ends[:-1], np.diff(ends))
    return csr_array((np.concatenate(ids).astype(np.int64) + 1, places, ends))


def encode(
    items: Sequence[Mapping[str, str]], model: Transformer, progress: Callable[[int], None] = lambda _: None
) -> csr_array:
    """(N, F) f(X). `progress` hears how many more items are read."""
    return standardised(_read(partial(_states, model.encoder), tokens(items, model), progress))


def fine_tuned(model: Transformer) -> Learner:
    """A learner for contexts that are `tokens`. Every fit begins with the model as it came."""
    return partial(_fine_tune, model.encoder)


def _fine_tune(
    pretrained: Any, judged: VotedItems, training: Training, rng: np.random.Generator, step: Callable[[int], None]
) -> tuple[Predict, Convergence]:
    some, others = skill_aggregation.split(judged, rng)
    now = _begun(pretrained, some, training, rng)
    adam, best, surprises = _adam(now), deepcopy(now), [_surprise(now, others, training)]
    while len(surprises) <= EPOCHS and _since_best(surprises) < PATIENCE:
        for n, rows in enumerate(_batches(rng.permutation(len(some.y)), BATCH)):
            _descend(now, some.take(rows), training, adam)
            done = len(surprises) - 1 + min(1.0, (n + 1) * BATCH / len(some.y))
            step(round(training.max_iterations * done / EPOCHS))
        surprises.append(_surprise(now, others, training))
        best = best if _since_best(surprises) else deepcopy(now)
    outcome = Outcome.CONVERGED if _since_best(surprises) == PATIENCE else Outcome.MAX_ITERATIONS
    parameters = skill_aggregation.unpack(_numbers(best.theta), _seen(best, others))
    return (
        lambda x: parameters.predict(csr_array(_read(partial(_f, best), x))),
        Convergence(outcome, len(surprises) - 1, np.nan),
    )


def _begun(pretrained: Any, judged: VotedItems, training: Training, rng: np.random.Generator) -> _Trained:
    """The start: the fit to f(X) of the model as it came."""
    h = torch.tensor(_read(partial(_states, pretrained), judged.x))
    spread = h.std(dim=0, correction=0)
    centre, spread = h.mean(dim=0), torch.where(spread > 0.0, spread, 1.0) * h.shape[1] ** 0.5
    now = _Trained(deepcopy(pretrained), centre, spread, torch.empty(0))
    start, _ = skill_aggregation.fit(_seen(now, judged), training, rng, lambda _: None)
    return now._replace(theta=torch.tensor(start.packed, requires_grad=True))


def _adam(now: _Trained) -> Any:
    head = {"params": [now.theta], "lr": RATE_OF_HEAD}
    return torch.optim.Adam([head, {"params": list(now.encoder.parameters())}], RATE)


def _descend(now: _Trained, judged: VotedItems, training: Training, adam: Any) -> None:
    """One step, down the gradient that skill_aggregation.py has."""
    f, theta = _f(now, judged.x), _numbers(now.theta)
    seen = judged._replace(x=csr_array(_numbers(f)))
    f.backward(torch.from_numpy(skill_aggregation.slope_in_context(theta, seen, training)))
    now.theta.grad = torch.from_numpy(skill_aggregation.loss(theta, seen, training)[1])
    adam.step()
    adam.zero_grad()


def _surprise(now: _Trained, judged: VotedItems, training: Training) -> float:
    return skill_aggregation.loss(_numbers(now.theta), _seen(now, judged), training.without_penalty)[0]


def _since_best(surprises: Sequence[float]) -> int:
    return len(surprises) - 1 - int(np.nanargmin(surprises))


def _seen(now: _Trained, judged: VotedItems) -> VotedItems:
    """The items with f(X) as their context."""
    return judged._replace(x=csr_array(_read(partial(_f, now), judged.x)))


def _f(now: _Trained, x: csr_array) -> Tensor:
    """(N, F) f(x)."""
    return (_states(now.encoder, x).cpu() - now.centre) / now.spread


def _states(encoder: Any, x: csr_array) -> Tensor:
    """(N, F) h. Padding is behind a text, on whichever side the tokenizer would put it."""
    ends = np.diff(x.indptr)
    ids = torch.tensor(x[:, : ends.max()].toarray(), device=encoder.device)
    hidden = encoder(input_ids=(ids - 1).clamp(min=0), attention_mask=(ids > 0).long()).last_hidden_state
    return hidden[torch.arange(len(ids)), torch.tensor(ends - 1)].double()


def _read(f: Callable[[csr_array], Tensor], x: csr_array, progress: Callable[[int], None] = lambda _: None) -> Floats:
    """(N, F) f of x; items of like length go together."""
    order, parts = np.argsort(np.diff(x.indptr), kind="stable"), []
    for rows in _batches(order, AT_ONCE):
        with torch.no_grad():
            parts.append(_numbers(f(x[rows])))
        progress(len(rows))
    return np.concatenate(parts)[np.argsort(order)]


def _batches(rows: Ints, size: int) -> Iterator[Ints]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


def _numbers(tensor: Tensor) -> Floats:
    return np.asarray(tensor.detach().cpu())
