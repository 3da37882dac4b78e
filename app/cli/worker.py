"""Commands of a judge that is a language model: asked by a service, or given a file."""

import os
from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import KINDS, First, Second, existing

commands = typer.Typer()

OF_THE_JOB = frozenset(
    "pairs out on_ray engines first second first_text second_text question part config".split()
)  # options of `judge` that are no settings of the engine

Model = Annotated[str | None, typer.Option(help="Name or folder of the model.")]
Judge = Annotated[str | None, typer.Option(help="Name of the judge in the log. [default: the model's]")]
Batch = Annotated[int | None, typer.Option(help="Pairs judged in one go. [default: 256]")]
Orders = Annotated[str | None, typer.Option(help="Judge each pair in one order, or in both. [default: one]")]
Template = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME|FILE",
        help="comparative, comparative-tie, absolute (for --absolute), or a .jinja file of your own. "
        "Repeat it to judge each pair with several templates.",
    ),
]
LeastLabelMass = Annotated[
    float | None, typer.Option(help="With less on the labels together there is no verdict. [default: 0.1]")
]
CostPerHour = Annotated[float | None, typer.Option(help="Of the machine, for the summary.")]
Engine = Annotated[str | None, typer.Option(help="vllm, openai or scripted. [default: vllm]")]
BaseUrl = Annotated[str | None, typer.Option(metavar="URL", help="openai: the server, with or without /v1.")]
EngineKey = Annotated[str | None, typer.Option(help="openai: API key of that server.")]
Headers = Annotated[
    list[str] | None, typer.Option("--header", metavar="'NAME: VALUE'", help="openai: a header; may be repeated.")
]
Body = Annotated[
    str | None, typer.Option(metavar="JSON", help='openai: fields of each request, as {"seed": 1}; null takes one out.')
]
Logprobs = Annotated[
    bool | None, typer.Option("--logprobs/--no-logprobs", help="openai: read probabilities, or only the word.")
]
Tokenizer = Annotated[
    str | None, typer.Option(help="openai: of the model behind a vLLM server; exact label probabilities.")
]
Concurrency = Annotated[int | None, typer.Option(help="openai: requests at a time. [default: 32]")]
Timeout = Annotated[float | None, typer.Option(help="openai: seconds for one request. [default: 120]")]
Rate = Annotated[float | None, typer.Option(help="scripted: judgements a second.")]
TensorParallelSize = Annotated[int | None, typer.Option(help="vllm: GPUs that share each layer.")]
PipelineParallelSize = Annotated[int | None, typer.Option(help="vllm: groups of GPUs that share the layers.")]
Dtype = Annotated[str | None, typer.Option(help="vllm: bfloat16, float16, float32 or auto.")]
MaxModelLen = Annotated[int | None, typer.Option(help="vllm: longest prompt in tokens.")]
Quantization = Annotated[str | None, typer.Option(help="vllm: fp8, awq, ...")]
VllmOptions = Annotated[
    str | None, typer.Option(metavar="JSON", help='vllm: anything else, as {"gpu_memory_utilization": 0.8}.')
]
Config = Annotated[Path | None, typer.Option(exists=True, dir_okay=False, help="The same settings as TOML.")]


