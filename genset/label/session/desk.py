"""What one labeler does: get screens, decide them, look back."""

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from sqlalchemy import Select, and_, func, or_, select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import Screen as ScreenRow
from genset.db import Store, Visit, ask, now
from genset.db.failures import answering
from genset.label.crowd.studies import end_visit
from genset.label.labelers import Labeler, LabelerNow, lock_labeler, read_labeler
from genset.label.queue.boards import Boards, boards_of
from genset.label.queue.leases import (
    SCREENS,
    LeasedScreen,
    change,
    give_back,
    hand_out,
    lock_screens,
    open_screens,
    renew,
    screens_of_others,
)
from genset.label.queue.training import training_screens
from genset.label.session.pictures import is_random_name
from genset.label.session.progress import progress_of, screens_of_visit
from genset.label.session.shown import (
    BLOCKED,
    AlsoScreen,
    LoadedScreen,
    Progress,
    Receipt,
    Screen,
    Submission,
)
from genset.label.session.submitting import submit
from genset.label.session.view import screens_of, with_photos
from genset.label.suspicion import hold_if_suspect, is_fifth
from genset.workspace import Workspace

MOST_SCREENS = 12

_TRIES = 4  # to hand out screens while others have the photos that are left
_PAUSE = 0.05  # seconds between them: a transaction takes less


Screens = list[Screen | AlsoScreen | LoadedScreen]


class Unwarned(BadInput):
    """No screens before the labeler was told of a source (`genset.label.session.sources`)."""


