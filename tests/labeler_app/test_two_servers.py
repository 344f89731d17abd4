"""A hundred labelers at a server that is killed: nothing is lost, and nothing stored twice.

In PostgreSQL there are two servers of the workspace, and the other one goes on.
"""

import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import func, select

from genset.db import GoldAnswer, Label, Store
from genset.workspace import Workspace
from tests.label.http_page import HttpPage, session_of
from tests.label.serving import free_port, kill, serving
from tests.labeled_workspace import add_pool

LABELERS, CLASSES, A_CLASS, VOTES, GOLD = 100, 20, 30, 3, 0.1
ASKED = CLASSES * (A_CLASS - 1) + 1  # a photo of each class but the last is a gold question


@pytest.mark.soak
def test_a_server_that_is_killed_loses_nothing_and_the_other_goes_on(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GENSET_STORE_URL", store_url)
    workspace = Workspace.create(tmp_path / "workspace")
    settings = workspace.root / "genset.toml"
    rules = settings.read_text("utf-8").replace("votes = 1\n", f"votes = {VOTES}\n")
    settings.write_text(rules.replace("gold = 0.0\n", f"gold = {GOLD}\n"), "utf-8")
    workspace = Workspace.find(workspace.root)
    store = Store.open(store_url)
    add_pool(store, CLASSES * A_CLASS, A_CLASS)
    ports = [free_port() for _ in range(1 if store_url.startswith("sqlite") else 2)]
    # Each request goes to either server, as a proxy might have it.
    pages = [
        HttpPage(ports[0], session_of(workspace, store, f"labeler {n}"), *ports[1:])
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

    with ExitStack() as others:
        with serving(workspace.root, ports[-1]) as killed:
            for port in ports[:-1]:
                second = others.enter_context(serving(workspace.root, port))
                assert second.stderr
                assert second.stderr.readline().startswith("other servers may share")
            for thread in threads:
                thread.start()
            label_until(ASKED)
            kill(killed)
        label_until(ASKED * 3 // 2 if ports[1:] else 0)
        with serving(workspace.root, ports[-1]):
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
