"""Just enough of PostgreSQL's wire protocol to ask a local server one question.

The private server trusts whoever reaches its socket, so there is no password to handle, and only the
outcome is read. This spares us pg_isready and psql, which some builds of PostgreSQL leave out.
"""

import socket
import struct
from io import BufferedRWPair
from pathlib import Path

READY = "00000"
NOT_YET = "57P03"  # replaying its log, or shutting down
NO_DATABASE = "3D000"
SILENT = ""

PROTOCOL_3_0 = 3 << 16


def ask(address: Path, database: str, sql: str = "", timeout: float = 10.0) -> str:
    """Connect to `database`, run `sql` if there is any, and return the SQLSTATE.

    READY means that all went well, SILENT that nobody answered on the socket `address`.
    """
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(timeout)
            connection.connect(str(address))
            with connection.makefile("rwb") as stream:
                return _converse(stream, database, sql)
    except OSError:
        return SILENT


def _converse(stream: BufferedRWPair, database: str, sql: str) -> str:
    greeting = struct.pack("!I", PROTOCOL_3_0) + f"user\0postgres\0database\0{database}\0\0".encode()
    outcome = _send(stream, b"", greeting)
    if sql and outcome == READY:
        outcome = _send(stream, b"Q", f"{sql}\0".encode())
    return outcome


def _send(stream: BufferedRWPair, kind: bytes, body: bytes) -> str:
    stream.write(kind + struct.pack("!I", len(body) + 4) + body)
    stream.flush()
    return _outcome(stream)


def _outcome(stream: BufferedRWPair) -> str:
    """Read messages up to "ready for query" or an error."""
    while kind := stream.read(1):
        (length,) = struct.unpack("!I", stream.read(4))
        body = stream.read(length - 4)
        if kind == b"Z":
            return READY
        if kind == b"E":
            return next(field[1:].decode() for field in body.split(b"\0") if field[:1] == b"C")
    return SILENT
