"""The whole way: a service, a worker with real vLLM, and a ranking that agrees with what was planted."""

import random
import subprocess
import sys
from pathlib import Path

from nextpair import Client
from nextpair.calls import create_set, list_comparisons, ranking
from nextpair.schemas import Budget, CandidateIn, SetIn

from examples.tiny_judge import LENGTH, QUESTION, quality, text
from tests.judge_worker.vllm.conftest import LONGEST
from tests.judge_worker.vllm.server import service

TEXTS = 40
PAIRS = TEXTS * (TEXTS - 1) // 2
SHARE = 0.15  # of the pairs
TARGET = 0.95


def test_planted_quality_is_found_with_a_few_pairs(judge: str, tmp_path: Path) -> None:
    rng = random.Random(1)
    texts = [text(round(n * LENGTH / (TEXTS - 1)), rng) for n in range(TEXTS)]
    rng.shuffle(texts)
    with service(tmp_path / "data") as url, Client(url) as client:
        candidates = [CandidateIn(key=f"t{n:02}", text=each) for n, each in enumerate(texts)]
        budget = Budget(max_comparisons=int(SHARE * PAIRS))
        new = SetIn(name="planted", question=QUESTION, candidates=candidates, prior_variance=10.0, budget=budget)
        made = client.send(create_set(new))

        done = subprocess.run(
            [
                str(Path(sys.executable).parent / "nextpair"), "worker", "--server", url, "--model", judge,
                "--judge", "tiny", "--batch", "8", "--until-done", "--dtype", "float32",
                "--max-model-len", str(LONGEST),
                "--vllm-options", '{"enforce_eager": true, "kv_cache_memory_bytes": 67108864}',
            ],
            capture_output=True, text=True, check=False, timeout=300.0,
        )  # fmt: skip

        assert done.returncode == 0, done.stderr
        log = client.send(list_comparisons(made.id, limit=1000)).comparisons
        rows = client.send(ranking(made.id)).ranking
    assert len(log) == int(SHARE * PAIRS)
    assert all(entry.judge == "tiny" and (entry.label_mass or 0.0) > 0.5 for entry in log)
    agreement = spearman([row.score for row in rows], [quality(texts[int(row.key[1:])]) for row in rows])
    print(f"{len(log)} of {PAIRS} pairs, Spearman {agreement:.4f}")
    assert agreement >= TARGET


def spearman(a: list[float], b: list[int]) -> float:
    """Pearson's correlation of ranks, ties sharing the mean rank."""
    ranks_a, ranks_b = _ranks(a), _ranks(b)
    mean = (len(a) + 1) / 2.0
    covariance = sum((x - mean) * (y - mean) for x, y in zip(ranks_a, ranks_b, strict=True))
    spread = sum((x - mean) ** 2 for x in ranks_a) * sum((y - mean) ** 2 for y in ranks_b)
    return float(covariance / spread**0.5)


def _ranks(values: list[float] | list[int]) -> list[float]:
    return [1.0 + sum(y < x for y in values) + 0.5 * (sum(y == x for y in values) - 1) for x in values]
