"""A scrape, against the sandbox: what each class holds in the end, whatever happened on the way."""

import hashlib
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import select

from genset.errors import SourceRefused
from genset.scrape import http
from genset.scrape.flickr import Flickr
from genset.scrape.pool import ScrapeSummary, scrape
from genset.scrape.sandbox import Reply, Request, Sandbox
from genset.scrape.source import SearchPage
from genset.store import Base, Photo, Search, Store, stored_candidates
from genset.taxonomy import ImageClass, Query
from genset.workspace import Workspace
from tests.labeled_workspace import CRANE, TENCH, picture


def image_class(wnid: str, *keywords: str) -> ImageClass:
    queries = tuple(Query(keyword, "lemma") for keyword in keywords)
    return ImageClass(0, wnid, keywords, "", (), queries)


CAT = image_class("n00000001", "cat", "kitten")
DOG = image_class("n00000002", "dog")

Row = dict[str, Any]


def record(number: int, keyword: str = "cat", **changes: Any) -> Row:
    """A photo that a search for `keyword` returns; records stand in the order of relevance."""
    return {
        "id_search_engine": str(number),
        "wnid": keyword,
        "search_key": keyword,
        "date_upload_search_engine": "2015-01-01 12:00:00",
        "date_taken": None,
        "file": f"photos/{number}.jpg",
    } | changes


def too_old(number: int, keyword: str = "cat") -> Row:
    return record(number, keyword, date_upload_search_engine="2010-01-01 12:00:00")


class Faulty(Sandbox):
    """A sandbox whose `fault` may answer a request in its stead."""

    fault: Callable[[Request], Reply | None] = staticmethod(lambda request: None)

    def answer(self, request: Request) -> Reply:
        return self.fault(request) or super().answer(request)

    @property
    def source(self) -> Flickr:
        return Flickr("key", "secret", self.endpoint)

    @property
    def asked_images(self) -> list[str]:
        return [asked.what for asked in self.requests if asked.what.endswith(".jpg")]


