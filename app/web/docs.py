"""The HTTP contract, as Swagger UI shows it; FastAPI's own page would load it from another host."""

from fastapi import APIRouter, Request, Response

from app.web.rendering import headers, templates

router = APIRouter(include_in_schema=False)


@router.get("/docs")
async def docs(request: Request) -> Response:
    """Swagger UI, which reads /openapi.json."""
    return templates.TemplateResponse(request, "docs.html", headers=headers())
