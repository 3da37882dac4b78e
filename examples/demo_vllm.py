"""A set of texts, a service and a worker with a real vLLM, in one go: `make demo-vllm`.

The judge was trained here a minute ago (tiny_judge.py), the texts have planted quality, and the ranking grows at the
address that is printed, with at most 15% of all pairs judged.
"""

import random
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path

from nextpair import Budget, Client
from nextpair.calls import ready

from examples.tiny_judge import LENGTH, QUESTION, quality, text

TEXTS, SHARE = 40, 0.15
ON_A_CPU = '{"enforce_eager": true, "kv_cache_memory_bytes": 67108864}'


def main() -> None:
    parser = ArgumentParser(prog="python -m examples.demo_vllm", description=__doc__)
    parser.add_argument("--service", required=True, help="the nextpair command that has everything a service needs")
    parser.add_argument("--judge", required=True, help="folder of the judge")
    parser.add_argument("--port", type=int, default=8000)
    chosen = parser.parse_args()
    url = f"http://127.0.0.1:{chosen.port}"
    with tempfile.TemporaryDirectory() as folder:
        service = subprocess.Popen([chosen.service, "serve", "--port", str(chosen.port), "--data-dir", folder])
        try:
            with Client(url, retries=10) as client:
                client.send(ready())
                judge_and_show(client, url, chosen.judge)
        finally:
            service.terminate()
            service.wait()


def judge_and_show(client: Client, url: str, judge: str) -> None:
    rng = random.Random(int(time.time()))
    texts = {f"text-{n:02}": text(rng.randint(0, LENGTH), rng) for n in range(TEXTS)}
    budget = Budget(max_comparisons=int(SHARE * TEXTS * (TEXTS - 1) / 2))
    created = client.sets.create(name="vLLM", question=QUESTION, prior_variance=10.0, budget=budget)
    created.add_candidates(texts)
    print(f"Watch it at {url}/sets/{created.id}")
    worker = [str(Path(sys.executable).parent / "nextpair"), "worker", "--server", url, "--model", judge]
    options = ["--dtype", "float32", "--max-model-len", "512", "--vllm-options", ON_A_CPU]
    subprocess.run([*worker, "--batch", "8", "--until-done", *options], check=True)
    print(f"\n{'rank':>4}  {'score':>6}  good words  text")
    for row in created.ranking().ranking:
        print(f"{row.rank:>4}  {row.score:>+6.2f}  {quality(texts[row.key]):>10}  {texts[row.key]}")


if __name__ == "__main__":
    main()
