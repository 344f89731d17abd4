"""Two servers of one workspace in PostgreSQL, a hundred labelers, and one server that is killed."""

import http.client
import json
import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from genset.classes import imagenet1k
from genset.db import GoldAnswer, GoldQuestion, Label, Photo, Store, Verdict
from genset.label.access import label_secret
from genset.label.labelers import Labelers
from genset.label.queue.board import shuffled
from genset.workspace import Workspace
from labeler_app.routes import Sessions
from tests.label.serving import free_port, kill, serving
from tests.label.simulated import add_pool

LABELERS, CLASSES, A_CLASS, VOTES, GOLD = 100, 20, 30, 3, 0.1
WNIDS = [cls.wnid for cls in imagenet1k()]
ASKED = CLASSES * (A_CLASS - 1)  # a photo of each class is a gold question of the next

AHEAD = 6  # screens, as many as the component asks for
FEW = AHEAD - 3  # with which it asks for more, along with what it sends
SCARCE = 2  # with which it does not wait for that
_PATIENCE = 15.0  # seconds until a request counts as lost
_LONGEST_WAIT = 1.0  # seconds until it is sent again

Answer = dict[str, Any]


def session_of(workspace: Workspace, store: Store, name: str) -> str:
    """What the page of the labeler with this name sends with every request."""
    labeler = Labelers(store).by_name(name)
    return Sessions(label_secret(workspace)).sign(labeler.id)


class Unanswered(Exception):
    """The server is away, or could not answer: send it again later."""


