"""Points that the photos' own bytes answer. Each photo is read once."""

import os
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from genset.fingerprint import fingerprint
from genset.hashes import BITS, near
from genset.progress import progress
from genset.release.audit.finding import Finding, verdict
from genset.release.exclusions import Exclusion
from genset.release.reader import Release, ReleasePhoto
from genset.text.numbers import count

_GPS = 0x8825  # the Exif tag that leads to positions
_POSITIONS = (b"GPSLatitude", b"GPSLongitude")  # in XMP

Pairs = frozenset[frozenset[str]]


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen of one photo.

    Attributes:
        photo: its record.
        hash: its perceptual hash, 64 bits; None where it cannot be read.
        has_place: whether its metadata say where it was taken.
    """

    photo: ReleasePhoto
    hash: int | None
    has_place: bool


def check_photos(
    release: Release, against: Sequence[Exclusion] = (), different: Pairs = frozenset()
) -> Iterator[Finding]:
    """Whether photos can be read, are there once, are in no other set, and say no places.

    Args:
        release: the release.
        against: other sets, by their hashes.
        different: names of photos, two by two, that look alike and are known to be different.
    """
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        seen = threads.map(lambda photo: _look(release.root, photo), release.photos)
        looks = list(progress(seen, total=len(release.photos), what="audit", unit="photo"))
    unreadable = tuple(look.photo.file for look in looks if look.hash is None)
    total = count(len(looks), "photo")
    says = f"{len(looks) - len(unreadable):,} of {total} can be read"
    yield Finding("readable", verdict(unreadable), says, unreadable)
    yield _within(looks, different)
    yield _against(looks, against)
    places = tuple(look.photo.file for look in looks if look.has_place)
    says = f"{len(places):,} of {total} say where they were taken (GPS in Exif or XMP)"
    yield Finding("places", verdict(places), says, places)


def _look(root: Path, photo: ReleasePhoto) -> Look:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(root / photo.file) as image:
                has_place = _has_place(image)
                return Look(photo, fingerprint(image), has_place)
    except Exception:  # noqa: BLE001 - what decoders raise on broken files is not bounded
        return Look(photo, None, has_place=False)


def _has_place(image: Image.Image) -> bool:
    position = image.getexif().get_ifd(_GPS)
    # The tag's own version alone is no position: 2 and 4 are latitude and longitude.
    if 2 in position or 4 in position:
        return True
    written = (image.info.get(name) for name in ("xmp", "XML:com.adobe.xmp"))
    bytes_ = b"".join(xmp.encode() if isinstance(xmp, str) else xmp for xmp in written if xmp)
    return any(word in bytes_ for word in _POSITIONS)


def _name(photo: ReleasePhoto) -> str:
    return f"{photo.source}:{photo.source_id}"


def _hashes(
    looks: Sequence[Look],
) -> tuple[list[Look], "np.ndarray[tuple[int], np.dtype[np.uint64]]"]:
    read = [look for look in looks if look.hash is not None]
    return read, np.array([look.hash for look in read], np.uint64)


def _within(looks: Sequence[Look], different: Pairs) -> Finding:
    """Whether a photo is in it twice: the same bytes, or looks that a hash takes for one."""
    read, hashes = _hashes(looks)
    pairs = []
    for one, other, _ in near(hashes, hashes):
        first, second = read[one].photo, read[other].photo
        names = frozenset((_name(first), _name(second)))
        is_same = first.sha256 == second.sha256
        if one < other and (is_same or names not in different):
            pairs.append(f"{first.file} {'is' if is_same else 'looks like'} {second.file}")
    says = f"{count(len(pairs), 'pair')} of photos that are the same or look alike (at most "
    says += f"{BITS} of 64 bits of a perceptual hash differ)"
    return Finding("duplicates within", verdict(pairs), says, tuple(pairs))


def _against(looks: Sequence[Look], sets: Sequence[Exclusion]) -> Finding:
    """Whether a photo is in another set, too."""
    if not sets:
        says = "no other set was given: --against FILE of genset hash or sha256sum"
        return Finding("duplicates against", "not said", says)
    read, hashes = _hashes(looks)
    found = []
    for each in sets:
        alike = {read[one].photo.file for one, _, _ in near(hashes, each.fingerprints)}
        same = {look.photo.file for look in looks if look.photo.sha256 in each.digests}
        found += [
            f"{file} is or looks like a photo of {each.name}" for file in sorted(alike | same)
        ]
    says = f"{count(len(found), 'photo')} in {', '.join(each.name for each in sets)}, too"
    return Finding("duplicates against", verdict(found), says, tuple(found))
