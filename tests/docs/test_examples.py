"""The examples of the OpenAPI document are what the service takes and answers."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from docs.examples import FILE, record


def leaves(part: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    match part:
        case dict() | list() if part:
            for name, each in part.items() if isinstance(part, dict) else enumerate(part):
                yield from leaves(each, f"{place}/{name}")
        case _:
            yield place, part


@pytest.mark.slow
async def test_the_examples_are_those_of_a_run(app: FastAPI, http: httpx.AsyncClient) -> None:
    kept, recorded = leaves(json.loads(FILE.read_text())), dict(leaves(await record(app, http)))
    nearly = {place: pytest.approx(leaf, abs=0.002) if isinstance(leaf, float) else leaf for place, leaf in kept}
    assert recorded == nearly, "Run `make openapi`."
