"""Reading by token ids, from vLLM's own server: exact."""

from collections.abc import Iterator, Sequence
from typing import Any

from judge_worker.engine import Arrival, Unread
from judge_worker.engines.openai.addresses import COMPLETIONS
from judge_worker.engines.openai.server import BATCHES, OpenAIServer, Question
from judge_worker.prompts import Prompt
from judge_worker.tokens import Encoded, PromptEncoder, TokenQuestion, reading, too_long


class ByTokens:
    """vLLM's server: token ids to it, log-probabilities of the wanted ids back."""

    batches = BATCHES

    def __init__(self, model: str, server: OpenAIServer, tokenizer: Any, max_model_len: int) -> None:
        self.model, self._server, self._longest = model, server, max_model_len - 1
        self._encoder = PromptEncoder(tokenizer)

    def prepare(self, prompt: Prompt) -> Encoded | Unread:
        encoded = self._encoder.encode(prompt)
        return too_long(max(len(question.ids) for question in encoded.questions), self._longest) or encoded

    def read(self, prepared: Sequence[Encoded]) -> Iterator[Arrival]:
        prompts = [[self._question(each) for each in encoded.questions] for encoded in prepared]
        for n, answers in self._server.ask_all(COMPLETIONS, prompts):
            yield n, reading(prepared[n], answers) if isinstance(answers, list) else answers

    def close(self) -> None:
        self._server.close()

    def _question(self, asked: TokenQuestion) -> Question[dict[int, float]]:
        return Question(
            {
                "model": self.model, "prompt": list(asked.ids), "max_tokens": 1, "temperature": 0.0, "logprobs": 1,
                "logprob_token_ids": list(asked.wanted), "return_tokens_as_token_ids": True,
            },
            lambda answer: _by_id(answer, asked.wanted),
        )  # fmt: skip


def _by_id(answer: Any, wanted: Sequence[int]) -> dict[int, float]:
    top = answer["choices"][0]["logprobs"]["top_logprobs"][0]
    return {token: float(top[f"token_id:{token}"]) for token in wanted}
