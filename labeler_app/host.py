"""What Streamlit's page asks its host for, answered so that nothing covers the photos."""

import json

from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ASKED = "/_stcore/host-config"


class _NoErrorDialogs:
    """Streamlit shows no dialog over the page when it has lost its server.

    The component goes on without it, and says itself what is kept where. Streamlit has a switch for
    this (``blockErrorDialogs``), but no setting that turns it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != _ASKED:
            await self._app(scope, receive, send)
            return
        start: Message = {}
        body = b""

        async def send_changed(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
                return
            body += message.get("body", b"")
            if message.get("more_body"):
                return
            changed = _changed(body)
            length = (b"content-length", str(len(changed)).encode())
            others = [each for each in start["headers"] if each[0].lower() != b"content-length"]
            await send({**start, "headers": [*others, length]})
            await send({"type": "http.response.body", "body": changed})

        await self._app(scope, receive, send_changed)


def _changed(body: bytes) -> bytes:
    try:
        config = json.loads(body)
    except ValueError:
        return body  # a refusal
    return json.dumps({**config, "blockErrorDialogs": True}).encode()


NO_ERROR_DIALOGS = Middleware(_NoErrorDialogs)
