"""The `nextpair` command. Each command is one function; it imports what does the work only when it runs.

Errors are one line on stderr. Errors made for people carry `exit_code`: 2 for bad input, 1 for the rest.
"""

import os
import sys
from collections.abc import Callable
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal
from uuid import UUID

import typer
from nextpair.words import (
    JUDGE_AWARE,
    LOCAL,
    AggregationName,
    BatchName,
    CovarianceName,
    ExportFormat,
    MethodName,
    OrderName,
    PositionBias,
    PriorName,
)
from typer.exceptions import TyperException

from app.process import one_blas_thread

if TYPE_CHECKING:
    from app.settings import Settings

Format = Literal["table", "json", "csv"]
CRITERIA = "variance, determinant, reordering, exponent, random or all; may be repeated. [default: all]"

app = typer.Typer(
    help="Rank texts and systems by pairwise comparison, with as few comparisons as possible.",
    rich_markup_mode=None,
)


def _within(low: float, high: float) -> Callable[[float], float]:
    """A check that an option lies strictly above `low` and not above `high`."""

    def check(value: float) -> float:
        if low < value <= high:
            return value
        raise typer.BadParameter(f"{value:g} must be above {low:g} and at most {high:g}.")

    return check


def _there(given: str | list[str]) -> str | list[str]:
    """Refuses files that are not there, before anything heavy is imported to read them."""
    for file in [given] if isinstance(given, str) else given:
        if file != "-" and not Path(file).exists():
            raise typer.BadParameter(f"{file}: there is no such file.")
    return given


# Options that commands share

First = Annotated[str | None, typer.Option(metavar="COL", help="Column shown first. [default: first or model_a]")]
Second = Annotated[str | None, typer.Option(metavar="COL", help="The other one. [default: second or model_b]")]
WinnerOption = Annotated[
    str | None, typer.Option(metavar="COL", help="Who won: first, second, tie, both_bad, or a key.")
]
PFirst = Annotated[str | None, typer.Option(metavar="COL", help="Probability that the first is better.")]
WeightOption = Annotated[
    str | None, typer.Option(metavar="COL", help="How many answers a row stands for. [default: weight, if there]")
]
GroupBy = Annotated[list[str] | None, typer.Option(metavar="COL", help="One ranking per value; may be repeated.")]
Where = Annotated[list[str] | None, typer.Option(metavar="COL=VALUE", help="Read only these rows; may be repeated.")]
MethodOption = Annotated[MethodName, typer.Option(help="How scores come from comparisons: an expert, or a baseline.")]
ParameterOption = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help="Of the expert, such as v=1; may be repeated.")
]
PriorOption = Annotated[PriorName, typer.Option(help="On every score; anchor has a variance of a million.")]
PositionBiasOption = Annotated[
    PositionBias, typer.Option(help="Estimate each judge's liking for the first position, or take it to have none.")
]
PriorVariance = Annotated[
    float, typer.Option(help="Variance of every score before any comparison.", callback=_within(0, 100))
]
FormatOption = Annotated[Format, typer.Option("--format", help="For people, or for programs.")]


@app.command()
def rank(
    file: Annotated[
        str, typer.Argument(help="Comparisons: .csv, .jsonl or .parquet; - is CSV on stdin.", callback=_there)
    ],
    first: First = None,
    second: Second = None,
    winner: WinnerOption = None,
    p_first: PFirst = None,
    group_by: GroupBy = None,
    where: Where = None,
    method: MethodOption = "soft-bt",
    parameter: ParameterOption = None,
    prior: PriorOption = "unit",
    prior_variance: PriorVariance = 1.0,
    position_bias: PositionBiasOption = "none",
    judge: Annotated[str | None, typer.Option(metavar="COL", help="Who judged. [default: judge, if there]")] = None,
    weight: WeightOption = None,
    level: Annotated[
        float, typer.Option(help="Probability that an interval holds.", callback=_within(0, 0.9999))
    ] = 0.95,
    top_k: Annotated[int, typer.Option(min=1, help="Show the probability of being among the first k.")] = 1,
    epsilon: Annotated[float, typer.Option(min=0, help="Scores that differ by less than this count as tied.")] = 0.0,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw scores and intervals into this .svg or .png too.")
    ] = None,
    form: FormatOption = "table",
) -> None:
    """Rank the candidates of a file of comparisons.

    The intervals of scores hold one by one; the intervals of ranks hold all together. Nobody is surely worse than the
    first of its tie group.
    """
    from app.files.columns import parse_conditions
    from app.files.comparisons import ComparisonColumns
    from app.inference.reporting.ranking import Wanted
    from app.offline import printing
    from app.offline.ranking import Method, parse_parameters, rank_file, require_possible

    columns, by = ComparisonColumns(first, second, winner, p_first, judge, weight), group_by or []
    wanted = Wanted(level, top_k, epsilon)
    asked = Method(method, prior_variance, parse_parameters(parameter or []), prior, position_bias, wanted)
    rankings = rank_file(file, columns, by, parse_conditions(where or []), require_possible(asked))
    if plot is not None:
        from app.offline.drawing import draw

        draw(rankings, plot)
    printing.print_rankings(rankings, by, form)


