"""Wikimedia Commons: MediaWiki's `action=query` over photos; its images, manners, failures.

A search answers:

    {"batchcomplete": true, "continue": {"gsroffset": 50, "continue": "gsroffset||"},
     "query": {"pages": [
       {"pageid": 7605486142, "ns": 6, "title": "File:A tench (7605486142).jpg", "index": 1,
        "imagerepository": "local", "imageinfo": [
          {"timestamp": "2012-07-19T13:25:02Z", "user": "ann", "size": 48211, "width": 1024, ...,
           "extmetadata": {"License": {"value": "cc-by-2.0", "source": "commons-desc-page",
                                       "hidden": ""}, ...}}]}, ...]}}

The pages stand in no order that means something: `index` is the place among the results.
`imageinfo` has a file's versions, the newest first. A photo's addresses:

    /wikipedia/commons/A_tench_(7605486142).jpg
    /thumb/wikipedia/commons/A_tench_(7605486142).jpg/960px

Unlike Commons: what `filetype:`, `intitle:` and their like ask for is passed over, but for
`haswbstatement:`; every answer is whole; pages are files alone; and there are thumbnails of the
width that genset asks for, and of no other.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from typing import Any
from urllib.parse import quote

from genset.licenses import License, creative_commons
from genset.sandbox.photos import Photo, number, unix
from genset.sandbox.service import Params, Reply, Request, Service, json_reply, web_page

Answer = dict[str, Any]

MOST_AT_ONCE = 3
MOST_RESULTS = 10_000
"""How far into a search's results one can go."""

MOST_VALUES = 50

WIDTH = 960
"""That of thumbnails."""

_WIKI = "https://commons.wikimedia.org"
_KEYWORD = re.compile(r'(?<!\S)-?([a-z]+):("[^"]*"|\S+)')
_LONGEST_NAME = 120


def failure(code: str, info: str) -> Reply:
    """MediaWiki's way of saying no: a code and a sentence, under HTTP 200."""
    return json_reply({"error": {"code": code, "info": info}})


class Commons(Service):
    """MediaWiki's API as Commons has it, and its image host.

    It insists on a User-Agent that says how to reach the client, and on three requests at once.
    """

    api_path = "/w/api.php"
    image_path = re.compile(r"(?:/thumb)?/wikipedia/commons/[^/]*\((?P<id>\d+)\)\.[a-z]+(?:/.*)?")
    query = "gsrsearch"
    unavailable = (
        failure("maxlag", "Waiting for 10.64.0.1: 6.2 seconds lagged."),
        failure("readonly", "The wiki is currently in read-only mode."),
        failure("ratelimited", "You've exceeded your rate limit. Please wait some time."),
        failure("internal_api_error_DBQueryError", "[sandbox] Caught exception: DBQueryError"),
    )
    wrong_format = (web_page(200, "Wikimedia Error"), web_page(503, "Wikimedia Error"))

    def purpose(self, request: Request) -> tuple[str, Sequence[str]]:
        """ "search" or "imageinfo", and the pages that `pageids` names."""
        params, pages = request.params, request.params.get("pageids")
        what = params.get("generator") or params.get("prop", "")
        return what, pages.split("|") if pages else []

    def refusal(self, request: Request) -> Reply | None:
        """For who does not say how to be reached, or sends too many requests at once."""
        if "@" not in request.agent and "http" not in request.agent:
            words = b"Please set a user-agent and respect our robot policy https://w.wiki/4wJS.\n"
            return Reply(403, "text/plain; charset=utf-8", words)
        return web_page(429, "") if request.at_once > MOST_AT_ONCE else None

    def call(self, request: Request) -> Reply:
        """Yes and no are both HTTP 200."""
        params = request.params
        if params.get("generator") == "search":
            return self._search(params)
        ids = params.get("pageids", "").split("|")[:MOST_VALUES]
        return _pages([self._named(id, params) for id in ids])

    def _search(self, params: Params) -> Reply:
        """One page of results, and what the next page needs."""
        text = params.get("gsrsearch", "")
        limit = int(params.get("gsrlimit", 10))
        offset = int(params.get("gsroffset", 0))
        last = offset + limit
        if last > MOST_RESULTS:
            return failure("search-error", f"Up to {MOST_RESULTS} search results are supported.")
        matches = self.unsettle(self._found(text), limit, text)
        # As MediaWiki keys its pages, a photo that stands twice among the results is there once.
        places = {photo: offset + place for place, photo in enumerate(matches[offset:last], 1)}
        pages = [self._page_of(photo, params) | {"index": index} for photo, index in places.items()]
        following = {"gsroffset": last, "continue": "gsroffset||"}
        return _pages(pages, {"continue": following} if last < len(matches) else {})

    def _found(self, text: str) -> list[Photo]:
        """Every photo that a search finds, in the order of the records."""
        statements = [
            {part.removeprefix("P180=") for part in keyword[2].split("|")}
            for keyword in _KEYWORD.finditer(text)
            if keyword[1] == "haswbstatement"
        ]
        return self.collection.search(
            _KEYWORD.sub(" ", text).strip(),
            lambda photo: all(items & set(photo.record.depicts) for items in statements),
        )

    def _named(self, id: str, params: Params) -> Answer:
        """The page of an id, or that it is not there."""
        photo = self.collection.find(id)
        return self._page_of(photo, params) if photo else {"pageid": int(id), "missing": True}

    def _page_of(self, photo: Photo, params: Params) -> Answer:
        """A file's page with as many of its versions as `iilimit` says."""
        first = photo.record.first_upload
        versions = [photo.posted, *([unix(first)] if first else [])]
        shown = [
            _image_info(photo, uploaded, params, self.base)
            for uploaded in versions[: int(params.get("iilimit", 1))]
        ]
        page = {"pageid": int(photo.id), "ns": 6, "title": f"File:{_title(photo)}"}
        return page | {"imagerepository": "local", "imageinfo": shown}

    def sizes(self, photo: Photo) -> dict[str, int | None]:
        """The file and its thumbnail."""
        sizes: dict[str, int | None] = {_path(photo): None}
        across, down = photo.picture.pixels
        if across > WIDTH:
            sizes[_thumbnail(photo)] = WIDTH * max(across, down) // across
        return sizes


