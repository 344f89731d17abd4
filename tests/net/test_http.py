"""Downloads, from a small host on loopback that misbehaves as it is told."""

import gzip
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
import requests

from genset import __version__
from genset.core.errors import PhotoRejected, SourceRefused, SourceUnavailable
from genset.net import transport as http
from genset.net.transport import Connections, download, is_retryable, retry_after

PHOTO = bytes(range(256)) * 1000


class Host(ThreadingHTTPServer):
    """Answers each path with its status, headers and body, and notes what was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {
            "/photo.jpg": (200, {}, PHOTO)
        }
        self.asked: list[str] = []
        self.user_agents: set[str] = set()
        self.encodings: set[str] = set()

    def redirect(self, path: str, location: str, status: int = 302) -> None:
        self.answers[path] = (status, {"Location": location}, b"")


class _Handler(BaseHTTPRequestHandler):
    server: Host

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.server.user_agents.add(self.headers["User-Agent"])
        self.server.encodings.add(self.headers["Accept-Encoding"])
        status, headers, body = self.server.answers[self.path]
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the tests' output clean."""


def serving() -> Iterator[Host]:
    with Host() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


host = pytest.fixture(serving)
stranger = pytest.fixture(serving)


def fetched(host: Host, path: str = "/photo.jpg") -> bytes:
    """Download from a host that is the only one allowed."""
    return download(Connections(), host.address + path, lambda url: url.startswith(host.address))


def refusal(host: Host, path: str) -> str:
    with pytest.raises(PhotoRejected) as refused:
        fetched(host, path)
    return refused.value.reason


# Downloading


def test_a_photo_comes_as_it_is_and_the_host_hears_who_asks(host: Host) -> None:
    assert fetched(host) == PHOTO
    [user_agent] = host.user_agents
    assert user_agent.startswith(f"genset/{__version__}")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(host: Host, status: int) -> None:
    host.redirect("/old", "/photo.jpg", status)
    host.redirect("/older", f"{host.address}/old", status)
    assert fetched(host, "/older") == PHOTO


def test_an_address_that_is_not_allowed_is_never_asked(host: Host, stranger: Host) -> None:
    with pytest.raises(PhotoRejected, match="address not allowed"):
        download(Connections(), f"{stranger.address}/photo.jpg", lambda url: host.address in url)
    assert stranger.asked == []


@pytest.mark.parametrize("location", ["{}/photo.jpg", "//{}/photo.jpg"])
def test_a_foreign_redirect_is_not_followed(host: Host, stranger: Host, location: str) -> None:
    where = stranger.address if location.startswith("{") else stranger.address.partition("//")[2]
    host.redirect("/photo", location.format(where))
    assert refusal(host, "/photo") == "address not allowed"
    assert stranger.asked == []


@pytest.mark.parametrize("location", ["file:///etc/passwd", "http://[::1", "ftp://127.0.0.1/x"])
def test_a_redirect_to_no_web_address_is_refused(host: Host, location: str) -> None:
    host.redirect("/photo", location)
    assert refusal(host, "/photo") == "address not allowed"


def test_connections_follow_no_redirect_by_themselves(host: Host, stranger: Host) -> None:
    host.redirect("/api", f"{stranger.address}/photo.jpg")
    with Connections().ask("POST", f"{host.address}/api", {}, b"key=s3cret") as reply:
        assert reply.status == 302
    assert stranger.asked == []


def test_a_circle_of_redirects_ends(host: Host) -> None:
    host.redirect("/round", "/round")
    assert refusal(host, "/round") == "too many redirects"
    assert len(host.asked) <= 10


def test_the_placeholder_of_a_removed_photo_is_not_a_photo(host: Host) -> None:
    host.redirect("/photo", "/images/en-us/photo_unavailable.png")
    assert refusal(host, "/photo") == "gone"
    assert host.asked == ["/photo"]


@pytest.mark.parametrize("status", [404, 410])
def test_a_missing_photo_is_gone(host: Host, status: int) -> None:
    host.answers["/photo"] = (status, {}, b"no such photo")
    assert refusal(host, "/photo") == "gone"


