"""What every page of a set shares: its tabs, and a template filled with the set."""

from fastapi import Request, Response
from nextpair.schemas import SetOut

from app.web.rendering import headers, templates
from app.web.texts import NEXT_STEPS, TAB_TIPS, TABS, described


def set_page(request: Request, template: str, of_set: SetOut, **values: object) -> Response:
    """The template, filled with the set and these values; a page below a tab names its `tab`."""
    tab = values.get("tab") or TABS.get(request.url.path.removeprefix(f"/sets/{of_set.id}"))
    statuses = {each: f"{described(each)}. {step}" for each, step in NEXT_STEPS.items()}
    values |= {"set": of_set, "tab": tab, "tabs": TABS, "tab_tips": TAB_TIPS, "statuses": statuses}
    return templates.TemplateResponse(request, template, values, headers=headers())
