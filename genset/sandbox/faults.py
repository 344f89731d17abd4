"""What goes wrong in the sandbox, and when. Every decision is a hash: nothing is random.

Three sorts of faults, each kind with its rate, and the outage:

- Passing ones are the request's: `too_many`, `server_error`, `unavailable`, `wrong_format`,
  `truncated`, `timeout`. They depend on the seed, the request and how often it came before. Every
  third time it passes, so nothing fails three times in a row.
- Lasting ones are the photo's: `gone`, `redirect_elsewhere`, `not_image`, `broken_photos`,
  `poisoned`. They depend on the seed and the photo's id alone: whoever asks, however often and in
  whichever order, finds the same photos bad.
- `unstable_pages` are the search's; see `Faults.unsettle`.
- An `outage` is everybody's: while it lasts, every request fails. It alone depends on the clock.

How a fault looks to the client stands in `server.py`.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Annotated, Self, TypeVar

from genset.core.errors import BadInput
from genset.core.validation import Meta, Record, check
from genset.sandbox.photos import number

CALLS_ONLY = ("unavailable", "wrong_format")
PASSING = ("too_many", "server_error", "truncated", "timeout", *CALLS_ONLY)
LASTING = ("gone", "redirect_elsewhere", "not_image", "broken_photos", "poisoned")
KINDS = (*PASSING, *LASTING, "unstable_pages")

_SECONDS = ("hang", "retry_after", "outage", "outage_after")
_MOST_REPEATED = 3

T = TypeVar("T")
Rate = Annotated[float, Meta(ge=0, le=1)]
Seconds = Annotated[float, Meta(ge=0, le=1e9)]


class Faults(Record, frozen=True, kw_only=True):
    """The rates of the faults, 0 to 1, and the seed that says whom they meet.

    too_many           HTTP 429, to be repeated after `retry_after` seconds
    server_error       HTTP 500, 502 or 503
    unavailable        the source's word for it, in each of the codes it comes with (API)
    wrong_format       the same in another format than the request's, or as a web page (API)
    truncated          the connection breaks in the middle of the body
    timeout            no answer; the connection breaks after `hang` seconds
    gone               a search still lists the photo, but it was removed
    redirect_elsewhere the image's address leads to another host
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
    redirect_elsewhere: Rate = 0.0
    not_image: Rate = 0.0
    broken_photos: Rate = 0.0
    poisoned: Rate = 0.0
    unstable_pages: Rate = 0.0
    retry_after: Seconds = 1.0
    hang: Seconds = 35.0  # longer than genset waits
    outage: Seconds = 0.0
    outage_after: Seconds = 0.0

    def __post_init__(self) -> None:
        for kinds in (PASSING, LASTING):
            if (total := math.fsum(map(self._rate, kinds))) > 1 + 1e-9:
                raise ValueError(f"{' + '.join(kinds)} is {total:g}: at most 1 together")

    @classmethod
    def parse(cls, words: Iterable[str], seed: int = 0) -> Self:
        """From the words of a command line: rates (`too_many=0.1`) and seconds.

        Raises:
            BadInput: a word is no fault.
        """
        settings: dict[str, float] = {"seed": seed}
        for word in words:
            name, _, value = word.partition("=")
            if name not in KINDS + _SECONDS:
                raise BadInput(f'no fault is called "{name}": there are {", ".join(KINDS)}')
            try:
                settings[name] = float(value)
            except ValueError:
                raise BadInput(f'"{word}" has no rate: write {name}=0.1') from None
        return check(settings, cls, "--fault")

    def is_outage(self, seconds: float) -> bool:
        """Whether the outage lasts so many seconds after the first request."""
        return self.outage_after <= seconds < self.outage_after + self.outage

    def of_request(self, identity: str, turn: int) -> str | None:
        """The passing fault of a request that came `turn` times before."""
        return None if turn % 3 == 2 else self._kind(PASSING, "request", identity, turn)

    def of_photo(self, photo_id: str) -> str | None:
        """The lasting fault of a photo."""
        return self._kind(LASTING, "photo", photo_id)

    def unsettle(self, found: list[T], per_page: int, search: str) -> list[T]:
        """What a search found, as it looks to someone who pages through while photos come and go.

        At a page that is met, two neighbours change places and its last one to three photos come
        again at the top of the next, as if new ones had been posted meanwhile; all later photos
        move on. So a photo may stand on two pages, and be missing from the one it was on. Two
        things hold. Nothing is lost: whoever reads all pages meets every photo (within the 4,000
        that Flickr gives), and the total counts the repeats. And a page that is read again is the
        same, so that a run which was killed finds what an undisturbed one does.
        """
        if not self.unstable_pages:
            return found
        seen: list[T] = []
        for start in range(0, len(found), per_page):
            page = found[start : start + per_page]
            if self._share("page", search, start) < self.unstable_pages:
                place = self._number("place", search, start) % len(page)
                page[place - 1], page[place] = page[place], page[place - 1]
                if start + per_page < len(found):
                    repeated = 1 + self._number("repeated", search, start) % _MOST_REPEATED
                    page += page[-repeated:]
            seen += page
        return seen

    def pick(self, choices: Sequence[T], *about: object) -> T:
        """One of several, always the same one for the same `about`."""
        return choices[self._number("pick", *about) % len(choices)]

    def _kind(self, kinds: Sequence[str], *about: object) -> str | None:
        """One of the kinds or none, each as often as its rate says."""
        share = self._share(*about)
        for kind in kinds:
            share -= self._rate(kind)
            if share < 0:
                return kind
        return None

    def _rate(self, kind: str) -> float:
        rate: float = getattr(self, kind)
        return rate

    def _share(self, *about: object) -> float:
        """At least 0 and less than 1."""
        return (self._number(*about) >> 11) / 2**53

    def _number(self, *about: object) -> int:
        return number("\n".join(map(str, (self.seed, *about))))
