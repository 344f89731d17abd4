"""Proposals of further classes as tables of an archive, and back.

A round is known in another workspace by its release and the time at which it was made, and a
question by its task.
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import Claim, Photo, Proposal, ProposalRound, ProposedBy, Question, stored_taxonomy
from genset.label.exchange.sheet import Cells, Row, naming, number_in, read_if_there, time_in
from genset.label.exchange.table import (
    Imported,
    candidates_by_task,
    checked_word,
    known_task,
    photos_by_name,
)
from genset.label.proposals.choose import CONFUSABLE, LABELER, MODEL, RANDOM

PROPOSAL_SHEETS = ("proposal_rounds", "questions", "proposers")

_ROUNDS = (
    "round",
    "release",
    "content_hash",
    "seed",
    "share",
    "most",
    "made_at",
    "withdrawn_at",
)
_QUESTIONS = ("task", "round", "home", "at_random")
_PROPOSERS = ("task", "kind", "name", "place", "run")
_KINDS = (MODEL, CONFUSABLE, RANDOM, LABELER)
_LONGEST_NAME = 500


def proposal_sheets(session: Session) -> dict[str, tuple[tuple[str, ...], Cells]]:
    """Columns and rows by table; no tables where nothing was proposed.

    Rounds are numbered from 1, in the order in which they were made. Questions stand by round and
    task, and who proposed them by task, the first to do so first.
    """
    rounds = session.scalars(
        select(ProposalRound).order_by(ProposalRound.made_at, ProposalRound.id)
    ).all()
    if not rounds:
        return {}
    places = {each.id: place for place, each in enumerate(rounds, start=1)}
    named = select(Question, Claim.wnid, Photo.source, Photo.source_id)
    rows = session.execute(
        named.join(Claim, Claim.id == Question.candidate_id).join(Photo, Photo.id == Claim.photo_id)
    )
    tasks: dict[int, str] = {}
    questions = []
    for each, wnid, source, source_id in rows:
        task = tasks[each.candidate_id] = f"{wnid}/{source}:{source_id}"
        questions.append((places[each.round_id], task, each.home, int(each.at_random)))
    by = [
        (tasks[each.candidate_id], each.id, each.kind, each.name, each.place, each.run)
        for each in session.scalars(select(ProposedBy))
    ]
    return {
        "proposal_rounds": (
            _ROUNDS,
            (
                (places[each.id], *(getattr(each, column) for column in _ROUNDS[1:]))
                for each in rounds
            ),
        ),
        "questions": (
            _QUESTIONS,
            ((task, number, *rest) for number, task, *rest in sorted(questions)),
        ),
        "proposers": (
            _PROPOSERS,
            ((task, *rest) for task, _, *rest in sorted(by, key=lambda each: each[:2])),
        ),
    }


def add_proposals(session: Session, folder: Path) -> dict[str, Imported]:
    """Add what `proposal_sheets` gave, of those tables that are there.

    Of a round that is here, only that it was withdrawn is new.

    Raises:
        BadInput: a row is wrong; its line is named.
    """
    numbers, added = _add_rounds(session, folder / "proposal_rounds.csv")
    found = {
        "proposal_rounds": added,
        "questions": _add_questions(session, folder / "questions.csv", numbers),
        "proposers": _add_proposers(session, folder / "proposers.csv"),
    }
    return {name: each for name, each in found.items() if (folder / f"{name}.csv").exists()}


def _add_rounds(session: Session, path: Path) -> tuple[dict[int, int], Imported]:
    """The rounds' ids here by their numbers in the file."""
    there: dict[tuple[str, datetime], ProposalRound] = {
        (each.content_hash, each.made_at): each for each in session.scalars(select(ProposalRound))
    }
    numbers: dict[int, int] = {}
    new = known = 0
    for place, row in read_if_there(path, *_ROUNDS[:-1]):
        with naming(place):
            made, number = _round(row), _number(row, "round")
        if (same := there.get((made.content_hash, made.made_at))) is not None:
            same.withdrawn_at = same.withdrawn_at or made.withdrawn_at
            made, known = same, known + 1
        else:
            there[made.content_hash, made.made_at] = made
            session.add(made)
            new += 1
        session.flush()
        numbers[number] = made.id
    return numbers, Imported(new, known)


def _round(row: Row) -> ProposalRound:
    made_at, share = time_in(row, "made_at"), float(row["share"])
    if made_at is None:
        raise BadInput("a round was made at some time: made_at is empty")
    if not 0 <= share <= 1:
        raise BadInput(f"a share is from 0 to 1, not {row['share']}")
    return ProposalRound(
        release=checked_word("a release", row["release"]),
        content_hash=row["content_hash"],
        seed=_number(row, "seed"),
        share=share,
        most=_number(row, "most"),
        made_at=made_at,
        withdrawn_at=time_in(row, "withdrawn_at"),
    )


def _add_questions(session: Session, path: Path, rounds: Mapping[int, int]) -> Imported:
    claims, photos = candidates_by_task(session), photos_by_name(session)
    taxonomy = stored_taxonomy(session)
    there = set(session.scalars(select(Question.candidate_id)))
    new = known = 0
    for place, row in read_if_there(path, *_QUESTIONS):
        with naming(place):
            wnid, _, photo = row["task"].partition("/")
            number, home = _number(row, "round"), taxonomy[row["home"]].wnid
            if number not in rounds:
                raise BadInput(f"there is no round {number} in proposal_rounds.csv")
            if row["at_random"] not in ("0", "1"):
                raise BadInput(f"at_random is 0 or 1, not {row['at_random']!r}")
            if row["task"] not in claims:
                asked = Proposal(
                    wnid=taxonomy[wnid].wnid,
                    photo_id=known_task(photo, photos, "photo"),
                    keyword="",
                    rank=0,
                )
                session.add(asked)
                session.flush()
                claims[row["task"]] = asked.id
        claim = claims[row["task"]]
        if claim in there:
            known += 1
            continue
        there.add(claim)
        session.add(
            Question(
                candidate_id=claim,
                round_id=rounds[number],
                home=home,
                at_random=row["at_random"] == "1",
            )
        )
        new += 1
    session.flush()
    return Imported(new, known)


def _add_proposers(session: Session, path: Path) -> Imported:
    claims = candidates_by_task(session)
    asked = set(session.scalars(select(Question.candidate_id)))
    ours = {task: number for task, number in claims.items() if number in asked}
    columns = (ProposedBy.candidate_id, ProposedBy.kind, ProposedBy.name)
    there = set(map(tuple, session.execute(select(*columns))))
    new = known = 0
    for place, row in read_if_there(path, *_PROPOSERS):
        with naming(place):
            if row["kind"] not in _KINDS:
                raise BadInput(f"who proposes is {', '.join(_KINDS)}, not {row['kind']!r}")
            if len(row["name"]) > _LONGEST_NAME:
                raise BadInput(f"a name has at most {_LONGEST_NAME} characters")
            by = ProposedBy(
                candidate_id=known_task(row["task"], ours, "question"),
                kind=row["kind"],
                name=row["name"],
                place=number_in(row, "place"),
                run=row["run"] or None,
            )
        key = (by.candidate_id, by.kind, by.name)
        if key in there:
            known += 1
        else:
            there.add(key)
            session.add(by)
            new += 1
    session.flush()
    return Imported(new, known)


def _number(row: Row, column: str) -> int:
    number = number_in(row, column)
    if number is None or number < 0:
        raise BadInput(f"{column} is a number from 0 on, not {row[column]!r}")
    return number
