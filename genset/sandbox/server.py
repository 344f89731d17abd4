"""The sandbox's HTTP, by Starlette: one loopback port for the API and for the images.

What is answered is decided in `Sandbox.answer`, a function from a request to a reply that knows
no sockets; where a network must fail, the reply says how.
"""

import asyncio
import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import parse_qsl

import uvicorn
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from genset.classes import Taxonomy
from genset.core.errors import BadInput
from genset.sandbox.commons import Commons
from genset.sandbox.faults import FaultMiddleware, Faults
from genset.sandbox.flickr import Flickr
from genset.sandbox.inaturalist import INaturalist
from genset.sandbox.photos import Collection
from genset.sandbox.service import Reply, Request

HOST = "127.0.0.1"

SERVICES = {"flickr": Flickr, "commons": Commons, "inaturalist": INaturalist}

_NO_FAULTS = Faults()


@dataclass(frozen=True)
class LoggedRequest:
    """One request: `what` is a call's method or an image's path, `at` monotonic seconds.

    `fault` says what went wrong on purpose, or is None.
    """

    at: float
    verb: str
    what: str
    params: dict[str, str]
    status: int
    fault: str | None


class RequestLog(list[LoggedRequest]):
    """The requests, without their keys, in the order of their answers."""

    def of(self, what: str) -> list[LoggedRequest]:
        """The requests for one method of the API, as the service calls it, or one path."""
        return [request for request in self if request.what == what]


class Sandbox:
    """A source on loopback that shows the photos of a folder.

    It takes its port when it is made, and gives it back in `close` or at the end of the `with`
    statement, which serves in a thread. Of its `rules` the first that meets a request decides what
    goes wrong with it; any thread may add some.
    """

    def __init__(
        self,
        photos: Path,
        records: Path | None = None,
        port: int = 0,
        faults: Faults = _NO_FAULTS,
        source: str = "flickr",
        taxonomy: Taxonomy | None = None,
    ) -> None:
        """Read the photos; nothing is served yet.

        Args:
            photos: a folder of `<wnid>/<name>.jpg`.
            records: JSON lines that describe them (see `photos.py`); made up where there are none.
            port: 0 is any free one.
            faults: what goes wrong.
            source: whose API it has: "flickr", "commons" or "inaturalist".
            taxonomy: the classes by which the folders are named; by default ImageNet's.

        Raises:
            BadInput: something that the user can mend.
        """
        self.name = source
        self.requests = RequestLog()
        self._open_requests = 0
        collection = Collection(
            photos, records, taxonomy, lambda photo_id: faults.of_photo(photo_id) == "gone"
        )
        try:
            self._socket = socket.create_server((HOST, port), backlog=128)
        except (OSError, OverflowError) as error:
            raise BadInput(f"cannot serve on port {port}: {error}; name another, or 0") from None
        # Else a body waits 0.04 seconds for its headers' receipt; asyncio leaves this socket so.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        base = f"http://{HOST}:{self._socket.getsockname()[1]}"
        self.service = SERVICES[source](collection, base, faults.unsettle)
        self.endpoint = base + self.service.api_path
        self._middleware = FaultMiddleware(self.service, faults)
        self.rules = self._middleware.rules
        self._thread: threading.Thread | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The variables that have genset call this sandbox."""
        return {f"GENSET_{self.name.upper()}_ENDPOINT": self.endpoint} | self.service.variables

    # Answering

    def answer(self, request: Request) -> Reply:
        """The reply to a request, right or wrong."""
        return self._middleware(request)

    def log(self, request: Request, reply: Reply) -> None:
        """Note a request and its reply."""
        (what, _), params = self.service.about(request), request.public_params
        logged = LoggedRequest(request.at, request.verb, what, params, reply.status, reply.fault)
        self.requests.append(logged)

    async def _respond(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request over HTTP."""
        arrived, http = time.monotonic(), HttpRequest(scope, receive)
        form = (await http.body()).decode(errors="replace")
        params = dict(parse_qsl(f"{http.url.query}&{form}"))
        agent, path = http.headers.get("User-Agent", ""), scope["raw_path"].decode()
        self._open_requests += 1
        try:
            request = Request(http.method, path, params, arrived, agent, self._open_requests)
            reply = await run_in_threadpool(self.answer, request)
            self.log(request, reply)
        finally:  # before the last byte goes: whoever has it may send the next request
            self._open_requests -= 1
        await asyncio.sleep(reply.hang)
        # uvicorn hangs up where the body ends before its declared length.
        headers = reply.headers | {"Content-Length": str(len(reply.body))}
        body = reply.body[: reply.cut]
        await Response(body, reply.status, headers, reply.content_type)(scope, receive, send)

    # Serving

    def start(self) -> Self:
        """Serve in a new thread."""
        started = threading.Event()
        serving = self._serve(started)
        self._thread = threading.Thread(target=asyncio.run, args=[serving], daemon=True)
        self._thread.start()
        started.wait()
        return self

    async def _serve(self, started: threading.Event) -> None:
        """Serve until `close`, which hangs up on all clients."""
        self._loop, self._closed = asyncio.get_running_loop(), asyncio.Event()
        config = uvicorn.Config(
            self._respond,
            log_config=None,
            log_level="critical",
            interface="asgi3",
            timeout_keep_alive=600,
        )
        config.load()
        state = ServerState()
        server = await self._loop.create_server(
            lambda: H11Protocol(config, state, {}), sock=self._socket
        )
        started.set()
        await self._closed.wait()
        server.close()
        for connection in list(state.connections):
            connection.transport.abort()

    def close(self) -> None:
        """Stop serving and give the port back."""
        if self._thread:
            self._loop.call_soon_threadsafe(self._closed.set)
            self._thread.join()
            self._thread = None
        self._socket.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.close()
