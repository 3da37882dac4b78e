"""The generated reference leaves nothing of the contract out."""

import re

import pytest

from app.main import create_app
from app.settings import Settings
from docs.api_reference import PAGES, Json, ProblemKind, operations, pages

ANCHOR = re.compile(r"\{ #(\w+) \}")
LINK = re.compile(r"\]\((\w+\.md)#(\w+)\)")


@pytest.fixture(scope="module")
def document() -> Json:
    return create_app(Settings()).openapi()


@pytest.fixture(scope="module")
def made(document: Json) -> dict[str, str]:
    return pages(document, [ProblemKind(404, "unknown-set", "Unknown set")])


def test_every_operation_has_its_place(document: Json, made: dict[str, str]) -> None:
    listed = {(tag, each.title) for tag, group in operations(document).items() for each in group}
    assert len(listed) == sum(len(methods) for methods in document["paths"].values())
    assert all(f"## `{title}`" in made[f"{tag}.md"] for tag, title in listed)
    assert {tag for tag, _ in listed} == set(PAGES)


def test_every_example_is_shown(document: Json, made: dict[str, str]) -> None:
    bodies = [
        content
        for methods in document["paths"].values()
        for spec in methods.values()
        for holder in (spec.get("requestBody", {}), *spec["responses"].values())
        for content in holder.get("content", {}).values()
        if "example" in content
    ]
    assert len(bodies) == sum(page.count("```json") for page in made.values()) - 1  # a problem in the overview


def test_every_link_leads_somewhere(made: dict[str, str]) -> None:
    anchors = {(name, anchor) for name, page in made.items() for anchor in ANCHOR.findall(page)}
    assert {link for page in made.values() for link in LINK.findall(page)} <= anchors
