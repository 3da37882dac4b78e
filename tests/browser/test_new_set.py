"""Making a set in the browser: the file first, then its columns, goal, judge and stop; all of it works by keyboard."""

import csv
import io
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.end_to_end.processes import Server

playwright: Any = pytest.importorskip("playwright.async_api")
expect = playwright.expect

BAD = "key,text\nash,Tall.\nbirch,White, and slender.\nelm,Old.\n"
MENDED = BAD.replace("White, and slender.", '"White, and slender."')
MODELS, CATEGORIES = ("gpt", "llama", "mistral", "qwen"), ("code", "facts", "writing")
PROMPTS = [f"p{n:02}" for n in range(1, 16)]
ROWS = [
    (f"<b>{model}</b> on {prompt}", model, CATEGORIES[n % 3], f"Do {prompt}.", prompt)
    for n, prompt in enumerate(PROMPTS)
    for model in MODELS
]
BATTLES = (
    "left,right,who won\n" + "gpt,<i>llama</i>,gpt\n<i>llama</i>,qwen,tie\nqwen,gpt,nobody\n" + "gpt,qwen,qwen\n" * 9
)
STEPS = 80  # presses of Tab that reach anything
DROP = """([name, content]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], name));
    document.querySelector("#drop").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true }));
}"""


