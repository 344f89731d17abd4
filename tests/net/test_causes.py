"""What is said of a call that failed: the cause, the host and the mend, each in its exact line."""

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from genset.core.errors import Scope, SourceError, SourceUnavailable
from genset.net.api import Api
from genset.net.transport import cause, needs_person
from tests.scrape.commands import genset
from tests.scrape.hostile import HostileHost, answer
from tests.scrape.pools import Pool, Serve
from tests.scrape.test_pull import Maker


class TlsHost(HostileHost):
    """Its certificate is made out to `address`, signed by `issuer`, and good until in `days` days.

    In `folder` it lays ``bundle.pem``, which makes it trusted.
    """

    def __init__(
        self, folder: Path, address: str = "127.0.0.1", issuer: str = "", days: int = 1
    ) -> None:
        super().__init__()
        self.address = self.address.replace("http:", "https:")
        key, end = generate_private_key(SECP256R1()), datetime.now(UTC) + timedelta(days)
        certificate = (
            x509.CertificateBuilder(_name(issuer), _name(""), key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(end - timedelta(100))
            .not_valid_after(end)
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))]), True)
            .sign(generate_private_key(SECP256R1()) if issuer else key, hashes.SHA256())
        )
        self.bundle = folder / "bundle.pem"
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        self.bundle.write_bytes(certificate.public_bytes(Encoding.PEM) + secret)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(self.bundle)

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Shake hands in the thread of the connection."""
        with self._context.wrap_socket(request, server_side=True) as wire:
            super().finish_request(wire, client_address)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text or "a host")])


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


def failure(url: str, address: str = "http://HOST") -> tuple[str, bool]:
    """What is said of a call that fails at an address, and whether that needs a person."""
    with pytest.raises((requests.RequestException, SourceError)) as failed:
        Api("The API").get(url, {})
    words = cause(failed.value, "The API").replace(address.partition("//")[2], "HOST")
    return words, needs_person(failed.value)


# Certificates

COMPANY = "behind a company proxy set REQUESTS_CA_BUNDLE"
UNTRUSTED = "certificate of HOST is not trusted: {}"
ELSEWHERE = "check the address, and whether the network wants a sign-in"


@pytest.mark.parametrize(
    ("how", "is_trusted", "line"),
    [
        ({}, False, f"self-signed; {COMPANY}"),
        ({"issuer": "A company"}, False, f"its issuer is unknown; {COMPANY}"),
        ({"days": -1}, True, "expired; check this machine's clock"),
        ({"address": "127.0.0.2"}, True, f"made out to another address; {ELSEWHERE}"),
    ],
)
def test_a_certificate_that_is_not_trusted(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    how: dict[str, Any],
    is_trusted: bool,
    line: str,
) -> None:
    with TlsHost(tmp_path, **how) as host:
        if is_trusted:  # nothing else is wrong
            monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(host.bundle))
        said = failure(f"{host.address}/", host.address)
    assert said == (UNTRUSTED.format(line), True)


def test_a_certificate_in_the_bundle_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with TlsHost(tmp_path) as host:
        host.answers["/"] = answer(b"{}")
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(host.bundle))
        assert Api("The API").get(f"{host.address}/", {}) == b"{}"


# Proxies

A_PASSWORD = (
    "proxy HOST wants a user name and a password (HTTP 407): set {}_PROXY to "
    "http://USER:PASSWORD@HOST"
)
UNRESOLVED = "name of proxy x.invalid:8 does not resolve; check {}_PROXY"
TUNNEL = "proxy HOST does not connect to a.example (HTTP {}); ask who runs it"
NO_ENTRY = "a.example answered HTTP 403: check the key, and for a proxy in between"


@pytest.mark.parametrize(
    ("scheme", "status", "line", "lasts"),
    [
        ("http", 407, A_PASSWORD.format("HTTP"), True),
        ("https", 407, A_PASSWORD.format("HTTPS"), True),
        ("https", 502, TUNNEL.format(502), False),
        ("http", 403, NO_ENTRY, True),
        ("https", 403, TUNNEL.format(403), True),
    ],
)
def test_a_proxy_that_answers(
    host: HostileHost,
    monkeypatch: pytest.MonkeyPatch,
    scheme: str,
    status: int,
    line: str,
    lasts: bool,
) -> None:
    monkeypatch.setenv(f"{scheme}_proxy", host.address.replace("//", "//ann:s3cret@"))
    path = "a.example:443" if scheme == "https" else "http://a.example/"
    host.answers[path] = answer(b"", f"{status} No")
    assert failure(f"{scheme}://a.example/", host.address) == (line, lasts)
    assert host.asked == [path]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_does_not_answer(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    for proxy, line in (
        ("http://127.0.0.1:9", "proxy 127.0.0.1:9 refuses connections; check {}_PROXY"),
        ("http://x.invalid:8", UNRESOLVED),
        ("http://:8", "HTTPS_PROXY or HTTP_PROXY is no web address"),
        ("socks5://127.0.0.1:9", "a SOCKS proxy needs: pip install 'requests[socks]'"),
    ):
        monkeypatch.setenv(f"{scheme}_proxy", proxy)
        assert failure(f"{scheme}://a.example/") == (line.format(scheme.upper()), True)


# Connections and answers


def test_an_address_where_nobody_is() -> None:
    check = "check the network and the address"
    for url, line, lasts in (
        ("https://x.invalid/", f"name of x.invalid does not resolve; {check}", True),
        ("http://127.0.0.1:9", f"127.0.0.1:9 refuses connections; {check}", False),
        ("http://[::1/", "The API is no web address; check its spelling", True),
        ("ftp://a.example/", "a.example is no web address; check its spelling", True),
    ):
        assert failure(url) == (line, lasts)


@pytest.mark.parametrize(
    ("reply", "line", "lasts"),
    [
        (b"", "HOST closed the connection without an answer", False),
        (b"220 ready when you are\r\n", "HOST answered something else than HTTP", False),
        (answer(b"part", Content_Length="9"), "answer of HOST was cut off", False),
        (answer(b"", "503 Oops"), "HOST answered HTTP 503", False),
        (answer(b"", "429 Too Many"), "HOST answered HTTP 429: too many requests", False),
        (answer(b"", "511 No"), "HOST answered HTTP 511: the network wants a sign-in first", False),
        (answer(b"", "401 No"), "HOST answered HTTP 401: check the key", True),
        (answer(b"", "404 No"), "HOST answered HTTP 404: check the address", True),
        (answer(b"", "403 No"), NO_ENTRY.replace("a.example", "HOST"), True),
    ],
)
def test_an_answer_that_is_none(host: HostileHost, reply: bytes, line: str, lasts: bool) -> None:
    host.answers["/"] = reply
    assert failure(f"{host.address}/", host.address) == (line, lasts)


def test_what_one_photo_or_query_meets_needs_no_person() -> None:
    response = requests.Response()
    response.status_code = 403
    scopes: dict[Scope, bool] = {"key": True, "host": True, "query": False, "photo": False}
    for scope, lasts in scopes.items():
        error = SourceUnavailable("it says no", scope=scope)
        error.__context__ = requests.HTTPError(response=response)
        assert (cause(error, ""), needs_person(error)) == ("it says no", lasts)


# Commands


@pytest.mark.parametrize(
    ("command", "proxy", "line"),
    [
        ("scrape --classes n02123045", "", UNTRUSTED.format(f"self-signed; {COMPANY}")),
        ("refresh", "http://HOST", A_PASSWORD.format("HTTPS")),
        ("pull manifest.json", "http://x.invalid:8", UNRESOLVED.format("HTTPS")),
    ],
)
def test_a_command_whose_first_call_needs_a_person_ends_at_once(
    serve: Serve, pool: Pool, tmp_path: Path, command: str, proxy: str, line: str
) -> None:
    with TlsHost(tmp_path) as tls, HostileHost() as host:
        address = host.address if proxy else tls.address
        images = "https://live.staticflickr.com" if proxy else tls.address
        for name in ("api.flickr.com:443", "live.staticflickr.com:443"):
            host.answers[name] = answer(b"", "407 No")

        def put_there(document: dict[str, Any]) -> None:
            for photo in document["photos"]:
                photo["image_url"] = f"{images}/1/{photo['source_id']}_a.jpg"

        Maker(serve, pool).rewritten(pool.workspace.root / "manifest.json", put_there)
        said = genset(
            *(*command.split(), "--give-up-after", "9s"),
            cwd=pool.workspace.root,
            code=1,
            endpoint="" if proxy else f"{tls.address}/services/rest/",
            more={"HTTPS_PROXY": proxy.replace("http://HOST", address)},
        )
    assert said == f"genset: {line.replace('HOST', address.partition('//')[2])}\n"
