"""Wikimedia Commons, as a source of photos: what is asked of it.

What its answers say of photos is for `genset.sources.commons_api` to read.
"""

import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Self
from urllib.parse import urlsplit

import requests
from msgspec.structs import replace

from genset.classes import ImageClass
from genset.classes.query import parse
from genset.core.errors import SourceError, SourceRefused, SourceUnavailable
from genset.core.photo import PhotoOrigin
from genset.licenses import License
from genset.net.api import Api, endpoint_in, is_loopback
from genset.net.hosts import Host, Hosts
from genset.net.pace import RateLimit, Slots
from genset.net.transport import is_retryable, user_agent
from genset.sources.commons_api import (
    FIELDS,
    LICENSE_FIELDS,
    NAME,
    WIDTH,
    Ask,
    Batch,
    ask_whole,
    checked_continuation,
    file_page,
    has_file,
    latest,
    license_of_file,
    parse_reply,
    photo_of,
    versions,
)
from genset.sources.html import plain_text
from genset.sources.source import (
    About,
    Licenses,
    Question,
    Rates,
    SearchPage,
    Settings,
    Source,
    check_contact,
)

API_URL = "https://commons.wikimedia.org/w/api.php"
ENDPOINT = "GENSET_COMMONS_ENDPOINT"

AT_ONCE = 3  # requests, to whichever of its hosts
CALLS_PER_SECOND = 2
IMAGES_PER_SECOND = 5

PER_PAGE = 50  # more than so many thumbnails are not named in one answer
_MOST_RESULTS = 10_000  # that a search hands over

# A search is a call, and one more for when its photos were first uploaded. Where answers come in
# parts it is several, but no more than these, nor begun later.
_MOST_CALLS = 12
_LONGEST_SEARCH = 180.0  # seconds

_LONGEST_REFUSAL = 200  # characters of what Wikimedia says of it

# Who waits for nobody should not add to what makes Commons' replicas lag for longer than seconds.
_MOST_LAG = 5

_QUERY: dict[str, object] = {
    "action": "query",
    "format": "json",
    "formatversion": 2,
    "maxlag": _MOST_LAG,
}
_LICENSE: dict[str, object] = {
    "prop": "imageinfo",
    "iiprop": "extmetadata",
    "iiextmetadatalanguage": "en",
    "iiextmetadatafilter": "|".join(LICENSE_FIELDS),
}
_SEARCH: dict[str, object] = _LICENSE | {
    "generator": "search",
    "gsrnamespace": 6,  # files
    "gsrlimit": PER_PAGE,
    "iiprop": "timestamp|user|url|size|sha1|mime|extmetadata",
    "iiurlwidth": WIDTH,
    "iiextmetadatafilter": "|".join(FIELDS),
}
_HISTORY: dict[str, object] = {"prop": "imageinfo", "iiprop": "timestamp", "iilimit": 500}

_DEPICTS = re.compile(r"depicts (Q[1-9][0-9]*)")

# The only widths at which there are thumbnails. Any other is refused, however often it is asked.
WIDTHS = (20, 40, 60, 120, 250, 330, 500, 960, 1280, 1920, 3840)

# An original or a thumbnail, below an address of a host; either may say who asked for the address.
# The whole address must match, for a parser of one library may see another host in
# "https://evil.example\.wikimedia.org/" than the library that then connects.
_FILE = r"[0-9a-f]/[0-9a-f]{2}/[^\s/?#\\]+"
_THUMBNAIL = (
    rf"thumb/{_FILE}/(?:[a-z0-9]+-)*(?:{'|'.join(map(str, WIDTHS))})px-[^\s/?#\\]+(?:\?[^\s\\]*)?"
)
_OWN_ADDRESS = re.compile(
    rf"https://(?:upload|thumb)\.wikimedia\.org/wikipedia/commons/"
    rf"(?:{_FILE}(?:\?[^\s\\]*)?|{_THUMBNAIL})"
)
_IS_THUMBNAIL = re.compile(rf"[^\s?#\\]+/{_THUMBNAIL}")


