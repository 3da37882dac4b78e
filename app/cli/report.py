"""Commands that write the report of a set, and verify one."""

from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer
from nextpair.words import LOCAL

from app.cli.options import (
    KINDS,
    First,
    ItemOption,
    PFirst,
    PositionsOption,
    RepeatsOption,
    Second,
    ServiceUrl,
    WeightOption,
    WinnerOption,
    existing,
)

commands = typer.Typer()
TRIES = 60  # while the service computes


@commands.command()
def report(
    of: Annotated[
        str, typer.Argument(metavar="SET|FILE", help=f"Id of a set of a running service, or a file: {KINDS}.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.")] = Path("report.html"),
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Print it to a PDF beside it too, by the Chromium of this machine.")
    ] = False,
    name: Annotated[str | None, typer.Option(help="Title, of a FILE. [default: the file's name]")] = None,
    question: Annotated[str, typer.Option(help="Question that the judges answered, of a FILE.")] = "",
    first: First = None,
    second: Second = None,
    winner: WinnerOption = None,
    p_first: PFirst = None,
    item: ItemOption = None,
    judge: Annotated[
        str | None, typer.Option(metavar="COL", help="Column of the judge. [default: judge, if it exists]")
    ] = None,
    weight: WeightOption = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Judge of a FILE who is a person; repeatable."),
    ] = None,
    repeats: RepeatsOption = None,
    positions: PositionsOption = None,
    server: ServiceUrl = LOCAL,
) -> None:
    """Write the report of a set, or of a file: one HTML file with the ranking, how it was made, and its limits.

    It opens without a network and prints on A4. Keep it beside its log (nextpair export): nextpair verify checks it.
    """
    set_id = _id(of)
    if set_id is not None:
        from nextpair import Client, calls

        with Client(server, retries=TRIES) as service:
            content = service.send(calls.report(set_id))
    else:
        from app.files.comparisons import ComparisonColumns
        from app.offline.ranking import parse_repeats
        from app.offline.report import OfFile, of_file

        existing(of)
        columns = ComparisonColumns(first, second, winner, p_first, judge, weight, item)
        how = OfFile(columns, tuple(reference or ()), parse_repeats(repeats or []), positions)
        content = of_file(of, how, name or Path(of).name, question)
    output.write_bytes(content)
    print(output)
    if pdf:
        from app.files.reports.pdf import write

        write(output, output.with_suffix(".pdf"))
        print(output.with_suffix(".pdf"))


@commands.command()
def verify(
    report: Annotated[str, typer.Argument(metavar="REPORT", help="Report, as HTML.", callback=existing)],
    log: Annotated[
        str, typer.Argument(metavar="LOG", help="Its log: nextpair export --format jsonl.", callback=existing)
    ],
    recompute: Annotated[
        bool, typer.Option("--recompute", help="Rank the log again, and compare all figures of the ranking.")
    ] = False,
) -> None:
    """Verify that a report is as it was written, and that it comes from this log.

    One altered byte in either ends with exit code 1 and a message that says where.
    """
    from app.offline.verification import verify

    for sentence in verify(report, log, recompute=recompute):
        print(sentence)


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
