"""The sandbox's HTTP: one loopback port for the API and for the images.

What is answered is decided in `Sandbox.answer`, a function from a request to a reply that knows
no sockets. Whoever wants a network that fails wraps that one function.
"""

import re
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from genset.errors import BadInput
from genset.scrape.sandbox.api import Api, without_secrets
from genset.scrape.sandbox.pictures import MIME, SIZES, placeholder, shrink
from genset.scrape.sandbox.records import Collection

HOST = "127.0.0.1"
API_PATH = "/services/rest/"
PLACEHOLDER_PATH = "/images/en-us/photo_unavailable.png"

_IMAGE_PATH = re.compile(r"/\d+/(\d+)_[0-9a-f]+(?:_([a-z]))?\.(?:jpg|png|gif)")
_KEYS = {size.suffix: size.key for size in SIZES.values()}
_LONGEST_FORM = 1_000_000
_KEPT_SHRUNK = 128
_KEPT_REQUESTS = 100_000


@dataclass(frozen=True)
class Request:
    """What a client sent: the form's fields, if it was one, stand among `params`."""

    verb: str
    path: str
    params: dict[str, str] = field(repr=False)


@dataclass(frozen=True)
class Reply:
    """What the client gets; a HEAD gets all of it but the body."""

    status: int
    content_type: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """One line of the log: `what` is an API method or an image's path, `at` monotonic seconds."""

    at: float
    verb: str
    what: str
    params: dict[str, str]


class RequestLog:
    """The last 100,000 requests, oldest first, without their keys and signatures."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: deque[Asked] = deque(maxlen=_KEPT_REQUESTS)

    def add(self, request: Request) -> None:
        """Note a request, which happens now."""
        is_call = _is_api(request.path)
        what = request.params.get("method", "") if is_call else request.path
        params = without_secrets(request.params) if is_call else {}
        with self._lock:
            self._asked.append(Asked(time.monotonic(), request.verb, what, params))

    def of(self, what: str) -> list[Asked]:
        """The requests for one API method or one path."""
        return [asked for asked in self if asked.what == what]

    def clear(self) -> None:
        """Forget what was asked so far."""
        with self._lock:
            self._asked.clear()

    def __iter__(self) -> Iterator[Asked]:
        with self._lock:
            return iter(list(self._asked))

    def __len__(self) -> int:
        with self._lock:
            return len(self._asked)


class Sandbox:
    """A Flickr on loopback that shows the photos of a folder.

    It takes its port when it is made, and gives it back in `close` or at the end of the `with`
    statement, which serves in a thread of its own.
    """

    def __init__(self, photos: Path, records: Path | None = None, port: int = 0) -> None:
        """Read `photos`, a folder of `<wnid>/<name>.jpg`, and `records` (see `records.py`).

        Port 0 is any free one. Raises BadInput for what the user can mend.
        """
        collection = Collection(photos, records)
        try:
            self._server = _Server((HOST, port), self)
        except (OSError, OverflowError) as error:
            raise BadInput(f"cannot serve on port {port}: {error}; name another, or 0") from None
        base = f"http://{HOST}:{self._server.server_address[1]}"
        self.endpoint = base + API_PATH
        self.requests = RequestLog()
        self._collection = collection
        self._api = Api(collection, base)
        self._placeholder = Reply(200, "image/png", placeholder())
        self._moved = Reply(302, "text/plain", b"", {"Location": base + PLACEHOLDER_PATH})
        self._shrink = lru_cache(maxsize=_KEPT_SHRUNK)(shrink)
        self._thread: threading.Thread | None = None
        self._serving = False

    def answer(self, request: Request) -> Reply:
        """Decide what to reply to a request."""
        if _is_api(request.path):
            content_type, body = self._api.call(request.params)
            return Reply(200, content_type, body)
        if request.path == PLACEHOLDER_PATH:
            return self._placeholder
        if image := _IMAGE_PATH.fullmatch(request.path):
            return self._image(request.path, image[1], _KEYS.get(image[2] or ""))
        return Reply(404, "text/plain", b"Not found\n")

    def _image(self, path: str, photo_id: str, key: str | None) -> Reply:
        """The image at an address; every other address in the shape of one is a removed photo."""
        photo = self._collection.find(photo_id)
        if photo is None or key not in photo.sizes or photo.path(key) != path:
            return self._moved
        picture = photo.picture
        try:
            if key == photo.own_size:
                return Reply(200, MIME[picture.extension], picture.path.read_bytes())
            return Reply(200, MIME["jpg"], self._shrink(picture.path, SIZES[key]))
        except FileNotFoundError:  # removed since we looked
            return self._moved

    def serve_forever(self) -> None:
        """Serve in this thread, until another one calls `close` or the user interrupts."""
        self._serving = True
        try:
            self._server.serve_forever(poll_interval=0.05)
        finally:
            self._serving = False

    def start(self) -> Self:
        """Serve in a thread of its own."""
        self._thread = threading.Thread(target=self.serve_forever, name="sandbox", daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop serving and give the port back."""
        if self._thread or self._serving:
            self._server.shutdown()
        if self._thread:
            self._thread.join()
            self._thread = None
        self._server.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _is_api(path: str) -> bool:
    return path in {API_PATH, API_PATH.rstrip("/")}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self._lock = threading.Lock()
        self._open: set[Any] = set()
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def close(self) -> None:
        """Also end the connections that clients keep open, or they would go on being served."""
        self.server_close()
        with self._lock:
            for connection in self._open:
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
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _LONGEST_FORM:
            self.close_connection = True
            self.send_error(413 if length.isdecimal() else 411)
            return
        self._reply(self.rfile.read(int(length)))

    def _reply(self, form: bytes) -> None:
        address = urlsplit(self.path)
        params = dict(parse_qsl(f"{address.query}&{form.decode(errors='replace')}"))
        if key := self._signed_key():
            params["oauth_consumer_key"] = key
        sandbox = self.server.sandbox
        request = Request(self.command, address.path, params)
        sandbox.requests.add(request)
        reply = sandbox.answer(request)
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def _signed_key(self) -> str | None:
        """The API key of a call that was signed with OAuth, as flickrapi's are."""
        found = re.search(r'oauth_consumer_key="([^"]*)"', self.headers.get("Authorization", ""))
        return unquote(found[1]) if found else None

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: a request line may hold a key, and `Sandbox.requests` has the rest."""
