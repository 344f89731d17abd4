"""What a workspace searches with: the queries it began with, until `genset keywords --update`."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from genset.classes import imagenet1k
from genset.db import Store
from genset.scrape.queries import OWN_LIST, newest_queries, workspace_queries
from genset.workspace import Workspace
from tests.commands import run
from tests.labeled_workspace import TENCH
from tests.scrape.commands import genset
from tests.scrape.pools import Faulty, Serve, record
from wordnet_maps.build import covered

LIONS = "[classes]\nn02129165 = ['\"Panthera leo\"', 'lion']\n"
LION, SEA_LION, COUGAR, WEB_SITE = "n02129165", "n02077923", "n02125311", "n06359193"

TABLE = "[classes.n01440764]\n"

OWN = """\
[classes]
n01440764 = ["tench", '"doctor fish" -dentist']
n02129165 = { queries = ["lion -sea -mountain -dance"], content_types = [0, 2], why = "dances" }
"""


@pytest.fixture
def sandbox(serve: Serve) -> Faulty:
    """One photo each of what is told apart by words."""
    return serve(
        record(1, "lion", title="a lion"),
        record(2, "sea lion", title="a sea lion"),
        record(3, "mountain lion", title="a mountain lion"),
        record(4, "website", title="a website screenshot", content_type=1),
        record(5, "website", title="website screenshot of another kind", content_type=2),
        record(6, "tench", title="tench"),
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A workspace in which nothing was done."""
    genset("init", "home", cwd=tmp_path)
    return tmp_path / "home"


def rows(home: Path, statement: str) -> list[Any]:
    with sqlite3.connect(home / "genset.db") as database:
        return database.execute(statement).fetchall()


def begin_with(home: Path, own_list: str) -> str:
    """Have a workspace begin with a list that is not the newest then; the list's version."""
    (home / OWN_LIST).write_text(own_list)
    workspace = Workspace.find(home)
    store = Store.open(workspace.store_url)
    version = workspace_queries(workspace, store, begin=True).version
    store.close()
    (home / OWN_LIST).unlink()
    return version


def scrape(home: Path, sandbox: Faulty, classes: str, count: int = 1) -> str:
    wanted = ("--classes", classes, "--per-class", str(count), "--json")
    return genset("scrape", *wanted, cwd=home, endpoint=sandbox.endpoint)


def searched(sandbox: Faulty) -> set[str]:
    return {text for text, _ in sandbox.searches}


def queries_of(home: Path, wnid: str) -> list[str]:
    (cls,) = json.loads(genset("keywords", wnid, "--json", cwd=home))
    return [query["text"] for query in cls["queries"]]


# The package's queries


def test_no_query_finds_all_that_another_classs_query_finds() -> None:
    """As "lion" found every sea lion. There were 29 such pairs, and five more by plurals."""
    queries = {cls.wnid: [query.text for query in cls.queries] for cls in imagenet1k()}
    assert covered(queries) == []
    assert covered(queries | {LION: ["lion"]}) != []
    types = {cls.wnid: cls.content_types for cls in imagenet1k()}
    assert types.pop(WEB_SITE) == (0, 1) and set(types.values()) == {(0,)}


# What reaches Flickr


def test_excluded_words_keep_classes_apart_and_screenshots_are_for_web_sites(
    sandbox: Faulty, home: Path
) -> None:
    told = scrape(home, sandbox, f"{LION},{SEA_LION},{COUGAR},{WEB_SITE},{TENCH}")
    assert json.loads(told)["contested"] == {}
    assert "lion -sea -mountain -statue" in searched(sandbox)
    found = "select wnid, source_id from candidate join photo on photo.id = photo_id order by 2"
    wanted = [(LION, "1"), (SEA_LION, "2"), (COUGAR, "3"), (WEB_SITE, "4"), (TENCH, "6")]
    assert rows(home, found) == wanted  # and no photo 5, which is another kind of picture
    types = "select distinct content_types from search where wnid = "
    assert rows(home, f"{types}'{TENCH}'") == [("0",)]
    assert rows(home, f"{types}'{WEB_SITE}'") == [("0,1",)]
    asked = sandbox.requests.of("flickr.photos.search")
    web = {each.params["content_types"] for each in asked if "website" in each.params["text"]}
    assert web == {"0,1"}


