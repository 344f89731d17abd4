"""What the browser is forbidden on every page."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from genset.label.crowd.mturk import FRAMING, TAKING

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
    hashes = [b64encode(sha256(each.encode()).digest()).decode() for each in inline]
    scripts = " ".join(f"'sha256-{each}'" for each in hashes)
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
