"""The sandbox's HTTP: one loopback port for the API and for the images.

What is answered is decided in `Sandbox.answer`, a function from a request to a reply that knows
no sockets; where a network must fail, the reply says how.
"""

import re
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from genset.classes import Taxonomy
from genset.core.errors import BadInput
from genset.sandbox.collection import Collection
from genset.sandbox.commons import Commons
from genset.sandbox.faults import CALLS_ONLY, Faults
from genset.sandbox.flickr import Flickr
from genset.sandbox.inaturalist import INaturalist
from genset.sandbox.service import Reply, Request, Service, web_page

HOST = "127.0.0.1"

SERVICES: dict[str, type[Service]] = {
    "flickr": Flickr,
    "commons": Commons,
    "inaturalist": INaturalist,
}

FOREIGN = (
    "http://127.0.0.2:1/x.jpg",
    "http://169.254.169.254/latest/meta-data/x.jpg",
    "file:///etc/hostname",
)
"""Where a redirect leads that nobody should follow: other hosts, a cloud's secrets, local files."""

_NO_FAULTS = Faults()
_MOST_LOGGED = 100_000


@dataclass(frozen=True)
class LoggedRequest:
    """One request: `what` is a call's method or an image's path, `at` monotonic seconds.

    `status` is 0 where the sandbox hung up without an answer; `fault` says what went wrong on
    purpose, or is None.
    """

    at: float
    verb: str
    what: str
    params: dict[str, str]
    status: int
    fault: str | None


class RequestLog(list[LoggedRequest]):
    """The last requests, without their keys and signatures, in the order of their answers."""

    def of(self, what: str) -> list[LoggedRequest]:
        """The requests for one method of the API, as the service calls it, or one path."""
        return [request for request in self if request.what == what]


