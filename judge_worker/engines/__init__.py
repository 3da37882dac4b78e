"""Engines read label probabilities: vLLM in this process, a server that speaks OpenAI's protocol, or a script."""

from judge_worker.engine import Engine
from judge_worker.settings import WorkerSettings


def open_engine(settings: WorkerSettings) -> Engine:
    """Import only what the chosen engine needs. Raises EngineDown."""
    if settings.engine == "vllm":
        from judge_worker.engines.vllm import VLLM

        return VLLM(settings)
    if settings.engine == "openai":
        from judge_worker.engines.openai import open_server

        return open_server(settings)
    from judge_worker.engines.scripted import Scripted

    return Scripted(settings.model, settings.rate)
