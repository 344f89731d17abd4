"""Refreshes, against the sandbox: what they notice, store and ask."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import select, update

from genset.core.errors import SourceError, SourceUnavailable
from genset.db import Photo, PhotoEvent
from genset.licenses import FLICKR, License
from genset.sandbox import Reply, Request, Rule, flickr
from genset.scrape.refresh import RefreshSummary, refresh
from genset.scrape.removal import remove
from genset.sources.flickr import Flickr
from genset.sources.source import Licenses
from genset.status import failed, status
from tests.labeled_workspace import picture
from tests.scrape.hostile import rendered_anew
from tests.scrape.pools import CAT, Faulty, NewPool, Pool, Serve, record

INFO = "flickr.photos.getInfo"
PAGE = "https://www.flickr.com/photos/1@N00/1"


def take_down(serve: Serve, number: int) -> Path:
    """Delete a photo's file from the sandbox; return where it was."""
    [path] = serve.root.glob(f"served*/**/{number}.jpg")
    path.rename(path.with_suffix(".gone"))
    return path


def put_back(path: Path) -> None:
    path.with_suffix(".gone").rename(path)


def events(pool: Pool) -> list[tuple[str, str, str]]:
    with pool.store.session() as session:
        found = session.execute(
            select(Photo.source_id, PhotoEvent.what, PhotoEvent.detail)
            .join(PhotoEvent, PhotoEvent.photo_id == Photo.id)
            .order_by(PhotoEvent.id)
        )
        return [(source_id, what, detail) for source_id, what, detail in found]


def told(summary: RefreshSummary) -> list[tuple[str, str, str]]:
    return [(change.photo, change.what, change.detail) for change in summary.changes]


def asked(sandbox: Faulty) -> list[str]:
    """The photos that were asked after."""
    return sorted(each.params["photo_id"] for each in sandbox.requests.of(INFO))


class Register:
    """A source that says what it is told to; None means gone, an error is raised."""

    name, about, ids_per_call = "flickr", Flickr.about, 1
    api = SimpleNamespace(hosts=SimpleNamespace(is_ending=False))

    def __init__(self, **said: License | BaseException | None) -> None:
        self.said = said
        self.asked: list[str] = []

    def licenses_of(self, source_ids: Sequence[str]) -> Licenses:
        [source_id] = source_ids
        self.asked.append(source_id)
        answer = self.said.get(f"_{source_id}", FLICKR[0])
        if isinstance(answer, BaseException) and not isinstance(answer, SourceError):
            raise answer
        return {source_id: answer}


@pytest.fixture
def filled(serve: Serve, pool: Pool) -> tuple[Faulty, Pool]:
    """A pool of the photos 1, 2 and 3, which all say "All Rights Reserved", and its sandbox."""
    sandbox = serve(*(record(number, owner=f"{number}@N00", license=0) for number in (1, 2, 3)))
    pool.scrape(sandbox.source)
    with pool.store.begin() as session:  # threads stored them in whatever order
        for photo in session.scalars(select(Photo)):
            photo.stored_at = datetime(2020, 1, int(photo.source_id), tzinfo=UTC)
    return sandbox, pool


def test_a_photo_that_is_gone_is_told_once_and_listed_until_it_is_back(
    serve: Serve, filled: tuple[Faulty, Pool]
) -> None:
    sandbox, pool = filled
    path = take_down(serve, 1)
    first = refresh(pool.store, sandbox.source)
    assert told(first) == [("flickr:1", "gone", "")]
    assert first.gone == {"flickr:1": PAGE}
    second = refresh(pool.store, sandbox.source)
    assert told(second) == []
    assert second.gone == {"flickr:1": PAGE}
    assert pool.held() == ["1", "2", "3"]
    put_back(path)
    third = refresh(pool.store, sandbox.source)
    assert told(third) == [("flickr:1", "back", "")]
    assert third.gone == {}
    assert events(pool) == [("1", "gone", ""), ("1", "back", "")]
    sandbox.rules.append(Rule(flickr.failure(2), INFO, photo="2"))
    assert told(refresh(pool.store, sandbox.source)) == [("flickr:2", "gone", "")]


def test_removed_and_merely_known_photos_cost_no_call(
    serve: Serve, filled: tuple[Faulty, Pool]
) -> None:
    sandbox, pool = filled
    remove(pool.workspace, pool.store, "flickr:1", "asked")
    take_down(serve, 2)
    pool.scrape(sandbox.source, per_class=4)
    assert refresh(pool.store, sandbox.source).checked == 2
    assert asked(sandbox) == ["2", "3"]


