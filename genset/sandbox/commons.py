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

    /wikipedia/commons/5/5a/A_tench_(7605486142).jpg
    /wikipedia/commons/thumb/5/5a/A_tench_(7605486142).jpg/960px-A_tench_(7605486142).jpg

Unlike Commons: what `filetype:`, `intitle:` and their like ask for is passed over, but for
`haswbstatement:`; every answer is whole; and there is one namespace, that of files.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import md5
from html import escape
from typing import Any
from urllib.parse import quote, unquote

from genset.sandbox.photos import Photo, mysql, number, unix
from genset.sandbox.service import Params, Reply, Request, Service, json_reply, web_page, whole

Answer = dict[str, Any]

MOST_AT_ONCE = 3
MOST_RESULTS = 10_000
"""How far into a search's results one can go."""

MOST_AT_A_TIME = 500
MOST_VALUES = 50

WIDTHS = (20, 40, 60, 120, 250, 330, 500, 960, 1280, 1920, 3840)
"""The thumbnails that there are; a request for others answers HTTP 429, however often it comes."""

_WIKI = "https://commons.wikimedia.org"
_KEYWORD = re.compile(r'(?<!\S)-?([a-z]+):("[^"]*"|\S+)')
_TITLE = re.compile(r"File:.*\((\d+)\)\.[a-z]+")
_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f#<>\[\]|{}/:?%\\_\s]+")
_LONGEST_NAME = 120
_RESULTS_END = (
    "Could not retrieve results. Up to {} search results are supported, but results up to {} were "
    "requested."
)


def failure(code: str, info: str) -> Reply:
    """MediaWiki's way of saying no: a code and a sentence, under HTTP 200."""
    error = {"code": code, "info": info, "docref": f"See {_WIKI}/w/api.php for API usage."}
    reply = json_reply({"error": error, "servedby": "mw-sandbox"})
    return replace(reply, headers={"MediaWiki-API-Error": code})


class Commons(Service):
    """MediaWiki's API as Commons has it, and its image host.

    It insists on a User-Agent that says how to reach the client, and on three requests at once.
    """

    api_path = "/w/api.php"
    image_path = re.compile(
        r"/wikipedia/commons/(?P<thumb>thumb/)?[0-9a-f]/[0-9a-f]{2}/[^/]*\((?P<id>\d+)\)\.[a-z]+"
        r"(?(thumb)/(?P<width>\d+)px-[^/]+)"
    )
    query = "gsrsearch"
    unavailable = (
        failure("maxlag", "Waiting for 10.64.0.1: 6.2 seconds lagged."),
        failure("readonly", "The wiki is currently in read-only mode."),
        failure("ratelimited", "You've exceeded your rate limit. Please wait some time."),
        failure("internal_api_error_DBQueryError", "[sandbox] Caught exception: DBQueryError"),
    )
    wrong_format = tuple(
        web_page(status, "Wikimedia Error: our servers are currently under maintenance")
        for status in (200, 503)
    )

    def purpose(self, request: Request) -> tuple[str, str | None]:
        """ "search", "imageinfo", "siteinfo", or else the action; one page that `pageids` names."""
        params = request.params
        what, page_id = params.get("action", ""), params.get("pageids", "")
        if what == "query":
            what = params.get("generator") or params.get("meta") or params.get("prop", "")
        return what, page_id if page_id.isdecimal() else None

    def refusal(self, request: Request) -> Reply | None:
        """For who does not say how to be reached, or sends too many requests at once."""
        if "@" not in request.agent and "http" not in request.agent:
            words = b"Please set a user-agent and respect our robot policy https://w.wiki/4wJS.\n"
            return Reply(403, "text/plain; charset=utf-8", words)
        return web_page(429, "") if request.at_once > MOST_AT_ONCE else None

    def call(self, request: Request) -> Reply:
        """Yes and no are both HTTP 200."""
        params = request.params
        if (action := params.get("action", "help")) != "query":
            return failure("badvalue", f'Unrecognized value for parameter "action": {action}.')
        if params.get("meta") == "siteinfo":
            general = {"sitename": "Wikimedia Commons", "generator": "MediaWiki 1.45.0"}
            return json_reply({"batchcomplete": True, "query": {"general": general}})
        if params.get("generator") == "search":
            return self._search(params)
        name = "titles" if "titles" in params else "pageids"
        values = [value for value in dict.fromkeys(params.get(name, "").split("|")) if value]
        if len(values) > MOST_VALUES:
            words = f'Too many values supplied for parameter "{name}". The limit is {MOST_VALUES}.'
            return failure("toomanyvalues", words)
        return _pages([self._named(value, params) for value in values])

    def _search(self, params: Params) -> Reply:
        """One page of results, and what the next page needs."""
        text = params.get("gsrsearch", "").strip()
        if not text:
            return failure("missingparam", 'The "gsrsearch" parameter must be set.')
        limit = min(whole(params, "gsrlimit", 10) or 1, MOST_AT_A_TIME)
        offset = whole(params, "gsroffset", 0)
        last = offset + limit
        if last > MOST_RESULTS:
            return failure("search-error", _RESULTS_END.format(MOST_RESULTS, last))
        if "6" not in params.get("gsrnamespace", "0").split("|"):
            return _pages([])
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

    def _named(self, value: str, params: Params) -> Answer:
        """The page of an id or a title, or that it is not there."""
        title = _TITLE.fullmatch(value)
        photo = self.collection.find(title[1] if title else value)
        if photo and (title is None or value == f"File:{_title(photo)}"):
            return self._page_of(photo, params)
        name: Answer = {"pageid": int(value)} if value.isdecimal() else {"ns": 6, "title": value}
        return name | {"missing": True}

    def _page_of(self, photo: Photo, params: Params) -> Answer:
        """A file's page with as many of its versions as `iilimit` says."""
        page: Answer = {"pageid": int(photo.id), "ns": 6, "title": f"File:{_title(photo)}"}
        if "imageinfo" not in params.get("prop", "").split("|"):
            return page
        first = photo.record.first_upload
        versions = [photo.posted, *([unix(first)] if first else [])]
        shown = [
            _image_info(photo, uploaded, params, self.base)
            for uploaded in versions[: whole(params, "iilimit", 1)]
        ]
        return page | {"imagerepository": "local", "imageinfo": shown}

    def sizes(self, photo: Photo) -> dict[str, tuple[int | None, str]]:
        """The file, and thumbnails of the widths that there are, if they are smaller."""
        across, down = photo.picture.pixels
        extension = photo.picture.extension
        thumbs = {
            unquote(_path(photo, width)): (max(width, round(down * width / across)), extension)
            for width in WIDTHS
            if width < across
        }
        return {unquote(_path(photo)): (None, extension), **thumbs}

    def missing(self, path: str) -> Reply:
        """Of a width that there is not, nothing is ever shown."""
        named = self.image_path.fullmatch(unquote(path))
        if named and named["width"] and int(named["width"]) not in WIDTHS:
            return web_page(429, "Use thumbnail steps listed on https://w.wiki/GHai")
        return web_page(404, "File not found")


