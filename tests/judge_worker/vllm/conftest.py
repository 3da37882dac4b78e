"""A judge trained here, one vLLM in this process (there can be only one) and one behind vLLM's own server."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

ON_A_CPU = {
    "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", "VLLM_HOST_IP": "127.0.0.1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind", "VLLM_ENABLE_V1_MULTIPROCESSING": "0", "VLLM_LOGGING_LEVEL": "ERROR",
}  # fmt: skip
os.environ.update(ON_A_CPU)

from judge_worker.engine import Engine  # noqa: E402  vLLM reads its variables when it is imported
from judge_worker.engines import open_engine  # noqa: E402
from judge_worker.settings import load  # noqa: E402
from tests.judge_worker.vllm.server import free_port  # noqa: E402

LONGEST = 512  # tokens
OPTIONS: dict[str, Any] = {"enforce_eager": True, "kv_cache_memory_bytes": 64 * 2**20}
PATIENCE = 240.0  # seconds


@pytest.fixture(scope="session")
def judge() -> str:
    """The folder of the judge that `make test-vllm` trained."""
    folder = Path(os.environ["NEXTPAIR_TINY_JUDGE"])
    assert (folder / "model.safetensors").exists(), "train it: python -m examples.tiny_judge FOLDER"
    return str(folder)


@pytest.fixture(scope="session")
def vllm(judge: str) -> Iterator[Engine]:
    engine = _engine({"model": judge, "dtype": "float32", "max_model_len": LONGEST, "vllm_options": OPTIONS})
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def served(judge: str) -> Iterator[str]:
    """vLLM's server with that judge, as a process; its address."""
    port = free_port()
    command = [
        sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", judge, "--enforce-eager",
        "--dtype", "float32", "--max-model-len", str(LONGEST), "--host", "127.0.0.1", "--port", str(port),
        "--kv-cache-memory-bytes", str(64 * 2**20), "--uvicorn-log-level", "warning",
    ]  # fmt: skip
    process = subprocess.Popen(command)
    url, deadline = f"http://127.0.0.1:{port}", time.monotonic() + PATIENCE
    while not _answers(url):
        assert process.poll() is None, "vLLM's server ended"
        assert time.monotonic() < deadline, "vLLM's server does not answer"
        time.sleep(0.5)
    yield url
    process.terminate()
    process.wait(60.0)


@pytest.fixture(scope="session")
def openai(judge: str, served: str) -> Iterator[Engine]:
    settings = {"model": judge, "engine": "openai", "base_url": served, "tokenizer": judge, "concurrency": 8}
    engine = _engine(settings)
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def openai_by_text(judge: str, served: str) -> Iterator[Engine]:
    engine = _engine({"model": judge, "engine": "openai", "base_url": served, "concurrency": 8})
    yield engine
    engine.close()


def _engine(settings: dict[str, Any]) -> Engine:
    return open_engine(load(settings, None, {}))


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", timeout=5.0).is_success
    except httpx.TransportError:
        return False
