"""The letter to those who have a copy of a release from which photos were taken out."""

from collections.abc import Iterator, Sequence

from genset.release.reader import Release, ReleasePhoto
from genset.text.numbers import count
from genset.text.safe import printable


def letter(
    old: Release, new: Release, gone: Sequence[ReleasePhoto], requested: str | None, contact: str
) -> str:
    """What to write to whoever has `old`. It names files, and nothing of their owner.

    Args:
        old: the release that they have.
        new: the one without the photos.
        gone: the photos that were taken out.
        requested: the day on which it was asked for, ISO 8601; None where nobody said.
        contact: whom they can ask; "" for whoever sends it.
    """
    return "\n".join(_lines(old, new, gone, requested, printable(contact)))


def _lines(
    old: Release, new: Release, gone: Sequence[ReleasePhoto], requested: str | None, contact: str
) -> Iterator[str]:
    photos = count(len(gone), "photo")
    day = f" on {requested}" if requested else ""
    yield f"Subject: Please delete {photos} of {old.name}"
    yield ""
    yield f"You have a copy of the test set {old.name} ({old.content_hash})."
    yield f"It was asked{day} that {photos} be taken out of it. Please"
    yield ""
    yield "1. delete these files, by their names or hashes, wherever you have them: in the folder,"
    yield "   in exports (tar, Parquet, the Hub), in caches, in resized or cropped copies;"
    yield f"2. use {new.name} from now on ({new.content_hash}, {count(len(new.photos), 'photo')});"
    yield "3. hand this on to those who had it from you."
    yield ""
    yield f"A score that was measured on {old.name} may stay, under that name and hash. It is not a"
    yield f"score on {new.name}: measure again there."
    yield ""
    yield "The files:"
    for photo in gone:
        yield f"  {printable(photo.file)}"
        yield f"    sha256 {photo.sha256}"
    yield ""
    yield f"Questions: {contact}" if contact else "Questions: answer to this letter."
