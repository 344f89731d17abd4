"""A photo's row has all that its source says of it, and gives it back."""

from datetime import UTC, datetime

from genset.core.photo import PhotoOrigin
from genset.db import Photo, Store

ORIGIN = PhotoOrigin(
    source="flickr",
    source_id="6061409035",
    owner="78733179@N04",
    owner_name="Ann Ko",
    title="A tench",
    license="CC BY 2.0",
    license_url="https://creativecommons.org/licenses/by/2.0/",
    page_url="https://www.flickr.com/photos/78733179@N04/6061409035",
    image_url="https://live.staticflickr.com/65535/6061409035_b14e1be9d0_b.jpg",
    posted_at=datetime(2019, 5, 3, tzinfo=UTC),
    taken_at="2019-05",
)


def test_a_row_gives_back_what_a_source_says(store_url: str) -> None:
    store = Store.open(store_url)
    with store.begin() as session:
        session.add(Photo.of(ORIGIN))
    with store.session() as session:
        photo = session.query(Photo).one()
        assert photo.origin == ORIGIN
        assert photo.name == ORIGIN.name == "flickr:6061409035"
    store.close()


def test_whom_to_credit() -> None:
    without_name = PhotoOrigin(source="own", owner="Ann", posted_at=ORIGIN.posted_at)
    assert (ORIGIN.credited, without_name.credited) == ("Ann Ko", "Ann")
