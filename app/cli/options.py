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


First = Annotated[str | None, typer.Option(metavar="COL", help="Column shown first. [default: first or model_a]")]
Second = Annotated[str | None, typer.Option(metavar="COL", help="The other one. [default: second or model_b]")]
WinnerOption = Annotated[
    str | None, typer.Option(metavar="COL", help="Who won: first, second, tie, both_bad, or a key.")
]
PFirst = Annotated[str | None, typer.Option(metavar="COL", help="Probability that the first is better.")]
WeightOption = Annotated[
    str | None, typer.Option(metavar="COL", help="How many votes a row stands for. [default: weight, if it exists]")
]
ItemOption = Annotated[
    str | None,
    typer.Option(
        metavar="COL", help="What was judged, such as the prompt. [default: item, prompt_id, prompt, ..., if it exists]"
    ),
]
GroupBy = Annotated[
    list[str] | None, typer.Option(metavar="COL", help="A separate ranking per value; may be repeated.")
]
Where = Annotated[list[str] | None, typer.Option(metavar="COL=VALUE", help="Read only these rows; may be repeated.")]
MethodOption = Annotated[MethodName, typer.Option(help="Comparison model (expert), or a baseline.")]
ParameterOption = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help="Parameter of the model, such as v=1; may be repeated.")
]
PriorOption = Annotated[PriorName, typer.Option(help="Prior of every score; anchor has a variance of a million.")]
PositionBiasOption = Annotated[
    PositionBiasChoice,
    typer.Option(
        help="A judge's position bias: none, estimated with the scores, or from its mean verdict; auto estimates it "
        "for judges who give probabilities."
    ),
]
SimulatedBiasOption = Annotated[
    PositionBias,
    typer.Option(help="The judge's position bias: none, estimated with the scores, or from its mean verdict."),
]
VerdictWeightOption = Annotated[
    VerdictWeightName | None,
    typer.Option(
        help="Weight of a verdict: learnt from the verdicts, or one vote. [default: learnt, where the method can]"
    ),
]
PriorVariance = Annotated[
    float, typer.Option(help="Variance of every score before any comparison.", callback=within(0, 100))
]
ByOption = Annotated[
    str | None,
    typer.Option(
        metavar="TAG",
        help="Rank by the values of a tag too, on new prompts: a column with one value for each prompt, or a tag of "
        "--outputs. Slices are shrunk towards the whole; --group-by ranks groups that share nothing.",
    ),
]
OutputsOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Outputs of systems for prompts, as nextpair import reads them: gives the prompts of a log their tags, "
        "and outputs their covariates.",
        callback=lambda file: file if file is None else existing(file),
    ),
]
CovariateOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="length|COL",
        help="Take what judges prefer out of the scores: length, of the texts in --outputs, or a column of that "
        "file with a number for each output. Its effect is shown; may be repeated.",
    ),
]
BaselineOption = Annotated[
    str | None,
    typer.Option(metavar="KEY", help="A candidate; each of the others is compared with it, in columns of their own."),
]
ScaleOption = Annotated[
    ScaleName, typer.Option(help="Of scores: logits, or Elo, which is logits times 173.7. Both are 0 on average.")
]
MatrixOption = Annotated[
    bool, typer.Option("--matrix", help="Also how often each candidate is expected to win against each other.")
]
FormatOption = Annotated[Format, typer.Option("--format", help="For people, or for programs.")]

ScoresOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Absolute scores beside the comparisons: candidate, score, and optionally variance, judge, item, groups.",
        callback=lambda file: file if file is None else existing(file),
    ),
]
AbsoluteScaleOption = Annotated[
    AbsoluteScale, typer.Option(help="Of --scores: each judge's own, estimated, or that of the scores as it is.")
]

Host = Annotated[str, typer.Option(help="Address to listen on; other than loopback only with NEXTPAIR_API_KEY.")]
Port = Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")]
DataDir = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder of the private PostgreSQL. [default: ~/.local/share/nextpair, for root /var/lib/nextpair]",
    ),
]
DatabaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="Use this PostgreSQL. [default: $DATABASE_URL, or a private one]")
]
ServiceUrl = Annotated[str, typer.Option(metavar="URL", envvar="NEXTPAIR_URL", help="The running service.")]
