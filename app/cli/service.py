"""Commands that run a service, or bring files to a running one and take them from it."""

import sys
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from nextpair.words import LOCAL, ExportFormat, InferenceTargetChoice, counted

from app.cli.options import (
    KINDS,
    DatabaseUrl,
    DataDir,
    First,
    Host,
    ItemOption,
    PFirst,
    Port,
    Second,
    ServiceUrl,
    SkipEmpty,
    WeightOption,
    WinnerOption,
    existing,
)

if TYPE_CHECKING:
    from uvicorn import Server

    from app.settings import Settings

commands = typer.Typer()


@commands.command()
def serve(
    host: Host = "127.0.0.1", port: Port = 8000, data_dir: DataDir = None, database_url: DatabaseUrl = None
) -> None:
    """Run the service until you stop it with Ctrl-C."""
    from threading import Thread

    from app.main import make_server, run

    settings, url = _settings(data_dir, database_url), f"http://{host}:{port}"
    server = make_server(settings, host, port)

    def begin() -> None:
        _say(f"nextpair is starting at {url}, with its data {_place(settings)}. Ctrl-C stops it.")
        Thread(target=_say_when_ready, args=(server, url), daemon=True).start()

    run(server, begin)


@commands.command()
def demo(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    pace: Annotated[float, typer.Option(min=0, help="Seconds between two comparisons.")] = 1.0,
) -> None:
    """Run the service with a small set of answers, and watch a recorded judge compare them."""
    from threading import Thread

    from nextpair import Client

    from app.demo import play
    from app.main import make_server, run

    settings, url = _settings(data_dir, database_url), f"http://{host}:{port}"
    server = make_server(settings, host, port)
    service = Client(url, retries=sys.maxsize)

    def begin() -> None:
        _say(f"nextpair is starting: open {url} to watch the ranking grow. Ctrl-C stops it; it continues next time.")
        Thread(target=play, args=(server, service, pace, _say), daemon=True).start()

    run(server, begin)


