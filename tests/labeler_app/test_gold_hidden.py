"""Gold questions cannot be counted: two labelers' traffic, one's with gold questions, compared.

Where a labeler decided N photos of a class, gold questions among them, another one, in a workspace
that has N candidates of that class, to whom chance gives no gold questions, hears the very same,
byte by byte, but for what is drawn at random and for the time.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event, select
from starlette.applications import Starlette
from starlette.testclient import TestClient

from genset.db import GoldAnswer, Screen, ScreenPhoto, Store
from genset.label import Verdict
from genset.label.access import label_secret
from genset.label.gold import add_gold_question
from genset.label.labelers import Labelers
from genset.label.queue import hiding
from genset.label.session.pictures import shown_picture
from genset.workspace import Workspace
from labeler_app.routes import Sessions, routes
from labeler_app.server import EDGE
from tests.label.clock import HeldClock
from tests.label.http_page import submission
from tests.labeled_workspace import CRANE, GOLDFISH, TENCH, add_candidate, vote

LAMPSHADE = "n03637318"
CLASSES = (TENCH, GOLDFISH, CRANE)
ANN = "ann"


class Traffic:
    """A labeler's requests and answers, and how many statements those to a route took."""

    def __init__(self, workspace: Workspace, store: Store, name: str = ANN) -> None:
        self.workspace, self.store = workspace, store
        app = Starlette(routes=routes(workspace, store), middleware=EDGE)
        self._http = TestClient(app)
        labeler = Labelers(store).by_name(name)
        session = Sessions(label_secret(workspace)).sign(labeler.id)
        self._headers = {"Authorization": f"Bearer {session}"}
        self.heard: list[str] = []
        self.statements: dict[str, set[int]] = {}
        self.screens: list[Any] = []

    def post(self, route: str, body: Any) -> Any:
        with counted(self.store.engine) as statements:
            reply = self._http.post(f"/genset/{route}", json=body, headers=self._headers)
        self.statements.setdefault(route, set()).add(len(statements))
        self._hear(route, reply)
        return reply.json()

    def see(self, screen: Any) -> None:
        for photo in screen["photos"]:
            self._hear("picture", self._http.get(photo["src"], params={"w": 700}))

    def submit(self, screen: Any) -> Any:
        return self.post("submit", {"submissions": [submission(screen, 1_000)]})

    def label_all(self, most: int = 1000) -> None:
        """All that a page does: get screens, see and submit each, take one back, look back."""
        for _ in range(most):
            if not (screens := self.post("screens", {"loaded": [], "count": 1})["screens"]):
                return
            self.screens.append(screens[0])
            self.see(screens[0])
            self.post("beat", {"screens": [screens[0]["id"]]})
            self.submit(screens[0])
            again = self.post("earlier", {"screen": None})["screen"]
            self.submit(again)  # a changed mind about every photo

    def _hear(self, route: str, reply: Any) -> None:
        headers = "\n".join(f"{name}: {value}" for name, value in reply.headers.items())
        body = reply.text if "json" in reply.headers["Content-Type"] else "a picture"
        self.heard.append(f"{route} {reply.status_code}\n{in_form(headers)}\n{in_form(body)}")


def in_form(text: str) -> str:
    """Without what is drawn at random and what is the time; their lengths stay."""
    kinds = {
        r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}": "uuid",
        r"[0-9a-f]{32}": "random",
        r"\b1[0-9]{12}\b": "time",
        r"owner [0-9]{4}": "owner",
        r"photos/[0-9]{4}@N00/[0-9]{4}": "page",
        r"content-length: [0-9]+": "length",  # of pictures; of JSON the whole text is compared
    }
    for pattern, word in kinds.items():
        text = re.sub(pattern, f"<{word}>", text)
    return text


@contextmanager
def counted(engine: Engine) -> Iterator[list[str]]:
    """The statements that an engine is told within the block."""
    statements: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", note)


