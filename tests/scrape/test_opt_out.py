"""Lists of who opted out: what they name is not downloaded, and what is there already is told."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec import structs

from genset.core.errors import BadInput, GensetError
from genset.core.photo import PhotoOrigin
from genset.db import Verdict
from genset.scrape.add import add
from genset.scrape.opt_out import OptOut, honour
from genset.scrape.state import forget_refusals
from genset.settings import SETTINGS_FILE
from genset.workspace import Workspace
from tests.labeled_workspace import GOLDFISH, TENCH, picture, vote
from tests.scrape.commands import genset
from tests.scrape.pools import DOG, Pool, Serve, record
from tests.scrape.test_folder import put

ANN = "78733179@N04"
LIST = f"# by mail, 3 May\nowner flickr:{ANN}\n\n  photo flickr:3  \n"
NAMED = "opted out: named in opt-out.txt"
OF_ANN = PhotoOrigin(
    source="museum", owner="Ann Ko", license="CC0", posted_at=datetime(2020, 1, 1, tzinfo=UTC)
)


@pytest.fixture
def listed(pool: Pool) -> Callable[[str], OptOut]:
    """Write the pool's list, and name it in its settings."""

    def write(text: str) -> OptOut:
        path = pool.workspace.root / "opt-out.txt"
        path.write_text(text, "utf-8")
        settings = pool.workspace.root / SETTINGS_FILE
        said = settings.read_text("utf-8")
        settings.write_text(said.replace("# opt_out =", "opt_out ="), "utf-8")
        pool.workspace = Workspace.find(pool.workspace.root)
        return OptOut.of(pool.workspace)

    return write


Listed = Callable[[str], OptOut]


def rows() -> list[dict[str, object]]:
    """Six photos of which Ann has the second."""
    return [record(number, owner=ANN if number == 2 else f"{number}@N00") for number in range(1, 7)]


def test_a_scrape_takes_nothing_that_is_named(pool: Pool, serve: Serve, listed: Listed) -> None:
    """Not where it tries again what failed, nor where it was found before the list."""
    sandbox, opt_out = serve(*rows()), listed(LIST)
    pool.scrape(sandbox.source, per_class=1)  # all six are found, and the first is stored
    pool.scrape(sandbox.source, opt_out=opt_out)
    forget_refusals(pool.store, pool.plan)
    assert pool.rejected() == {"2": NAMED, "3": NAMED}
    pool.scrape(sandbox.source, opt_out=opt_out, per_class=4)
    assert pool.held() == ["1", "4", "5", "6"]
    assert pool.rejected() == {"2": NAMED, "3": NAMED}
    assert not [path for path in sandbox.asked_images if "/2_" in path or "/3_" in path]


def test_what_is_in_the_pool_gives_up_its_place_and_has_it_again(
    pool: Pool, serve: Serve, listed: Listed
) -> None:
    sandbox = serve(*rows())
    pool.scrape(sandbox.source)
    assert pool.held() == ["1", "2", "3"]
    source, said = sandbox.source, list[str]()
    source.api.hosts.say = said.append
    pool.scrape(source, opt_out=listed(LIST))
    assert pool.held() == ["1", "4", "5"]
    assert said[:2] == [f"opt-out.txt names flickr:{n}, which is in the pool" for n in (2, 3)]
    assert "genset remove PHOTO --reason TEXT" in said[2]
    assert len(pool.files()) == 5  # originals stay until somebody removes them
    pool.scrape(sandbox.source)  # the list is gone
    assert pool.rejected() == {}
    genset("remove", "flickr:2", "--reason", "asked", cwd=pool.workspace.root)
    assert honour(pool.store, listed(LIST)) == ["flickr:3"]
    assert pool.rejected() == {"2": "removed: asked", "3": NAMED}
    honour(pool.store, OptOut())  # what is removed stays so, whatever a list says
    assert pool.rejected() == {"2": "removed: asked"}


