"""The page of commands, from the help of each."""

import re
from collections.abc import Iterator
from typing import Any

import typer

from app.cli.entry import app
from docs.markdown import code, table

EXAMPLES = {
    "rank": ("nextpair rank app/demo/judge.csv --top-k 3", "a summary, then a row for each candidate, best first"),
    "aggregate": (
        "nextpair aggregate examples/sums.csv --item item --text question --text answer --reference alice",
        "a row for each judge, then a row for each item with its verdict",
    ),
    "rank-sets": (
        "nextpair rank-sets examples/instances.csv --people human --judge gpt",
        "a row for each system with its rank-set, by people and judges together and by each alone",
    ),
    "simulate": (
        "nextpair simulate app/demo/judge.csv --truth app/demo/ratings.csv --truth-column overall --seeds 2",
        "a row for each number of comparisons, with a column for each way to choose pairs",
    ),
    "serve": ("nextpair serve", "the address of the service, then its log, until you stop it"),
    "demo": ("nextpair demo", "the address of the service, then a line for each step of the demo"),
    "migrate": ("nextpair migrate", "the revision that the database is at"),
    "import": (
        'nextpair import app/demo/answers.jsonl --name "Blue sky" --question "Which answer is clearer?"',
        "what was read, and the address of the new set on the last line",
    ),
    "export": ("nextpair export ID --format csv -o log.csv", "the log of the set, or nothing with `-o`"),
    "report": (
        "nextpair report app/demo/judge.csv -o report.html",
        "the name of the file that it wrote; for a set of a running service, give its id",
    ),
    "verify": (
        "nextpair verify report.html app/demo/judge.csv --recompute",
        "a sentence on what holds; else exit code 1, and where report and log differ",
    ),
    "worker": (
        "nextpair worker --model Qwen/Qwen2.5-7B-Instruct --until-done",
        "a line of JSON for each event, and a summary at the end",
    ),
    "judge": (
        'nextpair judge pairs.parquet --out verdicts --model Qwen/Qwen2.5-7B-Instruct --question "Which is clearer?"',
        "progress on stderr; the verdicts go to Parquet files in the folder",
    ),
}
INTRODUCTION = """# Commands

The command `nextpair` comes with `nextpair-server`. Its exit code is 0 for success, 2 for bad
input and 1 for other errors. An error is one line on stderr. `nextpair COMMAND --help` prints what is below.
"""


def commands() -> dict[str, Any]:
    """Make every command with all its options, by its name."""
    group: Any = typer.main.get_command(app)
    return {name: each.whole() if hasattr(each, "whole") else each for name, each in group.commands.items()}


def page() -> str:
    """Write the page."""
    group: Any = typer.main.get_command(app)
    lines = [INTRODUCTION, table(["option", "meaning"], _rows(group, _context(group, "nextpair"))), ""]
    for name, command in commands().items():
        lines += _sections(name, command)
    return "\n".join(lines)


def _context(command: Any, name: str) -> Any:
    return type(command).context_class(command, info_name=name)


def _sections(name: str, command: Any) -> Iterator[str]:
    context, (example, prints) = _context(command, f"nextpair {name}"), EXAMPLES[name]
    yield f"## nextpair {name}\n"
    yield f"{command.help}\n"
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    usage = " ".join(["nextpair", name, "[OPTIONS]", *(_argument(each) for each in arguments)])
    yield f"```text\n{usage}\n```\n"
    yield f"For example\n\n```text\n{example}\n```\n\nprints {prints}.\n"
    if arguments:
        yield table(["argument", "meaning"], [_row(each, context) for each in arguments])
        yield ""
    yield table(["option", "meaning"], _rows(command, context))
    yield ""


def _rows(command: Any, context: Any) -> list[list[str]]:
    return [
        _row(each, context)
        for each in command.get_params(context)
        if each.param_type_name == "option" and not each.hidden
    ]


def _row(parameter: Any, context: Any) -> list[str]:
    written, says = parameter.get_help_record(context)
    if parameter.param_type_name == "argument":
        written = _argument(parameter)
    return [code(written.replace(" / ", "/")), _in_words(says)]


def _argument(parameter: Any) -> str:
    return f"{parameter.name.upper()}{'...' if parameter.nargs == -1 else ''}"


def _in_words(says: str) -> str:
    """Spell out what stands in brackets: whether it is required, its default, its range."""
    described, *others = says.replace("[", "\n").replace("]", "").split("\n")
    notes = "; ".join(each.strip() for each in others if each.strip())
    notes = re.sub(r"x>=(\S+)", r"at least \1", re.sub(r"(\S+)<=x<=(\S+)", r"\1 to \2", notes))
    return f"{described.strip()} *{notes[:1].upper()}{notes[1:]}.*" if notes else described
