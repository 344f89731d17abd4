"""The point on people: photos in which a detector finds faces."""

from genset.core.numbers import count
from genset.release.audit.finding import Finding, unread, verdict
from genset.release.faces.centerface import CenterFace, is_here
from genset.release.faces.find import faces_of
from genset.release.reader import Release

KNOWN = "of 84 faces in 200 photos it found 81, and of what it found a quarter were none"


def check_faces(release: Release, look: bool = True) -> Finding:
    """Whether faces of people are in photos, as far as a detector tells.

    Args:
        release: the release.
        look: whether to look for them, which takes longer than all else.
    """
    if not look:
        return Finding("faces", "not said", "nobody looked: --no-faces")
    if not is_here():
        says = "the detector is not here: pip install 'genset[faces]'"
        return Finding("faces", "not said", says)
    detector = CenterFace()
    named, number, unreadable, done = [], 0, 0, _blurred(release)
    for photo, found in faces_of(release, detector):
        unreadable += found is None
        # A face of a few blocks is still found as one.
        faces = [
            face
            for face in found or ()
            if not any(face.is_in(box) for box in done.get(photo.file, ()))
        ]
        if faces:
            number += len(faces)
            named.append(f"{photo.file}: {count(len(faces), 'face')}, score {faces[0].score:.2f}")
    says = f"CenterFace finds {count(number, 'face')} in {len(named):,} of "
    says += f"{count(len(release.photos), 'photo')} ({KNOWN})"
    says += "; not counted are those that its manifest calls blurred" if done else ""
    return unread(Finding("faces", verdict(named), says, tuple(named)), unreadable)


def _blurred(release: Release) -> dict[str, list[list[float]]]:
    """Where photos of a variant are blurred: boxes by the photos' files."""
    changed = (release.variant or {}).get("changed", {})
    return {file: each["faces"] for file, each in changed.items()}
