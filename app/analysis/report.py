"""The report of a ranking, from what the contract says of it: the same for a set of the service and for a file."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from nextpair import schemas
from nextpair.words import CheckVerdict, counted, percent

from app import __version__
from app.files.reports import forest
from app.files.reports.citation import bibtex
from app.files.reports.document import (
    ReportCheck,
    ReportJudge,
    ReportParts,
    ReportRow,
    ReportSlice,
    ReportTable,
    ReportTag,
)
from app.files.reports.seal import LineHash
from app.sentences import methods
from app.sentences import report as sentences

FORMAT = 1  # of the data in a report
FIRST = 50  # candidates of the table; the others are in the appendix
OF_A_SLICE = 10
DOUBTS_FIRST: dict[CheckVerdict, int] = {"doubt": 0, "unknown": 1, "holds": 2}
NOTHING_SAID = "The judges are not described."
KINDS = {"human": "person", "llm": "model", None: "unknown"}


class HashedLog(NamedTuple):
    """The log of a report: an export of the service, or another file."""

    hash: LineHash
    name: str
    is_export: bool


class ReportMaterial(NamedTuple):
    """All that a report is made of."""

    name: str
    question: str
    ranking: schemas.Ranking
    log: HashedLog
    made_at: datetime
    progress: schemas.GoalProgress | None = None  # of a set
    cost: float | None = None  # of all comparisons, where it is known
    definition: schemas.SetOut | None = None  # of a set
    prompts: int = 0
    judges: Sequence[schemas.JudgeCard] = ()
    judges_summary: str = NOTHING_SAID
    checks: Sequence[schemas.Check] = ()
    unchecked: str = ""
    by_tag: Sequence[schemas.Slices] = ()
    people: Sequence[str] = ()  # names
    missing: Sequence[str] = ()  # what the ranking was made of beside its log
    imported: float = 0.0  # share of a set's verdicts on pairs that it did not choose
    priors: schemas.PooledEvidence | None = None  # that other sets shared
    how: Mapping[str, Any] = {}  # of a file: how it was read


def compose(material: ReportMaterial) -> ReportParts:
    """The report, as it is printed."""
    ranking, judges = material.ranking, material.judges
    table = _table(ranking, ranking.ranking)
    only_people = bool(judges) and all(judge.kind == "human" for judge in judges if judge.comparisons)
    answer, *summary = _answer(ranking, material.progress)
    return ReportParts(
        name=material.name,
        question=material.question,
        answer=answer,
        summary=summary,
        figures=sentences.figures(ranking, len(judges), material.cost, material.progress),
        forest=forest.figures(ranking),
        table=table._replace(rows=table.rows[:FIRST]),
        more=table._replace(rows=table.rows[FIRST:]) if len(table.rows) > FIRST else None,
        tags=[_tag(each, ranking) for each in material.by_tag],
        methods=methods.paragraph(
            ranking, material.definition, material.prompts, len(judges), material.imported, material.priors
        ),
        judges=[_judge(judge) for judge in judges],
        judges_summary=material.judges_summary,
        checks=[
            ReportCheck(check.name, check.verdict, check.says, check.figure)
            for check in sorted(material.checks, key=lambda check: DOUBTS_FIRST[check.verdict])
        ],
        unchecked=material.unchecked,
        limits=list(sentences.limits(ranking, only_people=only_people)),
        bibtex=bibtex(__version__),
        sealed=[sentences.SEALED, sentences.NO_SIGNATURE],
        version=ranking.version,
        program=__version__,
        made_at=material.made_at,
        log=material.log.hash,
        log_file=material.log.name,
        data=_data(material),
    )


def stated(ranking: schemas.Ranking) -> list[dict[str, Any]]:
    """The figures of each candidate, as precise as a report states them."""
    decimals = 0 if ranking.method.scale == "elo" else 2
    return [
        {
            "key": row.key,
            "rank": row.rank,
            "score": round(row.score, decimals),
            "interval": row.interval and [round(end, decimals) for end in row.interval],
            "win_rate": row.win_rate and round(row.win_rate, 2),
            "win_rate_interval": row.win_rate_interval and [round(end, 2) for end in row.win_rate_interval],
            "rank_interval": row.rank_interval and [*row.rank_interval],
            "p_best": None if row.p_best is None else round(row.p_best, 2),
            "comparisons": row.comparisons,
        }
        for row in ranking.ranking
    ]


def _data(material: ReportMaterial) -> dict[str, Any]:
    """All that verification needs, and the settings."""
    ranking, definition, log = material.ranking, material.definition, material.log
    return {
        "format": FORMAT,
        "nextpair": __version__,
        "made_at": material.made_at.isoformat(timespec="seconds"),
        "name": material.name,
        "question": material.question,
        "version": ranking.version,
        "log": {"name": log.name, "is_export": log.is_export, **log.hash._asdict()},
        "set": definition and definition.model_dump(mode="json", exclude={"metadata"}),
        "how": dict(material.how),
        "method": ranking.method.model_dump(mode="json"),
        "inference_target": ranking.inference_target.name,
        "people": list(material.people),
        "repeats": {name: judge.known for name, judge in (ranking.repetition or {}).items() if judge.known is not None},
        "beside_the_log": list(material.missing),
        "priors": material.priors and material.priors.model_dump(mode="json", exclude={"seq", "set_id", "created_at"}),
        "ranking": stated(ranking),
    }


def _answer(ranking: schemas.Ranking, progress: schemas.GoalProgress | None) -> list[str]:
    """The answer in one sentence, and the others of the summary, of which the progress replaces what the stop says."""
    first = ranking.first_place or (ranking.summary[-1] if ranking.summary else "")
    left = [progress.sentence] if progress and progress.sentence not in first else []
    replaced = [first, *left, *([ranking.stopping.sentence] if ranking.stopping else [])]
    return [first, *(sentence for sentence in ranking.summary if sentence not in replaced), *left]


def _table(ranking: schemas.Ranking, rows: Sequence[schemas.Rank]) -> ReportTable:
    decimals, level = (0 if ranking.method.scale == "elo" else 2), f"{100.0 * ranking.method.level:g}%"
    has_wins, has_intervals = any(row.win_rate is not None for row in rows), any(row.interval for row in rows)
    has_chances = any(row.p_best is not None for row in rows)
    columns = [
        *([f"win rate ({level})"] if has_wins else []),
        f"score ({level})" if has_intervals else "score",
        *(["ranks"] if has_intervals else []),
        *(["P(best)"] if has_chances else []),
        *(["part"] if ranking.components > 1 else []),
        "comparisons",
    ]

    def figures(row: schemas.Rank) -> list[str]:
        return [
            *([_win_rate(row)] if has_wins else []),
            _score(row, decimals),
            *([_ranks(row.rank_interval)] if has_intervals else []),
            *([percent(row.p_best) if row.p_best is not None else ""] if has_chances else []),
            *([str(row.component + 1)] if ranking.components > 1 else []),
            f"{row.comparisons:,}",
        ]

    listed = [ReportRow(str(row.rank), row.key, figures(row), row.tie_group) for row in rows]
    return ReportTable(columns, listed)


def _win_rate(row: schemas.Rank) -> str:
    if row.win_rate is None:
        return ""
    within = row.win_rate_interval
    return percent(row.win_rate) + (f" ({percent(within[0])}–{percent(within[1])})" if within else "")


def _score(row: schemas.Rank, decimals: int) -> str:
    score = f"{row.score:+z.{decimals}f}"
    if row.interval is None:
        return score
    low, high = (f"{end:+z.{decimals}f}" for end in row.interval)
    return f"{score} ({low} to {high})"


def _ranks(interval: tuple[int, int] | None) -> str:
    if interval is None:
        return ""
    best, worst = interval
    return str(best) if best == worst else f"{best}–{worst}"


def _tag(slices: schemas.Slices, ranking: schemas.Ranking) -> ReportTag:
    return ReportTag(
        slices.tag,
        slices.sentence,
        [
            ReportSlice(
                f"{each.value}: {counted(each.prompts, 'prompt')}, {counted(each.comparisons, 'comparison')}",
                each.deviation.sentence,
                _table(ranking, each.ranking[:OF_A_SLICE]),
            )
            for each in slices.slices
        ],
    )


def _judge(judge: schemas.JudgeCard) -> ReportJudge:
    people, bias = judge.agreement_with_people, judge.position_bias
    within = people and f" ({percent(people.interval[0])}–{percent(people.interval[1])})"
    return ReportJudge(
        judge.judge,
        KINDS[judge.kind],
        judge.model or "",
        f"{judge.comparisons:,}",
        f"{percent(people.share)}{within} of {people.pairs:,}" if people else "",
        f"{bias.delta:+z.2f} ± {bias.sd:.2f}" if bias else "",
        f"{judge.cost:,.2f}" if judge.cost is not None else "",
    )
