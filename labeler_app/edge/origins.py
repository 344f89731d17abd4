"""WebSockets are for pages of this very server.

Any site may have its visitors' browsers open a WebSocket to here. The browser says in `Origin`
which site it was, and in `Host` whom it meant: they have to name the same host and port. A proxy in
front has to hand on the outside name as `Host` (nginx: ``proxy_set_header Host $http_host``; Caddy
does). `X-Forwarded-Host` counts for nothing: anybody can write one.

Who sends no `Origin` is no browser, and gets as far as it would without a page.
"""

import re

from starlette.types import ASGIApp, Receive, Scope, Send

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
    return [value.decode("latin-1") for each, value in scope["headers"] if each == name]


def _is_same(origin: str, host: str) -> bool:
    """Whether a page of `origin` was sent by `host`: "https://a.example" by "A.example:443"."""
    site = _ORIGIN.fullmatch(origin)
    here = _ORIGIN.fullmatch(f"{site[1]}://{host.lower()}") if site else None
    if site is None or here is None:
        return False
    usual = _PORTS[site[1]]
    return site[2] == here[2] and (site[3] or usual) == (here[3] or usual)
