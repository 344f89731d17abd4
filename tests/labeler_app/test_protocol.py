"""Headers that come too slowly, or never."""

import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from labeler_app.middleware import BoundedHeaders


class Impatient(BoundedHeaders):
    seconds = 0.2


@pytest.fixture
def address() -> Iterator[tuple[str, int]]:
    """Where a small server is that waits a fifth of a second for headers."""
    app = Starlette(routes=[Route("/", lambda _: PlainTextResponse("here"))])
    server = uvicorn.Server(uvicorn.Config(app, http=Impatient, log_level="error"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield listener.getsockname()
        finally:
            server.should_exit = True
            thread.join()


REQUEST = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


@pytest.mark.parametrize("begun", [b"", b"GET / HT", REQUEST[:-2]])
def test_who_does_not_finish_is_not_waited_for(address: tuple[str, int], begun: bytes) -> None:
    with socket.create_connection(address, timeout=30) as connection:
        connection.sendall(begun)
        with contextlib.suppress(ConnectionResetError):
            assert connection.recv(1) == b""  # the server ended it


def test_a_second_request_on_a_connection_is_not_waited_for_either(
    address: tuple[str, int],
) -> None:
    with socket.create_connection(address, timeout=30) as connection:
        for _ in range(2):
            connection.sendall(REQUEST)
            answer = b""
            while not answer.endswith(b"here"):
                answer += connection.recv(4096)
        connection.sendall(REQUEST[:10])
        assert connection.recv(1) == b""