@commands.command()
def worker(
    server: Annotated[
        str | None, typer.Option(metavar="URL", help="The running service. [default: $NEXTPAIR_URL, or this machine's]")
    ] = None,
    model: Model = None,
    judge: Judge = None,
    worker: Annotated[
        str | None, typer.Option(help="Name of this process. A fixed one gets its leases back after a crash.")
    ] = None,
    api_key: Annotated[str | None, typer.Option(help="Of the service. [default: $NEXTPAIR_API_KEY]")] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="ID", help="Only this set; may be repeated. The engine scripted needs it."),
    ] = None,
    project: Annotated[str | None, typer.Option(help="Only the sets of this project.")] = None,
    batch: Batch = None,
    orders: Orders = None,
    absolute: Annotated[
        str | None, typer.Option(metavar="LOW-HIGH", help="Score each text on a scale, such as 1-10, instead.")
    ] = None,
    template: Template = None,
    least_label_mass: LeastLabelMass = None,
    lease_seconds: Annotated[float | None, typer.Option(help="Leases are renewed. [default: 120]")] = None,
    until_done: Annotated[
        bool | None, typer.Option("--until-done", help="End when no set has a pair left, instead of waiting.")
    ] = None,
    cost_per_hour: CostPerHour = None,
    metrics_port: Annotated[int | None, typer.Option(help="Serve Prometheus metrics on this port.")] = None,
    engine: Engine = None,
    base_url: BaseUrl = None,
    engine_key: EngineKey = None,
    headers: Headers = None,
    body: Body = None,
    logprobs: Logprobs = None,
    tokenizer: Tokenizer = None,
    concurrency: Concurrency = None,
    timeout: Timeout = None,
    rate: Rate = None,
    tensor_parallel_size: TensorParallelSize = None,
    pipeline_parallel_size: PipelineParallelSize = None,
    dtype: Dtype = None,
    max_model_len: MaxModelLen = None,
    quantization: Quantization = None,
    distributed_executor_backend: Annotated[str | None, typer.Option(help="vllm: mp or ray.")] = None,
    vllm_options: VllmOptions = None,
    config: Config = None,
) -> None:
    """Judge pairs with a language model, for as long as there are any.

    Every option is also a variable NEXTPAIR_WORKER_..., and a line of the --config file.
    """
    options = {name: value for name, value in locals().items() if value is not None and name != "config"}
    from judge_worker.run import work
    from judge_worker.settings import load

    work(load(options, config, os.environ))


@commands.command("judge")
def judge_files(
    pairs: Annotated[
        str, typer.Argument(help=f"Pairs with their texts: {KINDS}; or a folder or pattern of them.", callback=existing)
    ],
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where the verdicts go; what is there already is not judged again.")
    ],
    on_ray: Annotated[bool, typer.Option("--ray", help="On the Ray cluster of this machine, or on its own.")] = False,
    engines: Annotated[
        int | None,
        typer.Option(min=1, help="--ray: engines at a time. [default: as many as there is room for on the GPUs]"),
    ] = None,
    first: First = None,
    second: Second = None,
    first_text: Annotated[
        str | None, typer.Option(metavar="COL", help="Its text. [default: first_text or response_a]")
    ] = None,
    second_text: Annotated[
        str | None, typer.Option(metavar="COL", help="The other's. [default: second_text or response_b]")
    ] = None,
    question: Annotated[
        str | None, typer.Option(help="What is asked of every pair. [default: the column question]")
    ] = None,
    part: Annotated[int, typer.Option(min=1, help="Pairs of a part, all or nothing of which is written.")] = 4096,
    model: Model = None,
    judge: Judge = None,
    batch: Batch = None,
    orders: Orders = None,
    template: Template = None,
    least_label_mass: LeastLabelMass = None,
    cost_per_hour: CostPerHour = None,
    engine: Engine = None,
    base_url: BaseUrl = None,
    engine_key: EngineKey = None,
    headers: Headers = None,
    body: Body = None,
    logprobs: Logprobs = None,
    tokenizer: Tokenizer = None,
    concurrency: Concurrency = None,
    timeout: Timeout = None,
    rate: Rate = None,
    tensor_parallel_size: TensorParallelSize = None,
    pipeline_parallel_size: PipelineParallelSize = None,
    dtype: Dtype = None,
    max_model_len: MaxModelLen = None,
    quantization: Quantization = None,
    vllm_options: VllmOptions = None,
    config: Config = None,
) -> None:
    """Judge a file of pairs with a language model, without a service. Run it again to go on where it was stopped.

    The folder of verdicts is for `nextpair rank` and `nextpair import`. Options of the engine are also variables
    NEXTPAIR_WORKER_..., and lines of the --config file.
    """
    options = {name: value for name, value in locals().items() if value is not None and name not in OF_THE_JOB}
    from functools import partial

    from app.files.pairs import PairColumns
    from app.offline import judging
    from app.offline.on_ray import judge_on_ray
    from judge_worker.progress import summary
    from judge_worker.settings import load

    if engines is not None and not on_ray:
        raise typer.BadParameter("--engines goes with --ray.")
    settings = load(options, config, os.environ)
    columns = PairColumns(first, second, first_text, second_text, question)
    job = judging.prepare(pairs, columns, out, settings, part)
    done = judging.run(job, partial(judge_on_ray, engines=engines) if on_ray else None)
    print(f"{summary(done, settings.cost_per_hour)}\nverdicts    nextpair rank {out}")
