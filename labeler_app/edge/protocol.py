"""uvicorn's HTTP, with bounds on what comes before a request's body."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

LARGEST_HEADERS = 16 * 1024  # bytes, the address included
SECONDS = 10.0
_LONGEST_LINE = 8_000  # bytes; of a longer one the WebSocket's own code tells nobody


class BoundedHeaders(H11Protocol):
    """Ends a connection whose headers do not come whole in time, or are too large."""

    seconds = SECONDS
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._came()
        elif self._timer is None and self.conn.trailing_data[0]:
            self._wait()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._came()
        lines = [len(event.target), *(len(name) + len(value) for name, value in self.headers)]
        if max(lines) > _LONGEST_LINE or sum(lines) > LARGEST_HEADERS:
            self.send_400_response("The headers are too large.")
        else:
            super().handle_websocket_upgrade(event)

    def _wait(self) -> None:
        self._timer = self.loop.call_later(self.seconds, self.transport.close)

    def _came(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
