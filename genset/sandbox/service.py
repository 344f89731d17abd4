"""What the sandbox asks of a source's API and image host, and the requests and replies between."""

import json
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

from genset.sandbox.collection import Collection
from genset.sandbox.faults import Faults
from genset.sandbox.photos import MIME, Photo, shrink

Params = Mapping[str, str]

# The sources' APIs stand at different paths, and nothing else of theirs does.
_CALLS = re.compile(r"/services/rest/?|/w/api\.php|/v1(?:/.*)?")

_SECRETS = {"api_key", "api_sig", "auth_token"}

_PAGE = "<!DOCTYPE html>\n<html><head><title>{0}</title></head><body><h1>{0}</h1></body></html>\n"


@dataclass(frozen=True)
class Request:
    """A client's request: the form's fields, if it was one, stand among `params`.

    `at` is when it arrived, in monotonic seconds; `agent` is the client's User-Agent; `at_once`,
    how many of its requests are being answered, this one included.
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

    @property
    def public_params(self) -> dict[str, str]:
        """A call's parameters as they may be logged: no key, no token, no signature."""
        return {
            key: value
            for key, value in self.params.items()
            if self.is_call and key not in _SECRETS and not key.startswith("oauth_")
        }

    @property
    def identity(self) -> str:
        """The same for the same request, whoever signed it and whenever."""
        return f"{self.verb} {self.path} {sorted(self.public_params.items())}"


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
    """A page for people, where a client expects data or an image."""
    return Reply(status, "text/html; charset=utf-8", _PAGE.format(text).encode())


def json_reply(answer: Mapping[str, Any], status: int = 200) -> Reply:
    """An answer for programs."""
    body = json.dumps(answer, ensure_ascii=False).encode()
    return Reply(status, "application/json; charset=utf-8", body)


def whole(params: Params, name: str, default: int) -> int:
    """A parameter that is a number of at least nought; the default where it is none."""
    value = params.get(name, "")
    return int(value) if re.fullmatch("[0-9]{1,16}", value) else default


class Service(ABC):
    """A source's API and image host over a `collection`; addresses of images start with `base`.

    Attributes:
        api_path: where its API stands; a client calls `base` and this.
        variables: of the environment, without which genset does not start.
    """

    api_path: ClassVar[str]
    variables: ClassVar[dict[str, str]] = {}

    def __init__(self, collection: Collection, base: str, faults: Faults) -> None:
        self.collection = collection
        self.base = base
        self.faults = faults
        self._shrink = lru_cache(maxsize=128)(shrink)

    @abstractmethod
    def what(self, request: Request) -> str:
        """What a call is for, in a word; of all else the path."""

    @abstractmethod
    def photo_id(self, request: Request) -> str | None:
        """The one photo that a request is about, if it is about one."""

    @abstractmethod
    def call(self, request: Request) -> Reply:
        """The true answer to a call."""

    @abstractmethod
    def image(self, request: Request) -> Reply | None:
        """What is at an address that is no call; None for nothing."""

    @abstractmethod
    def unavailable(self, request: Request) -> Reply:
        """The API's word for being out of order for a while."""

    @abstractmethod
    def wrong_format(self, request: Request) -> Reply:
        """The same in another format than the request's."""

    def refusal(self, request: Request) -> Reply | None:
        """What a client gets that does not keep to the source's manners; None for who does."""
        return None

    def file(self, photo: Photo, side: int | None = None, extension: str = "jpg") -> Reply:
        """The photo, its longer side so many pixels; by default the file's bytes.

        Raises:
            FileNotFoundError: it was removed since we looked.
        """
        picture = photo.picture
        if side is None:
            return Reply(200, MIME[picture.extension], picture.path.read_bytes())
        return Reply(200, MIME[extension], self._shrink(picture.path, side, extension))
