"""Photos that every leading model gets wrong: which ones a report shows, and which it names."""

from collections.abc import Mapping, Sequence

from genset.comparison.marks import answered_in_part
from genset.comparison.missed import height_of, leading, missed_by_all
from genset.comparison.pairs import Pair
from genset.release.reader import ReleasePhoto
from genset.reporting.data.missed import MissedPhoto, MissedTogether
from genset.score.results.results import Results

_SHOWN = 12
_NAMED = 100  # after those that are shown


def missed_together(
    results: Results, pairs: Sequence[Pair], records: Mapping[str, ReleasePhoto]
) -> MissedTogether | None:
    """What the leading models all get wrong; None where fewer than two were scored, or none leads.

    Args:
        results: the models, side by side on one set.
        pairs: every two of them, compared.
        records: what a release knows of its photos, by their files; empty for a plain folder.
    """
    if len(results.models) < 2 or not (first := leading(results, pairs)):
        return None
    found = missed_by_all(results, first)
    photos = {photo.id: photo for photo in results.photos.photos}
    shown = 0 if results.photos.listed else _SHOWN
    return MissedTogether(
        leading=found.leading,
        aside=tuple(model.label for model in answered_in_part(results)),
        counted=found.photos,
        without=found.without,
        missed=len(found.missed),
        unanimous=found.unanimous,
        height=height_of(results.photos.taxonomy),
        photos=tuple(
            MissedPhoto(
                missed=each,
                photo=photos[each.image] if place < shown else None,
                record=records.get(each.image),
            )
            for place, each in enumerate(found.missed[: shown + _NAMED])
        ),
    )
