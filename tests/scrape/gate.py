"""A gate before a server, which a test may close: whoever has come through is cut off."""

import socket
import threading
from contextlib import suppress
from typing import Self

from sqlalchemy.engine import make_url


class Gate:
    """Hands the bytes of connections on to the database at a URL while it is open."""

    def __init__(self, url: str) -> None:
        server = make_url(url)
        self._server = str(server.host), int(server.port or 5432)
        self._listener = socket.create_server(("127.0.0.1", 0))
        behind = server.set(port=self._listener.getsockname()[1])
        self.url = behind.render_as_string(hide_password=False)
        self._through: list[socket.socket] = []
        self._lock = threading.Lock()
        self.is_open = True
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Let nobody through, and cut off who came."""
        with self._lock:
            self.is_open = False
            through, self._through = self._through, []
        for side in through:
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)

    def open(self) -> None:
        """Let all through."""
        self.is_open = True

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                with self._lock:
                    if not self.is_open:
                        client.close()
                        continue
                    server = socket.create_connection(self._server)
                    self._through += [client, server]
                for sides in ((client, server), (server, client)):
                    threading.Thread(target=_hand_on, args=sides, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._listener.close()


def _hand_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
    for side in (source, target):
        with suppress(OSError):
            side.shutdown(socket.SHUT_RDWR)