def table(*rows: tuple[str, ...]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


LONG = table(("output", "model", "category", "prompt", "prompt_id"), *ROWS)
WIDE = table(("prompt_id", *MODELS), *((prompt, *(f"{model} {prompt}" for model in MODELS)) for prompt in PROMPTS))


@pytest.fixture
async def page(chromium: Any, server: Server) -> AsyncIterator[Any]:
    page = await chromium.new_page()
    page.on("filechooser", lambda _: None)  # from the start: a key can be faster than the order to catch choosers
    await page.goto(f"{server.url}/sets/new")
    yield page
    await page.close()


async def tab_to(page: Any, name: str, key: str = "Tab") -> None:
    """Press Tab until the element of that id has the focus."""
    for _ in range(STEPS):
        if await page.evaluate("document.activeElement.id") == name:
            return
        await page.keyboard.press(key)
    raise AssertionError(f"{key} does not reach {name}")


def file(content: str, name: str = "trees.csv") -> dict[str, Any]:
    return {"name": name, "mimeType": "text/csv", "buffer": content.encode()}


async def choose(page: Any, content: str) -> None:
    """Choose a file in the field that has the focus, by keyboard."""
    async with page.expect_file_chooser() as chooser:
        await page.keyboard.press("Enter")
    await (await chooser.value).set_files(file(content))
    await expect(page.locator("#preview-heading")).to_be_focused()


async def drop(page: Any, name: str, content: str) -> None:
    await page.evaluate(DROP, [name, content])


async def created(page: Any) -> tuple[str, dict[str, Any]]:
    """The address of the API, and the set, once the page shows how to connect a judge."""
    await expect(page.locator("#done")).to_be_visible()
    address = (await page.get_attribute("#open-results", "href")).replace("/sets/", "/v1/sets/")
    origin = page.url.split("/sets/")[0]
    return origin + address, await (await page.request.get(origin + address)).json()


async def test_a_set_is_made_from_a_file_by_keyboard(page: Any) -> None:
    await expect(page.locator("#rest")).to_be_hidden()
    await tab_to(page, "file")
    await choose(page, BAD)
    await expect(page.locator("#faults tr")).to_have_text(["line 33 fields, the header has 2quote commas"])
    await expect(page.locator("#create")).to_be_disabled()
    await tab_to(page, "file", "Shift+Tab")
    await choose(page, MENDED)
    await expect(page.locator("#rows .cell")).to_have_text(
        ["ash", "Tall.", "birch", "White, and slender.", "elm", "Old."]
    )
    await expect(page.locator("#name")).to_have_value("Trees")
    await tab_to(page, "name")
    await page.keyboard.type("Trees of the <b>north</b>")
    await tab_to(page, "goal-ranking")
    await page.keyboard.press("ArrowDown")
    await expect(page.locator("#estimate")).to_contain_text("comparisons")
    await tab_to(page, "create")
    await page.keyboard.press("Enter")
    _, made = await created(page)
    assert (made["name"], made["question"], made["candidates"]) == (
        "Trees of the <b>north</b>", "Which answer is better?", 3,
    )  # fmt: skip
    assert (made["goal"]["top_k"], made["stop"]["concordance"], made["budget"]) == (1, 0.95, None)
    await expect(page.locator("#advice pre")).to_have_text([re.compile(rf"/sets/{made['id']}/annotate$")])
    await page.reload()
    await expect(page.locator("#title")).to_have_text("“Trees of the <b>north</b>” is ready")


async def test_bad_lines_are_left_out_only_when_one_says_so(page: Any) -> None:
    await page.set_input_files("#file", file(BAD))
    await page.check("#skip")
    await page.click("#create")
    assert (await created(page))[1]["candidates"] == 2


async def test_names_that_look_alike_are_warned_of_before_the_set_is_made(page: Any) -> None:
    await page.set_input_files("#file", file("key,text\nGPT-4,Tall.\ngpt-4,White.\n"))
    await expect(page.locator("#warnings li")).to_have_text([re.compile("'GPT-4' and 'gpt-4'")])
    await page.set_input_files("#file", file("key,text\nGPT-4,Tall.\nLlama,White.\n"))
    await expect(page.locator("#warnings")).to_be_hidden()


async def test_what_is_missing_is_said_at_its_field(page: Any) -> None:
    await page.click("#typed summary")
    await page.fill("#lines", "ash: Tall.\nbirch: White.")
    await page.click("#check")
    await page.fill("#name", "")
    await page.check("#stop-budget")
    await page.fill("#max_comparisons", "0")
    await page.click("#create")
    await expect(page.locator("#name")).to_be_focused()
    await expect(page.locator("#name")).to_have_accessible_description(re.compile("Give the set a name.$"))
    await page.fill("#name", "Trees")
    await page.click("#create")
    await expect(page.locator("#max_comparisons")).to_be_focused()
    await page.fill("#lines", "ash: Tall.")
    await expect(page.locator("#preview")).to_be_hidden()
    await expect(page.locator("#examples")).to_be_visible()


async def test_a_dropped_file_of_models_over_prompts_becomes_a_set(page: Any) -> None:
    await drop(page, "my_answers.csv", LONG)
    await expect(page.locator("#preview-heading")).to_have_text("60 outputs of 4 systems on 15 prompts")
    await expect(page.locator("#examples")).to_be_hidden()
    for column, role in (("model", "system"), ("prompt_id", "prompt"), ("output", "output"), ("category", "")):
        await expect(page.get_by_label(f"Role of column {column}", exact=True)).to_have_value(role)
    await page.click("#outputs summary")
    for _ in range(2):
        await page.get_by_label("Next prompt").click()
    await expect(page.locator("#prompt-text")).to_have_text("Do p03.")
    await expect(page.locator("#side-by-side p")).to_have_text([f"<b>{model}</b> on p03" for model in MODELS])
    await expect(page.locator("#stop-why")).to_contain_text("A budget is proposed")
    await expect(page.locator("#max_comparisons")).to_have_value("90")
    await page.check("#judge-model")
    await page.click("#create")
    address, made = await created(page)
    assert (made["name"], made["stop"], made["budget"]["max_comparisons"]) == ("My answers", None, 90)
    await expect(page.locator("#advice pre")).to_have_count(3)
    await expect(page.locator("#advice pre").last).to_contain_text("--cost-per-1000 10")
    items = (await (await page.request.get(f"{address}/items")).json())["items"]
    assert [(each["key"], each["prompt"], each["tags"]) for each in items] == [
        (prompt, f"Do {prompt}.", {"category": CATEGORIES[n % 3]}) for n, prompt in enumerate(PROMPTS)
    ]


async def test_columns_that_are_not_recognised_are_asked_for(page: Any) -> None:
    await drop(page, "wide.csv", WIDE)
    await expect(page.locator("#candidates-error")).to_contain_text("the rows answer different prompts")
    await page.get_by_label("Each row holds").select_option("wide")
    await expect(page.locator("#ask")).to_have_text("Which columns are the outputs of systems? Which is the prompt?")
    await page.get_by_label("Role of column prompt_id").select_option("prompt")
    for model in MODELS:
        await page.get_by_label(f"Role of column {model}").select_option("systems")
    await expect(page.locator("#preview-heading")).to_have_text("60 outputs of 4 systems on 15 prompts")
    await page.get_by_label("Role of column llama").select_option("")
    await expect(page.locator("#preview-heading")).to_have_text("45 outputs of 3 systems on 15 prompts")
    await expect(page.get_by_label("Role of column llama")).to_be_focused()


async def test_verdicts_become_comparisons_and_a_failure_is_resumed(page: Any) -> None:
    await drop(page, "arena.csv", BATTLES)
    await page.get_by_label("Each row holds").select_option("battles")
    for column, role in (("left", "first"), ("right", "second"), ("who won", "winner")):
        await page.get_by_label(f"Role of column {column}").select_option(role)
    await expect(page.locator("#preview-heading")).to_have_text("11 verdicts of 1 judge on 3 systems")
    await expect(page.locator("#faults tr")).to_have_count(1)
    await page.check("#skip")
    await page.uncheck("#judge-people")
    problem = json.dumps({"title": "Busy", "status": 503, "detail": "The service is busy."})
    await page.route("**/comparisons", lambda route: route.fulfill(status=503, body=problem), times=1)
    await page.click("#create")
    await expect(page.locator("#create-error")).to_contain_text("The service is busy. The set exists")
    await expect(page.locator("#name")).to_be_disabled()
    await page.get_by_role("button", name="Resume").click()
    await page.wait_for_url(re.compile(r"/sets/[0-9a-f-]{36}$"))
    made = await (await page.request.get(page.url.replace("/sets/", "/v1/sets/"))).json()
    assert (made["candidates"], made["comparisons"]) == (3, 11)
