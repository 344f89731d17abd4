"""Photos answered by keys, by two who differ and a third, while the server is killed over and over.

Small by itself; the whole of it: ``GENSET_ASKED_PHOTOS=60 GENSET_KILL_EVERY=10 pytest -s ...``.
"""

import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import select

from genset.db import Question, Verdict
from tests.label.serving import free_port, kill, serving
from tests.labeled_workspace import GOLDFISH, TENCH
from tests.labeler_app.component import sign_in
from tests.labeler_app.questions import Answers, Opinion, asked, claims, labels_of
from tests.questions import questioned_workspace

pytestmark = pytest.mark.browser

PHOTOS = int(os.environ.get("GENSET_ASKED_PHOTOS", "6"))
KILL_EVERY = float(os.environ.get("GENSET_KILL_EVERY", "4"))  # seconds
PACE = 500  # milliseconds for a photo: no labeler is faster
YES, NO, MAYBE = Verdict.CORRECT, Verdict.INCORRECT, Verdict.UNSURE


def ann(number: int, name: str) -> Verdict:
    return YES if name == "bassinet" and number % 2 == 0 else NO


def ben(number: int, name: str) -> Verdict:
    """He differs on some bassinets, and on some lampshades."""
    if name == "lampshade" and number % 4 == 1:
        return MAYBE
    return YES if name == "bassinet" and number % 3 == 0 else NO


def cleo(number: int, name: str) -> Verdict:
    return YES if name == "bassinet" else NO


class Killer:
    """Serves a workspace, and kills the server every few seconds while `going`."""

    def __init__(self, root: Path, port: int) -> None:
        self.root, self.port = root, port
        self.kills = 0
        self.calm = threading.Lock()  # held while a page is opened: a browser does not try again
        self._over = threading.Event()
        self._up = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self._over.is_set():
            with serving(self.root, self.port) as process:
                self._up.set()
                self._over.wait(KILL_EVERY)
                if self._over.is_set():
                    return
                with self.calm:
                    self._up.clear()
                    kill(process)
                    self.kills += 1

    @contextmanager
    def going(self) -> Iterator["Killer"]:
        self._thread.start()
        try:
            yield self
        finally:
            self._over.set()
            self._thread.join(60)

    def opened(self, window: BrowserContext, name: str) -> Page:
        """A page of this labeler, at a photo."""
        while True:
            assert self._up.wait(60)
            with self.calm:
                if self._up.is_set():
                    return sign_in(window, f"http://127.0.0.1:{self.port}", name)


def work(page: Page, opinion: Opinion, photos: int) -> Answers:
    """Answer so many photos by keys, and wait until all of it is stored."""
    answers = Answers()
    for _ in range(photos):
        questions = page.locator(".question")
        if answers.last:  # until the next photo is there
            expect(page.locator(f"[data-id='{answers.last}']")).to_have_count(0, timeout=60_000)
        expect(questions.first).to_be_visible(timeout=60_000)
        asked(page, 0)
        answers.answer(page, opinion)
        page.wait_for_timeout(PACE)
    total = len(answers.given)
    expect(page.locator(".saved")).to_have_text(f"saved {total}/{total}", timeout=60_000)
    return answers


@pytest.mark.soak
def test_two_who_differ_and_a_third_where_they_do_while_the_server_is_killed(
    window: BrowserContext, tmp_path: Path
) -> None:
    half = PHOTOS // 2
    workspace, store = questioned_workspace(
        tmp_path / "workspace", [TENCH, GOLDFISH], half, first_pass_by=("one", "two", "three")
    )
    settings = workspace.root / "genset.toml"
    words = settings.read_text("utf-8").replace("votes = 1\n", "votes = 2\ngrow_to = [3]\n")
    settings.write_text(words, "utf-8")
    numbers = [100 * place + photo for place in (0, 1) for photo in range(half)]
    # What both say settles a question.
    differing = [
        (number, name)
        for number in numbers
        for name in ("bassinet", "lampshade", "croquet ball")
        if ann(number, name) != ben(number, name)
    ]
    with Killer(workspace.root, free_port()).going() as server:
        given = {}
        for name, opinion in (("ann", ann), ("ben", ben)):
            page = server.opened(window, name)
            given[name] = work(page, opinion, len(numbers))
            page.close()
        page = server.opened(window, "cleo")
        given["cleo"] = work(page, cleo, len({number for number, _ in differing}))
        expect(page.get_by_role("heading", name="All done")).to_be_visible(timeout=60_000)

    assert server.kills > 0
    for name, answers in given.items():
        assert labels_of(store, name) == claims(store, answers.given), name
        assert all(keys <= questions + 1 for questions, keys in answers.keys)
    assert len(labels_of(store, "ann")) == len(labels_of(store, "ben")) == 3 * len(numbers)
    # The third is asked where the two differ, and nothing else.
    assert len(labels_of(store, "cleo")) == len(differing)
    with store.session() as session:
        asked_about = set(session.scalars(select(Question.candidate_id)))
    votes = Counter(each for name in given for each in labels_of(store, name))
    assert set(votes) == asked_about
    assert sorted(set(votes.values())) == [2, 3]
    store.close()
    keys = [each for answers in given.values() for _, each in answers.keys]
    sys.stdout.write(  # pytest -s shows it
        f"\n{len(numbers)} photos, {server.kills} kills, one every {KILL_EVERY:g} s: "
        f"{sum(votes.values())} labels by {len(given)} labelers, {sum(keys)} keys on "
        f"{len(keys)} screens; none lost, none twice\n"
    )
