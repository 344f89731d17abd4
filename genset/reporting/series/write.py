"""A series: gathered when it is asked for."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from genset.core.errors import BadInput
from genset.reporting.data.options import PLAIN, ReportOptions
from genset.reporting.write import Report, write_page
from genset.sets.photos import PhotoSet

if TYPE_CHECKING:
    from genset.reporting.series.data import Series
    from genset.score.results.results import Results

INDEX = "index.html"


class SeriesReport:
    """Several sets side by side, in each form.

    Each form raises:
        BadInput: an option names what is not there.
        MissingExtra: Jinja or matplotlib is not installed.
        GensetError: a run's files are not what `genset evaluate` wrote.
    """

    def __init__(
        self, sets: Sequence[tuple[str, PhotoSet]], runs: Path, options: ReportOptions = PLAIN
    ) -> None:
        """Nothing is read yet.

        Args:
            sets: two or more, each with what the user called it, as it was opened just now.
            runs: the folder of runs.
            options: what is asked for beyond the runs.

        Raises:
            BadInput: two sets are the same photos, or an option is for one set alone.
        """
        _check(sets, options)
        self._sets, self._runs, self._options = sets, runs, options
        self._names = _names(sets)
        self._pages = _pages(self._names)
        self._reports = [
            Report(photos, runs, replace(options, named=named), partial(self._loaded, place))
            for place, (named, photos) in enumerate(sets)
        ]

    @cached_property
    def data(self) -> "Series":
        """The numbers in it."""
        from genset.reporting.series.gather.collect import GivenSet, collect_series

        given = [
            GivenSet(name, page, named, results)
            for name, page, (named, _), results in zip(
                self._names, self._pages, self._sets, self._results, strict=True
            )
        ]
        return collect_series(given, self._options)

    def write(self, folder: Path) -> Path:
        """Write ``index.html``, and a full report on each set beside it.

        Args:
            folder: made if it is not there.

        Returns:
            The index.
        """
        folder.mkdir(parents=True, exist_ok=True)
        for report, page in zip(self._reports, self._pages, strict=True):
            report.write(folder / page)
        from genset.reporting.series.render.page import html_of

        write_page(folder / INDEX, html_of(self.data))
        return folder / INDEX

    def markdown(self) -> str:
        """Its tables as Markdown."""
        from genset.reporting.series.render.markdown import as_markdown

        return as_markdown(self.data)

    def json(self) -> str:
        """All its numbers, as JSON's own types."""
        from genset.reporting.series.render.markdown import series_json

        return json.dumps(series_json(self.data), indent=2)

    @cached_property
    def _results(self) -> "list[Results]":
        """What was scored on each set; read once for the index and the reports."""
        from genset.score.results.results import load_results

        return [load_results(photos, self._runs) for _, photos in self._sets]

    def _loaded(self, place: int) -> "Results":
        return self._results[place]


def series_folder(sets: Sequence[PhotoSet], wanted: str) -> Path:
    """Where a series is written: the folder that was asked for, or one named after the sets, here.

    Raises:
        BadInput: what was asked for is a file.
    """
    if not wanted:
        names = [_stem(photos.name) for photos in sets]
        more = [f"{len(names) - 3}-more"] if len(names) > 4 else names[3:]
        return Path("-".join(["report", *names[:3], *more]))
    folder = Path(wanted)
    if folder.is_file() or folder.suffix.lower() in (".html", ".htm"):
        raise BadInput(f"several sets are written as a folder: --out {folder.stem}/")
    return folder


def _check(sets: Sequence[tuple[str, PhotoSet]], options: ReportOptions) -> None:
    seen: dict[str, str] = {}
    for named, photos in sets:
        if (other := seen.get(photos.content_hash)) is not None:
            raise BadInput(f"{other} and {named} are the same photos: name each set once")
        seen[photos.content_hash] = named
    if options.real_labels or options.tta:
        option = "--labels" if options.real_labels else "--tta"
        raise BadInput(f"{option} is for a report on one set: leave it out, or name one set")


def _names(sets: Sequence[tuple[str, PhotoSet]]) -> list[str]:
    """The sets' names; where two share one, with the folder that tells them apart, or a number."""
    names = [photos.name for _, photos in sets]
    folders = [_folder(named, photos) for named, photos in sets]
    for more in (folders, [str(number) for number in range(1, len(sets) + 1)]):
        counts = Counter(names)
        names = [
            f"{name} ({each})" if counts[name] > 1 and each else name
            for name, each in zip(names, more, strict=True)
        ]
    return names


def _folder(named: str, photos: PhotoSet) -> str:
    """The folder that a set is called by, or lies in: no more of where this machine keeps it."""
    path = Path(named)
    return path.parent.name if path.stem == photos.name else path.name


def _pages(names: Sequence[str]) -> list[str]:
    """A file name for each set's report, none of them the index."""
    found: list[str] = []
    for name in names:
        stem = _stem(name)
        page, number = f"{stem}.html", 1
        while page.lower() in (INDEX, *(each.lower() for each in found)):
            number += 1
            page = f"{stem}-{number}.html"
        found.append(page)
    return found


def _stem(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "set"
