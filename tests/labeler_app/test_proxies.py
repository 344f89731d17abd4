"""The configurations of docs/deploying.md, run: nginx and Caddy in front of a real server."""

import contextlib
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from genset.db import Store
from genset.label.labelers import Labelers
from tests.browser import another
from tests.label.serving import free_port, kill, serving
from tests.labeled_workspace import GOLDFISH, TENCH, labeled_workspace
from tests.labeler_app import component

pytestmark = pytest.mark.browser

DOCS = Path(__file__).parents[2] / "docs"
NAME = "labels.example.org"
UPGRADE = (
    *("Connection: Upgrade", "Upgrade: websocket"),
    *("Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="),
)


def documented_nginx() -> str:
    text = (DOCS / "deploying.md").read_text("utf-8")
    (found,) = re.findall(r"^```nginx\n(.*?)^```", text, re.M | re.S)
    return str(found)


def replaced(text: str, *pairs: tuple[str, str]) -> str:
    """The text with other ports and paths; each has to be in it."""
    for old, new in pairs:
        assert old in text, f"the documented configuration has no {old!r}"
        text = text.replace(old, new)
    return text


@dataclass(frozen=True)
class Outside:
    """The server as the internet sees it. `folder` is where the proxy writes its logs."""

    port: int
    folder: Path
    store: Store
    server: "subprocess.Popen[str]"

    @property
    def host(self) -> str:
        return f"{NAME}:{self.port}"

    def connection(self) -> ssl.SSLSocket:
        trusted = ssl.create_default_context(cafile=str(self.folder / "cert.pem"))
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        return trusted.wrap_socket(plain, server_hostname=NAME)

    def ask(self, request: str, *headers: str, body: bytes = b"") -> tuple[int, str]:
        """The status of an answer, and how it begins."""
        lines = (f"{request} HTTP/1.1", f"Host: {self.host}", *headers, "", "")
        with self.connection() as connection:
            connection.sendall("\r\n".join(lines).encode())
            with contextlib.suppress(OSError):  # who refuses a body need not read it
                connection.sendall(body)
            answer = connection.recv(65536).decode("latin-1")
        return int(answer.split(" ", 2)[1]), answer

    def logged(self) -> str:
        """All that the proxy wrote: its log of requests, its errors, its output."""
        return "".join(path.read_text("utf-8") for path in sorted(self.folder.glob("*.log")))


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def outside(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Outside]:
    # nginx lies in /usr/sbin, which not every PATH names.
    program = shutil.which(request.param) or shutil.which(request.param, path="/usr/sbin")
    if program is None:
        pytest.skip(f"no {request.param}: install Debian's nginx-light and caddy")
    folder = tmp_path_factory.mktemp(request.param)
    certify(folder)
    inner, port = free_port(), free_port()
    command = {"nginx": nginx, "caddy": caddy}[request.param](program, folder, inner, port)
    workspace, store = labeled_workspace(folder / "workspace", [TENCH, GOLDFISH])
    (workspace.root / ".env").write_text(f"GENSET_LABEL_SECRET={'s' * 32}\n", "utf-8")
    with (folder / "output.log").open("w") as output, serving(workspace.root, inner) as server:
        proxy = subprocess.Popen(
            command,
            stdout=output,
            stderr=output,
            start_new_session=True,
            env=os.environ | {"XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)},
        )
        try:
            wait_for(port)
            yield Outside(port, folder, store, server)
        finally:
            proxy.send_signal(signal.SIGTERM)
            proxy.wait(30)
            store.close()


def certify(folder: Path) -> None:
    """A certificate for the name, which whoever reads `cert.pem` trusts."""
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", f"/CN={NAME}"),
            *("-addext", f"subjectAltName=DNS:{NAME}", "-keyout", "key.pem", "-out", "cert.pem"),
        ],
        cwd=folder,
        check=True,
        capture_output=True,
    )


def nginx(program: str, folder: Path, inner: int, port: int) -> list[str]:
    text = replaced(
        documented_nginx(),
        ("listen 80;", f"listen 127.0.0.1:{free_port()};"),
        ("listen 443 ", f"listen 127.0.0.1:{port} "),
        (f"/etc/letsencrypt/live/{NAME}/fullchain.pem", str(folder / "cert.pem")),
        (f"/etc/letsencrypt/live/{NAME}/privkey.pem", str(folder / "key.pem")),
        ("/var/log/nginx/", f"{folder}/"),
        ("127.0.0.1:8501", f"127.0.0.1:{inner}"),
    )
    spaces = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    frame = f"pid {folder}/pid;\nevents {{}}\nhttp {{\n{spaces}{text}}}\n"
    (folder / "nginx.conf").write_text(frame, "utf-8")
    words = ["-p", str(folder), "-c", "nginx.conf", "-e", str(folder / "start.log")]
    return [program, *words, "-g", "daemon off;"]


