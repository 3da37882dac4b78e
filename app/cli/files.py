"""Commands on files, without a service: rank, aggregate, rank-sets, simulate."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, get_args

import typer
from nextpair.words import (
    JOINT,
    AggregationName,
    BatchName,
    CovarianceName,
    CriterionName,
    InferenceTargetChoice,
    OrderName,
    SimultaneousName,
)

from app.cli.options import (
    KINDS,
    AbsoluteScaleOption,
    EvidenceOption,
    First,
    FormatOption,
    GroupBy,
    ItemOption,
    MethodOption,
    ParameterOption,
    PFirst,
    PositionBiasOption,
    PriorOption,
    PriorVariance,
    ScoresOption,
    Second,
    SimulatedBiasOption,
    WeightOption,
    Where,
    WinnerOption,
    existing,
    within,
)

if TYPE_CHECKING:
    from app.offline.simulation import Runner

CRITERIA = f"{', '.join(get_args(CriterionName))} or all, round-robin, swiss, covering; may be repeated. [default: all]"

commands = typer.Typer()


@commands.command()
def rank(
    file: Annotated[
        str,
        typer.Argument(
            help=f"Comparisons: {KINDS}; or a folder or pattern of them; - is CSV on stdin.", callback=existing
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
    from app.inference.fitting import usual_evidence
    from app.inference.reporting import Wanted
    from app.offline.printing.ranking import show
    from app.offline.ranking import RankingMethod, parse_parameters, rank_file, require_possible

    columns, by = ComparisonColumns(first, second, winner, p_first, judge, weight, item), group_by or []
    wanted = Wanted(level, top_k, epsilon)
    how = RankingMethod(method, prior_variance, parse_parameters(parameter or []), prior, position_bias, wanted)
    how = how._replace(evidence=evidence or usual_evidence(method, prior), is_evidence_usual=evidence is None)
    how = how._replace(
        absolute_scale=absolute_scale, reference=tuple(reference or ()), inference_target=inference_target
    )
    rankings = rank_file(file, columns, by, parse_conditions(where or []), require_possible(how), scores)
    if plot is not None:
        from app.offline.drawing import draw

        draw(rankings, plot)
    show(rankings, by, form)


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
    require_possible(
        method, columns, named, encoding, debiased=debias, regulariser=regulariser, as_published=as_published
    )
    answers = load(file, columns, named, encoding, debiased=debias)
    request = AggregationRequest(method, seed, regulariser, as_published)
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


@commands.command()
def simulate(
    files: Annotated[
        list[str],
        typer.Argument(help="What the judge says: comparisons, or scores (--score-column).", callback=existing),
    ],
    truth: Annotated[str, typer.Option(metavar="FILE", help="The true value of every candidate.", callback=existing)],
    truth_column: Annotated[str, typer.Option(metavar="COL", help="Column of the true value.")],
    truth_key: Annotated[str, typer.Option(metavar="COL", help="Column of the candidate in the truth file.")] = "key",
    score_column: Annotated[
        str | None,
        typer.Option(metavar="COL", help="The judge gives absolute scores: p = sigmoid(s_i - s_j)."),
    ] = None,
    score_key: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column of the candidate beside a score. [default: --truth-key]"),
    ] = None,
    temperature: Annotated[
        float, typer.Option(help="Divides the judge's logits: below 1 it is sharper.", callback=within(0, 1e6))
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
        str | None, typer.Option(help="What to know: top_k=NUMBER, against=KEY or pair=KEY,KEY. [default: the ranking]")
    ] = None,
    epsilon: Annotated[float, typer.Option(min=0, max=10, help="Exponent of the criterion `exponent`.")] = 0.5,
    equal: Annotated[
        float,
        typer.Option(
            min=0,
            help="For reordering and exponent: means within this many posterior sds count as equal. The paper has 0.",
        ),
    ] = 0.1,
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each criterion.")] = 5,
    order: Annotated[OrderName, typer.Option(help="Which of a pair is shown first.")] = "balanced",
    batch: Annotated[int, typer.Option(min=1, help="Pairs asked at a time.")] = 1,
    batch_by: Annotated[
        BatchName, typer.Option(help="Each pair as if those before were answered, or the top of one list.")
    ] = "greedy",
    target: Annotated[
        float, typer.Option(help="Share of the full-set correlation to reach.", callback=within(0, 1))
    ] = 0.9,
    limit_fraction: Annotated[
        float, typer.Option(help="Stop at this share of all ordered pairs.", callback=within(0, 1))
    ] = 1.0,
    method: MethodOption = "soft-bt",
    parameter: ParameterOption = None,
    prior: PriorOption = "unit",
    prior_variance: PriorVariance = 1.0,
    position_bias: SimulatedBiasOption = "none",
    evidence: EvidenceOption = None,
    pooled: Annotated[
        bool, typer.Option("--pooled", help="Learn what answers are worth from all groups together.")
    ] = False,
    form: FormatOption = "table",
    curve: Annotated[str | None, typer.Option(metavar="FILE", help="Write the curves to this CSV file.")] = None,
    scores: ScoresOption = None,
    absolute_scale: AbsoluteScaleOption = "estimate",
    http: Annotated[
        str | None, typer.Option(metavar="URL", help="Ask and tell through this running service instead.")
    ] = None,
) -> None:
    """Replay active learning against known answers: how many comparisons does each criterion need?

    The judge's answer to a pair is looked up in the file; where only the other order is there, it is 1 - p.
    The rank correlation with the truth is averaged over the groups after each comparison. The error of a mean is its
    standard deviation when the groups are drawn anew. round-robin, swiss and covering choose pairs without a model;
    covering draws random pairs, those that cover every candidate first. With --pooled the groups advance together, as
    the sets of a pool do, and each has the others' evidence as its prior. With --goal the share of the best k that is
    found, or of the pairs in the right order, stands for the correlation.
    """
    from app.files.columns import parse_conditions
    from app.files.comparisons import ComparisonColumns
    from app.inference.choosing import EQUAL, Batch, Criterion, Order, Policy
    from app.inference.fitting import BASELINES, usual_evidence
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
    if http is not None and equal != EQUAL:
        raise typer.BadParameter("the service takes the default; leave --http out.", param_hint="'--equal'")
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
    how = how._replace(evidence=evidence or usual_evidence(method, prior), absolute_scale=absolute_scale)
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
