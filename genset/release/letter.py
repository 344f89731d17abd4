"""The letter to those who have a copy of a release from which photos were taken out."""

from collections.abc import Iterator, Sequence

from genset.core.numbers import count
from genset.core.safe import printable
from genset.release.reader import Release, ReleasePhoto


def letter(
    old: Release,
    new: Release,
    gone: Sequence[ReleasePhoto],
    requested: str | None,
    contact: str,
    before: Sequence[tuple[str, str]] = (),
) -> str:
    """What to write to whoever has `old`. It names files, and nothing of their owner.

    Args:
        old: the release that they have.
        new: the one without the photos.
        gone: the photos that were taken out.
        requested: the day on which it was asked for, ISO 8601; None where nobody said.
        contact: whom they can ask; "" for whoever sends it.
        before: the releases that `old` replaced, which have the photos too: names and hashes.
    """
    return "\n".join(_lines(old, new, gone, requested, printable(contact), before))


def _lines(
    old: Release,
    new: Release,
    gone: Sequence[ReleasePhoto],
    requested: str | None,
    contact: str,
    before: Sequence[tuple[str, str]],
) -> Iterator[str]:
    photos = count(len(gone), "photo")
    were = "was" if len(gone) == 1 else "were"
    yield f"Subject: Please delete {photos} of {old.name}"
    yield ""
    yield f"You have a copy of the test set {old.name} ({old.content_hash})."
    if requested:
        yield f"It was asked on {requested} that {photos} be taken out of it. Please"
    else:
        yield f"{photos} {were} taken out of it. Please"
    yield ""
    yield "1. delete what is named below, by name or hash, wherever you have it: in the folder, in"
    yield "   exports (tar, Parquet, the Hub), in caches, in resized or cropped copies. Where faces"
    yield "   were blurred, a photo has another name: manifest.json there says what each is of;"
    yield f"2. use {new.name} from now on ({new.content_hash}, {count(len(new.photos), 'photo')});"
    yield "3. hand this on to those who had it from you."
    yield ""
    for name, content_hash in before:
        yield f"The same goes for a copy of {printable(name)} ({printable(content_hash)}),"
        yield "which had it, too, and was replaced earlier."
        yield ""
    yield f"A score that was measured on {old.name} may stay, under that name and hash. It is not a"
    yield f"score on {new.name}: measure again there."
    yield ""
    yield "To delete:"
    for photo in gone:
        yield f"  {printable(photo.file)}"
        yield f"    sha256 {photo.sha256}"
    yield ""
    yield f"Questions: {contact}" if contact else "Questions: answer to this letter."
