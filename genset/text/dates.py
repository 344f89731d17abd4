"""When a photo was taken, as far as it is known."""

import re
from datetime import datetime, timedelta

# As `genset.store.Photo.taken_at` has it: a year, a month, a day, or a day and a time.
_TAKEN = re.compile(r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2}).*)?)?", re.S)

# A camera's clock is in no known zone, and may be a day ahead of UTC.
_ZONES = timedelta(days=1)


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