@commands.command()
def migrate(data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Bring a database up to date; the service also does this when it starts.

    Without --database-url and --data-dir, it is the database that `nextpair serve` made on this machine.
    """
    import asyncio

    settings = _settings(data_dir, database_url)
    is_named = settings.database_url is not None or "data_dir" in settings.model_fields_set
    if not is_named and not settings.data_dir.exists():
        raise typer.BadParameter(
            f"there is no database in {settings.data_dir}; name one with --database-url, DATABASE_URL or --data-dir."
        )
    from app.main import migrate

    revision = asyncio.run(migrate(settings))
    print(f"the database {_place(settings)} is at revision {revision}")


@commands.command("import")
def import_file(
    file: Annotated[
        str,
        typer.Argument(
            help=f"File of comparisons, candidates or outputs: {KINDS}; or a folder or pattern.", callback=existing
        ),
    ],
    name: Annotated[str | None, typer.Option(help="Name of the new set. [default: the file's name]")] = None,
    question: Annotated[str, typer.Option(help="Question of the new set.")] = "Which is better?",
    project: Annotated[str | None, typer.Option(help="Project of the new set, which groups sets.")] = None,
    inference_target: Annotated[
        InferenceTargetChoice, typer.Option(help="What confidence in the new set is about.")
    ] = "auto",
    into: Annotated[
        UUID | None, typer.Option(metavar="ID", help="Add to the set with this id instead of making a new one.")
    ] = None,
    first: First = None,
    second: Second = None,
    winner: WinnerOption = None,
    p_first: PFirst = None,
    item: ItemOption = None,
    judge: Annotated[str | None, typer.Option(metavar="COL", help="Column of the judge. [default: judge]")] = None,
    weight: WeightOption = None,
    skip_empty: SkipEmpty = False,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="COL", help="Column of a candidate's key, or '' for row numbers. [default: key, id or name]"
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column of a candidate's text. [default: text, output, ..., or the longest]"),
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column of the system that wrote an output. [default: model, system, ...]"),
    ] = None,
    systems: Annotated[
        str | None, typer.Option(metavar="COL,COL", help="Columns of outputs in a wide table, one for each system.")
    ] = None,
    prompt: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column of a prompt's key or text. [default: prompt_id, prompt, ...]"),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column of an output's text. [default: output, text, response, ...]"),
    ] = None,
    server: ServiceUrl = LOCAL,
) -> None:
    """Send a file to a running service: comparisons, candidates, or the outputs of several systems for many prompts.

    A file of candidates has a key and a text in each row. A file of outputs has a row for each output, or a row for
    each prompt with a column for each system. Other columns with one value for each prompt become its tags.

    With --into, only what the set does not have is added, so you can safely send a file again. An export brings its
    voids and restored comparisons, into any set.
    """
    from nextpair import Client

    from app.files import logs, transfer
    from app.files.candidates import CandidateColumns
    from app.files.comparisons import ComparisonColumns
    from app.files.outputs import OutputColumns
    from app.offline.progress import progress_of

    columns = ComparisonColumns(first, second, winner, p_first, judge, weight, item)
    in_wide = tuple(name.strip() for name in systems.split(",")) if systems else ()
    of_outputs = OutputColumns(system, prompt, output=output, systems=in_wide)
    source = transfer.Source(file, columns, CandidateColumns(key, text), of_outputs, skip_empty)
    contents = transfer.read(source, _say)
    with Client(server, retries=2) as service, progress_of(len(contents.log), "sending") as advance:
        if into is None:
            target = transfer.create(service, name or Path(file).name, question, contents, inference_target, project)
            candidates, warnings = len(contents.candidates), target.record.warnings
        else:
            target = service.sets.get(into)
            candidates, warnings = transfer.add(target, contents)
        sent = logs.send(target, contents.log, advance)
        now = target.read()
    voids = f", {counted(sent.voids, 'void')}" if sent.voids else ""
    added = (
        f"{counted(candidates, 'candidate')}, {counted(sent.comparisons, 'comparison')} added, "
        f"{counted(sent.duplicates, 'duplicate')}{voids}, version {now.version}"
    )
    what = added if contents.outputs is None else transfer.summary(contents.outputs)
    for warning in warnings:
        _say(warning)
    print(f"set {target.id}: {what}\n{server.rstrip('/')}/sets/{target.id}")
    if now.budget and (most := now.budget.max_comparisons) and sent.comparisons and now.comparisons > most:
        _say(f"The set has {counted(now.comparisons, 'comparison')}, more than its budget of {most:,}.")


@commands.command("export")
def export_file(
    set_id: Annotated[UUID, typer.Argument(help="Id of the set.")],
    form: Annotated[ExportFormat, typer.Option("--format", help="Format of the log.")] = "csv",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write. [default: stdout]")] = None,
    server: ServiceUrl = LOCAL,
) -> None:
    """Write the log of a set, with the comparisons that were voided, and the candidates that were never compared."""
    from nextpair import Client

    with Client(server, retries=2) as service:
        pieces = service.export(set_id, form)
        if output is None:
            sys.stdout.buffer.writelines(pieces)
            return
        part = output.with_name(output.name + ".part")  # the old file stays until the new one is whole
        with part.open("wb") as file:
            file.writelines(pieces)
        part.replace(output)


def _settings(data_dir: Path | None, database_url: str | None) -> "Settings":
    from app.settings import Settings

    options = {"data_dir": data_dir, "database_url": database_url}
    return Settings.model_validate({name: value for name, value in options.items() if value is not None})


def _place(settings: "Settings") -> str:
    return f"in {settings.data_dir}" if settings.database_url is None else "on your PostgreSQL"


def _say_when_ready(server: "Server", url: str) -> None:
    from nextpair import Client, NextpairError, calls

    while not server.started:
        sleep(0.1)
    with Client(url, retries=sys.maxsize) as service, suppress(NextpairError):  # the server stops before it is ready
        service.send(calls.ready())
        _say(f"nextpair is ready: open {url} in a browser, or read {url}/docs for the HTTP API.")


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
