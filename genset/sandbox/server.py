"""The sandbox's HTTP: one loopback port for the API and for the images.

What is answered is decided in `Sandbox.answer`, a function from a request to a reply that knows
no sockets; where a network must fail, the reply says how (`Trouble`).
"""

import math
import re
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

from genset.classes import Taxonomy
from genset.core.errors import BadInput
from genset.sandbox.commons import Commons
from genset.sandbox.dialect import Dialect
from genset.sandbox.faults import CALLS_ONLY, Faults
from genset.sandbox.flickr import Flickr
from genset.sandbox.inaturalist import INaturalist
from genset.sandbox.messages import Crowd, Reply, Request, RequestLog, web_page, without_secrets
from genset.sandbox.records import Collection

HOST = "127.0.0.1"

DIALECTS: dict[str, type[Dialect]] = {
    "flickr": Flickr,
    "commons": Commons,
    "inaturalist": INaturalist,
}
"""The sources that can be spoken."""

_NO_FAULTS = Faults()
_LONGEST_FORM = 1_000_000


class Sandbox:
    """A source on loopback that shows the photos of a folder.

    It takes its port when it is made, and gives it back in `close` or at the end of the `with`
    statement, which serves in a thread of its own.
    """

    def __init__(
        self,
        photos: Path,
        records: Path | None = None,
        port: int = 0,
        faults: Faults = _NO_FAULTS,
        log: Path | None = None,
        source: str = "flickr",
        taxonomy: Taxonomy | None = None,
    ) -> None:
        """Read `photos`, a folder of `<wnid>/<name>.jpg`, and `records` (see `records.py`).

        Port 0 is any free one. What is asked goes to `requests` and to the end of the file `log`
        (see `messages.py`). `source` is whose API it speaks: "flickr", "commons" or "inaturalist".
        `taxonomy` has the classes by which the folders are named: ImageNet's where it is not given.
        Raises BadInput for what the user can mend.
        """
        if source not in DIALECTS:
            raise BadInput(f'no sandbox for "{source}": choose from {", ".join(DIALECTS)}')
        collection = Collection(
            photos, records, lambda photo: faults.of_photo(photo) == "gone", taxonomy
        )
        try:
            self._server = _Server((HOST, port), self)
        except (OSError, OverflowError) as error:
            raise BadInput(f"cannot serve on port {port}: {error}; name another, or 0") from None
        base = f"http://{HOST}:{self._server.server_address[1]}"
        self.dialect = DIALECTS[source](collection, base, faults)
        try:
            self.requests = RequestLog(self.dialect.what, log)
        except BadInput:
            self._server.close()
            raise
        self.endpoint = base + self.dialect.api_path
        self.crowd = Crowd()
        self.delay = faults.delay
        self._trouble = Trouble(faults, self.dialect, self._true_answer)
        self._thread: threading.Thread | None = None
        self._serving = False

    @property
    def environment(self) -> dict[str, str]:
        """The variables that have genset ask this sandbox."""
        key = self.dialect.key
        return {self.dialect.environment: self.endpoint} | (dict([key]) if key else {})

    def answer(self, request: Request) -> Reply:
        """Decide what to reply to a request, by its faults as well."""
        return self._trouble.answer(request)

    @property
    def is_down(self) -> bool:
        """Whether everything answers HTTP 503, as in an outage; any thread may set it."""
        return self._trouble.is_down

    @is_down.setter
    def is_down(self, down: bool) -> None:
        self._trouble.is_down = down

    def _true_answer(self, request: Request) -> Reply:
        if request.is_call:
            return self.dialect.call(request)
        return self.dialect.image(request) or Reply(404, "text/plain", b"Not found\n")

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
        self.requests.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


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
        moment, agent = time.monotonic(), self.headers.get("User-Agent", "")
        # Done before the last byte goes: whoever has it may ask again.
        with sandbox.crowd.enter(self.client_address[0]) as at_once:
            request = Request(self.command, address.path, params, moment, agent, at_once)
            reply = sandbox.answer(request)
            sandbox.requests.add(request, reply)
            if sandbox.delay:
                time.sleep(sandbox.delay)
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

    def _hang(self, seconds: float) -> None:
        """Say nothing so long, or until the client or the sandbox hangs up; then hang up."""
        self.close_connection = True
        self.connection.settimeout(seconds)
        with suppress(OSError):  # the time is up, or the client reset the connection
            self.connection.recv(1)

    def _signed_key(self) -> str | None:
        """The API key of a call that was signed with OAuth, as flickrapi's are."""
        found = re.search(r'oauth_consumer_key="([^"]*)"', self.headers.get("Authorization", ""))
        return unquote(found[1]) if found else None

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: a request line may hold a key, and `Sandbox.requests` has the rest."""


ELSEWHERE = (
    "http://127.0.0.2:1/x.jpg",
    "http://169.254.169.254/latest/meta-data/x.jpg",
    "file:///etc/hostname",
)
"""Where a redirect leads that nobody should follow: other hosts, a cloud's secrets, own files."""

