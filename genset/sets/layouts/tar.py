"""A ``.tar`` of folders of classes, or of photos with a ``labels.csv``; or WebDataset's shards."""

from collections.abc import Sequence
from pathlib import Path

from genset.core.errors import BadInput
from genset.release.reader import MANIFEST
from genset.sets.hashes import HashStore
from genset.sets.layouts import webdataset
from genset.sets.layouts.folder import ClassFolders, classes_of_folders
from genset.sets.layouts.labels import LABELS, rows_of, validation_rows
from genset.sets.layouts.layout import Classes, expanded, set_name
from genset.sets.layouts.members import Member, members_of
from genset.sets.photos import PhotoSet, ScoredPhoto, Unreadable, hash_of, readable

_PACKED = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst")
_LONGEST = 2**28  # bytes of a table


def takes(named: str, classes: Classes) -> bool:
    """Whether it ends as tars do."""
    return named.endswith((".tar", *_PACKED)) and not Path(named).is_dir()


def read(named: str, classes: Classes, hashes: Path | None) -> PhotoSet:
    """The photos of a tar in the order of their ids or of its table; of shards in theirs.

    Raises:
        BadInput: it is none of these.
    """
    root = Path(named)
    store = HashStore(hashes, root)
    tars = {path: members_of(path, store) for path in expanded(named)}
    store.save()
    if len(tars) > 1 or any(map(webdataset.has_samples, tars.values())):
        return webdataset.read(set_name(named), root, tars, classes)
    [(path, members)] = tars.items()
    return _read_one(path, _without_top(members, classes), classes)


def _read_one(path: Path, members: dict[str, Member], classes: Classes) -> PhotoSet:
    if MANIFEST in members:
        raise BadInput(f"{path} is a packed release: unpack it, and name its folder")
    found = _classified(path, members, classes)
    notes: tuple[str, ...] = ()
    if not found.photos and (rows := _listed(path, members, classes)):
        photos = [_photo(path, image, wnid, members.get(image)) for image, wnid in rows.items()]
    else:
        found.check(str(path))
        notes = found.notes()
        ids = sorted(found.photos, key=lambda photo: photo.split("/"))
        photos = [_photo(path, image, found.photos[image], members[image]) for image in ids]
    return PhotoSet(
        name=set_name(str(path)),
        root=path,
        content_hash=hash_of(photos),
        photos=tuple(photos),
        notes=notes,
        custom_taxonomy=classes.custom,
    )


def _photo(path: Path, image: str, wnid: str, member: Member | None) -> ScoredPhoto:
    if member is None:
        return ScoredPhoto(image, path, wnid, Unreadable("it is not in the tar"))
    return ScoredPhoto(readable(image), path, wnid, member.part, member.sha256)


def _without_top(members: Sequence[Member], classes: Classes) -> dict[str, Member]:
    """By their names; without the folder that all lie in, as in a tar of ``val/``."""
    found = {member.name: member for member in members}
    while len(tops := {name.partition("/")[0] for name in found}) == 1:
        (top,) = tops
        if top in found or classes.of_folder(top):
            break
        found = {name.removeprefix(f"{top}/"): member for name, member in found.items()}
    return found


def _classified(path: Path, members: dict[str, Member], classes: Classes) -> ClassFolders:
    found = ClassFolders(classes)
    folders = sorted({name.partition("/")[0] for name in members if "/" in name})
    meant = classes_of_folders(folders, str(path), classes)
    strange: dict[str, None] = {}
    for name, member in sorted(members.items()):
        folder, *below = name.split("/")
        wnid = meant.get(folder)
        if len(below) == 1 and wnid:
            if member.is_photo:
                found.photos[name] = wnid
            elif not below[0].startswith("."):
                found.others.append(below[0])
        elif member.is_photo and below and not wnid:
            strange[folder] = None
        elif member.is_photo:
            found.stray.append(name.rpartition("/")[2])
    found.strange += strange
    return found


def _listed(path: Path, members: dict[str, Member], classes: Classes) -> dict[str, str]:
    """The classes of photos that lie in no folders: by a list in the tar or beside it, if any."""
    table = path.with_name(LABELS)
    try:
        if LABELS in members:
            part = members[LABELS].part
            if members[LABELS].size > _LONGEST:
                raise BadInput(f"{path}/{LABELS} is too large")
            return rows_of(part.read(path), f"{path}/{LABELS}", classes)
        if table.is_file():
            return rows_of(table.read_bytes(), str(table), classes)
    except OSError as error:
        raise BadInput(f"the {LABELS} of {path} cannot be read: {error.strerror}") from None
    return validation_rows(sorted(members))