@pytest.mark.parametrize("declared", [{}, {"Connection": "close"}])
def test_too_large_a_photo_is_refused(
    host: Host, monkeypatch: pytest.MonkeyPatch, declared: dict[str, str]
) -> None:
    monkeypatch.setattr(http, "MAX_BYTES", len(PHOTO) - 1)
    host.answers["/photo"] = (200, declared, PHOTO)
    assert refusal(host, "/photo") == "too large"


def test_packed_bytes_which_nobody_asked_for_are_not_unpacked(host: Host) -> None:
    host.answers["/photo"] = (200, {"Content-Encoding": "gzip"}, gzip.compress(PHOTO))
    assert refusal(host, "/photo") == "bad answer"
    assert host.encodings == {"identity"}


def test_a_photo_of_just_the_most_bytes_is_not_too_large(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "MAX_BYTES", len(PHOTO))
    assert fetched(host) == PHOTO


@pytest.mark.parametrize(
    "answer",
    [
        (200, {"Content-Length": str(len(PHOTO))}, PHOTO[:-1]),
        (200, {"Content-Length": str(len(PHOTO))}, b""),
        (500, {}, b""),
        (503, {}, b""),
        (429, {}, b""),
    ],
    ids=["cut short", "empty", "500", "503", "429"],
)
def test_a_failing_host_is_worth_another_try(
    host: Host, answer: tuple[int, dict[str, str], bytes]
) -> None:
    host.answers["/photo"] = answer
    with pytest.raises(requests.RequestException) as failed:
        fetched(host, "/photo")
    assert is_retryable(failed.value)


@pytest.mark.parametrize("status", [401, 403])
def test_a_host_that_keeps_us_off_may_let_us_in_later(host: Host, status: int) -> None:
    host.answers["/photo"] = (status, {}, b"")
    with pytest.raises(SourceUnavailable, match=f"HTTP {status}"):
        fetched(host, "/photo")


@pytest.mark.parametrize("status", [400, 451])
def test_a_host_that_says_no_is_not(host: Host, status: int) -> None:
    host.answers["/photo"] = (status, {}, b"")
    with pytest.raises(requests.HTTPError) as failed:
        fetched(host, "/photo")
    assert not is_retryable(failed.value)


def test_a_host_that_is_not_there_is_worth_another_try() -> None:
    with Host() as gone:
        pass
    with pytest.raises(requests.ConnectionError) as failed:
        fetched(gone)
    assert is_retryable(failed.value)


# Trying again


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        (requests.ConnectionError(), True),
        (requests.exceptions.ConnectTimeout(), True),
        (requests.exceptions.ReadTimeout(), True),
        (requests.exceptions.ChunkedEncodingError(), True),
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


NOW = "Wed, 21 Oct 2026 07:28:00 GMT"


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("7", 7),
        (" 7 ", 7),
        ("0", 0),
        ("86400", 86_400),
        ("9" * 300, float("9" * 300)),
        ("Wed, 21 Oct 2026 07:30:00 GMT", 120),
        ("Wednesday, 21-Oct-26 07:30:00 GMT", 120),
        ("Wed Oct 21 07:30:00 2026", 120),
        ("Wed, 21 Oct 2026 07:20:00 GMT", 0),
        ("Wed, 99 Oct 2026 07:20:00 GMT", 0),
        ("soon", 0),
        ("²", 0),
        ("-5", 0),
        ("", 0),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_read_in_both_forms(status: int, asked: str, seconds: float) -> None:
    assert retry_after(http_error(status, Retry_After=asked, Date=NOW)) == seconds


def test_a_date_without_the_hosts_own_is_compared_with_our_clock() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(minutes=5), usegmt=True)
    assert 290 < retry_after(http_error(503, Retry_After=soon)) <= 300


def test_other_answers_ask_for_nothing() -> None:
    assert retry_after(http_error(500, Retry_After="7")) == 0
    assert retry_after(requests.ConnectionError()) == 0
