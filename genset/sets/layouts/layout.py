"""What all layouts share: which words are classes, and how rows of photos become a set."""

import gzip
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import chain
from pathlib import Path

from genset.classes import Taxonomy, imagenet1k
from genset.classes.taxonomy import plain
from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.sets.hashes import HashStore
from genset.sets.photos import Part, PhotoSet, ScoredPhoto, hash_of, readable


@dataclass(frozen=True, slots=True)
class Classes:
    """Which words are classes of a set.

    Attributes:
        taxonomy: whose classes they are.
        others: beside ImageNet's, the names of classes that a model knows.
        named: whether somebody named the taxonomy, so that numbers are places in its order.
    """

    taxonomy: Taxonomy = field(default_factory=imagenet1k)
    others: Collection[str] = ()
    named: bool = False

    @classmethod
    def of(cls, taxonomy: Taxonomy | None, others: Collection[str]) -> "Classes":
        """Those of a taxonomy that somebody named, or ImageNet's and others."""
        if taxonomy is None:
            return cls(others=others)
        return cls(taxonomy, others if taxonomy.is_imagenet else (), True)

    def find(self, word: str) -> str | None:
        """The class that a word means, as a folder's name or a label; None where it means none.

        It is a class's id, or all words that ImageNet has for it ("tench, Tinca tinca"). One word
        alone is not guessed at, since many mean several things. A class of another taxonomy is
        called by its name, too.
        """
        found = word if word in self.others else self.taxonomy.meant_by(word)
        if found is None and self.custom is None:
            found = _full_names().get(plain(word))
        return found

    def meant(self, labels: Iterable[str], where: object) -> dict[str, str | None]:
        """The class that each label of a set means, None of one that means none.

        A number is a class's place in their order, from 0, if all places occur or somebody named
        the taxonomy. Else numbers may be of any order.

        Args:
            labels: names of folders, or what stands beside the photos.
            where: the set, for errors.

        Raises:
            BadInput: no label means a class but by its place, and the order is not known.
        """
        found = {label: self.find(label) for label in labels}
        numbers = [label for label in found if found[label] is None and is_number(label)]
        size = len(self.taxonomy)
        if self.named or len({int(label) for label in numbers}) == size:
            places = {label: int(label) for label in numbers if int(label) < size}
            return found | {n: self.taxonomy.by_index(at).wnid for n, at in places.items()}
        if numbers and not any(found.values()):
            raise BadInput(
                f"{where} has numbers for classes, and only {len(numbers)} of them: if they are "
                f"from 0 to {size - 1}, in the sorted order of {self.taxonomy_name}'s wnids, say "
                "--taxonomy imagenet1k (in Python taxonomy=); else name classes by their wnids"
            )
        return found

    def refuse(self, label: str, what: str = "class") -> BadInput:
        """What to say where no label of a set is a class, such as this one."""
        by = "its wnid, as in n02123045; of classes of your own, say which by --taxonomy FILE"
        by += " (in Python taxonomy=)"
        if self.custom is not None:
            by = f"its id, as in {next(iter(self.custom)).wnid}"
        return BadInput(f"{label} is not a class of {self.taxonomy_name}: name each {what} by {by}")

    @property
    def custom(self) -> Taxonomy | None:
        """The taxonomy; None for ImageNet's."""
        return None if self.taxonomy.is_imagenet else self.taxonomy

    @property
    def taxonomy_name(self) -> str:
        """What their taxonomy is called in a sentence."""
        return "ImageNet" if self.taxonomy.is_imagenet else self.taxonomy.name

    def strangers(self, names: Sequence[str], what: str) -> list[str]:
        """A remark on folders or labels that are no classes: none, or one."""
        name = self.taxonomy_name
        one, several = f"is not a class of {name}", f"are not classes of {name}"
        return exclusions(names, one, several, what)


@cache
def _full_names() -> dict[str, str]:
    """By all words that ImageNet has for a class, its wnid; without what two classes share."""
    names = {cls.wnid: plain(", ".join(cls.lemmas)) for cls in imagenet1k()}
    shared = Counter(names.values())
    return {name: wnid for wnid, name in names.items() if shared[name] == 1}


def is_number(label: str) -> bool:
    """Whether it may be the place of a class."""
    return label.isascii() and label.isdigit() and len(label) < 10


