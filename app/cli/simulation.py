"""The command simulate, on files or through a running service."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, get_args

import typer
from nextpair.words import JOINT, BatchName, CriterionName, OrderName

from app.cli.options import (
    AbsoluteScaleOption,
    First,
    FormatOption,
    GroupBy,
    MethodOption,
    ParameterOption,
    PFirst,
    PriorOption,
    PriorVariance,
    ScoresOption,
    Second,
    SimulatedBiasOption,
    VerdictWeightOption,
    Where,
    WinnerOption,
    existing,
    within,
)

if TYPE_CHECKING:
    from app.offline.simulation import Runner

CRITERIA = (
    f"Acquisition function: {', '.join(get_args(CriterionName))}, all, round-robin or swiss; repeatable. [default: all]"
)

commands = typer.Typer()


@commands.command()
def simulate(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Files of the judge's verdicts: comparisons, or scores (--score-column).", callback=existing
        ),
    ],
    truth: Annotated[
        str, typer.Option(metavar="FILE", help="File of the true value of every candidate.", callback=existing)
    ],
    truth_column: Annotated[str, typer.Option(metavar="COL", help="Column of the true value.")],
    truth_key: Annotated[str, typer.Option(metavar="COL", help="Column of the candidate in the truth file.")] = "key",
    score_column: Annotated[
        str | None, typer.Option(metavar="COL", help="Column of the judge's absolute scores: p = sigmoid(s_i - s_j).")
    ] = None,
    score_key: Annotated[
        str | None, typer.Option(metavar="COL", help="Column of the candidate beside a score. [default: --truth-key]")
    ] = None,
    temperature: Annotated[
        float,
        typer.Option(help="Divide the judge's logits by this; below 1 makes them sharper.", callback=within(0, 1e6)),
    ] = 1.0,
    noise: Annotated[
        float, typer.Option(min=0, help="Standard deviation of noise in the judge's logits, drawn once for a pair.")
    ] = 0.0,
    first: First = None,
    second: Second = None,
    winner: WinnerOption = None,
    p_first: PFirst = None,
    group_by: GroupBy = None,
    where: Where = None,
    criterion: Annotated[list[str] | None, typer.Option(help=CRITERIA)] = None,
    goal: Annotated[
        str | None, typer.Option(help="Goal: top_k=NUMBER, against=KEY or pair=KEY,KEY. [default: the ranking]")
    ] = None,
    epsilon: Annotated[float, typer.Option(min=0, max=10, help="Exponent of the criterion `exponent`.")] = 0.5,
    equal: Annotated[
        float,
        typer.Option(
            min=0,
            help="Means within this many posterior sds count as equal, for reordering and exponent; the paper has 0.",
        ),
    ] = 0.1,
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each criterion.")] = 5,
    order: Annotated[OrderName, typer.Option(help="Rule for which of a pair is shown first.")] = "balanced",
    batch: Annotated[int, typer.Option(min=1, help="Number of pairs asked at a time.")] = 1,
    batch_by: Annotated[
        BatchName, typer.Option(help="Choose each pair as if those before were judged, or take the top of one list.")
    ] = "greedy",
    target: Annotated[
        float, typer.Option(help="Share of the full-set correlation to reach, from 0 to 1.", callback=within(0, 1))
    ] = 0.9,
    limit_fraction: Annotated[
        float, typer.Option(help="Share of all ordered pairs to stop at, from 0 to 1.", callback=within(0, 1))
    ] = 1.0,
    method: MethodOption = "soft-bt",
    parameter: ParameterOption = None,
    prior: PriorOption = "unit",
    prior_variance: PriorVariance = 1.0,
    position_bias: SimulatedBiasOption = "none",
    verdict_weight: VerdictWeightOption = None,
    pooled: Annotated[bool, typer.Option("--pooled", help="Learn verdict weights from all groups together.")] = False,
    form: FormatOption = "table",
    curve: Annotated[str | None, typer.Option(metavar="FILE", help="Write the curves to this CSV file.")] = None,
    scores: ScoresOption = None,
    absolute_scale: AbsoluteScaleOption = "estimate",
    http: Annotated[
        str | None, typer.Option(metavar="URL", help="URL of a running service to replay through instead.")
    ] = None,
) -> None:
    """Replay active selection against known verdicts: how many comparisons does each criterion need?

    Verdicts come from the file; if it has a pair in the other order only, the verdict is 1 - p. After each comparison,
    the rank correlation with the truth is averaged over the groups. The error of a mean is its standard deviation when
    groups are resampled (bootstrap). The tournaments round-robin and swiss choose pairs without a model. With --pooled,
    the groups share their priors, as the sets of a pool do. With --goal, the share of the best k found, or of pairs in
    order, replaces the correlation.
    """
    from app.files.columns import parse_conditions
    from app.files.comparisons import ComparisonColumns
    from app.inference.choosing import Batch, Criterion, Order, Policy
    from app.inference.fitting import BASELINES, usual_verdict_weight
    from app.offline import cases, goals, simulation
    from app.offline.printing.simulation import show, with_progress, write_curves
    from app.offline.ranking import RankingMethod, parse_parameters, require_possible
    from app.offline.replay import Setup
    from app.offline.tournaments import Tournament

    if method in JOINT:
        raise typer.BadParameter(f"{method} needs several judges, and a replay has one.", param_hint="'--method'")
    if http is not None and batch != 1:
        raise typer.BadParameter("the service is asked for one pair at a time; leave --batch out.")
    if http is not None and pooled:
        raise typer.BadParameter("sets of a simulation have no pool; leave --http out.", param_hint="'--pooled'")
    if http is not None and set(criterion or []) & {*Tournament}:
        raise typer.BadParameter("the service has no tournaments; leave --http out.", param_hint="'--criterion'")
    columns = ComparisonColumns(first, second, winner, p_first)
    scored = cases.ScoreColumns(score_key or truth_key, score_column) if score_column else None
    truth_file = cases.TruthFile(truth, truth_key, truth_column)
    loaded = cases.load(
        files, scored or columns, truth_file, group_by or [], parse_conditions(where or []), temperature, scores
    )
    if scores is not None and method in BASELINES:
        raise typer.BadParameter(f"{method} reads comparisons alone; leave it out.", param_hint="'--scores'")
    policy = Policy(Criterion.RANDOM, epsilon, batch=Batch(batch_by), equal=equal)
    how = RankingMethod(method, prior_variance, parse_parameters(parameter or []), prior, position_bias)
    how = how._replace(
        verdict_weight=verdict_weight or usual_verdict_weight(method, prior), absolute_scale=absolute_scale
    )
    setup = Setup(policy, Order(order), seed=0, method=require_possible(how), batch=batch, pooled=pooled)
    ways, run_all = simulation.ways(criterion or ["all"]), with_progress(_runner(http))
    wanting = [goals.wanting(case, goals.parse(goal)) for case in loaded.cases] if goal else loaded.cases
    curves = simulation.simulate(wanting, ways, seeds, setup, limit_fraction, run_all, noise)
    if curve:
        write_curves(curves, curve)
    show(curves, simulation.costs(curves, target), target, loaded.unscored, form)


def _runner(url: str | None) -> "Runner":
    """Runs in this process, or through the service at `url`."""
    from app.offline import remote, simulation

    if url is None:
        return simulation.in_parallel_where_it_pays
    return partial(remote.run_through, url)
