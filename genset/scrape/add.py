"""Another way in: a folder of photos in class folders, through the same checks.

Such photos are a source of their own, named by the user. A photo's id there is the beginning of its
sha256, so adding a folder twice adds nothing, whatever its files are called.

When a photo was first public is not in its file: a camera's date and a file's date say when it was
taken or copied, and anybody can set them. What genset needs to know is whether a model can have
seen it. So `posted_at` is the user's word for all photos of the folder: the day from which they
were public, or, where nothing is said, the moment at which they are added, which is true for photos
that were never published.

They become candidates, or examples: photos that somebody knows to be right, for labelers to compare
with. A class has no examples until its first photos are labeled, which is when newcomers need them
most. An example is shown beside its class and is no candidate: no labeler is asked about it, and no
release has it. So it needs no licence by which others may have it, and may be older than the pool's
photos. Whoever starts the page vouches that labelers may see it.

Or they become gold questions, under ``correct/<class>/`` and ``incorrect/<class>/``, of which all
that holds, too. A photo of the same bytes that is in the workspace is used as it is there.
"""

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from genset.classes import Taxonomy, hint
from genset.core.errors import BadInput, PhotoRejected
from genset.core.files import image_file, secure, sha256_of
from genset.core.junk import is_junk, junk_in
from genset.core.photo import PhotoOrigin
from genset.core.pixels import FORMATS_OF_USERS
from genset.core.progress import progress
from genset.db import (
    Candidate,
    Claim,
    ExamplePhoto,
    GoldQuestion,
    Photo,
    PhotoEvent,
    RemovedOwner,
    Store,
    Verdict,
    add_candidates,
    examples_among,
    name_gold,
    now,
)
from genset.net.originals import AN_EXAMPLE, Original, checked, keep
from genset.net.transport import MAX_BYTES
from genset.scrape.opt_out import OPTED_OUT, SOURCE_NAME, OptOut
from genset.sources.source import source_names
from genset.workspace import Workspace

SOURCE = "own"
"""The source of examples of which nobody says where they are from."""


@dataclass
class AddSummary:
    """What came of a folder, or would come of it.

    Attributes:
        source: the photos' source.
        added: new photos; `classes` has their number by class.
        already: photos that were there; `updated` of them have what is given now.
        rejected: the reason for each file that cannot be used.
        passed_over: what is no photo and nobody's doing (`genset.core.junk`).
    """

    source: str
    added: int = 0
    already: int = 0
    updated: int = 0
    classes: dict[str, int] = field(default_factory=dict)
    rejected: dict[str, str] = field(default_factory=dict)
    passed_over: list[str] = field(default_factory=list)


class _File(NamedTuple):
    """A file of a class's folder, at place `rank` from 1; `expected` of a gold question."""

    wnid: str
    rank: int
    path: Path
    expected: Verdict | None = None

    def sha256(self) -> str:
        """Of its bytes; PhotoRejected for a link to nothing, or a file that is not ours to read."""
        try:
            return sha256_of(self.path)
        except OSError as error:
            raise PhotoRejected("not readable", str(error.strerror)) from None


def add(
    workspace: Workspace,
    store: Store,
    folder: Path,
    origin: PhotoOrigin,
    *,
    examples: bool = False,
    gold: bool = False,
    reason: str = "",
    update: Collection[str] = (),
    min_size: int | None = None,
    dry_run: bool = False,
) -> AddSummary:
    """Make the photos of ``FOLDER/<class>/`` candidates of their classes, by the order of names.

    Each is stored when it is checked, so the same call goes on where a killed one stopped.

    Args:
        workspace, store, folder, origin: where to, and which photos from where, by which licence.
        examples: make them examples instead, but for those that are candidates.
        gold: make them gold questions instead; `folder` has the folders correct and incorrect.
        reason: how the answers of gold questions are known.
        update: the fields of `origin` that photos of this source get which are there already.
        min_size: pixels that the shorter side must have.
        dry_run: store nothing.

    Raises BadInput, and adds nothing more, where the folder or `origin` is wrong.
    """
    opt_out = OptOut.of(workspace)
    _check_origin(workspace, store, origin, opt_out, candidates=not (examples or gold))
    found = (_gold_files if gold else _files)(folder, store.taxonomy)
    files, summary = list(found), AddSummary(origin.source, passed_over=junk_in(folder))
    for file in progress(files, total=len(files), what="add", unit="photo"):
        try:
            sha256 = file.sha256()
            named = replace(origin, source_id=sha256[:32], title=file.path.name)
            if photo := _photo_in(store, file, sha256, examples=examples):
                summary.already += 1
                summary.updated += not dry_run and _update(store, photo, origin, update)
                continue
            if opt_out.reason_against(named.source, named.owner, named.source_id):
                raise PhotoRejected(OPTED_OUT, f"named in {opt_out.file}")
            with store.session() as session:
                _refuse_unwanted(session, named, sha256, examples=examples)
            if original := _original(workspace, file.path, min_size, dry_run=dry_run):
                _store(store, file, named, original, examples=examples, reason=reason)
        except (PhotoRejected, BadInput) as rejected:
            summary.rejected[str(file.path.relative_to(folder))] = str(rejected)
        else:
            summary.added += 1
            summary.classes[file.wnid] = summary.classes.get(file.wnid, 0) + 1
    return summary


