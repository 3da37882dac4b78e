"""Senders of calls: one that blocks and one for asyncio. They differ only in how they wait."""

import asyncio
import os
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing, closing, suppress
from typing import Any, Self, TypeVar

import httpx

from nextpair.calls.description import Call, Id, Listing
from nextpair.sending.messages import build_request, parse, require_address, require_success, whole
from nextpair.sending.retries import Backoff, Reply
from nextpair.sending.streams import Event, EventReader, export, is_over, watch
from nextpair.words import LOCAL, ExportFormat

T = TypeVar("T")


class Sender:
    """Sends calls, and tries again, `retries` times at the most, while the server is away or asks to wait.

    One sender serves many threads. `transport`, `sleep` and `random` are for tests.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        api_key: str | None = None,
        timeout: float = 30.0,
        retries: int = 5,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        random: Callable[[], float] = random.random,
    ) -> None:
        self.url, headers = _place(url, api_key)
        self._http = httpx.Client(base_url=self.url, headers=headers, timeout=timeout, transport=transport)
        self._backoff, self._sleep = Backoff(retries, random), sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def send(self, call: Call[T]) -> T:
        """Raises ApiError or Unreachable, after the retries."""
        return parse(call, self._answer(call))

    def each(self, listing: Listing[T]) -> Iterator[T]:
        """The entries of all pages; each page is asked for when it is needed."""
        page = self.send(listing.page(listing.after))
        yield from listing.entries(page)
        while page.next_after is not None:
            page = self.send(listing.page(page.next_after))
            yield from listing.entries(page)

    def export(self, set_id: Id, form: ExportFormat) -> Iterator[bytes]:
        """The whole log in pieces, never all in memory. Raises ApiError, or Unreachable, also midway."""
        with closing(self._answer(export(set_id, form), stream=True)) as response, whole(response):
            yield from response.iter_bytes()

    def events(self, set_id: Id, *, after: Id | int | None = None) -> Iterator[Event]:
        """Events of a set as they happen, from the one after `after`.

        A broken stream is opened again where it stopped. Raises ApiError, or Unreachable when that fails.
        """
        reader = EventReader("" if after is None else str(after))
        while True:
            with closing(self._answer(watch(set_id, reader.last_id), stream=True)) as response:
                if is_over(response):
                    return
                with suppress(httpx.RequestError):
                    for chunk in response.iter_bytes():
                        yield from reader.feed(chunk)
            reader = reader.again()
            self._sleep(reader.pause)

    def _answer(self, call: Call[Any], *, stream: bool = False) -> httpx.Response:
        request = build_request(self._http, call)
        tried, reply = 1, self._try(request, stream)
        while (pause := self._backoff.pause(reply, tried)) is not None:
            self._sleep(pause)
            tried, reply = tried + 1, self._try(request, stream)
        return require_success(reply, request, tried)

    def _try(self, request: httpx.Request, stream: bool) -> Reply:
        try:
            response = self._http.send(request, stream=stream)
            if not response.is_success:
                response.read()
        except httpx.RequestError as error:
            return error
        return response


class AsyncSender:
    """`Sender` for asyncio: the same calls, arguments and errors."""

    def __init__(
        self,
        url: str | None = None,
        *,
        api_key: str | None = None,
        timeout: float = 30.0,
        retries: int = 5,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        random: Callable[[], float] = random.random,
    ) -> None:
        self.url, headers = _place(url, api_key)
        self._http = httpx.AsyncClient(base_url=self.url, headers=headers, timeout=timeout, transport=transport)
        self._backoff, self._sleep = Backoff(retries, random), sleep

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._http.aclose()

    async def send(self, call: Call[T]) -> T:
        """Raises ApiError or Unreachable, after the retries."""
        return parse(call, await self._answer(call))

    async def each(self, listing: Listing[T]) -> AsyncGenerator[T, None]:
        """See `Sender.each`."""
        page = await self.send(listing.page(listing.after))
        for entry in listing.entries(page):
            yield entry
        while page.next_after is not None:
            page = await self.send(listing.page(page.next_after))
            for entry in listing.entries(page):
                yield entry

    async def export(self, set_id: Id, form: ExportFormat) -> AsyncGenerator[bytes, None]:
        """See `Sender.export`."""
        async with aclosing(await self._answer(export(set_id, form), stream=True)) as response:
            with whole(response):
                async for chunk in response.aiter_bytes():
                    yield chunk

    async def events(self, set_id: Id, *, after: Id | int | None = None) -> AsyncGenerator[Event, None]:
        """See `Sender.events`. Under `contextlib.aclosing`, leaving it early frees the connection at once."""
        reader = EventReader("" if after is None else str(after))
        while True:
            async with aclosing(await self._answer(watch(set_id, reader.last_id), stream=True)) as response:
                if is_over(response):
                    return
                with suppress(httpx.RequestError):
                    async for chunk in response.aiter_bytes():
                        for event in reader.feed(chunk):
                            yield event
            reader = reader.again()
            await self._sleep(reader.pause)

    async def _answer(self, call: Call[Any], *, stream: bool = False) -> httpx.Response:
        request = build_request(self._http, call)
        tried, reply = 1, await self._try(request, stream)
        while (pause := self._backoff.pause(reply, tried)) is not None:
            await self._sleep(pause)
            tried, reply = tried + 1, await self._try(request, stream)
        return require_success(reply, request, tried)

    async def _try(self, request: httpx.Request, stream: bool) -> Reply:
        try:
            response = await self._http.send(request, stream=stream)
            if not response.is_success:
                await response.aread()
        except httpx.RequestError as error:
            return error
        return response


def _place(url: str | None, api_key: str | None) -> tuple[str, dict[str, str]]:
    """Address and headers; what is not given comes from the environment. An empty key is none."""
    if api_key is None:
        api_key = os.environ.get("NEXTPAIR_API_KEY")
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    return require_address(url or os.environ.get("NEXTPAIR_URL") or LOCAL), headers
