"""Photos given as examples of classes, as labelers see them, and as the command tells of them."""

import hashlib
import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PIL import Image
from sqlalchemy import select

from genset.core.errors import GensetError
from genset.core.photo import PhotoOrigin
from genset.db import Candidate, ExamplePhoto, Photo, SourceWords, Store
from genset.db.images_folder import check_files
from genset.label.labelers import Labelers
from genset.label.session.desk import Desk
from genset.label.session.pictures import shown_picture
from genset.label.session.shown import Screen
from genset.label.session.sources import notices
from genset.scrape.add import AddSummary, add
from genset.scrape.removal import remove
from genset.status import status
from genset.workspace import Workspace
from tests.label.desks import desk_of
from tests.labeled_workspace import GOLDFISH, TENCH, add_candidate, picture
from tests.scrape.test_folder import put

LARGE = 400, 320

OWN = PhotoOrigin(source="own", owner="", license="", license_url="", posted_at=datetime.now(UTC))


Opened = tuple[Workspace, Store]


def screen_of(opened: Opened, wnid: str) -> Screen:
    screens = desk_of(opened, "ann").screens(12)
    return next(each for each in screens if each.cls.wnid == wnid)


def sha256_of(number: int) -> str:
    return hashlib.sha256(picture(number, LARGE)).hexdigest()


@pytest.fixture
def known(tmp_path: Path) -> Path:
    """Two photos of a tench and one of a goldfish."""
    photos = {f"{TENCH}_a": picture(901, LARGE), f"{TENCH}_b": picture(902, LARGE)}
    return put(tmp_path / "known", **photos, **{f"{GOLDFISH}_a": picture(903, LARGE)})


def test_a_class_that_nobody_has_labeled_is_shown_with_them(anywhere: Opened, known: Path) -> None:
    workspace, store = anywhere
    assert screen_of(anywhere, TENCH).examples == ()
    done = add(workspace, store, known, OWN, examples=True)
    assert done == AddSummary("own", added=3, classes={GOLDFISH: 1, TENCH: 2})
    screen = screen_of(anywhere, TENCH)
    assert len(screen.examples) == 2
    assert {(each.source, each.owner_name, each.license) for each in screen.examples} == {
        ("own", "", "")
    }
    goldfish = screen_of(anywhere, GOLDFISH)
    assert len(goldfish.examples) == 1
    as_confusable = next(each for each in screen.confusable if each.cls.wnid == GOLDFISH)
    assert as_confusable.photo == goldfish.examples[0]


def test_they_are_no_candidates_and_come_into_no_release(anywhere: Opened, known: Path) -> None:
    workspace, store = anywhere
    before = status(workspace, store)
    add(workspace, store, known, OWN, examples=True)
    after = status(workspace, store)
    assert (after.found, after.stored, after.candidates) == (before.found, before.stored, 20)
    assert (before.examples, after.examples) == (0, 3)
    screens = desk_of(anywhere, "bob").screens(12)
    asked = [photo for each in screens for photo in each.photos]
    assert len(asked) == 20 and {photo.source for photo in asked} == {"flickr"}
    assert check_files(workspace, store) == []
    with store.session() as session:
        claimed = session.scalars(select(Candidate.photo_id)).all()
        given = session.scalars(select(ExamplePhoto.photo_id)).all()
    assert not set(claimed) & set(given)


def test_who_asks_to_have_one_removed_is_heard(anywhere: Opened, known: Path) -> None:
    workspace, store = anywhere
    add(workspace, store, known, OWN, examples=True)
    remove(workspace, store, f"own:{sha256_of(903)[:32]}", "their wish")
    assert screen_of(anywhere, GOLDFISH).examples == ()
    again = add(workspace, store, known, OWN, examples=True)
    assert again.rejected == {f"{GOLDFISH}/a.jpg": "removed: somebody asked for it"}


FLICKR = "This product uses the Flickr API but is not endorsed or certified by SmugMug, Inc."


