"""Summaries of sets, as a list shows them; what is ranked comes from the ranking that is kept."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple
from zlib import crc32

from nextpair import schemas
from nextpair.words import JudgeKind, PageStatus, SetStatus

from app.analysis.progress import Aim, progress
from app.sentences.confidence import in_short, leaders
from app.service import rankings
from app.service.context import Context
from app.service.definitions import goal_of, stop_of
from app.service.grouping import by_set
from app.service.presenting.sets import present_set
from app.service.rankings import RankingQuery
from app.service.results import FoundSet
from app.service.statuses import statuses
from app.storage import summaries
from app.storage.schema import Record
from app.storage.summaries import SetFilter, SortName

DEFAULT = RankingQuery()  # the ranking that everybody asks for
MOST_EXAMINED = 500  # sets whose status is found out for one list
StateName = Literal["open", "finished", "paused"]
ONGOING: tuple[PageStatus, ...] = ("open", "all_leased", "preparing")


class ListQuery(NamedTuple):
    """The sets that a list shows."""

    name: str = ""  # a part of it
    project: str | None = None
    state: StateName | None = None
    sort: SortName = "-activity"
    offset: int = 0
    limit: int = 50


class ListedSet(NamedTuple):
    """What a list shows of a set without its ranking."""

    set: schemas.SetOut
    mark: str  # changes whenever the summary may
    status: PageStatus
    last_activity: datetime
    judges: schemas.JudgeCounts


class ListedSets(NamedTuple):
    sets: list[ListedSet]
    has_more: bool


async def listed(ctx: Context, query: ListQuery) -> ListedSets:
    """A page of sets. Those that are open, or finished, are looked for among the first MOST_EXAMINED."""
    is_examined, offset, limit = query.state in ("open", "finished"), query.offset, query.limit
    status: SetStatus | None = "open" if is_examined else "paused" if query.state else None
    wanted = SetFilter(query.name, query.project, status, query.sort)
    async with ctx.reading() as db:
        rows = await summaries.find(db, wanted, *((0, MOST_EXAMINED) if is_examined else (offset, limit + 1)))
    words = await statuses(ctx, [present_set(row) for row in (rows if is_examined else rows[:limit])])
    if is_examined:
        fitting = [each for each in zip(rows, words, strict=True) if (each[1] in ONGOING) == (query.state == "open")]
        chosen, has_more = fitting[offset : offset + limit], len(fitting) > offset + limit
    else:
        chosen, has_more = [*zip(rows, words, strict=False)], len(rows) > limit
    async with ctx.reading() as db:
        judges = by_set(await summaries.judges_of(db, [row.id for row, _ in chosen]))
    shown = [
        ListedSet(
            present_set(row),
            f"{row.version}.{row.revision}",
            word,
            row.last_activity,
            count_kinds(each.kind for each in judges[row.id]),
        )
        for row, word in chosen
    ]
    return ListedSets(shown, has_more)


async def fingerprint(ctx: Context, found: FoundSet) -> str:
    """Changes whenever the summary may."""
    async with ctx.reading() as db:
        judges = await summaries.judges_of(db, [found.row.id])
    shown = crc32(repr([tuple(each) for each in judges]).encode())
    return f"{rankings.fingerprint(found, DEFAULT)}-{shown:x}"


async def read(ctx: Context, found: FoundSet) -> schemas.SetSummary:
    """Raises NotConverged, InvalidRequest, Impossible, StillComputing."""
    ranking = await rankings.rank(ctx, found, DEFAULT)
    async with ctx.reading() as db:
        judges = await summaries.verdicts_by_judge(db, found.row.id)
        last_activity = await summaries.last_activity(db, found.row.id)
    cost, goal_progress = cost_and_progress(ranking, found.row, judges)
    places = [(row.key, row.rank, row.p_best) for row in ranking.ranking]
    return schemas.SetSummary(
        set_id=found.row.id,
        version=ranking.version,
        newer_version=ranking.newer_version,
        comparisons=ranking.comparisons,
        cost=cost,
        judges=count_kinds(each.kind for each in judges),
        last_activity=last_activity,
        leaders=[key for key, _ in leaders(places)] if ranking.comparisons else [],
        sentence=ranking.first_place or ranking.summary[1],
        confidence=_confidence(ranking, found.row),
        signal_claimed=ranking.signal.claimed,
        progress=goal_progress,
    )


def cost_and_progress(
    ranking: schemas.Ranking, row: Record, judges: Sequence[Record]
) -> tuple[float | None, schemas.GoalProgress]:
    """What was spent, None where it is not known, and how far the set is to its goal.

    Args: `judges` are those with verdicts, each with its price.
    """
    cost, verdicts = _cost(judges), sum(each.verdicts for each in judges)
    return cost, progress(ranking, _aim(ranking, row), None if cost is None else cost / verdicts)


def count_kinds(kinds: Iterable[JudgeKind | None]) -> schemas.JudgeCounts:
    counts = Counter(kinds)
    return schemas.JudgeCounts(people=counts["human"], models=counts["llm"], others=counts[None])


def _aim(ranking: schemas.Ranking, row: Record) -> Aim:
    ids = {each.key: number for number, each in enumerate(ranking.ranking)}
    return Aim(stop_of(row), goal_of(row, ids), row.max_comparisons)


def _cost(judges: Sequence[Record]) -> float | None:
    """The cost of all verdicts; people without a price cost nothing. None where another judge has none, or nobody."""
    prices = [0.0 if each.cost_per_1000 is None and each.kind == "human" else each.cost_per_1000 for each in judges]
    if all(each.cost_per_1000 is None for each in judges) or None in prices:
        return None
    total: float = sum(price * each.verdicts for price, each in zip(prices, judges, strict=True))
    return total / 1000.0


def _confidence(ranking: schemas.Ranking, row: Record) -> schemas.SummaryConfidence:
    """P(best) of the first where the set looks for its best, else the expected concordance of its goal."""
    goal, top_k = row.goal, (row.stop or {}).get("top_k")
    is_first_wanted = goal.get("top_k") == 1 or (not any(goal.values()) and top_k == 1)
    value = _value(ranking, is_first_wanted)
    told = in_short(value, ranking.signal.case, is_p_best=is_first_wanted, goal=goal, made=ranking.comparisons)
    return schemas.SummaryConfidence(
        measure="p_best" if is_first_wanted else "expected_concordance",
        value=value,
        words=told.words,
        sentence=told.sentence,
    )


def _value(ranking: schemas.Ranking, is_first_wanted: bool) -> float | None:
    if is_first_wanted and ranking.ranking:
        chance: float | None = ranking.ranking[0].p_best
        return chance
    if ranking.confidence is None or not ranking.signal.claimed:
        return None
    return ranking.confidence.expected_concordance
