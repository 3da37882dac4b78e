"""Pictures of the pages for the docs: docs/images/PAGE-{light,dark}-{phone,desktop}.png.

    python -m venv .venv-browser && .venv-browser/bin/pip install playwright
    .venv-browser/bin/python docs/screenshots.py --nextpair .venv/bin/nextpair

starts a service with a private database and a set that several judges have judged, and visits each page with Chromium:
the one that NEXTPAIR_CHROMIUM names, or that is on the PATH, or Playwright's own. It imports nothing of nextpair, so
Playwright can live in an environment of its own.
"""

import argparse
import csv
import json
import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations, permutations, product
from math import exp
from pathlib import Path
from typing import Any, Literal, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "home": "/",
    "project": "/projects/sky",
    "new": "/sets/new",
    "results": "/sets/{id}",
    "checks": "/sets/{id}?panel=checks",
    "compare": "/sets/{id}/compare?a=kelp&b=thistle",
    "matrix": "/sets/{id}/compare",
    "items": "/sets/{id}/items",
    "judges": "/sets/{id}/judges",
    "judge": "/sets/{id}/judges/large-model",
    "activity": "/sets/{id}/activity",
    "settings": "/sets/{id}/settings",
    "annotate": "/sets/{id}/annotate",
    "report": "/sets/{id}/report",
}
ON_A_PHONE = ("home", "results", "annotate")
DEVICES: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "has_touch": True},
}
SETTLING = 4000  # milliseconds for what a page draws after it has loaded; its event stream never ends
PATIENCE = 60.0  # seconds for a service to start

Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
Send = Callable[..., Any]
Verdict = dict[str, Any]


class Judge(NamedTuple):
    """A judge whose verdicts follow the known quality by `sharpness`, with a position bias in logits."""

    name: str
    kind: str
    sharpness: float
    bias: float
    comparisons: int

    def verdict(self, difference: float, draw: random.Random) -> Verdict:
        logit = self.sharpness * difference + self.bias + draw.gauss(0, 0.5)
        if self.kind == "llm":
            return {"p_first": round(1 / (1 + exp(-logit)), 3)}
        return {"winner": "tie" if abs(logit) < 0.25 else "first" if logit > 0 else "second"}


JUDGES = [
    Judge("large-model", "llm", 0.8, 0.1, 120),
    Judge("small-model", "llm", 0.4, 0.9, 120),
    Judge("ada", "human", 0.9, 0.0, 60),
    Judge("bob", "human", 0.6, 0.2, 45),
]


def main() -> None:
    parser = argparse.ArgumentParser(description="Pictures of the pages for the docs.")
    parser.add_argument("--nextpair", default=shutil.which("nextpair") or str(ROOT / ".venv/bin/nextpair"))
    parser.add_argument("--output", type=Path, default=ROOT / "docs/images")
    chosen = parser.parse_args()
    chosen.output.mkdir(parents=True, exist_ok=True)
    with service(chosen.nextpair) as url, chromium() as browser:
        set_id = fill(sender(url))
        for scheme, device in product(SCHEMES, DEVICES):
            take(browser, url, set_id, scheme, device, chosen.output)


