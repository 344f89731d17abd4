"""Bodies that come slowly, or stop."""

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from labeler_app.middleware import BoundedBodies


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await PlainTextResponse(body)(scope, receive, send)


def answer_to(
    pieces: Sequence[bytes], *, then: Message | None, headers: Sequence[tuple[bytes, bytes]] = ()
) -> list[Message]:
    """What is sent to somebody whose body comes in these pieces; None: and then nothing more."""
    sent: list[Message] = []
    coming = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]

    async def receive() -> Message:
        if coming:
            return coming.pop(0)
        if then is None:
            await asyncio.sleep(3600)
        assert then is not None
        return then

    async def send(message: Message) -> None:
        sent.append(message)

    scope: dict[str, Any] = {"type": "http", "method": "POST", "path": "/", "headers": headers}
    bounded = BoundedBodies(echo, largest=100, seconds=0.05)(scope, receive, send)
    with ThreadPoolExecutor(1) as thread:  # in this one Playwright may have a loop already
        thread.submit(asyncio.run, bounded).result()
    return sent


LAST: Message = {"type": "http.request", "body": b"!", "more_body": False}


def test_what_comes_in_pieces_is_handed_on_whole() -> None:
    start, end = answer_to([b"a", b"", b"bc"], then=LAST)
    assert (start["status"], end["body"]) == (200, b"abc!")


def test_a_body_that_does_not_end_is_given_up() -> None:
    start, end = answer_to([b"a"], then=None)
    assert start["status"] == 408
    assert json.loads(end["body"]) == {"error": "the request took too long"}
    # The connection too: else the server would wait for the rest of it.
    assert (b"connection", b"close") in start["headers"]


def test_a_body_is_refused_as_soon_as_it_is_too_large() -> None:
    start, _ = answer_to([b"a" * 60, b"a" * 60], then=None)
    assert start["status"] == 413
    start, _ = answer_to([], then=None, headers=[(b"content-length", b"101")])
    assert start["status"] == 413
    start, _ = answer_to([], then=None, headers=[(b"content-length", b"9" * 5_000)])
    assert start["status"] == 413


def test_who_goes_away_meanwhile_is_not_answered() -> None:
    assert answer_to([b"a"], then={"type": "http.disconnect"}) == []
