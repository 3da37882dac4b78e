"""The blocks of the page on API judges that need a key run against a local server that speaks the same protocol."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx

from tests.docs.blocks import ROOT, Block, blocks
from tests.docs.scratch import Scratch, service
from tests.judge_worker.fake_server import Server

PAGE = "docs/how-to/api-judges.md"
API, KEY = "https://api.openai.com", "sk-0123456789"
VARIES = re.compile(r"(?<=judged      60 in ).*|(?<=tokens      ).*|(?<=engine      ).*")


async def test_the_blocks_that_need_a_key_do_what_the_page_says(database_url: str, tmp_path: Path) -> None:
    listed = [block for block in blocks((ROOT / PAGE).read_text()) if block.language in ("bash", "console", "python")]
    command, *others = listed
    with local_api() as address:
        async with service(database_url) as server:
            scratch = Scratch(tmp_path, server)
            try:
                made = [
                    await scratch.faults(_local(block, address), PAGE) for block in [others[0], command, *others[1:]]
                ]
            finally:
                await scratch.close()
    assert sum(block.reason != "" for block in listed) == 2
    assert [fault for faults in made for fault in faults] == []


def _local(block: Block, address: str) -> Block:
    """The block with the local server's address and a key, and without figures of one run."""
    code = block.code.replace(API, address).replace("sk-...", KEY).replace("--set ID", "--set $SET")
    code = code.replace("os.environ['OPENAI_API_KEY']", f"'{KEY}'")
    return block._replace(code=VARIES.sub("...", code))


@contextmanager
def local_api() -> Iterator[str]:
    """Serve the fake API on a port of its own, for as long as the block lasts."""
    api = Server(wants={"Authorization": f"Bearer {KEY}"})

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            answer = api(httpx.Request(self.command, f"{API}{self.path}", headers=dict(self.headers), content=body))
            self.send_response(answer.status_code)
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *arguments: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
