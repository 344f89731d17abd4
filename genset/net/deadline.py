"""Answers that end by a deadline, however slowly their host sends them.

The timeout of a socket begins anew with each byte, so a host that sends a byte every three seconds
is never late. Between two pieces of a body one can look at the clock; while the head is read, or
the line before a chunk, nobody can. So the clock is looked at where bytes come in.
"""

import io
import socket
import time
from contextlib import suppress
from http.client import HTTPResponse
from typing import Any

import urllib3


def with_deadline(way: urllib3.PoolManager, seconds: float) -> urllib3.PoolManager:
    """Let every answer that comes this way raise a timeout, where it is not whole in so long."""

    class Answer(HTTPResponse):
        def __init__(self, sock: socket.socket, *others: Any, **named: Any) -> None:
            super().__init__(sock, *others, **named)
            raw = _Clocked(sock, self.fp.detach(), time.monotonic() + seconds)
            self.fp = io.BufferedReader(raw)

    def on_time(pool: type[Any]) -> type[Any]:
        connection = type("OnTime", (pool.ConnectionCls,), {"response_class": Answer})
        return type("OnTimePool", (pool,), {"ConnectionCls": connection})

    pools = way.pool_classes_by_scheme
    way.pool_classes_by_scheme = {scheme: on_time(pool) for scheme, pool in pools.items()}
    return way


class _Clocked(io.RawIOBase):
    """What comes from a socket, until `ends`, in monotonic seconds."""

    def __init__(self, sock: socket.socket, file: io.RawIOBase, ends: float) -> None:
        self._sock = sock
        self._file = file
        self._ends = ends
        self._usual = sock.gettimeout()

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._file.fileno()

    def readinto(self, buffer: Any) -> int | None:
        left = self._ends - time.monotonic()
        if left <= 0:
            raise TimeoutError("the answer took too long")
        if self._usual is None or left < self._usual:  # setting it takes as long as a small read
            self._sock.settimeout(left)
        return self._sock.recv_into(
            buffer
        )  # as the file would do, in Python too, at twice the cost

    def close(self) -> None:
        if not self.closed:
            with suppress(OSError):  # the connection is closed already
                self._sock.settimeout(self._usual)  # it may stay open for another answer
            self._file.close()
        super().close()
