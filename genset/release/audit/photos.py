"""Points that the photos' own bytes answer. Each photo is read once."""

import os
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

import numpy as np
from PIL import Image

from genset.core.hashes import BITS, near
from genset.core.numbers import agree, count
from genset.core.pixels import FORMATS, fingerprint, scale_down
from genset.core.progress import progress
from genset.release.audit.finding import Finding, unread, verdict
from genset.release.exclusions import Exclusion
from genset.release.reader import Release, ReleasePhoto

_GPS = 0x8825  # the Exif tag that leads to positions
_POSITIONS = (b"GPSLatitude", b"GPSLongitude")  # in XMP
_BESIDE = 10  # of the photos that look like one, those that are named beside it

Pairs = frozenset[frozenset[str]]


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen of one photo.

    Attributes:
        photo: its record.
        hash: its perceptual hash, 64 bits; None where it cannot be read, or has several pictures.
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
    with warnings.catch_warnings(), ThreadPoolExecutor(os.cpu_count()) as threads:
        warnings.simplefilter("ignore")  # Pillow's, on sizes and odd metadata
        seen = threads.map(lambda photo: _look(release, photo), release.photos)
        looks = list(progress(seen, total=len(release.photos), what="audit", unit="photo"))
    read = [look for look in looks if look.hash is not None]
    unreadable = tuple(look.photo.file for look in looks if look.hash is None)
    total = count(len(looks), "photo")
    says = f"{len(read):,} of {total} can be read"
    yield Finding("readable", verdict(unreadable), says, unreadable)
    yield unread(_within(read, different), len(unreadable))
    yield unread(_against(looks, against), len(unreadable))
    places = tuple(look.photo.file for look in read if look.has_place)
    told = agree(len(places), "says where it was", "say where they were")
    says = f"{len(places):,} of {total} {told} taken (GPS in Exif or XMP)"
    yield unread(Finding("places", verdict(places), says, places), len(unreadable))


def _look(release: Release, photo: ReleasePhoto) -> Look:
    try:
        with Image.open(release.own_file(photo.file), formats=FORMATS) as image:
            # What is behind the photo in a JPEG is a preview, as some cameras put it there.
            if image.format in FORMATS[1:] and getattr(image, "n_frames", 1) > 1:
                return Look(photo, None, has_place=False)
            scale_down(image)
            image.load()
            return Look(photo, fingerprint(image), _has_place(image))
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


def _within(read: Sequence[Look], different: Pairs) -> Finding:
    """Whether a photo is in it twice: the same bytes, or looks that a hash takes for one."""
    named, alike = [], 0
    for place, others in enumerate(_alike(read, different)):
        alike += bool(others)
        # A pair is named once, beside the first of the two.
        if later := [read[other].photo for other in others if other > place]:
            photo = read[place].photo
            word = "is" if all(each.sha256 == photo.sha256 for each in later) else "looks like"
            files = [each.file for each in later[:_BESIDE]]
            more = ["others"] if len(later) > _BESIDE else []
            named.append(f"{photo.file} {word} {', '.join([*files, *more])}")
    says = f"{alike:,} of {count(len(read), 'photo')} are the same as another or look like it (at "
    says += f"most {BITS} of 64 bits of a perceptual hash differ)"
    return Finding("duplicates within", verdict(named), says, tuple(named))


def _alike(read: Sequence[Look], different: Pairs) -> Iterator[list[int]]:
    """For each photo the places of those that look like it; of very many, some.

    Photos with one hash are compared once: thousands of black ones would be millions of pairs.
    """
    hashes = np.array([look.hash for look in read], np.uint64)
    values, value_of = np.unique(hashes, return_inverse=True)
    places: list[list[int]] = [[] for _ in values]
    for place, value in reversed(list(enumerate(value_of))):
        places[value].append(place)
    beside: list[list[int]] = [[] for _ in values]
    for one, other, _ in near(values, values):
        beside[one].append(other)
    for place, value in enumerate(value_of):
        others = (other for each in beside[value] for other in places[each] if other != place)
        alike = (
            other for other in others if _is_alike(read[place].photo, read[other].photo, different)
        )
        yield sorted(islice(alike, 2 * _BESIDE))


def _is_alike(one: ReleasePhoto, other: ReleasePhoto, different: Pairs) -> bool:
    """Whether photos with near hashes count as one: nobody called them different."""
    return one.sha256 == other.sha256 or frozenset((_name(one), _name(other))) not in different


def _against(looks: Sequence[Look], sets: Sequence[Exclusion]) -> Finding:
    """Whether a photo is in another set, too."""
    if not sets:
        says = "no other set was given: --against FILE of genset hash or sha256sum"
        return Finding("duplicates against", "not said", says)
    read = [look for look in looks if look.hash is not None]
    hashes = np.array([look.hash for look in read], np.uint64)
    found = []
    for each in sets:
        alike = {read[one].photo.file for one, _, _ in near(hashes, each.fingerprints)}
        same = {look.photo.file for look in looks if look.photo.sha256 in each.digests}
        found += [
            f"{file} is or looks like a photo of {each.name}" for file in sorted(alike | same)
        ]
    says = f"{count(len(found), 'photo')} in {', '.join(each.name for each in sets)}, too"
    return Finding("duplicates against", verdict(found), says, tuple(found))