@dataclass(frozen=True, slots=True)
class Row:
    """A photo as it lies in a layout.

    Attributes:
        name: its id in the set; of its file alone, where ids begin with the class.
        label: what says its class; "" where nothing does.
        path, part, sha256: as of a `ScoredPhoto`. The hash of a file of its own is found later.
        number: what no other row is called, where names may be missing or twice.
    """

    name: str
    label: str
    path: Path
    part: Part | None = None
    sha256: str = ""
    number: str = ""


def photo_set(
    name: str,
    root: Path,
    rows: Sequence[Row],
    classes: Classes,
    store: HashStore,
    notes: Iterable[str] = (),
    *,
    by_class: bool = False,
) -> PhotoSet:
    """The set of these rows, in their order; without those of no class, which it says.

    Args:
        name: of the set.
        root: its folder or file.
        rows: its photos.
        classes: which labels are classes.
        store: the hashes of files.
        notes: what else is left out.
        by_class: whether an id is the class and the row's name; else it is the row's name.

    Raises:
        BadInput: no label is a class, or a photo is there twice.
    """
    meant = classes.meant(_labels(rows, root), root)
    counted = [row for row in rows if meant.get(row.label)]
    wnids = [meant[row.label] or "" for row in counted]
    check_folders(zip((row.name for row in counted), wnids, strict=True), classes, root)
    strange = [label for label, wnid in meant.items() if wnid is None]
    if not counted:
        raise classes.refuse(f"{root}: {strange[0]!r}")
    ids = _ids(counted, wnids) if by_class else [readable(row.name) for row in counted]
    if twice := [id for id, times in Counter(ids).items() if times > 1]:
        raise BadInput(f"{root}: {twice[0]} is there twice")
    photos = _photos(counted, wnids, ids, store)
    bare = [row.number or row.name for row in rows if not row.label]
    return PhotoSet(
        name=name,
        root=root,
        content_hash=hash_of(photos),
        photos=photos,
        notes=(
            *notes,
            *([] if classes.custom else _contradictions(counted, wnids)),
            *classes.strangers(strange, "label"),
            *exclusions(bare, "has no class", "have no class", "photo"),
        ),
        custom_taxonomy=classes.custom,
    )


def _labels(rows: Sequence[Row], root: Path) -> list[str]:
    """The labels of a set's photos, each once.

    Raises:
        BadInput: there are photos, and none has a label.
    """
    labels = dict.fromkeys(row.label for row in rows if row.label)
    if rows and not labels:
        raise BadInput(f"{root}: no photo has a label")
    return [*labels]


_VALIDATION_PHOTOS = 50_000
_VALIDATION = re.compile(r"(?:.*/)?ILSVRC2012_val_(\d{8})(?:_n\d{8})?\.jpe?g", re.IGNORECASE)


def validation_wnid(name: str) -> str:
    """The wnid of one of ImageNet's validation photos, by its name; "" for another photo."""
    match = _VALIDATION.fullmatch(name)
    place = int(match[1]) - 1 if match else -1
    return _validation_order()[place] if 0 <= place < _VALIDATION_PHOTOS else ""


@cache
def _validation_order() -> tuple[str, ...]:
    """The wnids of ImageNet's 50,000 validation photos.

    Source: the development kit of ILSVRC2012; the copies of TensorFlow Datasets and of ImageNetV2
    agree on each.
    """
    packed = files("wordnet_maps").joinpath("imagenet_validation.txt.gz").read_bytes()
    wnids = [cls.wnid for cls in imagenet1k()]
    return tuple(wnids[int(place)] for place in gzip.decompress(packed).split())


def _contradictions(rows: Sequence[Row], wnids: Sequence[str]) -> list[str]:
    """That most classes are not those of ImageNet's own order: none, or one remark."""
    names = (row.name if Path(row.name).suffix else f"{row.name}.JPEG" for row in rows)
    both = zip(map(validation_wnid, names), wnids, strict=True)
    same = [known == wnid for known, wnid in both if known]
    wrong = f"ImageNet's own order has another class for {len(same) - sum(same):,} of"
    more = f"{count(len(same), 'photo')}: are the labels shifted, or of other photos?"
    return [f"{wrong} {more}"] * (2 * sum(same) < len(same))