def _check_origin(
    workspace: Workspace, store: Store, origin: PhotoOrigin, opt_out: OptOut, *, candidates: bool
) -> None:
    """Check that photos may be from there, and that their owner wants them here.

    Raises:
        BadInput: they may not, or their owner does not.
    """
    if not SOURCE_NAME.fullmatch(origin.source):
        raise BadInput(
            f"{origin.source!r} is not a source name (up to 32 lower case letters, digits, '.', "
            "'_' and '-'): use --source NAME"
        )
    if origin.source in source_names():  # ids mean something else there, and are asked after
        raise BadInput(f"{origin.source} is a source of scraped photos: use another --source NAME")
    if f"{origin.source}:{origin.owner}" in opt_out.owners:
        raise BadInput(f"{origin.owner!r} opted out: {opt_out.file} names {origin.source}'s owner")
    tombstones = select(RemovedOwner).filter_by(source=origin.source, owner=origin.owner)
    with store.session() as session:
        tombstone = session.scalar(tombstones)
    if tombstone is not None:
        raise BadInput(f"the photos of {origin.owner!r} were removed: {tombstone.reason}")
    if candidates and origin.posted_at < workspace.posted_after:
        raise BadInput(
            f"photos that were public on {origin.posted_at.date()} may have been seen by models: "
            f"this workspace takes those posted since {workspace.posted_after.date()} "
            "(posted_after in genset.toml)"
        )


def _files(folder: Path, taxonomy: Taxonomy) -> Iterator[_File]:
    """Every file of every class folder. What is hidden, or beside the class folders, is not ours.

    Raises:
        BadInput: a folder is not named by a class, or holds another folder, or there is none.
    """
    classes = _folders(folder)
    if not classes:
        if taxonomy.meant_by(folder.name):
            raise BadInput(f"{folder} is named by a class itself: did you mean {folder.parent}?")
        example = "n02123045" if taxonomy.is_imagenet else taxonomy.by_index(0).wnid
        raise BadInput(f"{folder} holds no class folders: put photos into {folder}/{example}/")
    for cls in classes:
        wnid = taxonomy.meant_by(cls.name)
        if wnid is None:
            raise BadInput(f"{cls} is named by no class: {hint(taxonomy, cls.name)}")
        for rank, path in enumerate(_shown(cls), start=1):
            if path.exists() and not path.is_file():
                raise BadInput(f"{path} is not a file: put photos directly into their class folder")
            yield _File(wnid, rank, path)


def _shown(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if not (p.name.startswith(".") or is_junk(p.name)))


def _folders(folder: Path) -> list[Path]:
    """The folders in it that hold anything."""
    return [path for path in _shown(folder) if path.is_dir() and _shown(path)]


def _gold_files(folder: Path, taxonomy: Taxonomy) -> Iterator[_File]:
    """Every file of the class folders in ``correct`` and ``incorrect``."""
    folders = {verdict: folder / verdict for verdict in (Verdict.CORRECT, Verdict.INCORRECT)}
    there = _folders(folder)
    for other in sorted({*there} - {*folders.values()}) or [folder] * (not there):
        raise BadInput(f"{other} holds no gold questions: put photos into {folder}/correct/CLASS/")
    for verdict, path in folders.items():
        if path.is_dir():
            yield from (file._replace(expected=verdict) for file in _files(path, taxonomy))


