"""What the labeling component asks the server for: screens, receipts, pictures.

Every answer is JSON with `now`, the server's clock, but for pictures. Times are milliseconds since
1970. A request carries its labeler's session, for Streamlit's own sign-in does not reach a route.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from anyio import CapacityLimiter, to_thread
from itsdangerous import BadData, URLSafeTimedSerializer
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from genset.core.errors import BadInput, GensetError
from genset.core.validation import parse_json
from genset.label import Store, Workspace, answering
from genset.label.crowd import mturk
from genset.label.crowd.studies import Studies
from genset.label.people.access import label_secret
from genset.label.people.labelers import Labeler, Labelers
from genset.label.session.desk import Desk, Unwarned
from genset.label.session.pictures import picture_path, shown_picture
from genset.label.session.shown import Body, submission
from labeler_app import wire
from labeler_app.component import FILES

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

    def screens(session: str, body: wire.ScreensBody) -> Answer:
        try:
            leased, progress = desk(session).next(wire.most(body.count), body.loaded)
        except Unwarned:
            raise _Refused from None  # the page is drawn again, and warns
        return {"screens": list(map(wire.screen, leased)), "progress": progress}

    def submit(session: str, body: wire.SubmitBody) -> Answer:
        submissions = list(map(submission, body.submissions))
        receipts, progress, leased = desk(session).take(
            submissions, wire.most(body.count), body.loaded
        )
        return {
            "receipts": list(map(wire.receipt, receipts)),
            "progress": progress,
            "screens": None if leased is None else list(map(wire.screen, leased)),
        }

    def beat(session: str, body: wire.BeatBody) -> Answer:
        return {"lost": desk(session).beat(body.screens)}

    def leave(session: str, body: wire.BeatBody) -> Answer:
        desk(session).leave(body.screens)
        return {}

    def earlier(session: str, body: wire.EarlierBody) -> Answer:
        screen = desk(session).earlier(body.screen)
        return {"screen": wire.screen(screen) if screen else None}

    def hand_in(session: str, _: Body) -> Answer:
        if (visit := desk(session).labeler.visit_id) is None:
            raise BadInput("only the tasks of a study are handed in")
        return {"first": mturk.hand_in(store, visit)}

    def endpoint_of(kind: type[B], answer: Callable[[str, B], Answer]) -> Endpoint:
        def written(session: str, body: B) -> bytes:
            content = answer(session, body)
            return msgspec.json.encode({**content, "now": wire.milliseconds(datetime.now(UTC))})

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
        return Response(wire.classes(taxonomy), media_type="application/json", headers=caching)

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
        Route("/genset/screens", endpoint_of(wire.ScreensBody, screens), methods=["POST"]),
        Route("/genset/submit", endpoint_of(wire.SubmitBody, submit), methods=["POST"]),
        Route("/genset/beat", endpoint_of(wire.BeatBody, beat), methods=["POST"]),
        Route("/genset/leave", endpoint_of(wire.BeatBody, leave), methods=["POST"]),
        Route("/genset/earlier", endpoint_of(wire.EarlierBody, earlier), methods=["POST"]),
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