def _pages(pages: Sequence[Answer], more: Answer | None = None) -> Reply:
    """Pages as they come out of the database: by nothing that a client knows."""
    ordered = sorted(pages, key=lambda page: number(f"order {page.get('pageid')}"))
    query = {"query": {"pages": ordered}} if ordered else {}
    return json_reply({"batchcomplete": True} | (more or {}) | query)


def _title(photo: Photo) -> str:
    """The title of the file's page without its namespace: no two are the same."""
    words = _NOT_IN_NAMES.sub(" ", photo.title).strip()[:_LONGEST_NAME].strip()
    return f"{words[:1].upper()}{words[1:]} ({photo.id}).{photo.picture.extension}".strip()


@lru_cache(maxsize=4_096)
def _path(photo: Photo, width: int = 0) -> str:
    """Where the image host has a thumbnail of this width, or the file itself."""
    name = _title(photo).replace(" ", "_")
    mark = md5(name.encode(), usedforsecurity=False).hexdigest()
    name = quote(name, safe="()!,")
    place = f"{mark[0]}/{mark[:2]}/{name}"
    if not width:
        return f"/wikipedia/commons/{place}"
    return f"/wikipedia/commons/thumb/{place}/{width}px-{name}"


def _image_info(photo: Photo, uploaded: int, params: Params, base: str) -> Answer:
    """One version of a file: what `iiprop` names, a thumbnail of `iiurlwidth` pixels as well."""
    width, height = photo.picture.pixels
    title = quote(_title(photo).replace(" ", "_"), safe="()!,")
    wide = whole(params, "iiurlwidth", 0)
    thumb = _path(photo, wide if wide < width else 0)  # there may be nothing to make smaller
    addresses = {"url": base + _path(photo), "descriptionurl": f"{_WIKI}/wiki/File:{title}"}
    fields: dict[str, Answer] = {
        "timestamp": {"timestamp": f"{datetime.fromtimestamp(uploaded, UTC):%Y-%m-%dT%H:%M:%SZ}"},
        "user": {"user": photo.owner_name},
        "size": {"width": width, "height": height},
        "url": addresses | ({"thumburl": base + thumb} if wide else {}),
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
    code, short, url = _license_words(code)
    name = escape(photo.owner_name)
    user = f"User:{quote(photo.owner_name.replace(' ', '_'))}"
    values: dict[str, str] = {
        "DateTimeOriginal": mysql(taken) if taken else "",
        "Artist": f'<a href="//commons.wikimedia.org/wiki/{user}" title="User:{name}">{name}</a>',
        "LicenseShortName": short,
        "LicenseUrl": url,
        "License": code,
    }
    return {
        key: {"value": value, "source": "commons-desc-page"}
        for key, value in values.items()
        if value
    }


# By Flickr's numbers. Commons says of works that are in the public domain for whatever reason "pd".
_CODES = {4: "cc-by-2.0", 5: "cc-by-sa-2.0", 8: "pd", 9: "cc0", 10: "pd", 11: "cc-by-4.0"}

_CREATIVE_COMMONS = re.compile(r"cc-(by(?:-sa)?)-([0-9.]+)(?:-([a-z]+))?")
_OTHERS = {
    "cc0": ("cc0", "CC0", "http://creativecommons.org/publicdomain/zero/1.0/deed.en"),
    "pd": ("pd", "Public domain", ""),
}


def _license_words(code: str) -> tuple[str, str, str]:
    """What Commons says of a licence with this code: code, short name and address, or "" each."""
    if code in _OTHERS:
        return _OTHERS[code]
    found = _CREATIVE_COMMONS.fullmatch(code)
    if not found:
        return "", code[:1].upper() + code[1:], ""
    kind, version, port = found.groups()
    short = f"CC {kind.upper()} {version}" + (f" {port}" if port else "")
    deed = f"/{port}/deed.en" if port else ""
    return code, short, f"https://creativecommons.org/licenses/{kind}/{version}{deed}"
