"""What is said of a call that failed: the cause, the host and the mend, each in its exact line."""

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests

from genset.core.errors import BadInput, SourceError, SourceRefused, SourceUnavailable
from genset.net.api import Api
from genset.net.transport import cause, needs_person
from tests.net.certificates import TlsHost
from tests.scrape.hostile import HostileHost, answer

COMPANY = "behind a company proxy set REQUESTS_CA_BUNDLE"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of this machine's network."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def host() -> Iterator[HostileHost]:
    with HostileHost() as running:
        yield running


def failure(url: str) -> Exception:
    """How a call of `url` fails."""
    with pytest.raises((requests.RequestException, SourceError)) as failed:
        Api("The API").get(url, {})
    return failed.value


def said(error: Exception, address: str) -> tuple[str, bool]:
    """The cause without the number of a port, and whether it needs a person."""
    line = cause(error, "The API").replace(address.rpartition("/")[2] or "HOST", "HOST")
    return line, needs_person(error)


# Certificates


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        ({}, f"certificate of HOST is not trusted: self-signed; {COMPANY}"),
        (
            {"issuer": "A company"},
            f"certificate of HOST is not trusted: its issuer is unknown; {COMPANY}",
        ),
        (
            {"days": -1},
            "certificate of HOST is not trusted: expired; check this machine's clock",
        ),
        (
            {"days": 200},
            "certificate of HOST is not trusted: not valid yet; check this machine's clock",
        ),
        (
            {"address": "127.0.0.2"},
            "certificate of HOST is not trusted: made out to another address; check the address, "
            "and whether the network wants a sign-in",
        ),
    ],
    ids=["self-signed", "unknown issuer", "expired", "not valid yet", "another address"],
)
def test_a_certificate_that_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: dict[str, object], line: str
) -> None:
    with TlsHost(tmp_path, **wrong) as host:  # type: ignore[arg-type]
        if wrong and "issuer" not in wrong:  # nothing else is wrong
            monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(host.bundle))
        assert said(failure(f"{host.address}/"), host.address) == (line, True)


def test_a_certificate_in_the_bundle_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with TlsHost(tmp_path) as host:
        host.answers["/"] = answer(b"{}")
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(host.bundle))
        assert Api("The API").get(f"{host.address}/", {}) == b"{}"


def test_a_bundle_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "none.pem"))
    with pytest.raises(BadInput, match=r"^REQUESTS_CA_BUNDLE names no file: .*none\.pem$"):
        Api("The API").get("https://a.example/", {})


def test_a_bundle_without_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty.pem").touch()
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "empty.pem"))
    line = "REQUESTS_CA_BUNDLE names a file without certificates"
    with TlsHost(tmp_path) as host:
        assert said(failure(f"{host.address}/"), host.address) == (line, True)


def test_a_host_without_tls() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as host:
        threading.Thread(target=host.serve_forever, daemon=True).start()
        address = f"127.0.0.1:{host.server_address[1]}"
        line = "HOST does not speak TLS; check the address"
        assert said(failure(f"https://{address}/"), address) == (line, True)
        host.shutdown()


# Proxies


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    ("status", "line", "lasts"),
    [
        (
            "407 Proxy Authentication Required",
            "proxy HOST wants a user name and a password (HTTP 407): set {} to "
            "http://USER:PASSWORD@HOST",
            True,
        ),
        ("502 Bad Gateway", None, False),
        ("403 Forbidden", None, True),
    ],
)
def test_a_proxy_that_answers(
    host: HostileHost,
    monkeypatch: pytest.MonkeyPatch,
    scheme: str,
    status: str,
    line: str | None,
    lasts: bool,
) -> None:
    variable = f"{scheme.upper()}_PROXY"
    monkeypatch.setenv(variable, host.address.replace("http://", "http://ann:s3cret@"))
    host.answers |= {"a.example:443": answer(b"", status), "http://a.example/": answer(b"", status)}
    number = status[:3]
    if line is None and scheme == "https":
        line = (
            f"proxy HOST does not connect to a.example (HTTP {number}): set NO_PROXY, or allow it"
        )
    elif line is None:
        key = ": check the key, and that no proxy or firewall stands between" if lasts else ""
        line = f"a.example answered HTTP {number}{key}"
    error = failure(f"{scheme}://a.example/")
    assert said(error, host.address) == (line.format(variable), lasts)
    assert host.asked == ["a.example:443" if scheme == "https" else "http://a.example/"]


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    ("proxy", "line", "lasts"),
    [
        ("http://127.0.0.1:9", "proxy 127.0.0.1:9 refuses connections; check {}", False),
        ("http://x.invalid:3128", "name of proxy x.invalid:3128 does not resolve; check {}", True),
        ("http://:3128", "HTTPS_PROXY or HTTP_PROXY is no web address; check its spelling", True),
        ("socks5://127.0.0.1:9", "a SOCKS proxy needs: pip install 'requests[socks]'", True),
    ],
)
def test_a_proxy_that_does_not_answer(
    monkeypatch: pytest.MonkeyPatch, scheme: str, proxy: str, line: str, lasts: bool
) -> None:
    variable = f"{scheme.upper()}_PROXY"
    monkeypatch.setenv(variable, proxy)
    assert said(failure(f"{scheme}://a.example/"), "") == (line.format(variable), lasts)


