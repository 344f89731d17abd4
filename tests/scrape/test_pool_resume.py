"""Running again: after a whole run, after failures, after a refusal; with more wanted."""

from collections.abc import Collection
from pathlib import Path

import pytest

from genset.core.files import secure
from genset.sandbox import Reply, Request
from tests.scrape.pools import (
    CAT,
    DOG,
    Deaf,
    NewPool,
    Pool,
    Serve,
    image_class,
    record,
    too_old,
)

# Running again


def test_running_again_asks_nothing(serve: Serve, pool: Pool) -> None:
    sandbox = serve(*(record(number) for number in range(9)), contents={1: b"broken"})
    pool.scrape(sandbox.source, CAT, DOG)
    rows, files = pool.rows(), pool.files()
    sandbox.requests.clear()
    summary = pool.scrape(sandbox.source, CAT, DOG)
    assert list(sandbox.requests) == []
    assert (summary.full, summary.short) == (1, {DOG.wnid: 0})
    assert (summary.stored, summary.searches, summary.rejected) == (0, 0, {})
    assert (pool.rows(), pool.files()) == (rows, files)


def test_wanting_more_goes_on_from_what_is_there(serve: Serve, new_pool: NewPool) -> None:
    # Of the first page only its last five photos are new enough; two more stand on the second.
    sandbox = serve(*(too_old(number) for number in range(45)), *map(record, range(45, 52)))
    source = Deaf(sandbox.source)
    pool = new_pool(per_class=2)
    pool.scrape(source)
    for wanted, images, searches in [(4, 2, 0), (6, 2, 1), (9, 1, 0)]:
        sandbox.requests.clear()
        summary = pool.scrape(source, per_class=wanted)
        assert len(sandbox.asked_images) == summary.stored == images
        assert len(sandbox.requests.of("flickr.photos.search")) == summary.searches == searches
        assert pool.held() == [str(number) for number in range(45, 52)][:wanted]
    assert summary.short == {CAT.wnid: 7}


# Power cuts


def test_what_a_power_cut_left_of_a_photo_is_written_again(serve: Serve, new_pool: NewPool) -> None:
    sandbox = serve(record(1), record(2))
    undisturbed, pool = new_pool(), new_pool()
    undisturbed.scrape(sandbox.source)
    for name, content in undisturbed.files().items():
        path = pool.workspace.images / name
        path.parent.mkdir(parents=True)
        path.write_bytes(bytes(len(content)))
    pool.scrape(sandbox.source)
    assert (pool.rows(), pool.files()) == (undisturbed.rows(), undisturbed.files())


@pytest.mark.parametrize("photos", [3, 20])
def test_no_row_says_that_a_photo_is_there_before_the_disk_has_it(
    serve: Serve, pool: Pool, monkeypatch: pytest.MonkeyPatch, photos: int
) -> None:
    sandbox = serve(*map(record, range(photos)))
    on_disk: set[str] = set()

    def watched(paths: Collection[Path]) -> None:
        secure(paths)
        said = {photo["sha256"] for photo in pool.rows()["photo"] if photo["sha256"]}
        assert said == on_disk
        on_disk.update(path.stem for path in paths)

    monkeypatch.setattr("genset.scrape.results.secure", watched)
    pool.scrape(sandbox.source, per_class=photos)
    assert len(on_disk) == photos


# Refusals that stop the run


REVOKED = Reply(200, "application/json", b'{"stat":"fail","code":100,"message":"Invalid API Key"}')


@pytest.mark.parametrize(
    ("calls", "answer"), [(1, REVOKED), (4, Reply(403, "text/html", b"<h1>Forbidden</h1>"))]
)
def test_a_key_that_is_revoked_on_the_way_and_renewed_is_waited_for(
    serve: Serve, new_pool: NewPool, calls: int, answer: Reply
) -> None:
    classes = [image_class(f"n0000000{number}", f"word{number}") for number in range(8)]
    rows = [
        record(10 * number + place, f"word{number}") for number in range(8) for place in range(5)
    ]
    sandbox = serve(*rows)
    undisturbed, pool = new_pool(), new_pool()
    undisturbed.scrape(sandbox.source, *classes)
    left = [calls]

    def revoke(request: Request) -> Reply | None:
        left[0] -= request.is_call
        return answer if request.is_call and -16 < left[0] < 0 else None

    sandbox.fault = revoke
    source, said = sandbox.source, list[str]()
    source.api.hosts.say = said.append
    assert pool.scrape(source, *classes).full == 8
    assert (pool.rows(), pool.files()) == (undisturbed.rows(), undisturbed.files())
    assert any("Invalid API Key" in line or "HTTP 403" in line for line in said)
    assert "Flickr answers again" in said
