"""Where a release's photos are from, and how models do on those of each source."""

from dataclasses import dataclass

from genset.statistics.matched import Matched


@dataclass(frozen=True, slots=True)
class LicenseCount:
    """How many photos a licence covers."""

    name: str
    url: str
    photos: int


@dataclass(frozen=True, slots=True)
class SourcePhotos:
    """What a release has of one source.

    `title` is the source's name for people, and `notice` what must be shown wherever its photos
    are, "" for nothing. `licenses` are those of its photos, the commonest first.
    """

    name: str
    title: str
    notice: str
    photos: int
    classes: int
    licenses: tuple[LicenseCount, ...]


@dataclass(frozen=True, slots=True)
class PhotoOrigin:
    """Where one photo is from, by its file in the release and its source's name."""

    file: str
    wnid: str
    source: str
    source_id: str
    page_url: str
    license: str
    license_url: str


@dataclass(frozen=True, slots=True)
class TopKMatched:
    """How often the true class is among a model's first `k` answers, at two sources."""

    k: int
    matched: Matched


@dataclass(frozen=True, slots=True)
class ModelAtSources:
    """One model at two sources; `tops` are for the same k as in the table of models."""

    label: str
    tops: tuple[TopKMatched, ...]

    @property
    def top1(self) -> Matched:
        """Its first answers."""
        return self.tops[0].matched


@dataclass(frozen=True, slots=True)
class SourcePair:
    """Two sources, by name, over the classes that both have.

    Attributes:
        first, second: the one with more photos in the release, and the other. A difference is the
            accuracy at the second less that at the first.
        classes: how many both have.
        photos: of these classes, at the first and at the second.
        models: in the report's order.
        mean: of all models on the photos that count for each; None of a single model.
    """

    first: str
    second: str
    classes: int
    photos: tuple[int, int]
    models: tuple[ModelAtSources, ...]
    mean: ModelAtSources | None

    @property
    def rows(self) -> tuple[ModelAtSources, ...]:
        """The models, then their mean."""
        return (*self.models, self.mean) if self.mean else self.models


@dataclass(frozen=True, slots=True)
class BySource:
    """A release by source.

    Attributes:
        sources: the one with the most photos first.
        pairs: every two of the first sources, by their order; none of a single source.
        photos: where each photo is from, by file.
    """

    sources: tuple[SourcePhotos, ...]
    pairs: tuple[SourcePair, ...]
    photos: tuple[PhotoOrigin, ...]

    def source(self, name: str) -> SourcePhotos:
        """The source of this name."""
        return next(source for source in self.sources if source.name == name)
