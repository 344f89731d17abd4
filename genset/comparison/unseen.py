"""How many of a set's photos a model cannot have seen: those posted after it was trained."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date

from genset.comparison.references.find import published_table, spec_of
from genset.core.table import Cell
from genset.models.spec import last_day
from genset.models.training_sets import newest_set
from genset.release.exports import manifest_of
from genset.release.reader import MANIFEST, read_manifest
from genset.score.results.runs import Run
from genset.sets.photos import PhotoSet


@dataclass(frozen=True, slots=True)
class Unseen:
    """What is known of the photos that a model was trained on.

    Attributes:
        model: its name.
        trained_until: the date of the newest one that it can have seen: of a year, a month or a
            day; "" where it is not known.
        source: "said" (``?trained_until=``), or where the date of the weights' name is from.
        photos: of the set, how many were posted after that date; None where either is not known.
        of: how many photos the set has; 0 where it does not say when they were posted.
    """

    model: str
    trained_until: str
    source: str
    photos: int | None
    of: int

    @property
    def cell(self) -> Cell:
        """As in "198 of 198"; "unknown" where no date of the model's is."""
        known = self.photos is not None
        return Cell(self.photos, f"{self.photos:,} of {self.of:,}" if known else "unknown")

    def __str__(self) -> str:
        why = "" if self.source == "said" else f", as its weights' name says ({self.source})"
        unseen = f"{self.model}: unseen {self.cell.text}"
        return f"{unseen}: trained on photos until {self.trained_until}{why}"


def trained_until(run: Run) -> tuple[str, str]:
    """The date of the newest photo that a run's model can have seen, and who says so.

    What people say counts, else what the weights are called; "" and "" where neither says it.
    """
    if run.trained_until:
        return run.trained_until, "said"
    if spec := spec_of(run):
        name = f"{spec.kind}:{spec.target}"
        # A bare name means the weights that are the library's default ones.
        named = next((row.name for row in published_table().get(name, ())), name)
        kind, _, target = named.partition(":")
        if found := newest_set(kind, target, spec.texts.get("weights", "")):
            return found.until, f"{found.name}: {found.source}"
    return "", ""


def posted_days(photos: PhotoSet, release: PhotoSet | None = None) -> list[date]:
    """The day, in UTC, on which each photo of a release was posted; none of other sets.

    `release` is the set of which `photos` are a sample, if they are one.
    """
    release = release or photos
    folder = photos.root if photos.root.is_dir() else photos.root.parent
    manifest = folder / MANIFEST if (folder / MANIFEST).is_file() else manifest_of(folder)
    if photos.listed or not release.whole or manifest is None:
        return []
    posted = {photo.file: photo.posted_at for photo in read_manifest(manifest).photos}
    return [posted[photo.id].astimezone(UTC).date() for photo in photos.photos]


def unseen(photos: PhotoSet, runs: Sequence[Run], release: PhotoSet | None = None) -> list[Unseen]:
    """What each run's model cannot have seen of the set, or of a sample of a `release`."""
    days = posted_days(photos, release)
    found = []
    for run in runs:
        until, source = trained_until(run)
        later = sum(day > last_day(until) for day in days) if until and days else None
        found.append(Unseen(run.model, until, source, later, len(days)))
    return found


def notes_on_training(found: Sequence[Unseen]) -> list[str]:
    """Where the dates are from, a sentence for each model of a name that says it; or none does."""
    notes = [str(one) for one in found if one.photos is not None]
    if unknown := [one.model for one in found if one.of and not one.trained_until]:
        notes.append(f"unknown until when trained (say ?trained_until=DATE): {', '.join(unknown)}")
    return notes
