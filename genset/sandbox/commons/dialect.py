"""Wikimedia Commons: its calls, its images, its manners, its failures."""

import json
from typing import Any
from urllib.parse import unquote

from genset.sandbox.collection.records import Collection
from genset.sandbox.commons.api import Api, failure
from genset.sandbox.commons.files import IMAGE_PATH, WIDTHS, path_of
from genset.sandbox.dialect import Dialect, Pick, Unsettle
from genset.sandbox.faults import Faults
from genset.sandbox.messages import Reply, Request, web_page

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
        asked = request.params
        if asked.get("action") != "query":
            return asked.get("action", "")
        return asked.get("generator") or asked.get("meta") or asked.get("prop", "")

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
        met: list[bool] = []

        def is_partial(*about: object) -> bool:
            met.append(self.faults.is_partial(*about))
            return met[-1]

        api = Api(self.collection, self.base, is_partial, unsettle)
        answer = api.call(request.params)
        is_cut = any(met) and "batchcomplete" not in answer
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
            own = photo.picture.upright
            if own is None or width >= own[0]:
                return web_page(400, "The requested thumbnail is not smaller than the file")
            side = max(width, round(own[1] * width / own[0]))
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
