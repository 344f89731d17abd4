"""Flickr: its calls, its images, its failures.

A search answers:

    {"photos": {"page": 1, "pages": 1, "perpage": 100, "total": "2", "photo": [
        {"id": "7605486142", "owner": "78733179@N04", "secret": "b14e1be9d0", ...,
         "license": "4", "dateupload": "1342704302",
         "url_l": "http://127.0.0.1:8123/65535/7605486142_b14e1be9d0_b.jpg"}, ...]},
     "stat": "ok"}

`text` is read as `genset.classes.query` says: words in any order, phrases in quotes, and a minus
sign before what a photo must not say.

Unlike Flickr: answers are in JSON whatever the `format`; a search is narrowed by nothing that
genset does not send; its order is that of relevance or the newest first; and no limit is set on
calls.
"""

import math
import re
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any, ClassVar

from genset.licenses import FLICKR
from genset.sandbox.collection import Collection
from genset.sandbox.faults import Faults
from genset.sandbox.photos import Photo, mysql, placeholder
from genset.sandbox.service import Params, Reply, Request, Service, json_reply, web_page, whole

Answer = dict[str, Any]

PLACEHOLDER_PATH = "/images/en-us/photo_unavailable.png"

UNAVAILABLE = "Sorry, the Flickr API service is not currently available."
UNAVAILABLE_CODES = (0, 10, 105, 201)

REAL_RESULTS = 4_000
"""How many results of a search Flickr gives; later pages repeat the last of these."""

# By the key that `url_<key>` carries: the suffix of an address, and the longer side. The original
# is as long as it is.
_SIZES = {
    "n": ("_n", 320),
    "m": ("", 500),
    "z": ("_z", 640),
    "c": ("_c", 800),
    "l": ("_b", 1024),
    "h": ("_h", 1600),
    "k": ("_k", 2048),
    "o": ("_o", 0),
}

_SERVER = "65535"
_NO_TEXT = "Parameterless searches have been disabled. Please use flickr.photos.getRecent instead."
_FOR_EVER = 10**12  # seconds
_IMAGE_PATH = re.compile(r"/\d+/(\d+)_[0-9a-f]+(?:_[a-z])?\.(?:jpg|png|gif)")


class _Refused(Exception):
    """Flickr's way of saying no: a code and a message, under HTTP 200."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.answer = {"stat": "fail", "code": code, "message": message}


class Flickr(Service):
    """Flickr's API and its image host."""

    api_path = "/services/rest/"
    variables: ClassVar[dict[str, str]] = {"FLICKR_API_KEY": "sandbox"}

    def __init__(self, collection: Collection, base: str, faults: Faults) -> None:
        super().__init__(collection, base, faults)
        self._placeholder = Reply(200, "image/png", placeholder())
        self._moved = Reply(302, "text/plain", b"", {"Location": base + PLACEHOLDER_PATH})
        self._methods = {
            "flickr.photos.search": self._search,
            "flickr.photos.getInfo": self._get_info,
            "flickr.photos.licenses.getInfo": self._get_licenses,
            "flickr.test.echo": self._echo,
        }

    def what(self, request: Request) -> str:
        """The API method or the path."""
        return request.params.get("method", "") if request.is_call else request.path

    def photo_id(self, request: Request) -> str | None:
        """The one that a call or an image's address names."""
        if request.is_call:
            return request.params.get("photo_id")
        found = _IMAGE_PATH.fullmatch(request.path)
        return found[1] if found else None

    def call(self, request: Request) -> Reply:
        """Yes and no are both HTTP 200."""
        params = request.params
        try:
            # Any key will do, so that examples can say "sandbox"; "invalid" is there to try it out.
            key = params.get("api_key") or params.get("oauth_consumer_key") or "invalid"
            if key == "invalid":
                raise _Refused(100, "Invalid API Key (Key has invalid format)")
            name = params.get("method", "")
            if name not in self._methods:
                raise _Refused(112, f'Method "{name}" not found')
            return json_reply({**self._methods[name](request), "stat": "ok"})
        except _Refused as refused:
            return json_reply(refused.answer)

    def _search(self, request: Request) -> Answer:
        params = request.params
        per_page = min(whole(params, "per_page", 0) or 100, 500)
        page = whole(params, "page", 0) or 1
        name = str(sorted((request.public_params | {"page": ""}).items()))
        found = self.faults.unsettle(self._found(params), per_page, name)
        last_real = math.ceil(min(len(found), REAL_RESULTS) / per_page)
        start = (min(page, max(last_real, 1)) - 1) * per_page
        extras = set(params.get("extras", "").replace(" ", "").split(","))
        shown = found[start : min(start + per_page, REAL_RESULTS)]
        return {
            "photos": {
                "page": page,
                "pages": math.ceil(len(found) / per_page),
                "perpage": per_page,
                "total": str(len(found)),
                "photo": [_listed(photo, extras, self.base) for photo in shown],
            }
        }

    def _found(self, params: Params) -> list[Photo]:
        """Every photo that a search finds, in its order; what cannot be read narrows nothing."""
        text = params.get("text", "").strip()
        if not text:
            raise _Refused(3, _NO_TEXT)
        licenses = set(re.findall(r"\d+", params.get("license", "")))
        content_types = set(re.findall("[0-2]", params.get("content_types", "")))
        since = whole(params, "min_upload_date", -_FOR_EVER)
        until = whole(params, "max_upload_date", _FOR_EVER)

        def fits(photo: Photo) -> bool:
            return (
                since <= photo.posted <= until
                and (not licenses or str(photo.record.license) in licenses)
                and (not content_types or str(photo.record.content_type) in content_types)
            )

        found = self.collection.search(text, fits)
        if params.get("sort") != "relevance":
            found.sort(key=lambda photo: photo.posted, reverse=True)
        return found

    def _get_info(self, request: Request) -> Answer:
        photo_id = request.params.get("photo_id", "")
        photo = self.collection.find(photo_id)
        if photo is None:
            raise _Refused(1, f'Photo "{photo_id}" not found (invalid ID)')
        return {"photo": _info(photo)}

    def _get_licenses(self, request: Request) -> Answer:
        rows = [
            {"id": str(number), "name": license.name, "url": license.url}
            for number, license in FLICKR.items()
        ]
        return {"licenses": {"license": rows}}

    def _echo(self, request: Request) -> Answer:
        return {key: {"_content": value} for key, value in request.public_params.items()}

    def image(self, request: Request) -> Reply | None:
        """The image at an address; every other address in the shape of one is a removed photo."""
        if request.path == PLACEHOLDER_PATH:
            return self._placeholder
        named = _IMAGE_PATH.fullmatch(request.path)
        if not named:
            return None
        photo = self.collection.find(named[1])
        keys = {path: key for key, path in _paths(photo).items()} if photo else {}
        if photo is None or request.path not in keys:
            return self._moved
        try:
            return self.file(photo, _SIZES[keys[request.path]][1] or None)
        except FileNotFoundError:  # removed since we looked
            return self._moved

    def unavailable(self, request: Request) -> Reply:
        """ "Not currently available", in each of the codes that it comes with."""
        code = self.faults.pick(UNAVAILABLE_CODES, "unavailable", request.identity)
        return json_reply(_Refused(code, UNAVAILABLE).answer)

    def wrong_format(self, request: Request) -> Reply:
        """As a web page, or in XML."""
        if self.faults.pick((True, False), "as a page", request.identity):
            return web_page(200, "Hold your clicks a moment please...")
        code = self.faults.pick(UNAVAILABLE_CODES, "wrong_format", request.identity)
        body = (
            '<?xml version="1.0" encoding="utf-8" ?>\n'
            f'<rsp stat="fail"><err code="{code}" msg="{UNAVAILABLE}" /></rsp>\n'
        )
        return Reply(200, "text/xml; charset=utf-8", body.encode())


