"""Another way in: a folder of photos in class folders, through the same checks.

Such photos are a source of their own, named by the user. A photo's id there is the beginning of its
sha256, so adding a folder twice adds nothing, whatever its files are called.

When a photo was first public is not in its file: a camera's date and a file's date say when it was
taken or copied, and anybody can set them. What genset needs to know is whether a model can have
seen it. So `posted_at` is the user's word for all photos of the folder: the day from which they
were public, or, where nothing is said, the moment at which they are added, which is true for photos
that were never published.

They become candidates (`add`), or examples (`add_examples`): photos that somebody knows to be
right, for labelers to compare with. A class has no examples until its first photos are labeled,
which is when newcomers need them most. An example is shown beside its class and is no candidate:
nobody is asked about it, and no release has it. So it needs no licence by which others may have it,
and may be older than the pool's photos. Whoever starts the page vouches that labelers may see it.
"""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace
from sqlalchemy import exists, or_, select
from sqlalchemy.orm import Session

from genset.classes import Taxonomy, hint
from genset.core.errors import BadInput, PhotoRejected
from genset.core.files import image_file, secure, sha256_of
from genset.core.photo import PhotoOrigin
from genset.core.pixels import FORMATS
from genset.core.progress import progress
from genset.db import (
    Candidate,
    Claim,
    ExamplePhoto,
    Photo,
    PhotoEvent,
    RemovedOwner,
    Store,
    add_candidates,
    examples_among,
    now,
)
from genset.net.originals import AN_EXAMPLE, Original, checked, keep
from genset.net.transport import MAX_BYTES
from genset.scrape.opt_out import OPTED_OUT, OptOut
from genset.sources.source import is_source
from genset.workspace import Workspace


@dataclass
class AddSummary:
    """What came of a folder: `rejected` gives the reason for each file that cannot be used."""

    source: str
    added: int = 0
    already: int = 0
    rejected: dict[str, str] = field(default_factory=dict)


class ClassFile(NamedTuple):
    """A file of a class's folder; `rank` is its place there, from 1."""

    wnid: str
    rank: int
    path: Path


def add(
    workspace: Workspace,
    store: Store,
    folder: Path,
    origin: PhotoOrigin,
    min_size: int | None = None,
) -> AddSummary:
    """Make the photos of ``FOLDER/<wnid>/`` candidates of their classes, by the order of names.

    Each is stored when it is checked, so the same call goes on where a killed one stopped.

    Raises:
        BadInput: something is wrong with the folder or with `origin`; nothing is added then.
    """
    opt_out = OptOut.of(workspace)
    _check(workspace, store, origin, opt_out)
    files = list(class_files(folder, store.taxonomy))
    summary = AddSummary(origin.source)
    for file in progress(files, total=len(files), what="add", unit="photo"):
        sha256 = sha256_of(file.path)
        with store.session() as session:
            if _holds(session, file.wnid, sha256):
                summary.already += 1
                continue
            is_example = bool(examples_among(session, [sha256]))
        if is_example:  # which has a row of its own, that stays as it is
            reason: str | None = str(PhotoRejected(*AN_EXAMPLE))
        else:
            reason = _add_candidate(workspace, store, file, sha256, origin, opt_out, min_size)
        if reason is None:
            summary.added += 1
        else:
            summary.rejected[str(file.path.relative_to(folder))] = reason
    return summary


def _add_candidate(
    workspace: Workspace,
    store: Store,
    file: ClassFile,
    sha256: str,
    origin: PhotoOrigin,
    opt_out: OptOut,
    min_size: int | None,
) -> str | None:
    """Store a file's photo as a candidate; why it is rejected, None where it is not."""
    outcome: Original | PhotoRejected
    try:
        _refuse_unwanted(store, origin, opt_out, sha256)
        outcome = _laid_down(workspace, file.path, min_size)
    except PhotoRejected as rejected:
        outcome = rejected
    with store.begin_alone() as session:
        return _store_candidate(session, file, sha256, origin, outcome).rejected


def _refuse_unwanted(store: Store, origin: PhotoOrigin, opt_out: OptOut, sha256: str) -> None:
    """Raise PhotoRejected where a photo was removed or its owner opted out."""
    with store.session() as session:
        if was_removed(session, sha256):
            raise PhotoRejected("removed", "somebody asked for it")
    if opt_out.reason_against(origin.source, origin.owner, id_of(sha256)):
        raise PhotoRejected(OPTED_OUT, f"named in {opt_out.file}")