def _photo_in(store: Store, file: _File, sha256: str, *, examples: bool) -> Photo | None:
    """The class's candidate, example or gold question of these bytes, from wherever."""
    table = ExamplePhoto if examples else GoldQuestion if file.expected else Candidate
    same = select(Photo).join(table, table.photo_id == Photo.id)
    same = same.where(table.wnid == file.wnid, Photo.sha256 == sha256)
    if file.expected:
        same = same.where(
            GoldQuestion.expected == file.expected,
            GoldQuestion.basis_id.is_(None),
            GoldQuestion.retired_at.is_(None),
        )
    with store.session() as session:
        return session.scalar(same.limit(1))


def _update(store: Store, photo: Photo, origin: PhotoOrigin, fields: Collection[str]) -> bool:
    """Give a photo of this source these fields of `origin`; whether that changes it."""
    new = {name: getattr(origin, name) for name in fields}
    if "owner" in new:
        new["owner_name"] = origin.credited
    if photo.source != origin.source or all(getattr(photo, name) == new[name] for name in new):
        return False
    with store.begin_alone() as session:
        stored = session.get_one(Photo, photo.id)
        for name, value in new.items():
            setattr(stored, name, value)
    return True


def _refuse_unwanted(session: Session, photo: PhotoOrigin, sha256: str, *, examples: bool) -> None:
    """Raise PhotoRejected where a photo was removed, or one of its bytes is the other kind."""
    files = [image_file(sha256, kind) for kind in FORMATS_OF_USERS]
    removed = select(PhotoEvent.id).where(
        PhotoEvent.what == "removed", PhotoEvent.detail.in_(files)
    )
    named = (Photo.source == photo.source) & (Photo.source_id == photo.source_id)
    claims = select(Claim.wnid).join(Photo, Photo.id == Claim.photo_id).order_by(Claim.id)
    if examples and (
        wnid := session.scalar(claims.where(or_(Photo.sha256 == sha256, named)).limit(1))
    ):
        raise PhotoRejected("candidate", f"it is one of {wnid}, and no example can be")
    if not examples and examples_among(session, [sha256]):
        raise PhotoRejected(*AN_EXAMPLE)
    if session.scalar(removed.limit(1)) is not None:
        raise PhotoRejected("removed", "somebody asked for it")


def _original(
    workspace: Workspace, path: Path, min_size: int | None, *, dry_run: bool
) -> Original | None:
    """Check a file's photo and lay its bytes down for good, unless it is a dry run."""
    if (size := path.stat().st_size) > MAX_BYTES:
        raise PhotoRejected("too large", f"{size} bytes")
    content = path.read_bytes()
    if dry_run:
        checked(content, min_size, FORMATS_OF_USERS)
        return None
    original = keep(content, workspace.images, min_size, FORMATS_OF_USERS)
    secure([workspace.images / original.file])
    return original


def _store(
    store: Store,
    file: _File,
    origin: PhotoOrigin,
    original: Original,
    *,
    examples: bool,
    reason: str,
) -> None:
    """Store a file's photo as a candidate, an example or a gold question of its class."""
    # Only now, for labelers wait meanwhile.
    with store.begin_alone() as session:
        # It may be unwanted since.
        _refuse_unwanted(session, origin, original.sha256, examples=examples)
        named = {"source": origin.source, "source_id": origin.source_id}
        photo = session.scalar(select(Photo).filter_by(**named))
        if photo is None and file.expected:
            same = select(Photo).filter_by(sha256=original.sha256, rejected=None)
            photo = session.scalar(same.limit(1))
        if photo is None:
            photo = Photo.of(replace(origin, owner_name=origin.credited))
            session.add(photo)
        if photo.sha256 is None:
            photo.rejected, photo.stored_at = None, now()
            for name, value in asdict(original).items():
                setattr(photo, name, value)
        session.flush()
        if file.expected:
            name_gold(session, photo, file.wnid, file.expected, reason)
            return
        row = {"wnid": file.wnid, "photo_id": photo.id}
        table = ExamplePhoto if examples else Candidate
        if session.scalar(select(table.id).filter_by(**row)) is not None:
            return  # whose original was lost
        if examples:
            session.add(ExamplePhoto(**row))
        else:
            add_candidates(session, [{**row, "keyword": "", "rank": file.rank}])
