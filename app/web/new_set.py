"""Making a set: its form."""

from fastapi import APIRouter, Request, Response
from nextpair.schemas import SetIn

from app.api.dependencies import ContextDep
from app.files.formats import READERS
from app.web.rendering import headers, templates
from app.web.texts import CRITERIA, EXAMPLE_FILES, INFERENCE_TARGETS, ORDERS, POSITION_BIASES

CHOICES = {
    "examples": EXAMPLE_FILES,
    "kinds": ",".join([*READERS, ".gz"]),
    "criteria": list(CRITERIA.items()),
    "orders": list(ORDERS.items()),
    "inference_targets": list(INFERENCE_TARGETS.items()),
    "position_biases": list(POSITION_BIASES.items()),
}

router = APIRouter(include_in_schema=False)


@router.get("/sets/new")
async def form(request: Request, ctx: ContextDep, project: str = "") -> Response:
    """The form, with the defaults of the contract, for a set of this project."""
    defaults = {"defaults": SetIn(name="-", question="-"), "project": project}
    values = {**defaults, "max_bytes": ctx.settings.max_body_bytes, **CHOICES}
    return templates.TemplateResponse(request, "new-set.html", values, headers=headers())
