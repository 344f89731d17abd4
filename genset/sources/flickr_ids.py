"""When Flickr's photos were uploaded, as far as their ids tell.

A photo's owner can change its posted date (flickr.photos.setDates), and nobody its id. Ids rise
with time until mid-2014, in ranges by their last digit that are some weeks apart; later the ranges
are up to two years apart, and tell nothing.

Source: the search logs of ImageNetV2 (Recht et al., "Do ImageNet Classifiers Generalize to
ImageNet?", 2019), in which 6,254 photos have an id and a posted date. An entry is the highest id
of the slowest range that they have from before the day; 17 of the 6,254 posted dates contradict
it. Ids below 100,000 are not checked: whatever stands in for Flickr numbers its photos so.
"""

from bisect import bisect_right
from datetime import UTC, datetime, timedelta

# By the first day of these months, all ids below so many millions were given out.
_MILLIONS = """
    2006-01 29     2006-07 168    2007-01 324    2007-07 444    2008-01 2127   2008-07 2590
    2009-01 3096   2009-07 3632   2010-01 4217   2010-07 4675   2011-01 5300   2011-07 5822
    2012-01 6350   2012-04 6839   2012-07 7183   2012-10 8036   2012-11 8139   2012-12 8227
    2013-01 8327   2013-02 8432   2013-03 8503   2013-04 8591   2013-05 8692   2013-06 8865
    2013-07 9173   2013-08 9362   2013-09 9608   2013-10 9935   2013-11 10501  2013-12 10986
    2014-01 11571  2014-02 12239  2014-03 12846  2014-04 13549  2014-05 13889  2014-06 14125
    2014-07 14357  2014-08 14612
"""
_LOWEST = 100_000
_WORDS = _MILLIONS.split()
DAYS = [datetime.fromisoformat(month + "-01").replace(tzinfo=UTC) for month in _WORDS[::2]]
IDS = [int(millions) * 10**6 for millions in _WORDS[1::2]]


def uploaded(photo_id: str, posted: datetime) -> datetime:
    """When a photo was uploaded: at its posted date, but no later than its id allows.

    >>> print(uploaded("11058469813", datetime(2016, 6, 2, tzinfo=UTC)))
    2013-12-31 23:59:59+00:00
    """
    number = int(photo_id[:20]) if photo_id.isascii() and photo_id.isdecimal() else 0
    if not _LOWEST <= number < IDS[-1]:
        return posted
    return min(posted, DAYS[bisect_right(IDS, number)] - timedelta(seconds=1))
