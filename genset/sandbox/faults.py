"""What goes wrong in the sandbox, and when: one middleware between the client and the service.

Three sorts of faults have rates. Who meets them is a hash: nothing is random.

- Passing ones are the request's: `too_many`, `server_error`, `unavailable`, `wrong_format`,
  `truncated`, `timeout`. They depend on the seed, the request and how often it came before. Every
  third time it passes, so nothing fails three times in a row.
- Lasting ones are the photo's: `gone`, `foreign_redirect`, `not_image`, `broken_photos`,
  `poisoned`. They depend on the seed and the photo's id alone: whoever asks, however often and in
  whichever order, finds the same photos bad.
- `unstable_pages` are the search's; see `Faults.unsettle`.

An `outage` is everybody's: while it lasts, every request fails. It alone depends on the clock. And
a `Rule` says what goes wrong with certain requests, how often or how long:

    sandbox.rules += [
        Rule(503, seconds=600),                            # everything is down for ten minutes
        Rule(403, photo="7"),                              # one photo, for ever
        Rule(flickr.failure(77), query="sea lion"),        # one query is refused
        Rule(flickr.failure(100), key="expired"),          # one key is
        Rule("not_image", method="image", seconds=6),      # the image host shows a block page
        Rule("empty", method="flickr.photos.getInfo", times=2),
    ]
"""

import math
import re
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Annotated, Self

from genset.core.errors import BadInput
from genset.core.validation import Meta, Record, check
from genset.sandbox.photos import Photo
from genset.sandbox.service import Reply, Request, Service, web_page

CALLS_ONLY = ("unavailable", "wrong_format")
PASSING = ("too_many", "server_error", "truncated", "timeout", *CALLS_ONLY)
LASTING = ("gone", "foreign_redirect", "not_image", "broken_photos", "poisoned")
KINDS = (*PASSING, *LASTING, "unstable_pages")

FOREIGN = "http://169.254.169.254/latest/meta-data/x.jpg"
"""Where a redirect leads that nobody should follow: a cloud's secrets."""

Rate = Annotated[float, Meta(ge=0, le=1)]
Seconds = Annotated[float, Meta(ge=0, le=1e9)]


class Faults(Record, frozen=True, kw_only=True):
    """The rates of the faults, 0 to 1, and the seed that says whom they meet.

    too_many           HTTP 429, to be repeated after `retry_after` seconds
    server_error       HTTP 500, 502 or 503
    unavailable        the source's word for it, in each of the codes it comes with (API)
    wrong_format       the same in another format than the request's, or as a web page (API)
    truncated          the connection breaks in the middle of the body
    timeout            no answer for `hang` seconds, then HTTP 504
    gone               a search still lists the photo, but it was removed
    foreign_redirect the image's address leads to another host
    not_image          the image's address shows a web page
    broken_photos      the image file ends in its middle
    poisoned           the image's address answers HTTP 503 for ever
    unstable_pages     photos move between a search's pages

    From `outage_after` seconds after the first request on, everything answers HTTP 503 for `outage`
    seconds. Each rate is the share of the requests, photos or pages that it meets. Since every
    third try passes, requests that are often repeated fail a third less.
    """

    seed: int = 0
    too_many: Rate = 0.0
    server_error: Rate = 0.0
    truncated: Rate = 0.0
    timeout: Rate = 0.0
    unavailable: Rate = 0.0
    wrong_format: Rate = 0.0
    gone: Rate = 0.0
    foreign_redirect: Rate = 0.0
    not_image: Rate = 0.0
    broken_photos: Rate = 0.0
    poisoned: Rate = 0.0
    unstable_pages: Rate = 0.0
    retry_after: Seconds = 1.0
    hang: Seconds = 35.0  # longer than genset waits
    outage: Seconds = 0.0
    outage_after: Seconds = 0.0

    @classmethod
    def parse(cls, words: Iterable[str], seed: int = 0) -> Self:
        """From the words of a command line: rates (`too_many=0.1`) and seconds.

        Raises:
            BadInput: a word is no fault.
        """
        settings: dict[str, float] = {"seed": seed}
        for word in words:
            name, _, value = word.partition("=")
            try:
                settings[name] = float(value)
            except ValueError:
                raise BadInput(f'"{word}" has no rate: write {name}=0.1') from None
        return check(settings, cls, "--fault")

    def of_request(self, identity: str, turn: int) -> str | None:
        """The passing fault of a request that came `turn` times before."""
        return None if turn % 3 == 2 else self._kind(PASSING, "request", identity, turn)

    def of_photo(self, photo_id: str) -> str | None:
        """The lasting fault of a photo."""
        return self._kind(LASTING, "photo", photo_id)

    def unsettle(self, found: list[Photo], per_page: int, search: str) -> list[Photo]:
        """What a search found, as it looks to someone who pages through while photos come and go.

        At a page that is met, the last photo comes again at the top of the next, as if a new one
        had been posted meanwhile; all later photos move on. Two things hold. Nothing is lost:
        whoever reads all pages meets every photo (within the 4,000 that Flickr gives), and the
        total counts the repeats. And a page that is read again is the same, so that a run which
        was killed finds what an undisturbed one does.
        """
        seen: list[Photo] = []
        for start in range(0, len(found), per_page):
            page = found[start : start + per_page]
            is_last = start + per_page >= len(found)
            if not is_last and self.chance("page", search, start).random() < self.unstable_pages:
                page += page[-1:]
            seen += page
        return seen

    def chance(self, *about: object) -> Random:
        """What draws the same whenever it is about the same."""
        return Random(f"{self.seed} {about}")  # noqa: S311 - a fault is no secret

    def _kind(self, kinds: Sequence[str], *about: object) -> str | None:
        """One of the kinds or none, each as often as its rate says."""
        rates = [getattr(self, kind) for kind in kinds]
        weights = [*rates, max(0, 1 - sum(rates))]
        return self.chance(*about).choices([*kinds, None], weights)[0]


