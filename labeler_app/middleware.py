"""What every request passes first: bounds on size and time, its origin, headers of the reply."""

import asyncio
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import h11
import streamlit
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from genset.label.crowd.mturk import FRAMING, TAKING

LARGEST_HEADERS = 16 * 1024  # bytes, the address included


SECONDS_FOR_BODY = 10.0


# Twelve submissions of five labels are some 20 KB as the page writes them, and nothing is larger.
LARGEST = 64 * 1024


_ORIGIN = re.compile(r"(https?)://([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::([0-9]{1,5}))?")


_PORTS = {"http": "80", "https": "443"}


class SameOrigin:
    """Refuses, with 403, a WebSocket that a page of another site opens.

    Streamlit has a check of its own, which for an origin that it does not know asks an outside
    address for this machine's, and stands still meanwhile. So what is let through says in `Host`
    exactly what `Origin` says, and Streamlit has nothing to ask.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            origins = _headers(scope, b"origin")
            hosts = _headers(scope, b"host")
            if origins:
                if len(origins) > 1 or len(hosts) != 1 or not _is_same(origins[0], hosts[0]):
                    await send({"type": "websocket.close", "code": 1008})  # 403, for it is not open
                    return
                host = origins[0].partition("://")[2].encode("latin-1")
                others = [pair for pair in scope["headers"] if pair[0] != b"host"]
                scope = {**scope, "headers": [*others, (b"host", host)]}
        await self._app(scope, receive, send)


def _headers(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for header, value in scope["headers"] if header == name]


def _is_same(origin: str, host: str) -> bool:
    """Whether a page of `origin` was sent by `host`: "https://a.example" by "A.example:443"."""
    site = _ORIGIN.fullmatch(origin)
    here = _ORIGIN.fullmatch(f"{site[1]}://{host.lower()}") if site else None
    if site is None or here is None:
        return False
    usual = _PORTS[site[1]]
    return site[2] == here[2] and (site[3] or usual) == (here[3] or usual)


# The one page that stands in another site's frame, and posts to it.
_MTURK = "/mturk"


def _content_security_policy(frames: str = "'none'", posts: str = "'self'") -> str:
    """Nothing but what this server sends; shown in these `frames`, posting to these addresses.

    Scripts: Streamlit's files, the one line within its page (by its hash), and ``blob:``, which is
    how Streamlit starts a component. No eval. Styles may stand within the page: Streamlit and
    every browser extension of its kind write them there, and a style runs nothing.
    """
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text("utf-8")
    inline = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = [b64encode(sha256(item.encode()).digest()).decode() for item in inline]
    scripts = " ".join(f"'sha256-{item}'" for item in hashes)
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' blob: {scripts}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "manifest-src 'self'",
            "worker-src 'self' blob:",
            f"frame-ancestors {frames}",
            "base-uri 'none'",
            f"form-action {posts}",
        )
    )


class SecurityHeaders:
    """Adds the headers to every reply."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._policy = _content_security_policy()
        self._of_mturk = _content_security_policy(" ".join(FRAMING), " ".join(TAKING))
        self._headers = {
            "Referrer-Policy": "same-origin",  # an address may hold an invitation
            "X-Content-Type-Options": "nosniff",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        policy = self._of_mturk if scope.get("path") == _MTURK else self._policy

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(self._headers)
                headers["Content-Security-Policy"] = policy
            await send(message)

        await self._app(scope, receive, send_with_headers)


_LONGEST_LINE = 8_000  # bytes; of a longer one the WebSocket's own code tells nobody


class BoundedHandshakes(H11Protocol):
    """Refuses a WebSocket whose headers are too large."""

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        lines = [len(event.target), *(len(name) + len(value) for name, value in self.headers)]
        if max(lines) > _LONGEST_LINE or sum(lines) > LARGEST_HEADERS:
            self.send_400_response("The headers are too large.")
        else:
            super().handle_websocket_upgrade(event)


class _Refused(Exception):
    """The body cannot be taken: the status and the reason are its arguments."""


class BoundedBodies:
    """Hands on requests whose body came whole; refuses the others with one line of JSON.

    Args:
        app: what the requests are for.
        largest: of a body, in bytes.
        seconds: in which a body has to be here.
    """

    def __init__(
        self, app: ASGIApp, largest: int = LARGEST, seconds: float = SECONDS_FOR_BODY
    ) -> None:
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
        else:
            if body is not None:  # else nobody is there to be answered
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

    async def _whole(self, receive: Receive) -> bytes | None:
        """The body; None where whoever was sending it went away."""
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None
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


# From the outside in: what is refused has the headers too.
EDGE = [Middleware(SecurityHeaders), Middleware(SameOrigin), Middleware(BoundedBodies)]


_HOST_CONFIG = {
    "allowedOrigins": [],  # of pages that may talk to Streamlit from around it
    "useExternalAuthToken": False,
    "enableCustomParentMessages": False,
    "enforceDownloadInNewTab": False,
    "metricsUrl": "",
    "blockErrorDialogs": True,
    "resourceCrossOriginMode": None,
}


class _NoErrorDialogs:
    """Streamlit shows no dialog over the page when it has lost its server.

    The component goes on without it, and says itself where labels are meanwhile. Streamlit has a
    switch for this (``blockErrorDialogs``), but no setting that turns it: so its page's question
    for its switches is answered here.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/_stcore/host-config":
            await JSONResponse(_HOST_CONFIG)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


NO_ERROR_DIALOGS = Middleware(_NoErrorDialogs)