class Desk:
    """What one labeler does in a workspace. Make one for each request: it holds nothing.

    Raises:
        BadInput: the labeler was blocked (from every method but `submit`, which refuses in its
            receipts, `has_begun` and `progress`).
        GensetError: the store does not answer (from every method).
    """

    def __init__(self, workspace: Workspace, store: Store, labeler: Labeler) -> None:
        self.workspace = workspace
        self.store = store
        self.labeler = labeler

    def screens(self, count: int = 4) -> list[Screen]:
        """Their open screens of candidates, the oldest first, topped up to `count` (at most 12).

        Fewer come when nothing more is to be had, for `progress` says whether for good, and when
        some of them are of questions.
        """
        return [screen for screen in self.next(count)[0] if isinstance(screen, Screen)]

    def also_screens(self, count: int = 4) -> list[AlsoScreen]:
        """The same, of questions; these come first."""
        return [screen for screen in self.next(count)[0] if isinstance(screen, AlsoScreen)]

    def next(
        self, count: int, loaded: Collection[str] = (), tries: int = _TRIES
    ) -> tuple[Screens, Progress]:
        """The same, and how far they are.

        `loaded` names the screens that the page has already: their photos are not sent again, and
        they are returned though there be more than `count`. Where others have what is left at this
        moment, it is asked for again, `tries` times in all.

        Raises:
            Unwarned: there is a source that the labeler was not told of.
        """
        with self._writing() as (session, boards, me):
            if me.must_be_warned:
                raise Unwarned("you were not told yet what a source's photos may show")
            screens, is_final = self._topped_up(
                session, boards, me, self._open(session), count, loaded
            )
            if is_final or (screens is not None and tries == 1):
                return screens or [], self._far(session, boards, me, len(screens or []) < count)
        if screens is not None:
            time.sleep(_PAUSE)
            tries -= 1
        return self.next(count, loaded, tries)  # or others in the place of those that are over

    def submit(self, submission: Submission) -> list[Receipt]:
        """Store a screen's verdicts in one transaction; a receipt for each, in order.

        A label that is stored already, by its id, is answered so: send what was not answered
        again. A label on a screen that was not submitted in time is taken while its photo has not
        gone to others.
        """
        return self.take([submission])[0]

    def take(
        self, submissions: Sequence[Submission], count: int = 0, loaded: Collection[str] = ()
    ) -> tuple[list[Receipt], Progress, Screens | None]:
        """The same for several screens, how far they are, and screens as `next` gives them.

        All in one transaction. None for the screens where none are asked for (no `count`), where
        the labeler is blocked or was not warned, and where they have to be asked for once more.
        """
        boards = boards_of(self.store, self.workspace.label)
        screens: Screens | None = None
        with answering(), self.store.begin() as session:
            me = lock_labeler(session, self.labeler.id)
            lock_screens(
                session, filter(is_random_name, {submission.screen for submission in submissions})
            )
            receipts = [
                receipt
                for submission in submissions
                for receipt in submit(session, boards, me, submission)
            ]
            boards.catch_up(session, me.name)
            may_have = count and me.blocked_at is None and not me.must_be_warned
            rows = self._open(session) if may_have else None
            # To have an ended lease again means to wait for locks, and this transaction holds some.
            if rows is not None and all(row.expires_at > now() for row in rows):
                leased, is_final = self._topped_up(session, boards, me, rows, count, loaded)
                screens = leased if is_final else None
            is_short = screens is not None and len(screens) < count
            far = self._far(session, boards, me, is_short)
            # Counted while nobody else submits for them: else two at once pass a fifth by.
            suspects = self.workspace.label.hold_suspects
            is_due = suspects and is_fifth(session, me.name, len(submissions))
        if is_due:
            hold_if_suspect(self.store, self.labeler.name)
        return receipts, far, screens

    def beat(self, screen_ids: Collection[str]) -> list[str]:
        """Extend the leases of these screens; return the ids of those that are lost.

        Lost: never theirs, or given to others after the lease ended. Submitted ones are neither.
        """
        names = set(filter(is_random_name, screen_ids))
        with self._writing() as (session, boards, _):
            statement = SCREENS.where(
                ScreenRow.id.in_(names),
                ScreenRow.worker == self.labeler.name,
                or_(ScreenRow.lost_at.is_(None), ScreenRow.submitted_at.is_not(None)),
            )
            screens = [LeasedScreen(*row) for row in ask(session, statement)]
            good = {screen.id for screen in screens if screen.submitted_at is not None}
            open_ones = [screen for screen in screens if screen.id not in good]
            good |= {one.id for one in renew(session, boards, self.labeler.name, open_ones)}
            return [name for name in screen_ids if name not in good]

    def leave(self, screen_ids: Collection[str]) -> None:
        """End the leases of these screens, which nobody looks at.

        Until others get them they stay this labeler's, for `next` and `beat` to renew.
        """
        with self._writing() as (session, _, _):
            give_back(session, [row for row in self._open(session) if row.id in screen_ids])

    def earlier(self, screen_id: str | None) -> Screen | AlsoScreen | None:
        """The screen submitted before this one, or the newest (for None); None for no more.

        Of this visit of a study, or of none: what another visit was paid for stays as it is.
        One that is not submitted, or not theirs, counts as coming after all that are.
        """
        boards = boards_of(self.store, self.workspace.label)
        with answering(), self.store.session() as session:
            self._refuse_blocked(read_labeler(session, self.labeler.id))
            boards.catch_up(session, self.labeler.name)
            while row := ask(session, self._before(screen_id)).one_or_none():
                screen_id, rows = row.id, [LeasedScreen(*row)]
                if shown := screens_of(session, self.workspace, boards, self.labeler.name, rows):
                    return shown[0]
        return None

    def has_begun(self) -> bool:
        """Whether they were given a screen before, in this visit of a study or in none."""
        leased = select(ScreenRow.id).where(
            ScreenRow.worker == self.labeler.name,
            func.coalesce(ScreenRow.visit_id, 0) == (self.labeler.visit_id or 0),
        )
        with answering(), self.store.session() as session:
            return session.scalar(leased.limit(1)) is not None

    def progress(self) -> Progress:
        """How far they are. A visit that has nothing more to do ends with that."""
        boards = boards_of(self.store, self.workspace.label)
        with answering(), self.store.session() as session:
            me = read_labeler(session, self.labeler.id)
            boards.catch_up(session, self.labeler.name)
            visit = self._visit(session)
            far = progress_of(session, boards, me, visit)
            if far.done is None or (visit is not None and visit.ended_at is not None):
                return far
        with answering(), self.store.begin() as session:
            return self._far(session, boards, lock_labeler(session, self.labeler.id))

    def _far(
        self, session: Session, boards: Boards, me: LabelerNow, is_short: bool = False
    ) -> Progress:
        """How far they are, by their locked row; a visit that has nothing more to do ends.

        The screens of others count where one gets fewer than one asks for (`is_short`).
        """
        visit = self._visit(session)
        far = progress_of(session, boards, me, visit)
        if far.done is None and is_short:
            far = replace(far, screens_of_others=screens_of_others(session, boards, me.name))
        if far.done is None or (visit is not None and visit.ended_at is not None):
            return far
        has_done_all = far.screens_to_do is not None and far.screens_done >= far.screens_to_do
        if not has_done_all and not boards.is_current(session):
            return replace(far, done=None)  # that nothing is left may be yesterday's news
        if visit is not None and far.done.outcome is not None:
            end_visit(visit, far.done.outcome)
            give_back(session, self._open(session))
        return far

    @contextmanager
    def _writing(self) -> Iterator[tuple[Session, Boards, LabelerNow]]:
        boards = boards_of(self.store, self.workspace.label)
        with answering(), self.store.begin() as session:
            me = lock_labeler(session, self.labeler.id)
            self._refuse_blocked(me)
            boards.catch_up(session, me.name)
            yield session, boards, me

    def _refuse_blocked(self, me: LabelerNow) -> None:
        if me.blocked_at is not None:
            raise BadInput(BLOCKED)

    def _visit(self, session: Session) -> Visit | None:
        number = self.labeler.visit_id
        return None if number is None else session.get_one(Visit, number)

    def _open(self, session: Session) -> list[LeasedScreen]:
        me = self.labeler
        return open_screens(session, me.name, self.workspace.label.panel, me.visit_id)

    def _topped_up(
        self,
        session: Session,
        boards: Boards,
        me: LabelerNow,
        rows: Sequence[LeasedScreen],
        count: int,
        loaded: Collection[str],
    ) -> tuple[Screens | None, bool]:
        """Their open screens, `rows`, topped up to `count`, and whether no more can be had.

        None where some of them are over: all their photos were removed.
        """
        visit, is_busy = self._visit(session), False
        rows = self._reclaimed(session, boards, rows, count, loaded)
        rows += training_screens(session, boards.candidates, me, visit)
        missing = min(count, MOST_SCREENS) - len(rows)
        if visit is not None:
            done, to_do = screens_of_visit(session, visit)
            open_ones = sum(not row.is_training for row in rows)
            missing = 0 if visit.ended_at else min(missing, to_do - done - open_ones)
        if missing > 0:
            new, is_busy = hand_out(session, boards, me, visit, missing)
            rows += new
        screens = self._seen(session, boards, rows, loaded)
        return (screens, not is_busy) if len(screens) == len(rows) else (None, False)

    def _reclaimed(
        self,
        session: Session,
        boards: Boards,
        rows: Sequence[LeasedScreen],
        count: int,
        loaded: Collection[str],
    ) -> list[LeasedScreen]:
        """Up to `count` of their open screens, and those that are `loaded`.

        Those whose lease ended are theirs again, or lost.
        """
        expired = [row for row in rows if row.expires_at <= now()]
        leased = {row.id: row for row in rows if row not in expired}
        if expired:
            leased |= {row.id: row for row in renew(session, boards, self.labeler.name, expired)}
        rows = [leased[row.id] for row in rows if row.id in leased]
        taken = [row for place, row in enumerate(rows) if place < count or row.id in loaded]
        over = {row.id for row in expired} - {row.id for row in taken}
        give_back(session, [row for row in rows if row.id in over])
        return taken

    def _seen(
        self,
        session: Session,
        boards: Boards,
        rows: Sequence[LeasedScreen],
        loaded: Collection[str],
    ) -> Screens:
        """The screens as the page gets them; one whose photos were all removed is over."""
        new = [row for row in rows if row.id not in loaded]
        shown = screens_of(session, self.workspace, boards, self.labeler.name, new)
        screens: dict[str, Screen | AlsoScreen | LoadedScreen] = {one.id: one for one in shown}
        with_some = with_photos(session, [row.id for row in rows if row.id in loaded])
        for row in rows:
            if row.id in with_some:
                screens[row.id] = LoadedScreen(row.id, row.expires_at)
        change(session, [row for row in rows if row.id not in screens], lost_at=now())
        return [screens[row.id] for row in rows if row.id in screens]

    def _before(self, screen_id: str | None) -> Select[Any]:
        by_labeler = ScreenRow.worker == self.labeler.name
        of = select(ScreenRow.submitted_at).where(ScreenRow.id == (screen_id or ""), by_labeler)
        at = of.scalar_subquery()
        same = and_(ScreenRow.submitted_at == at, ScreenRow.id < (screen_id or ""))
        return (
            SCREENS.where(
                *(by_labeler, ScreenRow.submitted_at.is_not(None), ~ScreenRow.is_training),
                func.coalesce(ScreenRow.visit_id, 0) == (self.labeler.visit_id or 0),
                or_(at.is_(None), ScreenRow.submitted_at < at, same),
            )
            .order_by(ScreenRow.submitted_at.desc(), ScreenRow.id.desc())
            .limit(1)
        )
