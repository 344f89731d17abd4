"""Every request's body, read whole before anything looks at it: bounded in size and in time."""

import asyncio

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from labeler_app.edge.protocol import LARGEST_HEADERS

# Twelve submissions of five labels are some 20 KB as the page writes them, and nothing is larger.
LARGEST = 64 * 1024
SECONDS = 10.0


class _Refused(Exception):
    """The body cannot be taken: the status and the reason are its arguments."""


class _Gone(Exception):
    """Whoever was sending it went away."""


class BoundedBodies:
    """Hands on requests whose body came whole; refuses the others with one line of JSON.

    Args:
        app: what the requests are for.
        largest: of a body, in bytes.
        seconds: in which a body has to be here.
    """

    def __init__(self, app: ASGIApp, largest: int = LARGEST, seconds: float = SECONDS) -> None:
        self._app = app
        self._largest = largest
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            self._check_announced(scope)
            async with asyncio.timeout(self._seconds):
                body = await self._whole(receive)
        except _Refused as refused:
            await self._refuse(*refused.args)(scope, receive, send)
        except TimeoutError:
            await self._refuse(408, "the request took too long")(scope, receive, send)
        except _Gone:
            pass  # nobody is there to be answered
        else:
            await self._app(scope, _replayed(body, receive), send)

    def _check_announced(self, scope: Scope) -> None:
        if not scope["path"].isprintable():
            raise _Refused(400, "there is no such address")
        if sum(len(name) + len(value) for name, value in scope["headers"]) > LARGEST_HEADERS:
            raise _Refused(431, "the request's headers are too large")
        for name, value in scope["headers"]:
            # The server has checked that it is a number; of how many digits, it has not.
            if name == b"content-length" and (len(value) > 18 or int(value) > self._largest):
                raise _Refused(413, self._too_large())

    async def _whole(self, receive: Receive) -> bytes:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise _Gone
            body += message.get("body", b"")
            if len(body) > self._largest:
                raise _Refused(413, self._too_large())
            if not message.get("more_body", False):
                return bytes(body)

    def _too_large(self) -> str:
        return f"the request is larger than {self._largest:,} bytes"

    def _refuse(self, status: int, reason: str) -> JSONResponse:
        # What is still to come of the body is not waited for.
        return JSONResponse({"error": reason}, status, {"Connection": "close"})


def _replayed(body: bytes, receive: Receive) -> Receive:
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay
