"""A release's folder, as a data set for PyTorch's loaders."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any

from genset.core.errors import BadInput, GensetError, ReleaseDamaged, ReleaseIncomplete
from genset.core.files import sha256_of
from genset.core.junk import junk_in
from genset.core.numbers import count
from genset.core.validation import read_json
from genset.release.reader.manifest import (
    LARGEST,
    MANIFEST,
    WHOLE,
    Manifest,
    Summary,
    manifest_lines,
    read_manifest,
)

WHAT_TO_DO = "a release has files of its own: copy it with cp -RL, then verify the copy"


class Release(Manifest):
    """A frozen test set: its folder, its manifest, and a map-style data set of (image, target).

    Images are RGB. They are not rotated by their EXIF orientation, as in torchvision's
    ImageFolder. Targets are indices into ImageNet's 1,000 classes, as models number their outputs,
    even if the release lacks classes (ImageFolder numbers only those that are there). Where a
    release has classes of its own (`taxonomy`), they are indices into these.

    Attributes:
        root: the release's folder.
        name: its name.
        content_hash: the hash to cite with a score.
        photos: the record of each photo, in the order of the items.
        classes: the 1,000 wnids in order; the ids of its own classes where it has such.
        taxonomy: the same classes, with their names and what else is known of them.
        class_to_idx: the index of each wnid.
        targets: the index of each item's own class.
        transform, target_transform: called with each image, and with each target, if given.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        transform: Callable[[Any], Any] | None = None,
        target_transform: Callable[[Any], Any] | None = None,
    ) -> None:
        """Read the manifest in a folder. Photos are read one by one, when they are needed.

        Args:
            path: the release's folder.
            transform: called with each image, an RGB `PIL.Image`; None: no transform.
            target_transform: called with each target, 0 to 999; None: no transform.

        Raises:
            BadInput: there is no manifest, it is not a manifest of genset's, or it is a symbolic
                link.
        """
        self.root = Path(path)
        self.transform = transform
        self.target_transform = target_transform
        if (self.root / MANIFEST).is_symlink():
            raise BadInput(f"{self.root / MANIFEST} is a symbolic link; {WHAT_TO_DO}")
        if not (self.root / MANIFEST).is_file():
            pull = f" yet: genset pull {self.root}" if (self.root / WHOLE).is_file() else ""
            raise BadInput(f"{self.root} is not a release: it has no {MANIFEST}{pull}")
        vars(self).update(vars(read_manifest(self.root / MANIFEST)))

    @property
    def manifest(self) -> dict[str, Any]:
        """All that its manifest says, as JSON."""
        found: dict[str, Any] = json.loads((self.root / MANIFEST).read_text("utf-8"))
        return found

    @property
    def wnids(self) -> tuple[str, ...]:
        """The classes that have photos, sorted."""
        return tuple(sorted({photo.wnid for photo in self.photos}))

    @cached_property
    def classes(self) -> list[str]:
        """ImageNet's 1,000 wnids, or the ids of its own classes, in order."""
        return [cls.wnid for cls in self.taxonomy]

    @cached_property
    def class_to_idx(self) -> dict[str, int]:
        """The index of each wnid in `classes`."""
        return {wnid: index for index, wnid in enumerate(self.classes)}

    @cached_property
    def targets(self) -> list[int]:
        """The index of each item's own class."""
        return [self.taxonomy[photo.wnid].index for photo in self.photos]

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

        from genset.core.pixels import eight_bit

        path = self.path_of(self.photos[index].file)
        try:
            with Image.open(path) as file:
                image: Any = eight_bit(file).convert("RGB")
        except OSError as error:
            raise GensetError(f"{path} cannot be read: {error}") from None
        target: Any = self.targets[index]
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target

    def __repr__(self) -> str:
        return (
            f"genset.Release({str(self.root)!r}): {count(len(self), 'photo')}, {self.content_hash}"
        )

    def path_of(self, name: str) -> Path:
        """The path of one of its files, by its name in the manifest.

        Raises:
            GensetError: it, or a folder that it lies in, is a symbolic link.
        """
        for part in sorted(with_folders([name])):
            if (self.root / part).is_symlink():
                raise GensetError(f"{self.root / part} is a symbolic link; {WHAT_TO_DO}")
        return self.root / name

    def verify(
        self, sha256: Callable[[Path], str] = sha256_of, *, documents: bool = True
    ) -> list[str]:
        """Compare every byte with the manifest.

        Args:
            sha256: gives the hash of a file, if not by reading all of it.
            documents: whether these must be there: what is not the release's is refused anyway.

        Returns:
            What was passed over (`genset.core.junk`).

        Raises:
            ReleaseIncomplete: photos are missing, and nothing else is wrong.
            ReleaseDamaged: a file is missing, changed, a symbolic link, or not in the manifest.
        """
        hashes = self.documents | {photo.file: photo.sha256 for photo in self.photos}
        # Including folders: ImageFolder takes each one for a class.
        expected = {MANIFEST, WHOLE, *with_folders(hashes)}
        there = {p.relative_to(self.root).as_posix(): p for p in sorted(self.root.rglob("*"))}
        linked = {name for name in there.keys() & expected if there[name].is_symlink()}
        problems = [f"{name} is a symbolic link" for name in sorted(linked)]
        path, manifest = self.root / MANIFEST, self.manifest
        as_written = "".join(manifest_lines(manifest)).encode()
        if path.read_bytes() != as_written or not self.is_as_written(manifest):
            problems.append(f"{MANIFEST} was changed")
        for name, expected_hash in hashes.items():
            path = self.root / name
            if not linked.isdisjoint(with_folders([name])):
                continue  # what it leads to does not matter
            if not path.is_file():
                if documents or name not in self.documents:
                    problems.append(f"{name} is missing")
            elif sha256(path) != expected_hash:
                problems.append(f"{name} was changed")
        junk = [name for name in junk_in(self.root) if name not in expected]
        for name in there:
            if name not in expected and not f"{name}/".startswith(tuple(f"{j}/" for j in junk)):
                problems.append(f"{name} does not belong to it")
        if problems and {f"{photo.file} is missing" for photo in self.photos}.issuperset(problems):
            have, lost = len(self.photos) - len(problems), problems[0].removesuffix(" is missing")
            state = f"has {have:,}" if have else "is not pulled yet: 0"
            of = f"{count(len(self.photos), 'photo')} of {self.name}, without {lost}"
            mend = "export it again" if self.variant else f"genset pull {self.root}"
            raise ReleaseIncomplete(f"{self.root} {state} of {of}: {mend}")
        if problems and (self.root / WHOLE).is_file():
            problems.append(f"genset pull {self.root} asks again for what is missing or changed")
        if problems:
            raise ReleaseDamaged(self.name, problems)
        return junk

    def missing(self) -> list[str]:
        """The files of the photos of the release that a part lacks, where it knows them."""
        path = self.root / WHOLE
        if self.part_of is None or not path.is_file():
            return []
        present = {photo.file for photo in self.photos}
        return [photo.file for photo in read_manifest(path).photos if photo.file not in present]


