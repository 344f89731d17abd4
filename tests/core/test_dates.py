"""When a photo was taken: what people and cameras write, and what leaves a doubt."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genset.core.dates import certain_date, earliest_day

CERTAIN = {
    "2012-09-25T16:23:02.500+02:00": "2012-09-25 16:23:02",
    "2009:05:03 10:11:12": "2009-05-03 10:11:12",
    "2012/09/25": "2012-09-25",
    "2012-09-25 16:23": "2012-09-25",
    "2012-05": "2012-05",
    "Sep. 2012": "2012-09",
    "1715": "1715",
    "7 jun 2015": "2015-06-07",
    "17  June\n2015.": "2015-06-17",
    "Photo taken on 3 May 2014": "2014-05-03",
    "3 May 2014, 10:11:12 (according to Exif data)": "2014-05-03 10:11:12",
}


def test_a_date_without_a_doubt() -> None:
    assert {words: certain_date(words) for words in CERTAIN} == CERTAIN


@pytest.mark.parametrize(
    "words",
    [
        "", "unknown", "circa 1920", "c. 1920", "1920?", "1920s", "between 2010 and 2012",
        "2010-2012", "2010 – 2012", "2014-05-03/2014-05-05", "before 2014", "2014 or 2015",
        "early 2014", "summer 2014", "0000-00-00 00:00:00", "2014-02-30", "2014-13", "2014-00-00",
        "2014-05-03 25:00:00", "03.05.2014", "03/05/2014", "3 May 2014 (original upload date)",
        "scanned on 3 May 2014", "May 2014 10:11:12", "2014 2014", "٢٠١٤", "2014-05-03 x",
    ],
)  # fmt: skip
def test_what_leaves_a_doubt_is_no_date(words: str) -> None:
    assert certain_date(words) is None


@settings(max_examples=30)
@given(words=st.text() | st.text("0123456789-: ./TZMayJune,"))
def test_a_date_is_one_that_the_window_can_be_asked_of(words: str) -> None:
    date = certain_date(words)
    assert date is None or len(date) in (4, 7, 10, 19)
    if date is not None:
        day = earliest_day(date, datetime(9999, 12, 30, tzinfo=UTC))
        assert day is not None and day.startswith(date[:10])


@given(moment=st.datetimes(min_value=datetime(1000, 1, 1)))
def test_every_form_of_a_moment_is_read(moment: datetime) -> None:
    whole = moment.strftime("%Y-%m-%d %H:%M:%S")
    assert certain_date(whole) == certain_date(whole.replace("-", ":")) == whole
    assert certain_date(f"{moment.day} {moment:%B %Y}") == whole[:10]
    assert certain_date(f"{moment:%B} {moment.day}, {moment:%Y}") == whole[:10]
    assert certain_date(f"{moment:%b %Y}") == whole[:7]
