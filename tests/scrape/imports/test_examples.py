"""Photos given as examples: known to be right, shown beside their class, and nothing else."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from genset.scrape.imports.examples import ExampleSummary, add_examples
from genset.scrape.imports.folder import Origin, add
from genset.status import check_files, failed, status
from genset.store import Store
from genset.workspace import Workspace
from tests.killing import killed_at_each_change
from tests.labeled_workspace import GOLDFISH, TENCH, picture
from tests.scrape.imports.test_folder import put
from tests.scrape.pools import Pool, Serve, image_class, record

LARGE = 400, 320
TODAY = datetime.now(UTC)
OWN = Origin(source="own", owner="", license="", license_url="", posted_at=TODAY)


@pytest.fixture
def known(tmp_path: Path) -> Path:
    """Two photos of a tench and one of a goldfish."""
    photos = {f"{TENCH}_a": picture(901, LARGE), f"{TENCH}_b": picture(902, LARGE)}
    return put(tmp_path / "known", **photos, **{f"{GOLDFISH}_a": picture(903, LARGE)})


def test_a_second_time_adds_nothing_and_what_is_new_is_added(pool: Pool, known: Path) -> None:
    add_examples(pool.workspace, pool.store, known, OWN)
    again = add_examples(pool.workspace, pool.store, known, OWN)
    assert again == ExampleSummary("own", already=3)
    put(known, **{f"{TENCH}_c": picture(904, LARGE)})
    more = add_examples(pool.workspace, pool.store, known, OWN)
    assert more == ExampleSummary("own", added=1, already=3, classes={TENCH: 1})


def test_a_candidate_is_no_example_and_an_example_no_candidate(
    pool: Pool, known: Path, tmp_path: Path
) -> None:
    dump = put(tmp_path / "dump", **{f"{GOLDFISH}_x": picture(901, LARGE)})
    museum = Origin("museum", "Museum", "CC BY 4.0", "", TODAY)
    add(pool.workspace, pool.store, dump, museum)
    done = add_examples(pool.workspace, pool.store, known, OWN)
    assert done.added == 2
    assert done.refused == {
        f"{TENCH}/a.jpg": f"candidate: it is one of {GOLDFISH}, and no example can be"
    }
    for source in ("museum", "own"):  # where it has the same name as the example
        late = put(tmp_path / f"late {source}", **{f"{TENCH}_b": picture(902, LARGE)})
        origin = Origin(source, "Museum", "CC BY 4.0", "", TODAY)
        refused = add(pool.workspace, pool.store, late, origin).refused
        assert refused == {f"{TENCH}/b.jpg": "example: labelers see it as one of a class"}
    assert status(pool.workspace, pool.store).examples == 2
    assert status(pool.workspace, pool.store).candidates == 1


def test_a_scrape_that_finds_an_example_refuses_it(pool: Pool, serve: Serve, known: Path) -> None:
    add_examples(pool.workspace, pool.store, known, OWN)
    rows = [record(number, "tench") for number in (901, 905)]
    server = serve(*rows, contents={number: picture(number, LARGE) for number in (901, 905)})
    pool.scrape(server.source, image_class(TENCH, "tench"))
    _, refused = failed(pool.store)
    reason = "example: labelers see it as one of a class"
    assert [row[1:3] for row in refused] == [("flickr:901", reason)]
    assert check_files(pool.workspace, pool.store) == []  # the example's file is still there
    assert status(pool.workspace, pool.store).examples == 3
    assert status(pool.workspace, pool.store).candidates == 1


def add_them(_moment: int, known: Path, root: Path) -> None:
    workspace = Workspace.find(root)
    assert not add_examples(workspace, Store.open(workspace.store_url), known, OWN).refused


def test_a_killed_call_is_finished_by_the_same_one(
    new_pool: Callable[..., Pool], known: Path
) -> None:
    killed, whole = new_pool(), new_pool()
    add_examples(whole.workspace, whole.store, known, OWN)
    moments = 0
    for _ in killed_at_each_change(add_them, known, killed.workspace.root):
        moments += 1
        assert check_files(killed.workspace, killed.store) == []
        assert moments < 99
    assert moments > 3
    assert status(killed.workspace, killed.store).examples == 3
    assert killed.files() == whole.files()
