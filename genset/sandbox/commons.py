"""Wikimedia Commons: MediaWiki's `action=query` over photos; its images, manners, failures.

A search answers:

    {"batchcomplete": true, "continue": {"gsroffset": 50, "continue": "gsroffset||"},
     "query": {"pages": [{"pageid": ..., "index": 12, ...}, ...]}}

The pages stand in no order that means something: `index` is the place among the results. Where
`batchcomplete` is missing, the reply is partial: some pages lack their `imageinfo`, and the same
question with what `continue` says brings it.

Unlike Commons: a search that holds the words of a query that genset plans for a class finds all
photos of that class; what the words `intitle:`, `incategory:` and their like ask for is passed
over; and there is one namespace, that of files.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any
from urllib.parse import unquote

from genset.core.query import Terms, parse
from genset.sandbox.commons_replies import (
    IMAGE_PATH,
    WIDTHS,
    Answer,
    image_info,
    page,
    path_of,
    timestamp,
    versions,
)
from genset.sandbox.dialect import Dialect, Pick, Unsettle
from genset.sandbox.faults import Faults
from genset.sandbox.messages import Params, Reply, Request, web_page, without_secrets
from genset.sandbox.photos import Listing, Photo, number
from genset.sandbox.records import Collection

MOST_AT_ONCE = 3

FAILURES = {
    "maxlag": "Waiting for 10.64.0.1: 6.2 seconds lagged.",
    "readonly": "The wiki is currently in read-only mode.",
    "ratelimited": "You've exceeded your rate limit. Please wait some time and try again.",
    "internal_api_error_DBQueryError": "[sandbox] Caught exception of type DBQueryError",
}
"""What passes when it is asked again, by MediaWiki's codes."""


class Commons(Dialect):
    """MediaWiki's API as Commons has it, and its image host.

    It wants a User-Agent that says how to reach who asks, and no more than three requests at once.
    """

    api_path = "/w/api.php"
    environment = "GENSET_COMMONS_ENDPOINT"

    def __init__(self, collection: Collection, base: str, faults: Faults) -> None:
        super().__init__(collection, base, faults)
        self._by_path = {unquote(path_of(photo)): photo for photo in collection.photos.values()}

    def what(self, request: Request) -> str:
        """Of calls: "search", "imageinfo", "siteinfo", or else the action."""
        if not request.is_call:
            return request.path
        parameters = request.params
        if parameters.get("action") != "query":
            return parameters.get("action", "")
        return parameters.get("generator") or parameters.get("meta") or parameters.get("prop", "")

    def photo_id(self, request: Request) -> str | None:
        """The one that `pageids` or an image's address names."""
        if request.is_call:
            named = request.params.get("pageids", "")
            return named if named.isdecimal() else None
        found = IMAGE_PATH.fullmatch(unquote(request.path))
        photo = self._by_path.get(_without_thumb(unquote(request.path))) if found else None
        return photo.id if photo else None

    def refusal(self, request: Request) -> Reply | None:
        """For who does not say how to be reached, or asks for too much at once."""
        if "@" not in request.agent and "http" not in request.agent:
            return Reply(
                403,
                "text/plain; charset=utf-8",
                b"Please set a user-agent and respect our robot policy https://w.wiki/4wJS.\n",
            )
        if request.at_once > MOST_AT_ONCE:
            return web_page(429, "Too Many Requests")
        return None

    def reply(self, request: Request, unsettle: Unsettle | None) -> Reply:
        """Yes and no are both HTTP 200, and only JSON is for programs."""
        if request.params.get("format") != "json":
            return web_page(200, "MediaWiki API result")
        partial: list[bool] = []

        def is_partial(*about: object) -> bool:
            partial.append(self.faults.is_partial(*about))
            return partial[-1]

        api = Api(self.collection, self.base, is_partial, unsettle)
        answer = api.call(request.params)
        is_cut = any(partial) and "batchcomplete" not in answer
        return _as_json(answer, "partial" if is_cut else None)

    def image(self, request: Request) -> Reply | None:
        """A file, or a thumbnail of one of the widths there are."""
        path = unquote(request.path)
        found = IMAGE_PATH.fullmatch(path)
        if not found:
            return None
        width = int(found["width"]) if found["width"] else None
        if width is not None and width not in WIDTHS:
            return web_page(429, "Use thumbnail steps listed on https://w.wiki/GHai")
        named = self._by_path.get(_without_thumb(path))
        photo = self.collection.find(named.id) if named else None
        missing = web_page(404, "File not found")
        if photo is None:
            return missing
        try:
            if width is None:
                return self.original(photo)
            if unquote(path_of(photo, width)) != path:
                return missing
            pixels = photo.picture.upright
            if pixels is None or width >= pixels[0]:
                return web_page(400, "The requested thumbnail is not smaller than the file")
            side = max(width, round(pixels[1] * width / pixels[0]))
            return self.shrunk(photo, side, extension=photo.picture.extension)
        except FileNotFoundError:  # removed since we looked
            return missing

    def unavailable(self, request: Request, pick: Pick) -> Reply:
        """An error that passes, in each of the codes that it comes with."""
        code = pick(sorted(FAILURES), "unavailable")
        return _as_json(failure(code, FAILURES[code]))

    def wrong_format(self, request: Request, pick: Pick) -> Reply:
        """A page for people, under an error's status or under none."""
        status = pick((200, 503), "as a page")
        return web_page(status, "Wikimedia Error: our servers are currently under maintenance")


