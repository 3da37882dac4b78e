"""A connection before the service has a request: how many there may be, and how long and large headers may be.

uvicorn itself bounds only the number, answering in plain text; with httptools headers may be endless.
"""

from asyncio import TimerHandle, Transport
from http import HTTPStatus

from nextpair.schemas import Problem
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.api.problems import response_of
from app.service.errors import Busy

MOST = 900  # fewer than the 1,024 files that a process may usually have open
HEADER_SECONDS = 15.0
HEADER_BYTES = 64 * 2**10  # and what comes with them in one piece

TOO_MANY = response_of(Busy(f"This process has {MOST} connections already. Try again, and close those not needed."))
TOO_MANY.headers["Connection"] = "close"


class Connection(HttpToolsProtocol):
    """uvicorn's, with bounds; what is no request is answered with a problem, as everything else."""

    _due: TimerHandle | None = None  # when the headers have to be there, while they are awaited
    _header_bytes = 0
    _in_body = False

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        if len(self.connections) > MOST:
            self.app = TOO_MANY
        self._await_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._in_body:
            self._await_headers()
        super().data_received(data)
        if self._due is not None:
            self._header_bytes += len(data)
            if self._header_bytes > HEADER_BYTES and not self.transport.is_closing():
                self._refuse(
                    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"Send {HEADER_BYTES:,} bytes of them at most."
                )

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        self._in_body = True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_body = False
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(HTTPStatus.BAD_REQUEST, f"{msg} Send HTTP/1.1; the contract is at /docs.")

    def _await_headers(self) -> None:
        if self._due is None:
            self._header_bytes, self._due = 0, self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _refuse(self, status: HTTPStatus, detail: str) -> None:
        problem = Problem(type="about:blank", title=status.phrase, status=status, detail=detail)
        body = problem.model_dump_json(exclude_none=True).encode()
        always = b"".join(b"%b: %b\r\n" % header for header in self.server_state.default_headers)
        head = (
            f"HTTP/1.1 {status} {status.phrase}\r\ncontent-type: application/problem+json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n"
        )
        self.transport.write(head.encode() + always + b"\r\n" + body)
        self.transport.close()
