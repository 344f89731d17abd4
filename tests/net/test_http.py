"""Downloads from a host on loopback; what stranger answers cost a scrape is in test_hostile."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import BinaryIO

import pytest
import requests

from genset import __version__
from genset.core.errors import PhotoRejected, SourceRefused, SourceUnavailable
from genset.net import transport
from genset.net.api import Api
from genset.net.originals import download
from genset.net.transport import Client, is_retryable, retry_after
from tests.scrape.hostile import HostileHost, answer, redirect

PHOTO = bytes(range(256)) * 1000


@pytest.fixture
def host() -> Iterator[HostileHost]:
    with HostileHost() as running:
        running.answers["/photo.jpg"] = answer(PHOTO)
        yield running


def fetched(host: HostileHost, reply: bytes | None = None) -> bytes:
    """What is downloaded from a host that is the only one allowed, and that answers this."""
    if reply is not None:
        host.answers["/photo"] = reply
    path = "/photo.jpg" if reply is None else "/photo"
    return download(Client(), host.address + path, lambda url: url.startswith(host.address))


def failed(host: HostileHost, reply: bytes) -> tuple[str, str]:
    """Why a photo is not to be had now, and what that concerns."""
    with pytest.raises(SourceUnavailable) as failed:
        fetched(host, reply)
    words = str(failed.value).replace(host.address.removeprefix("http://"), "HOST")
    return words, failed.value.scope


# Downloading


def test_a_photo_comes_as_it_is_and_the_host_hears_who_asks(host: HostileHost) -> None:
    assert fetched(host) == PHOTO
    assert host.headers["user-agent"].startswith(f"genset/{__version__} ")
    assert host.headers["accept-encoding"] == "identity"
    assert Api("The API").get(f"{host.address}/photo.jpg", {}) == PHOTO
    assert host.headers["user-agent"].startswith(f"genset/{__version__} ")


def test_a_photo_of_just_the_most_bytes_is_not_too_large(
    host: HostileHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "MAX_BYTES", len(PHOTO))
    assert fetched(host) == PHOTO


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        *(
            (answer(b"no", f"{status} No"), f"answered HTTP {status}")
            for status in (204, 206, 300, 304, 400, 401, 403, 405, 418, 451)
        ),
        (answer(b""), "sent an empty answer"),
    ],
)
def test_an_answer_without_a_photo_concerns_that_photo_alone(
    host: HostileHost, reply: bytes, words: str
) -> None:
    assert failed(host, reply) == (f"HOST {words}", "photo")


TO_ANOTHER = (
    "answered with a redirect to another address: sign in to the network, or set HTTPS_PROXY"
)
A_PAGE = "answered with a web page instead of data: sign in to the network, or set HTTPS_PROXY"


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (redirect("http://portal.example/"), TO_ANOTHER),
        (answer(b"<!DOCTYPE html><title>Blocked</title>"), A_PAGE),
        (answer(b"\r\n <HTML lang=en>"), A_PAGE),
        (answer(b"Blocked", Content_Type="text/html; charset=utf-8"), A_PAGE),
    ],
)
def test_what_stands_between_is_a_failure_of_the_host(
    host: HostileHost, reply: bytes, words: str
) -> None:
    assert failed(host, reply) == (f"HOST {words}", "host")


SLOW = {
    "body": answer(b"", Content_Length="9000"),
    "body without a length": answer(b"", Content_Length=""),
    "length of a chunk": answer(b"", Content_Length="", Transfer_Encoding="chunked"),
}


@pytest.mark.parametrize("part", SLOW)
def test_an_answer_that_drips_ends_in_time(host: HostileHost, part: str) -> None:
    """No byte is late, and the whole never comes, wherever it drips."""

    def send(wire: BinaryIO) -> None:
        wire.write(SLOW[part])
        for _ in range(200):
            wire.write(b"0")
            time.sleep(0.05)

    host.answers["/slow"] = send
    with pytest.raises(requests.Timeout):
        Client(seconds=0.3).call("GET", f"{host.address}/slow")


# Trying again


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        (requests.ConnectionError(), True),
        (requests.exceptions.ConnectTimeout(), True),
        (requests.exceptions.ReadTimeout(), True),
        (requests.exceptions.ChunkedEncodingError(), True),
        (requests.exceptions.ContentDecodingError(), True),
        (SourceUnavailable("not currently available", 105), True),
        (SourceRefused("Invalid API Key", 100), False),
        (PhotoRejected("gone"), False),
        (requests.exceptions.InvalidURL(), False),
        (ValueError(), False),
        (KeyboardInterrupt(), False),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, BaseException) else "",
)
def test_what_is_retryable(error: Exception, retryable: bool) -> None:
    assert is_retryable(error) is retryable


def http_error(status: int, **headers: str) -> requests.HTTPError:
    response = requests.Response()
    response.status_code = status
    response.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    return requests.HTTPError(response=response)


SOON = datetime.now(UTC) + timedelta(hours=1)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        ("9" * 300, float("9" * 300)),
        (format_datetime(SOON, usegmt=True), None),
        (f"{SOON:%A, %d-%b-%y %H:%M:%S} GMT", None),
        ("Wed, 21 Oct 2020 07:20:00 GMT", 0),
        ("Wed, 99 Oct 2026 07:20:00 GMT", 0),
        ("soon", 0),
        ("-5", 0),
    ],
    ids=map(str, range(8)),
)
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_read_in_both_forms(status: int, header: str, seconds: float | None) -> None:
    until_soon = pytest.approx((SOON - datetime.now(UTC)).total_seconds(), abs=10)
    found = retry_after(http_error(status, Retry_After=header))
    assert found == (until_soon if seconds is None else seconds)
