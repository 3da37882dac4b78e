"""A person at the page."""

import re
from contextlib import AbstractAsyncContextManager
from typing import Any
from uuid import UUID

from playwright.async_api import Locator, Page, expect

VERDICT_KEYS = ("1", "2", "3", "4", "ArrowLeft", "ArrowRight", "=")


class Annotator:
    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url

    async def open(self, set_id: UUID, name: str = "ada", query: str = "") -> None:
        """Give a name and wait for a pair."""
        await self.page.goto(f"{self.url}/sets/{set_id}/annotate{query}")
        await self.page.keyboard.type(name)
        await self.page.keyboard.press("Enter")

    async def judge(self, key: str = "1") -> None:
        """Press a key on the pair in view; returns when it counts."""
        await self.expect_pair()
        done = await self.judged()
        await self.page.keyboard.press(key)
        await self.expect_judged(done + 1)

    async def judged(self) -> int:
        await expect(self["progress"]).to_contain_text("by you today", timeout=30_000)
        return int((await self["progress"].inner_text()).split()[0])

    async def choose(self, option: str) -> None:
        """Turn an option on or off, or press a button among them."""
        await self["options"].locator("summary").click()
        await self.page.locator(f"#options :is(#{option}, [data-action={option}])").click()
        await self.page.keyboard.press("Escape")

    async def pair(self) -> tuple[str, str]:
        await self.expect_pair()
        return await self["first"].inner_text(), await self["second"].inner_text()

    async def expect_pair(self) -> None:
        await expect(self["pair"]).to_be_visible(timeout=30_000)

    async def expect_judged(self, count: int) -> None:
        await expect(self["progress"]).to_contain_text(re.compile(rf"^{count} by you today"))

    async def expect_in_set(self, count: int) -> None:
        """The service has so many comparisons, and the page knows."""
        await expect(self["progress"]).to_contain_text(re.compile(rf"· {count} (of|in) "), timeout=40_000)

    async def expect_message(self, text: str, where: str = "message") -> None:
        await expect(self[where]).to_contain_text(text, timeout=30_000)

    async def expect_sent(self) -> None:
        """Nothing waits in the page any more."""
        await expect(self["waiting"]).to_be_hidden(timeout=40_000)

    def answer_to(self, path: str) -> AbstractAsyncContextManager[Any]:
        """The next response to a request whose address ends like this."""
        answer: AbstractAsyncContextManager[Any] = self.page.expect_response(lambda sent: sent.url.endswith(path))
        return answer

    def __getitem__(self, name: str) -> Locator:
        return self.page.locator(f"#{name}")