IRON = "n03584829"
PHRASE, LOOSE = '"steam iron"', "steam iron -train"


@pytest.mark.parametrize(("wanted", "is_asked"), [(2, False), (3, True)])
def test_a_phrase_is_searched_loosely_only_where_it_finds_too_few(
    wanted: int, is_asked: bool, serve: Serve, home: Path
) -> None:
    """And what is found loosely stands after all that the phrase found."""
    sandbox = serve(
        *(record(n, "iron", title="Iron with steam", owner=f"{n}@N00") for n in (1, 2, 3)),
        *(record(n, "iron", title="A steam iron", owner=f"{n}@N00") for n in (4, 5)),
        record(6, "iron", title="an iron train under steam"),
    )
    (home / OWN_LIST).write_text(f"[classes]\n{IRON} = ['{PHRASE}', '{LOOSE}']\n")
    scrape(home, sandbox, IRON, wanted)
    assert searched(sandbox) == ({PHRASE, LOOSE} if is_asked else {PHRASE})
    stored = "select source_id from photo where sha256 is not null order by 1"
    assert [id for (id,) in rows(home, stored)] == ["1", "4", "5"][not is_asked :]
    ranks = "select keyword, min(rank) from candidate group by 1 order by 2"
    assert rows(home, ranks)[0][0] == PHRASE


# Versions


def test_a_workspace_keeps_its_queries_until_it_is_updated(sandbox: Faulty, home: Path) -> None:
    begun = begin_with(home, LIONS)
    assert queries_of(home, LION) == ['"Panthera leo"', "lion"]
    scrape(home, sandbox, SEA_LION)
    assert rows(home, "select distinct query_list from search") == [(begun,)]

    told = genset("keywords", "--update", cwd=home)
    version = newest_queries().version
    assert [line.split(maxsplit=3) for line in told.splitlines()[:3]] == [
        ["wnid", "class", "change", "query"],
        [LION, "lion", "-", "lion"],
        [LION, "lion", "+", "lion -sea -mountain -statue"],
    ]
    assert told.splitlines()[-1] == (
        f"1 class has new queries ({begun} -> {version}): the next genset scrape runs "
        "them; candidates found before stay"
    )
    assert queries_of(home, LION) == ['"Panthera leo"', "lion -sea -mountain -statue"]
    scrape(home, sandbox, f"{SEA_LION},{LION}")
    assert "lion -sea -mountain -statue" in searched(sandbox)
    # A class whose queries stayed is asked no search again.
    assert sandbox.searches['"sea lion"', "1"] == 1
    assert set(rows(home, "select distinct query_list from search")) == {(begun,), (version,)}

    assert genset("keywords", "--update", cwd=home) == (f"queries are up to date ({version})\n")


def test_what_the_new_query_finds_as_early_counts_for_it(sandbox: Faulty, home: Path) -> None:
    (home / OWN_LIST).write_text(f'[classes]\n{LION} = ["lion"]\n')
    scrape(home, sandbox, LION)
    (home / OWN_LIST).unlink()
    genset("keywords", "--update", cwd=home)
    scrape(home, sandbox, LION)
    found = "select keyword, rank, source_id from candidate join photo on photo.id = photo_id"
    new = ("lion -sea -mountain -statue", 1, "1")
    assert rows(home, f"{found} order by 3") == [new, ("lion", 2, "2"), ("lion", 3, "3")]


def test_a_workspace_says_in_one_line_that_newer_queries_exist(home: Path, tmp_path: Path) -> None:
    begin_with(home, LIONS)
    line = "newer queries exist for 1 class: run genset keywords --update\n"
    assert run("keywords", LION, cwd=home).stderr == line
    # Outside of a workspace the package's are shown.
    assert queries_of(tmp_path, LION) == ['"Panthera leo"', "lion -sea -mountain -statue"]
    assert "among photos and screenshots" in genset("keywords", WEB_SITE, cwd=tmp_path)
    assert "is not in a genset workspace" in genset("keywords", "--update", cwd=tmp_path, code=2)
    assert "--update takes no classes" in genset("keywords", "--update", LION, cwd=home, code=2)