@contextmanager
def service(nextpair: str) -> Iterator[str]:
    """Yield the address of a service whose data is gone afterwards."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environment = {name: value for name, value in os.environ.items() if not name.endswith(("DATABASE_URL", "API_KEY"))}
    with tempfile.TemporaryDirectory(prefix="nextpair-") as folder:
        command = [nextpair, "serve", "--port", str(port), "--data-dir", folder]
        process = subprocess.Popen(command, env=environment, cwd=ROOT, stderr=subprocess.DEVNULL)
        try:
            wait_until_ready(url, process)
            yield url
        finally:
            process.terminate()
            process.wait()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def wait_until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        try:
            urllib.request.urlopen(f"{url}/readyz").close()
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit("nextpair did not start; `nextpair serve` says why")


@contextmanager
def chromium() -> Iterator[Browser]:
    named = os.environ.get("NEXTPAIR_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=named, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


def sender(url: str) -> Send:
    def send(method: str, path: str, body: object) -> Any:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(url + path, json.dumps(body).encode(), headers, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    return send


def fill(send: Send) -> str:
    """A set that several judges have judged, beside two smaller ones; the id of the first."""
    answers = [json.loads(line) for line in (ROOT / "app/demo/answers.jsonl").read_text().splitlines()]
    candidates = [{"key": answer["key"], "text": answer["text"]} for answer in answers]
    new = {
        "name": "Why is the sky blue?",
        "project": "sky",
        "question": "Which answer explains it better to a ten-year-old?",
    }
    method = {"position_bias": "estimate", "selection": {"random_share": 0.2}, "stop": {"concordance": 0.99}}
    set_id: str = send("POST", "/v1/sets", {**new, **method, "candidates": candidates})["id"]
    for judge in JUDGES:
        send("PUT", f"/v1/judges/{judge.name}", {"kind": judge.kind})
    judge_known_pairs(send, set_id, random.Random(1))
    judge_chosen_pairs(send, set_id, random.Random(2))
    for name, count in (("Short answers", 8), ("Drafts", 6)):
        few: dict[str, Any] = {"name": name, "question": "Which is clearer?", "candidates": candidates[:count]}
        few["project"] = "sky"
        judge_few(
            send, send("POST", "/v1/sets", few)["id"], [each["key"] for each in few["candidates"]], random.Random(3)
        )
    return set_id


def quality() -> dict[str, float]:
    with (ROOT / "app/demo/ratings.csv").open(newline="") as rows:
        return {row["key"]: float(row["overall"]) for row in csv.DictReader(rows)}


def judge_known_pairs(send: Send, set_id: str, draw: random.Random) -> None:
    """Pairs that the judges have in common, some of them in both orders, so that judges can be compared."""
    good = quality()
    common = draw.sample(list(permutations(good, 2)), 60)
    for judge in JUDGES:
        pairs = draw.sample(common, judge.comparisons // 3)
        pairs += [(second, first) for first, second in pairs[:8]]
        comparisons = [
            {"first": first, "second": second, "judge": judge.name, **judge.verdict(good[first] - good[second], draw)}
            for first, second in pairs
        ]
        send("POST", f"/v1/sets/{set_id}/comparisons", {"comparisons": comparisons})


def judge_few(send: Send, set_id: str, keys: list[str], draw: random.Random) -> None:
    """Every pair of a few candidates, once."""
    good, judge = quality(), JUDGES[0]
    comparisons = [
        {"first": first, "second": second, "judge": judge.name, **judge.verdict(good[first] - good[second], draw)}
        for first, second in combinations(keys, 2)
    ]
    send("POST", f"/v1/sets/{set_id}/comparisons", {"comparisons": comparisons})


def judge_chosen_pairs(send: Send, set_id: str, draw: random.Random) -> None:
    good = quality()
    turns = [judge for judge in JUDGES for _ in range(judge.comparisons // 3)]
    for judge in draw.sample(turns, len(turns)):
        for pair in send("POST", f"/v1/sets/{set_id}/next-pair", {"judge": judge.name})["assignments"]:
            difference = good[pair["first"]["key"]] - good[pair["second"]["key"]]
            send("POST", f"/v1/assignments/{pair['id']}/verdict", judge.verdict(difference, draw))


def take(browser: Browser, url: str, set_id: str, scheme: Scheme, device: str, folder: Path) -> None:
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce", **DEVICES[device])
    context.add_init_script("localStorage.setItem('nextpair.judge', 'ada')")  # the judging page asks for a name once
    page = context.new_page()
    for name, path in PAGES.items():
        if not is_shown(name, scheme, device):
            continue
        picture(page, url + path.format(id=set_id), folder / f"{name}-{scheme}-{device}.png")
    context.close()


def is_shown(name: str, scheme: Scheme, device: str) -> bool:
    """Whether the docs show it: every page light on a desktop, and some on a phone in both schemes."""
    return scheme == "light" if device == "desktop" else name in ON_A_PHONE


def picture(page: Page, address: str, file: Path) -> None:
    answer = page.goto(address)
    if answer is None or not answer.ok:
        print(f"skipped {file.name}: the page answers {answer and answer.status}")
        return
    page.wait_for_timeout(SETTLING)
    page.screenshot(path=file)
    print(f"wrote {file.name}")


if __name__ == "__main__":
    main()
