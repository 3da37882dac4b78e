"""vLLM in this process, on GPUs or a CPU.

Log-probabilities of the labels are asked for by token id (`logprob_token_ids`, vLLM 0.32 and newer): the top 20 need
not hold them, and masks and temperatures would change them. They are those before any sampling setting.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from pydantic import Field

from judge_worker.engine import Arrival, Engine, EngineDown, Unread
from judge_worker.prompts import Prompt
from judge_worker.settings import EngineSettings, JsonObject
from judge_worker.tokens import Encoded, PromptEncoder, read_answers, too_long


class Settings(EngineSettings):
    """Options of vllm.LLM, by its own names."""

    name: ClassVar[str] = "vllm"

    tensor_parallel_size: int | None = Field(default=None, ge=1, description="GPUs that share each layer.")
    pipeline_parallel_size: int | None = Field(
        default=None, ge=1, description="groups of GPUs that each hold some layers."
    )
    dtype: str | None = Field(default=None, description="number format: bfloat16, float16, float32 or auto.")
    max_model_len: int | None = Field(default=None, ge=1, description="longest prompt in tokens.")
    quantization: str | None = Field(default=None, description="quantization method, such as fp8 or awq.")
    distributed_executor_backend: str | None = Field(default=None, description="how several GPUs run: mp or ray.")
    vllm_options: JsonObject = Field(
        default_factory=dict, description='other options of vLLM, such as {"gpu_memory_utilization": 0.8}.'
    )

    @property
    def gpus(self) -> int:
        return (self.tensor_parallel_size or 1) * (self.pipeline_parallel_size or 1)


def open_engine(model: str, settings: Settings) -> Engine:
    """Raises EngineDown."""
    return VLLM(model, settings)


class VLLM:
    """A model that this process holds."""

    batches = 1

    def __init__(self, model: str, settings: Settings) -> None:
        """Raises EngineDown."""
        self.model = model
        self._llm = _load(model, settings)
        self._encoder = PromptEncoder(self._llm.get_tokenizer())
        self._longest = int(self._llm.model_config.max_model_len) - 1  # one token is generated

    def prepare(self, prompt: Prompt) -> Encoded | Unread:
        encoded = self._encoder.encode(prompt)
        longest = max(len(question.ids) for question in encoded.questions)
        return too_long(longest, self._longest) or encoded

    def read(self, prepared: Sequence[Encoded]) -> Iterator[Arrival]:
        questions = [question for encoded in prepared for question in encoded.questions]
        try:
            answers = self._ask([list(q.ids) for q in questions], [list(q.wanted) for q in questions])
        except Exception as error:
            raise EngineDown(f"vLLM: {type(error).__name__}: {error}") from error
        yield from enumerate(read_answers(prepared, answers))

    def close(self) -> None:
        del self._llm

    def _ask(self, prompts: list[list[int]], wanted: list[list[int]]) -> list[dict[int, float]]:
        from vllm import SamplingParams

        sampling = [
            SamplingParams(max_tokens=1, temperature=0.0, logprob_token_ids=ids, detokenize=False) for ids in wanted
        ]
        outputs = self._llm.generate([{"prompt_token_ids": ids} for ids in prompts], sampling, use_tqdm=False)
        return [
            {token: float(output.outputs[0].logprobs[0][token].logprob) for token in ids}
            for output, ids in zip(outputs, wanted, strict=True)
        ]


def _load(model: str, settings: Settings) -> Any:
    try:
        from vllm import LLM
    except ImportError as error:
        raise EngineDown(
            f"vLLM cannot be imported ({error}). Run `pip install 'nextpair-server[vllm]'` in an "
            "environment of its own, or use an API: `--engine openai --base-url URL`."
        ) from error
    named = settings.model_dump(exclude={"vllm_options"}, exclude_none=True)
    try:
        return LLM(model=model, **named, **settings.vllm_options)
    except Exception as error:
        raise EngineDown(f"vLLM cannot load {model!r}: {type(error).__name__}: {error}") from error
