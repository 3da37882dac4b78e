"""The pages of the site that are made from the code."""

from app.main import create_app
from app.settings import Settings
from docs import citation, client_reference, commands_reference, files_reference, settings_reference, statuses_reference
from docs.api_reference import pages

CHANGELOG = "changelog.md"
REFERENCE = {
    "reference/commands.md": commands_reference.page,
    "reference/cite.md": citation.page,
    "reference/client.md": client_reference.page,
    "reference/files.md": files_reference.page,
    "reference/settings.md": settings_reference.page,
    "reference/statuses.md": statuses_reference.page,
}


def generated() -> dict[str, str]:
    """Write the pages that are made from the code, by their paths."""
    document = create_app(Settings()).openapi()
    api = pages(document, statuses_reference.problem_kinds())
    return {path: write() for path, write in REFERENCE.items()} | {f"api/{name}": text for name, text in api.items()}
