"""The server: Streamlit's own, with the routes that the labeling component talks to."""

import contextlib
import hashlib
import logging
import os
import re
import socket
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from hashlib import sha256
from pathlib import Path

import h11
import streamlit
import uvicorn
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config
from streamlit.starlette import App
from uvicorn.protocols.http.h11_impl import H11Protocol

from genset.label import Store, Workspace
from genset.label.access import label_secret
from genset.label.crowd.mturk import FRAMING, TAKING
from labeler_app.routes import routes

# What Streamlit does by default and a labeling server must not: ask for an e-mail address, open a
# browser, send usage statistics, watch the source files, offer to deploy the page, show a
# traceback to a labeler, link an error to other sites.
_SETTINGS = {
    "server.headless": True,
    "server.showEmailPrompt": False,
    "browser.gatherUsageStats": False,
    "server.fileWatcherType": "none",
    "client.toolbarMode": "minimal",
    "client.showErrorDetails": "none",
    "client.showErrorLinks": "false",
    "logger.level": "error",
    "runner.fastReruns": False,  # one run of a labeler's page at a time
    # Streamlit's own accent is red, which here would read as "incorrect".
    "theme.light.primaryColor": "#1d4ed8",
    "theme.dark.primaryColor": "#3b82f6",
}
_SECONDS_TO_STOP = 5
_LARGEST_MESSAGE = 256 * 1024  # bytes that a page sends at once: what stands in its fields


def run(workspace: Workspace, listener: socket.socket, announce: Callable[[], None]) -> None:
    """Serve on a socket that listens already; call `announce` when the page is there.

    Returns, or raises KeyboardInterrupt, when the process is told to end.
    """
    os.environ["GENSET_WORKSPACE"] = str(workspace.root)
    cookies = f"cookies {label_secret(workspace)}"
    os.environ["STREAMLIT_SERVER_COOKIE_SECRET"] = hashlib.sha256(cookies.encode()).hexdigest()
    secrets = workspace.root / ".streamlit" / "secrets.toml"
    # Not those of the user's home, which a service may not be allowed to read.
    options = _SETTINGS | {"secrets.files": [str(secrets)]}
    config.get_config_options(force_reparse=True, options_from_flags=options)

    @contextlib.asynccontextmanager
    async def lifespan(_: App) -> AsyncIterator[None]:
        announce()
        yield

    # Refused labels are a manager's business: one line each.
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s"))
    logging.getLogger("genset").addHandler(handler)
    # Who asks the store gives the turn away each time, and has it back within this: the reading of
    # a large pool, in a thread beside, must not make each answer wait for 5 ms as often as it asks.
    sys.setswitchinterval(0.0005)
    with contextlib.closing(Store.open(workspace.store_url)) as store:
        app = App(
            Path(__file__).with_name("app.py"),
            routes=routes(workspace, store),
            middleware=[*EDGE, NO_ERROR_DIALOGS],
            lifespan=lifespan,
        )
        settings = uvicorn.Config(
            app,
            log_level="error",
            access_log=False,
            timeout_graceful_shutdown=_SECONDS_TO_STOP,
            http=BoundedHandshakes,
            h11_max_incomplete_event_size=LARGEST_HEADERS,
            ws_max_size=_LARGEST_MESSAGE,
        )
        uvicorn.Server(settings).run(sockets=[listener])


LARGEST_HEADERS = 16 * 1024  # bytes, the address included


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


class BoundedBodies:
    """Refuses, with one line of JSON, requests that are too large or do not say how large they are.

    The server beneath takes no more of a body than was announced.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["type"] == "http" and (refusal := _refusal_of(scope)) is not None:
            status, reason = refusal
            # What is still to come of the body is not waited for.
            app = JSONResponse({"error": reason}, status, {"Connection": "close"})
        await app(scope, receive, send)


def _refusal_of(scope: Scope) -> tuple[int, str] | None:
    if not scope["path"].isprintable():
        return 400, "there is no such address"
    if sum(len(name) + len(value) for name, value in scope["headers"]) > LARGEST_HEADERS:
        return 431, "the request's headers are too large"
    if _headers(scope, b"transfer-encoding"):
        return 411, "the request does not say how large it is"
    for length in _headers(scope, b"content-length"):
        # The server has checked that it is a number; of how many digits, it has not.
        if len(length) > 18 or int(length) > LARGEST:
            return 413, f"the request is larger than {LARGEST:,} bytes"
    return None


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
