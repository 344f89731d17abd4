"""Twenty labelers in twenty processes, killed at random: nothing lost, nothing twice."""

import multiprocessing
import os
import random
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import exists, not_, select

from genset.db import GoldAnswer, Label, ProposedBy, Question, Screen, ScreenPhoto, Store, Verdict
from genset.db.votes_needed import question_votes_missing, votes_missing
from genset.label.session.shown import TWICE
from genset.workspace import Workspace
from tests.label.simulated import RULES, add_pool, label

LABELERS = 20
SECONDS = float(os.environ.get("GENSET_SOAK_SECONDS", "6"))

# Its server imports once what every process of a labeler needs.
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["tests.label.simulated"])


def killed_at_random(root: Path, url: str, logs: Path) -> int:
    """Let the labelers label; kill one every now and then, and let it come back later."""
    chance = random.Random(0)
    started = time.monotonic()
    back_at = {f"labeler {number}": 0.0 for number in range(LABELERS)}
    running: dict[str, multiprocessing.process.BaseProcess] = {}
    kills = 0
    while (passed := time.monotonic() - started) < SECONDS:
        for name, at in back_at.items():
            if at <= passed and name not in running:
                log = logs / f"{name}.log"
                running[name] = _processes.Process(
                    target=label, args=(root, url, name, log, SECONDS - passed)
                )
                running[name].start()
        time.sleep(0.1)
        name = chance.choice(list(back_at))
        if name in running and running[name].is_alive():
            os.kill(running[name].pid or 0, signal.SIGKILL)
            running.pop(name).join()
            back_at[name] = passed + chance.uniform(0, SECONDS / 2)
            kills += 1
    for process in running.values():
        process.join()
        assert process.exitcode == 0
    return kills


def ids(logs: Path, word: str) -> set[UUID]:
    found = set()
    for log in logs.iterdir():
        for line in log.read_text("utf-8").splitlines():
            said, number, *_ = [*line.split(" "), "", ""]
            if said == word and len(number) == 36:  # the last line may be cut off
                found.add(UUID(number))
    return found


@pytest.mark.soak
def test_twenty_labelers_killed_at_random_lose_nothing_and_label_nothing_twice(
    store_url: str, tmp_path: Path
) -> None:
    workspace = Workspace.create(tmp_path / "workspace")
    store = Store.open(store_url)
    add_pool(store, round(100 * SECONDS), questions=round(4 * SECONDS))
    logs = tmp_path / "logs"
    logs.mkdir()

    kills = killed_at_random(workspace.root, store_url, logs)

    with store.session() as session:
        labels = session.scalars(select(Label).order_by(Label.number)).all()
        answers = session.scalars(select(GoldAnswer)).all()
        # Of a screen whose lease ended, others may have got a photo by the time it is submitted:
        # that photo's label is refused, and it may come again when its votes grow.
        was_refused = (
            Screen.submitted_at.is_not(None)
            & ScreenPhoto.candidate_id.is_not(None)
            & not_(
                exists().where(
                    Label.screen_id == Screen.id, Label.candidate_id == ScreenPhoto.candidate_id
                )
            )
        )
        handed = session.execute(
            select(Screen.worker, ScreenPhoto.candidate_id, ScreenPhoto.gold_id)
            .join(Screen, Screen.id == ScreenPhoto.screen_id)
            .where(Screen.lost_at.is_(None), not_(was_refused))
        ).all()
        lost = session.scalars(select(Screen.id).where(Screen.lost_at.is_not(None))).all()
        asked = set(session.scalars(select(Question.candidate_id)))
        added = session.scalars(
            select(ProposedBy.candidate_id).where(ProposedBy.kind == "labeler")
        ).all()
    store.close()
    stored = {each.id for each in labels} | {each.id for each in answers}
    acknowledged = ids(logs, "stored")
    sys.stdout.write(  # pytest -s shows it
        f"\n{SECONDS:.0f} s: {len(labels)} labels, {len(answers)} answers to controls, "
        f"{len(acknowledged)} acknowledged, {kills} kills, {len(lost)} screens lost\n"
    )
    assert kills
    assert acknowledged
    assert acknowledged <= stored <= ids(logs, "sent")
    assert max(Counter((each.candidate_id, each.worker) for each in labels).values()) == 1
    assert max(Counter(map(tuple, handed)).values()) == 1
    assert not [log.name for log in logs.iterdir() if TWICE in log.read_text("utf-8")]
    assert asked & {each.candidate_id for each in labels}
    # What a labeler adds is said, however many are asked about it just now.
    counted = [each for each in labels if each.candidate_id not in added]
    assert no_candidate_is_over_its_votes(counted, asked)
    assert set(added) <= {each.candidate_id for each in labels}


def no_candidate_is_over_its_votes(labels: Sequence[Label], questions: Collection[int]) -> bool:
    """Replay the labels: each came while its candidate was to go to one labeler more."""
    votes: dict[int, Counter[Verdict]] = defaultdict(Counter)
    for each in labels:
        said = votes[each.candidate_id]
        if each.candidate_id in questions:
            lack = question_votes_missing(RULES, said, ruled=False)
        else:
            lack = votes_missing(RULES, said.total(), said[Verdict.CORRECT], ruled=False)
        if not lack:
            return False
        said[each.verdict] += 1
    return True
