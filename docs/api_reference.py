"""The API reference: Markdown pages made from the OpenAPI document of the service."""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from docs.markdown import cell, table

Json = dict[str, Any]

PAGES = {
    "sets": "Sets and candidates",
    "judges": "Judges",
    "ask": "Ask for pairs",
    "tell": "Send verdicts",
    "read": "Read results",
    "health": "Health and metrics",
}
MODELS = "models.md"
FORMATS = {"uuid": "UUID", "date-time": "time, RFC 3339"}
RANGES = [("minimum", "maximum", ""), ("minLength", "maxLength", "characters"), ("minItems", "maxItems", "entries")]
BOUNDS = {
    "minimum": "at least {}", "maximum": "at most {}", "exclusiveMinimum": "above {}", "exclusiveMaximum": "below {}",
    "minLength": "{} characters or more", "maxLength": "at most {} characters",
    "minItems": "{} entries or more", "maxItems": "at most {} entries",
}  # fmt: skip


INTRODUCTION = """# API reference

Every operation of the service, from the OpenAPI document of nextpair {version}. A running service has the same document
at `/openapi.json`. Try operations at `/docs`, a page that loads nothing from other hosts.

- Bodies are JSON; times are RFC 3339 in UTC; ids are UUIDs. An unknown field or query parameter is an error.
- A service with a key needs `Authorization: Bearer KEY` on every request except `/healthz` and `/readyz`.
- [openapi.json](../openapi.json) is the document as a file (OpenAPI 3.1). Generate clients in other languages from it.
  Its operations have the names of the Python client's calls: `next_pair`, `send_verdict`.
- A write may carry an `Idempotency-Key`. For a week you can then safely send the same request again with the same key.
- With a key any operation may return 401, and any that takes a body 413. The pages below leave these two out.
- Listings are paginated: send `next_after` of one page as `after` of the next, until it is null.
- An error is a problem (RFC 9457), `application/problem+json`: branch on its `type`, show people its `detail`.

```json
{problem}
```

## Operations

{operations}

## Problems

The `type` is `urn:nextpair:problem:` and the name below. 425, 503 and 507 carry `Retry-After`: wait that long and send
the request again. [Troubleshooting](../how-to/troubleshooting.md) says what to do about each.

| status | type | meaning |
|---|---|---|
{problems}
"""
PROBLEM = {
    "type": "urn:nextpair:problem:unknown-set",
    "title": "Unknown set",
    "status": 404,
    "detail": "There is no candidate set 8f14e45f-ceea-467f-9a5d-3e1f5b7f2c11.",
}


class Operation(NamedTuple):
    method: str
    path: str
    spec: Json

    @property
    def title(self) -> str:
        return f"{self.method.upper()} {self.path}"

    @property
    def anchor(self) -> str:
        return str(self.spec["operationId"])

    @property
    def summary(self) -> str:
        return str(self.spec["description"]).partition("\n")[0]


class ProblemKind(NamedTuple):
    status: int
    code: str
    title: str


def pages(document: Json, problems: list[ProblemKind]) -> dict[str, str]:
    """Write Markdown by file name: an overview, a page for each tag, and the models."""
    document = written_out(document, document["components"]["schemas"])
    groups = operations(document)
    texts = {"index.md": _index(document, groups, problems)}
    texts |= {f"{tag}.md": _page(PAGES[tag], group) for tag, group in groups.items()}
    texts[MODELS] = _models(document["components"]["schemas"])
    return texts


def written_out(part: Any, schemas: Json) -> Any:
    """A part of the document in which only models are references: lists of words and maps stand where they are used."""
    if isinstance(part, list):
        return [written_out(each, schemas) for each in part]
    if not isinstance(part, dict):
        return part
    named = schemas[part["$ref"].rsplit("/", 1)[-1]] if "$ref" in part else {"properties": {}}
    beside = {name: written_out(each, schemas) for name, each in part.items()}
    if "properties" in named:
        return beside
    del beside["$ref"]
    return written_out(named, schemas) | beside


def operations(document: Json) -> dict[str, list[Operation]]:
    """Group operations by tag, in the order of PAGES; a tag without a title is a KeyError: none is left out."""
    groups = defaultdict(list)
    for path, methods in document["paths"].items():
        for method, spec in methods.items():
            groups[spec["tags"][0]].append(Operation(method, path, spec))
    order = list(PAGES)
    return dict(sorted(groups.items(), key=lambda group: order.index(group[0])))


