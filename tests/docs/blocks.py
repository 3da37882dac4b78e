"""The fenced blocks of a page: which run, what they are said to print, and which are only parsed."""

import json
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypedDict

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    "README.md",
    "client/README.md",
    "docs/tutorial.md",
    "docs/index.md",
    "docs/how-to/*.md",
    "docs/explanation/*.md",
)
RUN, PARSED = ("bash", "console", "python"), ("json", "yaml", "toml", "nginx")
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<code>.*?)^ *```[ \t]*$", re.DOTALL | re.MULTILINE)
NOT_RUN = re.compile(r"<!-- not run: ((?:(?!-->).)+?) -->\s*\Z", re.DOTALL)
PROMPT = re.compile(r"^\$ ", re.MULTILINE)
CONTINUED = re.compile(r"(?:.*\\\n)*.*(?:\n|\Z)")
DRAWN = re.compile("[─━├┤●│┼]+")  # rulers and pictures, which are as wide as the terminal


class Block(NamedTuple):
    line: int
    language: str
    code: str
    reason: str  # for which it is not run; empty where it is
    output: str | None  # in a block of text that follows


class Counts(TypedDict):
    """What was done with the blocks of one page."""

    run: int
    parsed: int
    left: list[tuple[str, str]]  # places and reasons


class Command(NamedTuple):
    code: str
    output: str | None  # None where the page shows none


def summary(counts: list[Counts]) -> Iterator[str]:
    """Say how many blocks were run and parsed, and why others were not."""
    run, parsed = sum(each["run"] for each in counts), sum(each["parsed"] for each in counts)
    left = [place for each in counts for place in each["left"]]
    yield f"{run} blocks of the docs run, {parsed} parsed, {len(left)} not run:"
    yield from (f"  {place}: {reason}" for place, reason in left)


def pages() -> list[str]:
    """List what is read, by its path."""
    return [str(file.relative_to(ROOT)) for pattern in PAGES for file in sorted(ROOT.glob(pattern))]


def blocks(page: str) -> list[Block]:
    """Read the blocks of a page, in its order."""
    found = list(FENCE.finditer(page))
    return [
        Block(
            page.count("\n", 0, each.start()) + 1,
            each["language"],
            re.sub(rf"^{each['indent']}", "", each["code"], flags=re.MULTILINE),
            reason[1] if (reason := NOT_RUN.search(page, 0, each.start())) else "",
            _output(page, each, after),
        )
        for each, after in zip(found, [*found, None][1:], strict=True)
    ]


def _output(page: str, block: re.Match[str], after: re.Match[str] | None) -> str | None:
    """The text that follows directly, or below one line of prose."""
    if after is None or after["language"] != "text":
        return None
    between = [line for line in page[block.end() : after.start()].split("\n") if line.strip()]
    return after["code"] if len(between) <= 1 and not any("<!--" in line for line in between) else None


def commands(block: Block) -> list[Command]:
    """Split a block into what is run at once: `console` has a prompt before each, and its output below it."""
    if block.language != "console":
        return [Command(block.code, block.output)]
    listed = []
    for typed in PROMPT.split(block.code)[1:]:
        code = CONTINUED.match(typed)
        assert code is not None
        listed.append(Command(code[0], typed[code.end() :].strip("\n") or None))
    if listed and block.output:
        listed[-1] = Command(listed[-1].code, block.output)
    return listed


def matches(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed: `...` stands for anything, and runs of blanks are equal."""
    parts = (re.escape(" ".join(DRAWN.sub(" ", part).split())) for part in shown.split("..."))
    pattern = r"\s*" + r"\s*.*?\s*".join(part.replace(r"\ ", r"\s+") for part in parts) + r"\s*"
    return re.fullmatch(pattern, DRAWN.sub(" ", printed), re.DOTALL) is not None


def fault(block: Block) -> str:
    """Say what is wrong with a block that is only parsed, or nothing."""
    try:
        PARSERS[block.language](block.code)
    except (ValueError, subprocess.CalledProcessError) as error:
        return f"{error} {getattr(error, 'stderr', None) or ''}"
    return ""


def _yaml(code: str) -> None:
    import yaml  # type: ignore[import-untyped]

    try:
        document = yaml.safe_load(code)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    if not (isinstance(document, dict) and "services" in document and shutil.which("docker")):
        return
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "compose.yml").write_text(code)
        command = [
            "docker",
            "compose",
            "--project-directory",
            folder,
            "--file",
            f"{folder}/compose.yml",
            "config",
            "--quiet",
        ]
        subprocess.run([*command, "--no-interpolate"], check=True, capture_output=True, text=True)


def _nginx(code: str) -> None:
    """Parse by nginx where it is installed; else the braces have to close."""
    if code.count("{") != code.count("}"):
        raise ValueError("The braces do not close.")
    if shutil.which("nginx") and "ssl_certificate" not in code:
        within = code if re.search(r"^\s*(events|http) \{", code, re.MULTILINE) else f"events {{}} http {{ {code} }}"
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write(within)
            file.flush()
            subprocess.run(["nginx", "-t", "-q", "-c", file.name], check=True, capture_output=True, text=True)


PARSERS: dict[str, Callable[[str], object]] = {
    "json": json.loads,
    "yaml": _yaml,
    "toml": tomllib.loads,
    "nginx": _nginx,
}