def release_named(word: str, releases: Path | None) -> Path | None:
    """The folder of the workspace's release that a word names; None where it names none.

    It goes before a folder of its name that lies in the current one: whoever means that folder
    says ``./v1``.

    Args:
        word: as a user said it.
        releases: the workspace's folder of releases; None without a workspace.
    """
    if releases is None or Path(word).name != word:  # one with a slash is a path
        return None
    folder = releases / word
    return folder if (folder / MANIFEST).is_file() else None


def find_releases(folder: Path) -> list[Release]:
    """The releases in a workspace's ``releases/``, oldest first."""
    found = (Release(path.parent) for path in _manifests(folder))
    return sorted(found, key=lambda release: (release.created_at, release.name))


def summaries(folder: Path) -> list[Summary]:
    """The same in a few words, which are read much sooner."""
    found = (read_json(path, Summary, LARGEST) for path in _manifests(folder))
    return sorted(found, key=lambda release: (release.created_at, release.name))


def _manifests(folder: Path) -> Iterator[Path]:
    return folder.glob(f"[!.]*/{MANIFEST}")


def check_expected(where: object, manifest: Mapping[str, Any], expected: str) -> str:
    """Compare a hash that was published with those in a release's manifest.

    That these are true is what `Release.verify` finds out.

    Args:
        where: the release is, for the message.
        manifest: the release's.
        expected: its content hash, or the hash of its manifest: 64 digits, with ``sha256:`` or not.

    Returns:
        Which of both it is: "content_hash" or "manifest_hash".

    Raises:
        BadInput: it is no such hash.
        GensetError: it is another release's.
    """
    stripped = f"sha256:{expected.strip().lower().removeprefix('sha256:')}"
    if not re.fullmatch("sha256:[0-9a-f]{64}", stripped):
        raise BadInput(f"--expect takes a whole hash, 64 hexadecimal digits, not {expected!r}")
    found = {name: str(manifest.get(name)) for name in ("content_hash", "manifest_hash")}
    for name, hash in found.items():
        if hash == stripped:
            return name
    raise GensetError(
        f"{where} is not the release that was expected: its content hash is "
        f"{found['content_hash']}, its manifest's {found['manifest_hash']}"
    )


def with_folders(names: Iterable[str]) -> set[str]:
    """These files, relative to a release's folder, and the folders that they lie in."""
    paths = map(PurePosixPath, names)
    return {str(part) for path in paths for part in (path, *path.parents)} - {"."}
