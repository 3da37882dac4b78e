"""A list of sets, as the home page and the page of a project show it: searched, filtered, sorted, and in pages."""

from datetime import datetime
from typing import NamedTuple, get_args
from urllib.parse import urlencode

from nextpair.schemas import JudgeCounts
from nextpair.words import PageStatus, counted

from app.service.context import Context
from app.service.summaries import MOST_EXAMINED, ListQuery, StateName, listed

PAGE = 50  # sets
USUAL = "-activity"
STATES: dict[StateName, str] = {"open": "Open", "finished": "Finished", "paused": "Paused"}
SORTS = ("activity", "-activity", "name", "-name")
SIGNS: dict[PageStatus, tuple[str, str]] = {  # kind and icon of a badge
    "open": ("", "open"),
    "all_leased": ("", "wait"),
    "exhausted": ("", "check"),
    "cannot_converge": ("doubt", "doubt"),
    "budget_reached": ("", "check"),
    "converged": ("good", "check"),
    "paused": ("", "pause"),
    "preparing": ("", "wait"),
}
UNITS = ((86_400 * 365, "year"), (86_400 * 30, "month"), (86_400, "day"), (3_600, "h"), (60, "min"))
LABELS = {
    "Set": "Sets of candidates, each with its question.",
    "Leader": "Candidate in first place so far.",
    "Confidence": "How sure the result is: P(best) of the leader, or the share of pairs expected in the right order.",
    "Judges": "People and models with a verdict in the set.",
    "Active": "Time of the newest entry in the log.",
    "Progress": "Comparisons made, as a share of those that the goal takes by forecast. Sorts this page.",
    "Status": "Whether there is a pair to judge.",
}


class Chosen(NamedTuple):
    """What a person chose of a list: the parameters of its address."""

    q: str = ""
    project: str = ""
    state: str = ""
    sort: str = ""
    page: int = 1

    def address(self, path: str, **changes: object) -> str:
        """That of the list with these changes; what is as usual is left out."""
        usual = Chosen()._asdict()
        values = {name: value for name, value in (self._asdict() | changes).items() if value != usual[name]}
        return f"{path}?{urlencode(values)}" if values else path


async def list_values(ctx: Context, chosen: Chosen, path: str) -> dict[str, object]:
    """What the template of a list needs; `path` is that of the page."""
    state = next((each for each in get_args(StateName) if each == chosen.state), None)
    sort = chosen.sort if chosen.sort in SORTS else USUAL
    first = PAGE * (chosen.page - 1)
    query = ListQuery(chosen.q, chosen.project or None, state, sort, first, PAGE)  # type: ignore[arg-type]
    shown = await listed(ctx, query)
    in_list = chosen._replace(sort="" if sort == USUAL else sort)
    own = {"project": ""} if path != "/" else {}  # which the address of a project says
    return {
        "sets": shown.sets,
        "chosen": chosen,
        "states": STATES,
        "signs": SIGNS,
        "labels": LABELS,
        "most_examined": MOST_EXAMINED if state in ("open", "finished") else None,
        "is_filtered": bool(chosen.q or chosen.state or chosen.page > 1 or (chosen.project and path == "/")),
        "first": first + 1,
        "sort": sort,
        "sorted_by": {
            name: in_list.address(path, sort=_next(name, sort), page=1, **own) for name in ("name", "activity")
        },
        "previous": chosen.address(path, page=chosen.page - 1, **own) if chosen.page > 1 else None,
        "next": chosen.address(path, page=chosen.page + 1, **own) if shown.has_more else None,
        "ago": ago,
        "people_and_models": people_and_models,
    }


def _next(name: str, sort: str) -> str:
    """The order that a press on the heading `name` asks for; empty for the usual one."""
    usual = {"name": "name", "activity": "-activity"}[name]
    other = usual.removeprefix("-") if usual.startswith("-") else f"-{usual}"
    order = other if sort == usual else usual
    return "" if order == USUAL else order


def ago(then: datetime) -> str:
    """How long ago that was, in few words."""
    seconds = max((datetime.now(then.tzinfo) - then).total_seconds(), 0.0)
    for size, unit in UNITS:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit} ago" if len(unit) < 4 and unit != "day" else f"{counted(count, unit)} ago"
    return "just now"


def people_and_models(judges: JudgeCounts) -> str:
    """The judges of a set, by kind, in words."""
    kinds = ((judges.people, "person"), (judges.models, "model"), (judges.others, "judge"))
    words = [
        counted(count, noun) if noun != "person" or count == 1 else f"{count:,} people"
        for count, noun in kinds
        if count
    ]
    return ", ".join(words) + (" of unknown kind" if judges.others else "") if words else "no judge yet"
