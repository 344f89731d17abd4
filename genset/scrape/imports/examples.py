"""Photos that somebody knows to be right, for labelers to compare with: a folder for each class.

A class has no examples until its first photos are labeled, which is when newcomers need them most.
Such a photo is shown beside its class and is no candidate: nobody is asked about it, and no release
has it. So it needs no licence by which others may have it, and may be older than the pool's photos.
Whoever starts the page vouches that labelers may see it.
"""

from dataclasses import asdict, dataclass, field
from pathlib import Path

from sqlalchemy import exists, or_, select
from sqlalchemy.orm import Session

from genset.core.errors import PhotoRefused
from genset.core.files import secure, sha256_of
from genset.core.progress import progress
from genset.db import Claim, ExamplePhoto, Photo, Store, now
from genset.net.originals import Original, checked, keep
from genset.scrape.imports.folder import (
    ClassFile,
    Origin,
    check_owner,
    class_files,
    content_of,
    id_of,
    photo_of,
    was_removed,
)
from genset.scrape.opt_out import OPTED_OUT, OptOut
from genset.workspace import Workspace

SOURCE = "own"
"""The source of examples of which nobody says where they are from."""


@dataclass
class ExampleSummary:
    """What came of a folder of examples, or would come of it.

    `classes` counts the new ones by class, `refused` gives the reason for each file that cannot be
    used.
    """

    source: str
    added: int = 0
    already: int = 0
    classes: dict[str, int] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def add_examples(
    workspace: Workspace,
    store: Store,
    folder: Path,
    origin: Origin,
    *,
    min_size: int | None = None,
    dry_run: bool = False,
) -> ExampleSummary:
    """Make the photos of ``FOLDER/<class>/`` examples of their classes, in the order of names.

    Each is stored when it is checked, so the same call goes on where a killed one stopped. A photo
    that is a candidate already is refused: labelers are asked about it. With `dry_run` nothing is
    stored.

    Raises:
        BadInput: something is wrong with the folder or with `origin`; nothing is added then.
    """
    opt_out = OptOut.of(workspace)
    check_owner(store, origin, opt_out)
    files = list(class_files(folder, store.taxonomy))
    summary = ExampleSummary(origin.source)
    for file in progress(files, total=len(files), what="add", unit="photo"):
        sha256 = sha256_of(file.path)
        try:
            with store.session() as session:
                if _is_example(session, file.wnid, sha256):
                    summary.already += 1
                    continue
                _refuse_candidate(session, origin, sha256)
                if was_removed(session, sha256):
                    raise PhotoRefused("removed", "somebody asked for it")
            if opt_out.reason_against(origin.source, origin.owner, id_of(sha256)):
                raise PhotoRefused(OPTED_OUT, f"named in {opt_out.file}")
            content = content_of(file.path)
            if dry_run:
                checked(content, min_size)
            else:
                original = keep(content, workspace.images, min_size)
                secure([workspace.images / original.file])
                with store.begin_alone() as session:
                    _refuse_candidate(session, origin, sha256)  # a scrape may have found it since
                    _settle(session, file, origin, original)
        except PhotoRefused as refused:
            summary.refused[str(file.path.relative_to(folder))] = str(refused)
        else:
            summary.added += 1
            summary.classes[file.wnid] = summary.classes.get(file.wnid, 0) + 1
    return summary


def _is_example(session: Session, wnid: str, sha256: str) -> bool:
    of_class = select(ExamplePhoto.id).join(Photo, Photo.id == ExamplePhoto.photo_id)
    same = of_class.where(ExamplePhoto.wnid == wnid, Photo.sha256 == sha256)
    return session.scalar(same.limit(1)) is not None


def _refuse_candidate(session: Session, origin: Origin, sha256: str) -> None:
    """Raise PhotoRefused where the photo, or one of its bytes, is claimed for any class."""
    named = (Photo.source == origin.source) & (Photo.source_id == id_of(sha256))
    claimed = (
        select(Claim.wnid)
        .join(Photo, Photo.id == Claim.photo_id)
        .where(or_(Photo.sha256 == sha256, named))
        .order_by(Claim.id)
    )
    if (wnid := session.scalar(claimed.limit(1))) is not None:
        raise PhotoRefused("candidate", f"it is one of {wnid}, and no example can be")


def _settle(session: Session, file: ClassFile, origin: Origin, original: Original) -> None:
    """Store a file's photo as an example of its class."""
    photo = photo_of(session, file, original.sha256, origin)
    if photo.sha256 is None:
        photo.refused = None
        for name, value in asdict(original).items():
            setattr(photo, name, value)
        photo.stored_at = now()
    there = exists().where(ExamplePhoto.wnid == file.wnid, ExamplePhoto.photo_id == photo.id)
    if not session.scalar(select(there)):
        session.add(ExamplePhoto(wnid=file.wnid, photo_id=photo.id))