def caddy(program: str, folder: Path, inner: int, port: int) -> list[str]:
    text = replaced(
        (DOCS / "compose" / "Caddyfile").read_text("utf-8"),
        (f"\n{{$SITE:{NAME}}} {{", f"\n{NAME}:{port} {{\n\ttls {folder}/cert.pem {folder}/key.pem"),
        ("{\n\tlog {", "{\n\tadmin off\n\tauto_https off\n\tlog {"),
        ("/var/log/caddy/", f"{folder}/"),
        ("{$SERVER:127.0.0.1:8501}", f"127.0.0.1:{inner}"),
    )
    (folder / "Caddyfile").write_text(text, "utf-8")
    return [program, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


def wait_for(port: int) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)
    raise AssertionError("the proxy does not listen")


@pytest.mark.soak
def test_somebody_labels_through_it(outside: Outside, browser: Browser) -> None:
    """By an invitation. Of the address that holds it nothing is logged."""
    token = Labelers(outside.store).invite("Ann")
    with another(browser, f"--host-resolver-rules=MAP {NAME} 127.0.0.1") as outsider:
        page = outsider.new_context(ignore_https_errors=True).new_page()
        streams: list[str] = []
        page.on("websocket", lambda stream: streams.append(stream.url))
        page.goto(f"https://{outside.host}/?invite={token}")
        component.begin(page)
        component.label(page, "tench", "CCICC")
        component.label(page, "goldfish")
        expect(page.get_by_text("all done", exact=False).first).to_be_visible()
        page.goto(f"https://{outside.host}/?labeler=Eve")  # it does listen on loopback
        expect(page.get_by_text("A name is not enough here")).to_be_visible()
    assert component.stored(outside.store, "Ann") == {TENCH: "CCICC", GOLDFISH: "CCCCC"}
    assert streams and all(url.startswith(f"wss://{outside.host}/") for url in streams)
    logged = outside.logged()
    assert "/genset/submit" in logged and token not in logged


def test_the_proxy_adds_nothing_and_takes_nothing_away(outside: Outside) -> None:
    stream = "GET /_stcore/stream"
    assert outside.ask(stream, *UPGRADE, f"Origin: https://{outside.host}")[0] == 101
    for origin in ("https://evil.example", f"https://evil.example:{outside.port}"):
        assert outside.ask(stream, *UPGRADE, f"Origin: {origin}")[0] == 403
    status, answer = outside.ask("GET /genset/ready")
    assert status == 200 and '{"ready":true}' in answer
    headers = answer.lower()
    assert "strict-transport-security: max-age=31536000" in headers
    assert headers.count("content-security-policy: ") == 1
    body = b'{"loaded": [], "count": 1}'
    words = (f"Content-Length: {len(body)}", "Authorization: Bearer forged")
    assert outside.ask("POST /genset/screens", *words, body=body)[0] == 401


def test_a_large_body_is_refused_by_the_proxy(outside: Outside) -> None:
    asked, size = "POST /genset/submit", 1_200_000
    content = b" " * size
    assert outside.ask(asked, f"Content-Length: {size}", body=content)[0] == 413
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (size, content)  # which states no length
    status, _ = outside.ask(asked, "Transfer-Encoding: chunked", body=chunks)
    assert status in (411, 413, 502)  # Caddy 2.6 calls it its own error, or passes ours on
    assert outside.ask("GET /genset/ready")[0] == 200


def test_an_error_is_logged_without_the_addresss_query(outside: Outside) -> None:
    """The last one: the server is gone then, which the proxy writes down."""
    kill(outside.server)
    asked = outside.ask(
        "GET /?invite=SECRET1&PROLIFIC_PID=SECRET2", f"Referer: https://{NAME}/?invite=SECRET3"
    )
    assert asked[0] == 502
    assert outside.ask("POST /genset/submit", "Content-Length: 2", body=b"{}")[0] == 502
    logged = outside.logged()
    assert "502" in logged and "SECRET" not in logged