def _as_json(answer: dict[str, Any], fault: str | None = None) -> Reply:
    code = {"MediaWiki-API-Error": answer["error"]["code"]} if "error" in answer else {}
    body = json.dumps(answer, ensure_ascii=False).encode()
    return Reply(200, "application/json; charset=utf-8", body, code, fault)


def _without_thumb(path: str) -> str:
    """The path of the file that a thumbnail is of."""
    if "/thumb/" not in path:
        return path
    return path.replace("/thumb/", "/", 1).rpartition("/")[0]


MOST_RESULTS = 10_000
"""How far into a search's results one can go."""

MOST_AT_A_TIME = 500
MOST_IDS = 50

_WIKI = "https://commons.wikimedia.org/w/api.php"
_DEFAULT_RESULTS = 10
_KEYWORD = re.compile(r'(?<!\S)(-?)([a-z]+):(?:"([^"]*)"|(\S+))')


class Refusal(Exception):
    """MediaWiki's way of saying no: a code and a sentence, under HTTP 200."""

    def __init__(self, code: str, info: str) -> None:
        super().__init__(info)
        self.code = code
        self.info = info


class Api:
    """Answers calls about `collection`; image addresses start with `base`.

    `is_partial` says of a question, and how far it was answered before, whether the reply leaves
    some of its pages for later.
    """

    def __init__(
        self,
        collection: Collection,
        base: str,
        is_partial: Callable[..., bool],
        unsettle: Unsettle | None = None,
    ) -> None:
        self.collection = collection
        self.base = base
        self._is_partial = is_partial
        self._unsettle = unsettle

    def call(self, params: Params) -> Answer:
        """The answer to one call, be it yes or no."""
        try:
            if (action := params.get("action", "help")) != "query":
                _refuse_value("action", action)
            if params.get("meta") == "siteinfo":
                return {"batchcomplete": True, "query": {"general": dict(_SITE)}}
            return self._query(params)
        except Refusal as no:
            return failure(no.code, no.info)

    def _query(self, params: Params) -> Answer:
        missing: list[Answer] = []
        further: Answer = {}
        if (generator := params.get("generator")) == "search":
            found, further = self._search(params)
        elif generator:
            _refuse_value("generator", generator)
        else:
            found, missing = self._named(params)
        pages = [page(photo, index) for photo, index in found]
        later: Answer = {}
        if "imageinfo" in params.get("prop", "").split("|"):
            later = self._add_image_info(pages, [photo for photo, _ in found], params)
        # As they come out of the database: by nothing that a client knows.
        listed = sorted(pages, key=lambda page: number(f"order {page['pageid']}")) + missing
        answer: Answer = {} if later else {"batchcomplete": True}
        if after := later or further:
            answer["continue"] = after
        return answer | ({"query": {"pages": listed}} if listed else {})

    def _search(self, params: Params) -> tuple[list[tuple[Photo, int | None]], Answer]:
        """The photos of one page of results with their places, and what the next page needs."""
        text = params.get("gsrsearch", "").strip()
        if not text:
            raise Refusal("missingparam", 'The "gsrsearch" parameter must be set.')
        limit = min(_whole(params, "gsrlimit", _DEFAULT_RESULTS) or 1, MOST_AT_A_TIME)
        offset = _whole(params, "gsroffset", 0)
        if offset + limit > MOST_RESULTS:
            raise Refusal(
                "search-error",
                f"Could not retrieve results. Up to {MOST_RESULTS} search results are supported, "
                f"but results up to {offset + limit} were requested.",
            )
        if "6" not in params.get("gsrnamespace", "0").split("|"):
            return [], {}
        matches = list(self._matches(text))
        if self._unsettle:
            matches = self._unsettle(matches, limit, text)
        last = offset + limit
        places = enumerate(matches[offset:last], start=offset + 1)
        # As MediaWiki keys its pages, a photo that stands twice among the results is there once.
        found = {photo.id: (photo, place) for place, photo in places}
        further = {"gsroffset": last, "continue": "gsroffset||"} if last < len(matches) else {}
        return list(found.values()), further

    def _matches(self, text: str) -> Iterator[Photo]:
        """Every photo that a search finds, each once, in the order of the records."""
        keywords = list(_KEYWORD.finditer(text))
        terms = parse(_KEYWORD.sub(" ", text))
        words = _words(terms)

        def is_found(listing: Listing) -> bool:
            if not all(_fits(keyword, listing.photo) for keyword in keywords):
                return False
            return not terms.wanted or listing.says(terms) or words in _planned(listing.queries)

        seen: set[str] = set()
        for photo in self.collection.select(is_found, terms):
            if photo.id not in seen and not photo.removed:
                seen.add(photo.id)
                yield photo

    def _named(self, params: Params) -> tuple[list[tuple[Photo, int | None]], list[Answer]]:
        """The photos that `pageids` names, and the pages of those that are not there."""
        ids = list(dict.fromkeys(filter(None, params.get("pageids", "").split("|"))))
        if len(ids) > MOST_IDS:
            raise Refusal(
                "toomanyvalues",
                f'Too many values supplied for parameter "pageids". The limit is {MOST_IDS}.',
            )
        for photo_id in ids:
            if not photo_id.isdecimal():
                _refuse_number("pageids", photo_id)
        found = {photo_id: self.collection.find(photo_id) for photo_id in ids}
        missing = [
            {"pageid": int(photo_id), "missing": True} for photo_id in ids if not found[photo_id]
        ]
        return [(photo, None) for photo in found.values() if photo], missing

    def _add_image_info(self, pages: list[Answer], photos: list[Photo], params: Params) -> Answer:
        """Fill the pages with their files' versions; what to ask with for those that lack them."""
        limit, width = _whole(params, "iilimit", 1), params.get("iiurlwidth", "")
        if width:
            _whole(params, "iiurlwidth", 0)
        start, _, since = params.get("iicontinue", "").partition("|")
        since = params.get("iistart", since)
        named = sorted(zip(pages, photos, strict=True), key=lambda item: _key(item[0]))
        named = [item for item in named if _key(item[0]) >= start]
        question = sorted(without_secrets(params).items())
        full = (len(named) + 1) // 2 if self._is_partial(question) else len(named)
        for about, photo in named[:full]:
            shown = [when for when in versions(photo) if not since or timestamp(when) <= since]
            about["imagerepository"] = "local"
            about["imageinfo"] = [
                image_info(photo, when, params, self.base) for when in shown[:limit]
            ]
            if len(pages) == 1 and len(shown) > limit:  # of one file MediaWiki goes on
                return {"iistart": timestamp(shown[limit]), "continue": "||"}
        if full == len(named):
            return {}
        goes_on = "gsroffset||" if "generator" in params else "||"
        later: Answer = {"iicontinue": f"{_key(named[full][0])}|", "continue": goes_on}
        if "gsroffset" in params:
            later["gsroffset"] = int(params["gsroffset"])
        return later


