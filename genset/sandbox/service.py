"""What the sandbox asks of a source's API and image host, and the requests and replies between."""

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar
from urllib.parse import unquote

from genset.sandbox.photos import Collection, Photo

Params = Mapping[str, str]

Unsettle = Callable[[list[Photo], int, str], list[Photo]]
"""Moves photos between the pages of a search; see `faults.py`."""

# The sources' APIs stand at different paths, and nothing else of theirs does.
_CALLS = re.compile(r"/services/rest/?|/w/api\.php|/v1(?:/.*)?")

_KEY = "api_key"

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
        """A call's parameters as they may be logged: without the key."""
        return {name: self.params[name] for name in self.params if self.is_call and name != _KEY}

    @property
    def identity(self) -> str:
        """The same for the same request, whoever sends it and whenever."""
        return f"{self.verb} {self.path} {sorted(self.public_params.items())}"

    @property
    def key(self) -> str:
        """The key of the API that it is sent with; "" without one."""
        return self.params.get(_KEY, "")


@dataclass(frozen=True)
class Reply:
    """What the client gets; a HEAD gets all of it but the body.

    A reply that went wrong on purpose names its `fault` (see `faults.py`). With `cut`, the
    connection breaks after so many bytes of the body; with `hang`, it begins after so many seconds.
    """

    status: int
    content_type: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    fault: str | None = None
    cut: int | None = None
    hang: float = 0


def web_page(status: int, text: str) -> Reply:
    """A page for people, where a client expects data or an image."""
    return Reply(status, "text/html; charset=utf-8", _PAGE.format(text).encode())


def json_reply(answer: Mapping[str, Any], status: int = 200) -> Reply:
    """An answer for programs."""
    body = json.dumps(answer, ensure_ascii=False).encode()
    return Reply(status, "application/json; charset=utf-8", body)


class Service:
    """A source's API and image host over a `collection`; addresses of images start with `base`.

    Attributes:
        api_path: where its API stands; a client calls `base` and this.
        image_path: what paths of images look like; its group `id` is the photo's.
        query: the parameter of a search that says what for.
        unavailable: the API's words for being out of order for a while.
        wrong_format: the same in another format than the request's.
        variables: of the environment, without which genset does not start.
    """

    api_path: ClassVar[str]
    image_path: ClassVar[re.Pattern[str]]
    query: ClassVar[str]
    unavailable: ClassVar[Sequence[Reply]]
    wrong_format: ClassVar[Sequence[Reply]]
    variables: ClassVar[dict[str, str]] = {}

    def __init__(self, collection: Collection, base: str, unsettle: Unsettle) -> None:
        self.collection = collection
        self.base = base
        self.unsettle = unsettle

    def purpose(self, request: Request) -> tuple[str, Sequence[str]]:
        """What a call is for, in a word, and the photos that it names."""
        raise NotImplementedError

    def call(self, request: Request) -> Reply:
        """The true answer to a call."""
        raise NotImplementedError

    def sizes(self, photo: Photo) -> dict[str, int | None]:
        """The longer side of the image at each path; None for the file itself."""
        raise NotImplementedError

    def missing(self) -> Reply:
        """What is in the place of a photo that is not there."""
        return web_page(404, "Not found")

    def refusal(self, request: Request) -> Reply | None:
        """What a client gets that does not keep to the source's manners; None for who does."""
        return None

    def about(self, request: Request) -> tuple[str, Sequence[str]]:
        """What a request is for, and the photos that it names; of images the path is what."""
        if request.is_call:
            return self.purpose(request)
        found = self.image_path.fullmatch(unquote(request.path))
        return request.path, [found["id"]] if found else []

    def answer(self, request: Request) -> Reply:
        """What a request gets where nothing goes wrong."""
        if request.is_call:
            return self.call(request)
        path = unquote(request.path)
        found = self.image_path.fullmatch(path)
        if found is None:
            return web_page(404, "Not found")
        photo = self.collection.find(found["id"])
        if photo and path in (sizes := self.sizes(photo)):
            return Reply(200, *photo.picture.shown(sizes[path]))
        return self.missing()
