"""What a labeler's page does with screens of one photo, without a browser."""

import time
import uuid
from dataclasses import replace

from genset.label import Verdict
from genset.label.session.desk import Desk
from genset.label.session.shown import AddedClass, AlsoScreen, Done, Receipt, Submission
from tests.label.desks import Say, decided


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