def _pages(pages: Sequence[Answer], more: Answer | None = None) -> Reply:
    """Pages as they come out of the database: by nothing that a client knows."""
    ordered = sorted(pages, key=lambda page: number(f"order {page.get('pageid')}"))
    query = {"query": {"pages": ordered}} if ordered else {}
    return json_reply({"batchcomplete": True} | (more or {}) | query)


def _title(photo: Photo) -> str:
    """The title of the file's page without its namespace: no two are the same."""
    words = re.sub(r"[^\w'()&,-]+|_", " ", photo.title)[:_LONGEST_NAME].strip()
    return f"{words[:1].upper()}{words[1:]} ({photo.id}).{photo.picture.extension}".strip()


def _path(photo: Photo) -> str:
    """Where the image host has the file."""
    return f"/wikipedia/commons/{_title(photo).replace(' ', '_')}"


def _thumbnail(photo: Photo) -> str:
    """Where the image host has its thumbnail; of a small file that is the file."""
    is_small = photo.picture.pixels[0] <= WIDTH
    return _path(photo) if is_small else f"/thumb{_path(photo)}/{WIDTH}px"


def _image_info(photo: Photo, uploaded: int, params: Params, base: str) -> Answer:
    """One version of a file: what `iiprop` names."""
    width, height = photo.picture.pixels
    addresses = {
        "url": base + quote(_path(photo)),
        "thumburl": base + quote(_thumbnail(photo)),
        "descriptionurl": f"{_WIKI}/wiki/File:{quote(_title(photo).replace(' ', '_'))}",
    }
    fields: dict[str, Answer] = {
        "timestamp": {"timestamp": f"{datetime.fromtimestamp(uploaded, UTC):%Y-%m-%dT%H:%M:%SZ}"},
        "user": {"user": photo.owner_name},
        "size": {"width": width, "height": height},
        "url": addresses,
        "extmetadata": {"extmetadata": _metadata(photo)},
    }
    info: Answer = {}
    for name in params.get("iiprop", "timestamp|user").split("|"):
        info |= fields.get(name, {})
    return info


def _metadata(photo: Photo) -> Answer:
    """What a file's page says in words, as HTML: by whom, when taken, under which licence."""
    taken = photo.record.date_taken
    code = photo.record.commons_license or _CODES.get(photo.record.license, "cc-by-sa-4.0")
    license = creative_commons(License(code, "")) or License(code, "")
    name = escape(photo.owner_name)
    user = f"User:{quote(photo.owner_name.replace(' ', '_'))}"
    values = {
        "DateTimeOriginal": f"{taken:%Y-%m-%d %H:%M:%S}" if taken else "",
        "Artist": f'<a href="//commons.wikimedia.org/wiki/{user}" title="User:{name}">{name}</a>',
        "LicenseShortName": license.name,
        "LicenseUrl": license.url,
        "License": code,
    }
    return {key: {"value": value} for key, value in values.items() if value}


# By Flickr's numbers. Commons says of works that are in the public domain for whatever reason "pd".
_CODES = {4: "cc-by-2.0", 5: "cc-by-sa-2.0", 8: "pd", 9: "cc0", 10: "pd", 11: "cc-by-4.0"}
