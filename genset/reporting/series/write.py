"""Gather a series, and write its index and each set's full report into one folder."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from genset.errors import BadInput
from genset.evaluation.data.photos import PhotoSet
from genset.evaluation.results.results import load_results
from genset.reporting.data.options import PLAIN, ReportOptions
from genset.reporting.gather.collect import collect_results
from genset.reporting.render.html import write_html
from genset.reporting.series.data import Series
from genset.reporting.series.gather.collect import GivenSet, collect_series
from genset.reporting.series.render.page import write_index

INDEX = "index.html"


def write_series(
    sets: Sequence[tuple[str, PhotoSet]],
    runs: Path,
    folder: Path | None,
    options: ReportOptions = PLAIN,
) -> Series:
    """Write a series of sets: ``index.html``, and a full report on each set beside it.

    Args:
        sets: two or more, each with what the user called it.
        runs: the folder of runs.
        folder: where it is written; made if it is not there. None: nothing is written.
        options: what is asked for; what is for one set alone is refused.

    Returns:
        The numbers in the index.

    Raises:
        BadInput: two sets are the same, an option is for one set alone, or names what is not there.
        MissingExtra: Jinja or matplotlib is not installed.
        GensetError: a run's files are not what `genset evaluate` wrote.
    """
    _check(sets, options)
    names = _names([photos.name for _, photos in sets])
    pages = _pages(names)
    given = [
        GivenSet(name, page, named, load_results(photos, runs))
        for name, page, (named, photos) in zip(names, pages, sets, strict=True)
    ]
    series = collect_series(given, options)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for each in given:
            write_html(collect_results(each.results, runs, options), folder / each.page)
        write_index(series, folder / INDEX)
    return series


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


def _names(names: Sequence[str]) -> list[str]:
    """The sets' names, numbered where two share one."""
    counts, seen = Counter(names), Counter[str]()
    found = []
    for name in names:
        seen[name] += 1
        found.append(f"{name} ({seen[name]})" if counts[name] > 1 else name)
    return found


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