Serve = Callable[..., Faulty]


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Start a sandbox with these records; `contents` stands for the photo of some numbers."""
    monkeypatch.setattr(http, "FIRST_WAIT", 0)
    running: list[Faulty] = []

    def start(*rows: Row, contents: dict[int, bytes] | None = None) -> Faulty:
        folder = tmp_path / "served" / "photos"
        folder.mkdir(parents=True)
        for number in {int(row["id_search_engine"]) for row in rows}:
            content = (contents or {}).get(number, picture(number))
            (folder / f"{number}.jpg").write_bytes(content)
        records = tmp_path / "records.jsonl"
        records.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        sandbox = Faulty(folder.parent, records)
        sandbox.start()
        running.append(sandbox)
        return sandbox

    yield start
    for sandbox in running:
        sandbox.close()


class Pool:
    """A workspace and its store, and what a scrape left there."""

    def __init__(self, root: Path, per_class: int) -> None:
        self.workspace = replace(Workspace.create(root), per_class=per_class)
        self.store = Store.open(self.workspace.store_url)

    def scrape(self, source: Any, *classes: ImageClass) -> ScrapeSummary:
        return scrape(self.workspace, self.store, source, classes or [CAT])

    def held(self, cls: ImageClass = CAT) -> list[str]:
        """The ids of the stored photos of a class, best rank first."""
        with self.store.session() as session:
            found = session.scalars(stored_candidates(cls.wnid))
            return [candidate.photo.source_id for candidate in found]

    def refused(self) -> dict[str, str]:
        """Why each refused photo was refused, by id."""
        with self.store.session() as session:
            return {
                photo.source_id: photo.refused
                for photo in session.scalars(select(Photo))
                if photo.refused is not None
            }

    def rows(self) -> dict[str, list[Row]]:
        """Every row of every table, without the times at which they came about."""
        with self.store.engine.connect() as connection:
            return {
                table.name: [
                    {name: value for name, value in row.items() if name not in _OUR_CLOCK}
                    for row in connection.execute(select(table).order_by(*table.primary_key))
                    .mappings()
                    .all()
                ]
                for table in Base.metadata.sorted_tables
            }

    def files(self) -> dict[str, bytes]:
        """What lies in ``images/``."""
        images = self.workspace.images
        found = [path for path in images.glob("**/*") if path.is_file()]
        return {str(path.relative_to(images)): path.read_bytes() for path in found}


_OUR_CLOCK = {"asked_at", "stored_at"}


@pytest.fixture
def new_pool(tmp_path: Path) -> Iterator[Callable[..., Pool]]:
    """Make an empty workspace of its own."""
    made: list[Pool] = []

    def make(per_class: int = 3) -> Pool:
        made.append(Pool(tmp_path / f"workspace {len(made)}", per_class))
        return made[-1]

    yield make
    for pool in made:
        pool.store.close()


@pytest.fixture
def pool(new_pool: Callable[..., Pool]) -> Pool:
    return new_pool()


# Which photos a class takes


def test_the_best_by_rank_are_taken(serve: Serve, pool: Pool) -> None:
    sandbox = serve(*(record(number) for number in (7, 3, 9, 1, 5)))
    summary = pool.scrape(sandbox.source)
    assert pool.held() == ["7", "3", "9"]
    assert (summary.full, summary.short, summary.failed) == (1, {}, {})
    assert (summary.stored, summary.refused) == (3, {})


def test_keywords_take_turns(serve: Serve, new_pool: Callable[..., Pool]) -> None:
    rows = [record(number) for number in (1, 2, 3)]
    rows += [record(number, "kitten") for number in (11, 12, 13)]
    pool = new_pool(per_class=5)
    pool.scrape(serve(*rows).source)
    with pool.store.session() as session:
        taken = [
            (candidate.rank, candidate.keyword, candidate.photo.source_id)
            for candidate in session.scalars(stored_candidates(CAT.wnid))
        ]
    assert sorted(taken) == [
        (1, "cat", "1"),
        (1, "kitten", "11"),
        (2, "cat", "2"),
        (2, "kitten", "12"),
        (3, "cat", "3"),
    ]


def test_a_photo_that_two_keywords_find_counts_once_at_its_best_rank(
    serve: Serve, pool: Pool
) -> None:
    rows = [record(1), record(2), record(3), record(3, "kitten"), record(4, "kitten")]
    pool.scrape(serve(*rows).source)
    with pool.store.session() as session:
        [shared] = [
            candidate
            for candidate in session.scalars(stored_candidates(CAT.wnid))
            if candidate.photo.source_id == "3"
        ]
    assert (shared.keyword, shared.rank) == ("kitten", 1)
    assert sorted(pool.held()) == ["1", "2", "3"]


def test_what_a_photo_is_stored_with(serve: Serve, pool: Pool) -> None:
    sandbox = serve(
        record(
            1,
            owner="1@N00",
            owner_name="Zoë <b>",
            title="A cat ☕",
            license=11,
            date_taken="2014-12-31 23:59:59",
        )
    )
    pool.scrape(sandbox.source)
    with pool.store.session() as session:
        photo = session.scalars(select(Photo)).one()
    assert (photo.source, photo.source_id, photo.owner) == ("flickr", "1", "1@N00")
    assert (photo.owner_name, photo.title) == ("Zoë <b>", "A cat ☕")
    assert photo.license == "CC BY 4.0"
    assert photo.license_url == "https://creativecommons.org/licenses/by/4.0/"
    assert photo.page_url == "https://www.flickr.com/photos/1@N00/1"
    assert photo.posted_at == datetime(2015, 1, 1, 12, tzinfo=UTC)
    assert photo.taken_at == "2014-12-31 23:59:59"
    assert photo.stored_at is not None
    assert photo.refused is None


def test_original_bytes_are_kept_under_their_hash(serve: Serve, pool: Pool) -> None:
    pool.scrape(serve(*(record(number) for number in range(3))).source)
    expected = {}
    for number in range(3):
        sha256 = hashlib.sha256(picture(number)).hexdigest()
        expected[f"{sha256[:2]}/{sha256}.jpg"] = picture(number)
    assert pool.files() == expected
    with pool.store.session() as session:
        for photo in session.scalars(select(Photo)):
            content = expected[photo.file]
            assert photo.sha256 == hashlib.sha256(content).hexdigest()
            assert photo.byte_size == len(content)
            assert photo.format == "JPEG"


def test_each_search_is_kept_with_its_answer(serve: Serve, pool: Pool) -> None:
    pool.scrape(serve(*(record(number) for number in range(60))).source)
    with pool.store.session() as session:
        searches = session.scalars(select(Search).order_by(Search.id)).all()
    assert [
        (each.wnid, each.source, each.query, each.page, each.total, each.returned, each.last)
        for each in searches
    ] == [
        (CAT.wnid, "flickr", "cat", 1, 60, 50, False),
        (CAT.wnid, "flickr", "kitten", 1, 0, 0, True),
    ]
    assert {each.posted_after for each in searches} == {datetime(2014, 1, 1, tzinfo=UTC)}


# The window


class Deaf:
    """A source that does not hear which window is asked for."""

    name = "flickr"

    def __init__(self, source: Flickr) -> None:
        self.source = source
        self.may_fetch = source.may_fetch

    def search(self, text: str, *, posted_after: datetime, page: int, per_page: int) -> SearchPage:
        ever = datetime(1970, 1, 1, tzinfo=UTC)
        return self.source.search(text, posted_after=ever, page=page, per_page=per_page)


def test_photos_from_before_the_window_are_never_fetched(serve: Serve, pool: Pool) -> None:
    sandbox = serve(
        record(1, date_upload_search_engine="2013-12-31 23:59:59"),
        record(2, date_upload_search_engine="2014-01-01 00:00:00"),
        record(3, date_upload_search_engine="2007-01-01 00:00:00"),
        record(4),
    )
    summary = pool.scrape(Deaf(sandbox.source))
    assert pool.held() == ["2", "4"]
    assert summary.short == {CAT.wnid: 2}
    assert len(sandbox.asked_images) == len(pool.files()) == 2


def test_an_earlier_window_is_searched_anew(serve: Serve, pool: Pool) -> None:
    sandbox = serve(
        record(1, date_upload_search_engine="2015-01-01 00:00:00"),
        record(2, date_upload_search_engine="2017-01-01 00:00:00"),
    )
    since_2014 = pool.workspace
    pool.workspace = replace(since_2014, posted_after=datetime(2016, 1, 1, tzinfo=UTC))
    pool.scrape(sandbox.source)
    assert pool.held() == ["2"]
    pool.workspace = since_2014
    pool.scrape(sandbox.source)
    assert sorted(pool.held()) == ["1", "2"]


# Photos that cannot be used


def animated() -> bytes:
    content = io.BytesIO()
    frames = [Image.new("RGB", (40, 30), colour) for colour in ("red", "blue")]
    frames[0].save(content, "PNG", save_all=True, append_images=frames[1:])
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<html>no photo</html>", "not an image"),
        (b"", "not an image"),
        (picture(1)[: len(picture(1)) // 2], "broken image"),
        (animated(), "animated"),
    ],
    ids=["web page", "empty", "truncated", "animated"],
)
def test_an_unusable_photo_is_refused_and_the_next_by_rank_takes_its_place(
    serve: Serve, pool: Pool, content: bytes, reason: str
) -> None:
    sandbox = serve(*(record(number) for number in range(5)), contents={1: content})
    summary = pool.scrape(sandbox.source)
    assert pool.held() == ["0", "2", "3"]
    assert summary.refused == {reason: 1}
    assert pool.refused()["1"].startswith(reason)
    assert len(pool.files()) == 3


class Taking:
    """A source whose photos are taken down right after they were found."""

    name = "flickr"

    def __init__(self, source: Flickr, *photos: Path) -> None:
        self.source = source
        self.photos = photos
        self.may_fetch = source.may_fetch

    def search(self, text: str, *, posted_after: datetime, page: int, per_page: int) -> SearchPage:
        found = self.source.search(text, posted_after=posted_after, page=page, per_page=per_page)
        for photo in self.photos:
            photo.unlink(missing_ok=True)
        return found


def test_a_photo_that_is_gone_is_refused(serve: Serve, pool: Pool, tmp_path: Path) -> None:
    sandbox = serve(*(record(number) for number in range(4)))
    summary = pool.scrape(Taking(sandbox.source, tmp_path / "served" / "photos" / "0.jpg"))
    assert pool.held() == ["1", "2", "3"]
    assert pool.refused() == {"0": "gone"}
    assert summary.refused == {"gone": 1}


def test_the_same_bytes_are_stored_once(serve: Serve, pool: Pool) -> None:
    sandbox = serve(*(record(number) for number in range(4)), contents={2: picture(0)})
    pool.scrape(sandbox.source)
    assert pool.held() == ["0", "1", "3"]
    assert pool.refused() == {"2": "same bytes: as flickr:0"}


def test_a_redirect_to_a_strange_host_is_refused(serve: Serve, pool: Pool) -> None:
    sandbox = serve(*(record(number) for number in range(4)))
    astray = Reply(302, "text/plain", b"", {"Location": "http://127.0.0.1:1/1.jpg"})
    sandbox.fault = lambda request: astray if "/0_" in request.path else None
    pool.scrape(sandbox.source)
    assert pool.held() == ["1", "2", "3"]
    assert pool.refused() == {"0": "address not allowed"}


def test_a_class_whose_results_end_is_reported_short(serve: Serve, pool: Pool) -> None:
    summary = pool.scrape(serve(record(1)).source, CAT, DOG)
    assert (summary.full, summary.short) == (0, {CAT.wnid: 1, DOG.wnid: 0})


def test_a_photo_of_two_classes_is_fetched_once(serve: Serve, pool: Pool) -> None:
    sandbox = serve(record(1), record(1, "dog"), record(2, "dog"))
    summary = pool.scrape(sandbox.source, CAT, DOG)
    assert (pool.held(CAT), pool.held(DOG)) == (["1"], ["1", "2"])
    assert summary.stored == len(sandbox.asked_images) == 2


# Running again


def test_running_again_asks_nothing(serve: Serve, pool: Pool) -> None:
    sandbox = serve(*(record(number) for number in range(9)), contents={1: b"broken"})
    pool.scrape(sandbox.source, CAT, DOG)
    rows, files = pool.rows(), pool.files()
    sandbox.requests.clear()
    summary = pool.scrape(sandbox.source, CAT, DOG)
    assert list(sandbox.requests) == []
    assert (summary.full, summary.short) == (1, {DOG.wnid: 0})
    assert (summary.stored, summary.searches, summary.refused) == (0, 0, {})
    assert (pool.rows(), pool.files()) == (rows, files)


def test_wanting_more_goes_on_from_what_is_there(
    serve: Serve, new_pool: Callable[..., Pool]
) -> None:
    # Of the first page only its last five photos are new enough; two more stand on the second.
    sandbox = serve(*(too_old(number) for number in range(45)), *map(record, range(45, 52)))
    source = Deaf(sandbox.source)
    pool = new_pool(per_class=2)
    pool.scrape(source)
    for wanted, images, searches in [(4, 2, 0), (6, 2, 1), (9, 1, 0)]:
        sandbox.requests.clear()
        pool.workspace = replace(pool.workspace, per_class=wanted)
        summary = pool.scrape(source)
        assert len(sandbox.asked_images) == summary.stored == images
        assert len(sandbox.requests.of("flickr.photos.search")) == summary.searches == searches
        assert pool.held() == [str(number) for number in range(45, 52)][:wanted]
    assert summary.short == {CAT.wnid: 7}


# Failures that may pass


FAULTS = {
    "500": Reply(500, "text/plain", b"oops"),
    "429": Reply(429, "text/plain", b"slow down", {"Retry-After": "0"}),
    "cut short": Reply(
        200, "image/jpeg", b"ffff\r\npart", {"Transfer-Encoding": "chunked", "Connection": "close"}
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_failing_host_leaves_the_class_to_the_next_run(
    serve: Serve, new_pool: Callable[..., Pool], name: str
) -> None:
    rows = [record(number) for number in (1, 2, 3, 4)]
    rows += [record(4, "dog"), record(5, "dog"), record(6, "dog")]
    sandbox = serve(*rows, contents={3: b"broken"})
    undisturbed, pool = new_pool(), new_pool()
    undisturbed.scrape(sandbox.source, CAT, DOG)

    sandbox.fault = lambda request: FAULTS[name] if "/2_" in request.path else None
    summary = pool.scrape(sandbox.source, CAT, DOG)
    assert list(summary.failed) == [CAT.wnid]
    assert "did not come" in summary.failed[CAT.wnid]
    assert (summary.full, pool.held(CAT), pool.held(DOG)) == (1, ["1", "4"], ["4", "5", "6"])

    sandbox.fault = lambda request: None
    summary = pool.scrape(sandbox.source, CAT, DOG)
    assert (summary.full, summary.failed) == (2, {})
    assert pool.files() == undisturbed.files()
    assert pool.rows() == undisturbed.rows()


def test_what_a_class_takes_does_not_depend_on_what_another_one_fetched(
    serve: Serve, new_pool: Callable[..., Pool]
) -> None:
    rows = [record(number) for number in range(6)]
    sandbox = serve(*rows, record(5, "dog"))
    pool, turned = new_pool(), new_pool()
    pool.scrape(sandbox.source, CAT, DOG)
    turned.scrape(sandbox.source, DOG)
    turned.scrape(sandbox.source, CAT)
    assert turned.held(CAT) == pool.held(CAT) == ["0", "1", "2", "5"]
    assert turned.held(DOG) == pool.held(DOG) == ["5"]


def test_a_fault_that_passes_is_not_noticed(serve: Serve, pool: Pool) -> None:
    sandbox = serve(*(record(number) for number in range(3)))
    left = [2]

    def twice(request: Request) -> Reply | None:
        left[0] -= 1 if "/1_" in request.path else 0
        return FAULTS["500"] if "/1_" in request.path and left[0] >= 0 else None

    sandbox.fault = twice
    assert pool.scrape(sandbox.source).failed == {}
    assert pool.held() == ["0", "1", "2"]


def test_a_search_that_fails_between_two_keywords_is_made_up_for(
    serve: Serve, new_pool: Callable[..., Pool]
) -> None:
    rows = [too_old(number) for number in range(50)] + [record(50), record(51), record(52)]
    rows += [too_old(number, "kitten") for number in range(100, 150)]
    rows += [record(150, "kitten"), record(151, "kitten")]
    sandbox = serve(*rows)
    source = Deaf(sandbox.source)
    undisturbed, pool = new_pool(), new_pool()
    undisturbed.scrape(source)

    def second_page_of_kittens(request: Request) -> Reply | None:
        params = (request.params.get("text"), request.params.get("page"))
        return FAULTS["500"] if params == ("kitten", "2") else None

    sandbox.fault = second_page_of_kittens
    assert list(pool.scrape(source).failed) == [CAT.wnid]
    sandbox.fault = lambda request: None
    assert pool.scrape(source).full == 1
    assert sorted(pool.held()) == ["150", "50", "51"]
    assert pool.rows() == undisturbed.rows()


def test_a_bad_key_stops_the_whole_run(serve: Serve, pool: Pool) -> None:
    sandbox = serve(record(1))
    with pytest.raises(SourceRefused, match="Invalid API Key"):
        pool.scrape(Flickr("invalid", "secret", sandbox.endpoint), CAT, DOG)
    assert len(sandbox.requests) == 1


# Kills


def test_killed_again_and_again_it_ends_with_the_same_pool(
    serve: Serve, new_pool: Callable[..., Pool]
) -> None:
    rows = [record(number, "tench") for number in range(8)]
    rows += [record(number, "crane bird") for number in (4, 21, 22, 23)]
    rows += [record(number, "sandhill crane") for number in (31, 22, 32)]
    sandbox = serve(*rows, contents={1: b"broken", 3: picture(0), 21: picture(31)})
    undisturbed, pool = new_pool(per_class=5), new_pool(per_class=5)

    def run(workspace: Path, doomed: bool, delay: float = 0) -> int:
        """`genset scrape` in a process of its own, killed soon after its fourth request."""
        process = subprocess.Popen(
            [sys.executable, "-m", "genset", "scrape", "--classes", f"{TENCH},{CRANE}"],
            cwd=workspace,
            env=os.environ
            | {
                "FLICKR_API_KEY": "key",
                "FLICKR_API_SECRET": "secret",
                "GENSET_FLICKR_ENDPOINT": sandbox.endpoint,
            },
            stdout=subprocess.DEVNULL,
        )
        asked = []

        def kill(request: Request) -> None:
            asked.append(request)
            if doomed and len(asked) == 4:
                if delay:
                    threading.Timer(delay, process.kill).start()
                else:
                    process.kill()

        sandbox.fault = kill
        return process.wait(timeout=60)

    assert run(undisturbed.workspace.root, doomed=False) == 0
    assert sorted(undisturbed.refused()) == ["1", "21", "3"]

    delays = [0, 0.002, 0, 0.004, 0.008, 0.016]
    ends = [run(pool.workspace.root, doomed=True, delay=delay) for delay in delays]
    assert ends.count(-9) >= 4
    assert run(pool.workspace.root, doomed=False) == 0

    assert pool.rows() == undisturbed.rows()
    kept = {name: content for name, content in pool.files().items() if ".partial-" not in name}
    assert kept == undisturbed.files()
