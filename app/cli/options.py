"""Options that several commands share, and the checks of options."""

from collections.abc import Callable
from glob import glob
from pathlib import Path
from typing import Annotated

import typer
from nextpair.words import (
    AbsoluteScale,
    MethodName,
    PositionBias,
    PositionBiasChoice,
    PriorName,
    ScaleName,
    VerdictWeightName,
)

from app.offline.printing import Format

KINDS = ".csv, .tsv, .json or .jsonl, with or without .gz, or .parquet"  # as reading.KINDS, heavy to import


def within(low: float, high: float) -> Callable[[float], float]:
    """A check that an option lies strictly above `low` and not above `high`."""

    def check(value: float) -> float:
        if low < value <= high:
            return value
        raise typer.BadParameter(f"{value:g} must be above {low:g} and at most {high:g}.")

    return check


def existing(names: str | list[str]) -> str | list[str]:
    """Refuses files that are not there, before anything heavy is imported to read them."""
    for file in [names] if isinstance(names, str) else names:
        if file != "-" and not Path(file).exists() and not glob(file, recursive=True):
            raise typer.BadParameter(f"{file}: there is no such file.")
    return names


First = Annotated[
    str | None, typer.Option(metavar="COL", help="Column of the candidate shown first. [default: first or model_a]")
]
Second = Annotated[
    str | None, typer.Option(metavar="COL", help="Column of the candidate shown second. [default: second or model_b]")
]
WinnerOption = Annotated[
    str | None, typer.Option(metavar="COL", help="Column of the winner: first, second, tie, both_bad, or a key.")
]
PFirst = Annotated[str | None, typer.Option(metavar="COL", help="Column of the probability that the first is better.")]
WeightOption = Annotated[
    str | None,
    typer.Option(
        metavar="COL", help="Column of the number of verdicts a row stands for. [default: weight, if it exists]"
    ),
]
ItemOption = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Column of the item, such as a prompt. [default: item, prompt_id, prompt, ..., if it exists]",
    ),
]
SkipEmpty = Annotated[
    bool,
    typer.Option("--skip-empty", help="Skip rows whose winner is empty, skip or none, and print how many there are."),
]
GroupBy = Annotated[
    list[str] | None,
    typer.Option(metavar="COL", help="Make a separate ranking for each value of this column; repeatable."),
]
Where = Annotated[
    list[str] | None, typer.Option(metavar="COL=VALUE", help="Read only the rows with this value; repeatable.")
]
MethodOption = Annotated[
    MethodName, typer.Option(help="Comparison model (expert), or baseline, that makes scores of comparisons.")
]
ParameterOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="Set a parameter of the comparison model, such as v=1; repeatable."),
]
PriorOption = Annotated[PriorName, typer.Option(help="Prior of every score; anchor has a variance of a million.")]
PositionBiasOption = Annotated[
    PositionBiasChoice,
    typer.Option(
        help="How to correct position bias: not at all, by estimation with the scores, or by the mean verdict; "
        "auto estimates it for judges who give probabilities, and for voters whose pairs come in mixed orders."
    ),
]
SimulatedBiasOption = Annotated[
    PositionBias,
    typer.Option(
        help="How to correct position bias: not at all, by estimation with the scores, or by the mean verdict."
    ),
]
VerdictWeightOption = Annotated[
    VerdictWeightName | None,
    typer.Option(
        help="Weight of a verdict: learnt from the verdicts, or one vote. [default: learnt, where the method can]"
    ),
]
PositionsOption = Annotated[
    bool | None,
    typer.Option(
        "--positions/--no-positions",
        help="Whether pairs were shown in the order of the columns; not in lists of winners. [default: as the columns "
        "are named; a file whose first always wins is ranked as a list, and claims no evidence]",
    ),
]
RepeatsOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="yes|no|JUDGE=yes|no",
        help="Whether judges always answer the same question alike, as at temperature 0; repeatable, for one judge "
        "each. [default: as they answered what they were asked twice, else no]",
    ),
]
PriorVariance = Annotated[
    float, typer.Option(help="Variance of every score before any comparison.", callback=within(0, 100))
]
ByOption = Annotated[
    str | None,
    typer.Option(
        metavar="TAG",
        help="Rank each value of a tag too: a column with one value per prompt, or a tag of --outputs; "
        "--group-by ranks groups that share nothing.",
    ),
]
OutputsOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="File of outputs, as nextpair import reads it; it gives prompts their tags and outputs their covariates.",
        callback=lambda file: file if file is None else existing(file),
    ),
]
CovariateOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="length|COL",
        help="Take a preference out of the scores and show its effect: length, or a numeric column of --outputs; "
        "repeatable.",
    ),
]
BaselineOption = Annotated[
    str | None,
    typer.Option(metavar="KEY", help="Compare each of the others with this candidate, in a table of its own."),
]
ScaleOption = Annotated[
    ScaleName,
    typer.Option(help="Scale of scores: logits, or Elo points, which are logits times 173.7; both average 0."),
]
MatrixOption = Annotated[
    bool, typer.Option("--matrix", help="Print the expected win rate of each candidate against each other too.")
]
FormatOption = Annotated[Format, typer.Option("--format", help="A table for people, or JSON or CSV for programs.")]

ScoresOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="File of absolute scores: candidate, score, and optionally variance, judge, item and groups.",
        callback=lambda file: file if file is None else existing(file),
    ),
]
AbsoluteScaleOption = Annotated[
    AbsoluteScale, typer.Option(help="Scale of --scores: estimate it for each judge, or take the scores as they are.")
]

Host = Annotated[str, typer.Option(help="Address to listen on; anything but loopback needs NEXTPAIR_API_KEY.")]
Port = Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")]
DataDir = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder of the private PostgreSQL. [default: ~/.local/share/nextpair; for root /var/lib/nextpair]",
    ),
]
DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="PostgreSQL to use; others see the option's password in `ps`. [default: $DATABASE_URL, or private]",
    ),
]
ServiceUrl = Annotated[str, typer.Option(metavar="URL", envvar="NEXTPAIR_URL", help="URL of the running service.")]
