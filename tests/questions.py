"""A workspace whose photos are asked about again: which further classes are in them, too."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from sqlalchemy import select

from genset.db import Claim, Proposal, ProposalRound, ProposedBy, Question, Store, Verdict
from genset.db import find_candidate as find_claim
from genset.workspace import Workspace
from tests.labeled_workspace import CLASSES, labeled_workspace, vote

BASSINET, LAMPSHADE, CROQUET, MINK, TRACTOR = (
    "n02804414",
    "n03637318",
    "n03134739",
    "n02442845",
    "n04465501",
)
FURTHER = (BASSINET, LAMPSHADE, CROQUET)


def ask_about(store: Store, questions: Mapping[str, Sequence[str]], *, seed: int = 0) -> int:
    """Store a round of questions, as ``genset labels propose`` would; return its number.

    `questions` are the further classes of each photo, by its own task (WNID/SOURCE:PHOTO_ID).
    """
    with store.begin() as session:
        made = ProposalRound(release="v1", content_hash="0" * 64, seed=seed, most=8)
        session.add(made)
        session.flush()
        for task, classes in questions.items():
            own = find_claim(session, task)
            for place, wnid in enumerate(classes, 1):
                claim = session.scalar(
                    select(Claim).where(Claim.wnid == wnid, Claim.photo_id == own.photo_id)
                )
                if claim is None:
                    claim = Proposal(wnid=wnid, photo_id=own.photo_id, keyword="", rank=0)
                    session.add(claim)
                    session.flush()
                session.add(Question(candidate_id=claim.id, round_id=made.id, home=own.wnid))
                session.flush()
                by = {"kind": "model", "name": "timm:resnet50", "place": place}
                session.add(ProposedBy(candidate_id=claim.id, **by))
        return made.id


def questioned_workspace(
    root: Path,
    classes: Sequence[str] = CLASSES,
    photos: int = 5,
    further: Sequence[str] = FURTHER,
    first_pass_by: Sequence[str] = ("first", "second"),
) -> tuple[Workspace, Store]:
    """`labeled_workspace`, all photos called correct by these labelers, each asked about `further`.

    So with ``votes`` of 1 or 2 the first pass is over, and there are questions alone. Close the
    store.
    """
    workspace, store = labeled_workspace(root, classes, photos)
    tasks = [
        f"{wnid}/flickr:{100 * place + number}"
        for place, wnid in enumerate(classes)
        for number in range(photos)
    ]
    for task in tasks:
        for worker in first_pass_by:
            vote(store, task, worker, Verdict.CORRECT)
    ask_about(store, dict.fromkeys(tasks, further))
    return workspace, store
