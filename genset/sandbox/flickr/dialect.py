"""Flickr: its calls, its images, its failures."""

from genset.sandbox.collection.pictures import placeholder
from genset.sandbox.collection.records import Collection
from genset.sandbox.dialect import Dialect, Pick, Unsettle
from genset.sandbox.faults import Faults
from genset.sandbox.flickr.api import Api, spelled
from genset.sandbox.flickr.sizes import IMAGE_PATH, KEYS, SIZES, own_size, path_of, sizes_of
from genset.sandbox.messages import Reply, Request, web_page

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
            if key == own_size(photo):
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
