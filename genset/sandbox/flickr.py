"""Flickr: its calls, its images, its failures.

A search answers:

    {"photos": {"page": 1, "pages": 1, "perpage": 100, "total": "2", "photo": [
        {"id": "7605486142", "owner": "78733179@N04", "title": "A tench", ...,
         "license": "4", "dateupload": "1342704302",
         "url_l": "http://127.0.0.1:8123/65535/7605486142_b14e1be9d0_l.jpg"}, ...]},
     "stat": "ok"}

`text` is read as `genset.classes.query` says: words in any order, phrases in quotes, and a minus
sign before what a photo must not say.

Unlike Flickr: answers are in JSON whatever the `format`; a search is narrowed by nothing that
genset does not send; its order is that of relevance or the newest first; and no limit is set on
calls.
"""

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

from genset.sandbox.photos import Photo, number
from genset.sandbox.service import Params, Reply, Request, Service, json_reply, web_page

Answer = dict[str, Any]

UNAVAILABLE = "Sorry, the Flickr API service is not currently available."

REAL_RESULTS = 4_000
"""How many results of a search Flickr gives; later pages repeat the last of these."""

# The longer sides by the key that `url_<key>` carries; "o", the original, is as long as it is.
_SIDES = {"n": 320, "m": 500, "z": 640, "c": 800, "l": 1024, "h": 1600, "k": 2048}

_FOR_EVER = 10**12  # seconds
_XML = f'<?xml version="1.0" ?>\n<rsp stat="fail"><err code="105" msg="{UNAVAILABLE}" /></rsp>\n'


def failure(code: int, message: str = "Something went wrong") -> Reply:
    """Flickr's way of saying no: a code and a message, under HTTP 200."""
    return json_reply({"stat": "fail", "code": code, "message": message})


class Flickr(Service):
    """Flickr's API and its image host."""

    api_path = "/services/rest/"
    image_path = re.compile(r"/\d+/(?P<id>\d+)_[0-9a-f]+(?:_[a-z])?\.(?:jpg|png|gif)")
    query = "text"
    variables: ClassVar[dict[str, str]] = {"FLICKR_API_KEY": "sandbox"}
    unavailable = tuple(failure(code, UNAVAILABLE) for code in (0, 10, 105, 201))
    wrong_format = (
        web_page(200, "Hold your clicks a moment please..."),
        Reply(200, "text/xml; charset=utf-8", _XML.encode()),
    )

    def purpose(self, request: Request) -> tuple[str, Sequence[str]]:
        """The API's method and its `photo_id`."""
        method, photo_id = (request.params.get(name, "") for name in ("method", "photo_id"))
        return method, [photo_id] if photo_id else []

    def call(self, request: Request) -> Reply:
        """Yes and no are both HTTP 200."""
        # Any key will do, so that examples can say "sandbox"; "invalid" is there to try it out.
        if request.key in ("", "invalid"):
            return failure(100, "Invalid API Key (Key has invalid format)")
        answer: Answer
        match request.params.get("method", ""):
            case "flickr.photos.search":
                return self._search(request)
            case "flickr.photos.getInfo":
                photo_id = request.params.get("photo_id", "")
                photo = self.collection.find(photo_id)
                if photo is None:
                    return failure(1, f'Photo "{photo_id}" not found (invalid ID)')
                answer = {"photo": {"id": photo_id, "license": str(photo.record.license)}}
            case "flickr.test.echo":
                answer = {key: {"_content": value} for key, value in request.public_params.items()}
            case name:
                return failure(112, f'Method "{name}" not found')
        return json_reply({**answer, "stat": "ok"})

    def _search(self, request: Request) -> Reply:
        params = request.params
        page, per_page = int(params.get("page", 1)), min(int(params.get("per_page", 100)), 500)
        name = str(sorted((request.public_params | {"page": ""}).items()))
        found = self.unsettle(self._found(params), per_page, name)
        last_real = math.ceil(min(len(found), REAL_RESULTS) / per_page)
        start = (min(page, max(last_real, 1)) - 1) * per_page
        shown = found[start : min(start + per_page, REAL_RESULTS)]
        photos = {
            "page": page,
            "pages": math.ceil(len(found) / per_page),
            "perpage": per_page,
            "total": str(len(found)),
            "photo": [_listed(photo, params.get("extras", ""), self.base) for photo in shown],
        }
        return json_reply({"photos": photos, "stat": "ok"})

    def _found(self, params: Params) -> list[Photo]:
        """Every photo that a search finds, in its order; what cannot be read narrows nothing."""
        licenses = set(re.findall(r"\d+", params.get("license", "")))
        content_types = set(re.findall("[0-2]", params.get("content_types", "")))
        since = int(params.get("min_upload_date", -_FOR_EVER))
        until = int(params.get("max_upload_date", _FOR_EVER))

        def fits(photo: Photo) -> bool:
            return (
                since <= photo.posted <= until
                and (not licenses or str(photo.record.license) in licenses)
                and (not content_types or str(photo.record.content_type) in content_types)
            )

        found = self.collection.search(params.get("text", ""), fits)
        if params.get("sort") != "relevance":
            found.sort(key=lambda photo: photo.posted, reverse=True)
        return found

    def sizes(self, photo: Photo) -> dict[str, int | None]:
        """Those up to the original, which alone has the file's format."""
        return {path: _SIDES.get(key) for key, path in _paths(photo).items()}

    def missing(self) -> Reply:
        """A removed photo leads to a picture that says so."""
        address = f"{self.base}/images/en-us/photo_unavailable.png"
        return Reply(302, "text/plain", b"", {"Location": address})


def _paths(photo: Photo) -> dict[str, str]:
    """Where the image host has a photo's sizes: `/65535/7605486142_0d7b1b830e_l.jpg`.

    There is no size larger than the original, which is all there is of an unreadable file.
    """
    stem, longest = f"/65535/{photo.id}_{number(photo.id):x}", max(photo.picture.pixels)
    paths = {key: f"{stem}_{key}.jpg" for key, side in _SIDES.items() if side <= longest}
    return paths | {"o": f"{stem}_o.{photo.picture.extension}"}


def _listed(photo: Photo, extras: str, base: str) -> Answer:
    """A photo as a search lists it: what `extras` does not name is not there."""
    taken = photo.record.date_taken
    dates = {
        "datetaken": f"{taken or datetime.fromtimestamp(photo.posted, UTC):%Y-%m-%d %H:%M:%S}",
        "datetakenunknown": "0" if taken else "1",  # the posting's time stands there
    }
    optional: dict[str, Answer] = {
        "license": {"license": str(photo.record.license)},
        "date_upload": {"dateupload": str(photo.posted)},
        "date_taken": dates,
        "owner_name": {"ownername": photo.owner_name},
        "media": {"media": "photo", "media_status": "ready"},
        **{f"url_{key}": {f"url_{key}": base + path} for key, path in _paths(photo).items()},
    }
    answer: Answer = {"id": photo.id, "owner": photo.owner, "title": photo.title, "ispublic": 1}
    for extra in extras.replace(" ", "").split(","):
        answer |= optional.get(extra, {})
    return answer
