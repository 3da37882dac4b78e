"""Making a set: its form."""

from fastapi import APIRouter, Request, Response
from nextpair.schemas import SetIn
from nextpair.words import CriterionName, InferenceTargetChoice, OrderName, PositionBiasChoice

from app.api.dependencies import ContextDep
from app.files.formats import READERS
from app.web.rendering import headers, templates

CRITERIA: dict[CriterionName, str] = {  # the default first
    "knowledge": "the pair whose answer is expected to settle most of the order",
    "reordering": "the pair whose order is least certain",
    "variance": "the pair whose difference in score is least certain",
    "exponent": "between least certain order and least certain difference",
    "determinant": "the pair that makes all scores together more certain",
    "random": "any pair, by chance",
}
ORDERS: dict[OrderName, str] = {
    "balanced": "the one that has been first less often",
    "both": "every pair is asked in both orders, one after the other",
    "each": "both orders are asked, each when it tells most",
    "as_selected": "the one that joined the set earlier",
}
POSITION_BIASES: dict[PositionBiasChoice, str] = {
    "auto": "estimate it for judges who give probabilities",
    "none": "assume that there is none",
    "estimate": "estimate it for each judge, together with the scores",
    "closed-form": "read it off each judge's mean verdict, before any score",
}
INFERENCE_TARGETS: dict[InferenceTargetChoice, str] = {
    "auto": "decided by what is judged, and by whom",
    "all-pairs": "what these judges would say of all pairs",
    "new-items": "the order on other prompts like these",
    "people": "what people would say",
    "latent": "scores of which every verdict is a noisy reading",
}
CHOICES = {
    "kinds": ",".join([*READERS, ".gz"]),
    "criteria": list(CRITERIA.items()),
    "orders": list(ORDERS.items()),
    "inference_targets": list(INFERENCE_TARGETS.items()),
    "position_biases": list(POSITION_BIASES.items()),
}

router = APIRouter(include_in_schema=False)


@router.get("/sets/new")
async def form(request: Request, ctx: ContextDep) -> Response:
    """The form, with the defaults of the contract."""
    values = {"defaults": SetIn(name="-", question="-"), "max_bytes": ctx.settings.max_body_bytes, **CHOICES}
    return templates.TemplateResponse(request, "new-set.html", values, headers=headers())