def _laid_down(workspace: Workspace, path: Path, min_size: int | None) -> Original:
    """Check a file's photo and lay its bytes down for good. Raises PhotoRejected as `keep`."""
    original = keep(content_of(path), workspace.images, min_size)
    secure([workspace.images / original.file])
    return original


def _check(workspace: Workspace, store: Store, origin: PhotoOrigin, opt_out: OptOut) -> None:
    check_owner(store, origin, opt_out)
    if origin.posted_at < workspace.posted_after:
        raise BadInput(
            f"photos that were public on {origin.posted_at.date()} may have been seen by models: "
            f"this workspace takes those posted since {workspace.posted_after.date()} "
            "(posted_after in genset.toml)"
        )


def check_owner(store: Store, origin: PhotoOrigin, opt_out: OptOut) -> None:
    """Check that photos may be from there, and that their owner wants them here.

    Raises:
        BadInput: they may not, or their owner does not.
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,31}", origin.source):
        raise BadInput(
            f"{origin.source!r} is not a source name (up to 32 lower case letters, digits, '.', "
            "'_' and '-'): use --source NAME"
        )
    if is_source(origin.source):  # ids mean something else there, and are asked after
        raise BadInput(f"{origin.source} is a source of scraped photos: use another --source NAME")
    if f"{origin.source}:{origin.owner}" in opt_out.owners:
        raise BadInput(f"{origin.owner!r} opted out: {opt_out.file} names {origin.source}'s owner")
    with store.session() as session:
        tombstone = session.scalar(
            select(RemovedOwner).where(
                RemovedOwner.source == origin.source, RemovedOwner.owner == origin.owner
            )
        )
    if tombstone is not None:
        raise BadInput(f"the photos of {origin.owner!r} were removed: {tombstone.reason}")


def class_files(folder: Path, taxonomy: Taxonomy) -> Iterator[ClassFile]:
    """Every file of every class folder. What is hidden, or beside the class folders, is not ours.

    Raises:
        BadInput: a folder is not named by a class, or holds another folder, or there is none.
    """
    classes = sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith("."))
    if not classes:
        example = "n02123045" if taxonomy.is_imagenet else taxonomy.by_index(0).wnid
        raise BadInput(f"{folder} holds no class folders: put photos into {folder}/{example}/")
    for cls in classes:
        wnid = taxonomy.meant_by(cls.name)
        if wnid is None:
            raise BadInput(f"{cls} is named by no class: {hint(taxonomy, cls.name)}")
        shown = sorted(path for path in cls.iterdir() if not path.name.startswith("."))
        for rank, path in enumerate(shown, start=1):
            if not path.is_file():
                raise BadInput(f"{path} is not a file: put photos directly into their class folder")
            yield ClassFile(wnid, rank, path)


def _holds(session: Session, wnid: str, sha256: str) -> bool:
    """Whether the class has a photo of these bytes, from wherever."""
    same = select(Candidate.id).join(Candidate.photo)
    same = same.where(Candidate.wnid == wnid, Photo.sha256 == sha256)
    return session.scalar(same.limit(1)) is not None


def was_removed(session: Session, sha256: str) -> bool:
    """Whether `genset remove` took out these bytes, from whatever source they came."""
    files = [image_file(sha256, kind) for kind in FORMATS]
    event = select(PhotoEvent.id).where(PhotoEvent.what == "removed", PhotoEvent.detail.in_(files))
    return session.scalar(event.limit(1)) is not None


def id_of(sha256: str) -> str:
    """A photo's id at its source."""
    return sha256[:32]


def content_of(path: Path) -> bytes:
    """A file's bytes. Raises PhotoRejected where there are too many."""
    if (size := path.stat().st_size) > MAX_BYTES:
        raise PhotoRejected("too large", f"{size} bytes")
    return path.read_bytes()