def test_a_release_goes_by_the_list_as_it_is_now(
    pool: Pool, listed: Listed, tmp_path: Path
) -> None:
    """Nobody searched or added since it grew."""
    dump = put(tmp_path / "dump", **{f"{TENCH}_{number}": picture(number) for number in range(3)})
    add(pool.workspace, pool.store, dump, OF_ANN)
    photos = pool.held(replace(DOG, wnid=TENCH))
    for photo in photos:
        vote(pool.store, f"{TENCH}/museum:{photo}", "ben", Verdict.CORRECT)

    def made(name: str, *words: str) -> dict[str, object]:
        told = genset("release", "create", name, *words, "--json", cwd=pool.workspace.root)
        return dict(json.loads(told))

    assert made("v1")["photos"] == 3
    listed(f"photo museum:{photos[0]}\n")
    dry = genset("release", "create", "v2", "--dry-run", cwd=pool.workspace.root)
    assert "  2 photos;" in dry and "1 photo of the pool left out by opt-out.txt" in dry
    # Adding the folder again says which photos the list names, and so does a refresh.
    own = ("--source", "museum", "--owner", "Ann Ko", "--posted", "2020-01-01")
    told = genset("add", str(dump), *own, cwd=pool.workspace.root)
    assert f"opt-out.txt names museum:{photos[0]}, which is in the pool" in told
    told = genset("refresh", "--json", cwd=pool.workspace.root, endpoint="http://127.0.0.1:9")
    assert json.loads(told)["opted_out"] == [f"museum:{photos[0]}"]
    second = made("v2")
    assert (second["photos"], second["opted_out"]) == (2, [f"museum:{photos[0]}"])
    assert made("v3", "--from", "v1", "--multilabel", "--dry-run")["photos"] == 2
    listed("")
    third = made("v3")
    assert (third["photos"], third["opted_out"]) == (3, [])


def test_own_photos_of_who_opted_out_are_not_added(
    pool: Pool, listed: Listed, tmp_path: Path
) -> None:
    dump = put(tmp_path / "dump", **{f"{TENCH}_a": picture(1)})
    listed("owner museum:Ann Ko\n")
    with pytest.raises(BadInput, match=r"'Ann Ko' opted out: opt-out\.txt names"):
        add(pool.workspace, pool.store, dump, OF_ANN)
    listed("owner museum:Bob\n")
    add(pool.workspace, pool.store, dump, OF_ANN)
    [photo] = pool.held(replace(DOG, wnid=TENCH))
    listed(f"photo other:{photo}\n")
    other = put(tmp_path / "other", **{f"{GOLDFISH}_a": picture(1)})
    done = add(pool.workspace, pool.store, other, structs.replace(OF_ANN, source="other"))
    assert list(done.rejected.values()) == ["opted out: named in opt-out.txt"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("flickr:2", "line 2: write owner SOURCE:OWNER or photo SOURCE:PHOTO"),
        ("owner Ann", "line 2: write owner"),
        (
            "photo flickr:2  # by mail",
            "line 2: '2  # by mail' is the id of no photo at flickr: write a number",
        ),
        ("photo commons:File:A.jpg", "line 2: 'File:A.jpg' is the id of no photo at commons"),
        ("photo inaturalist:12", "line 2: '12' is the id of no photo at inaturalist: write its"),
        ("owner flickr:Ann Ko", "line 2: 'Ann Ko' is the id of no owner at flickr: write an id"),
    ],
)
def test_a_line_that_would_keep_nobody_out_is_refused(
    listed: Listed, line: str, complaint: str
) -> None:
    with pytest.raises(BadInput, match=f"opt-out.txt, {complaint}"):
        listed(f"# by mail\n{line}\n")


def test_a_list_that_cannot_be_followed_is_refused(
    pool: Pool, listed: Listed, serve: Serve
) -> None:
    misspelt = listed("photo flikr:2\n")
    with pytest.raises(BadInput, match="unknown source 'flikr': did you mean flickr"):
        pool.scrape(serve(*rows()).source, opt_out=misspelt)
    path = pool.workspace.root / "opt-out.txt"
    path.write_bytes(b"owner museum:\xff\n")
    with pytest.raises(GensetError, match="write it in UTF-8"):
        OptOut.of(pool.workspace)
    path.unlink()
    said = genset("scrape", cwd=pool.workspace.root, code=2, endpoint="http://127.0.0.1:9")
    assert "opt-out.txt cannot be read: No such file or directory" in said