class Commons(Source):
    """Wikimedia Commons' search.

    It finds files by their words, or by what people say that they depict; it narrows neither to
    licences nor to dates. Files without a licence are left out, for there is nothing that lets
    anybody use them, and so are files that name neither uploader nor author.

    `endpoint` is the API's address: Commons' own, or a sandbox's on loopback, which then is also
    the one host that pictures may come from.
    """

    about = About(
        name=NAME,
        title="Wikimedia Commons",
        home="https://commons.wikimedia.org/",
        needs="a contact, which Wikimedia asks of all programs: genset init --contact",
        found="by each class's queries (WordNet's words, or its maker's own), or by what people "
        "say that a photo depicts, in the order of Wikimedia Commons' own search",
        limits=f"{AT_ONCE} requests at once, {CALLS_PER_SECOND} calls of the API and "
        f"{IMAGES_PER_SECOND} images a second",
        terms="Each photo has a free licence of its own: credit its author, name the licence and "
        "link to it, and keep to what the licence asks of changed versions. Rights of the people "
        "in a photo, and trademarks, are not covered by it.",
        posted="when its first version was uploaded to Wikimedia Commons",
        taken="what the camera, or whoever uploaded it, says",
        warning="Wikimedia Commons has no safe search: its photos may show nudity, violence or "
        "other things that disturb.",
    )
    wants_taken = True  # much of it was on Flickr for years
    narrows_dates = False
    ids_per_call = PER_PAGE

    def __init__(self, hosts: Hosts, contact: str, endpoint: str | None = None) -> None:
        """Make the source; nothing is asked yet.

        Args:
            hosts: what all scrapers share that call it.
            contact: an address at which the maintainer can be reached, which Wikimedia asks for.
            endpoint: the API's address, where it is not Commons' own.

        Raises:
            BadInput: there is no contact.
        """
        check_contact("Wikimedia Commons", contact)
        self._address = endpoint or API_URL
        agent = user_agent(contact)
        self._client = Api("Wikimedia Commons' API", agent)
        parts = urlsplit(self._address)
        near = is_loopback(self._address)
        name = f"{parts.netloc}-commons" if endpoint else "wikimedia"
        slots = Slots(hosts.store, name, AT_ONCE)
        calls = RateLimit(hosts.store, f"{name}-calls", 0 if near else 1 / CALLS_PER_SECOND)
        self.api = Host(
            hosts,
            name,
            "Wikimedia Commons",
            [calls],
            ping=lambda quota: self._call({"meta": "siteinfo", "siprop": "general"}),
            slots=slots,
            agent=agent,
        )
        pictures = f"{name}-images"
        images = RateLimit(hosts.store, pictures, 0 if near else 1 / IMAGES_PER_SECOND)
        title = "Wikimedia Commons' image host"
        self.images = Host(hosts, pictures, title, [images], slots=slots, agent=agent)
        self._image_address = _OWN_ADDRESS
        if endpoint:
            host = re.escape(f"{parts.scheme}://{parts.netloc}")
            self._image_address = re.compile(rf"{host}/[^\s\\]*")

    @classmethod
    def connect(cls, hosts: Hosts, settings: Settings) -> Self:
        """With the workspace's contact and, where set, GENSET_COMMONS_ENDPOINT.

        Raises:
            BadInput: there is no contact, or the endpoint is no web address.
        """
        return cls(hosts, settings.contact, endpoint_in(ENDPOINT))

    @classmethod
    def for_pictures(cls, hosts: Hosts, settings: Settings) -> Self:
        """To download from only: the image host asks for a contact too. Raises as `connect`."""
        return cls.connect(hosts, settings)

    @classmethod
    def queries(cls, image_class: ImageClass) -> tuple[str, ...]:
        """What photos depict, by people's statements, where a list says it; then words."""
        return image_class.depicted + super().queries(image_class)

    @classmethod
    def per_page(cls, per_class: int) -> int:
        """Always 50."""
        return PER_PAGE

    @classmethod
    def rates(cls, settings: Settings) -> Rates:
        """What is polite."""
        return Rates(CALLS_PER_SECOND * 3600, IMAGES_PER_SECOND)

    def search(self, question: Question, quota: int) -> SearchPage:
        """One page of files, most relevant first, each posted when it was first uploaded."""
        start = _start(question)
        ask = self._calls(quota)
        parameters = _QUERY | _SEARCH | {"gsrsearch": search_text(question.text)}
        batch = ask_whole(ask, parameters | start)
        pages = sorted(batch.pages.values(), key=_index)[:PER_PAGE]
        photos = self._photos(pages, question.posted_after, ask)
        offset, following = _offset(start), _offset(batch.following)
        last = not pages or not offset < following < _MOST_RESULTS
        return SearchPage(
            photos=photos,
            total=offset + len(pages) if batch.total is None else batch.total,
            last=last,
            capped=False,
            bookmark="" if last else json.dumps(batch.following, ensure_ascii=False),
        )

    def _photos(
        self, pages: Iterable[dict[str, Any]], posted_after: datetime, ask: Ask
    ) -> tuple[PhotoOrigin, ...]:
        """The photos on these pages.

        A search tells of a file's latest version alone. Where that is from before the window, so
        are all others, and nothing more is asked.
        """
        found = [
            photo
            for page in pages
            if (moment := latest(page)) and (photo := photo_of(page, moment)) is not None
        ]
        late = [photo.source_id for photo in found if photo.posted_at >= posted_after]
        if not late:
            return tuple(found)
        first = self._first_versions(late, ask)
        return tuple(
            replace(photo, posted_at=first.get(photo.source_id, photo.posted_at))
            for photo in found
            # Deleted since it was found.
            if photo.source_id not in late or photo.source_id in first
        )

    def _first_versions(self, source_ids: Sequence[str], ask: Ask) -> dict[str, datetime]:
        """When these files were first uploaded, by their ids, of those that are still there."""
        batch = ask_whole(ask, _QUERY | _HISTORY | {"pageids": "|".join(source_ids)})
        # Of a file that was deleted it says that.
        if not batch.pages.keys() >= set(map(int, source_ids)):
            raise SourceUnavailable("Wikimedia Commons has no history of its own files")
        return {
            str(number): min(moments)
            for number, page in batch.pages.items()
            if (moments := versions(page))
        }

    def ask_licenses(self, source_ids: Sequence[str], quota: int) -> Licenses:
        """The licences of files; None where one was deleted."""
        parameters = _LICENSE | {"pageids": "|".join(source_ids)}
        batch = ask_whole(self._calls(quota), parameters)
        return {source_id: license_in_answer(batch, source_id) for source_id in source_ids}

    def _calls(self, quota: int) -> Ask:
        """Makes the calls of one question, the first at once, the others in their turn."""
        began, calls = time.monotonic(), 0

        def ask(parameters: Mapping[str, object]) -> dict[str, Any]:
            nonlocal calls
            if calls:
                if calls == _MOST_CALLS or time.monotonic() - began > _LONGEST_SEARCH:
                    raise SourceUnavailable("Wikimedia Commons' answer comes in too many parts")
                self.api.wait_for_turn(quota)
            calls += 1
            return self._call(parameters)

        return ask

    def _call(self, parameters: Mapping[str, object]) -> dict[str, Any]:
        try:
            return parse_reply(self._client.get(self._address, _QUERY | dict(parameters)))
        except requests.HTTPError as error:
            if is_retryable(error):
                raise
            status = error.response.status_code
            words = plain_text(error.response.content.decode(errors="replace"), _LONGEST_REFUSAL)
            raise SourceRefused(
                f"Wikimedia Commons refused a call: {words or 'no reason given'} (HTTP {status})",
                status,
                "host" if status in (401, 403) else "query",
            ) from None

    def may_fetch(self, url: str) -> bool:
        """Only Commons' files, and their thumbnails of the widths that there are.

        In a sandbox, only the sandbox's.
        """
        if self._image_address.fullmatch(url) is None:
            return False
        return "/thumb/" not in url or _IS_THUMBNAIL.fullmatch(url) is not None


