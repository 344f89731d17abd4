"""The page's one script, and the policy that lets no other run."""

import base64
import hashlib
from importlib.resources import files

from markupsafe import Markup


def script() -> Markup:
    """The script, to stand in the page as it is."""
    source = files("genset.reporting.render") / "templates" / "script.js"
    return Markup(source.read_text("utf-8"))  # noqa: S704 - our own file


def policy(source: str) -> str:
    """The page's Content-Security-Policy: nothing from outside, and this script alone.

    The hash is over the element's text, to the byte.
    """
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    return (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
