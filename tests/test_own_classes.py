"""A workspace on classes of its own, from an empty folder to labels, on either database.

Their ids are of other scripts and their names strangers' words: both go safely through folders,
queries, the page, tables.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from genset.classes import Taxonomy
from genset.classes.files import taxonomy_in
from genset.core.errors import BadInput
from genset.db.taxonomies import store_taxonomy
from genset.label import Store, Workspace
from genset.label.exchange import export_labels, import_labels
from genset.label.stats import collect
from genset.scrape.queries import newest_queries, update_queries, workspace_queries
from genset.status import status
from labeler_app.routes import classes_json, screen_json
from tests.label.desks import CORRECT, desk_of, do_all
from tests.labeled_workspace import add_candidate, labeled_workspace, picture, vote
from tests.scrape.commands import genset

DOG, PANDA, LONG = "كلب", "レッサーパンダ_1", "x" * 64
PETS = f"""name = "pets"
[classes."{DOG}"]
name = 'a "dog" <b onclick="x()">كلب</b> \u202e evil'
definition = "what barks; <script>alert('no')</script>"
queries = ["dog pet"]
confusable = ["{PANDA}"]
wikidata = ["Q144"]
[classes."{PANDA}"]
name = "red panda"
taxon = "Ailurus fulgens"
[classes.{LONG}]
queries = ["long cat"]
"""
NEWT = PETS + '[classes.newt]\nname = "newt"\n'


@pytest.fixture
def opened(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Workspace, Store]]:
    """Two candidates of each class, on SQLite and on PostgreSQL by turns."""
    monkeypatch.setenv("GENSET_STORE_URL", store_url)
    monkeypatch.setattr("genset.label.queue.boards._SECONDS_TO_WAIT", 60.0)
    workspace, store = own_workspace(tmp_path / "workspace")
    yield workspace, store
    store.close()


def own_workspace(root: Path, text: str = PETS) -> tuple[Workspace, Store]:
    workspace, store = labeled_workspace(root, classes=())
    kept = keep(store, text)
    for place, wnid in enumerate((DOG, PANDA, LONG)):
        for rank in (1, 2):
            add_candidate(workspace, store, kept[wnid].wnid, 100 * place + rank, rank)
    return workspace, store


def keep(store: Store, text: str) -> Taxonomy:
    with store.begin_alone() as session:
        kept = store_taxonomy(session, taxonomy_in(text, "pets.toml"))
    store._looked_at = -1e9  # some seconds pass
    return kept


def test_labels_go_through_the_page_the_tables_and_the_numbers_and_on_with_new_classes(
    opened: tuple[Workspace, Store], tmp_path: Path
) -> None:
    workspace, store = opened
    desk = desk_of(opened, "ann")
    before = desk.screens(12)
    screens = {each.cls.wnid: each for each in before}
    assert set(screens) == {DOG, PANDA, LONG}
    told = screen_json(screens[DOG])
    assert told["definition"] == "what barks; <script>alert('no')</script>"
    assert (told["wnid"], told["hypernyms"]) == (DOG, ())
    assert [each["wnid"] for each in told["confusable"]] == [PANDA]
    listed = json.loads(classes_json(store.taxonomy))
    assert [each["wnid"] for each in listed] == [DOG, PANDA, LONG]

    keep(store, NEWT)  # a class comes while people label
    task = add_candidate(workspace, store, "newt", 900)
    held, far = desk.next(12, [each.id for each in before])
    assert {each.id for each in before} <= {each.id for each in held}
    assert (far.classes, status(workspace, store).classes) == (4, 4)
    vote(store, task, "bob", CORRECT)
    assert len(do_all(desk)) == 4
    counted = {each.wnid: each.votes for each in collect(store, workspace).classes}
    assert counted == {DOG: 2, PANDA: 2, LONG: 2, "newt": 2}
    assert export_labels(store, tmp_path / "labels.csv") == 8
    assert import_labels(store, tmp_path / "labels.csv").known == 8


def test_a_list_of_queries_goes_on_where_classes_are_added(
    opened: tuple[Workspace, Store],
) -> None:
    workspace, store = opened
    first = workspace_queries(workspace, store, begin=True)
    assert [[query.text for query in cls.queries] for cls in first.classes] == [
        ["dog pet"],
        ['"red panda"'],
        ["long cat"],
    ]
    keep(store, NEWT.replace("dog pet", "puppy"))
    then = workspace_queries(workspace, store, begin=True)
    assert then.version != first.version
    assert [cls.queries[0].text for cls in then.classes] == [
        "dog pet",  # what it began with, until somebody updates it
        '"red panda"',
        "long cat",
        "newt",
    ]
    assert workspace_queries(workspace, store) == then
    (workspace.root / "queries.toml").write_text('[classes]\nnewt = ["great crested newt"]\n')
    _, newest = update_queries(workspace, store)
    assert newest == newest_queries(workspace.root, store.taxonomy)
    assert [cls.queries[0].text for cls in newest.classes][::3] == ["puppy", "great crested newt"]
    assert newest.classes[0].wikidata == ("Q144",)
    (workspace.root / "queries.toml").write_text('[classes]\nn01440764 = ["tench"]\n')
    with pytest.raises(BadInput, match="no class 'n01440764': it is not in pets"):
        newest_queries(workspace.root, store.taxonomy)


def test_a_pool_gains_classes_and_their_words_are_mended_and_none_is_lost(tmp_path: Path) -> None:
    def said(text: str, code: int = 0) -> list[str]:
        (tmp_path / "pets.toml").write_text(text, "utf-8")
        words = "init", "workspace", "--taxonomy", "pets.toml"
        return genset(*words, cwd=tmp_path, code=code).splitlines()

    _, store = own_workspace(tmp_path / "workspace")
    vote(store, f"{DOG}/flickr:1", "ann", CORRECT)
    export_labels(store, tmp_path / "before.csv")
    changes = {
        'taxon = "Ailurus fulgens"': 'synset = "n02509815"',
        'queries = ["long cat"]': 'imagenet = ["n02123045"]',
    }
    for was, now in changes.items():
        text = PETS.replace(was, now)
        line = text[: text.index(now)].count("\n") + 1
        [told] = said(text, code=2)
        assert f"pets.toml, line {line}: " in told
        assert f"means another thing, by its {now.partition(' ')[0]}" in told
    assert f"{LONG} is missing" in said(PETS.partition(f"[classes.{LONG}]")[0], code=2)[0]
    mended = (
        NEWT.replace("what barks;", "what barks and bites;")
        .replace('"red panda"', '"lesser panda"')
        .replace('taxon = "Ailurus fulgens"', 'definition = "red"\nwikipedia = ["Red_panda"]')
        .replace("long cat", "longer cat")
    )
    _, classes, changed, labels = said(mended)
    assert classes.startswith("classes: 4 of pets (sha256:")
    assert classes.endswith("), 1 of them new: newt")
    assert changed.startswith(f"changed: {DOG} (definition), {PANDA} (name, definition, ")
    assert changed.endswith(f"{LONG} (queries)")
    assert labels == f"labeled already, by the definition before: {DOG} (1 label)"
    assert len(said(mended)) == 2  # nothing changes again
    store._looked_at = -1e9
    assert (store.taxonomy[PANDA].name, store.taxonomy[PANDA].gloss) == ("lesser panda", "red")
    assert import_labels(store, tmp_path / "before.csv").known == 1  # of before the mend
    many = mended + "".join(f"[classes.c{number}]\n" for number in range(7))
    assert ", 7 of them new: c0, c1, c2, c3, c4 and 2 more" in said(many)[1]
    store.close()


def test_photos_are_added_by_a_class_s_id_or_name(tmp_path: Path) -> None:
    own = tmp_path / "own" / DOG
    known = tmp_path / "known" / "RED  PANDA"  # its name but for case and spaces
    for number, folder in enumerate((own, known)):
        folder.mkdir(parents=True)
        (folder / "a.jpg").write_bytes(picture(77 + number, (320, 300)))
    (tmp_path / "pets.toml").write_text(PETS, "utf-8")
    genset("init", "workspace", "--taxonomy", "pets.toml", cwd=tmp_path)
    root = tmp_path / "workspace"
    assert "1 photo added (source: own)" in genset("add", str(own.parent), cwd=root)
    added = json.loads(genset("add", "--examples", str(known.parent), "--json", cwd=root))
    assert added["classes"] == {PANDA: 1}
    assert "1 photo is shown to labelers beside its class\n" in genset("status", cwd=root)
    (tmp_path / "own" / "n01440764").mkdir()
    (tmp_path / "own" / "n01440764" / "a.jpg").touch()
    assert "names no class" in genset("add", str(own.parent), cwd=root, code=2)
    assert "every photo is in order" in genset("doctor", cwd=root)
    assert DOG in genset("keywords", DOG, cwd=root)
    refused = genset("import", "imagenetv2", str(tmp_path), cwd=root, code=2)
    assert "this workspace is on pets" in refused
