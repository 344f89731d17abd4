"""Downloads from a host on loopback; what stranger answers cost a scrape is in test_hostile."""

import gzip
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
import requests

from genset import __version__
from genset.core.errors import SourceUnavailable
from genset.net import transport
from genset.net.api import Api
from genset.net.originals import download
from genset.net.transport import Client, retry_after
from tests.scrape.hostile import Answer, HostileHost, answer, endless, redirect

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


def test_a_photo_comes_as_it_is_and_the_host_hears_who_asks(
    host: HostileHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "MAX_BYTES", len(PHOTO))
    assert fetched(host) == PHOTO
    assert host.headers["user-agent"].startswith(f"genset/{__version__} ")
    assert host.headers["accept-encoding"] == "identity"
    assert Api("The API").get(f"{host.address}/photo.jpg", {}) == PHOTO
    assert host.headers["user-agent"].startswith(f"genset/{__version__} ")


@pytest.mark.parametrize(
    ("reply", "scope"),
    [
        *((answer(b"no", f"{status} No"), "photo") for status in (204, 206, 300, 304, 403, 451)),
        (answer(b""), "photo"),
        (redirect("http://portal.example/"), "host"),
        (answer(b"<!DOCTYPE html><title>Blocked</title>"), "host"),
        (answer(b"\r\n <HTML lang=en>"), "host"),
        (answer(b"Blocked", Content_Type="text/html; charset=utf-8"), "host"),
    ],
)
def test_an_answer_without_a_photo_concerns_it_alone_or_what_stands_between(
    host: HostileHost, reply: bytes, scope: str
) -> None:
    with pytest.raises(SourceUnavailable) as failed:
        fetched(host, reply)
    assert failed.value.scope == scope


ONE_PIECE = b"10000\r\n" + bytes(2**16) + b"\r\n"


@pytest.mark.parametrize(
    "reply",
    [
        endless(answer(b"", Content_Length=str(300 * 2**20)), bytes(2**16)),
        endless(answer(b"", Content_Length="", Transfer_Encoding="chunked"), ONE_PIECE),
        answer(300 * gzip.compress(bytes(2**20)), Content_Encoding="gzip"),
    ],
    ids=["300 MB", "no end", "300 MB when unpacked"],
)
def test_too_large_an_answer_of_an_api_is_not_kept(host: HostileHost, reply: Answer) -> None:
    host.answers["/"] = reply
    tracemalloc.start()
    with pytest.raises(SourceUnavailable, match="The API answered with more than 32 MB"):
        Api("The API").get(f"{host.address}/", {})
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 80 * 2**20


# Trying again


def http_error(status: int, **headers: str) -> requests.HTTPError:
    response = requests.Response()
    response.status_code = status
    response.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    return requests.HTTPError(response=response)


SOON = datetime.now(UTC) + timedelta(hours=1)


def test_retry_after_is_read_in_both_forms() -> None:
    soon = (SOON - datetime.now(UTC)).total_seconds()
    for header, seconds in (
        ("7", 7),
        ("9" * 300, float("9" * 300)),
        (format_datetime(SOON, usegmt=True), pytest.approx(soon, abs=10)),
        (f"{SOON:%A, %d-%b-%y %H:%M:%S} GMT", pytest.approx(soon, abs=10)),
        *((nothing, 0) for nothing in ("Wed, 21 Oct 2020 07:20:00 GMT", "soon", "-5",
                                       "Wed, 99 Oct 2026 07:20:00 GMT")),
    ):  # fmt: skip
        for status in (429, 503):
            assert retry_after(http_error(status, Retry_After=header)) == seconds
