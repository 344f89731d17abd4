"""Get one photo's original: fetch it, check it, lay its bytes down unchanged."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

from genset.core.errors import PhotoRejected, SourceUnavailable
from genset.core.files import image_file, written_whole
from genset.core.pixels import FORMATS
from genset.net.hosts import Host
from genset.net.picture import MIN_SIZE, Picture, check_picture
from genset.net.transport import Connections, download, in_short, is_retryable, photo_headers

AN_EXAMPLE = "example", "labelers see it as one of a class"
"""Why a photo of the bytes of an example is no candidate: the words of a `PhotoRejected`."""


@dataclass(frozen=True, slots=True)
class Original:
    """A photo whose bytes lie under ``images/``. The fields are those of `genset.db.Photo`."""

    sha256: str
    byte_size: int
    format: str
    width: int
    height: int
    fingerprint: str

    @property
    def file(self) -> str:
        """Where it lies under ``images/``."""
        return image_file(self.sha256, self.format)


def keep(
    content: bytes,
    images: Path,
    min_size: int | None = None,
    formats: tuple[str, ...] = FORMATS,
) -> Original:
    """Check a photo's bytes and write them to their place.

    They are there for good once `genset.core.files.secure` was called, which no row may say before.

    Raises:
        PhotoRejected: they are no photo of these formats that can be used, or its shorter side is
            under `min_size` (None: `MIN_SIZE`) pixels.
    """
    picture = checked(content, min_size, formats)
    sha256 = hashlib.sha256(content).hexdigest()
    path = images / image_file(sha256, picture.format)
    # What a power cut left there may be a part of it.
    if not (path.is_file() and path.read_bytes() == content):
        with written_whole(path, secured=False) as file:
            file.write(content)
    return Original(
        sha256=sha256,
        byte_size=len(content),
        format=picture.format,
        width=picture.width,
        height=picture.height,
        fingerprint=picture.fingerprint,
    )


def checked(
    content: bytes, min_size: int | None = None, formats: tuple[str, ...] = FORMATS
) -> Picture:
    """What a photo's bytes are. Nothing is written.

    Raises:
        PhotoRejected: as `keep`.
    """
    picture = check_picture(content, formats)
    if min(picture.width, picture.height) < (MIN_SIZE if min_size is None else min_size):
        raise PhotoRejected("too small", f"{picture.width} x {picture.height}")
    return picture


class Fetcher:
    """Downloads photos from one host, as many threads as like.

    Args:
        host: where they lie.
        may_fetch: says which addresses may be asked.
        images: the folder of originals.
        min_size: pixels that a photo's shorter side must have; `MIN_SIZE` where not given.
    """

    def __init__(
        self,
        host: Host,
        may_fetch: Callable[[str], bool],
        images: Path,
        min_size: int | None = None,
    ) -> None:
        self.host = host
        self._may_fetch = may_fetch
        self._images = images
        self._min_size = min_size
        self._connections = Connections()

    def fetch(self, url: str, *, is_known: bool = False) -> Original:
        """Download, check and write the photo at `url`; `is_known` says that it failed before.

        Raises:
            PhotoRejected: it is not to be had, or not to be used; `reason` says why.
            SourceUnavailable: it did not come; it may be had later.
            HostClosed, HostGaveUp: as `Host.call` does.
        """
        with _in_our_words(url):
            content = self.host.call(lambda _: self._download(url), url, is_known=is_known)
        return keep(content, self._images, self._min_size)

    def content(self, url: str) -> bytes:
        """Download the bytes at `url`, whatever they are; wait while its host is closed.

        Raises what `fetch` raises.
        """
        with _in_our_words(url):
            return self.host.call_patiently(lambda _: self._download(url), url)

    def ping(self, url: str) -> None:
        """Ask for the head of a photo that came before, to see whether the host is well.

        Raises:
            SourceUnavailable, requests.RequestException: it is not.
        """
        if self._may_fetch(url):
            with self._connections.ask("HEAD", url, photo_headers(self.host.agent)) as reply:
                if reply.status in (401, 403, 429) or reply.status >= 500:
                    raise SourceUnavailable(f"did not come: HTTP {reply.status}")

    def _download(self, url: str) -> bytes:
        return download(self._connections, url, self._may_fetch, self.host.agent)


@contextmanager
def _in_our_words(url: str) -> Iterator[None]:
    """Say of a failed download whether it may come later."""
    if not url:
        raise PhotoRejected("no download address")
    try:
        yield
    except requests.RequestException as error:
        if is_retryable(error):
            raise SourceUnavailable(f"did not come: {in_short(error)}") from None
        raise PhotoRejected("bad answer", in_short(error)) from None
