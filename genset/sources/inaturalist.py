"""iNaturalist, as a source of photos of organisms: research-grade observations of a taxon.

Parameters are those of the API's specification (version 1, https://api.inaturalist.org/v1/docs/).
"""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from itertools import count
from math import ceil
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

from genset.classes import ImageClass
from genset.core.errors import SourceError, SourceUnavailable
from genset.db import Store
from genset.licenses import License
from genset.net.api import Api, endpoint_in, is_loopback
from genset.net.hosts import Host, Hosts
from genset.net.pace import RateLimit
from genset.net.transport import user_agent
from genset.sources.inaturalist_api import (
    LICENSES,
    NAME,
    UUID,
    Numbered,
    found_photo,
    license_in,
    parse_results,
)
from genset.sources.inaturalist_draw import MOST_PER_PAGE, Draw
from genset.sources.replies import parse_json, read
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

API_URL = "https://api.inaturalist.org/v1"

_PLACES = 4  # that a class's photos come from, at least: a page's are neighbours

# iNaturalist asks for 60 calls a minute, and under 10,000 a day: a quota that refills steadily and
# holds `burst` lets through, in 24 hours, at most 2,700 + 86,400 s / 12 s + 1 = 9,901. And it asks
# for under 5 GB of media an hour and 24 GB a day, which are 1,200 and 28,800 pictures here: they
# are of 1,024 pixels (`genset.sources.inaturalist_api.large`), a third of a megabyte as a rule.
SECONDS_A_CALL = 1.0
DAYS_SECONDS_A_CALL, DAYS_BURST = 12.0, 2_700
SECONDS_AN_IMAGE = 3.0

# Where iNaturalist's pictures lie, those of its first years on Flickr.
_PICTURES = re.compile(
    r"https?://(inaturalist-open-data\.s3\.amazonaws\.com|static\.inaturalist\.org"
    r"|[a-z0-9.-]+\.(staticflickr\.com|static\.flickr\.com))(:80|:443)?/\S*",
    re.I,
)

_EMPTY = "iNaturalist answered with none of {:,} results"

_Parameters = Mapping[str, object]