def check_folders(labeled: Iterable[tuple[str, str]], classes: Classes, where: object) -> None:
    """See that no photo lies in the folder of another class than that of its label.

    Args:
        labeled: names of photos, and their classes.
        classes: which folders are classes.
        where: the labels are, for errors.

    Raises:
        BadInput: one does.
    """
    of_folder: dict[str, str | None] = {}
    for name, wnid in labeled:
        folder = name.rpartition("/")[0].rpartition("/")[2]
        if folder not in of_folder:
            of_folder[folder] = classes.find(folder)
        if of_folder[folder] not in (None, wnid):
            raise BadInput(f"{where}: {readable(name)} is labeled {wnid}, and lies in {folder}")


def _ids(rows: Sequence[Row], wnids: Sequence[str]) -> list[str]:
    """The class of each and its name in it; or, where names are missing or twice, its number."""
    inside = [row.name.removeprefix(f"{wnid}/") for row, wnid in zip(rows, wnids, strict=True)]
    if not all(inside) or len(set(zip(wnids, inside, strict=True))) < len(inside):
        inside = [row.number for row in rows]
    return [f"{wnid}/{readable(name)}" for wnid, name in zip(wnids, inside, strict=True)]


def _photos(
    rows: Sequence[Row], wnids: Sequence[str], ids: Sequence[str], store: HashStore
) -> tuple[ScoredPhoto, ...]:
    """The rows as photos; those with a file of their own with its hash."""
    files = [str(row.path) for row in rows if row.part is None]
    sums = dict(zip(files, store.all_sha256(files), strict=True))
    store.save()
    return tuple(
        ScoredPhoto(id, row.path, wnid, row.part, sums.get(str(row.path), row.sha256))
        for row, wnid, id in zip(rows, wnids, ids, strict=True)
    )


# Of the notes that `exclusions` makes.
LEFT_OUT = re.compile(r"The \w+ .*, and is left out\.|[\d,]+ \w+ .*\): left out\.", re.DOTALL)


def exclusions(names: Sequence[str], one: str, several: str, what: str = "folder") -> list[str]:
    """A remark on what of a set is left out: none, or one.

    Args:
        names: of what is left out.
        one, several: why, of one and of several, as in "is no photo" and "are no photos".
        what: it is.
    """
    if not names:
        return []
    named = ", ".join(map(readable, names[:3])) + ", ..." * (len(names) > 3)
    if len(names) == 1:
        return [f"The {what} {named} {one}, and is left out."]
    return [f"{len(names):,} {what}s {several} ({named}): left out."]


_MOST = 100_000  # files

_BRACES = re.compile(r"\{([^{}]*)\}")


def expanded(named: str) -> list[Path]:
    """The files that a name means, in order: braces as a shell expands them, then a star.

    Raises:
        BadInput: one is not there, or there are too many.
    """
    braces = None if Path(named).exists() else _BRACES.search(named)
    if braces is not None:
        before, after = named[: braces.start()], named[braces.end() :]
        return list(chain(*(expanded(f"{before}{word}{after}") for word in _words(braces[1]))))
    path = Path(named)
    matches = sorted(path.parent.glob(path.name)) if "*" in path.name else [path]
    if not matches or not all(match.is_file() for match in matches):
        raise BadInput(f"there is no file {named}")
    return matches


def _words(inside: str) -> list[str]:
    """What braces stand for: words, or numbers from one to another."""
    span = re.fullmatch(r"(\d{1,9})\.\.(\d{1,9})", inside)
    if span is None:
        return inside.split(",")
    first, last = int(span[1]), int(span[2])
    if abs(last - first) >= _MOST:
        raise BadInput(f"{{{inside}}} means more than {_MOST:,} files")
    width = len(span[1]) if span[1].startswith("0") else 0
    step = 1 if last >= first else -1
    return [f"{number:0{width}}" for number in range(first, last + step, step)]


def set_name(named: str) -> str:
    """What a set is called that lies in these files: what their names have in common."""
    stem = Path(named).name
    stem = stem[: stem.rfind(".")] if "." in stem else stem
    return _BRACES.sub("", stem).replace("*", "").strip("-_. ") or Path(named).resolve().parent.name


def names_in(folder: Path) -> list[str]:
    """What lies in a folder, sorted."""
    return sorted(path.name for path in folder.iterdir())
