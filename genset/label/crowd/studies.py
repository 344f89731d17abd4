"""Paid studies on crowd platforms: their terms, and who came for them."""

import logging
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import Labeler, Outcome, Store, now
from genset.db import Study as Study
from genset.db import Visit as Visit
from genset.db.failures import answering

PLATFORMS = ("prolific", "mturk")
_LONGEST_TEXT = 20_000
_CODE = re.compile(r"[\w-]{1,64}", re.ASCII)

log = logging.getLogger("genset.label")


@dataclass(frozen=True, slots=True)
class Terms:
    """What a study's researchers may say of it. None: as it was, or as it is without their word.

    Each outcome has a code of its own for the platform. `gold_needed` is the share of gold
    questions, from 0 to 1, that a labeler needs right; 0: nobody fails. `pay` and `consent` are
    shown before the first screen. `signed`: Prolific's own token is asked for with every visit.
    """

    code: str | None = None
    code_failed: str | None = None
    code_declined: str | None = None
    code_nothing: str | None = None
    gold_needed: float | None = None
    pay: str | None = None
    consent: str | None = None
    signed: bool | None = None


def prolific_address(page: str) -> str:
    """What to paste as a study's address on Prolific, whose placeholders it fills in."""
    ids = "&".join(
        f"{name}={{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
    )
    return f"{page.rstrip('/')}/?{ids}"


def consent_in(file: Path) -> str:
    """The text of a file that people are to agree to.

    Raises:
        BadInput: it cannot be read, is empty, or has more than 20,000 characters.
    """
    try:
        with file.open(encoding="utf-8") as text:
            words = text.read(_LONGEST_TEXT + 1).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read {file}: {error}") from None
    if not words or len(words) > _LONGEST_TEXT:
        raise BadInput(f"{file} is to have 1 to {_LONGEST_TEXT} characters for people to agree to")
    return words


class Studies:
    """The studies of a store.

    Raises:
        GensetError: the store does not answer (from every method).
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def add(self, platform: str, key: str, screens: int, terms: Terms = Terms()) -> Study:
        """Let a platform's workers in; a study that is there gets the new numbers and terms.

        Codes that were never given are random ones.

        Raises:
            BadInput: the platform is not known, or the numbers make no study.
        """
        if platform not in PLATFORMS:
            raise BadInput(f"a study is on {' or '.join(PLATFORMS)}, not {platform!r}")
        if not key.strip() or not key.isprintable() or screens < 1:
            raise BadInput("a study has an id of characters that print, and at least 1 screen")
        _check(platform, terms)
        with answering(), self.store.begin_alone() as session:
            if (there := study_row(session, platform, key)) is None:
                there = Study(platform=platform, key=key)
                for name in _CODES:
                    setattr(there, name, secrets.token_hex(4))
                session.add(there)
            there.screens = screens
            for name in Terms.__slots__:
                if (value := getattr(terms, name)) is not None:
                    setattr(there, name, value)
            there.gold_needed = there.gold_needed or None
            if len({getattr(there, name) for name in _CODES}) < len(_CODES):
                raise BadInput("a study's four codes must differ: the platform goes by them")
            session.flush()
            return there

    def all(self) -> list[Study]:
        """Every study, the oldest first."""
        with answering(), self.store.session() as session:
            return list(session.scalars(select(Study).order_by("id")))

    def find(self, key: str, platform: str | None = None) -> Study:
        """The study with this key, on this platform or on the only one that has it.

        Raises:
            BadInput: there is none, or each platform has one.
        """
        found = [
            study for study in self.all() if study.key == key and platform in (None, study.platform)
        ]
        if not found:
            raise BadInput(f"there is no study {key!r}: see genset labelers study list")
        if len(found) > 1:
            raise BadInput(f"each platform has a study {key!r}: name the platform")
        return found[0]

    def known(self, platform: str, key: str) -> Study | None:
        """The study with this key on a platform, if there is one."""
        with answering(), self.store.session() as session:
            return study_row(session, platform, key)

    def of_visit(self, visit_id: int) -> tuple[Study, Visit]:
        """A visit and its study.

        Raises:
            BadInput: there is no such visit.
        """
        with answering(), self.store.session() as session:
            if (there := session.get(Visit, visit_id)) is None:
                raise BadInput(f"there is no visit {visit_id}")
            return session.get_one(Study, there.study_id), there

    def visit(self, study: Study, key: str) -> Visit | None:
        """The visit with the platform's id `key`, if it began."""
        of_study = select(Visit).where(Visit.study_id == study.id, Visit.key == key)
        with answering(), self.store.session() as session:
            return session.scalar(of_study)

    def visits(self, study: Study) -> list[Visit]:
        """Everybody's visits for a study, the oldest first."""
        of_study = select(Visit).where(Visit.study_id == study.id).order_by(Visit.id)
        with answering(), self.store.session() as session:
            return list(session.scalars(of_study))

    def consent(self, visit_id: int, agrees: bool) -> Visit:
        """Store whether the visitor agrees to the study's terms; who does not has ended.

        What was said first holds.

        Raises:
            BadInput: there is no such visit.
        """
        with answering(), self.store.begin_alone() as session:
            if (there := session.get(Visit, visit_id)) is None:
                raise BadInput(f"there is no visit {visit_id}")
            if there.ended_at is None and there.consented_at is None:
                if agrees:
                    there.consented_at = now()
                else:
                    end_visit(there, "declined")
            return there


