"""Flickr: its calls, its images, its failures.

A search answers, and JavaScript's callback or XML can be had of it:

    {"photos": {"page": 1, "pages": 1, "perpage": 100, "total": "2", "photo": [
        {"id": "7605486142", "owner": "78733179@N04", "secret": "b14e1be9d0", ...,
         "license": "4", "dateupload": "1342704302",
         "url_l": "http://127.0.0.1:8123/65535/7605486142_b14e1be9d0_b.jpg",
         "height_l": "640", "width_l": "1024"}, ...]},
     "stat": "ok"}

`text` is read as `genset.core.query` says: words in any order, phrases in quotes, and a minus sign
before what a photo must not say. `content_types` wins over the older `content_type`.

Unlike Flickr: a query that genset plans for a class finds all photos of that class, whatever they
say, but for those that say what it excludes; taken dates, places and groups do not narrow a search,
the order only changes as `Api` is told to, and no limit is set on calls.
"""

import json
import math
import re
from collections.abc import Callable
from xml.etree import ElementTree

from genset.sandbox.dialect import Dialect, Pick, Unsettle
from genset.sandbox.faults import Faults
from genset.sandbox.flickr_replies import (
    IMAGE_PATH,
    KEYS,
    SIZES,
    Answer,
    info,
    largest_size,
    licenses,
    listed,
    path_of,
    sizes,
    sizes_of,
)
from genset.sandbox.messages import Params, Reply, Request, web_page, without_secrets
from genset.sandbox.photos import Photo, moment, normal, placeholder
from genset.sandbox.records import Collection

PLACEHOLDER_PATH = "/images/en-us/photo_unavailable.png"

UNAVAILABLE = "Sorry, the Flickr API service is not currently available."
UNAVAILABLE_CODES = (0, 10, 105, 201)


class Flickr(Dialect):
    """Flickr's API and its image host."""

    api_path = "/services/rest/"
    environment = "GENSET_FLICKR_ENDPOINT"
    key = ("FLICKR_API_KEY", "sandbox")

    def __init__(self, collection: Collection, base: str, faults: Faults) -> None:
        super().__init__(collection, base, faults)
        self._placeholder = Reply(200, "image/png", placeholder())
        self._moved = Reply(302, "text/plain", b"", {"Location": base + PLACEHOLDER_PATH})

    def what(self, request: Request) -> str:
        """The API method or the path."""
        return request.params.get("method", "") if request.is_call else request.path

    def photo_id(self, request: Request) -> str | None:
        """The one that a call or an image's address names."""
        if request.is_call:
            return request.params.get("photo_id")
        found = IMAGE_PATH.fullmatch(request.path)
        return found[1] if found else None

    def reply(self, request: Request, unsettle: Unsettle | None) -> Reply:
        """Yes and no are both HTTP 200."""
        api = Api(self.collection, self.base, unsettle)
        return Reply(200, *api.call(request.params))

    def image(self, request: Request) -> Reply | None:
        """The image at an address; every other address in the shape of one is a removed photo."""
        if request.path == PLACEHOLDER_PATH:
            return self._placeholder
        found = IMAGE_PATH.fullmatch(request.path)
        if not found:
            return None
        photo, key = self.collection.find(found[1]), KEYS.get(found[2] or "")
        if photo is None or key not in sizes_of(photo) or path_of(photo, key) != request.path:
            return self._moved
        try:
            if key == largest_size(photo):
                return self.original(photo)
            return self.shrunk(photo, SIZES[key].side, SIZES[key].square)
        except FileNotFoundError:  # removed since we looked
            return self._moved

    def unavailable(self, request: Request, pick: Pick) -> Reply:
        """ "Not currently available", in each of the codes that it comes with."""
        return Reply(
            200, *spelled(_failure(pick(UNAVAILABLE_CODES, "unavailable")), request.params)
        )

    def wrong_format(self, request: Request, pick: Pick) -> Reply:
        """As a web page, or in XML where JSON is wanted, and the other way round."""
        if pick((True, False), "as a page"):
            return web_page(200, "Hold your clicks a moment please...")
        in_json = request.params.get("format") == "json"
        failure = _failure(pick(UNAVAILABLE_CODES, "wrong_format"))
        return Reply(200, *spelled(failure, {"format": "rest" if in_json else "json"}))


