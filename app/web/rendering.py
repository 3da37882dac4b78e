"""Templates, and the headers that keep a page to files of this service."""

from pathlib import Path

from fastapi.templating import Jinja2Templates
from nextpair.words import STATUSES, counted

from app.web.texts import NEXT_STEPS, described

HERE = Path(__file__).parent
POLICY = (
    "default-src 'none'; img-src 'self' data:; font-src 'self'; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

templates = Jinja2Templates(HERE / "templates")
templates.env.globals.update(statuses=STATUSES, described=described, next_steps=NEXT_STEPS, counted=counted)


def headers(policy: str = POLICY) -> dict[str, str]:
    """The headers of a page, with its content security policy."""
    return {"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache"}
