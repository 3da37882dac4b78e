"""Texts of strangers are shown as they are; long ones scroll together; differences are marked."""

from playwright.async_api import expect

from tests.browser.conftest import NewSet, Someone

HOSTILE = [
    "<script>document.title = 'owned'; alert(1)</script>",
    "<img src=x onerror=\"alert('owned')\"><svg onload=alert(2)>",
    '"><a href="javascript:alert(3)">click</a><style>body { display: none }</style>',
    "\u202eright to left\u202c مرحبا بالعالم <b>bold</b> {{ 7 * 7 }} ${alert(4)}",
    "x" * 200_000,
    "</div></section><iframe srcdoc='<script>parent.alert(5)</script>'></iframe>",
]


async def test_hostile_texts_are_shown_as_text(new_set: NewSet, someone: Someone) -> None:
    ada = await someone()
    violations: list[str] = []
    ada.page.on("dialog", lambda dialog: violations.append(dialog.message))
    ada.page.on("pageerror", lambda error: violations.append(str(error)))
    ada.page.on("console", lambda message: violations.append(message.text) if message.type == "error" else None)
    set_id = await new_set(*HOSTILE, name=HOSTILE[0][:200], question=HOSTILE[1], context=HOSTILE[2])
    await ada.open(set_id, HOSTILE[5])
    await ada.expect_pair()
    await ada.choose("differences")
    seen = set()
    for _ in range(15):
        first, second = await ada["first"].text_content(), await ada["second"].text_content()
        seen |= {first, second}
        await ada.judge("1")
    await ada.expect_message("no pair is left to judge")
    assert seen == set(HOSTILE)
    assert await ada["question"].text_content() == HOSTILE[1]
    assert await ada["guide"].locator(".text").text_content() == HOSTILE[2]
    assert await ada.page.locator("#pair :is(script, img, svg, a[href^=javascript], iframe, style)").count() == 0
    assert await ada.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations == []


async def test_an_items_prompt_and_the_sets_context_are_shown(new_set: NewSet, someone: Someone) -> None:
    ada = await someone()
    outputs = [{"key": key, "outputs": {"sky": f"{key} on the sky"}} for key in ("kelp", "rowan")]
    set_id = await new_set(context="For children.", items=[{"key": "sky", "prompt": "Why is it blue?"}])
    await ada.page.request.post(f"{ada.url}/v1/sets/{set_id}/candidates", data={"candidates": outputs})
    await ada.open(set_id)
    assert sorted(await ada.pair()) == ["kelp on the sky", "rowan on the sky"]
    await expect(ada["prompt-text"]).to_have_text("Why is it blue?")
    await expect(ada.page.get_by_role("region", name="Context").last).to_have_text("For children.")


async def test_long_texts_scroll_together_unless_told_otherwise(new_set: NewSet, someone: Someone) -> None:
    ada = await someone()
    await ada.open(await new_set("line\n" * 200, "line\n" * 400))
    await ada.expect_pair()
    share = "(box) => box.scrollTop / (box.scrollHeight - box.clientHeight)"
    await ada["first"].evaluate("(box) => { box.scrollTop = (box.scrollHeight - box.clientHeight) / 2 }")
    await expect(ada.page.locator("body")).to_be_visible()
    await ada.page.wait_for_timeout(200)
    assert abs(await ada["second"].evaluate(share) - 0.5) < 0.01
    await ada.choose("together")
    await ada["first"].evaluate("(box) => { box.scrollTop = 0 }")
    await ada.page.wait_for_timeout(200)
    assert abs(await ada["second"].evaluate(share) - 0.5) < 0.01


async def test_differences_are_marked_on_demand(new_set: NewSet, someone: Someone) -> None:
    ada = await someone()
    await ada.open(await new_set("The sky is blue today.", "The sky was very blue today."))
    await ada.expect_pair()
    marks = ada.page.locator(".text mark")
    assert await marks.count() == 0
    await ada.page.keyboard.press("d")
    assert sorted(await marks.all_text_contents()) == ["is", "was very"]
    await ada.page.keyboard.press("d")
    assert await marks.count() == 0


async def test_texts_too_long_to_compare_are_shown_plainly(new_set: NewSet, someone: Someone) -> None:
    ada = await someone()
    long = [" ".join(f"{letter}{n}" for n in range(4000)) for letter in "ab"]
    await ada.open(await new_set(*long))
    await ada.expect_pair()
    await ada.page.keyboard.press("d")
    await ada.expect_message("too long to compare", "too-long")
    assert {await ada["first"].text_content(), await ada["second"].text_content()} == set(long)
