"""Pauses while an engine is unavailable: longer each time, and at least as long as it asks."""

import time
from collections.abc import Sequence

from judge_worker.engine import Away, Outcome
from judge_worker.progress import event

FIRST, LONGEST = 1.0, 60.0  # seconds, doubled from time to time
LONGEST_WAIT = 600.0  # seconds, the longest that an engine is waited for on its word


class Outage:
    """The time until which the engine is not asked."""

    def __init__(self) -> None:
        self._times, self._until = 0, 0.0

    @property
    def left(self) -> float:
        """Seconds until the engine may be asked again."""
        return max(self._until - time.monotonic(), 0.0)

    def note(self, outcomes: Sequence[Outcome | Away]) -> None:
        """Report it, and begin to wait, if one of them is Away; of batches read at a time the first one counts."""
        away = [outcome for outcome in outcomes if isinstance(outcome, Away)]
        if len(away) < len(outcomes):
            self._times = 0
        if not away:
            return
        retry_after = min(max(each.retry_after for each in away), LONGEST_WAIT)
        if self.left and self.left >= retry_after:
            return
        pause = max(retry_after, min(FIRST * 2.0 ** min(self._times, 10), LONGEST))
        self._times, self._until = self._times + 1, time.monotonic() + pause
        event("the engine is unavailable", reason=away[0].reason, trying_again_in=round(pause, 1))
