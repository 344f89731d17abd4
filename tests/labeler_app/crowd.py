"""Mechanical Turk as a worker's browser meets it, and TLS before our own server; all on loopback.

The names are the real ones: the browser is told that they are here.
"""

import asyncio
import contextlib
import html
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

LABELS = "labels.example.org"
NAMES = (LABELS, "worker.mturk.com", "www.mturk.com", "evil.example")


@dataclass
class Crowd:
    """What the browser has to be told, and what the platform has received.

    `framed` is the address that the platform's page shows in its frame.
    """

    options: list[str]
    framed: str = ""
    posts: list[tuple[str, dict[str, list[str]]]] = field(default_factory=list)


@contextmanager
def crowd(folder: Path, port: int) -> Iterator[Crowd]:
    """The platform, and TLS for the labeling page that listens at `port`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_certificate(folder))
    platform = ThreadingHTTPServer(("127.0.0.1", 0), _Platform)
    platform.socket = context.wrap_socket(platform.socket, server_side=True)
    with _running(platform.serve_forever, platform.shutdown), _proxy(context, port) as proxy:
        places = {name: proxy if name == LABELS else platform.server_port for name in NAMES}
        rules = ", ".join(f"MAP {name}:443 127.0.0.1:{at}" for name, at in places.items())
        _Platform.crowd = Crowd([f"--host-resolver-rules={rules}", "--ignore-certificate-errors"])
        yield _Platform.crowd
    platform.server_close()


@contextmanager
def _proxy(context: ssl.SSLContext, port: int) -> Iterator[int]:
    """The port where TLS is ended for the server at `port`."""
    loop = asyncio.new_event_loop()  # of a thread of its own: Playwright has one in this
    with _running(loop.run_forever, lambda: loop.call_soon_threadsafe(loop.stop)):
        serving = asyncio.start_server(
            lambda reader, writer: _pass_on(reader, writer, port), "127.0.0.1", 0, ssl=context
        )
        server = asyncio.run_coroutine_threadsafe(serving, loop).result()
        yield server.sockets[0].getsockname()[1]


@contextmanager
def _running(run: Callable[[], object], stop: Callable[[], object]) -> Iterator[None]:
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop()
        thread.join()


class _Platform(BaseHTTPRequestHandler):
    crowd: Crowd

    def do_GET(self) -> None:
        framed = html.escape(self.crowd.framed)
        frame = f'<iframe width="1400" height="860" src="{framed}"></iframe>'
        self._answer(f"<!doctype html><title>Tasks</title>{frame}")

    def do_POST(self) -> None:
        form = self.rfile.read(int(self.headers["Content-Length"])).decode()
        address = f"https://{self.headers['Host']}{self.path}"
        self.crowd.posts.append((address, parse_qs(form)))
        self._answer("<!doctype html><p>The platform has it.")

    def _answer(self, page: str) -> None:
        content = page.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    """As a proxy does that ends TLS and changes nothing else."""
    inner, to_inner = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.gather(_pump(reader, to_inner), _pump(inner, writer))


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):  # one of the two has gone
        while data := await source.read(65536):
            target.write(data)
            await target.drain()
    target.close()


def _certificate(folder: Path) -> Path:
    """A key with a certificate of its own signing, for all the names."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    today = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(map(x509.DNSName, NAMES)), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    file = folder / "certificate.pem"
    file.write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
        + certificate.public_bytes(pem)
    )
    return file
