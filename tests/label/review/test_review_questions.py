"""Questions about further classes go to review as candidates do."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from genset.cli import cli
from genset.db import Store, Verdict
from genset.scrape.removal import remove
from genset.workspace import Workspace
from tests.commands import as_json
from tests.label.also import decide_all
from tests.label.desks import CORRECT, INCORRECT, UNSURE, desk_of
from tests.labeled_workspace import TENCH, vote
from tests.questions import BASSINET, CROQUET, LAMPSHADE, questioned_workspace

Opened = tuple[Workspace, Store]
PROPOSAL = f"{BASSINET}/flickr:0"
DOUBT = ("--reason", "every model says so", "--by", "mia")


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Opened]:
    """Two photos, each asked about three classes; two votes, which do not grow."""
    workspace, store = questioned_workspace(tmp_path / "asked", [TENCH], photos=2)
    (workspace.root / "genset.toml").write_text("[label]\nvotes = 2\ngrow_to = []\ngold = 0\n")
    yield Workspace.find(workspace.root), store
    store.close()


def labels(opened: Opened, *words: str) -> Result:
    return CliRunner().invoke(cli, ["-w", str(opened[0].root), "labels", *words])


def waiting(opened: Opened) -> list[dict[str, Any]]:
    return as_json("-w", opened[0].root, "labels", "review")


def test_a_question_that_is_sent_to_review_is_in_the_queue_until_a_ruling(asked: Opened) -> None:
    assert waiting(asked) == []
    assert labels(asked, "request-review", PROPOSAL, *DOUBT).exit_code == 0
    [case] = waiting(asked)
    assert (case["task"], case["wnid"], case["home"]) == (PROPOSAL, BASSINET, TENCH)
    assert case["why"] == "sent to review"
    table = labels(asked, "review").stdout
    assert "sent to review: is bassinet in this photo of tench, too?" in table
    ruled = labels(asked, "rule", PROPOSAL, "correct", "--reason", "it is", "--by", "mia")
    assert ruled.exit_code == 0
    assert waiting(asked) == []


def test_questions_that_stay_unclear_after_all_their_votes_wait_for_a_ruling(asked: Opened) -> None:
    def ann(wnid: str) -> Verdict:
        return {BASSINET: CORRECT, LAMPSHADE: UNSURE}.get(wnid, INCORRECT)

    decide_all(desk_of(asked, "ann"), ann)
    assert waiting(asked) == []  # a second labeler is to come
    decide_all(desk_of(asked, "ben"), lambda wnid: UNSURE if wnid == LAMPSHADE else INCORRECT)
    found = {(each["task"], each["why"]) for each in waiting(asked)}
    assert found == {
        (f"{wnid}/flickr:{number}", why)
        for number in (0, 1)
        for wnid, why in ((BASSINET, "labelers disagree"), (LAMPSHADE, "labelers are unsure"))
    }
    assert not any(each["wnid"] == CROQUET for each in waiting(asked))
    stats = as_json("-w", asked[0].root, "labels", "stats")
    assert {each["task"] for each in stats["disputes"]} == {task for task, _ in found}


def test_what_most_say_of_a_question_is_no_case(asked: Opened) -> None:
    """As few votes for a candidate would be one: a question is right or wrong by the majority."""
    for name, verdict in (("ann", CORRECT), ("ben", CORRECT), ("cleo", INCORRECT)):
        vote(asked[1], PROPOSAL, name, verdict)
    assert waiting(asked) == []


@pytest.mark.parametrize("task", [PROPOSAL, f"{TENCH}/flickr:0"])
def test_a_photo_that_was_removed_is_not_sent_to_review(asked: Opened, task: str) -> None:
    remove(*asked, "flickr:0", "its owner asked")
    failed = labels(asked, "request-review", task, *DOUBT).exception
    assert str(failed).startswith(f"{task} cannot go to review: its photo is not in the pool (")
    assert "\n" not in str(failed)
    assert waiting(asked) == []
