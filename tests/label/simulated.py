"""Labelers without browsers: each a process that labels as fast as the store lets it."""

import time
from dataclasses import replace
from pathlib import Path

from sqlalchemy import insert

from genset.classes import imagenet1k
from genset.db import Candidate, GoldQuestion, Photo, Proposal, ProposalRound, Question, Store, now
from genset.label import Verdict
from genset.label.labelers import Labelers
from genset.label.session.desk import Desk
from genset.label.session.shown import (
    AlsoScreen,
    LoadedScreen,
    Screen,
    Submission,
)
from genset.settings import LabelRules
from genset.workspace import Workspace
from tests.label import desks
from tests.label.also import answered

ADDED = "n02442845"  # a mink, which nobody asks about

# Growing votes, gold questions and leases that end while a killed labeler is away.
RULES = LabelRules(votes=2, grow_to=(3, 5), gold=0.1, lease_minutes=0.02)


def opinion(owner: str, name: str) -> Verdict:
    """The same whenever it is asked; labelers differ about some photos."""
    split = (sum(owner.encode()) * 7 + sum(name.encode())) % 10
    return Verdict.CORRECT if split < 8 else Verdict.INCORRECT


def decided(screen: Screen | AlsoScreen, name: str) -> Submission:
    """Every photo or question of a screen, decided now; now and then a class is added."""
    if isinstance(screen, Screen):
        return desks.decided(screen, lambda owner: opinion(owner, name))
    owner = screen.photo.owner_name
    seen = {screen.home.wnid, *(each.cls.wnid for each in screen.questions)}
    added = [ADDED] if owner.endswith(name[-1]) and ADDED not in seen else []
    return answered(screen, lambda wnid: opinion(f"{owner} {wnid}", name), *added)


def label(root: Path, url: str, name: str, log: Path, seconds: float) -> None:
    """Label until the time is over or there is nothing more.

    `log` gets a line "sent ID" for each label before it is submitted, and "stored ID" or
    "refused ID REASON" once that was answered; it lies in the file whatever happens next.
    """
    workspace = replace(Workspace.find(root), label=RULES)
    store = Store.open(url)
    desk = Desk(workspace, store, Labelers(store).by_name(name))
    until = time.monotonic() + seconds
    with log.open("a", encoding="utf-8", buffering=1) as lines:
        while time.monotonic() < until and desk.progress().done is None:
            for screen in desk.next(2)[0]:
                if isinstance(screen, LoadedScreen):
                    continue
                given = decided(screen, name)
                for each in (*given.labels, *given.added):
                    print("sent", each.id, file=lines)
                for receipt in desk.submit(given):
                    said = "stored" if receipt.ok else "rejected"
                    print(said, receipt.id, receipt.reason, file=lines)
    store.close()


def add_pool(store: Store, candidates: int, a_class: int = 25, questions: int = 0) -> None:
    """Candidates, so many a class, whose pictures nobody asks for: rows without files.

    A photo of every class is a gold question of the next one. So many photos are asked about again:
    whether they show the last four classes, too.
    """
    classes = [cls.wnid for cls in imagenet1k()]
    at = now()
    known = {"source": "flickr", "title": "", "license": "CC BY 2.0", "format": "JPEG"}
    known |= dict.fromkeys(("license_url", "page_url", "image_url"), "")
    photos = [
        {
            "id": number,
            "source_id": str(number),
            "owner": f"{number}@N00",
            "sha256": f"{number:064x}",
        }
        | {"owner_name": f"owner {number}", "posted_at": at, "stored_at": at}
        | {"sha256": f"{number:064x}", **known}
        for number in range(1, candidates + 1)
    ]
    found = [
        {
            "wnid": classes[(number - 1) // a_class],
            "photo_id": number,
            "keyword": "",
            "rank": (number - 1) % a_class + 1,
        }
        for number in range(1, candidates + 1)
    ]
    gold = [
        {
            "wnid": classes[number // a_class],
            "photo_id": number,
            "expected": Verdict.INCORRECT,
            "reason": "known for the class before",
        }
        for number in range(a_class, candidates, a_class)
    ]
    with store.begin() as session:
        session.execute(insert(Photo), photos)
        session.execute(insert(Candidate), found)
        session.execute(insert(GoldQuestion), gold)
        if questions:
            at_once = [classes[-each] for each in (1, 2, 3, 4)]
            asked = ProposalRound(release="v1", content_hash="0" * 64, seed=1, most=len(at_once))
            session.add(asked)
            session.flush()
            for photo in range(1, questions + 1):
                for wnid in at_once:
                    claim = Proposal(wnid=wnid, photo_id=photo, keyword="", rank=0)
                    session.add(claim)
                    session.flush()
                    home = found[photo - 1]["wnid"]
                    session.add(Question(candidate_id=claim.id, round_id=asked.id, home=home))
