"""Commands on files, without a service: rank, aggregate, rank-sets."""

from functools import partial
from typing import Annotated

import typer
from nextpair.words import AggregationName, CovarianceName, FigureWidth, InferenceTargetChoice, SimultaneousName

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
    PositionsOption,
    PriorOption,
    PriorVariance,
    RepeatsOption,
    ScaleOption,
    ScoresOption,
    Second,
    SkipEmpty,
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
            help=f"Files of comparisons: {KINDS}; or a folder or pattern; - is CSV on stdin. Several files are several "
            "criteria of the same candidates, side by side.",
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
    inference_target: Annotated[
        InferenceTargetChoice,
        typer.Option(help="What confidence is about; auto decides by what was judged, and by whom."),
    ] = "auto",
    judge: Annotated[
        str | None, typer.Option(metavar="COL", help="Column of the judge. [default: judge, if it exists]")
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Judge who is a person, to validate the others; repeatable."),
    ] = None,
    repeats: RepeatsOption = None,
    positions: PositionsOption = None,
    weight: WeightOption = None,
    item: ItemOption = None,
    skip_empty: SkipEmpty = False,
    scores: ScoresOption = None,
    absolute_scale: AbsoluteScaleOption = "estimate",
    level: Annotated[
        float, typer.Option(help="Probability that an interval holds, from 0 to 1.", callback=within(0, 0.9999))
    ] = 0.95,
    top_k: Annotated[int, typer.Option(min=1, help="Show the probability of being among the best k.")] = 1,
    epsilon: Annotated[float, typer.Option(min=0, help="Treat scores that differ by less than this as tied.")] = 0.0,
    baseline: BaselineOption = None,
    scale: ScaleOption = "logit",
    by: ByOption = None,
    covariate: CovariateOption = None,
    outputs: OutputsOption = None,
    matrix: MatrixOption = False,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw scores and intervals into this .svg, .png or .pdf file too."),
    ] = None,
    width: Annotated[
        FigureWidth | None,
        typer.Option(help="Width of --plot for a journal, without title: single is 85 mm, double is 174 mm."),
    ] = None,
    latex: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the table as LaTeX (booktabs) into this .tex file too.")
    ] = None,
    criterion_weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=NUMBER",
            help="Weight of a file in the mean win rate of several FILES; NAME is its name without the ending.",
        ),
    ] = None,
    form: FormatOption = "table",
) -> None:
    """Rank the candidates of a file of comparisons, or of several files, one for each criterion.

    Intervals of scores hold one at a time; rank intervals hold all together. Candidates of one tie group are not
    distinguished yet. P(best) is shown once the verdicts depend on the candidates (e-value 20).
    """
    from app.files.columns import parse_conditions
    from app.files.comparisons import ComparisonColumns
    from app.inference.fitting import usual_verdict_weight
    from app.inference.reporting import Wanted
    from app.offline.leaderboard import of_files, refuse_of_several
    from app.offline.printing.leaderboard import show as show_leaderboard
    from app.offline.printing.ranking import show
    from app.offline.ranking import RankingMethod, parse_parameters, parse_repeats, rank_file, require_possible

    columns, groups = ComparisonColumns(first, second, winner, p_first, judge, weight, item), group_by or []
    how = RankingMethod(
        method, prior_variance, parse_parameters(parameter or []), prior, position_bias, Wanted(level, top_k, epsilon),
        verdict_weight=verdict_weight or usual_verdict_weight(method, prior),
        is_verdict_weight_usual=verdict_weight is None,
        absolute_scale=absolute_scale, reference=tuple(reference or ()), inference_target=inference_target,
        baseline=baseline, scale=scale, by=by, covariate=tuple(covariate or ()), matrix=matrix,
        repeats=parse_repeats(repeats or []), positions=positions,
    )  # fmt: skip
    read = partial(
        rank_file, columns=columns, group_by=groups, conditions=parse_conditions(where or []),
        method=require_possible(how), scores=scores, outputs_of=outputs, skip_empty=skip_empty,
        say=partial(typer.echo, err=True),
    )  # fmt: skip
    if len(files) > 1:
        refuse_of_several(
            group_by=groups,
            scores=scores,
            plot=plot,
            latex=latex,
            by=by,
            outputs=outputs,
            baseline=baseline,
            matrix=matrix,
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

        draw(rankings, plot, width)
    if latex is not None:
        from app.offline.drawing import write_latex

        write_latex(rankings, latex)
    show(rankings, groups, form)


@commands.command()
def aggregate(
    file: Annotated[
        str, typer.Argument(help="A row for each item, a column for each judge; - is CSV on stdin.", callback=existing)
    ],
    method: Annotated[AggregationName, typer.Option(help="Method that weighs the judges.")] = "dawid-skene",
    judge: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="Column of a judge's probability of yes; repeatable. [default: all]"),
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            help="Column of a person's labels, empty where there are none, to validate the judges; repeatable.",
        ),
    ] = None,
    classes: Annotated[
        list[str] | None,
        typer.Option("--class", metavar="NAME", help="Class that cells name instead of a probability; repeatable."),
    ] = None,
    tie: Annotated[
        str | None, typer.Option(metavar="WORD", help="Word that counts as half a vote for each --class.")
    ] = None,
    item: Annotated[
        str | None, typer.Option(metavar="COL", help="Column of the item's name. [default: its row]")
    ] = None,
    truth: Annotated[
        str | None,
        typer.Option(
            metavar="COL", help="Column of 0, 1 or nothing, to measure accuracy on items that people have not labelled."
        ),
    ] = None,
    text: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="Column of an item's text, for methods that read it; repeatable."),
    ] = None,
    feature: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="Column of a number known of every item, for the same methods; repeatable."),
    ] = None,
    group: Annotated[
        str | None, typer.Option(metavar="COL", help="Column of groups of items that training never splits.")
    ] = None,
    swapped: Annotated[
        str | None,
        typer.Option(
            metavar="COL", help="Column that is 1 where a row shows the two classes of its --item swapped, else 0."
        ),
    ] = None,
    debias: Annotated[
        bool,
        typer.Option("--debias", help="Correct the judges' position bias, and fit their temperature to people."),
    ] = False,
    encoder: Annotated[
        str | None,
        typer.Option(metavar="NAME_OR_PATH", help="Transformer that reads --text. [default: hashed n-grams]"),
    ] = None,
    fine_tune: Annotated[bool, typer.Option("--fine-tune", help="Train the transformer too.")] = False,
    regulariser: Annotated[
        float | None,
        typer.Option(min=0, help="Strength that limits the weight of confident judges. [default: by held-out answers]"),
    ] = None,
    as_published: Annotated[
        bool,
        typer.Option(
            "--as-published",
            help="Follow the paper: ties go to the first class (no), and dawid-skene assumes equal class shares.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of splits, and of draws that break ties.")] = 0,
    form: FormatOption = "table",
) -> None:
    """Combine the verdicts of several judges on the same items, and show how far to trust each judge.

    A cell is a judge's probability of yes, from 0 to 1, or the name of a class with --class; leave it empty where the
    judge gave none. Labels of people on some items (--reference) show how accurate each judge is, and whose errors are
    correlated. With --swapped, the rows of one --item count as one verdict; opposite verdicts are half a vote for each.
    The methods skill-aggregation, skill-aggregation-x, crowdlayer and train-on-majority also read --text or --feature.
    For --encoder, name any Hugging Face transformer, or its folder.
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
    people: Annotated[
        str, typer.Option(metavar="COL", help="Column of people's verdict, empty where only the judge judged.")
    ],
    judge: Annotated[
        list[str],
        typer.Option(metavar="COL", help="Column of a judge's verdict, empty where it did not judge; repeatable."),
    ],
    first: First = None,
    second: Second = None,
    alpha: Annotated[
        float, typer.Option(help="Probability that a rank-set misses the true rank.", callback=within(0, 0.5))
    ] = 0.05,
    covariance: Annotated[
        CovarianceName,
        typer.Option(
            help="Covariance of the scores; published is the paper's, which is too small, to reproduce it only."
        ),
    ] = "sandwich",
    simultaneous: Annotated[
        SimultaneousName | None,
        typer.Option(
            help="What holds jointly: all differences of two systems, or all scores (theta), which is wider. "
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
            help="Weight of a judge, once for each --judge. [default: the one with the smallest variance]",
            show_default=False,
        ),
    ] = None,
    form: FormatOption = "table",
) -> None:
    """Rank systems by a few verdicts of people and many of judges; the result holds even if the judges are wrong."""
    from app.analysis.rank_sets import RankSetsRequest
    from app.offline.printing.rank_sets import show
    from app.offline.rank_sets import load, rank

    meetings = load(file, people, judge, first, second)
    request = RankSetsRequest(judge, [people], alpha, covariance, simultaneous, lambdas or None)
    show(rank(meetings, request), meetings.by_people, form)
