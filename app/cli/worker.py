"""Commands for a language model as judge: of the pairs of a service, or of a file."""

import os
from collections.abc import Iterator
from functools import wraps
from inspect import Parameter, Signature, signature, unwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from typer.core import TyperCommand

from app.cli.options import KINDS, First, Second, existing

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

commands = typer.Typer()

OF_A_SERVICE = frozenset(
    "server worker api_key sets project absolute lease_seconds until_done cost_per_1000 metrics_port "
    "distributed_executor_backend".split()
)  # settings that are no options of `judge`
Config = Annotated[Path | None, typer.Option(exists=True, dir_okay=False, help="These options as a TOML file.")]


class WithSettings(TyperCommand):
    """A command with an option for each setting of a worker. They are made when it is run: engines import much."""

    left_out: frozenset[str] = frozenset()

    def make_context(self, *arguments: Any, **extra: Any) -> Any:
        return self.whole().make_context(*arguments, **extra)

    def whole(self) -> Any:
        """Make the command with all its options."""
        assert self.callback is not None
        command = unwrap(self.callback)
        *own, config, _ = signature(command).parameters.values()

        @wraps(command)
        def with_options(**given: Any) -> None:
            command(**given)

        with_options.__signature__ = Signature([*own, *_options(self.left_out), config])  # type: ignore[attr-defined]
        whole = typer.Typer(add_completion=False, rich_markup_mode=None)
        whole.command(self.name)(with_options)
        return typer.main.get_command(whole)


class OfFiles(WithSettings):
    left_out = OF_A_SERVICE


def _options(left_out: frozenset[str]) -> Iterator[Parameter]:
    from judge_worker.settings import Option, every_setting

    for name, engine, field in every_setting():
        if name not in left_out:
            metavar, one = next((each for each in field.metadata if isinstance(each, Option)), Option())
            kinds = field.annotation, *get_args(field.annotation)
            kind: Any = next((kind for kind in (bool, int, float) if kind in kinds), list[str] if one else str)
            shown = typer.Option(_written(one or name, field), metavar=metavar, help=_help(engine, field))
            yield Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, shown])


def _written(name: str, field: "FieldInfo") -> str:
    """The option as it is written; one that is true by default has an opposite."""
    dashed = name.replace("_", "-")
    return f"--{dashed}/--no-{dashed}" if field.default is True else f"--{dashed}"


def _help(engine: str | None, field: "FieldInfo") -> str:
    described = f"{engine}: {field.description}" if engine else str(field.description)
    has_default = isinstance(field.default, int | float | str) and not isinstance(field.default, bool)
    if not (has_default and field.default) or "[default" in described:
        return described
    return f"{described} [default: {field.default if isinstance(field.default, str) else f'{field.default:g}'}]"


@commands.command(cls=WithSettings)
def worker(*, config: Config = None, **settings: Any) -> None:
    """Let a language model judge the pairs of a service.

    It waits for new pairs until you stop it. Every option is also an environment variable NEXTPAIR_WORKER_... and a
    line of the --config file.
    """
    from judge_worker.run import work
    from judge_worker.settings import load

    work(load(settings, config, os.environ))


@commands.command("judge", cls=OfFiles)
def judge_files(
    pairs: Annotated[
        str, typer.Argument(help=f"Pairs with their texts: {KINDS}; or a folder or pattern of them.", callback=existing)
    ],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for the verdicts. Existing verdicts are kept.")],
    on_ray: Annotated[bool, typer.Option("--ray", help="Run on this machine's Ray cluster, or start Ray.")] = False,
    engines: Annotated[
        int | None,
        typer.Option(min=1, help="--ray: number of engines. [default: as many as fit on the GPUs]"),
    ] = None,
    first: First = None,
    second: Second = None,
    first_text: Annotated[
        str | None, typer.Option(metavar="COL", help="Column of the first text. [default: first_text or response_a]")
    ] = None,
    second_text: Annotated[
        str | None, typer.Option(metavar="COL", help="Column of the second text. [default: second_text or response_b]")
    ] = None,
    question: Annotated[
        str | None, typer.Option(help="Question for every pair. [default: the column question]")
    ] = None,
    part: Annotated[int, typer.Option(min=1, help="Pairs in one output file, which is written as a whole.")] = 4096,
    *,
    config: Config = None,
    **settings: Any,
) -> None:
    """Let a language model judge a file of pairs, without a service.

    Run it again to continue after a stop. `nextpair rank` and `nextpair import` read the folder of verdicts. Options of
    the engine are also environment variables NEXTPAIR_WORKER_... and lines of the --config file.
    """
    from functools import partial

    from app.files.pairs import PairColumns
    from app.offline import judging
    from app.offline.on_ray import judge_on_ray
    from judge_worker.progress import summary
    from judge_worker.settings import load

    if engines is not None and not on_ray:
        raise typer.BadParameter("--engines needs --ray.")
    loaded = load(settings, config, os.environ)
    columns = PairColumns(first, second, first_text, second_text, question)
    job = judging.prepare(pairs, columns, out, loaded, part)
    done = judging.run(job, partial(judge_on_ray, engines=engines) if on_ray else None)
    print(f"{summary(done, loaded.cost_per_hour)}\nverdicts    nextpair rank {out}")