T = TypeVar("T")


class Trouble:
    """Answers requests as `answer` does, but for those that `faults` meet.

    It only counts how often each request came, and when the first one did; all else follows from
    `faults`. That a photo is gone is for `answer` to know, for it takes more than one reply to say
    so. While `is_down`, there is an outage whatever the clock says; any thread may set it.
    """

    def __init__(
        self, faults: Faults, dialect: Dialect, answer: Callable[[Request], Reply]
    ) -> None:
        self._faults = faults
        self._dialect = dialect
        self._answer = answer
        self.is_down = False
        self._first: float | None = None
        self._turns: Counter[str] = Counter()
        self._lock = threading.Lock()

    def answer(self, request: Request) -> Reply:
        """The reply to a request, right or wrong."""
        if self._is_outage(request):
            return replace(self._unavailable(), fault="outage")
        if refusal := self._dialect.refusal(request):
            headers = self._retry_after() if refusal.status == 429 else {}
            return replace(refusal, headers=refusal.headers | headers)
        kind = self._passing(request)
        if kind is None:
            return self._lasting(request)
        if kind == "truncated":
            reply = self._lasting(request)
            return replace(reply, cut=len(reply.body) // 2, fault=kind) if reply.body else reply
        return replace(self._failed(kind, request), fault=kind)

    def _is_outage(self, request: Request) -> bool:
        with self._lock:
            if self._first is None:
                self._first = request.at
        return self.is_down or self._faults.is_outage(request.at - self._first)

    def _passing(self, request: Request) -> str | None:
        """The kind of failure that a request meets this time."""
        is_image = not request.is_call and self._dialect.photo_id(request) is not None
        if not self._faults.any_passing or not (request.is_call or is_image):
            return None
        identity = _identity(request)
        with self._lock:
            turn = self._turns[identity]
            self._turns[identity] += 1
        kind = self._faults.of_request(identity, turn)
        return None if is_image and kind in CALLS_ONLY else kind

    def _failed(self, kind: str, request: Request) -> Reply:
        """A reply that does not even try."""
        pick, identity = self._faults.pick, _identity(request)

        def pick_for(choices: Sequence[T], *about: object) -> T:
            return pick(choices, *about, identity)

        if kind == "too_many":
            return replace(web_page(429, "Too Many Requests"), headers=self._retry_after())
        if kind == "server_error":
            status = pick((500, 502, 503), kind, identity)
            return (
                self._unavailable() if status == 503 else web_page(status, "Something went wrong")
            )
        if kind == "timeout":
            return Reply(0, "", b"", hang=self._faults.hang)
        if kind == "unavailable":
            return self._dialect.unavailable(request, pick_for)
        return self._dialect.wrong_format(request, pick_for)

    def _unavailable(self) -> Reply:
        headers = self._retry_after() if self._faults.retry_after_503 else {}
        return replace(web_page(503, "Something went wrong"), headers=headers)

    def _retry_after(self) -> dict[str, str]:
        """When to come back, as a header: in seconds, or as a date, which has whole ones."""
        seconds = self._faults.retry_after
        if self._faults.retry_after_date:
            return {"Retry-After": formatdate(math.ceil(time.time() + seconds), usegmt=True)}
        return {"Retry-After": f"{seconds:.0f}"}

    def _lasting(self, request: Request) -> Reply:
        """The true reply, or what is wrong with the photo for good."""
        reply = self._answer(request)
        photo_id = self._dialect.photo_id(request)
        kind = self._faults.of_photo(photo_id) if photo_id else None
        if kind == "gone":
            return replace(reply, fault=kind)
        if kind is None or photo_id is None or request.is_call or reply.status != 200:
            return reply
        if kind == "foreign_redirect":
            leads_to = self._faults.pick(ELSEWHERE, kind, photo_id)
            return Reply(302, "text/plain", b"", {"Location": leads_to}, kind)
        if kind == "poisoned":
            return replace(self._unavailable(), fault=kind)
        if kind == "not_image":
            return replace(web_page(200, "Please sign in"), fault=kind)
        return replace(reply, body=reply.body[: len(reply.body) // 2], fault=kind)


def _identity(request: Request) -> str:
    """The same for the same request, whoever signed it and whenever."""
    params = sorted(without_secrets(request.params).items()) if request.is_call else ()
    return f"{request.verb} {request.path} {params}"