# A workspace's own list


def test_a_workspace_may_begin_with_its_own_list(sandbox: Faulty, home: Path) -> None:
    (home / OWN_LIST).write_text(OWN)
    scrape(home, sandbox, f"{LION},{TENCH}")
    assert searched(sandbox) == {"tench", '"doctor fish" -dentist', "lion -sea -mountain -dance"}
    types = "select distinct wnid, content_types from search order by 1"
    assert rows(home, types) == [(TENCH, "0"), (LION, "0,2")]
    shown = genset("keywords", LION, cwd=home)
    assert "own list: dances" in shown and "among photos and other" in shown


def test_an_own_list_is_taken_up_by_an_update_alone(sandbox: Faulty, home: Path) -> None:
    scrape(home, sandbox, TENCH)
    (home / OWN_LIST).write_text("[classes")
    scrape(home, sandbox, TENCH)  # a mistake stops no scrape that has begun
    (home / OWN_LIST).write_text(OWN)
    assert queries_of(home, TENCH) == ["tench", '"Tinca tinca"']
    told = json.loads(genset("keywords", "--update", "--json", cwd=home))
    assert {row["wnid"] for row in told} == {TENCH, LION}
    assert [(row["change"], row["query"]) for row in told if row["wnid"] == TENCH] == [
        ("-", '"Tinca tinca"'),
        ("+", '"doctor fish" -dentist'),
    ]
    assert queries_of(home, TENCH) == ["tench", '"doctor fish" -dentist']


def test_an_own_list_may_name_what_photos_depict(home: Path) -> None:
    (home / OWN_LIST).write_text(
        '[classes]\nn01440764 = { wikidata = ["Q194406"] }\n'
        'n02129165 = { queries = ["lion"], wikidata = ["Q140", "Q2"] }\n'
    )
    genset("keywords", "--update", cwd=home)
    (tench,) = json.loads(genset("keywords", TENCH, "--json", cwd=home))
    assert tench["wikidata"] == ["Q194406"]
    assert [query["text"] for query in tench["queries"]] == ["tench", '"Tinca tinca"']
    assert queries_of(home, LION) == ["lion"]
    assert "depicts Q140 " in genset("keywords", LION, cwd=home)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[classes]\nn01440764 = ['a' 'b']\n", "line 2"),
        ("# ÿ", "write it in UTF-8"),
        ('n01440764 = ["tench"]', "n01440764 is unknown; known here: classes"),
        ('[classes]\ncrane = ["crane"]', "no class 'crane'"),
        ('[classes]\nn01440764 = "tench"', "n01440764 must be a table"),
        ("[classes]\nn01440764 = ['tench', 'tench']", "is there twice"),
        ("[classes]\nn01440764 = ['\"tench']", "a quotation mark that is not closed"),
        (TABLE + "queries = ['tench']\nwhen = 'now'", "n01440764.when is unknown; known here"),
        (TABLE + "queries = ['a']\ncontent_types = [3]", "content_types[0] must be 0 or 1 or 2"),
        (TABLE + "wikidata = 'Q1'", "wikidata must be a list of 1 to 6 items"),
        (TABLE + "wikidata = ['Q0']", 'must be an item of Wikidata, such as "Q144", not "Q0"'),
        (TABLE + "why = 'x'", "neither queries, such as"),
        (TABLE + "wikidata = ['Q1']\ncontent_types = [1]", "content_types are given with queries"),
    ],
)
def test_a_mistake_in_an_own_list_is_named(text: str, says: str, home: Path) -> None:
    (home / "queries.toml").write_text(text, "latin-1")
    line = genset("keywords", "--update", cwd=home, code=2)
    assert "queries.toml" in line
    assert says in line