class HttpPage:
    """One labeler, whose requests go to any of the servers.

    What they submit stays in `outbox` until a server has decided every label. `sent` names each
    label that was ever on its way; `said` what the server said of it: "" for stored, or why it was
    refused. `first` has the classes of the screens that came first.
    """

    def __init__(self, port: int, session: str, *others: int) -> None:
        self.outbox: list[Answer] = []
        self.sent: set[str] = set()
        self.said: dict[str, str] = {}
        self.progress: Answer | None = None
        self.screens: list[Answer] = []
        self.first: list[str] = []
        self._headers = {"Authorization": f"Bearer {session}", "Content-Type": "application/json"}
        self._connections = [
            http.client.HTTPConnection("127.0.0.1", at, timeout=_PATIENCE) for at in (port, *others)
        ]

    def work(self, goes_on: Callable[[], bool], seconds_a_screen: float) -> None:
        """Label, a screen every so often, while it goes on; then until nothing is unsent."""
        due = time.monotonic()
        while goes_on() and not (self.progress and self.progress["done"] and not self.screens):
            if len(self.screens) <= SCARCE:
                self._try(self.fill)
            if self.screens:
                due = max(due + seconds_a_screen, time.monotonic() - seconds_a_screen)
                time.sleep(max(0.0, due - time.monotonic()))
                self.decide(self.screens.pop(0))
            else:
                time.sleep(seconds_a_screen)
            self._try(self.flush)
        while self.outbox:
            self._try(self.flush)

    def fill(self) -> None:
        """Have screens to label."""
        self._take(self.ask("screens", self._wanted(len(self.outbox))))
        self.first = self.first or [screen["wnid"] for screen in self.screens]

    def _wanted(self, waiting: int) -> Answer:
        held = [each["id"] for each in self.screens]
        return {"loaded": held, "count": AHEAD + waiting}

    def _take(self, answer: Answer) -> None:
        self.progress = answer["progress"]
        away = [each["screen"] for each in self.outbox]
        known = {each["id"]: each for each in self.screens}
        told = [known.get(each["id"], each) for each in answer["screens"]]
        self.screens = [each for each in told if not each["submitted"] and each["id"] not in away]

    def decide(self, screen: Answer) -> None:
        """Put a screen's labels into the outbox."""
        at = round(1000 * time.time())
        labels = [
            {
                "id": str(uuid.uuid4()),
                "photo": photo["id"],
                "verdict": "correct",
                "shown_at": at,
                "decided_at": at,
                "order": order,
                "supersedes": None,
            }
            for order, photo in enumerate(screen["photos"], 1)
        ]
        times = {"shown_at": at, "submitted_at": at}
        self.outbox.append(
            {"id": str(uuid.uuid4()), "screen": screen["id"], **times, "labels": labels}
        )

    def flush(self) -> None:
        """Send what waits, in order."""
        while self.outbox:
            submission = self.outbox[0]
            ids = {label["id"] for label in submission["labels"]}
            self.sent |= ids
            more = self._wanted(len(self.outbox) - 1) if len(self.screens) <= FEW else {}
            answer = self.ask("submit", {"submissions": [submission], **more})
            told = {each["id"]: each["reason"] for each in answer["receipts"]}
            if told.keys() != ids:
                raise Unanswered("not every label was answered")
            self.said |= told
            self.progress = answer["progress"]
            del self.outbox[0]
            if answer["screens"] is not None:
                self._take(answer)

    def ask(self, route: str, body: Answer) -> Answer:
        """One request.

        Raises:
            Unanswered: no answer came that can be used.
        """
        connection = random.choice(self._connections)
        try:
            connection.request("POST", f"/genset/{route}", json.dumps(body), self._headers)
            reply = connection.getresponse()
            content = reply.read()
            if reply.status != 200:
                raise Unanswered(f"{route}: {reply.status} {content[:200]!r}")
            answer: Answer = json.loads(content)
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            raise Unanswered(f"{route}: {error!r}") from None
        return answer

    def _try(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Unanswered:
            time.sleep(random.uniform(0, _LONGEST_WAIT))


def name_as_gold(store: Store) -> None:
    """Call all photos of the classes behind these incorrect for the classes by turns."""
    with store.begin() as session:
        behind = select(Photo.id).where(Photo.id > CLASSES * A_CLASS)
        behind = behind.where(Photo.id.not_in(select(GoldQuestion.photo_id)))
        for place, photo in enumerate(session.scalars(behind).all()):
            known = {"expected": Verdict.INCORRECT, "reason": "it shows another class"}
            session.add(GoldQuestion(wnid=WNIDS[place % CLASSES], photo_id=photo, **known))


@pytest.mark.soak
def test_two_servers_share_a_workspace(
    postgresql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GENSET_STORE_URL", postgresql)
    workspace = Workspace.create(tmp_path / "workspace")
    settings = workspace.root / "genset.toml"
    rules = settings.read_text("utf-8").replace("votes = 1\n", f"votes = {VOTES}\n")
    settings.write_text(rules.replace("gold = 0.0\n", f"gold = {GOLD}\n"), "utf-8")
    workspace = Workspace.find(workspace.root)
    store = Store.open(postgresql)
    add_pool(store, CLASSES * A_CLASS * 3 // 2, A_CLASS)
    name_as_gold(store)
    ports = free_port(), free_port()
    # Each request goes to either server, as a proxy might have it.
    pages = [
        HttpPage(ports[0], session_of(workspace, store, f"labeler {n}"), ports[1])
        for n in range(LABELERS)
    ]
    until = time.monotonic() + 600
    threads = [
        threading.Thread(
            target=page.work, args=(lambda: time.monotonic() < until, 1.0), daemon=True
        )
        for page in pages
    ]

    def label_until(answers: int) -> None:
        while sum(len(page.said) for page in pages) < answers and time.monotonic() < until:
            time.sleep(0.01)

    with serving(workspace.root, ports[0]):
        with serving(workspace.root, ports[1]) as second:
            assert second.stderr and second.stderr.readline().startswith("other servers may share")
            for thread in threads:
                thread.start()
            label_until(ASKED)
            kill(second)
        label_until(ASKED * 3 // 2)
        with serving(workspace.root, ports[1]):
            for thread in threads:
                thread.join()

    with store.session() as session:
        labels = session.scalars(select(Label)).all()
        answers = list(session.scalars(select(GoldAnswer.id)))
        voters = select(func.count(Label.worker.distinct())).group_by(Label.candidate_id)
        votes = session.scalars(voters).all()
    store.close()
    said = {label: reason for page in pages for label, reason in page.said.items()}
    assert votes == [VOTES] * ASKED
    assert len(labels) == VOTES * ASKED
    assert sorted(map(str, [label.id for label in labels] + answers)) == sorted(said)
    assert said.keys() == {label for page in pages for label in page.sent}
    assert not Counter(said.values()).keys() - {""}
    assert abs(len(answers) / len(said) - GOLD) < GOLD / 5
    # What others pass over at the same moment may come a little later than in order.
    in_order = [first_screens_in_order(page, number) for number, page in enumerate(pages)]
    assert sum(bool(page.first) for page in pages) > LABELERS / 2
    assert sum(in_order) > LABELERS * 0.9


def first_screens_in_order(page: HttpPage, number: int) -> bool:
    order = shuffled(WNIDS, "main", f"labeler {number}")
    places = [order.index(wnid) for wnid in page.first]
    return places == sorted(places)