class Pools:
    """Workspaces with so many candidates of each class, under a share of gold questions."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._opened: list[Store] = []

    def pool(self, name: str, share: float, candidates: Callable[[str], int]) -> Traffic:
        workspace = Workspace.create(self._root / name)
        settings = workspace.root / "genset.toml"
        words = settings.read_text("utf-8")
        assert "gold = 0.0\n" in words
        words = words.replace("gold = 0.0\n", f"gold = {share}\n").replace('"random"', '"rank"')
        settings.write_text(words, "utf-8")
        workspace = Workspace.find(workspace.root)
        store = Store.open(workspace.store_url)
        self._opened.append(store)
        for place, wnid in enumerate(CLASSES):
            for rank in range(1, candidates(wnid) + 1):
                self._add(workspace, store, wnid, 1000 + 100 * place + rank, rank)
        for number in range(5000, 5039):
            task = self._add(workspace, store, LAMPSHADE, number, number)
            add_gold_question(store, task, Verdict.INCORRECT, "a lamp", CLASSES[number % 3])
        return Traffic(workspace, store)

    def close(self) -> None:
        for store in self._opened:
            store.close()

    @staticmethod
    def _add(workspace: Workspace, store: Store, wnid: str, number: int, rank: int) -> str:
        return add_candidate(workspace, store, wnid, number, rank, owner_name=f"owner {number:04}")


@pytest.fixture
def pools(tmp_path: Path) -> Iterator[Pools]:
    made = Pools(tmp_path)
    yield made
    made.close()


def shown_as_right(screen: Any) -> list[Any]:
    others = [other["photo"] for other in screen["confusable"]]
    return screen["examples"] + [photo for photo in others if photo is not None]


def gold_questions_of(store: Store) -> int:
    with store.session() as session:
        return len(session.scalars(select(GoldAnswer.gold_id).distinct()).all())


@pytest.mark.parametrize("candidates", [3, 7, 11, 16])
@pytest.mark.soak
def test_the_traffic_with_gold_questions_is_that_of_more_candidates(
    pools: Pools, candidates: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genset.label.queue.boards.clock", HeldClock())
    tested = pools.pool("tested", 0.3, lambda _: candidates)
    tested.label_all()
    assert gold_questions_of(tested.store) > 0
    photos = Counter(screen["wnid"] for screen in tested.screens for _ in screen["photos"])

    monkeypatch.setattr(hiding.Shown, "gold_among", lambda *_: 0)
    plain = pools.pool("plain", 0.3, lambda wnid: photos[wnid])
    plain.label_all()

    assert gold_questions_of(plain.store) == 0
    assert tested.heard == plain.heard
    assert tested.statements["submit"] == plain.statements["submit"]


@pytest.mark.soak
def test_a_gold_question_stands_in_any_place(pools: Pools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hiding, "_random", random.Random(0))
    tested = pools.pool("tested", 0.2, lambda _: 60)
    for _ in range(30):
        tested.post("screens", {"loaded": [], "count": 12})
        with tested.store.begin() as session:
            for screen in session.scalars(select(Screen)):
                screen.submitted_at = screen.created_at
    with tested.store.session() as session:
        places = Counter(
            session.scalars(select(ScreenPhoto.place).where(ScreenPhoto.gold_id.is_not(None)))
        )
    assert set(places) == {1, 2, 3, 4, 5}
    assert max(places.values()) < 0.4 * places.total()


def test_a_photo_that_was_a_gold_question_does_not_come_again(pools: Pools) -> None:
    """A manager may test by a photo that is still to be labeled: who sees it twice would know."""
    tested = pools.pool("tested", 0.4, lambda _: 6)
    for number in range(1, 7):
        add_gold_question(
            tested.store, f"{CRANE}/flickr:{1200 + number}", Verdict.INCORRECT, "a crane", TENCH
        )
    tested.label_all()

    owners = Counter(photo["owner"] for screen in tested.screens for photo in screen["photos"])
    assert gold_questions_of(tested.store) > 0
    assert set(owners.values()) == {1}
    assert tested.post("screens", {"loaded": [], "count": 1})["progress"]["done"]


@pytest.mark.soak
def test_what_labelers_agreed_on_tests_nobody_who_was_shown_it_as_right(pools: Pools) -> None:
    """Who is told of a photo that it is right, beside whatever class, would know it again."""
    tested = pools.pool("tested", 0.4, lambda _: 20)
    for number in range(6000, 6010):  # of a far class, which the others' photos test
        add_candidate(tested.workspace, tested.store, LAMPSHADE, number, number)
    for place, wnid in enumerate(CLASSES):
        for number in range(1, 9):
            task = f"{wnid}/flickr:{1000 + 100 * place + number}"
            for worker in ("bob", "cid"):
                vote(tested.store, task, worker, Verdict.CORRECT)
    for number in range(1, 9):  # half of these would be examples
        task = f"{TENCH}/flickr:{1000 + number}"
        add_gold_question(tested.store, task, Verdict.CORRECT, "seen")
    tested.label_all()

    asked = {photo["owner"] for screen in tested.screens for photo in screen["photos"]}
    told = {photo["owner"] for screen in tested.screens for photo in shown_as_right(screen)}
    assert gold_questions_of(tested.store) > 6
    assert len(told) > 3
    assert not asked & told


@pytest.mark.soak
def test_a_photo_comes_no_faster_because_others_were_shown_it(
    pools: Pools, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gold questions were shown to others before, and most candidates were not."""
    made: list[Path] = []

    def counting(path: Path, longer_side: int) -> bytes:
        made.append(path)
        return shown_picture(path, longer_side)

    monkeypatch.setattr("labeler_app.routes.shown_picture", counting)
    ann = pools.pool("tested", 0.4, lambda _: 20)
    bea = Traffic(ann.workspace, ann.store, "bea")
    for labeler in (ann, bea):
        labeler.label_all(most=3)

    photos = [photo for each in (ann, bea) for screen in each.screens for photo in screen["photos"]]
    assert len({photo["owner"] for photo in photos}) < len(photos)  # some tested both of them
    assert len(made) == len(photos)
