"""Read a release's folder, for later stages and as a data set for PyTorch's loaders.

    >>> import genset
    >>> photos = genset.Release("releases/v1", transform=preprocess)
    >>> image, target = photos[0]
    >>> photos.classes[target], photos.records[0].license
    ('n01440764', 'CC BY 2.0')

It needs no extra: genset requires Pillow, which is imported when a photo is opened.

A release is a folder::

    NAME/
      manifest.json             what it is, how it was made, and a record for each photo
      n02123045/<sha256>.jpg    original bytes, in wnid folders
      DATA_CARD.md, ...         documents, made from the manifest (`genset.release.documents`)

It never changes: each photo's record has the hash of the photo, `content_hash` is over these
records (what a model is scored on), `documents` has the hash of each document, and `manifest_hash`
is over the whole manifest. Manifests in the first format have no documents, and those in the first
two do not say which of a source's photos count as unseen, nor their licences' SPDX ids; they are
read, verified and pulled as ever. A manifest in the fourth format has several right answers for a
photo (``genset release create --multilabel``); all others stay in the third.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from os import PathLike
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

from genset.errors import BadInput, GensetError, ReleaseDamaged
from genset.files import sha256_of
from genset.release.trust.links import WHAT_TO_DO, links, own_file
from genset.taxonomy import imagenet1k

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MANIFEST = "manifest.json"
FORMAT = "genset release 3"
MULTILABEL = "genset release 4"
BEFORE = ("genset release 1", "genset release 2")

# On which ground a photo counts as unseen (`ReleasePhoto.unseen`).
GROUNDS = ("taken", "posted", "none")

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ReleasePhoto:
    """One photo's record in a manifest.

    `file` is relative to the release's folder, and times are ISO 8601. `labels` has the number of
    labelers by verdict. `selection_frequency` is the share who said correct, 0 to 1, or None
    without votes that count (a reviewer accepted the photo).

    Since format 3: `license_id` is the licence's SPDX id. `unseen` is the ground on which the photo
    counts as unseen: it was "taken" since the manifest's day `unseen_since`, so was nowhere before
    it; it was "posted" at its source since, and may have been elsewhere before; or "none" of both
    is known. Where they are None, the manifest does not say.

    `confidence` is that of the aggregated label "correct" by which the photo was taken, 0 to 1;
    None where votes were counted, or a ruling decided.

    In format 4 only, None in all others: `labels_correct` are the wnids of all classes that are
    right answers, the photo's own first; `labels_unclear` those of which the votes do not tell, or
    of which nobody was asked yet; `labels_wrong` those that are not in it. Each is sorted but for
    the photo's own class, and a class is in one of them at most: of those in none, nobody was
    asked. `label_votes` has the number of labelers by verdict for each of these classes,
    `label_rulings` the verdict of a reviewer where there is one, and `label_proposers` who proposed
    to ask about a class: models by their names, "confusable" (it is confused with the photo's own),
    "random", "labeler" (one named it), and "search" where one found the photo for it, too, or
    "added" where somebody added it to the class. The photo's own class is not there.
    """

    file: str
    wnid: str
    sha256: str
    byte_size: int
    width: int
    height: int
    source: str
    source_id: str
    page_url: str
    image_url: str
    owner: str
    owner_name: str
    title: str
    license: str
    license_url: str
    posted_at: str
    taken_at: str | None
    keyword: str
    rank: int
    labels: dict[str, int]
    selection_frequency: float | None
    license_id: str | None = None
    unseen: str | None = None
    confidence: float | None = None
    labels_correct: tuple[str, ...] | None = None
    labels_unclear: tuple[str, ...] | None = None
    labels_wrong: tuple[str, ...] | None = None
    label_votes: dict[str, dict[str, int]] | None = None
    label_rulings: dict[str, str] | None = None
    label_proposers: dict[str, list[str]] | None = None

    def as_json(self) -> dict[str, Any]:
        """The record as a manifest has it: without what its format does not say."""
        record = asdict(self)
        lists = {name: list(record[name]) for name in LISTS if record[name] is not None}
        return as_written(record | lists)


# Of what came after the first format: what the content hash is not over, and what it is.
_BESIDE = ("license_id", "unseen", "confidence")
LISTS = ("labels_correct", "labels_unclear", "labels_wrong")
ANSWERS = (*LISTS, "label_votes", "label_rulings", "label_proposers")
_LATER = (*_BESIDE, *ANSWERS)


def as_written(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record's fields, without those of which its manifest's format knows nothing."""
    return {
        name: value for name, value in record.items() if value is not None or name not in _LATER
    }


@dataclass
class Manifest:
    """The content of a manifest. `photos` are sorted by `file`.

    `documents` has the sha256 of the other documents in the folder, by name. `multilabel` says how
    photos came to have several right answers (`genset.release.multilabel.facts`); None: they have
    one. `protocol` says by which protocol, and of which window, its photos were collected
    (`genset.release.collected`); None: by none. `variant` says of what release and how the photos
    were changed; None: they were not.
    """

    name: str
    created_at: str
    content_hash: str
    strategy: dict[str, Any]
    labelers: int
    left_out: dict[str, int]
    documents: dict[str, str]
    photos: tuple[ReleasePhoto, ...]
    multilabel: dict[str, Any] | None = None
    protocol: dict[str, Any] | None = None
    variant: dict[str, Any] | None = None

    def is_as_written(self, path: Path) -> bool:
        """Whether the manifest at `path`, from which this was read, agrees with its own hashes."""
        manifest = json.loads(path.read_text("utf-8"))
        hashes = (manifest.get("manifest_hash"), self.content_hash)
        return hashes == (manifest_hash(manifest), content_hash(self.photos))


class Release(Manifest):
    """A frozen test set: its folder, its manifest, and a map-style data set of (image, target).

    Images are RGB. They are not rotated by their EXIF orientation, as in torchvision's
    ImageFolder. Targets are indices into ImageNet's 1,000 classes, as models number their outputs,
    even if the release lacks classes (ImageFolder numbers only those that are there).

    With `multi_hot`, a target is an array of 1,000 int64: 1 for each class that is a right answer,
    -1 for each that is unclear, 0 for all others. torch's loader makes a LongTensor of
    (batch, 1000) of them, as torchmetrics' multilabel metrics take it, with ``ignore_index=-1``.

    Attributes:
        root: the release's folder.
        name: its name.
        content_hash: the hash to cite with a score.
        photos: the record of each photo, in the order of the items; `records` is the same.
        classes: the 1,000 wnids in order.
        class_to_idx: the index of each wnid.
        targets: the index of each item's own class, also with `multi_hot`.
        multi_hot: whether targets are arrays.
        transform, target_transform: called with each image, and with each target, if given.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        transform: Callable[[Any], Any] | None = None,
        target_transform: Callable[[Any], Any] | None = None,
        *,
        multi_hot: bool = False,
    ) -> None:
        """Read the manifest in a folder. Photos are read one by one, when they are needed.

        Args:
            path: the release's folder.
            transform: called with each image, an RGB `PIL.Image`; None: no transform.
            target_transform: called with each target, 0 to 999 or an array; None: no transform.
            multi_hot: give all right answers of a photo, as an array, in place of its own class.

        Raises:
            BadInput: there is no manifest, it is not a manifest of genset's, or it is a symbolic
                link; or its photos have one right answer each, and `multi_hot` asks for several.
        """
        self.root = Path(path)
        self.multi_hot = multi_hot
        self.transform = transform
        self.target_transform = target_transform
        if (self.root / MANIFEST).is_symlink():
            raise BadInput(f"{self.root / MANIFEST} is a symbolic link; {WHAT_TO_DO}")
        try:
            manifest = read_manifest(self.root / MANIFEST)
        except (FileNotFoundError, NotADirectoryError):
            raise BadInput(f"{self.root} is no release: it has no {MANIFEST}") from None
        super().__init__(**{each.name: getattr(manifest, each.name) for each in fields(manifest)})
        if multi_hot and self.multilabel is None:
            raise BadInput(
                f"{self.root} has one right answer for each photo: multi_hot needs a release of "
                "genset release create NAME --from RELEASE --multilabel"
            )

    @property
    def wnids(self) -> tuple[str, ...]:
        """The classes that have photos, sorted."""
        return tuple(sorted({photo.wnid for photo in self.photos}))

    @property
    def records(self) -> tuple[ReleasePhoto, ...]:
        """The same as `photos`."""
        return self.photos

    @cached_property
    def classes(self) -> list[str]:
        """ImageNet's 1,000 wnids, in order."""
        return [each.wnid for each in imagenet1k()]

    @cached_property
    def class_to_idx(self) -> dict[str, int]:
        """The index of each wnid in `classes`."""
        return {wnid: index for index, wnid in enumerate(self.classes)}

    @cached_property
    def targets(self) -> list[int]:
        """The index of each item's own class.

        Raises:
            BadInput: a class is not ImageNet's.
        """
        return [imagenet1k()[photo.wnid].index for photo in self.photos]

    def __len__(self) -> int:
        return len(self.photos)

    def __bool__(self) -> bool:
        return True  # also one without photos is a release

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        """The image and the target at `index`, transformed.

        Raises:
            IndexError: there is no such item.
            GensetError: the photo cannot be read, or is a symbolic link; see
                ``genset release verify``.
        """
        from PIL import Image

        from genset.pixels import eight_bit

        path = self.own_file(self.photos[index].file)
        try:
            with Image.open(path) as file:
                image: Any = eight_bit(file).convert("RGB")
        except OSError as error:
            raise GensetError(f"{path} cannot be read: {error}") from None
        target: Any = self._several(self.photos[index]) if self.multi_hot else self.targets[index]
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target

    def _several(self, photo: ReleasePhoto) -> "NDArray[np.int64]":
        """A photo's right and unclear answers, as an array."""
        import numpy as np

        target = np.zeros(len(self.classes), np.int64)
        for wnids, value in ((photo.labels_unclear, -1), (photo.labels_correct, 1)):
            for wnid in wnids or ():
                target[imagenet1k()[wnid].index] = value
        return target

    def __repr__(self) -> str:
        return f"genset.Release({str(self.root)!r}): {len(self):,} photos, {self.content_hash}"

    def own_file(self, name: str) -> Path:
        """The path of one of its files, by its name in the manifest.

        Raises:
            GensetError: it, or a folder that it lies in, is a symbolic link.
        """
        return own_file(self.root, name)

    def verify(self, sha256: Callable[[Path], str] = sha256_of) -> None:
        """Compare every byte with the manifest.

        Args:
            sha256: gives the hash of a file, if not by reading all of it.

        Raises:
            ReleaseDamaged: a photo or document is missing, changed, a symbolic link, or not in the
                manifest.
        """
        hashes = self.documents | {photo.file: photo.sha256 for photo in self.photos}
        linked = dict.fromkeys(links(self.root, (MANIFEST, *hashes)))
        problems = [f"{name} is a symbolic link" for name in linked]
        path = self.root / MANIFEST
        if not (_is_laid_out_as_written(path) and self.is_as_written(path)):
            problems.append(f"{MANIFEST} was changed")
        for name, expected_hash in hashes.items():
            path = self.root / name
            if name in linked or name.partition("/")[0] in linked:
                continue  # what it leads to does not matter
            if not path.is_file():
                problems.append(f"{name} is missing")
            elif sha256(path) != expected_hash:
                problems.append(f"{name} was changed")
        # Including folders: ImageFolder takes each one for a class.
        expected = {MANIFEST, *hashes, *self.wnids}
        for path in sorted(self.root.rglob("*")):
            if (name := path.relative_to(self.root).as_posix()) not in expected:
                problems.append(f"{name} does not belong to it")
        if problems:
            raise ReleaseDamaged(self.name, problems)


def read_manifest(path: Path) -> Manifest:
    """Read a manifest from any folder, with or without its photos.

    Raises:
        BadInput: it is not a manifest of genset's.
    """
    try:
        manifest = json.loads(path.read_text("utf-8"))
        form = manifest["format"]
        if form not in (*BEFORE, FORMAT, MULTILABEL):
            raise BadInput(f"{path} is in the form {form!r}, not {FORMAT!r} or {MULTILABEL!r}")
        photos = tuple(_photo(record, form) for record in manifest["photos"])
        rest = {field.name: manifest.get(field.name) for field in fields(Manifest)}
        documents = _documents(manifest.get("documents", {}))
        if (rest["multilabel"] is None) is (form == MULTILABEL):
            raise ValueError(f"{MULTILABEL!r} alone says how its photos have several answers")
        _check_variant(rest["variant"])
        return _typed(Manifest, {**rest, "documents": documents, "photos": photos})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadInput(f"{path} is not a release's manifest: {error!r}") from None


def content_hash(photos: Sequence[ReleasePhoto]) -> str:
    """A sha256 over the photos' records, sorted by `file`.

    It is over what records of every format have. What came later is not in it: the same photos
    with the same votes have one hash, whatever version of genset froze them, and by whatever method
    their votes were brought together. Where photos have several right answers, it is over these,
    and their votes.
    """
    digest = hashlib.sha256()
    for photo in sorted(photos, key=lambda photo: photo.file):
        record = asdict(photo)
        for name in _LATER:
            if name in _BESIDE or record[name] is None:
                del record[name]
        digest.update(json.dumps(record, sort_keys=True).encode() + b"\n")
    return f"sha256:{digest.hexdigest()}"


def manifest_hash(manifest: Mapping[str, Any]) -> str:
    """A sha256 over everything in a manifest except this hash."""
    rest = {name: value for name, value in manifest.items() if name != "manifest_hash"}
    return f"sha256:{hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()}"


def find_releases(folder: Path) -> list[Release]:
    """The releases in a workspace's ``releases/``, oldest first."""
    found = (Release(path.parent) for path in folder.glob(f"[!.]*/{MANIFEST}"))
    return sorted(found, key=lambda release: (release.created_at, release.name))


def manifest_lines(manifest: Mapping[str, Any]) -> Iterator[str]:
    """The text of a manifest: one line for each fact, then one for each photo."""
    yield "{\n"
    for name, value in manifest.items():
        if name != "photos":
            yield f" {json.dumps(name)}: {json.dumps(value)},\n"
    yield ' "photos": [\n'
    for number, photo in enumerate(manifest["photos"], start=1):
        yield f"  {json.dumps(photo)}{',' if number < len(manifest['photos']) else ''}\n"
    yield " ]\n"
    yield "}\n"


def _is_laid_out_as_written(path: Path) -> bool:
    """Whether a manifest has exactly the bytes that `manifest_lines` writes.

    The first format had another layout, so this is always true for it.
    """
    manifest = json.loads(path.read_text("utf-8"))
    if manifest["format"] == BEFORE[0]:
        return True
    with path.open("rb") as file:
        same = all(file.readline() == line.encode() for line in manifest_lines(manifest))
        return same and not file.read()


def _photo(record: dict[str, Any], form: str) -> ReleasePhoto:
    lists = {name: tuple(record[name]) for name in LISTS if name in record}
    photo = _typed(ReleasePhoto, {**record, **lists})
    if form in BEFORE and not record.keys().isdisjoint(_LATER):
        raise ValueError(f"{form!r} has no {' and no '.join(_LATER)}")
    if form == MULTILABEL:
        _check_answers(photo)
    elif not record.keys().isdisjoint(ANSWERS):
        raise ValueError(f"{form!r} has no {' and no '.join(ANSWERS)}")
    if photo.unseen not in (None, *GROUNDS):
        raise ValueError(f"a photo is unseen by what is {', '.join(GROUNDS)}: {photo.unseen!r}")
    if photo.confidence is not None and not 0 <= photo.confidence <= 1:
        raise ValueError(f"a confidence is from 0 to 1: {photo.confidence!r}")
    # A manifest may come from an untrusted source. Its paths must not leave its folder.
    named = re.fullmatch(r"(n[0-9]{8})/[0-9a-f]{64}\.[a-z]+", photo.file)
    if named is None or named[1] != photo.wnid:
        raise ValueError(f"{photo.file!r} is no file of a photo of {photo.wnid!r}")
    return photo


def _check_answers(photo: ReleasePhoto) -> None:
    """Check that each class that was asked about is one, in one list, with its votes."""
    lists = [getattr(photo, name) for name in LISTS]
    votes, rulings, proposers = photo.label_votes, photo.label_rulings, photo.label_proposers
    if None in lists or votes is None or rulings is None or proposers is None:
        raise ValueError(f"{photo.file!r} has not all of {', '.join(ANSWERS)}")
    every = [wnid for wnids in lists for wnid in wnids]
    if not all(isinstance(wnid, str) and re.fullmatch("n[0-9]{8}", wnid) for wnid in every):
        raise ValueError(f"{photo.file!r} has an answer that is no wnid")
    if lists[0][:1] != (photo.wnid,) or len(every) != len(set(every)):
        raise ValueError(f"{photo.file!r}: the photo's own class comes first, and each class once")
    if set(votes) != set(every) or not set(rulings) | set(proposers) <= set(every):
        raise ValueError(f"{photo.file!r} has votes on other classes than its lists name")
    counts = [each for said in votes.values() for each in said.items()]
    if not all(isinstance(word, str) and type(n) is int and n > 0 for word, n in counts):
        raise ValueError(f"{photo.file!r} has votes that are no numbers of labelers")
    if not all(isinstance(word, str) for word in rulings.values()):
        raise ValueError(f"{photo.file!r} has a ruling that is no verdict")
    if not all(isinstance(name, str) for names in proposers.values() for name in names):
        raise ValueError(f"{photo.file!r} has a proposer without a name")


def _check_variant(variant: Any) -> None:
    """Check that a variant names its release, and of each changed photo what it was, and where."""
    if variant is None:
        return
    whole = (variant["name"], variant["content_hash"])
    changed = variant["changed"].values()
    if not all(isinstance(word, str) for word in (*whole, *(each["of"] for each in changed))):
        raise ValueError("a variant names its release, and what each changed photo was")
    boxes = [[type(side) for side in box] for each in changed for box in each["faces"]]
    if any(kinds != [int] * 4 for kinds in boxes):
        raise ValueError("a face in a changed photo has four sides")


def _documents(hashes: Any) -> Any:
    """The documents' hashes. Their names are checked, for the same reason."""
    for name in hashes:
        if not re.fullmatch(r"[A-Z][A-Z_]*\.(md|txt)|[a-z]+\.(csv|json)", name) or name == MANIFEST:
            raise ValueError(f"{name!r} is no document of a release")
    return hashes


def _typed(kind: type[_T], values: Mapping[str, Any]) -> _T:
    """Make a record, and check that each value has its field's type."""
    made = kind(**values)
    for field in fields(made):  # type: ignore[arg-type]
        wanted = tuple(_plain(kind) for kind in _kinds(field.type))
        if not isinstance(value := getattr(made, field.name), wanted):
            raise TypeError(f"{field.name} cannot be a {type(value).__name__}")
    return made


def _kinds(type_: Any) -> tuple[Any, ...]:
    """The types of a union; the type alone of what is none."""
    return get_args(type_) if get_origin(type_) is UnionType else (type_,)


def _plain(type_: Any) -> Any:
    """A type as `isinstance` takes it: without those of its items."""
    return get_origin(type_) or type_
