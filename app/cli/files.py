"""Commands on files, without a service: rank, aggregate, rank-sets."""

from functools import partial
from typing import Annotated

import typer
from nextpair.words import AggregationName, CovarianceName, InferenceTargetChoice, SimultaneousName

from app.cli.deprecated import EvidenceOption, verdict_weight_of
from app.cli.options import (
    KINDS,
    AbsoluteScaleOption,
    BaselineOption,
    ByOption,
    CovariateOption,
    First,
    FormatOption,
    GroupBy,
    ItemOption,
    MatrixOption,
    MethodOption,
    OutputsOption,
    ParameterOption,
    PFirst,
    PositionBiasOption,
    PriorOption,
    PriorVariance,
    ScaleOption,
    ScoresOption,
    Second,
    VerdictWeightOption,
    WeightOption,
    Where,
    WinnerOption,
    existing,
    within,
)

commands = typer.Typer()


@commands.command()
def rank(
    files: Annotated[
        list[str],
        typer.Argument(
            help=f"Comparisons: {KINDS}; or a folder or pattern of them; - is CSV on stdin. Several stand for several "
            "criteria of the same candidates, and are shown side by side.",
            callback=existing,
        ),
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
    position_bias: PositionBiasOption = "auto",
    verdict_weight: VerdictWeightOption = None,
    evidence: EvidenceOption = None,
    inference_target: Annotated[
        InferenceTargetChoice,
        typer.Option(help="What certainty is about; auto decides by what was judged, and by whom."),
    ] = "auto",
    judge: Annotated[str | None, typer.Option(metavar="COL", help="Who judged. [default: judge, if there]")] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A judge who is a person: the others are held against them; repeatable."),
    ] = None,
    weight: WeightOption = None,
    item: ItemOption = None,
    scores: ScoresOption = None,
    absolute_scale: AbsoluteScaleOption = "estimate",
    level: Annotated[
        float, typer.Option(help="Probability that an interval holds.", callback=within(0, 0.9999))
    ] = 0.95,
    top_k: Annotated[int, typer.Option(min=1, help="Show the probability of being among the first k.")] = 1,
    epsilon: Annotated[float, typer.Option(min=0, help="Scores that differ by less than this count as tied.")] = 0.0,
    baseline: BaselineOption = None,
    scale: ScaleOption = "logit",
    by: ByOption = None,
    covariate: CovariateOption = None,
    outputs: OutputsOption = None,
    matrix: MatrixOption = False,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw scores and intervals into this .svg or .png too.")
    ] = None,
    criterion_weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=NUMBER",
            help="Of several FILES: average win rates by these weights; NAME is a file's, without its ending.",
        ),
    ] = None,
    form: FormatOption = "table",
) -> None:
    """Rank the candidates of a file of comparisons, or of several files, one for each criterion.

    The intervals of scores hold one by one; the intervals of ranks hold all together. Nobody is surely worse than the
    first of its tie group.
    """
    from app.files.columns import parse_conditions
    from app.files.comparisons import ComparisonColumns
    from app.inference.fitting import usual_verdict_weight
    from app.inference.reporting import Wanted
    from app.offline.leaderboard import of_files, refuse_of_several
    from app.offline.printing.leaderboard import show as show_leaderboard
    from app.offline.printing.ranking import show
    from app.offline.ranking import RankingMethod, parse_parameters, rank_file, require_possible

    weighing = verdict_weight_of(verdict_weight, evidence)
    columns, groups = ComparisonColumns(first, second, winner, p_first, judge, weight, item), group_by or []
    how = RankingMethod(
        method, prior_variance, parse_parameters(parameter or []), prior, position_bias, Wanted(level, top_k, epsilon),
        verdict_weight=weighing or usual_verdict_weight(method, prior), is_verdict_weight_usual=weighing is None,
        absolute_scale=absolute_scale, reference=tuple(reference or ()), inference_target=inference_target,
        baseline=baseline, scale=scale, by=by, covariate=tuple(covariate or ()), matrix=matrix,
    )  # fmt: skip
    read = partial(
        rank_file, columns=columns, group_by=groups, conditions=parse_conditions(where or []),
        method=require_possible(how), scores=scores, outputs_of=outputs,
    )  # fmt: skip
    if len(files) > 1:
        refuse_of_several(
            group_by=groups, scores=scores, plot=plot, by=by, outputs=outputs, baseline=baseline, matrix=matrix
        )
        show_leaderboard(of_files(files, [read(file)[0].ranking for file in files], criterion_weight or ()), form)
        return
    if matrix and form == "csv":
        raise typer.BadParameter("has no place in CSV; leave it out, or choose --format json.", param_hint="--matrix")
    if criterion_weight:
        raise typer.BadParameter("is of several FILES; there is one.", param_hint="--criterion-weight")
    rankings = read(files[0])
    if plot is not None:
        from app.offline.drawing import draw

        draw(rankings, plot)
    show(rankings, groups, form)


