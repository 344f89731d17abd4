"""What a labeler's page does with screens, of several photos or of one, without a browser."""

import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import update

from genset.db import Screen as ScreenRow
from genset.db import Store, now
from genset.label import LabelerAct, Verdict, decisions
from genset.label.decisions import Effect
from genset.label.labelers import Labelers
from genset.label.session.desk import Desk
from genset.label.session.shown import (
    AddedClass,
    AlsoScreen,
    Done,
    NewLabel,
    Receipt,
    Screen,
    Submission,
)
from genset.settings import LabelRules
from genset.workspace import Workspace

CORRECT, INCORRECT, UNSURE = Verdict.CORRECT, Verdict.INCORRECT, Verdict.UNSURE

# The verdict on every photo or question, or on each by its owner's name or its class.
Say = Verdict | Callable[[str], Verdict]


def desk_of(opened: tuple[Workspace, Store], name: str) -> Desk:
    workspace, store = opened
    return Desk(workspace, store, Labelers(store).by_name(name))


def hold(store: Store, workspace: Workspace, name: str, **decision: Any) -> Effect:
    """Hold a labeler's votes out, as a rule does."""
    return decisions.decide(store, workspace, name, LabelerAct.HOLD, **decision)


def decided(
    screen: Screen | AlsoScreen, verdict: Say = CORRECT, at: datetime | None = None
) -> Submission:
    """The screen's photos, or its questions, all decided."""
    moment = 1000 * (at or now()).timestamp()
    if isinstance(screen, Screen):
        about = [(photo.id, photo.label_id, photo.owner_name) for photo in screen.photos]
    else:
        about = [(each.id, each.label_id, each.cls.wnid) for each in screen.questions]
    labels = tuple(
        NewLabel(
            id=uuid.uuid4(),
            photo=id,
            verdict=verdict if isinstance(verdict, Verdict) else verdict(words),
            shown_at=moment,
            decided_at=moment,
            order=order,
            supersedes=label_id,
        )
        for order, (id, label_id, words) in enumerate(about, 1)
    )
    return Submission(screen.id, moment, moment, labels)


def do(desk: Desk, screen: Screen, verdict: Say = CORRECT) -> list[Receipt]:
    """Submit a whole screen."""
    return desk.submit(decided(screen, verdict))


def do_all(desk: Desk, verdict: Say = CORRECT) -> list[Screen]:
    """Label until there is nothing more; return every screen in order."""
    done: list[Screen] = []
    while screens := desk.screens():
        assert all(receipt.ok for receipt in do(desk, screens[0], verdict))
        done.append(screens[0])
    return done


def owners(*screens: Screen) -> list[str]:
    return [photo.owner_name for screen in screens for photo in screen.photos]


def reasons(receipts: list[Receipt]) -> list[str]:
    return [receipt.reason for receipt in receipts]


def let_expire(store: Store, *screens: Screen) -> None:
    """An hour passes for the leases of these screens."""
    with store.begin() as session:
        session.execute(
            update(ScreenRow)
            .where(ScreenRow.id.in_([screen.id for screen in screens]))
            .values(expires_at=now() - timedelta(hours=1))
        )


def under(opened: tuple[Workspace, Store], **rules: Any) -> tuple[Workspace, Store]:
    """The same workspace, with these settings of [label]."""
    workspace, store = opened
    return replace(workspace, label=LabelRules(**{"order": "rank", **rules})), store


def classes_of(screen: AlsoScreen) -> list[str]:
    return [each.cls.wnid for each in screen.questions]


def answered(screen: AlsoScreen, say: Say = Verdict.INCORRECT, *added: str) -> Submission:
    """The screen's questions, all answered, and these classes added."""
    given = decided(screen, say)
    at, first = given.submitted_at, len(given.labels) + 1
    more = (AddedClass(uuid.uuid4(), wnid, at, at, n) for n, wnid in enumerate(added, first))
    return replace(given, added=tuple(more))


def decide(
    desk: Desk, screen: AlsoScreen, say: Say = Verdict.INCORRECT, *added: str
) -> list[Receipt]:
    """Submit a whole screen."""
    return desk.submit(answered(screen, say, *added))


def decide_all(desk: Desk, say: Say = Verdict.INCORRECT) -> list[AlsoScreen]:
    """Answer until there are no questions; return every screen in order."""
    done: list[AlsoScreen] = []
    while screens := desk.also_screens(count=2):
        assert all(receipt.ok for receipt in decide(desk, screens[0], say))
        done.append(screens[0])
    return done


def done_of(desk: Desk) -> Done | None:
    """What a page is told at the end. It asks again while boards are made anew aside."""
    until = time.monotonic() + 20
    while (done := desk.progress().done) is None and time.monotonic() < until:
        time.sleep(0.1)
    return done