# Connections


def test_a_name_that_does_not_resolve() -> None:
    line = "name of x.invalid does not resolve; check the network and the address"
    assert said(failure("https://x.invalid/"), "") == (line, True)


def test_a_name_server_that_is_away_for_now() -> None:
    away = socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
    error = requests.ConnectionError(away)
    line = "name of a.example does not resolve; check the network and the address"
    assert (cause(error, "a.example"), needs_person(error)) == (line, False)


def test_a_closed_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"127.0.0.1:{closed.getsockname()[1]}"
    line = "HOST refuses connections; check the network and the address"
    assert said(failure(f"http://{address}/"), address) == (line, False)
    assert said(failure(f"https://{address}/"), address) == (line, False)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://[::1/", "The API"),
        ("http://exa mple/", "The API"),
        ("http://a..example/", "a..example"),
        ("ftp://a.example/", "a.example"),
        ("here", "The API"),
    ],
)
def test_a_bad_address(url: str, host: str) -> None:
    assert said(failure(url), "") == (f"{host} is no web address; check its spelling", True)


CUT = answer(b"part", Content_Length="9")


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        (b"", "HOST closed the connection without an answer"),
        (b"220 ready when you are\r\n", "HOST answered something else than HTTP"),
        (CUT, "answer of HOST was cut off"),
        (
            answer(b"", Content_Length="", Transfer_Encoding="chunked") + b"ffff\r\npart",
            "answer of HOST was cut off",
        ),
        (answer(b"", "500 Oops"), "HOST answered HTTP 500"),
        (answer(b"", "503 Oops"), "HOST answered HTTP 503"),
        (answer(b"", "429 Too Many"), "HOST answered HTTP 429: too many requests"),
        (answer(b"", "418 Teapot"), "HOST answered HTTP 418"),
        (answer(b"", "511 Sign in"), "HOST answered HTTP 511: the network wants a sign-in first"),
    ],
)
def test_an_answer_that_is_none(host: HostileHost, reply: bytes, line: str) -> None:
    host.answers["/"] = reply
    assert said(failure(f"{host.address}/"), host.address) == (line, False)


@pytest.mark.parametrize(
    ("status", "mend"),
    [(401, "check the key"), (403, "check the key, and that no proxy or firewall stands between")],
)
def test_a_host_that_turns_us_away(host: HostileHost, status: int, mend: str) -> None:
    host.answers["/"] = answer(b"", f"{status} No")
    line = f"HOST answered HTTP {status}: {mend}"
    assert said(failure(f"{host.address}/"), host.address) == (line, True)


# Sources


@pytest.mark.parametrize(
    ("error", "lasts"),
    [
        (SourceRefused("no", scope="key"), True),
        (SourceRefused("no"), False),
        (SourceRefused("no", scope="host"), False),
        (SourceUnavailable("later"), False),
    ],
)
def test_what_a_source_says_is_its_cause(error: SourceError, lasts: bool) -> None:
    assert (cause(error, "The API"), needs_person(error)) == (str(error), lasts)


@pytest.mark.parametrize(("scope", "lasts"), [("photo", False), ("query", False), ("host", True)])
def test_what_concerns_more_than_itself_needs_a_person(
    host: HostileHost, scope: str, lasts: bool
) -> None:
    host.answers["/"] = answer(b"", "403 No")
    with pytest.raises(SourceUnavailable) as failed:
        try:
            Api("The API").get(f"{host.address}/", {})
        except requests.RequestException as error:
            raise SourceUnavailable(cause(error, ""), scope=scope) from None  # type: ignore[arg-type]
    assert needs_person(failed.value) is lasts
