"""Get one photo's original: fetch it, check it, lay its bytes down unchanged."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import requests

from genset.core.errors import PhotoRejected, SourceUnavailable
from genset.core.files import image_file, written_whole
from genset.net import transport
from genset.net.hosts import Host
from genset.net.transport import USER_AGENT, cause, host_in, is_passing

if TYPE_CHECKING:
    from genset.net.picture import Picture

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
    content: bytes, images: Path, min_size: int | None = None, formats: tuple[str, ...] = ()
) -> Original:
    """Check a photo's bytes and write them to their place.

    They are there for good once `genset.core.files.secure` was called, which no row may say before.

    Raises:
        PhotoRejected: they are no photo of these formats that can be used (of
            `genset.core.pixels.FORMATS` where none is named), or its shorter side is under
            `min_size` pixels (None: `genset.net.picture.MIN_SIZE`).
    """
    picture = checked(content, min_size, formats)
    sha256 = hashlib.sha256(content).hexdigest()
    path = images / image_file(sha256, picture.format)
    # What a power cut left there may be a part of it.
    if not (path.is_file() and path.read_bytes() == content):
        with written_whole(path, secured=False) as file:
            file.write(content)
    return Original(sha256, len(content), *picture)


def checked(
    content: bytes, min_size: int | None = None, formats: tuple[str, ...] = ()
) -> "Picture":
    """What a photo's bytes are. Nothing is written.

    Raises:
        PhotoRejected: as `keep`.
    """
    # Pillow and NumPy take long to load, for a scrape that may have nothing to do.
    from genset.core.pixels import FORMATS
    from genset.net.picture import MIN_SIZE, check_picture

    picture = check_picture(content, formats or FORMATS)
    if min(picture.width, picture.height) < (MIN_SIZE if min_size is None else min_size):
        raise PhotoRejected("too small", f"{picture.width} x {picture.height}")
    return picture


class Fetcher:
    """Downloads photos from one host, as many threads as like.

    Args:
        host: where they lie.
        may_fetch: says which addresses may be asked.
        images: the folder of originals.
        min_size: pixels that a photo's shorter side must have; None for the usual number.
    """

    def __init__(
        self,
        host: Host,
        may_fetch: Callable[[str], bool],
        images: Path,
        min_size: int | None = None,
    ) -> None:
        self.host = host
        self._images = images
        self._min_size = min_size
        self._download = partial(
            download, transport.Client(), may_fetch=may_fetch, agent=host.agent
        )

    def fetch(self, url: str, *, is_known: bool = False) -> Original:
        """Download, check and write the photo at `url`; `is_known` says that it failed before.

        Raises:
            PhotoRejected: it is not to be had, or not to be used; `reason` says why.
            SourceUnavailable: the download failed; a later one may not.
            HostClosed, HostGaveUp: as `Host.call` does.
        """
        content = self._call(partial(self.host.call, is_known=is_known), url)
        return keep(content, self._images, self._min_size)

    def content(self, url: str) -> bytes:
        """Download the photo at `url`, whatever it shows; wait while its host is closed.

        Raises what `fetch` raises.
        """
        return self._call(self.host.call_patiently, url)

    def _call(self, call: Callable[[Callable[[int], bytes], str], bytes], url: str) -> bytes:
        if not url:
            raise PhotoRejected("no download address")
        try:
            content = call(lambda _: self._download(url), url)
        except requests.RequestException as error:
            raise SourceUnavailable(cause(error, self.host.title)) from None
        self.remember(url)
        return content

    def remember(self, url: str) -> None:
        """Let the head of this photo, which came, show later whether the host is well."""
        self.host.answered.append(lambda _: self._download(url, verb="HEAD"))


def download(
    client: transport.Client,
    url: str,
    may_fetch: Callable[[str], bool],
    agent: str = USER_AGENT,
    verb: str = "GET",
) -> bytes:
    """The photo that `url` serves, whole, or nothing of it for HEAD; `agent` says who asks.

    Redirects are followed by hand so that every step is checked before it is taken.

    Raises:
        PhotoRejected: the photo is gone, lies on a host that is not allowed, or is too large.
        SourceUnavailable: the host answered something else than a photo.
        requests.RequestException: the host failed; `is_retryable` says whether it may pass.
    """
    headers = {"User-Agent": agent, "Accept-Encoding": "identity"}
    if not may_fetch(url):
        raise PhotoRejected("address not allowed", f"not on its source's hosts: {url[:99]!r}")
    for _ in range(4):
        try:
            reply = client.call(verb, url, headers=headers)
        except transport.TooLarge:
            raise PhotoRejected("too large", f"over {transport.MAX_BYTES} bytes") from None
        location = reply.headers.get("Location")
        if location is None or not reply.is_redirect:
            return _photo(reply)
        url = _next(url, location)
        # Flickr answers for a removed photo with a picture that says so.
        if "photo_unavailable" in url:
            raise PhotoRejected("gone")
        if not may_fetch(url):
            raise SourceUnavailable(f"{host_in(reply.url)} {transport.A_REDIRECT}")
    raise PhotoRejected("too many redirects")


def _next(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:  # no address at all, such as http://[
        return ""


_WEB_PAGE = re.compile(rb"\s*<(!doctype|html|head|body)\b", re.I)


def _photo(reply: requests.Response) -> bytes:
    """What an answer holds, which may be a photo."""
    status, host = reply.status_code, host_in(reply.url)
    is_head = reply.request.method == "HEAD"
    if is_head and status in (405, 501):  # a host that knows no HEAD is well
        return b""
    if status in (404, 410):
        raise PhotoRejected("gone")
    if is_passing(status):
        raise requests.HTTPError(response=reply)
    if status != 200 or not (reply.content or is_head):
        what = "sent an empty answer" if status == 200 else f"answered HTTP {status}"
        raise SourceUnavailable(f"{host} {what}", scope="photo")
    is_page = reply.headers.get("Content-Type", "").lower().startswith("text/html")
    if is_page or _WEB_PAGE.match(reply.content):
        raise SourceUnavailable(f"{host} {transport.A_PAGE}")
    return reply.content
