"""Addresses that strangers wrote: which of them lead to the web."""

from urllib.parse import urlsplit

_LONGEST = 2000


def web_link(url: str) -> str | None:
    """The address if it leads to the web, else None: ``javascript:`` is an address too.

    It names a host and no user (``https://flickr.com@elsewhere.example``), and has neither blanks
    nor characters that do not print, nor a backslash, which browsers read as a slash.
    """
    if len(url) > _LONGEST or not url.isprintable() or set(url) & {" ", "\\"}:
        return None
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:  # a host or a port that there cannot be
        return None
    leads = parts.scheme in ("http", "https") and host and "@" not in parts.netloc
    return url if leads else None
