"""What a client sends to the sandbox and what it gets."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from genset.sandbox.photos import IMAGE_PATH

Params = Mapping[str, str]

API_PATH = "/services/rest/"

_SECRETS = {"api_key", "api_sig", "auth_token"}


@dataclass(frozen=True)
class Request:
    """What a client sent: the form's fields, if it was one, stand among `params`.

    `at` is when it came, in monotonic seconds.
    """

    verb: str
    path: str
    params: dict[str, str] = field(repr=False)
    at: float = field(default_factory=time.monotonic, compare=False)

    @property
    def is_call(self) -> bool:
        """Whether it is for the API, and not for an image."""
        return self.path in {API_PATH, API_PATH.rstrip("/")}

    @property
    def what(self) -> str:
        """The API method or the path that it asks for."""
        return self.params.get("method", "") if self.is_call else self.path

    @property
    def photo_id(self) -> str | None:
        """The one photo that it is about, if it is about one."""
        if self.is_call:
            return self.params.get("photo_id")
        found = IMAGE_PATH.fullmatch(self.path)
        return found[1] if found else None


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


def without_secrets(params: Params) -> dict[str, str]:
    """A call's parameters as they may be logged: no key, no token, no signature."""
    return {
        key: value
        for key, value in params.items()
        if key not in _SECRETS and not key.startswith("oauth_")
    }
