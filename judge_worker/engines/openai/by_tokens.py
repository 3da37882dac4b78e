"""Reading by token ids, from vLLM's own server: exact."""

from collections.abc import Sequence
from typing import Any

from judge_worker.engine import Away, Outcome, Unread
from judge_worker.engines.openai.server import Body, OpenAIServer
from judge_worker.prompts import Prompt
from judge_worker.tokens import Encoded, PromptEncoder, TokenQuestion, read_answers, too_long

COMPLETIONS = "/completions"


class ByTokens:
    """vLLM's server: token ids to it, log-probabilities of the wanted ids back."""

    def __init__(self, model: str, server: OpenAIServer, tokenizer: Any, max_model_len: int) -> None:
        self.model, self._server, self._longest = model, server, max_model_len - 1
        self._encoder = PromptEncoder(tokenizer)

    def prepare(self, prompt: Prompt) -> Encoded | Unread:
        encoded = self._encoder.encode(prompt)
        return too_long(max(len(question.ids) for question in encoded.questions), self._longest) or encoded

    def read(self, prepared: Sequence[Encoded]) -> list[Outcome | Away]:
        questions = [question for encoded in prepared for question in encoded.questions]
        return read_answers(prepared, self._server.ask_all(COMPLETIONS, [self._body(q) for q in questions], _by_id))

    def close(self) -> None:
        self._server.close()

    def _body(self, question: TokenQuestion) -> Body:
        return {
            "model": self.model, "prompt": list(question.ids), "max_tokens": 1, "temperature": 0.0, "logprobs": 1,
            "logprob_token_ids": list(question.wanted), "return_tokens_as_token_ids": True,
        }  # fmt: skip


def _by_id(body: Body, answer: Any) -> dict[int, float]:
    top = answer["choices"][0]["logprobs"]["top_logprobs"][0]
    return {token: float(top[f"token_id:{token}"]) for token in body["logprob_token_ids"]}
