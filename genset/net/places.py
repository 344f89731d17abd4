"""Addresses of APIs: where environment variables put them, and whether they are on this machine."""

import os
import re
from urllib.parse import urlsplit

from genset.core.errors import BadInput


def endpoint_in(variable: str) -> str | None:
    """The address that stands in for an API's own; None where the variable is not set.

    Raises:
        BadInput: it is no web address.
    """
    endpoint = os.environ.get(variable)
    if endpoint and not re.match(r"https?://[^/]+", endpoint):
        raise BadInput(f"{variable} must start with http:// or https://: {endpoint}")
    return endpoint or None


def is_loopback(address: str) -> bool:
    """Whether a web address leads to this machine."""
    host = urlsplit(address).hostname or ""
    return host.startswith("127.") or host in ("localhost", "::1")