def test_a_refresh_that_was_stopped_goes_on_where_it_was(
    filled: tuple[Faulty, Pool],
) -> None:
    _, pool = filled

    def asked_of(**said: License | BaseException | None) -> list[str]:
        source = Register(**said)
        refresh(pool.store, source)
        return source.asked

    with pytest.raises(KeyboardInterrupt):
        asked_of(_2=KeyboardInterrupt())
    assert asked_of() == ["2", "3"]
    assert asked_of() == ["1", "2", "3"]
    summary = refresh(pool.store, Register(_2=SourceUnavailable("no answer")))
    assert (summary.checked, summary.failed) == (2, {"flickr:2": "no answer"})
    assert (summary.unavailable, events(pool)) == (1, [("2", "failed", "no answer")])
    assert asked_of() == ["2", "1", "3"]  # first what could not be asked after
    with pool.store.begin() as session:  # an old one is not gone on with
        for photo in session.scalars(select(Photo).where(Photo.source_id != "3")):
            photo.checked_at = datetime.now(UTC) - timedelta(days=int(photo.source_id) + 3)
        session.execute(update(Photo).where(Photo.source_id == "3").values(checked_at=None))
    assert asked_of() == ["3", "2", "1"]
    with pool.store.begin() as session:  # one that was stored since is no rest
        stored = {"checked_at": None, "stored_at": datetime.now(UTC)}
        session.execute(update(Photo).where(Photo.source_id == "3").values(stored))
    assert sorted(asked_of()) == ["1", "2", "3"]


@pytest.mark.parametrize("code", [3, 99])
def test_a_photo_that_its_source_refuses_costs_itself_only(
    serve: Serve, filled: tuple[Faulty, Pool], code: int
) -> None:
    """It is told and stored, the rest is seen, also takedowns behind it; and it is asked again."""
    sandbox, pool = filled
    sandbox.rules.append(Rule(flickr.failure(code), photo="1"))
    take_down(serve, 2)
    first = refresh(pool.store, sandbox.source)
    assert (first.checked, told(first)) == (2, [("flickr:2", "gone", "")])
    [(photo, error)] = first.failed.items()
    assert photo == "flickr:1" and f"Flickr: Something went wrong (code {code})" in error
    assert ("1", "failed", error) in events(pool)
    assert status(pool.workspace, pool.store).unchecked == 1
    listed = (CAT.wnid, photo, "failed", error, "", "the next genset refresh")
    assert [(*row[:4], *row[5:]) for row in failed(pool.store).rows] == [listed]
    take_down(serve, 3)  # soon after: the next refresh is no rest of the first
    second = refresh(pool.store, sandbox.source)
    assert (second.checked, told(second)) == (2, [("flickr:3", "gone", "")])
    sandbox.rules.clear()
    assert refresh(pool.store, sandbox.source).failed == {}
    assert status(pool.workspace, pool.store).unchecked == 0 and failed(pool.store).rows == []


def test_other_bytes_of_the_same_picture_are_a_state_of_their_own(
    filled: tuple[Faulty, Pool], serve: Serve
) -> None:
    sandbox, pool = filled
    assert refresh(pool.store, sandbox.source, pictures=True).changes == []
    for number, content in ((1, rendered_anew(picture(1))), (2, picture(99))):
        [path] = serve.root.glob(f"served*/**/{number}.jpg")
        path.write_bytes(content)
    found = refresh(pool.store, sandbox.source, pictures=True)
    assert told(found) == [("flickr:1", "rerendered", ""), ("flickr:2", "changed", "")]
    assert events(pool) == [("1", "rerendered", ""), ("2", "changed", "")]
    assert pool.held() == ["1", "2", "3"]  # with the bytes that were stored
    assert refresh(pool.store, sandbox.source).changes == []
    path.write_bytes(b"no image")  # nor has it changed where nobody saw another picture
    with pool.store.begin() as session:
        session.get_one(Photo, 1).image_url = "https://elsewhere.example/1.jpg"
    found = refresh(pool.store, sandbox.source, pictures=True)
    reasons = sorted(reason.partition(":")[0] for reason in found.failed.values())
    assert (found.checked, reasons) == (1, ["address not allowed", "not an image"])


def test_a_source_that_is_down_is_waited_for(serve: Serve, new_pool: NewPool) -> None:
    pool = new_pool(per_class=9)
    sandbox = serve(*(record(number) for number in range(9)))
    pool.scrape(sandbox.source)
    lines: list[str] = []
    source = sandbox.source
    source.api.hosts.say = lines.append
    asked = [0]

    def outage(request: Request) -> Reply | None:
        asked[0] += 1
        return Reply(503, "text/plain", b"") if 4 < asked[0] < 28 else None

    sandbox.fault = outage
    summary = refresh(pool.store, source)
    assert (summary.checked, summary.failed) == (9, {})
    assert re.match(r"Flickr has not answered since .* \(.*HTTP 503\); next try at", lines[0])
    assert lines[-1] == "Flickr answers again"


def test_a_photo_removed_while_it_was_asked_after_stays_removed(
    filled: tuple[Faulty, Pool],
) -> None:
    _, pool = filled

    class Removing(Register):
        def licenses_of(self, source_ids: Sequence[str]) -> Licenses:
            if "2" in source_ids:
                remove(pool.workspace, pool.store, "flickr:2", "asked")
            return super().licenses_of(source_ids)

    assert refresh(pool.store, Removing(_2=None)).changes == []
    assert [event[1] for event in events(pool)] == ["removed"]