def _failure(code: int) -> dict[str, object]:
    return {"stat": "fail", "code": code, "message": UNAVAILABLE}


REAL_RESULTS = 4_000
"""How many results of a search Flickr gives; later pages repeat the last of these."""


_EVERYTHING = frozenset({0, 1, 2})

_CONTENT_TYPE = {
    "1": frozenset({0}),
    "2": frozenset({1}),
    "3": frozenset({2}),
    "4": frozenset({0, 1}),
    "5": frozenset({1, 2}),
    "6": frozenset({0, 2}),
    "7": _EVERYTHING,
}
"""What the parameter `content_type` asks for."""


class Refusal(Exception):
    """Flickr's way of saying no: a code and a message, under HTTP 200."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Api:
    """Answers calls about `collection`; image addresses start with `base`."""

    def __init__(self, collection: Collection, base: str, unsettle: Unsettle | None = None) -> None:
        self.collection = collection
        self.base = base
        self._unsettle = unsettle
        self._methods: dict[str, Callable[[Params], Answer]] = {
            "flickr.photos.search": self._search,
            "flickr.photos.getInfo": self._get_info,
            "flickr.photos.getSizes": self._get_sizes,
            "flickr.photos.licenses.getInfo": self._get_licenses,
            "flickr.test.echo": self._echo,
        }

    def call(self, params: Params) -> tuple[str, bytes]:
        """Content type and body of the answer to one call, be it yes or no."""
        answer: Answer
        try:
            answer = {**self._method(params)(params), "stat": "ok"}
        except Refusal as no:
            answer = {"stat": "fail", "code": no.code, "message": no.message}
        return spelled(answer, params)

    def _method(self, params: Params) -> Callable[[Params], Answer]:
        if (name := params.get("format", "rest")) not in {"rest", "json"}:
            raise Refusal(111, f'Format "{name}" not found')
        # Any key will do, so that examples can say "sandbox"; "invalid" is there to try this out.
        key = params.get("api_key") or params.get("oauth_consumer_key") or "invalid"
        if key == "invalid":
            raise Refusal(100, "Invalid API Key (Key has invalid format)")
        name = params.get("method", "")
        if name not in self._methods:
            raise Refusal(112, f'Method "{name}" not found')
        return self._methods[name]

    def _search(self, params: Params) -> Answer:
        matches = self._matches(params)
        per_page = min(_whole(params.get("per_page")) or 100, 500)
        page = _whole(params.get("page")) or 1
        if self._unsettle:
            search = {**without_secrets(params), "page": ""}
            matches = self._unsettle(matches, per_page, str(sorted(search.items())))
        last_real = math.ceil(min(len(matches), REAL_RESULTS) / per_page)
        start = (min(page, max(last_real, 1)) - 1) * per_page
        extras = set(params.get("extras", "").replace(" ", "").split(","))
        shown = matches[start : min(start + per_page, REAL_RESULTS)]
        return {
            "photos": {
                "page": page,
                "pages": math.ceil(len(matches) / per_page),
                "perpage": per_page,
                "total": str(len(matches)),
                "photo": [listed(photo, extras, self.base) for photo in shown],
            }
        }

    def _matches(self, params: Params) -> list[Photo]:
        """Every photo that a search finds, in the order it asks for."""
        text = params.get("text", "").strip()
        tags = {_tag(tag) for tag in params.get("tags", "").split(",")} - {""}
        owner = params.get("user_id")
        if not text and not tags and not owner:
            raise Refusal(
                3,
                "Parameterless searches have been disabled. "
                "Please use flickr.photos.getRecent instead.",
            )
        allowed = set(re.findall(r"\d+", params.get("license", "")))
        since, until = _unix(params.get("min_upload_date")), _unix(params.get("max_upload_date"))
        content_types = _content_types(params)
        found: dict[str, Photo] = {}
        for photo in self.collection.find_all(text):
            if (
                photo.content_type in content_types
                and (not tags or tags & {_tag(tag) for tag in photo.tags.split()})
                and (not owner or owner == photo.owner)
                and (not allowed or str(photo.license) in allowed)
                and (since is None or photo.posted >= since)
                and (until is None or photo.posted <= until)
                and photo.id not in found
                and not photo.removed
            ):
                found[photo.id] = photo
        return _sorted(list(found.values()), params.get("sort", ""))

    def _get_info(self, params: Params) -> Answer:
        photo_id = params.get("photo_id", "")
        photo = self.collection.find(photo_id)
        if photo is None:
            raise Refusal(1, f'Photo "{photo_id}" not found (invalid ID)')
        return info(photo)

    def _get_sizes(self, params: Params) -> Answer:
        photo = self.collection.find(params.get("photo_id", ""))
        if photo is None:
            raise Refusal(1, "Photo not found")
        return sizes(photo, self.base)

    def _get_licenses(self, params: Params) -> Answer:
        return licenses()

    def _echo(self, params: Params) -> Answer:
        return {key: {"_content": value} for key, value in without_secrets(params).items()}


def spelled(answer: Answer, params: Params) -> tuple[str, bytes]:
    """Content type and body of an answer, in the format that the call's `params` ask for."""
    if params.get("format") != "json":
        return "text/xml; charset=utf-8", as_xml(answer)
    text = json.dumps(answer, ensure_ascii=False)
    if params.get("nojsoncallback") == "1":
        return "application/json; charset=utf-8", text.encode()
    return "text/javascript; charset=utf-8", f"jsonFlickrApi({text})".encode()