@commands.command()
def aggregate(
    file: Annotated[
        str, typer.Argument(help="A row for each item, a column for each judge; - is CSV on stdin.", callback=existing)
    ],
    method: Annotated[AggregationName, typer.Option(help="How judges are weighed.")] = "dawid-skene",
    judge: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="A judge's probability of yes; may be repeated. [default: all]"),
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL", help="A person's labels, empty where there are none; judges are held against them."
        ),
    ] = None,
    classes: Annotated[
        list[str] | None,
        typer.Option("--class", metavar="NAME", help="Cells name one of these instead of a probability; repeatable."),
    ] = None,
    tie: Annotated[
        str | None, typer.Option(metavar="WORD", help="Is half a vote for each --class, rather than one itself.")
    ] = None,
    item: Annotated[str | None, typer.Option(metavar="COL", help="What names the item. [default: its row]")] = None,
    truth: Annotated[
        str | None,
        typer.Option(metavar="COL", help="0, 1 or empty, to measure accuracy on what people have not labelled."),
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
    swapped: Annotated[
        str | None,
        typer.Option(metavar="COL", help="1 where a row shows its --item's two classes the other way round, else 0."),
    ] = None,
    debias: Annotated[
        bool,
        typer.Option("--debias", help="Take off judges' liking for a position, and fit their temperature to people."),
    ] = False,
    encoder: Annotated[
        str | None,
        typer.Option(metavar="NAME_OR_PATH", help="Transformer that reads --text. [default: hashed n-grams]"),
    ] = None,
    fine_tune: Annotated[bool, typer.Option("--fine-tune", help="Train the transformer too.")] = False,
    regulariser: Annotated[
        float | None,
        typer.Option(min=0, help="Keeps sure judges from being believed too much. [default: by answers held out]"),
    ] = None,
    as_published: Annotated[
        bool,
        typer.Option(
            "--as-published",
            help="Follow the paper: ties go to the first class (no), and dawid-skene assumes equal class shares.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Of splits and of draws that break ties.")] = 0,
    form: FormatOption = "table",
) -> None:
    """One verdict from several judges' on the same items, and how far each judge can be believed.

    A cell is the probability that a judge gives to yes, 0 and 1 included, or with --class the name of a class; an empty
    one says nothing. Labels of people on some items (--reference) tell how right each judge is, and which err together.
    With --swapped the rows of one --item are put together: two words against each other are half a vote for each.
    skill-aggregation, skill-aggregation-x, crowdlayer and train-on-majority also read --text or --feature; --encoder
    is any Hugging Face transformer, by name or folder.
    """
    from app.analysis.aggregation import AggregationRequest
    from app.offline.aggregation import AggregationColumns, Classes, load, require_possible
    from app.offline.aggregation import aggregate as aggregated
    from app.offline.item_context import TextEncoding
    from app.offline.printing.aggregation import show

    columns = AggregationColumns(judge or (), reference or (), item, truth, text or (), feature or (), group, swapped)
    named, encoding = Classes(classes or (), tie), TextEncoding(encoder, fine_tune)
    request = AggregationRequest(method, seed, regulariser, as_published)
    require_possible(request, columns, named, encoding, debiased=debias)
    answers = load(file, columns, named, encoding, debiased=debias)
    show(aggregated(answers, request), form, names_classes=answers.names_classes)


@commands.command("rank-sets")
def rank_sets(
    file: Annotated[
        str,
        typer.Argument(help="A row for each instance: two systems and who won; - is CSV on stdin.", callback=existing),
    ],
    people: Annotated[str, typer.Option(metavar="COL", help="People's verdict; empty where only the judge judged.")],
    judge: Annotated[
        list[str], typer.Option(metavar="COL", help="A judge's verdict, where it judged; may be repeated.")
    ],
    first: First = None,
    second: Second = None,
    alpha: Annotated[float, typer.Option(help="Chance that a rank-set misses.", callback=within(0, 0.5))] = 0.05,
    covariance: Annotated[
        CovarianceName,
        typer.Option(
            help="published: the paper's theta, lambda and covariance, which is too small; to reproduce it only."
        ),
    ] = "sandwich",
    simultaneous: Annotated[
        SimultaneousName | None,
        typer.Option(
            help="What holds together: all differences of two systems, or all of theta, which is wider. "
            "[default: contrasts; ellipsoid if published]",
            show_default=False,
        ),
    ] = None,
    lambdas: Annotated[
        list[float] | None,
        typer.Option(
            "--lambda",
            min=0.0,
            max=1.0,
            help="How far a judge is used; once for each --judge. [default: so that theta varies least]",
            show_default=False,
        ),
    ] = None,
    form: FormatOption = "table",
) -> None:
    """Rank systems by a few verdicts of people and many of judges, without trusting the judges."""
    from app.analysis.rank_sets import RankSetsRequest
    from app.offline.printing.rank_sets import show
    from app.offline.rank_sets import load, rank

    meetings = load(file, people, judge, first, second)
    request = RankSetsRequest(judge, [people], alpha, covariance, simultaneous, lambdas or None)
    show(rank(meetings, request), meetings.by_people, form)