def _index(document: Json, groups: dict[str, list[Operation]], problems: list[ProblemKind]) -> str:
    listed = [_listed(tag, group) for tag, group in groups.items()]
    rows = [f"| {each.status} | `{each.code}` | {each.title} |" for each in sorted(problems)]
    return INTRODUCTION.format(
        version=document["info"]["version"],
        problem=json.dumps(PROBLEM, indent=2),
        operations="\n\n".join(listed),
        problems="\n".join(rows),
    )


def _listed(tag: str, group: list[Operation]) -> str:
    rows = [f"| [`{each.title}`]({tag}.md#{each.anchor}) | {cell(each.summary)} |" for each in group]
    return "\n".join([f"### {PAGES[tag]}", "", "| operation | what it does |", "|---|---|", *rows])


def _page(title: str, group: list[Operation]) -> str:
    return f"# {title}\n\n" + "\n\n".join("\n\n".join(_sections(each)) for each in group) + "\n"


def _sections(operation: Operation) -> Iterator[str]:
    spec = operation.spec
    yield f"## `{operation.title}` {{ #{operation.anchor} }}"
    yield str(spec["description"])
    if parameters := spec.get("parameters"):
        yield table(["parameter", "in", "type", ""], [_parameter(each) for each in parameters])
    if "requestBody" in spec:
        yield from _body("Request", spec["requestBody"]["content"])
    for status, answer in spec["responses"].items():
        if status.startswith("2"):
            yield from _body(f"Response {status}", answer.get("content", {}))
        elif status.startswith("3"):
            yield f"**Response {status}.** {answer['description']}"
    if rows := [_problem(status, answer) for status, answer in spec["responses"].items() if status[0] in "45"]:
        yield "**Problems**"
        yield table(["status", "when"], sorted(rows))


def _parameter(spec: Json) -> list[str]:
    name = f"`{spec['name']}`" + (", required" if spec["required"] and spec["in"] != "path" else "")
    return [name, spec["in"], _type(spec["schema"]), _says(spec["schema"])]


def _problem(status: str, answer: Json) -> list[str]:
    return [status, answer["description"]]


def _body(title: str, content: Json) -> Iterator[str]:
    if not content:
        yield f"**{title}**, without a body."
    for media_type, body in content.items():
        schema = body.get("schema", {})
        what = f": {_type(schema)}" if schema else ""
        yield f"**{title}**, `{media_type}`{what}"
        if "example" in body:
            yield f"```json\n{json.dumps(body['example'], indent=2, ensure_ascii=False)}\n```"


def _models(schemas: Json) -> str:
    shown = [
        "# Models",
        "The fields of every request and response. You may leave out a field that is not *required*.",
    ]
    for name, schema in sorted(schemas.items()):
        if "properties" not in schema:
            continue
        shown += [f"## {name} {{ #{name} }}", *_described(schema), *_fields(schema)]
    return "\n\n".join(shown) + "\n"


def _described(schema: Json) -> list[str]:
    return [schema["description"]] if "description" in schema else []


def _fields(schema: Json) -> list[str]:
    required = schema.get("required", [])
    rows = [
        [f"`{name}`" + (", required" if name in required else ""), _type(field), _says(field)]
        for name, field in schema.get("properties", {}).items()
    ]
    return [table(["field", "type", ""], rows)] if rows else []


def _type(schema: Json) -> str:
    """A schema in words; a model is a link to its fields."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return f"[{name}]({MODELS}#{name})"
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return ", or ".join(_type(choice) for choice in choices)
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    return _plain(schema)


def _plain(schema: Json) -> str:
    kind = schema.get("type", "anything")
    if kind == "array":
        return _array(schema)
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'])}"
    return FORMATS.get(str(schema.get("format")), str(kind)) + _bounds(schema)


def _array(schema: Json) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(_type(each) for each in schema['prefixItems'])}]"
    return f"list of {_type(schema.get('items', {}))}{_bounds(schema)}"


def _bounds(schema: Json) -> str:
    for low, high, unit in RANGES:
        if low in schema and high in schema:
            return f", {schema[low]:,g} to {schema[high]:,g} {unit}".rstrip()
    words = [text.format(f"{schema[name]:,g}") for name, text in BOUNDS.items() if name in schema]
    return "".join(f", {word}" for word in words)


def _says(schema: Json) -> str:
    description = schema.get("description", "")
    default = schema.get("default")
    return f"{description} Default: `{json.dumps(default)}`.".strip() if default is not None else description