def _store_candidate(
    session: Session,
    file: ClassFile,
    sha256: str,
    origin: PhotoOrigin,
    outcome: Original | PhotoRejected,
) -> Photo:
    """Store a file's photo, or why it is rejected, as a candidate of its class."""
    photo = photo_of(session, file, sha256, origin)
    claimed = select(Candidate.id).where(
        Candidate.wnid == file.wnid, Candidate.photo_id == photo.id
    )
    if session.scalar(claimed) is None:
        row = {"wnid": file.wnid, "photo_id": photo.id, "keyword": "", "rank": file.rank}
        add_candidates(session, [row])
    if isinstance(outcome, PhotoRejected):
        # A tombstone keeps its first words.
        if not (photo.rejected or "").startswith("removed"):
            photo.rejected = str(outcome)
    elif photo.sha256 is None:
        _take_in(photo, outcome)
    return photo


def _take_in(photo: Photo, original: Original) -> None:
    """Store what is known of a photo's original with it."""
    photo.rejected = None
    for name, value in asdict(original).items():
        setattr(photo, name, value)
    photo.stored_at = now()


def photo_of(session: Session, file: ClassFile, sha256: str, origin: PhotoOrigin) -> Photo:
    """A file's photo, which is made where it is not there."""
    source_id = id_of(sha256)
    photo = session.scalar(
        select(Photo).where(Photo.source == origin.source, Photo.source_id == source_id)
    )
    if photo is None:
        named = replace(origin, source_id=source_id, title=file.path.name)
        photo = Photo.of(replace(named, owner_name=origin.credited))
        session.add(photo)
        session.flush()
    return photo


SOURCE = "own"
"""The source of examples of which nobody says where they are from."""


@dataclass
class ExampleSummary:
    """What came of a folder of examples, or would come of it.

    `classes` counts the new ones by class, `rejected` gives the reason for each file that cannot be
    used.
    """

    source: str
    added: int = 0
    already: int = 0
    classes: dict[str, int] = field(default_factory=dict)
    rejected: dict[str, str] = field(default_factory=dict)


def add_examples(
    workspace: Workspace,
    store: Store,
    folder: Path,
    origin: PhotoOrigin,
    *,
    min_size: int | None = None,
    dry_run: bool = False,
) -> ExampleSummary:
    """Make the photos of ``FOLDER/<class>/`` examples of their classes, in the order of names.

    Each is stored when it is checked, so the same call goes on where a killed one stopped. A photo
    that is a candidate already is rejected: labelers are asked about it. With `dry_run` nothing is
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
            _refuse_unwanted(store, origin, opt_out, sha256)
            if dry_run:
                checked(content_of(file.path), min_size)
            else:
                original = _laid_down(workspace, file.path, min_size)
                with store.begin_alone() as session:
                    _refuse_candidate(session, origin, sha256)  # a scrape may have found it since
                    _store_example(session, file, origin, original)
        except PhotoRejected as rejected:
            summary.rejected[str(file.path.relative_to(folder))] = str(rejected)
        else:
            summary.added += 1
            summary.classes[file.wnid] = summary.classes.get(file.wnid, 0) + 1
    return summary


def _is_example(session: Session, wnid: str, sha256: str) -> bool:
    of_class = select(ExamplePhoto.id).join(Photo, Photo.id == ExamplePhoto.photo_id)
    same = of_class.where(ExamplePhoto.wnid == wnid, Photo.sha256 == sha256)
    return session.scalar(same.limit(1)) is not None


def _refuse_candidate(session: Session, origin: PhotoOrigin, sha256: str) -> None:
    """Raise PhotoRejected where the photo, or one of its bytes, is claimed for any class."""
    named = (Photo.source == origin.source) & (Photo.source_id == id_of(sha256))
    claimed = (
        select(Claim.wnid)
        .join(Photo, Photo.id == Claim.photo_id)
        .where(or_(Photo.sha256 == sha256, named))
        .order_by(Claim.id)
    )
    if (wnid := session.scalar(claimed.limit(1))) is not None:
        raise PhotoRejected("candidate", f"it is one of {wnid}, and no example can be")


def _store_example(
    session: Session, file: ClassFile, origin: PhotoOrigin, original: Original
) -> None:
    """Store a file's photo as an example of its class."""
    photo = photo_of(session, file, original.sha256, origin)
    if photo.sha256 is None:
        _take_in(photo, original)
    there = exists().where(ExamplePhoto.wnid == file.wnid, ExamplePhoto.photo_id == photo.id)
    if not session.scalar(select(there)):
        session.add(ExamplePhoto(wnid=file.wnid, photo_id=photo.id))