@app.command()
def aggregate(
    file: Annotated[
        str, typer.Argument(help="A row for each item, a column for each judge; - is CSV on stdin.", callback=_there)
    ],
    method: Annotated[AggregationName, typer.Option(help="How judges are weighed.")] = "dawid-skene",
    judge: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="A judge's probability of yes; may be repeated. [default: all]"),
    ] = None,
    item: Annotated[str | None, typer.Option(metavar="COL", help="What names the item. [default: its row]")] = None,
    truth: Annotated[
        str | None, typer.Option(metavar="COL", help="0, 1 or empty, to measure accuracy; never used to fit.")
    ] = None,
    text: Annotated[
        list[str] | None, typer.Option(metavar="COL", help="What an item says, for methods that read it; repeatable.")
    ] = None,
    feature: Annotated[
        list[str] | None, typer.Option(metavar="COL", help="A number known of every item, likewise; repeatable.")
    ] = None,
    group: Annotated[
        str | None, typer.Option(metavar="COL", help="Items that belong together, never split in training.")
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(metavar="NAME_OR_PATH", help="Transformer that reads --text. [default: hashed n-grams]"),
    ] = None,
    fine_tune: Annotated[bool, typer.Option("--fine-tune", help="Train the transformer too.")] = False,
    seed: Annotated[int, typer.Option(help="Of splits and of draws that break ties.")] = 0,
    form: FormatOption = "table",
) -> None:
    """One yes or no from several judges' on the same items, and how far each judge can be believed.

    A cell is the probability that a judge gives to yes, 0 and 1 included; an empty one says nothing.
    skill-aggregation, skill-aggregation-x, crowdlayer and train-on-majority also read --text or --feature; --encoder
    is any Hugging Face transformer, by name or folder.
    """
    from app.offline.aggregation import Columns, Encoder, load, require_possible, show

    columns = Columns(judge or (), item, truth, text or (), feature or (), group)
    reader = require_possible(method, columns, Encoder(encoder, fine_tune))
    show(load(file, columns, reader), method, seed, form)


@app.command("rank-sets")
def rank_sets(
    file: Annotated[
        str,
        typer.Argument(help="A row for each instance: two systems and who won; - is CSV on stdin.", callback=_there),
    ],
    people: Annotated[str, typer.Option(metavar="COL", help="People's verdict; empty where only the judge judged.")],
    judge: Annotated[str, typer.Option(metavar="COL", help="The judge's verdict, on every instance.")],
    first: First = None,
    second: Second = None,
    alpha: Annotated[float, typer.Option(help="Chance that a rank-set misses.", callback=_within(0, 0.5))] = 0.05,
    covariance: Annotated[
        CovarianceName, typer.Option(help="published is the paper's, which is too small; to reproduce it only.")
    ] = "sandwich",
    form: FormatOption = "table",
) -> None:
    """Rank systems by a few verdicts of people and many of a judge, without trusting the judge."""
    from app.offline.rank_sets import load, show

    show(load(file, people, judge, first, second), alpha, covariance, form)