@lru_cache(maxsize=4_096)
def _paths(photo: Photo) -> dict[str, str]:
    """Where the image host has a photo's sizes: `/65535/7605486142_0d7b1b830e_b.jpg`.

    There is no size larger than the original, which is all there is of an unreadable file.
    """
    paths = {}
    for key, (suffix, side) in _SIZES.items():
        if side <= photo.picture.longer_side:
            extension = photo.picture.extension if key == "o" else "jpg"
            paths[key] = f"/{_SERVER}/{photo.id}_{_secret(photo, key)}{suffix}.{extension}"
    return paths


def _secret(photo: Photo, key: str = "m") -> str:
    """Part of an address: nobody can guess the largest sizes' from a smaller one's."""
    return sha256(f"{photo.id} {key if key in 'hko' else ''}".encode()).hexdigest()[:10]


def _listed(photo: Photo, extras: set[str], base: str) -> Answer:
    """A photo as a search lists it: what `extras` does not name is not there."""
    optional: dict[str, Answer] = {
        "license": {"license": str(photo.record.license)},
        "date_upload": {"dateupload": str(photo.posted)},
        "date_taken": {f"date{key}": value for key, value in _taken(photo).items()},
        "owner_name": {"ownername": photo.owner_name},
        "tags": {"tags": photo.tags},
        "media": {"media": "photo", "media_status": "ready"},
        **{f"url_{key}": {f"url_{key}": base + path} for key, path in _paths(photo).items()},
    }
    answer: Answer = {
        "id": photo.id,
        "owner": photo.owner,
        "secret": _secret(photo),
        "server": _SERVER,
        "farm": 66,
        "title": photo.title,
        "ispublic": 1,
        "isfriend": 0,
        "isfamily": 0,
    }
    for extra, fields in optional.items():
        if extra in extras:
            answer |= fields
    return answer


def _info(photo: Photo) -> Answer:
    """A photo as getInfo describes it."""
    page = f"https://www.flickr.com/photos/{photo.owner}/{photo.id}/"
    return {
        "id": photo.id,
        "dateuploaded": str(photo.posted),
        "license": str(photo.record.license),
        "owner": {"nsid": photo.owner, "username": photo.owner_name, "path_alias": None},
        "title": {"_content": photo.title},
        "dates": {"posted": str(photo.posted), **_taken(photo)},
        "urls": {"url": [{"type": "photopage", "_content": page}]},
    }


def _taken(photo: Photo) -> Answer:
    """When a photo was taken; Flickr puts the posting's time where that is unknown, and says so."""
    return {
        "taken": photo.taken or mysql(datetime.fromtimestamp(photo.posted, UTC)),
        "takengranularity": "0",
        "takenunknown": "0" if photo.taken else "1",
    }
