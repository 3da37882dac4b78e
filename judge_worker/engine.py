"""The seam between the worker and whatever reads label probabilities.

An engine prepares prompts (off the critical path, while another batch is being read) and reads batches of them. An
outcome is yielded when it is there, so that no prompt waits for another one's. What goes wrong with one prompt is the
outcome of that prompt alone. What goes wrong with the engine is Away where it passes by itself, and raises EngineDown
where a person has to mend it.
"""

from collections.abc import Iterator, Sequence
from math import exp
from typing import Any, Literal, NamedTuple, Protocol

from judge_worker.prompts import Prompt


class EngineDown(Exception):
    """The engine cannot judge anything; the message says why."""

    exit_code = 1


class BadLabels(Exception):
    """The tokenizer cannot spell the labels after the prefix; the message says what to write instead."""

    exit_code = 2


class LabelReading(NamedTuple):
    """Natural log-probabilities of the labels, in the prompt's order."""

    logprobs: tuple[float, ...]
    tokens: int  # of the prompt; 0 where the engine does not tell
    bounded: bool = False  # a label was not among those returned: its log-probability is an upper bound

    @property
    def label_mass(self) -> float:
        return min(sum(map(exp, self.logprobs)), 1.0)


class Unread(NamedTuple):
    """The reason why there is no reading."""

    failure: Literal["skipped", "refused", "parse_error", "timeout"]
    reason: str


Outcome = LabelReading | Unread


class Away(NamedTuple):
    """The engine, and not the prompt, is why there is no outcome: nothing is recorded, and it is asked again later."""

    reason: str
    retry_after: float = 0.0  # seconds, as the engine asks


Arrival = tuple[int, Outcome | Away]  # the number of a prompt in its batch, and its outcome


class Engine(Protocol):
    """A model behind `prepare` and `read`."""

    model: str
    batches: int  # how many `read` may be called for at a time, each in a thread of its own

    def prepare(self, prompt: Prompt) -> Any:
        """A prepared prompt as `read` takes it, or Unread. Raises BadLabels. Safe beside `read` in another thread."""

    def read(self, prepared: Sequence[Any]) -> Iterator[Arrival]:
        """Yield one outcome for each prompt, as they come. Raises EngineDown, after all that were answered."""

    def close(self) -> None: ...
