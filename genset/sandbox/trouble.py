"""How a fault looks to the client."""

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from email.utils import formatdate
from typing import TypeVar

from genset.sandbox.dialect import Dialect
from genset.sandbox.faults import CALLS_ONLY, Faults
from genset.sandbox.messages import Reply, Request, web_page, without_secrets

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
            asked = self._retry_after() if refusal.status == 429 else {}
            return replace(refusal, headers=refusal.headers | asked)
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

        def own_pick(choices: Sequence[T], *about: object) -> T:
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
            return self._dialect.unavailable(request, own_pick)
        return self._dialect.wrong_format(request, own_pick)

    def _unavailable(self) -> Reply:
        asked = self._retry_after() if self._faults.retry_after_503 else {}
        return replace(web_page(503, "Something went wrong"), headers=asked)

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
        if kind == "redirect_elsewhere":
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