def as_xml(answer: Answer) -> bytes:
    """An answer in Flickr's XML: what is one value is an attribute, `_content` is text."""
    root = ElementTree.Element("rsp", stat=answer["stat"])
    if answer["stat"] == "fail":
        ElementTree.SubElement(root, "err", code=str(answer["code"]), msg=answer["message"])
    else:
        _fill(root, {key: value for key, value in answer.items() if key != "stat"})
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8" ?>\n{body}\n'.encode()


def _fill(element: ElementTree.Element, content: Answer) -> None:
    for key, value in content.items():
        if key == "_content":
            element.text = value
        elif isinstance(value, dict | list):
            for child in value if isinstance(value, list) else [value]:
                _fill(ElementTree.SubElement(element, key), child)
        else:
            element.set(key, "" if value is None else str(value))


def _sorted(photos: list[Photo], sort: str) -> list[Photo]:
    """In the order of `sort`, which is the newest first unless it is one that Flickr knows."""
    if sort == "relevance" or sort.startswith("interestingness-"):
        return photos
    if sort.startswith("date-taken-"):
        return sorted(
            photos,
            key=lambda photo: photo.taken or photo.posted_text,
            reverse=sort.endswith("desc"),
        )
    return sorted(photos, key=lambda photo: photo.posted, reverse=sort != "date-posted-asc")


def _tag(text: str) -> str:
    """A tag as Flickr compares them: `Great White` and `greatwhite` are one."""
    return normal(text).replace(" ", "")


def _content_types(params: Params) -> frozenset[int]:
    """What a search is for, as Flickr numbers it; everything where no parameter says so."""
    if numbers := set(re.findall(r"\d+", params.get("content_types", ""))) & {"0", "1", "2"}:
        return frozenset(map(int, numbers))
    return _CONTENT_TYPE.get(params.get("content_type", ""), _EVERYTHING)


def _whole(text: str | None) -> int | None:
    """A number above nought, or None, as Flickr passes over what it cannot read."""
    return int(text) if text and re.fullmatch(r"0*[1-9][0-9]{0,8}", text) else None


def _unix(text: str | None) -> float | None:
    """A date parameter in Unix seconds: it may be that, or `2014-01-01 00:00:00`."""
    if not text:
        return None
    if re.fullmatch(r"-?[0-9]+", text):
        return float(text)
    when = moment(text)
    return when.timestamp() if when else None
