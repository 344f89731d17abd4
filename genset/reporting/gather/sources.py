"""Where a release's photos are from, and how models do on those of each source."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genset.core.safe import clean
from genset.release.reader import MANIFEST, Release, ReleasePhoto
from genset.reporting.data.report import ScoredModel
from genset.reporting.data.sources import (
    BySource,
    LicenseCount,
    ModelAtSources,
    PhotoOrigin,
    SourcePair,
    SourcePhotos,
    TopKMatched,
)
from genset.score.results.results import Results
from genset.statistics.bootstrap import Resampling
from genset.statistics.matched import match

_Tops = tuple[TopKMatched, ...]

MOST_COMPARED = 5  # sources, of which there are 10 pairs


def by_source(
    results: Results, release: Release, models: Sequence[ScoredModel], resampling: Resampling
) -> BySource | None:
    """Take a release apart by source.

    Args:
        results: the models, side by side on the release.
        release: the release, with its photos in the results' order.
        models: the report's models, in the results' order.
        resampling: how classes are resampled for intervals.

    Returns:
        None for a release that was made when Flickr was the only place to search: its manifest says
        nothing of sources, and what is not from Flickr is from a folder of somebody's own.
    """
    words = _words(release)
    counts = Counter(photo.source for photo in release.photos)
    if words is None and not _has_sources(set(counts) - {"flickr"}):
        return None
    names = sorted(counts, key=lambda name: (-counts[name], name))
    compared = names[:MOST_COMPARED] if models else []
    return BySource(
        sources=tuple(_source(name, release.photos, words or {}) for name in names),
        pairs=tuple(
            _pair(pair, results, release.photos, models, resampling)
            for pair in combinations(compared, 2)
        ),
        photos=tuple(
            PhotoOrigin(
                file=photo.file,
                wnid=photo.wnid,
                source=photo.source,
                source_id=photo.source_id,
                page_url=photo.page_url,
                license=photo.license,
                license_url=photo.license_url,
            )
            for photo in release.photos
        ),
    )


def license_counts(photos: Sequence[ReleasePhoto]) -> tuple[LicenseCount, ...]:
    """The licences of photos, the commonest first."""
    counts = Counter((photo.license, photo.license_url) for photo in photos)
    by_count = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(LicenseCount(name, url, number) for (name, url), number in by_count)


def _has_sources(names: Set[str]) -> bool:
    """Whether one of these is a source that photos can be searched at."""
    if not names:
        return False
    from genset.sources.source import is_source  # loads all that fetches photos

    return any(map(is_source, names))


def _words(release: Release) -> Mapping[str, Any] | None:
    """What the manifest says of its sources, by name; None where it says nothing."""
    manifest = json.loads((release.root / MANIFEST).read_text("utf-8"))
    words = manifest.get("sources")
    return words if isinstance(words, dict) else None


def _source(name: str, photos: Sequence[ReleasePhoto], words: Mapping[str, Any]) -> SourcePhotos:
    mine = [photo for photo in photos if photo.source == name]
    about = words.get(name)
    return SourcePhotos(
        name=name,
        title=_said(about, "title", 60) or clean(name, 60),
        notice=_said(about, "notice", 1000),
        photos=len(mine),
        classes=len({photo.wnid for photo in mine}),
        licenses=license_counts(mine),
    )


def _said(about: Any, word: str, longest: int) -> str:
    """A word of a manifest, which may be anybody's; "" where there is none."""
    said = about.get(word) if isinstance(about, dict) else None
    return clean(said, longest) if isinstance(said, str) else ""


def _pair(
    pair: tuple[str, str],
    results: Results,
    photos: Sequence[ReleasePhoto],
    models: Sequence[ScoredModel],
    resampling: Resampling,
) -> SourcePair:
    source = {photo.file: photo.source for photo in photos}
    sources = np.array([source[photo.id] for photo in results.photos.photos])
    places = np.flatnonzero(np.isin(sources, pair))
    classes = results.classes[places]
    second: NDArray[np.bool_] = sources[places] == pair[1]
    shared = np.intersect1d(classes[second], classes[~second])
    is_shared = np.isin(classes, shared)
    rows, mean = _match(results, models, places, second, resampling)
    return SourcePair(
        first=pair[0],
        second=pair[1],
        classes=len(shared),
        photos=(int((is_shared & ~second).sum()), int((is_shared & second).sum())),
        models=tuple(
            ModelAtSources(model.label, tops) for model, tops in zip(models, rows, strict=True)
        ),
        mean=ModelAtSources(f"mean of {len(models)} models", mean) if mean else None,
    )


def _match(
    results: Results,
    models: Sequence[ScoredModel],
    places: NDArray[np.int64],
    second: NDArray[np.bool_],
    resampling: Resampling,
) -> tuple[list[_Tops], _Tops]:
    """Each model on photos at some places, and of several models the mean.

    The mean has those k that all models have.
    """
    classes = results.classes[places]
    rows: list[_Tops] = [()] * len(models)
    mean: _Tops = ()
    for k in sorted({top.k for model in models for top in model.tops}):
        known = [n for n, model in enumerate(models) if any(top.k == k for top in model.tops)]
        scored = [results.models[n] for n in known]
        right = np.stack([results.right(model, k)[places] for model in scored], axis=1)
        counted = np.stack([model.answered[places] for model in scored], axis=1)
        found = match(classes, right.astype(np.float64), counted, second, resampling)
        for number, each in zip(known, found, strict=True):
            rows[number] += (TopKMatched(k, each),)
        if len(known) == len(models) > 1:
            for_all = (counted.sum(axis=1) == len(models))[:, None]
            mean_right = right.mean(axis=1)[:, None] * for_all
            mean += (TopKMatched(k, *match(classes, mean_right, for_all, second, resampling)),)
    return rows, mean