@app.command()
def simulate(
    files: Annotated[
        list[str], typer.Argument(help="What the judge says: comparisons, or scores (--score-column).", callback=_there)
    ],
    truth: Annotated[str, typer.Option(metavar="FILE", help="The true value of every candidate.", callback=_there)],
    truth_column: Annotated[str, typer.Option(metavar="COL", help="Column of the true value.")],
    truth_key: Annotated[str, typer.Option(metavar="COL", help="Column of the candidate in the truth file.")] = "key",
    score_column: Annotated[
        str | None,
        typer.Option(metavar="COL", help="The judge gives absolute scores: p = sigmoid((s_i - s_j) / temperature)."),
    ] = None,
    score_key: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column of the candidate beside a score. [default: --truth-key]"),
    ] = None,
    temperature: Annotated[float, typer.Option(help="Of --score-column.", callback=_within(0, 1e6))] = 1.0,
    first: First = None,
    second: Second = None,
    winner: WinnerOption = None,
    p_first: PFirst = None,
    group_by: GroupBy = None,
    where: Where = None,
    criterion: Annotated[list[str] | None, typer.Option(help=CRITERIA)] = None,
    epsilon: Annotated[float, typer.Option(min=0, max=10, help="Exponent of the criterion `exponent`.")] = 0.5,
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each criterion.")] = 5,
    order: Annotated[OrderName, typer.Option(help="Which of a pair is shown first.")] = "balanced",
    batch: Annotated[int, typer.Option(min=1, help="Pairs asked at a time.")] = 1,
    batch_by: Annotated[
        BatchName, typer.Option(help="Each pair as if those before were answered, or the top of one list.")
    ] = "greedy",
    target: Annotated[
        float, typer.Option(help="Share of the full-set correlation to reach.", callback=_within(0, 1))
    ] = 0.9,
    limit_fraction: Annotated[
        float, typer.Option(help="Stop at this share of all ordered pairs.", callback=_within(0, 1))
    ] = 1.0,
    method: MethodOption = "soft-bt",
    parameter: ParameterOption = None,
    prior: PriorOption = "unit",
    prior_variance: PriorVariance = 1.0,
    position_bias: PositionBiasOption = "none",
    form: FormatOption = "table",
    curve: Annotated[str | None, typer.Option(metavar="FILE", help="Write the curves to this CSV file.")] = None,
    http: Annotated[
        str | None, typer.Option(metavar="URL", help="Ask and tell through this running service instead.")
    ] = None,
) -> None:
    """Replay active learning against known answers: how many comparisons does each criterion need?

    The judge's answer to a pair is looked up in the file; where only the other order is there, it is 1 - p.
    The rank correlation with the truth is averaged over the groups after each comparison.
    """
    from app.files.columns import parse_conditions
    from app.files.comparisons import ComparisonColumns
    from app.inference.choosing.order import Order
    from app.inference.choosing.selection import Batch, Criterion, Policy
    from app.offline import printing, problems, remote, simulation
    from app.offline.ranking import Method, parse_parameters, require_possible

    if method == JUDGE_AWARE:
        raise typer.BadParameter("judge-aware needs several judges, and a replay has one.", param_hint="'--method'")
    columns = ComparisonColumns(first, second, winner, p_first)
    scores = problems.AbsoluteScores(score_key or truth_key, score_column, temperature) if score_column else None
    truth_file = problems.TruthFile(truth, truth_key, truth_column)
    loaded = problems.load(files, scores or columns, truth_file, group_by or [], parse_conditions(where or []))
    setup = simulation.Setup(
        Policy(Criterion.RANDOM, epsilon, batch=Batch(batch_by)),
        Order(order),
        seed=0,
        method=require_possible(
            Method(method, prior_variance, parse_parameters(parameter or []), prior, position_bias)
        ),
        batch=batch,
    )
    if http is not None and batch != 1:
        raise typer.BadParameter("the service is asked for one pair at a time; leave --batch out.")
    runner = (
        simulation.in_parallel_where_it_pays
        if http is None
        else partial(remote.run_through, http, os.environ.get("NEXTPAIR_API_KEY"))
    )
    run_all = printing.with_progress(runner)
    curves = simulation.simulate(
        loaded.problems, simulation.criteria(criterion or ["all"]), seeds, setup, limit_fraction, run_all
    )
    if curve:
        printing.write_curves(curves, curve)
    printing.print_simulation(curves, simulation.costs(curves, target), target, loaded.unscored, form)


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
Server = Annotated[str, typer.Option(metavar="URL", envvar="NEXTPAIR_URL", help="The running service.")]


@app.command()
def serve(
    host: Host = "127.0.0.1", port: Port = 8000, data_dir: DataDir = None, database_url: DatabaseUrl = None
) -> None:
    """Run the service until Ctrl-C."""
    from app.main import make_server, run

    settings = _settings(data_dir, database_url)
    run(
        make_server(settings, host, port),
        lambda: _say(f"nextpair is starting at http://{host}:{port}, data {_place(settings)}; Ctrl-C stops it"),
    )


