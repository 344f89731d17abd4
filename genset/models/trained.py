"""Until when photos that a model was trained on can have been posted: `?trained_until=`.

A date is a year, a month or a day, and counts to its end; or the name of a public training set
whose date is known. Of a model that was trained on several sets the latest counts.
"""

import calendar
import re
from datetime import date

from genset.core.errors import BadInput

# The latest date that a photo of a training set can have, by the set's own paper: when its photos
# were collected where that is told, else when the set or the first model of it was published.
# docs/evaluating.md has the sources.
KNOWN = {
    "imagenet": "2010",
    "imagenet21k": "2011",
    "yfcc100m": "2014",
    "openimages": "2015-11",
    "jft-300m": "2017-07",
    "instagram-1b": "2018-05",
    "clip": "2021-01",
    "cc12m": "2021-02",
    "laion-400m": "2021",
    "laion-5b": "2022-03",
    "webli": "2022-09",
    "datacomp-1b": "2022",
    "lvd-142m": "2023-04",
}

_DATE = re.compile(r"([12][0-9]{3})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")


def parse_trained_until(value: str) -> str:
    """A date as it was given, or that of a known training set: "2021", "2021-12", "2021-12-31".

    Raises:
        BadInput: it is neither.
    """
    said = KNOWN.get(value.strip().lower(), value.strip())
    try:
        last_day(said)
    except ValueError:
        known = ", ".join(KNOWN)
        raise BadInput(
            f"trained_until is a date, such as 2021-12, or one of {known}; not {value[:40]!r}"
        ) from None
    return said


def last_day(until: str) -> date:
    """The last day of a year, a month or a day.

    >>> last_day("2022-02").isoformat()
    '2022-02-28'

    Raises:
        ValueError: it is none.
    """
    found = _DATE.fullmatch(until)
    if found is None:
        raise ValueError(f"no date: {until!r}")
    year, month = int(found[1]), int(found[2] or 12)
    if not 1 <= month <= 12:
        raise ValueError(f"no month: {until!r}")
    return date(year, month, int(found[3]) if found[3] else calendar.monthrange(year, month)[1])
