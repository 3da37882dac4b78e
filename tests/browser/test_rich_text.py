"""Markdown, code and LaTeX of strangers: what is shown, and what never runs, loads or leaves."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Request

from tests.end_to_end.processes import Server

SHOW = """async (text) => {
  const { showText } = await import("/static/lib/rich-text.js");
  const place = document.createElement("div");
  document.querySelector("main").replaceChildren(place);
  await new Promise((resolve) => setTimeout(resolve, 20)); // the libraries arrive
  const started = performance.now();
  showText(place, text);
  const took = performance.now() - started;
  if (place.querySelector("code[data-tex]")) await new Promise((resolve) => setTimeout(resolve, 400)); // KaTeX arrives
  return { took, html: place.innerHTML, text: place.textContent, isRich: place.classList.contains("rich") };
}"""
FOREIGN = """() => [...document.querySelectorAll("main *")].flatMap((element) => [
  ...(/^(script|style|iframe|object|embed|form|input|svg|link|meta|base|foreignobject|annotation-xml|template)$/i
    .test(element.localName) ? [element.localName] : []),
  ...[...element.attributes].filter(({ name, value }) => /^(on|style$|id$|name$|srcdoc|xlink|formaction|action$|ping)/i
    .test(name) || (/^(href|src)$/i.test(name) && !/^(https?:|mailto:|data:image\\/png)/i.test(value)))
    .map(({ name, value }) => `${element.localName} ${name}=${value}`),
])"""

HOSTILE = [
    "<script>window.ran = 1</script> **bold**",
    '**x** <img src=x onerror="window.ran = 1"><svg onload="window.ran = 1">',
    "[click](javascript:window.ran=1) [tab](java\tscript:alert(1)) [entity](javascript&colon;alert(1)) *x*",
    "[data](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==) *x*",
    "[vb](vbscript:msgbox(1)) <javascript:alert(1)> [file](file:///etc/passwd) [here](/v1/sets) *x*",
    "![picture](https://elsewhere.example/pixel.png) ![](//elsewhere.example/p.png)",
    "![drawing](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
    '![a" onerror="window.ran=1](data:image/png;base64,AAAA" onerror="window.ran=1)',
    '[a](https://e.example/" onmouseover="window.ran=1 "title\\" onmouseover=\\"window.ran=1")',
    "*x* <iframe srcdoc='<script>parent.ran=1</script>'></iframe><object data=javascript:alert(1)></object>",
    "*x* <form action=https://elsewhere.example><input name=q><button>Send</button></form>",
    "*x* <style>@import 'https://elsewhere.example/a.css'; body { display: none }</style>",
    "*x* <math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=window.ran=1&gt;'>",
    "*x* <svg></p><style><a id='</style><img src=1 onerror=window.ran=1>'>",
    "*x* <math href='javascript:window.ran=1'>click</math><math xlink:href='javascript:window.ran=1'>1</math>",
    "*x* <noscript><p title='</noscript><img src=x onerror=window.ran=1>'>",
    "*x* <a name=getElementById></a><img name=cookie id=body>",
    "```html\n</code></pre><script>window.ran = 1</script>\n```",
    "`</code><img src=x onerror=window.ran=1>`",
    "$\\href{javascript:window.ran=1}{x}$ and $\\url{javascript:window.ran=1}$",
    "$\\includegraphics{https://elsewhere.example/x.png}$ $\\htmlStyle{position:fixed}{x}$ $\\htmlId{a}{x}$",
    "$\\text{<img src=x onerror=window.ran=1>}$ $x_{</math><script>window.ran=1</script>}$",
    "$\\def\\x{\\x\\x}\\x$ $\\rule{99999em}{99999em}$ $\\color{red}{x}$ $\\fcolorbox{red}{blue}{x_1}$",
    "| a |\n|---|\n| <td onclick=window.ran=1>x</td> |",
    "<https://e.example/\"onmouseover='window.ran=1'> *x*",
    "*\u202eright to left\u202c* \u0000 {{ 7 * 7 }} ${window.ran=1}",
]

GROWING = {
    "a table": "|a" * 1250 + "|\n" + "|-" * 1250 + "|\n" + "|a|\n" * 1250,
    "links to one address": f"[a]: http://e.example/{'x' * 5000}\n\n" + "[a] " * 1200,
    "a macro": "$\\def\\x{" + "y" * 5000 + "}" + "\\x" * 150 + "$",
    "formulas": f"${'x^{}' * 2000}$\n\n" * 12,
}


@pytest.fixture(scope="session")
async def page(chromium: Browser, server: Server) -> AsyncIterator[Page]:
    page = await chromium.new_page()
    await page.goto(f"{server.url}/sets/new")
    await page.evaluate(SHOW, "warm")
    await page.evaluate(SHOW, "$x_1$")
    yield page
    await page.close()


async def shown(page: Page, text: str) -> dict[str, Any]:
    shown: dict[str, Any] = await page.evaluate(SHOW, text)
    return shown


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_nothing_hostile_runs_loads_or_stays(page: Page, text: str) -> None:
    complaints: list[str] = []

    def complain(what: Any) -> None:
        complaints.append(str(what))

    def asked(request: Request) -> None:
        complaints.append(request.url) if not request.url.startswith("data:image/png") else None

    page.on("dialog", complain)
    page.on("pageerror", complain)
    page.on("request", asked)
    page.on("console", complain)
    await shown(page, text)
    for clickable in await page.locator("main :is(a, button):visible").all():
        await clickable.dispatch_event("mouseover")
    assert await page.evaluate(FOREIGN) == []
    assert await page.evaluate("window.ran") is None
    assert complaints == []
    for event, listener in (("dialog", complain), ("pageerror", complain), ("console", complain), ("request", asked)):
        page.remove_listener(event, listener)


@pytest.mark.parametrize("text", GROWING.values(), ids=GROWING.keys())
async def test_no_text_takes_more_of_a_page_than_it_bears(page: Page, text: str) -> None:
    seen = await shown(page, text)
    assert await page.locator("main *").count() <= 20_100
    assert len(seen["html"]) < 1_000_000


async def test_what_is_plain_stays_as_it_was_written(page: Page) -> None:
    for text in (
        "One line.\n\n  Another,   with spaces.",
        "It costs $5, and $10 with US$ 3-$4 fees. <b>2</b> & 3",
        "x" * 200_000,
        "C:\\(x86)\\new, \\[1\\] snake_case_name",
        "> " * 4000 + "deep",
    ):
        seen = await shown(page, text)
        assert (seen["text"], seen["isRich"]) == (text, False)
        assert seen["took"] < 1000  # a loaded machine takes a third of that


async def test_markdown_code_and_mathematics_are_shown(page: Page) -> None:
    text = (
        "# Title\n\nSome **bold** and `code`.\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n"
        "- [x] done\n\n```py\nprint(1)\n```\n\n"
        "مرحبا *بالعالم*\n\nSo $e^{i\\pi} = -1$, \\(a_b\\) and\n\n\\[\n\\frac{1}{2}\n\\]\n\n[a link](https://e.example)"
    )
    seen = await shown(page, text)
    main = page.locator("main")
    for selector in (
        "h3",
        "strong",
        "p code",
        "td[align=right]",
        "pre code",
        "p[dir=auto]",
        "a[rel='noopener nofollow']",
    ):
        assert await main.locator(selector).count(), selector
    assert await main.locator("math").count() == 3
    assert await main.locator("math[display=block] mfrac").count() == 1
    assert "☑ done" in seen["text"]
    assert "annotation" not in seen["html"]
    assert await main.get_by_text("مرحبا").evaluate("(p) => p.matches(':dir(rtl)')")
    assert await main.get_by_role("button", name="Copy").count() == 1


async def test_a_long_text_is_there_at_once(page: Page) -> None:
    paragraph = "Some **bold** words with `code`, a [link](https://e.example) and more of *them*.\n\n"
    assert (await shown(page, paragraph * 240))["isRich"]  # 3,000 words
    for length in (20_000, 200_000):
        seen = await shown(page, paragraph * (length // len(paragraph)))
        assert seen["took"] < 1000  # a loaded machine takes a third of that


async def test_without_the_libraries_texts_are_shown_as_written(chromium: Browser, server: Server) -> None:
    page = await chromium.new_page()
    await page.route("**/static/vendor/**", lambda route: route.abort())
    await page.goto(f"{server.url}/sets/new")
    seen = await shown(page, "# Title\n\n$x_1$")
    assert (seen["text"], seen["isRich"]) == ("# Title\n\n$x_1$", False)
    await page.close()
