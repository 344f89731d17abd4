"""Who may open a WebSocket, and that the server asks nobody outside about it."""

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.label.serving import free_port, kill
from tests.labeled_workspace import TENCH, labeled_workspace
from tests.labeler_app.conftest import Served

# The server, in a machine that knows no names: whoever asks for one is written down.
_PROGRAM = """\
import socket, sys
from pathlib import Path
from genset.label.server import serve
from genset.workspace import Workspace

def asked(host, *rest, **more):
    print("asked for", host, flush=True)
    raise socket.gaierror("no names here")

socket.getaddrinfo = socket.gethostbyname = asked
sys.exit(serve(Workspace.find(Path(sys.argv[1])), int(sys.argv[2])))
"""


def handshake(port: int, *headers: str) -> int:
    """The status that a WebSocket with these headers gets."""
    lines = (
        "GET /_stcore/stream HTTP/1.1",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        *headers,
    )
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall("\r\n".join((*lines, "", "")).encode())
        found = re.match(rb"HTTP/1.1 (\d{3}) ", connection.recv(4096))
    assert found
    return int(found[1])


class Server:
    def __init__(self, process: "subprocess.Popen[str]", port: int) -> None:
        self.process, self.port = process, port

    def handshake(self, *headers: str) -> int:
        return handshake(self.port, *headers)

    def asked_outside(self) -> str:
        """What the server has asked for outside until now. It ends."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        return self.process.stdout.read()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    workspace, store = labeled_workspace(tmp_path / "workspace", [TENCH])
    store.close()
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(workspace.root), str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    try:
        assert "the labeling page is at" in process.stderr.readline()
        yield Server(process, port)
    finally:
        kill(process)


@pytest.mark.soak
def test_only_pages_of_this_server_open_a_websocket_and_nobody_outside_is_asked(
    server: Server,
) -> None:
    here = f"127.0.0.1:{server.port}"
    for origin, host in (
        (f"http://{here}", here),
        ("https://labels.example.org", "labels.example.org"),
        ("https://labels.example.org", "Labels.Example.org:443"),
        ("http://labels.example.org", "labels.example.org:80"),
        ("https://labels.example.org:8443", "labels.example.org:8443"),
        ("http://[::1]:8501", "[::1]:8501"),
    ):
        assert server.handshake(f"Host: {host}", f"Origin: {origin}") == 101, origin
    assert server.handshake(f"Host: {here}") == 101  # no browser
    for origin in (
        "http://evil.example",
        f"http://evil.example:{server.port}",
        f"http://{here}.evil.example",
        f"http://{here}@evil.example",
        f"http://evil.example@{here}",
        f"http://{here}/",
        f"http://localhost:{server.port}",
        "http://127.0.0.1:1",
        f"file://{here}",
        "null",
        "",
    ):
        assert server.handshake(f"Host: {here}", f"Origin: {origin}") == 403, origin
    # What a stranger can write says nothing.
    evil = ("Origin: https://evil.example", "X-Forwarded-Host: evil.example")
    assert server.handshake(f"Host: {here}", *evil) == 403
    both = (f"Origin: http://{here}", "Origin: https://evil.example")
    assert server.handshake(f"Host: {here}", *both) in (400, 403)
    assert server.asked_outside() == ""


@pytest.mark.browser
def test_headers_without_end_are_refused(served: Served) -> None:
    for size in (10_000, 100_000, 300_000):
        assert handshake(served.port, "Host: here", f"Cookie: {'a' * size}") == 400
    many = [f"Cookie-{number}: {'a' * 1_000}" for number in range(30)]
    assert handshake(served.port, "Host: here", *many) == 400
