"""What a client sends to the sandbox and what it gets."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

Params = Mapping[str, str]

# The sources' APIs stand at different paths, and nothing else of theirs does.
_CALLS = re.compile(r"/services/rest/?|/w/api\.php|/v1(?:/.*)?")

_SECRETS = {"api_key", "api_sig", "auth_token"}

_PAGE = "<!DOCTYPE html>\n<html><head><title>{0}</title></head><body><h1>{0}</h1></body></html>\n"


@dataclass(frozen=True)
class Request:
    """What a client sent: the form's fields, if it was one, stand among `params`.

    `at` is when it came, in monotonic seconds; `agent` is the client's User-Agent; `at_once`, how
    many of its requests are being answered, this one included.
    """

    verb: str
    path: str
    params: dict[str, str] = field(repr=False)
    at: float = field(default_factory=time.monotonic, compare=False)
    agent: str = field(default="", compare=False)
    at_once: int = field(default=1, compare=False)

    @property
    def is_call(self) -> bool:
        """Whether it is for the API, and not for an image."""
        return _CALLS.fullmatch(self.path) is not None


@dataclass(frozen=True)
class Reply:
    """What the client gets; a HEAD gets all of it but the body.

    A reply that went wrong on purpose names its `fault` (see `faults.py`). With `cut`, the
    connection breaks after so many bytes of the body; with `hang`, it breaks after so many
    seconds, and nothing is answered at all: the status then is 0.
    """

    status: int
    content_type: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    fault: str | None = None
    cut: int | None = None
    hang: float | None = None


def web_page(status: int, text: str) -> Reply:
    """A page for people, where a client wants data or an image."""
    return Reply(status, "text/html; charset=utf-8", _PAGE.format(text).encode())


def without_secrets(params: Params) -> dict[str, str]:
    """A call's parameters as they may be logged: no key, no token, no signature."""
    return {
        key: value
        for key, value in params.items()
        if key not in _SECRETS and not key.startswith("oauth_")
    }
