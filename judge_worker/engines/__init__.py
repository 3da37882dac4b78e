"""Engines read label probabilities: vLLM in this process, a server that speaks OpenAI's protocol, or a script.

Each is a module with its `Settings` and `open_engine`, which imports what only this engine needs.
"""

from importlib import import_module

from judge_worker.engine import Engine
from judge_worker.settings import WorkerSettings


def open_engine(settings: WorkerSettings) -> Engine:
    """Raises EngineDown."""
    module = import_module(f"{__name__}.{settings.engine.name}")
    engine: Engine = module.open_engine(settings.model, settings.engine)
    return engine
