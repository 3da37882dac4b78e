"""Answers that go on: exports, and server-sent events."""

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

import httpx

from nextpair.calls.description import Call, Id, nothing, path_of
from nextpair.sending.messages import outside_contract
from nextpair.words import ExportFormat

RECONNECT = 1.0  # seconds before an event stream is opened again, unless the server says otherwise


def export(set_id: Id, form: ExportFormat) -> Call[None]:
    return Call("GET", path_of("sets", set_id, "comparisons"), nothing, params={"format": form})


def watch(set_id: Id, last_id: str) -> Call[None]:
    resume = {"Last-Event-ID": last_id} if last_id else {}
    headers = {"Accept": "text/event-stream", **resume}
    return Call("GET", path_of("sets", set_id, "events"), nothing, headers=headers)


class Event(NamedTuple):
    """Something that happened in a set; read them with `set.events()`.

    For example:

        happened = next(sky.events(after=0))
        print(happened.event, happened.id, happened.data)
    """

    event: str  # "comparison", "ranking" or "status"
    id: str  # pass as `after` to go on from here
    data: str  # JSON


class EventReader:
    """The bytes of one connection to events (WHATWG HTML, 9.2.6). `last_id` and `pause` outlive it."""

    # Not str.splitlines: it also breaks at U+2028, which JSON may hold. A last CR may be half of a CRLF.
    _LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")

    def __init__(self, last_id: str, pause: float = RECONNECT) -> None:
        self.last_id, self.pause = last_id, pause
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self._rest = ""
        self._fields: list[tuple[str, str]] = []

    def again(self) -> "EventReader":
        return EventReader(self.last_id, self.pause)

    def feed(self, chunk: bytes) -> Iterator[Event]:
        *lines, self._rest = self._LINE_END.split(self._rest + self._decode(chunk))
        for line in lines:
            if line:
                name, _, value = line.partition(":")  # a comment has an empty name
                self._fields.append((name, value.removeprefix(" ")))
            else:
                yield from self._dispatch()

    def _dispatch(self) -> Iterator[Event]:
        fields, self._fields = self._fields, []
        last, lines = dict(fields), [value for name, value in fields if name == "data"]
        self.last_id = last.get("id", self.last_id)
        if last.get("retry", "").isdecimal():
            self.pause = float(last["retry"]) / 1000.0
        if lines:
            yield Event(last.get("event") or "message", self.last_id, "\n".join(lines))


def is_over(response: httpx.Response) -> bool:
    """True where the server ends the stream for good (204). Raises ApiError when it is no event stream."""
    kind = response.headers.get("Content-Type", "")
    if response.status_code != 204 and not kind.startswith("text/event-stream"):
        raise outside_contract(response, f"{kind or 'no content type'} instead of text/event-stream")
    return response.status_code == 204