class Sandbox:
    """A source on loopback that shows the photos of a folder.

    It takes its port when it is made, and gives it back in `close` or at the end of the `with`
    statement, which serves in a thread. While `is_down`, everything answers HTTP 503, as in an
    outage; any thread may set it.
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
        if source not in SERVICES:
            raise BadInput(f'no sandbox is called "{source}": name one of {", ".join(SERVICES)}')
        self.name = source
        self.faults = faults
        self.is_down = False
        self.requests = RequestLog()
        self._first_request: float | None = None
        self._turns: Counter[str] = Counter()
        self._open_requests: Counter[str] = Counter()
        self._lock = threading.Lock()
        collection = Collection(
            photos, records, taxonomy, lambda photo_id: faults.of_photo(photo_id) == "gone"
        )
        try:
            self._server = _Server((HOST, port), self)
        except (OSError, OverflowError) as error:
            raise BadInput(f"cannot serve on port {port}: {error}; name another, or 0") from None
        base = f"http://{HOST}:{self._server.server_address[1]}"
        self.service = SERVICES[source](collection, base, faults)
        self.endpoint = base + self.service.api_path
        self._thread: threading.Thread | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The variables that have genset call this sandbox."""
        return {f"GENSET_{self.name.upper()}_ENDPOINT": self.endpoint} | self.service.variables

    # Answering

    def answer(self, request: Request) -> Reply:
        """The reply to a request, right or wrong."""
        if self._is_outage(request):
            return replace(_unavailable(), fault="outage")
        if refusal := self.service.refusal(request):
            return replace(refusal, headers=self._retry_after() if refusal.status == 429 else {})
        kind = self._passing_fault(request)
        if kind is None:
            return self._lasting(request)
        return replace(self._failed(kind, request), fault=kind)

    def _is_outage(self, request: Request) -> bool:
        with self._lock:
            if self._first_request is None:
                self._first_request = request.at
        return self.is_down or self.faults.is_outage(request.at - self._first_request)

    def _passing_fault(self, request: Request) -> str | None:
        """The kind of failure that a request meets this time."""
        if not request.is_call and self.service.photo_id(request) is None:
            return None
        with self._lock:
            turn = self._turns[request.identity]
            self._turns[request.identity] += 1
        kind = self.faults.of_request(request.identity, turn)
        return kind if request.is_call or kind not in CALLS_ONLY else None

    def _failed(self, kind: str, request: Request) -> Reply:
        """A reply that goes wrong, or breaks off."""
        if kind == "truncated":
            reply = self._lasting(request)
            return replace(reply, cut=len(reply.body) // 2)
        if kind == "too_many":
            return replace(web_page(429, "Too Many Requests"), headers=self._retry_after())
        if kind == "server_error":
            status = self.faults.pick((500, 502, 503), kind, request.identity)
            return web_page(status, "Something went wrong")
        if kind == "timeout":
            return Reply(0, "", b"", hang=self.faults.hang)
        if kind == "unavailable":
            return self.service.unavailable(request)
        return self.service.wrong_format(request)

    def _lasting(self, request: Request) -> Reply:
        """The true reply, or what is wrong with the photo for good."""
        if request.is_call:
            reply = self.service.call(request)
        else:
            reply = self.service.image(request) or Reply(404, "text/plain", b"Not found\n")
        photo_id = self.service.photo_id(request)
        kind = self.faults.of_photo(photo_id) if photo_id else None
        if kind == "gone":
            return replace(reply, fault=kind)
        if kind is None or request.is_call or reply.status != 200:
            return reply
        if kind == "redirect_elsewhere":
            address = self.faults.pick(FOREIGN, kind, photo_id)
            return Reply(302, "text/plain", b"", {"Location": address}, kind)
        if kind == "poisoned":
            return replace(_unavailable(), fault=kind)
        if kind == "not_image":
            return replace(web_page(200, "Please sign in"), fault=kind)
        return replace(reply, body=reply.body[: len(reply.body) // 2], fault=kind)

    def _retry_after(self) -> dict[str, str]:
        return {"Retry-After": f"{self.faults.retry_after:.0f}"}

    def log(self, request: Request, reply: Reply) -> None:
        """Note a request and its reply."""
        what, params = self.service.what(request), request.public_params
        logged = LoggedRequest(request.at, request.verb, what, params, reply.status, reply.fault)
        with self._lock:
            self.requests.append(logged)
            if len(self.requests) > _MOST_LOGGED:
                del self.requests[: _MOST_LOGGED // 2]

    @contextmanager
    def answering(self, client: str) -> Iterator[int]:
        """Count a request of this client until it is answered: how many there are at once."""
        with self._lock:
            self._open_requests[client] += 1
            at_once = self._open_requests[client]
        try:
            yield at_once
        finally:
            with self._lock:
                self._open_requests[client] -= 1

    # Serving

    def serve_forever(self) -> None:
        """Serve until another thread calls `close` or the user interrupts."""
        self.start()
        if self._thread:
            self._thread.join()

    def start(self) -> Self:
        """Serve in a new thread."""
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="sandbox", daemon=True
        )
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop serving and give the port back."""
        if self._thread:
            self._server.shutdown()
            self._thread.join()
            self._thread = None
        self._server.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.close()


def _unavailable() -> Reply:
    return web_page(503, "Something went wrong")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self._open: set[Any] = set()
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def close(self) -> None:
        """Also end the connections that clients keep open, or they would go on being served."""
        self.server_close()
        for connection in list(self._open):
            with suppress(OSError):  # the client was first
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # a client may hang up
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version = "genset-sandbox"
    disable_nagle_algorithm = True  # head and body are two writes: Nagle costs 40 ms a request

    def do_GET(self) -> None:
        self._reply(b"")

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        self._reply(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _reply(self, form: bytes) -> None:
        sandbox = self.server.sandbox
        arrived = time.monotonic()
        # Done before the last byte goes: whoever has it may send the next request.
        with sandbox.answering(self.client_address[0]) as at_once:
            request = self._request(form, arrived, at_once)
            reply = sandbox.answer(request)
            sandbox.log(request, reply)
        if reply.hang is not None:
            self._hang(reply.hang)
            return
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body[: reply.cut])
        if reply.cut is not None:
            self.close_connection = True

    def _request(self, form: bytes, arrived: float, at_once: int) -> Request:
        address = urlsplit(self.path)
        params = dict(parse_qsl(f"{address.query}&{form.decode(errors='replace')}"))
        # flickrapi signs its calls with OAuth.
        signature = self.headers.get("Authorization", "")
        if key := re.search(r'oauth_consumer_key="([^"]*)"', signature):
            params["oauth_consumer_key"] = unquote(key[1])
        agent = self.headers.get("User-Agent", "")
        return Request(self.command, address.path, params, arrived, agent, at_once)

    def _hang(self, seconds: float) -> None:
        """Say nothing so long, or until the client or the sandbox hangs up; then hang up."""
        self.close_connection = True
        self.connection.settimeout(seconds)
        with suppress(OSError):  # the time is up, or the client reset the connection
            self.connection.recv(1)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: a request line may hold a key, and `Sandbox.requests` has the rest."""
