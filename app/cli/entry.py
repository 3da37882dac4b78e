"""The command line as a whole: its parts, and how it ends.

An error is one line on stderr. Errors made for people carry `exit_code`: 2 for bad input, 1 for the rest.
"""

import os
import sys
from io import TextIOWrapper
from typing import Annotated

import typer
from typer.exceptions import TyperException

from app.cli import files, report, service, simulation, worker
from app.process import one_blas_thread

app = typer.Typer(
    help="Rank texts and systems by pairwise comparison, with as few comparisons as possible.", rich_markup_mode=None
)
for part in (files, simulation, service, report, worker):
    app.add_typer(part.commands)


def _version(wanted: bool) -> None:
    if wanted:
        from app import __version__

        print(f"nextpair {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    if ctx.invoked_subcommand not in ("worker", "judge"):  # whose engine takes the threads that it wants
        one_blas_thread()


def main() -> None:
    sys.exit(run(sys.argv[1:]))


def serve() -> None:
    """The command `nextpair-server`: `nextpair serve`."""
    sys.exit(run(["serve", *sys.argv[1:]]))


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code; an error is one line on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # rather than fail on encoding
    try:
        return int(app(arguments or ["--help"], prog_name="nextpair", standalone_mode=False) or 0)
    except TyperException as error:
        return _fail(error.format_message(), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if os.environ.get("NEXTPAIR_TRACEBACK"):
            raise
        return _fail(*_explain(error))


def _explain(error: Exception) -> tuple[str, int]:
    if hasattr(error, "exit_code"):
        return str(error), int(error.exit_code)
    if isinstance(error, OSError):
        return str(error), 1
    if problems := getattr(error, "errors", None):  # pydantic's
        from nextpair.words import in_words

        first = problems()[0]
        place = "/".join(map(str, first["loc"]))
        return f"{place}: {in_words(first)}" if place else in_words(first), 2
    return f"unexpected {type(error).__name__}: {error} (NEXTPAIR_TRACEBACK=1 shows where)", 1


def _fail(message: str, exit_code: int) -> int:
    if message:
        print(f"nextpair: {' '.join(message.split())}", file=sys.stderr)
    return exit_code
