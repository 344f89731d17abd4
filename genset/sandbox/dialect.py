"""What a source's way of speaking is: what the sandbox asks of it.

All sources show the photos of one collection. A dialect knows which requests are about which photo,
how calls and images are answered, and how the source itself fails.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar, Protocol, TypeVar

from genset.sandbox.faults import Faults
from genset.sandbox.messages import Reply, Request
from genset.sandbox.photos import MIME, Photo, shrink
from genset.sandbox.records import Collection

Unsettle = Callable[[list[Photo], int, str], list[Photo]]
"""Moves what was found about: given the photos, the length of a page and a name of the search."""

_KEPT_SHRUNK = 128

T = TypeVar("T")


class Pick(Protocol):
    """Chooses one of several, always the same one for the same request and the same `about`."""

    def __call__(self, choices: Sequence[T], *about: object) -> T:
        """One of the choices."""


class Dialect(ABC):
    """How a source speaks of a `collection`; addresses of images start with `base`.

    Attributes:
        api_path: where its API stands; what a client is told to call is `base` and this.
        environment: the variable that names such an endpoint to genset.
        key: a further variable and its value, without which genset does not start; or None.
    """

    api_path: ClassVar[str]
    environment: ClassVar[str]
    key: ClassVar[tuple[str, str] | None] = None

    def __init__(self, collection: Collection, base: str, faults: Faults) -> None:
        self.collection = collection
        self.base = base
        self.faults = faults
        self._shrink = lru_cache(maxsize=_KEPT_SHRUNK)(shrink)

    @abstractmethod
    def what(self, request: Request) -> str:
        """What a call asks for, in a word; of all else the path."""

    @abstractmethod
    def photo_id(self, request: Request) -> str | None:
        """The one photo that a request is about, if it is about one."""

    @abstractmethod
    def reply(self, request: Request, unsettle: Unsettle | None) -> Reply:
        """The true answer to a call, with the photos moved by `unsettle`."""

    @abstractmethod
    def image(self, request: Request) -> Reply | None:
        """What is at an address that is no call; None for nothing."""

    @abstractmethod
    def unavailable(self, request: Request, pick: Pick) -> Reply:
        """The API's own word for being out of order for a while."""

    @abstractmethod
    def wrong_format(self, request: Request, pick: Pick) -> Reply:
        """The same in a format that was not asked for."""

    def refusal(self, request: Request) -> Reply | None:
        """What a client gets that does not keep to the source's manners; None for who does."""
        return None

    def call(self, request: Request) -> Reply:
        """The answer to a call, with pages that moved where that fault met them."""
        usual = self.reply(request, None)
        if not self.faults.unstable_pages:
            return usual
        moved = self.reply(request, self.faults.unsettle)
        return usual if moved == usual else replace(moved, fault="unstable_pages")

    def original(self, photo: Photo) -> Reply:
        """The file's own bytes. Raises FileNotFoundError where it was removed since we looked."""
        return Reply(200, MIME[photo.picture.extension], photo.picture.path.read_bytes())

    def shrunk(
        self, photo: Photo, side: int, square: bool = False, extension: str = "jpg"
    ) -> Reply:
        """The photo in a smaller size. Raises FileNotFoundError as `original`."""
        picture = self._shrink(photo.picture.path, side, square, extension)
        return Reply(200, MIME[extension], picture)
