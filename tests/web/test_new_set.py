"""The page that makes a set."""

import re
from typing import get_args

import httpx
import pytest
from nextpair.words import CriterionName, InferenceTargetChoice, OrderName, PositionBiasChoice

from app.web.texts import EXAMPLE_FILES
from tests.factories import create_set
from tests.web.test_home import page


async def test_the_form_has_the_defaults_of_the_api(http: httpx.AsyncClient) -> None:
    shown = await page(http, "/sets/new")
    for value in ("knowledge", "balanced", "auto"):
        assert f'<option value="{value}" selected>' in shown
    assert "<summary>Advanced</summary>" in shown


async def test_every_choice_of_the_contract_is_offered_the_default_first(http: httpx.AsyncClient) -> None:
    shown = await page(http, "/sets/new")
    for field, names in (
        ("criterion", CriterionName),
        ("order", OrderName),
        ("position_bias", PositionBiasChoice),
        ("inference_target", InferenceTargetChoice),
    ):
        options = re.findall(
            r'<option value="([^"]+)"( selected)?', shown.split(f'<select id="{field}"')[1].split("</select>")[0]
        )
        assert sorted(name for name, _ in options) == sorted(get_args(names))
        assert [bool(selected) for _, selected in options] == [True, *[False] * (len(options) - 1)]
    assert "the first ones" not in shown
    assert "two first ones" not in shown


@pytest.mark.parametrize(
    ("example", "kind", "layout"),
    [
        ("One text", "texts", None),
        ("One output of one system", "systems", "long"),
        ("A prompt, with a column for each system", "systems", "wide"),
        ("A verdict on two systems", "battles", None),
    ],
)
async def test_the_files_that_the_page_shows_are_recognised(
    http: httpx.AsyncClient, example: str, kind: str, layout: str | None
) -> None:
    shown = await page(http, "/sets/new")
    assert f"<caption>{example}</caption>" in shown
    content = "".join(",".join(row) + "\n" for row in EXAMPLE_FILES[example])
    headers = {"Content-Type": "application/octet-stream"}
    read = (await http.post("/v1/tables", params={"file": "a.csv"}, content=content, headers=headers)).json()
    assert (read["kind"], read["layout"], read["fault_count"]) == (kind, layout, 0)


@pytest.mark.parametrize(("path", "forms"), [("/", "'self'"), ("/sets/new", "'none'")])
async def test_scripts_and_styles_are_files_of_the_service(http: httpx.AsyncClient, path: str, forms: str) -> None:
    await create_set(http)
    answer = await http.get(path)
    assert f"form-action {forms};" in answer.headers["Content-Security-Policy"]
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert not re.search(r"<script(?![^>]* src=)|<style|\son\w+=|\sstyle=", answer.text)
    for address in re.findall(r'(?:src|href)="(/static/[^"]+)"', answer.text):
        assert (await http.get(address)).status_code == 200
