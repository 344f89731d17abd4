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
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import md5, sha1
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from genset.sandbox.photos import MIME, Photo, number
from genset.sandbox.service import Params, Reply, Request, Service, json_reply, web_page, whole

Answer = dict[str, Any]

MOST_AT_ONCE = 3
MOST_RESULTS = 10_000
"""How far into a search's results one can go."""

MOST_AT_A_TIME = 500
MOST_IDS = 50

WIDTHS = (20, 40, 60, 120, 250, 330, 500, 960, 1280, 1920, 3840)
"""The thumbnails that there are; a request for others answers HTTP 429, however often it comes."""

FAILURES = {
    "maxlag": "Waiting for 10.64.0.1: 6.2 seconds lagged.",
    "readonly": "The wiki is currently in read-only mode.",
    "ratelimited": "You've exceeded your rate limit. Please wait some time and try again.",
    "internal_api_error_DBQueryError": "[sandbox] Caught exception of type DBQueryError",
}
"""What passes after a while, by MediaWiki's codes."""

_WIKI = "https://commons.wikimedia.org"
_KEYWORD = re.compile(r'(?<!\S)-?([a-z]+):("[^"]*"|\S+)')
_IMAGE_PATH = re.compile(
    r"/wikipedia/commons/(?P<thumb>thumb/)?[0-9a-f]/[0-9a-f]{2}/[^/]*\((?P<id>\d+)\)\.[a-z]+"
    r"(?(thumb)/(?P<width>\d+)px-[^/]+)"
)
_ID, _ID_IN_TITLE = re.compile(r"(\d+)"), re.compile(r"\((\d+)\)\.[a-z]+$")
_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f#<>\[\]|{}/:?%\\_\s]+")
_LONGEST_NAME = 120


class _Refused(Exception):
    """MediaWiki's way of saying no: a code and a sentence, under HTTP 200."""

    def __init__(self, code: str, info: str) -> None:
        super().__init__(info)
        self.code = code

    @property
    def reply(self) -> Reply:
        """The error as MediaWiki says it."""
        docref = f"See {_WIKI}/w/api.php for API usage."
        error = {"code": self.code, "info": str(self), "docref": docref}
        reply = json_reply({"error": error, "servedby": "mw-sandbox"})
        return replace(reply, headers={"MediaWiki-API-Error": self.code})