def study_row(session: Session, platform: str, key: str) -> Study | None:
    """The row of a study."""
    return session.scalar(select(Study).where(Study.platform == platform, Study.key == key))


def begin_visit(
    session: Session, study: Study, labeler: Labeler, key: str, verified: bool = False
) -> Visit:
    """The row of the visit with the platform's id `key`: the same one whenever they come with it.

    On MTurk a worker may take several assignments of a study, each a visit. On Prolific a person
    takes part once: who ended a visit gets no second one; who did not begins anew.

    Raises:
        BadInput: the visit is another labeler's or another study's, or the labeler ended one of
            this study before.
    """
    there = session.scalar(select(Visit).where(Visit.study_id == study.id, Visit.key == key))
    if there is not None:
        if there.labeler_id != labeler.id:
            log.warning("visit %r of study %r came under another's id", key, study.key)
            raise BadInput("this visit is somebody else's: open the link from the platform")
        there.verified = there.verified or verified
        return there
    # What a platform signs is not kept out by what somebody claimed.
    other_visits = select(Visit.id).join(Study, Study.id == Visit.study_id)
    other_visits = other_visits.where(Study.platform == study.platform, Visit.key == key)
    if verified:
        other_visits = other_visits.where(Visit.verified)
    if session.scalar(other_visits.limit(1)) is not None:
        log.warning("visit %r of another study came to study %r", key, study.key)
        raise BadInput("this visit is another study's: open the link from the platform")
    ended = select(Visit.id).where(
        Visit.study_id == study.id,
        Visit.labeler_id == labeler.id,
        Visit.ended_at.is_not(None),
    )
    if study.platform == "prolific" and session.scalar(ended.limit(1)) is not None:
        raise BadInput("you have done this study in an earlier session: this one has no work")
    session.add(
        there := Visit(study_id=study.id, labeler_id=labeler.id, key=key, verified=verified)
    )
    session.flush()
    return there


def end_visit(visit: Visit, outcome: Outcome) -> None:
    """End it; one that was ended stays as it is."""
    if visit.ended_at is None:
        visit.ended_at, visit.outcome = now(), outcome


_CODES = ("code", "code_failed", "code_declined", "code_nothing")


def _check(platform: str, terms: Terms) -> None:
    for name in _CODES:
        code = getattr(terms, name)
        if code is not None and not _CODE.fullmatch(code):
            raise BadInput(f"a completion code is 1 to 64 of A-Z, a-z, 0-9, - and _, not {code!r}")
    if terms.gold_needed is not None and not 0 <= terms.gold_needed <= 1:
        raise BadInput(f"the share of gold questions is from 0 to 1, not {terms.gold_needed}")
    if any(len(text or "") > _LONGEST_TEXT for text in (terms.pay, terms.consent)):
        raise BadInput(f"the pay's and the consent's text have at most {_LONGEST_TEXT} characters")
    if terms.signed and platform != "prolific":
        raise BadInput("only Prolific signs its visits: leave --signed out for mturk")
