"""A labeler's page without a browser: it asks the server over HTTP, as the component does."""

import http.client
import json
import random
import time
import uuid
from collections.abc import Callable
from typing import Any

from genset.db import Store
from genset.label.access import label_secret
from genset.label.labelers import Labelers
from genset.workspace import Workspace
from labeler_app.routes import Sessions

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


def submission(screen: Answer, at: float) -> Answer:
    """Every photo of a screen, correct, as the component sends it; `at` is in ms since 1970."""
    labels = [
        {
            "id": str(uuid.uuid4()),
            "photo": photo["id"],
            "verdict": "correct",
            "shown_at": at,
            "decided_at": at,
            "order": order,
            "supersedes": photo["label_id"],
        }
        for order, photo in enumerate(screen["photos"], 1)
    ]
    return {"screen": screen["id"], "shown_at": at, "submitted_at": at, "labels": labels}


class Unanswered(Exception):
    """The server is away, or could not answer: send it again later."""


class HttpPage:
    """One labeler, whose requests go to any of the servers.

    What they submit stays in `outbox` until a server has decided every label. `sent` names each
    label that was ever on its way; `said` what the server said of it: "" for stored, or why it was
    refused. `first` has the classes of the screens that came first, `spans` the seconds of each
    answer by route ("both": labels that brought screens), `errors` the answers that were none.
    """

    def __init__(self, port: int, session: str, *others: int) -> None:
        self.outbox: list[Answer] = []
        self.sent: set[str] = set()
        self.said: dict[str, str] = {}
        self.spans: dict[str, list[float]] = {"screens": [], "submit": [], "both": []}
        self.errors: list[str] = []
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
        self.outbox.append({"id": str(uuid.uuid4()), **submission(screen, at)})

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
        began = time.perf_counter()
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
        name = "both" if route == "submit" and "count" in body else route
        self.spans.setdefault(name, []).append(time.perf_counter() - began)
        return answer

    def _try(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Unanswered as error:
            self.errors.append(str(error))
            time.sleep(random.uniform(0, _LONGEST_WAIT))
