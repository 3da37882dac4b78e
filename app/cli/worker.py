"""The command of a judge that is a language model."""

import os
from pathlib import Path
from typing import Annotated

import typer

commands = typer.Typer()


@commands.command()
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
    options = {name: value for name, value in locals().items() if value is not None and name != "config"}
    from judge_worker.run import work
    from judge_worker.settings import load

    work(load(options, config, os.environ))