class Commons(Service):
    """MediaWiki's API as Commons has it, and its image host.

    It insists on a User-Agent that says how to reach the client, and on three requests at once.
    """

    api_path = "/w/api.php"

    def what(self, request: Request) -> str:
        """Of calls: "search", "imageinfo", "siteinfo", or else the action."""
        if not request.is_call:
            return request.path
        params = request.params
        if params.get("action") != "query":
            return params.get("action", "")
        return params.get("generator") or params.get("meta") or params.get("prop", "")

    def photo_id(self, request: Request) -> str | None:
        """The one that `pageids` or an image's address names."""
        if request.is_call:
            page_id = request.params.get("pageids", "")
            return page_id if page_id.isdecimal() else None
        named = _IMAGE_PATH.fullmatch(unquote(request.path))
        return named["id"] if named else None

    def refusal(self, request: Request) -> Reply | None:
        """For who does not say how to be reached, or sends too many requests at once."""
        if "@" not in request.agent and "http" not in request.agent:
            words = b"Please set a user-agent and respect our robot policy https://w.wiki/4wJS.\n"
            return Reply(403, "text/plain; charset=utf-8", words)
        if request.at_once > MOST_AT_ONCE:
            return web_page(429, "Too Many Requests")
        return None

    def call(self, request: Request) -> Reply:
        """Yes and no are both HTTP 200, and only JSON is for programs."""
        params = request.params
        if params.get("format") != "json":
            return web_page(200, "MediaWiki API result")
        try:
            if (action := params.get("action", "help")) != "query":
                raise _Refused("badvalue", f'Unrecognized value for parameter "action": {action}.')
            if params.get("meta") == "siteinfo":
                general = {"sitename": "Wikimedia Commons", "generator": "MediaWiki 1.45.0"}
                return json_reply({"batchcomplete": True, "query": {"general": general}})
            return json_reply(self._query(params))
        except _Refused as refused:
            return refused.reply

    def _query(self, params: Params) -> Answer:
        answer: Answer = {"batchcomplete": True}
        if params.get("generator") == "search":
            pages, following = self._search(params)
            answer |= {"continue": following} if following else {}
        else:
            pages = self._named(params)
        # As they come out of the database: by nothing that a client knows.
        pages.sort(key=lambda page: number(f"order {page.get('pageid')}"))
        return answer | ({"query": {"pages": pages}} if pages else {})

    def _search(self, params: Params) -> tuple[list[Answer], Answer]:
        """One page of results, and what the next page needs."""
        text = params.get("gsrsearch", "").strip()
        if not text:
            raise _Refused("missingparam", 'The "gsrsearch" parameter must be set.')
        limit = min(whole(params, "gsrlimit", 10) or 1, MOST_AT_A_TIME)
        offset = whole(params, "gsroffset", 0)
        last = offset + limit
        if last > MOST_RESULTS:
            raise _Refused(
                "search-error",
                f"Could not retrieve results. Up to {MOST_RESULTS} search results are supported, "
                f"but results up to {last} were requested.",
            )
        if "6" not in params.get("gsrnamespace", "0").split("|"):
            return [], {}
        matches = self.faults.unsettle(self._found(text), limit, text)
        # As MediaWiki keys its pages, a photo that stands twice among the results is there once.
        places = {photo: offset + place for place, photo in enumerate(matches[offset:last], 1)}
        pages = [self._page_of(photo, params) | {"index": index} for photo, index in places.items()]
        following = {"gsroffset": last, "continue": "gsroffset||"} if last < len(matches) else {}
        return pages, following

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

    def _named(self, params: Params) -> list[Answer]:
        """The pages that `pageids` or `titles` names, those that are not there too."""
        name = "titles" if "titles" in params else "pageids"
        values = [value for value in dict.fromkeys(params.get(name, "").split("|")) if value]
        if len(values) > MOST_IDS:
            words = f'Too many values supplied for parameter "{name}". The limit is {MOST_IDS}.'
            raise _Refused("toomanyvalues", words)
        pages = []
        for value in values:
            found = _ID_IN_TITLE.search(value) if name == "titles" else _ID.fullmatch(value)
            photo = self.collection.find(found[1]) if found else None
            if photo and (name == "pageids" or value == f"File:{_title(photo)}"):
                pages.append(self._page_of(photo, params))
            elif name == "titles":
                pages.append({"ns": 6, "title": value, "missing": True})
            elif found:
                pages.append({"pageid": int(value), "missing": True})
        return pages

    def _page_of(self, photo: Photo, params: Params) -> Answer:
        """A file's page with as many of its versions as `iilimit` says."""
        page: Answer = {"pageid": int(photo.id), "ns": 6, "title": f"File:{_title(photo)}"}
        if "imageinfo" not in params.get("prop", "").split("|"):
            return page
        versions = [photo.posted, *([photo.first_upload] if photo.first_upload else [])]
        shown = [
            _image_info(photo, uploaded, params, self.base)
            for uploaded in versions[: whole(params, "iilimit", 1)]
        ]
        return page | {"imagerepository": "local", "imageinfo": shown}

    def image(self, request: Request) -> Reply | None:
        """A file, or a thumbnail of one of the widths there are."""
        path = unquote(request.path)
        named = _IMAGE_PATH.fullmatch(path)
        if not named:
            return None
        width = int(named["width"]) if named["width"] else None
        if width is not None and width not in WIDTHS:
            return web_page(429, "Use thumbnail steps listed on https://w.wiki/GHai")
        photo = self.collection.find(named["id"])
        missing = web_page(404, "File not found")
        if photo is None or unquote(_path(photo, width)) != path:
            return missing
        try:
            if width is None:
                return self.file(photo)
            if photo.picture.pixels is None or width >= photo.picture.pixels[0]:
                return web_page(400, "The requested thumbnail is not smaller than the file")
            across, down = photo.picture.pixels
            side = max(width, round(down * width / across))
            return self.file(photo, side, photo.picture.extension)
        except FileNotFoundError:  # removed since we looked
            return missing

    def unavailable(self, request: Request) -> Reply:
        """An error that passes, in each of the codes that it comes with."""
        code = self.faults.pick(sorted(FAILURES), "unavailable", request.identity)
        return _Refused(code, FAILURES[code]).reply

    def wrong_format(self, request: Request) -> Reply:
        """A page for people, under an error's status or under none."""
        status = self.faults.pick((200, 503), "as a page", request.identity)
        return web_page(status, "Wikimedia Error: our servers are currently under maintenance")


