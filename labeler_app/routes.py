"""What the labeling component asks the server for: screens, receipts, pictures.

Every answer is JSON with `now`, the server's clock, but for pictures. Times are milliseconds since
1970. A request carries its labeler's session, for Streamlit's own sign-in does not reach a route.
"""

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from anyio import CapacityLimiter, to_thread
from itsdangerous import BadData, URLSafeTimedSerializer
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from genset.core.errors import BadInput, GensetError
from genset.core.safe import web_link
from genset.core.validation import Meta, Record, parse_json
from genset.label import ImageClass, Store, Taxonomy, Workspace, answering
from genset.label.access import label_secret
from genset.label.crowd import mturk
from genset.label.crowd.studies import Studies
from genset.label.labelers import Labeler, Labelers
from genset.label.session.desk import Desk, Unwarned
from genset.label.session.pictures import picture_path, shown_picture
from genset.label.session.shown import (
    AlsoScreen,
    Example,
    LoadedScreen,
    Name,
    Screen,
    ShownPhoto,
    ShownQuestion,
    Submission,
    milliseconds,
)
from labeler_app.component import FILES

_MOST_SCREENS = 12

Names = Annotated[tuple[Name, ...], Meta(max_length=64)]


class Body(Record, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """What a page sends to a route."""


class ScreensBody(Body, frozen=True, kw_only=True):
    """How many screens the page asks for, and which it has."""

    count: int
    loaded: Names


class BeatBody(Body, frozen=True, kw_only=True):
    """The screens that the page keeps, or gives back."""

    screens: Names


class EarlierBody(Body, frozen=True, kw_only=True):
    """The screen before which another is asked for; None for the last that was submitted."""

    screen: Name | None


class SubmitBody(Body, frozen=True, kw_only=True):
    """Screens' labels, and how many screens the page asks for; it has those that are loaded."""

    submissions: Annotated[tuple[Submission, ...], Meta(max_length=_MOST_SCREENS)]
    count: int = 0
    loaded: Names = ()


def most(count: int) -> int:
    """As many screens as are given where a page asks for so many."""
    return max(0, min(count, _MOST_SCREENS))


def screen_json(shown: Screen | AlsoScreen | LoadedScreen) -> dict[str, Any]:
    """A screen, with all that the page shows of it, or that it has already."""
    lease = {"id": shown.id, "expires_at": milliseconds(shown.expires_at)}
    if isinstance(shown, LoadedScreen):
        return lease
    if isinstance(shown, AlsoScreen):
        return {
            **lease,
            "kind": "also",
            "home": _class(shown.home),
            "photo": _example(shown.photo),
            "questions": [_question(question) for question in shown.questions],
            "submitted": shown.submitted,
        }
    return {
        **lease,
        **_class(shown.cls),
        "photos": [{**_example(photo), **_answer(photo)} for photo in shown.photos],
        "examples": [_example(example) for example in shown.examples],
        "confusable": [
            {**_named(item.cls), "photo": _example(item.photo) if item.photo else None}
            for item in shown.confusable
        ],
        "submitted": shown.submitted,
        "training": shown.is_training,
    }


def _named(cls: ImageClass) -> dict[str, Any]:
    return {"wnid": cls.wnid, "name": cls.name, "also": cls.lemmas[1:], "definition": cls.gloss}


def _class(cls: ImageClass) -> dict[str, Any]:
    """What is shown of a class: the same on every screen."""
    return {
        **_named(cls),
        "hypernyms": cls.hypernyms,
        "wikipedia": [{"title": page.title, "url": page.url} for page in cls.wikipedia],
    }


@lru_cache(maxsize=4)
def classes_json(taxonomy: Taxonomy) -> bytes:
    """All classes by their index, as JSON, for the search among them."""
    found = [_named(cls) for cls in taxonomy]
    return json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()


_web_link = lru_cache(maxsize=4096)(web_link)  # a screen is sent until it is submitted


def _example(photo: Example) -> dict[str, Any]:
    return {
        "src": f"/genset/picture/{photo.id}",
        "source": photo.source,
        "owner": photo.owner_name,
        "license": photo.license,
        "license_url": _web_link(photo.license_url) or "",
        "page_url": _web_link(photo.page_url) or "",
    }


def _question(question: ShownQuestion) -> dict[str, Any]:
    photo = _example(question.photo) if question.photo else None
    return {**_named(question.cls), "photo": photo, **_answer(question)}


def _answer(shown: ShownPhoto | ShownQuestion) -> dict[str, Any]:
    """What a labeler has said of it, if anything."""
    label = str(shown.label_id) if shown.label_id else None
    return {"id": shown.id, "verdict": shown.verdict, "label_id": label}


_A_DAY = 24 * 60 * 60
_LONGEST = 512  # characters of a token; ours have some 50


class Sessions:
    """Signed tokens that say which labeler sends a request, and in which visit of a study.

    They hold for 24 hours.
    """

    def __init__(self, secret: str) -> None:
        self._signer = URLSafeTimedSerializer(secret, salt="genset labeler")

    def sign(self, labeler: int, visit: int | None = None) -> str:
        """A token for the labeler with this id, in the visit with this one."""
        return self._signer.dumps(labeler if visit is None else [labeler, visit])

    def who(self, session: str) -> tuple[int, int | None]:
        """The ids of the labeler whose token this is, and of their visit.

        Raises:
            BadInput: it was not signed here, or is older than a day.
        """
        if len(session) > _LONGEST:
            raise BadInput("sign in again")
        try:
            payload = self._signer.loads(session, max_age=_A_DAY)
            labeler, visit = payload if isinstance(payload, list) else (payload, None)
            return int(labeler), None if visit is None else int(visit)
        except (BadData, TypeError, ValueError):
            raise BadInput("sign in again") from None


# A picture never changes: its name stands for one photo.
_FOR_A_YEAR = {"Cache-Control": "private, max-age=31536000, immutable"}
_WIDTHS = (350, 700, 1400)

# What a class is called changes with genset alone, and any labeler may read it.
_FOR_A_DAY = {"Cache-Control": "private, max-age=86400"}

# A list of one's own may gain classes while it is labeled.
_ASKED_AGAIN = {"Cache-Control": "private, max-age=60"}

# Python runs one thread at a time, and so does SQLite's writer: more threads would only pass the
# turn to and fro, in the midst of transactions for which others wait. While PostgreSQL is at work,
# another thread can be.
_AT_ONCE = {"sqlite": 1, "postgresql": 4}

Answer = dict[str, Any]
Endpoint = Callable[[Request], Awaitable[Response]]
B = TypeVar("B", bound=Body)


class _Refused(Exception):
    """The session is not good; the page has to make another."""


def routes(workspace: Workspace, store: Store) -> list[BaseRoute]:
    """The routes under ``/genset/``, for one workspace."""
    sessions = Sessions(label_secret(workspace))
    turns = CapacityLimiter(_AT_ONCE[store.engine.dialect.name])
    modules = {path.relative_to(FILES).as_posix(): path for path in FILES.rglob("*.js")}

    @lru_cache(maxsize=4096)
    def labeler(number: int, visit: int | None) -> Labeler:
        return Labelers(store).get(number, visit)  # what the desk uses of it never changes

    def desk(session: str) -> Desk:
        try:
            return Desk(workspace, store, labeler(*sessions.who(session)))
        except BadInput:
            raise _Refused from None

    def screens(session: str, body: ScreensBody) -> Answer:
        try:
            leased, progress = desk(session).next(most(body.count), body.loaded)
        except Unwarned:
            raise _Refused from None  # the page is drawn again, and warns
        return {"screens": list(map(screen_json, leased)), "progress": progress}

    def submit(session: str, body: SubmitBody) -> Answer:
        receipts, progress, leased = desk(session).take(
            body.submissions, most(body.count), body.loaded
        )
        return {
            "receipts": receipts,
            "progress": progress,
            "screens": None if leased is None else list(map(screen_json, leased)),
        }

    def beat(session: str, body: BeatBody) -> Answer:
        return {"lost": desk(session).beat(body.screens)}

    def leave(session: str, body: BeatBody) -> Answer:
        desk(session).leave(body.screens)
        return {}

    def earlier(session: str, body: EarlierBody) -> Answer:
        screen = desk(session).earlier(body.screen)
        return {"screen": screen_json(screen) if screen else None}

    def hand_in(session: str, _: Body) -> Answer:
        if (visit := desk(session).labeler.visit_id) is None:
            raise BadInput("only the tasks of a study are handed in")
        return {"first": mturk.hand_in(store, visit)}

    def endpoint_of(kind: type[B], answer: Callable[[str, B], Answer]) -> Endpoint:
        def written(session: str, body: B) -> bytes:
            content = answer(session, body)
            return msgspec.json.encode({**content, "now": milliseconds(datetime.now(UTC))})

        async def endpoint(request: Request) -> Response:
            try:
                body = parse_json(await request.body(), kind, "the request")
                content = await to_thread.run_sync(written, _session(request), body, limiter=turns)
            except _Refused:
                return JSONResponse({"error": "sign in again"}, 401)
            except ClientDisconnect:
                return Response()  # which nobody reads
            except BadInput as error:
                return JSONResponse({"error": str(error)}, 400)
            except GensetError as error:
                return JSONResponse({"error": str(error)}, 503)
            return Response(content, media_type="application/json")

        return endpoint

    def picture(request: Request) -> Response:
        requested = request.query_params.get("w", "")
        width = next((option for option in _WIDTHS if str(option) == requested), _WIDTHS[-1])
        try:
            path = picture_path(workspace, store, request.path_params["name"])
        except BadInput as error:
            return JSONResponse({"error": str(error)}, 404)
        except GensetError as error:
            return JSONResponse({"error": str(error)}, 503)
        try:
            content = _scaled(request.path_params["name"], path, width)
            return Response(content, media_type="image/jpeg", headers=_FOR_A_YEAR)
        except GensetError as error:
            return JSONResponse({"error": str(error)}, 410)

    def classes(request: Request) -> Response:
        try:
            sessions.who(_session(request))
        except BadInput as error:
            return JSONResponse({"error": str(error)}, 401)
        try:
            with answering():
                taxonomy = store.taxonomy
        except GensetError as error:
            return JSONResponse({"error": str(error)}, 503)
        caching = _FOR_A_DAY if taxonomy.is_imagenet else _ASKED_AGAIN
        return Response(classes_json(taxonomy), media_type="application/json", headers=caching)

    def ready(_: Request) -> Response:
        try:
            Studies(store).all()  # any question will do
        except GensetError:
            return JSONResponse({"ready": False}, 503)
        return JSONResponse({"ready": True})

    def module(request: Request) -> Response:
        path = modules.get(request.path_params["name"])
        if path is None:
            return JSONResponse({"error": "there is no such module"}, 404)
        return FileResponse(path, headers={"Cache-Control": "no-cache"})

    return [
        Route("/genset/screens", endpoint_of(ScreensBody, screens), methods=["POST"]),
        Route("/genset/submit", endpoint_of(SubmitBody, submit), methods=["POST"]),
        Route("/genset/beat", endpoint_of(BeatBody, beat), methods=["POST"]),
        Route("/genset/leave", endpoint_of(BeatBody, leave), methods=["POST"]),
        Route("/genset/earlier", endpoint_of(EarlierBody, earlier), methods=["POST"]),
        Route("/genset/hand_in", endpoint_of(Body, hand_in), methods=["POST"]),
        Route("/genset/classes", classes),
        Route("/genset/picture/{name}", picture),
        Route("/genset/component/{name:path}", module),
        Route("/genset/ready", ready),
        Mount("/genset", JSONResponse({"error": "there is nothing here"}, 404)),
    ]


def _session(request: Request) -> str:
    return request.headers.get("Authorization", "").removeprefix("Bearer ")


# By the name as well, which on a screen is one labeler's: a photo that others were shown, as gold
# questions were, must not come faster than one that nobody saw yet.
@lru_cache(maxsize=256)  # some 30 MB; examples have one name for all labelers
def _scaled(_name: str, path: Path, width: int) -> bytes:
    return shown_picture(path, width)
