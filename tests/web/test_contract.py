"""The types that pages check their scripts against are those of the contract."""

import re
from pathlib import Path
from typing import Any

import httpx

from docs.api_reference import written_out

DECLARED = Path(__file__).parents[2] / "app/web/contract.d.ts"
PRIMITIVES = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}


def declared() -> dict[str, dict[str, str]]:
    """The type of each field of each interface; names of union types are written out."""
    source = DECLARED.read_text()
    unions = dict(re.findall(r"^  type (\w+) = (.*);$", source, re.M))
    interfaces = re.findall(r"^  interface (\w+) \{\n(.*?)^  \}", source, re.M | re.S)
    fields = {name: re.findall(r"^    (\w+)\??: (.*);$", body, re.M) for name, body in interfaces}
    return {name: {field: spelled(kind, unions) for field, kind in pairs} for name, pairs in fields.items()}


def spelled(kind: str, unions: dict[str, str]) -> str:
    """A type whose name, if it is that of a union or of an array of one, is written out."""
    one = kind.removesuffix("[]")
    return unions.get(one, one) + kind[len(one) :]


def typescript(schema: dict[str, Any]) -> str:
    match schema:
        case {"$ref": str(reference)}:
            return reference.rsplit("/", 1)[-1]
        case {"anyOf": kinds}:
            return " | ".join(map(typescript, kinds))
        case {"enum": values}:
            return " | ".join(f'"{value}"' for value in values)
        case {"type": "array", "prefixItems": items}:
            return f"[{', '.join(map(typescript, items))}]"
        case {"type": "array", "items": item}:
            return f"{typescript(item)}[]"
        case {"type": "object", "additionalProperties": value}:
            return f"Record<string, {typescript(value)}>"
    return PRIMITIVES[schema["type"]]


async def test_every_declared_field_is_in_the_contract_with_its_type(http: httpx.AsyncClient) -> None:
    document = (await http.get("/openapi.json")).json()
    schemas = written_out(document, document["components"]["schemas"])["components"]["schemas"]
    interfaces = declared()
    assert len(interfaces) > 20
    for name, fields in interfaces.items():
        assert fields, name
        properties = schemas[name]["properties"]
        assert fields == {field: typescript(properties[field]) for field in fields}, name
