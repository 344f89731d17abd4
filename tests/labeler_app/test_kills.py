"""The server killed while ten pages label: what was acknowledged is stored, and nothing else."""

import os
import random
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import select

from genset.db import GoldAnswer, Label, Store
from genset.workspace import Workspace
from tests.label.http_page import HttpPage, session_of
from tests.label.serving import free_port, kill, serving
from tests.label.simulated import add_pool

KILLS = int(os.environ.get("GENSET_KILLS", "3"))
PAGES = 10
VOTES = 3
CANDIDATES = 20_000


def killed_again_and_again(root: Path, port: int, pages: list[HttpPage]) -> None:
    """Kill the server at random moments at which pages are being answered, and start it again."""
    chance = random.Random(0)
    for _ in range(KILLS):
        answered = len(answers(pages))
        with serving(root, port) as process:
            until = time.monotonic() + 60
            while len(answers(pages)) == answered and time.monotonic() < until:
                time.sleep(0.01)
            assert len(answers(pages)) > answered, pages[0].errors[-1]
            time.sleep(chance.uniform(0, 1))
            kill(process)


def answers(pages: list[HttpPage]) -> list[float]:
    return [span for page in pages for span in page.spans["submit"]]


@pytest.mark.soak
def test_a_server_that_is_killed_stores_what_it_acknowledged_and_no_more(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GENSET_STORE_URL", store_url)
    workspace = Workspace.create(tmp_path / "workspace")
    settings = workspace.root / "genset.toml"
    words = settings.read_text("utf-8").replace("votes = 1\n", f"votes = {VOTES}\n")
    settings.write_text(words, "utf-8")
    store = Store.open(store_url)
    add_pool(store, CANDIDATES)
    port = free_port()
    pages = [HttpPage(port, session_of(workspace, store, f"page {n}")) for n in range(PAGES)]
    going = threading.Event()
    going.set()
    threads = [
        threading.Thread(target=page.work, args=(going.is_set, 0.05), daemon=True) for page in pages
    ]
    for thread in threads:
        thread.start()

    killed_again_and_again(workspace.root, port, pages)
    with serving(workspace.root, port):
        going.clear()
        for thread in threads:
            thread.join(120)
            assert not thread.is_alive()

    with store.session() as session:
        labels = session.scalars(select(Label)).all()
        stored = [each.id for each in labels] + list(session.scalars(select(GoldAnswer.id)))
    store.close()
    sent = {each for page in pages for each in page.sent}
    said = {each: reason for page in pages for each, reason in page.said.items()}
    acknowledged = {each for each, reason in said.items() if not reason}
    unanswered = sum(len(page.errors) for page in pages)
    sys.stdout.write(  # pytest -s shows it
        f"\n{KILLS} kills, {PAGES} pages: {len(sent)} labels sent, {len(stored)} stored, "
        f"{len(acknowledged)} acknowledged, {len(said) - len(acknowledged)} refused, "
        f"{unanswered} requests unanswered\n"
    )
    assert acknowledged
    assert said.keys() == sent  # every label was decided
    assert sorted(map(str, stored)) == sorted(acknowledged)
    assert max(Counter((each.candidate_id, each.worker) for each in labels).values()) == 1
    assert max(Counter(each.candidate_id for each in labels).values()) <= VOTES
    # Leases outlive a restart: nothing that a page was given goes to another.
    assert not [reason for reason in said.values() if reason]
