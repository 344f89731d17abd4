"""What a series says of the years of one protocol: drift of the photos, and progress of models.

Two years of a series differ for two reasons. The photos of another year may be harder or easier:
that shows in models that did not change, on both years (drift). And models may have become better:
that shows on the photos of one year, in new models beside old ones (progress). The best result of
each year, one beside the other, would mix both.
"""

from dataclasses import dataclass

from genset.statistics.matched import Matched


@dataclass(frozen=True, slots=True)
class Year:
    """A set that is one window of a protocol.

    Attributes:
        set: the set's name in the series.
        posted_after, posted_before: the window of posting times, as days.
        frozen_at: when the release was made, ISO 8601.
    """

    set: str
    posted_after: str
    posted_before: str
    frozen_at: str


@dataclass(frozen=True, slots=True)
class Labels:
    """How the photos of two years were labeled, which a change of accuracy has in it, too.

    Attributes:
        frequency: the photos' selection frequencies on both years, over the classes that both
            have; None where a release does not say them.
        votes: how many labels on the later made of the two chose its photos; None where it does
            not say.
        common: how many of these are by people who labeled photos of the other one, too; None where
            that is not known.
    """

    frequency: Matched | None
    votes: int | None
    common: int | None


@dataclass(frozen=True, slots=True)
class Drift:
    """The same models on the first year and on a later one.

    Attributes:
        first, second: the sets' names.
        models: labels of the models: scored on every year, and left out of none.
        seen: labels of those of them that were trained so late that they could have seen photos of
            the first year: that they do worse on the second may be no drift.
        matched: their mean on both, over the classes that both have, each counted once.
        labels: how both were labeled.
    """

    first: str
    second: str
    models: tuple[str, ...]
    seen: tuple[str, ...]
    matched: Matched
    labels: Labels


@dataclass(frozen=True, slots=True)
class Progress:
    """New and old models on the photos of one year.

    Attributes:
        set: the set's name.
        older: labels of the models that were first scored before it was frozen.
        newer: labels of those that were first scored since; or, where `named`, of those that are
            called new, and `older` has all others.
        matched: the mean of `older`, then that of `newer`, each class counted once; None where one
            of them is empty.
    """

    set: str
    older: tuple[str, ...]
    newer: tuple[str, ...]
    named: bool
    matched: Matched | None


@dataclass(frozen=True, slots=True)
class Years:
    """The years of one protocol, in the order of their windows.

    Attributes:
        protocol: its name.
        years: two or more.
        drifts: from the first year to each later one, where a model was scored on every year.
        progress: on each later year.
        others: releases in the series that are no window of it, each with how many of its photos
            are in one.
        convention: of the models' runs on classes of a user's own; None where there is none.
    """

    protocol: str
    years: tuple[Year, ...]
    drifts: tuple[Drift, ...]
    progress: tuple[Progress, ...]
    others: tuple[tuple[str, int], ...] = ()
    convention: str | None = None