@app.command()
def demo(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    pace: Annotated[float, typer.Option(min=0, help="Seconds between two comparisons.")] = 1.0,
) -> None:
    """Run the service with a small set of answers and a judge that compares them while you watch."""
    from threading import Thread

    from nextpair.client import Client

    from app.demo import play
    from app.main import make_server, run

    settings, url = _settings(data_dir, database_url), f"http://{host}:{port}"
    server = make_server(settings, host, port)
    service = Client(url, api_key=os.environ.get("NEXTPAIR_API_KEY"), retries=sys.maxsize)

    def begin() -> None:
        _say(f"nextpair is starting; watch the ranking grow at {url}. Ctrl-C stops it, and it continues next time")
        Thread(target=play, args=(server, service, pace, _say), daemon=True).start()

    run(server, begin)


@app.command()
def migrate(data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Bring a database up to date. The service does it by itself when it starts.

    Without --database-url and --data-dir it is the one that `nextpair serve` made on this machine.
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


@app.command("import")
def import_file(
    file: Annotated[
        str, typer.Argument(help="Comparisons or candidates: .csv, .json, .jsonl or .parquet.", callback=_there)
    ],
    name: Annotated[str | None, typer.Option(help="Name of the new set. [default: the file's name]")] = None,
    question: Annotated[str, typer.Option(help="Question of the new set.")] = "Which is better?",
    into: Annotated[UUID | None, typer.Option(metavar="ID", help="Add to this set instead of a new one.")] = None,
    first: First = None,
    second: Second = None,
    winner: WinnerOption = None,
    p_first: PFirst = None,
    item: Annotated[str | None, typer.Option(metavar="COL", help="Item that was judged. [default: item]")] = None,
    judge: Annotated[str | None, typer.Option(metavar="COL", help="Who judged. [default: judge]")] = None,
    weight: WeightOption = None,
    key: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Key of a candidate, '' for row numbers. [default: key, id or name]"),
    ] = None,
    text: Annotated[
        str | None, typer.Option(metavar="COL", help="Its text. [default: text, output, ..., or the longest]")
    ] = None,
    server: Server = LOCAL,
) -> None:
    """Send a file to a running service: comparisons, or candidates, which is a key and a text in each row.

    With --into, comparisons that the set has already are left out, so sending a file again changes nothing.
    """
    from nextpair.client import Client

    from app.files import transfer
    from app.files.candidates import CandidateColumns
    from app.files.comparisons import ComparisonColumns
    from app.offline.printing import progress_of

    columns = ComparisonColumns(first, second, winner, p_first, judge, weight)
    contents = transfer.read(transfer.Source(file, columns, item, CandidateColumns(key, text)))
    with (
        Client(server, api_key=os.environ.get("NEXTPAIR_API_KEY"), retries=2) as service,
        progress_of(len(contents.comparisons), "sending") as advance,
    ):
        if into is None:
            into = transfer.create(service, name or Path(file).name, question, contents)
        else:
            transfer.extend(service, into, contents)
        sent = transfer.send(service, into, contents.comparisons, advance)
    print(
        f"set {into}: {len(contents.candidates)} candidates, {sent.accepted} comparisons added, "
        f"{sent.duplicates} were there already, version {sent.version}\n{server.rstrip('/')}/sets/{into}"
    )


@app.command("export")
def export_file(
    set_id: Annotated[UUID, typer.Argument(help="Id of the set.")],
    form: Annotated[ExportFormat, typer.Option("--format", help="Format of the log.")] = "csv",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write. [default: stdout]")] = None,
    server: Server = LOCAL,
) -> None:
    """Write the log of a set, comparisons that were voided included."""
    from nextpair.client import Client

    with Client(server, api_key=os.environ.get("NEXTPAIR_API_KEY"), retries=2) as service:
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

    given = {"data_dir": data_dir, "database_url": database_url}
    return Settings.model_validate({name: value for name, value in given.items() if value is not None})


def _place(settings: "Settings") -> str:
    return f"in {settings.data_dir}" if settings.database_url is None else "on your PostgreSQL"


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


