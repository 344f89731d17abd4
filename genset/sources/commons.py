"""Wikimedia Commons, as a source of photos: what is asked of it.

What it answers is for `genset.sources.commons_api` to read.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import count
from operator import attrgetter
from threading import Semaphore
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

import requests
from msgspec.structs import replace

from genset.classes import ImageClass
from genset.classes.query import parse
from genset.core.errors import SourceUnavailable
from genset.net.api import Api, as_source_error, endpoint_in, is_loopback
from genset.net.hosts import Host, Hosts
from genset.net.pace import RateLimit
from genset.net.transport import is_retryable, user_agent
from genset.sources.commons_api import (
    FIELDS,
    LICENSE_FIELDS,
    NAME,
    TITLE,
    WIDTH,
    Ask,
    ask_whole,
    license_in_answer,
    parse_reply,
    photo_of,
    plain_text,
)
from genset.sources.source import (
    About,
    Licenses,
    Question,
    Rates,
    SearchPage,
    Settings,
    Source,
    at,
    check_contact,
    photos_of,
)

API_URL = "https://commons.wikimedia.org/w/api.php"
ENDPOINT = "GENSET_COMMONS_ENDPOINT"

AT_ONCE = 3  # requests, to whichever of its hosts
CALLS_PER_SECOND = 2
IMAGES_PER_SECOND = 5

PER_PAGE = 50  # more than so many thumbnails are not named in one answer
_MOST_RESULTS = 10_000  # that a search hands over

_QUERY: dict[str, object] = {
    "action": "query",
    "format": "json",
    "formatversion": 2,
    # Seconds by which Commons' replicas may lag: who is in no hurry should not add to it.
    "maxlag": 5,
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

# Originals and thumbnails; either may say who asked for the address.
_PICTURES = re.compile(
    r"https://(?:upload|thumb)\.wikimedia\.org/wikipedia/commons/"
    r"(?:thumb/[0-9a-f]/[0-9a-f]{2}/[^\s/?#\\]+|[0-9a-f]/[0-9a-f]{2})/[^\s/?#\\]+(?:\?[^\s\\]*)?"
)


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
        limits=f"{AT_ONCE} requests at once from each process, {CALLS_PER_SECOND} calls of the API "
        f"and {IMAGES_PER_SECOND} images a second",
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
    ids: ClassVar = {"photo": ("[1-9][0-9]*", "its page's number, such as 123456")}
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
        check_contact(TITLE, contact)
        self._address = endpoint or API_URL
        agent = user_agent(contact)
        self._client = Api(f"{TITLE}' API", agent)
        near = is_loopback(self._address)
        name = f"{urlsplit(endpoint).netloc}-commons" if endpoint else "wikimedia"
        slots = Semaphore(AT_ONCE)
        calls = RateLimit(hosts.store, f"{name}-calls", 0 if near else 1 / CALLS_PER_SECOND)
        self.api = Host(hosts, name, TITLE, [calls], ping=self._ping, slots=slots, agent=agent)
        pictures, title = f"{name}-images", f"{TITLE}' image host"
        images = RateLimit(hosts.store, pictures, 0 if near else 1 / IMAGES_PER_SECOND)
        self.images = Host(hosts, pictures, title, [images], slots=slots, agent=agent)
        self.picture_addresses = at(endpoint, _PICTURES)

    @classmethod
    def connect(cls, hosts: Hosts, settings: Settings) -> Self:
        """With the workspace's contact and, where set, GENSET_COMMONS_ENDPOINT.

        Raises:
            BadInput: there is no contact, or the endpoint is no web address.
        """
        return cls(hosts, settings.contact, endpoint_in(ENDPOINT))

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
        offset, ask = int(question.bookmark or 0), self._calls(quota)
        found = {"gsrsearch": search_text(question.text), "gsroffset": offset}
        batch = ask_whole(ask, _SEARCH | found)
        if not batch.pages and batch.following and not offset:
            raise SourceUnavailable(f"{TITLE} answered with none of its results", scope="query")
        pages = sorted(batch.pages.values(), key=attrgetter("index"))
        photos, rejected = photos_of(pages, photo_of)
        # Where the latest version is from before the window, so is the first one.
        late = [photo.source_id for photo in photos if photo.posted_at >= question.posted_after]
        first = self._first_versions(late, ask) if late else {}
        if len(first) < len(late):
            rejected["deleted"] = len(late) - len(first)
        following = batch.following.get("gsroffset")
        goes_on = isinstance(following, int) and offset < following < _MOST_RESULTS
        last = not pages or not goes_on
        return SearchPage(
            photos=tuple(
                replace(photo, posted_at=first.get(photo.source_id, photo.posted_at))
                for photo in photos
                if photo.source_id not in late or photo.source_id in first
            ),
            total=offset + len(pages),
            last=last,
            capped=False,
            bookmark="" if last else str(following),
            rejected=rejected,
        )

    def _first_versions(self, source_ids: Sequence[str], ask: Ask) -> dict[str, datetime]:
        """When these files were first uploaded, by their ids, of those that are still there."""
        batch = ask_whole(ask, _HISTORY | {"pageids": "|".join(source_ids)})
        # Of a file that was deleted it says that.
        if not batch.pages.keys() >= set(source_ids):
            raise SourceUnavailable(f"{TITLE} has no history of its own files", scope="query")
        return {
            source_id: min(moments)
            for source_id, page in batch.pages.items()
            if (moments := [v.timestamp for v in page.imageinfo if v.timestamp is not None])
        }

    def ask_licenses(self, source_ids: Sequence[str], quota: int) -> Licenses:
        """The licences of files; None where one was deleted."""
        batch = ask_whole(self._calls(quota), _LICENSE | {"pageids": "|".join(source_ids)})
        return {source_id: license_in_answer(batch, source_id) for source_id in source_ids}

    def _calls(self, quota: int) -> Ask:
        """Makes the calls of one question, the first at once, the others in their turn."""
        calls = count()

        def ask(parameters: Mapping[str, object]) -> dict[str, Any]:
            if next(calls):  # the first call has its turn
                self.api.wait_for_turn(quota)
            return self._call(parameters)

        return ask

    def _call(self, parameters: Mapping[str, object]) -> dict[str, Any]:
        try:
            return parse_reply(self._client.get(self._address, _QUERY | dict(parameters)))
        except requests.HTTPError as error:
            if is_retryable(error):
                raise
            words = plain_text(error.response.content.decode(errors="replace"), 200)
            code = f"(HTTP {error.response.status_code})"
            message = f"{TITLE} refused a call: {words or 'no reason given'} {code}"
            raise as_source_error(error, TITLE, message) from None

    def _ping(self, quota: int) -> object:
        return self._call({"generator": "search", "gsrsearch": "sky", "gsrlimit": 1})


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
