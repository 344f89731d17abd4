"""Who may speak to the routes, and what the browser is forbidden on every page."""

import hashlib
import re
from base64 import b64encode
from pathlib import Path

import streamlit
from itsdangerous import BadData, URLSafeTimedSerializer
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from genset.errors import BadInput

_A_DAY = 24 * 60 * 60


class Sessions:
    """Signed tokens that say which labeler sends a request, and in which visit of a study.

    They hold for 24 hours.
    """

    def __init__(self, secret: str) -> None:
        self._signer = URLSafeTimedSerializer(secret, salt="genset labeler")

    def sign(self, labeler: int, visit: int | None = None) -> str:
        """A token for the labeler with this id, in the visit with this one."""
        return self._signer.dumps(labeler if visit is None else [labeler, visit])

    def who(self, session: str) -> tuple[int, int | None]:
        """The ids of the labeler whose token this is, and of their visit.

        Raises:
            BadInput: it was not signed here, or is older than a day.
        """
        try:
            said = self._signer.loads(session, max_age=_A_DAY)
            labeler, visit = said if isinstance(said, list) else (said, None)
            return int(labeler), None if visit is None else int(visit)
        except (BadData, TypeError, ValueError):
            raise BadInput("sign in again") from None

    def labeler(self, session: str) -> int:
        """The id of the labeler whose token this is; raises as `who` does."""
        return self.who(session)[0]


def _content_security_policy() -> str:
    """Nothing but what this server sends.

    Scripts: Streamlit's files, the one line within its page (by its hash), and ``blob:``, which is
    how Streamlit starts a component. No eval. Styles may stand within the page: Streamlit and
    every browser extension of its kind write them there, and a style runs nothing.
    """
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text("utf-8")
    inline = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = [b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in inline]
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
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'self'",
        )
    )


class _SecurityHeaders:
    """Adds the headers to every reply."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = {
            "Content-Security-Policy": _content_security_policy(),
            "Referrer-Policy": "same-origin",  # an address may hold an invitation
            "X-Content-Type-Options": "nosniff",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        await self._app(scope, receive, send_with_headers)


SECURITY = Middleware(_SecurityHeaders)
