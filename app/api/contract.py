"""The OpenAPI document: what FastAPI makes of the routes, and what it leaves out or leaves without a name."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from fastapi import FastAPI
from nextpair import words
from nextpair.schemas import common

from app.api.access import OPEN
from app.api.problems import documented
from app.service.errors import DatabaseDown, InvalidRequest

Json = dict[str, Any]

SERVERS = [{"url": "/", "description": "The service that this document comes from."}]
LICENSE = {"name": "Apache License 2.0", "identifier": "Apache-2.0"}
KEYS = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "NEXTPAIR_API_KEY of the service."},
    "basic": {"type": "http", "scheme": "basic", "description": "For browsers: any name, and the key as the password."},
}
EITHER_OR_NONE: list[dict[str, list[str]]] = [{"bearer": []}, {"basic": []}, {}]  # none: see app.api.access
EXAMPLES: Json = json.loads(Path(__file__).with_name("examples.json").read_text("utf-8"))  # by operation, of a real run
STREAM = "text/event-stream"
EVENT = 'event: status\nid: 1\ndata: {"version": 1, "comparisons": 1, "candidates": 2, "status": "open"}\n\n'
REFERENCE = "#/components/schemas/"
SAID_BESIDE = ("title", "description", "default", "examples")  # what a field says of itself beside its type
NAMES = {
    get_args(alias): name
    for module in (words, common)
    for name, alias in vars(module).items()
    if get_origin(alias) is Literal
}


def install(app: FastAPI) -> None:
    """Let `app.openapi()` return the whole document."""
    build = app.openapi

    def openapi() -> Json:
        if app.openapi_schema is None:
            _complete(build())
        return build()

    app.openapi = openapi  # type: ignore[method-assign]  # the way FastAPI documents


def _complete(document: Json) -> None:
    for unused in ("HTTPValidationError", "ValidationError"):
        document["components"]["schemas"].pop(unused, None)
    for path, methods in document["paths"].items():
        for operation in methods.values():
            _illustrate(operation)
            _document_problems(operation)
            _document_stream(operation)
            if path in OPEN:
                operation["security"] = []
    document["components"]["securitySchemes"] = KEYS
    document["security"] = EITHER_OR_NONE
    _name_schemas(document)


def _illustrate(operation: Json) -> None:
    example = EXAMPLES.get(operation["operationId"], {})
    bodies = [("request", operation.get("requestBody", {}))]
    bodies += [("response", answer) for status, answer in operation["responses"].items() if status.startswith("2")]
    for part, body in bodies:
        if part in example and "application/json" in body.get("content", {}):
            body["content"]["application/json"]["example"] = example[part]


def _document_problems(operation: Json) -> None:
    """Document what any operation may answer: FastAPI's own 422 is never sent."""
    answers = operation["responses"]
    if "HTTPValidationError" in str(answers.get("422")):
        del answers["422"]
    for status, problem in documented(InvalidRequest, DatabaseDown).items():
        answers.setdefault(str(status), problem)


def _document_stream(operation: Json) -> None:
    """FastAPI describes a stream's events by `itemSchema`, which is of OpenAPI 3.2; the document is one of 3.1."""
    for answer in operation["responses"].values():
        if STREAM in answer.get("content", {}):
            answer["content"][STREAM] = {"schema": {"type": "string"}, "example": EVENT}


def _name_schemas(document: Json) -> None:
    """Give a name to each list of words, and to each object among several types, which have none of their own.

    Else generators of clients number them: `method_prior_type_0`.
    """
    schemas = document["components"]["schemas"]
    for place, schema in list(_places(document)):
        _name_within(schema, place, schemas)


def _places(document: Json) -> Iterator[tuple[str, Json]]:
    """The schema of each field and parameter, with the name of the place."""
    for name, schema in document["components"]["schemas"].items():
        for field, shape in schema.get("properties", {}).items():
            yield name + _camel(field), shape
    for methods in document["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", []):
                yield _camel(operation["operationId"]) + _camel(parameter["name"]), parameter["schema"]


def _name_within(schema: Json, place: str, schemas: Json, *, one_of_several: bool = False) -> None:
    """Make `schema`, or what it holds, a reference to a schema with a name."""
    for choice in schema.get("anyOf", []):
        _name_within(choice, place, schemas, one_of_several=True)
    for part in ("items", "propertyNames", "additionalProperties"):
        if isinstance(schema.get(part), dict):
            _name_within(schema[part], place + ("Value" if part == "additionalProperties" else ""), schemas)
    known = NAMES.get(tuple(schema.get("enum", [])))
    if known or (one_of_several and ("enum" in schema or "additionalProperties" in schema)):
        beside = {key: schema.pop(key) for key in SAID_BESIDE if key in schema}
        schemas[known or place] = schema.copy()
        schema.clear()
        schema.update({"$ref": REFERENCE + (known or place)}, **beside)


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.replace("-", "_").split("_"))
