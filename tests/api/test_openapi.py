"""The OpenAPI document is complete; that its examples are true is in tests/docs."""

from collections.abc import Iterator
from inspect import isfunction
from typing import Any, get_origin, get_type_hints

import pytest
from fastapi import FastAPI
from nextpair import calls

from app.main import create_app
from app.settings import Settings

STREAMED = {"/v1/sets/{set_id}/events", "/metrics"}


@pytest.fixture(scope="module")
def application() -> FastAPI:
    return create_app(Settings(database_url="postgresql://nobody@127.0.0.1:1/nowhere"))


@pytest.fixture(scope="module")
def document(application: FastAPI) -> dict[str, Any]:
    return application.openapi()


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def bodies(operation: dict[str, Any], wanted: str) -> Iterator[dict[str, Any]]:
    """JSON contents: of the request, or of the answers whose status begins with `wanted`."""
    holders = [operation["requestBody"]] if wanted == "request" and "requestBody" in operation else []
    holders += [answer for status, answer in operation["responses"].items() if status.startswith(wanted)]
    yield from (h["content"]["application/json"] for h in holders if "application/json" in h.get("content", {}))


@pytest.mark.parametrize("where", ["request", "2"])
def test_every_json_request_and_success_has_an_example(document: dict[str, Any], where: str) -> None:
    assert not [name for name, o in operations(document) for body in bodies(o, where) if "example" not in body]


def test_every_operation_says_what_it_does(document: dict[str, Any]) -> None:
    assert not [name for name, operation in operations(document) if not operation.get("description")]


def test_every_field_has_a_type(document: dict[str, Any]) -> None:
    untyped = [
        f"{name}.{field}"
        for name, schema in document["components"]["schemas"].items()
        for field, shape in schema.get("properties", {}).items()
        if not {"type", "$ref", "anyOf", "allOf", "const", "enum"} & shape.keys()
    ]
    assert not untyped


def test_problems_are_documented_as_they_are_sent(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        failures = {status: a for status, a in operation["responses"].items() if status[0] in "45"}
        assert "422" in failures, name
        assert "503" in failures, name
        for status, answer in failures.items():
            assert set(answer["content"]) == {"application/problem+json"}, (name, status)


@pytest.mark.parametrize(
    ("operation", "status"),
    [("get /v1/sets/{set_id}", "410"), ("post /v1/assignments/{assignment_id}/verdict", "409"),
     ("post /v1/sets/{set_id}/absolute-scores", "404"), ("get /v1/sets/{set_id}/calibration", "404"),
     ("post /v1/sets/{set_id}/candidates", "413"), ("get /v1/sets/{set_id}/events", "404")],
)  # fmt: skip
def test_an_operation_documents_its_own_problems(document: dict[str, Any], operation: str, status: str) -> None:
    assert status in dict(operations(document))[operation]["responses"]


def test_the_frameworks_own_error_shape_is_not_documented(document: dict[str, Any]) -> None:
    assert "HTTPValidationError" not in str(document)


def test_operations_are_named_as_the_clients_calls(document: dict[str, Any]) -> None:
    described = {
        name
        for name, call in vars(calls).items()
        if isfunction(call)
        and call.__module__ != calls.Call.__module__  # which has what all of them share
        and get_origin(get_type_hints(call)["return"]) is calls.Call
    }
    named = [operation["operationId"] for _, operation in operations(document)]
    assert len(set(named)) == len(named)
    assert set(named) - {"events", "alive", "metrics"} == described - {"ranking_picture", "ranking_latex"}


def test_what_is_one_of_several_types_has_a_name(document: dict[str, Any]) -> None:
    """Else generated clients number it, as in `method_prior_type_0`."""

    def unnamed(part: Any, place: str) -> Iterator[str]:
        if isinstance(part, dict):
            for choice in part.get("anyOf", []):
                if "enum" in choice or "additionalProperties" in choice:
                    yield place
            for name, each in part.items():
                yield from unnamed(each, f"{place}/{name}")
        elif isinstance(part, list):
            for each in part:
                yield from unnamed(each, place)

    assert not list(unnamed(document, ""))


def test_a_header_is_spelt_as_in_its_standard(document: dict[str, Any]) -> None:
    headers = {
        parameter["name"]
        for _, operation in operations(document)
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "header"
    }
    assert headers == {"Idempotency-Key", "If-None-Match", "Last-Event-ID"}


def test_every_operation_says_which_key_it_takes(document: dict[str, Any]) -> None:
    schemes = document["components"]["securitySchemes"]
    assert [set(each) for each in document["security"]] == [{"bearer"}, {"basic"}, set()]
    assert {each["scheme"] for each in schemes.values()} == {"bearer", "basic"}
    open_to_all = {name for name, operation in operations(document) if operation.get("security") == []}
    assert open_to_all == {"get /healthz", "get /readyz"}


def test_document_uses_no_keyword_of_a_later_openapi(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1.")
    assert "itemSchema" not in str(document)
    assert document["servers"]
    assert document["paths"]["/v1/sets/{set_id}/events"]["get"]["responses"]["200"]["content"]["text/event-stream"][
        "example"
    ]