class INaturalist(Source):
    """iNaturalist's search, for the classes that are a taxon, in a random order.

    The first page of a search counts what there is, and brings no photos; each later one brings
    those of a few places drawn by chance (`genset.sources.inaturalist_draw`).
    """

    about = About(
        name=NAME,
        title="iNaturalist",
        home="https://www.inaturalist.org/",
        needs="a contact: an address at which iNaturalist can reach you",
        found="by the scientific name of the class, among observations of research grade, drawn at "
        "random with a seed that is stored with each search",
        limits="a call of the API a second and under 10,000 a day, and an image of at most 1,024 "
        "pixels every three seconds, which stays under 5 GB an hour and 24 GB a day",
        terms="Each photo has a licence of its own, which may differ from its observation's: "
        "credit the photographer as it asks, and mind that many forbid commercial use. "
        "iNaturalist's API is meant for applications and not for collecting data in bulk, and it "
        "blocks who asks too much of it.",
        posted="when its observation was uploaded to iNaturalist; in its open data, the day of the "
        "observation",
        taken="the day that the observer says",
        warning="Photos from iNaturalist may show dead animals, tracks and bones.",
        page_tells=True,
    )
    wants_taken = True
    query_key = "taxon"
    narrows_licenses = tuple(LICENSES.values())
    ids: ClassVar = {
        "owner": ("[1-9][0-9]*", "a number such as 487589"),
        "photo": (f"{UUID}-[1-9][0-9]*", "its observation's UUID and its number"),
    }
    ids_per_call = 200

    def __init__(
        self, hosts: Hosts, contact: str, endpoint: str | None = None, *, seed: int = 0
    ) -> None:
        """Make the source; nothing is asked yet.

        Args:
            hosts: what all scrapers share.
            contact: an address at which who asks can be reached.
            endpoint: the API's address, where it is not iNaturalist's own: a sandbox's, which then
                is also the one host that pictures may come from.
            seed: of the random order of new searches.

        Raises:
            BadInput: there is no contact.
        """
        check_contact("iNaturalist", contact)
        self._url = (endpoint or API_URL).rstrip("/")
        self._seed = seed
        self.picture_addresses = at(endpoint, _PICTURES)
        agent = user_agent(contact)
        self._api = Api("iNaturalist's API", agent)
        name, title = urlsplit(self._url).netloc, "iNaturalist"
        pictures = f"{name}-images"
        near = is_loopback(self._url)
        pace = RateLimit(hosts.store, name, 0) if near else calls(hosts.store, name)
        images = RateLimit(hosts.store, pictures, 0 if near else SECONDS_AN_IMAGE)
        self.api = Host(hosts, name, title, [pace], ping=self._ping, agent=agent)
        self.images = Host(hosts, pictures, f"{title}'s image host", [images], agent=agent)

    @classmethod
    def connect(cls, hosts: Hosts, settings: Settings) -> Self:
        """With the workspace's contact and seed and, where set, GENSET_INATURALIST_ENDPOINT.

        Raises:
            BadInput: there is no contact, or the endpoint is no web address.
        """
        endpoint = endpoint_in("GENSET_INATURALIST_ENDPOINT")
        return cls(hosts, settings.contact, endpoint, seed=settings.seed)

    @classmethod
    def queries(cls, image_class: ImageClass) -> tuple[str, ...]:
        """The name of the taxon that the class is; nothing where it is none for certain."""
        return (image_class.taxon,) if image_class.taxon else ()

    @classmethod
    def per_page(cls, per_class: int) -> int:
        """Few, so that a class's photos come from several places of the draw."""
        return min(max(2, ceil(per_class / _PLACES)), MOST_PER_PAGE)

    @classmethod
    def rates(cls, settings: Settings) -> Rates:
        """What iNaturalist asks for; who makes thousands of calls a day waits for the day's."""
        return Rates(3600 / SECONDS_A_CALL, 1 / SECONDS_AN_IMAGE)

    def search(self, question: Question, quota: int) -> SearchPage:
        """What a search finds in all (page 1), or the photos of a place of its draw."""
        parameters = _parameters_of(question)
        if question.page == 1:
            return self._begun(parameters)
        draw, text, size = Draw.read(question.bookmark), question.text, question.per_page
        number, length = question.page - 2, draw.length(size)
        if number >= length:
            return SearchPage((), draw.total, last=True, capped=False, bookmark=question.bookmark)
        codes, made = _codes(question.licenses), count()

        def ask(more: _Parameters) -> tuple[int, list[dict[str, Any]]]:
            if next(made):  # the first call has its turn
                self.api.wait_for_turn(quota)
            return self._ask({**parameters, **more})

        def counted(above: int, below: int) -> int:
            between = {"id_above": above, "id_below": below}
            return ask({**between, "per_page": 1, "only_id": "true"})[0]

        listed: list[Any] = []
        for run in draw.block(text, number, size):
            for window in draw.windows(run, counted):
                per_page, page = window.run.page
                ids = {"id_above": window.above, "id_below": window.below}
                place = {"order_by": "id", "order": "asc", "per_page": per_page, "page": page}
                total, results = ask({**ids, **place})
                if not results and total > (page - 1) * per_page:
                    raise SourceUnavailable(_EMPTY.format(total), scope="query")
                listed += window.run.of(results)
        found, rejected = photos_of(listed, partial(found_photo, codes=codes))
        distinct = list({photo.source_id: photo for photo in found}.values())
        return SearchPage(
            draw.shuffled(text, distinct, lambda photo: photo.source_id),
            draw.total,
            last=number + 1 == length,
            capped=False,
            bookmark=draw.bookmark(),
            rejected=rejected,
        )

    def _begun(self, parameters: _Parameters) -> SearchPage:
        """How many observations there are, and which is the newest, without any photo."""
        newest = {"order_by": "id", "order": "desc", "per_page": 1, "page": 1, "only_id": "true"}
        total, results = self._ask({**parameters, **newest})
        if not total:
            return SearchPage((), 0, last=True, capped=False)
        if not results:
            raise SourceUnavailable(_EMPTY.format(total), scope="query")
        draw = Draw(self._seed, total, read(results[0], Numbered, "iNaturalist's search").id)
        return SearchPage((), total, last=False, capped=False, bookmark=draw.bookmark())

    def ask_licenses(self, source_ids: Sequence[str], quota: int) -> Licenses:
        """The licences of photos; None where one or its observation is gone.

        An observation only counts as gone where an answer about it alone says so.
        """
        named = {id: id.rpartition("-") for id in source_ids}
        uuids = ",".join(sorted({uuid for uuid, _, _ in named.values()}))
        _, results = self._ask({"uuid": uuids, "per_page": self.ids_per_call})
        found = {str(result.get("uuid")): result for result in results}
        licenses: dict[str, License | SourceError | None] = dict.fromkeys(source_ids)
        for source_id, (uuid, _, photo) in named.items():
            if uuid in found:
                licenses[source_id] = license_in(found[uuid], photo)
            elif len(source_ids) > 1:
                licenses[source_id] = SourceUnavailable(f"iNaturalist does not show {uuid}")
        return licenses

    def _ping(self, quota: int) -> object:
        return self._ask({"per_page": 1, "only_id": "true"})

    def _ask(self, parameters: _Parameters) -> tuple[int, list[dict[str, Any]]]:
        """Search once; raises SourceUnavailable or requests.RequestException."""
        body = self._api.get(f"{self._url}/observations", parameters)
        return parse_results(parse_json(body, "iNaturalist"))


def calls(store: Store, name: str) -> RateLimit:
    """The pace of calls."""
    return RateLimit(store, name, DAYS_SECONDS_A_CALL, DAYS_BURST, SECONDS_A_CALL)


def _parameters_of(question: Question) -> dict[str, object]:
    """A search's parameters, without those of a page."""
    parameters: dict[str, object] = {
        "taxon_name": question.text,
        "quality_grade": "research",
        "photo_license": ",".join(_codes(question.licenses)),
        "created_d1": question.posted_after.date().isoformat(),
    }
    if question.posted_before is not None:  # iNaturalist's end of the window is in it, ours is not
        parameters["created_d2"] = (question.posted_before - timedelta(seconds=1)).isoformat()
    return parameters


def _codes(names: tuple[str, ...]) -> list[str]:
    """iNaturalist's codes of the licences with these names; all for no names."""
    return [code for code, license in LICENSES.items() if not names or license.name in names]