What = int | str | Reply
"""What goes wrong: an HTTP status, a reply, a kind of `Faults`, or "empty" (without its body)."""


@dataclass
class Rule:
    """What goes wrong with the requests that fit all that is named, and how often or how long.

    Attributes:
        what: of a call, "broken_photos" is JSON that ends in its middle.
        method: what a call is for, as `LoggedRequest.what` says; "image" for all that is no call.
        path: a regular expression, to be found in the path.
        photo: the id of a photo that the request names, alone or with others.
        query: the text that is searched for, whole.
        key: the key of the API.
        times: after so many requests it ends.
        after, seconds: it begins and ends so long after the first of them.
        count: the requests that it met.
    """

    what: What
    method: str | None = None
    path: str | None = None
    photo: str | None = None
    query: str | None = None
    key: str | None = None
    times: float = math.inf
    after: float = 0
    seconds: float = math.inf
    count: int = 0
    _first: float | None = field(default=None, repr=False)

    def meets(self, request: Request, service: Service) -> bool:
        """Whether a request fits, in time; it then counts."""
        what, photos = service.about(request)
        fits = (
            self.method in (None, what if request.is_call else "image")
            and (self.path is None or re.search(self.path, request.path) is not None)
            and self.photo in (None, *photos)
            and self.query in (None, request.params.get(service.query))
            and self.key in (None, request.key)
        )
        if fits and self._first is None:
            self._first = request.at
        seconds = request.at - (self._first or 0) - self.after
        applies = fits and self.count < self.times and 0 <= seconds < self.seconds
        self.count += applies
        return applies


class FaultMiddleware:
    """Answers requests as a service does, where nothing goes wrong on the way."""

    def __init__(self, service: Service, faults: Faults) -> None:
        self.faults = faults
        self.rules: list[Rule] = []
        if faults.outage:
            self.rules.append(Rule("outage", after=faults.outage_after, seconds=faults.outage))
        self._service = service
        self._turns: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> Reply:
        """The reply to a request, right or wrong."""
        if refusal := self._service.refusal(request):
            return self._page(429) if refusal.status == 429 else refusal
        with self._lock:
            rule = next((rule for rule in self.rules if rule.meets(request, self._service)), None)
            what = rule.what if rule else self._fault(request)
        true = self._service.answer(request)
        if what is None or (what in LASTING and what != "gone" and true.status != 200):
            return true
        fault = "rule" if isinstance(what, Reply) else str(what)
        return replace(self._spoiled(what, true, request), fault=fault)

    def _fault(self, request: Request) -> str | None:
        """What goes wrong with a request for now, or is wrong with its photo for good."""
        _, photos = self._service.about(request)
        photo_id = photos[0] if len(photos) == 1 else None
        turn = self._turns[request.identity]
        self._turns[request.identity] += 1
        kind = self.faults.of_request(request.identity, turn)
        if kind and (request.is_call or kind not in CALLS_ONLY):
            return kind
        kind = self.faults.of_photo(photo_id) if photo_id else None
        return kind if not request.is_call or kind == "gone" else None

    def _spoiled(self, what: What, true: Reply, request: Request) -> Reply:
        """A reply that goes wrong, or breaks off."""
        draw, half = self.faults.chance(what, request.identity), len(true.body) // 2
        match what:
            case Reply():
                return what
            case int():
                return self._page(what)
            case "too_many":
                return self._page(429)
            case "server_error":
                return self._page(draw.choice((500, 502, 503)))
            case "outage" | "poisoned":
                return self._page(503)
            case "unavailable":
                return draw.choice(self._service.unavailable)
            case "wrong_format":
                return draw.choice(self._service.wrong_format)
            case "timeout":
                return replace(self._page(504), hang=self.faults.hang)
            case "truncated":
                return replace(true, cut=half)
            case "foreign_redirect":
                return Reply(302, "text/plain", b"", {"Location": FOREIGN})
            case "not_image":
                return web_page(200, "Please sign in")
            case "broken_photos":
                return replace(true, body=true.body[:half])
            case "empty":
                return replace(true, body=b"")
        return true

    def _page(self, status: int) -> Reply:
        """A page with an HTTP status; 429 says when to come back."""
        pause = {"Retry-After": f"{self.faults.retry_after:.0f}"} if status == 429 else {}
        return replace(web_page(status, "Something went wrong"), headers=pause)