@app.command()
def worker(
    server: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The running service. [default: $NEXTPAIR_URL, or this machine's]"),
    ] = None,
    model: Annotated[str | None, typer.Option(help="Name or folder of the model.")] = None,
    judge: Annotated[str | None, typer.Option(help="Name of the judge in the log. [default: the model's]")] = None,
    worker: Annotated[
        str | None, typer.Option(help="Name of this process. A fixed one gets its leases back after a crash.")
    ] = None,
    api_key: Annotated[str | None, typer.Option(help="Of the service. [default: $NEXTPAIR_API_KEY]")] = None,
    sets: Annotated[
        list[str] | None, typer.Option("--set", metavar="ID", help="Only this set; may be repeated.")
    ] = None,
    project: Annotated[str | None, typer.Option(help="Only the sets of this project.")] = None,
    batch: Annotated[int | None, typer.Option(help="Pairs judged in one go. [default: 256]")] = None,
    orders: Annotated[str | None, typer.Option(help="Judge each pair in one order, or in both. [default: one]")] = None,
    absolute: Annotated[
        str | None, typer.Option(metavar="LOW-HIGH", help="Score each text on a scale, such as 1-10, instead.")
    ] = None,
    template: Annotated[
        str | None, typer.Option(help="comparative, comparative-tie, absolute, or a .jinja file of your own.")
    ] = None,
    least_label_mass: Annotated[
        float | None, typer.Option(help="With less on the labels together there is no verdict. [default: 0.1]")
    ] = None,
    lease_seconds: Annotated[float | None, typer.Option(help="Leases are renewed. [default: 120]")] = None,
    until_done: Annotated[
        bool | None, typer.Option("--until-done", help="End when no set has a pair left, instead of waiting.")
    ] = None,
    cost_per_hour: Annotated[float | None, typer.Option(help="Of the machine, for the summary.")] = None,
    metrics_port: Annotated[int | None, typer.Option(help="Serve Prometheus metrics on this port.")] = None,
    engine: Annotated[str | None, typer.Option(help="vllm, openai or scripted. [default: vllm]")] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="openai: the server, with or without /v1.")
    ] = None,
    engine_key: Annotated[str | None, typer.Option(help="openai: API key of that server.")] = None,
    headers: Annotated[
        list[str] | None, typer.Option("--header", metavar="'NAME: VALUE'", help="openai: a header; may be repeated.")
    ] = None,
    body: Annotated[
        str | None,
        typer.Option(metavar="JSON", help='openai: fields of each request, as {"seed": 1}; null takes one out.'),
    ] = None,
    logprobs: Annotated[
        bool | None, typer.Option("--logprobs/--no-logprobs", help="openai: read probabilities, or only the word.")
    ] = None,
    tokenizer: Annotated[
        str | None, typer.Option(help="openai: of the model behind a vLLM server; exact label probabilities.")
    ] = None,
    concurrency: Annotated[int | None, typer.Option(help="openai: requests at a time. [default: 32]")] = None,
    timeout: Annotated[float | None, typer.Option(help="openai: seconds for one request. [default: 120]")] = None,
    rate: Annotated[float | None, typer.Option(help="scripted: judgements a second.")] = None,
    tensor_parallel_size: Annotated[int | None, typer.Option(help="vllm: GPUs that share each layer.")] = None,
    pipeline_parallel_size: Annotated[
        int | None, typer.Option(help="vllm: groups of GPUs that share the layers.")
    ] = None,
    dtype: Annotated[str | None, typer.Option(help="vllm: bfloat16, float16, float32 or auto.")] = None,
    max_model_len: Annotated[int | None, typer.Option(help="vllm: longest prompt in tokens.")] = None,
    quantization: Annotated[str | None, typer.Option(help="vllm: fp8, awq, ...")] = None,
    distributed_executor_backend: Annotated[str | None, typer.Option(help="vllm: mp or ray.")] = None,
    vllm_options: Annotated[
        str | None, typer.Option(metavar="JSON", help='vllm: anything else, as {"gpu_memory_utilization": 0.8}.')
    ] = None,
    config: Annotated[Path | None, typer.Option(exists=True, dir_okay=False, help="The same settings as TOML.")] = None,
) -> None:
    """Judge pairs with a language model, for as long as there are any.

    Every option is also a variable NEXTPAIR_WORKER_..., and a line of the --config file.
    """
    given = {name: value for name, value in locals().items() if value is not None and name != "config"}
    from judge_worker.run import work
    from judge_worker.settings import load

    work(load(given, config, os.environ))


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
    if ctx.invoked_subcommand != "worker":  # whose engine takes the threads that it wants
        one_blas_thread()


def main() -> None:
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code; an error is one line on stderr."""
    _never_fail_on_encoding()
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
        first = problems()[0]
        return f"{'/'.join(map(str, first['loc']))}: {first['msg']}", 2
    return f"unexpected {type(error).__name__}: {error} (NEXTPAIR_TRACEBACK=1 shows where)", 1


def _fail(message: str, exit_code: int) -> int:
    if message:
        print(f"nextpair: {' '.join(message.split())}", file=sys.stderr)
    return exit_code


def _never_fail_on_encoding() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
