"""What all leading models get wrong in a release, as the list that a manager goes through."""

from pathlib import Path

from genset.comparison.missed import leading, missed_by_all
from genset.comparison.pairs import compare
from genset.core.errors import BadInput
from genset.db import now
from genset.label.suspects import Guess, Suspect, Suspects
from genset.release.reader import MANIFEST, Release
from genset.score.results.results import load_results
from genset.sets.photos import PhotoSet


def find_suspects(photos: PhotoSet, runs: Path, order: str = "severity") -> Suspects:
    """The photos of a release that every leading model gets wrong.

    Args:
        photos: the release.
        runs: the folder of runs.
        order: "severity" or "agreement" (`genset.comparison.missed.ORDERS`).

    Raises:
        BadInput: it is no release, or no model was scored on it.
        GensetError: a run's files are not what `genset evaluate` wrote.
    """
    if photos.listed or not (photos.root / MANIFEST).is_file():
        raise BadInput(f"{photos.name} is no release: its photos are no candidates to review")
    results = load_results(photos, runs).without_flagged()
    if not results.models:
        flagged = f" (but {len(results.flagged)} flagged: genset report)" * bool(results.flagged)
        raise BadInput(
            f"no model was scored on {photos.name}{flagged}: genset evaluate {photos.name} "
            "--model SPEC"
        )
    found = missed_by_all(results, leading(results, compare(results, results.models)), order)
    tasks = {
        photo.file: f"{photo.wnid}/{photo.source}:{photo.source_id}"
        for photo in Release(photos.root).photos
    }
    return Suspects(
        release=photos.name,
        content_hash=photos.content_hash,
        made_at=now(),
        leading=found.leading,
        photos=found.photos,
        without=found.without,
        order=order,
        suspects=tuple(
            Suspect(
                task=tasks[photo.image],
                right=photo.right,
                guesses=tuple(Guess(*answer) for answer in photo.answers),
                severity=photo.severity,
                common=photo.common,
                agreeing=photo.agreeing,
            )
            for photo in found.missed
        ),
    )