def search_text(text: str) -> str:
    """A query in the language of Commons' search.

    >>> search_text('"guinea pig" pet -cage'), search_text("depicts Q194406")
    ('filetype:bitmap "guinea pig" "pet" -"cage"', 'filetype:bitmap haswbstatement:P180=Q194406')
    """
    if depicts := _DEPICTS.fullmatch(text):
        return f"filetype:bitmap haswbstatement:P180={depicts[1]}"
    terms = parse(text)
    included = [f'"{" ".join(phrase)}"' for phrase in terms.included]
    excluded = [f'-"{" ".join(phrase)}"' for phrase in terms.excluded]
    return " ".join(["filetype:bitmap", *included, *excluded])


def license_in_answer(batch: Batch, source_id: str) -> License | SourceError | None:
    """The licence of the file with this id; None where Commons says that there is none.

    ``{"pageid": 81754323, "missing": true}`` is a page that was deleted; one that is left without
    its file lies in the repository "". Where the answer says neither, that is an error.
    """
    page = batch.pages.get(int(source_id)) if re.fullmatch("[0-9]{1,15}", source_id) else None
    is_gone = page is not None and ("missing" in page or page.get("imagerepository") == "")
    if page is None or not (has_file(page) or is_gone):
        return SourceUnavailable(f"Wikimedia Commons says nothing of the file {source_id}")
    if not has_file(page):
        return None
    return license_of_file(page) or License("No licence", "")


def _start(question: Question) -> dict[str, str]:
    """Where a page of results begins, by what the page before it said."""
    try:
        bookmark = json.loads(question.bookmark or "null")
    except (ValueError, RecursionError):
        bookmark = None
    start = checked_continuation(bookmark) or {}
    return start if "gsroffset" in start else {"gsroffset": str((question.page - 1) * PER_PAGE)}


def _offset(following: Mapping[str, str]) -> int:
    """The number of results before a page; 0 where it is not said."""
    offset = following.get("gsroffset", "")
    return int(offset) if re.fullmatch("[0-9]{1,9}", offset) else 0


def _index(page: Mapping[str, Any]) -> float:
    """A page's place in the results; those without one come last."""
    index = file_page(page).index
    return float("inf") if index is None else index