def know(store: Store, name: str, **words: str | bool) -> None:
    """Store a source's words, as a scrape does when it begins."""
    texts = [column.name for column in SourceWords.__table__.columns if column.name != "page_tells"]
    empty = dict.fromkeys(texts, "")
    with store.begin() as session:
        session.merge(SourceWords(**empty | {"name": name} | words))


def of_source(opened: Opened, number: int, source: str) -> None:
    add_candidate(*opened, TENCH, number, source=source)


def test_a_notice_stands_where_the_pool_has_photos_of_its_source(opened: Opened) -> None:
    _, store = opened
    assert notices(store) == (FLICKR,)  # also where no scrape stored its words
    know(store, "commons", notice="Of Commons.")
    assert notices(store) == (FLICKR,)  # it has no photo yet
    of_source(opened, 900, "commons")
    assert sorted(notices(store)) == ["Of Commons.", FLICKR]
    know(store, "flickr", notice="As Flickr says now.")
    assert notices(store) == ("Of Commons.", "As Flickr says now.")
    assert notices(store, {"commons"}) == ("Of Commons.",)
    assert notices(store, {"own"}) == ()
    with store.begin() as session:
        session.query(Photo).filter_by(source="flickr").update({"rejected": "gone"})
    assert notices(store) == ("Of Commons.",)


def test_who_labels_gets_no_link_to_a_page_that_tells(opened: Opened) -> None:
    """iNaturalist's page of a photo has the name of the species on it."""
    workspace, store = opened
    know(store, "wild", page_tells=True)
    for number, source in ((900, "wild"), (901, "commons")):
        of_source(opened, number, source)
    ann = Labelers(store).by_name("ann")
    shown = {
        photo.source: photo.page_url
        for screen in Desk(workspace, store, ann).screens(20)
        for photo in screen.photos
        if photo.source in ("wild", "commons")
    }
    assert shown["wild"] == ""
    assert shown["commons"]


RED, BLUE = (255, 0, 0), (0, 0, 255)


def shown(path: Path) -> Image.Image:
    return Image.open(io.BytesIO(shown_picture(path)))


def is_like(pixel: object, color: tuple[int, int, int]) -> bool:
    assert isinstance(pixel, tuple)
    return all(abs(a - b) < 30 for a, b in zip(pixel, color, strict=True))


def test_a_large_photo_is_scaled_down_and_turned_upright(tmp_path: Path) -> None:
    image = Image.new("RGB", (4000, 2000), RED)
    image.paste(BLUE, (2000, 0, 4000, 2000))  # the right half
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned: the picture's left is up
    image.save(tmp_path / "photo.jpg", exif=exif)

    picture = shown(tmp_path / "photo.jpg")

    assert picture.size == (700, 1400)
    smaller = Image.open(io.BytesIO(shown_picture(tmp_path / "photo.jpg", 350)))
    assert smaller.size == (175, 350)
    assert is_like(picture.getpixel((350, 100)), RED)
    assert is_like(picture.getpixel((350, 1300)), BLUE)


@pytest.mark.parametrize(
    ("mode", "kind"),
    [("RGB", "webp"), ("CMYK", "jpeg"), ("L", "png"), ("I;16", "png"), ("RGBA", "png")],
)
def test_every_kind_of_photo_becomes_a_jpeg(tmp_path: Path, mode: str, kind: str) -> None:
    Image.new(mode, (30, 20)).save(tmp_path / "photo", kind)

    picture = shown(tmp_path / "photo")

    assert (picture.format, picture.mode, picture.size) == ("JPEG", "RGB", (30, 20))
    if mode == "RGBA":  # what is transparent is shown white
        assert is_like(picture.getpixel((5, 5)), (255, 255, 255))


def test_a_missing_and_a_broken_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(GensetError, match=r"gone\.jpg is missing"):
        shown_picture(tmp_path / "gone.jpg")

    Image.new("RGB", (300, 200), RED).save(tmp_path / "half.jpg")
    whole = (tmp_path / "half.jpg").read_bytes()
    (tmp_path / "half.jpg").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(GensetError, match=r"half\.jpg is not a picture"):
        shown_picture(tmp_path / "half.jpg")
