"""Times as genset writes them, and when a photo was taken, as far as it is known."""

import re
from datetime import UTC, datetime, timedelta

# As `genset.db.Photo.taken_at` has it: a year, a month, a day, or a day and a time.
_TAKEN = re.compile(r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2}).*)?)?", re.S)

_MONTH_NAMES = """
    january february march april may june july august september october november december
"""
_MONTHS = _MONTH_NAMES.split()
_MONTH = "(?P<month>" + "|".join(rf"{name[:3]}(?:{name[3:]}|\.)?" for name in _MONTHS) + ")"

# The ways in which people and cameras write a date that leave no doubt. Where the year does not
# come first, a month in numbers may be the day.
_DATES = (
    r"(?P<year>[1-9]\d{3})(?:-(?P<month>\d\d))?",
    r"(?P<year>[1-9]\d{3})(?P<sign>[-:/])(?P<month>\d\d)(?P=sign)(?P<day>\d\d)",
    rf"{_MONTH},? (?P<year>[1-9]\d{{3}})",
    rf"(?P<day>\d{{1,2}}) {_MONTH},? (?P<year>[1-9]\d{{3}})",
    rf"{_MONTH} (?P<day>\d{{1,2}}), (?P<year>[1-9]\d{{3}})",
)
_BEFORE = r"(?:(?:(?:photo|photograph|picture|image) )?(?:taken|photographed)(?: on| in|:)? )?"
_CLOCK = (
    r"(?:(?:,? |,? at |t)(?P<time>\d\d:\d\d(?::\d\d)?)(?:\.\d{1,9})?"
    r"(?: ?(?:z|utc|gmt|[+-]\d\d:?\d\d))?)?"
)
_AFTER = r"(?: \(according to exif data\))?\.?"
_CERTAIN = [re.compile(f"{_BEFORE}{date}{_CLOCK}{_AFTER}", re.ASCII) for date in _DATES]

# A camera's clock is in no known zone, and may be a day ahead of UTC.
_ZONES = timedelta(days=1)


def minute(when: datetime | float) -> str:
    """A time, or one in seconds since 1970, for people and for programs.

    >>> minute(0.0)
    '1970-01-01 00:00 UTC'
    """
    moment = datetime.fromtimestamp(when, UTC) if isinstance(when, float) else when.astimezone(UTC)
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def earliest_day(taken: str | None, posted: datetime) -> str | None:
    """The first day, as "2013-10-06", on which a photo may have been taken; None if unknown.

    It is unknown too where the photo would have been taken after it was posted: then the camera's
    clock was wrong.

    >>> from datetime import UTC
    >>> earliest_day("2013-10", datetime(2015, 1, 1, tzinfo=UTC))
    '2013-10-01'
    """
    found = _TAKEN.fullmatch(taken.strip()) if taken else None
    if found is None:
        return None
    day = f"{found['year']}-{found['month'] or '01'}-{found['day'] or '01'}"
    try:
        datetime.fromisoformat(day)
    except ValueError:
        return None
    return day if day <= (posted + _ZONES).date().isoformat() else None


def certain_date(words: str) -> str | None:
    """The date that a free text says, as `genset.db.Photo.taken_at` has it; None in doubt.

    English is read, and what cameras write. "circa 1920", "before 2014", "2010 to 2012" and a date
    that there is not leave a doubt.

    >>> certain_date("Taken on 3 May 2014"), certain_date("2009:05:03 10:11:12")
    ('2014-05-03', '2009-05-03 10:11:12')
    >>> certain_date("circa 1920")
    """
    text = " ".join(words.lower().split())
    found = next((found for pattern in _CERTAIN if (found := pattern.fullmatch(text))), None)
    if found is None:
        return None
    date = {"month": None, "day": None} | found.groupdict()
    month, day, time = date["month"], date["day"], date["time"]
    if time and not day:
        return None
    if month and not month.isdecimal():
        month = str(1 + next(n for n, name in enumerate(_MONTHS) if name[:3] == month[:3]))
    written = "-".join(part.zfill(2) for part in (date["year"], month, day) if part)
    whole = f"{written}{'-01' * (3 - len(written.split('-')))} {time or '00:00'}"
    try:
        datetime.fromisoformat(whole)
    except ValueError:
        return None
    # A time without its seconds says no more than the day, as far as others read it.
    return f"{written} {time}" if time and len(time) == len("10:11:12") else written
