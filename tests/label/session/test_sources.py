"""What stands beside photos of a source, and what a labeler is told before them."""

import pytest

from genset.db import Photo, SourceWords, Store
from genset.label.labelers import Labelers
from genset.label.session.desk import Desk
from genset.label.session.sources import notices, warnings
from genset.workspace import Workspace
from tests.labeled_workspace import TENCH, add_candidate

FLICKR = "This product uses the Flickr API but is not endorsed or certified by SmugMug, Inc."

Opened = tuple[Workspace, Store]


def know(store: Store, name: str, **words: str | bool) -> None:
    """Store a source's words, as a scrape does when it begins."""
    texts = [column.name for column in SourceWords.__table__.columns if column.name != "page_tells"]
    empty = dict.fromkeys(texts, "")
    with store.begin() as session:
        session.merge(SourceWords(**empty | {"name": name} | words))


def put(opened: Opened, number: int, source: str) -> None:
    add_candidate(*opened, TENCH, number, source=source)


def test_a_notice_stands_where_the_pool_has_photos_of_its_source(opened: Opened) -> None:
    _, store = opened
    assert notices(store) == (FLICKR,)  # also where no scrape stored its words
    know(store, "commons", notice="Of Commons.")
    assert notices(store) == (FLICKR,)  # it has no photo yet
    put(opened, 900, "commons")
    assert sorted(notices(store)) == ["Of Commons.", FLICKR]
    know(store, "flickr", notice="As Flickr says now.")
    assert notices(store) == ("Of Commons.", "As Flickr says now.")
    assert notices(store, {"commons"}) == ("Of Commons.",)
    assert notices(store, {"own"}) == ()
    with store.begin() as session:
        session.query(Photo).filter_by(source="flickr").update({"rejected": "gone"})
    assert notices(store) == ("Of Commons.",)


@pytest.mark.parametrize("evil", ["\u202egnp\n\n# x\x1b[2J", "x" * 100_000])
def test_what_a_source_says_is_one_line_that_ends(opened: Opened, evil: str) -> None:
    _, store = opened
    know(store, "wild", title=evil, notice=evil, warning=evil)
    put(opened, 900, "wild")
    (told,) = warnings(store, Labelers(store).by_name("ann"))
    for words in (told.title, told.text, *notices(store)):
        assert words.isprintable() and len(words) <= 500


def test_who_labels_gets_no_link_to_a_page_that_tells(opened: Opened) -> None:
    """iNaturalist's page of a photo has the name of the species on it."""
    workspace, store = opened
    know(store, "wild", page_tells=True)
    for number, source in ((900, "wild"), (901, "commons")):
        put(opened, number, source)
    ann = Labelers(store).by_name("ann")
    shown = {
        photo.source: photo.page_url
        for screen in Desk(workspace, store, ann).screens(20)
        for photo in screen.photos
        if photo.source in ("wild", "commons")
    }
    assert shown["wild"] == ""
    assert shown["commons"]