def failure(code: str, info: str) -> Answer:
    """An error as MediaWiki says it."""
    docref = (
        f"See {_WIKI} for API usage. Subscribe to the mediawiki-api-announce mailing list at "
        "&lt;https://lists.wikimedia.org/postorius/lists/mediawiki-api-announce.lists.wikimedia."
        "org/&gt; for notice of API deprecations and breaking changes."
    )
    return {
        "error": {"code": code, "info": info, "docref": docref},
        "servedby": "mw-sandbox",
    }


_SITE: Answer = {
    "mainpage": "Main Page",
    "base": "https://commons.wikimedia.org/wiki/Main_Page",
    "sitename": "Wikimedia Commons",
    "generator": "MediaWiki 1.45.0",
    "server": "//commons.wikimedia.org",
    "servername": "commons.wikimedia.org",
    "wikiid": "commonswiki",
    "scriptpath": "/w",
    "lang": "en",
}


def _key(about: Answer) -> str:
    """A page's title as a database sorts it."""
    return str(about["title"]).removeprefix("File:").replace(" ", "_")


def _fits(keyword: re.Match[str], photo: Photo) -> bool:
    """Whether a photo is what one of the search's keywords asks for."""
    minus, name, quoted, word = keyword.groups()
    values = (quoted or word or "").casefold().split("|")
    if name == "filetype":
        fits = "bitmap" in values or "image" in values
    elif name == "haswbstatement":
        fits = any(f"p180={item.casefold()}" in values for item in photo.commons.depicts)
    else:
        return True
    return fits != bool(minus)


def _words(terms: Terms) -> tuple[str, ...]:
    """What a search wants, whichever way its words are quoted."""
    return tuple(sorted(word for phrase in terms.wanted for word in phrase))


@cache
def _planned(queries: frozenset[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(_words(parse(query)) for query in queries)


def _whole(params: Params, name: str, default: int) -> int:
    """A parameter that is a number of at least nought."""
    value = params.get(name, "")
    if not value:
        return default
    if not re.fullmatch("[0-9]{1,9}", value):
        if name in ("gsrlimit", "iilimit") and value == "max":
            return MOST_AT_A_TIME
        _refuse_number(name, value)
    return int(value)


def _refuse_number(name: str, value: str) -> None:
    raise Refusal("badinteger", f'Invalid value "{value}" for integer parameter "{name}".')


def _refuse_value(name: str, value: Any) -> None:
    raise Refusal("badvalue", f'Unrecognized value for parameter "{name}": {value}.')
