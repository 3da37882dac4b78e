"""A set of systems made in the browser: a file of models over prompts is dropped, seen, and created."""

import csv
import io
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.end_to_end.processes import Server

playwright: Any = pytest.importorskip("playwright.async_api")
expect = playwright.expect

MODELS, CATEGORIES = ("gpt", "llama", "mistral", "qwen"), ("code", "facts", "writing")
PROMPTS = [f"p{n:02}" for n in range(1, 16)]
ROWS = [
    (f"<b>{model}</b> on {prompt}", model, CATEGORIES[n % 3], f"Do {prompt}.", prompt)
    for n, prompt in enumerate(PROMPTS)
    for model in MODELS
]
DROP = """([name, content]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], name));
    document.querySelector("#drop").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true }));
}"""


@pytest.fixture
async def page(chromium: Any, server: Server) -> AsyncIterator[Any]:
    page = await chromium.new_page()
    await page.goto(f"{server.url}/sets/new")
    yield page
    await page.close()


def table(*rows: tuple[str, ...]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


LONG = table(("output", "model", "category", "prompt", "prompt_id"), *ROWS)
WIDE = table(
    ("prompt_id", *MODELS, "category"),
    *((prompt, *(f"{model} {prompt}" for model in MODELS), "code") for prompt in PROMPTS),
)


async def drop(page: Any, name: str, content: str) -> None:
    await page.evaluate(DROP, [name, content])
    await expect(page.locator("#preview-heading")).to_have_text(f"4 systems in {name}")


async def test_a_dropped_file_of_models_over_prompts_becomes_a_set(page: Any) -> None:
    await drop(page, "answers.csv", LONG)
    for field, column in (("system", "model"), ("prompt", "prompt_id"), ("output", "output")):
        await expect(page.locator(f"#{field}-column")).to_have_value(column)
    await expect(page.get_by_label("System column")).to_be_visible()
    await expect(page.locator("#outputs-summary")).to_have_text(
        "4 systems, 15 prompts, 60 outputs. Tags of prompts: category."
    )
    for _ in range(2):
        await page.get_by_label("Next prompt").click()
    await expect(page.locator("#prompt-place")).to_have_text("Prompt 3 of 15: p03")
    await expect(page.locator("#prompt-text")).to_have_text("Do p03.")
    await expect(page.locator("#prompt-tags")).to_have_text("category: writing")
    await expect(page.locator("#side-by-side h3")).to_have_text(list(MODELS))
    await expect(page.locator("#side-by-side p")).to_have_text([f"<b>{model}</b> on p03" for model in MODELS])
    await page.fill("#name", "Assistants")
    await page.fill("#question", "Which answer helps more?")
    await page.get_by_role("button", name="Create set with 4 systems").click()
    await page.wait_for_url("**/sets/*-*")
    created = page.url.replace("/sets/", "/v1/sets/")
    items = (await (await page.request.get(f"{created}/items")).json())["items"]
    assert [(each["key"], each["prompt"], each["tags"]) for each in items] == [
        (prompt, f"Do {prompt}.", {"category": CATEGORIES[n % 3]}) for n, prompt in enumerate(PROMPTS)
    ]
    candidates = (await (await page.request.get(f"{created}/candidates")).json())["candidates"]
    assert {each["key"]: each["outputs"] for each in candidates} == {
        model: {prompt: f"<b>{model}</b> on {prompt}" for prompt in PROMPTS} for model in MODELS
    }


async def test_columns_that_are_not_recognised_are_asked_for(page: Any) -> None:
    await page.evaluate(DROP, ["wide.csv", WIDE])
    await expect(page.locator("#candidates-error")).to_contain_text("the rows answer different prompts")
    await expect(page.locator("#create")).to_be_disabled()
    await page.get_by_label("Row contains").select_option("wide")
    await page.get_by_label("Prompt column").select_option("prompt_id")
    for model in MODELS:
        await page.get_by_label(model, exact=True).check()
    boxes = page.locator("#system-columns input:checked")
    await expect(page.locator("#preview-heading")).to_have_text("4 systems in wide.csv")
    await expect(boxes).to_have_count(4)
    await expect(page.locator("#system-column")).to_be_hidden()
    await page.get_by_label("llama", exact=True).focus()
    await page.keyboard.press("Space")
    await expect(page.locator("#preview-heading")).to_have_text("3 systems in wide.csv")
    await expect(page.locator("#side-by-side h3")).to_have_text(["gpt", "mistral", "qwen"])
    await expect(page.get_by_label("llama", exact=True)).to_be_focused()


async def test_rows_may_be_texts_of_their_own(page: Any) -> None:
    await drop(page, "answers.csv", LONG)
    await page.get_by_label("Row contains").select_option("texts")
    await page.get_by_label("Text column").select_option("output")
    await expect(page.locator("#preview-heading")).to_have_text("60 candidates in answers.csv")
    await expect(page.locator("#rows td").first).to_have_text("<b>gpt</b> on p01")
    await expect(page.locator("#outputs")).to_be_hidden()
    await page.get_by_label("Row contains").select_option("long")
    for question, column in (("System column", "model"), ("Prompt column", "prompt_id")):
        await page.get_by_label(question).select_option(column)
    await page.get_by_label("Output column").select_option("output")
    await expect(page.locator("#preview-heading")).to_have_text("4 systems in answers.csv")