def _title(photo: Photo) -> str:
    """The title of the file's page without its namespace: no two are the same."""
    words = _NOT_IN_NAMES.sub(" ", photo.title).strip()[:_LONGEST_NAME].strip()
    return f"{words[:1].upper()}{words[1:]} ({photo.id}).{photo.picture.extension}".strip()


@lru_cache(maxsize=4_096)
def _path(photo: Photo, width: int | None = None) -> str:
    """Where the image host has a thumbnail of this width, or the file itself."""
    name = _title(photo).replace(" ", "_")
    mark = md5(name.encode(), usedforsecurity=False).hexdigest()
    name = quote(name, safe="()!,")
    place = f"{mark[0]}/{mark[:2]}/{name}"
    if width is None:
        return f"/wikipedia/commons/{place}"
    return f"/wikipedia/commons/thumb/{place}/{width}px-{name}"


def _image_info(photo: Photo, uploaded: int, params: Params, base: str) -> Answer:
    """One version of a file: what `iiprop` names, a thumbnail of `iiurlwidth` pixels as well."""
    width, height = photo.picture.pixels or (0, 0)
    size, digest = _content(photo.picture.path)
    fields: dict[str, Answer] = {
        "timestamp": {"timestamp": _moment(uploaded).strftime("%Y-%m-%dT%H:%M:%SZ")},
        "user": {"user": photo.owner_name},
        "size": {"size": size, "width": width, "height": height},
        "url": _addresses(photo, whole(params, "iiurlwidth", 0), base),
        "sha1": {"sha1": digest},
        "mime": {"mime": MIME[photo.picture.extension]},
        "extmetadata": {"extmetadata": _metadata(photo)},
    }
    info: Answer = {}
    for name in params.get("iiprop", "timestamp|user").split("|"):
        info |= fields.get(name, {})
    return info


def _addresses(photo: Photo, thumb_width: int, base: str) -> Answer:
    width, height = photo.picture.pixels or (0, 0)
    title = quote(_title(photo).replace(" ", "_"), safe="()!,")
    addresses = {
        "url": base + _path(photo),
        "descriptionurl": f"{_WIKI}/wiki/File:{title}",
    }
    if not thumb_width:
        return addresses
    shown = min(thumb_width, width)  # there may be nothing to make smaller
    thumb_path = _path(photo, shown if shown < width else None)
    height = round(height * shown / width) if width else 0
    thumb = {"thumburl": base + thumb_path, "thumbwidth": shown, "thumbheight": height}
    return addresses | thumb


def _metadata(photo: Photo) -> Answer:
    """What a file's page says in words, as HTML: by whom, when taken, under which licence."""
    code = photo.record.commons_license or _CODES.get(photo.record.license, "cc-by-sa-4.0")
    code, short, url = _license_words(code)
    name = escape(photo.owner_name)
    user = f"User:{quote(photo.owner_name.replace(' ', '_'))}"
    values: dict[str, str] = {
        "DateTimeOriginal": photo.taken or "",
        "Artist": f'<a href="//commons.wikimedia.org/wiki/{user}" title="User:{name}">{name}</a>',
        "LicenseShortName": short,
        "LicenseUrl": url,
        "License": code,
    }
    fields: Answer = {
        key: {"value": value, "source": "commons-desc-page", "hidden": ""}
        for key, value in values.items()
        if value
    }
    return fields | {"CommonsMetadataExtension": {"value": 1.2, "source": "extension"}}


# By Flickr's numbers. Commons says of works that are in the public domain for whatever reason "pd".
_CODES = {
    4: "cc-by-2.0",
    5: "cc-by-sa-2.0",
    7: "flickr",
    8: "pd",
    9: "cc0",
    10: "pd",
    11: "cc-by-4.0",
    12: "cc-by-sa-4.0",
}

_CREATIVE_COMMONS = re.compile(r"cc-(by(?:-sa)?)-([0-9.]+)(?:-([a-z]+))?")
_OTHERS = {
    "cc0": ("cc0", "CC0", "http://creativecommons.org/publicdomain/zero/1.0/deed.en"),
    "pd": ("pd", "Public domain", ""),
    "flickr": ("", "No restrictions", "https://www.flickr.com/commons/usage/"),
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


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


@lru_cache(maxsize=4_096)
def _content(path: Path) -> tuple[int, str]:
    """A file's length and its SHA-1, as they were when they were first needed."""
    content = path.read_bytes()
    return len(content), sha1(content, usedforsecurity=False).hexdigest()
