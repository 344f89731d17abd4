"""A workspace on classes of its own, from an empty folder to labels, on either database.

Their ids are of other scripts and their names strangers' words: both go safely through folders,
queries, the page, tables.
"""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import genset as api
from genset.classes import Taxonomy
from genset.classes.files import taxonomy_in
from genset.core.errors import BadInput
from genset.db.taxonomies import store_taxonomy
from genset.label import Store, Workspace
from genset.label.exchange import export_labels, import_labels
from genset.label.stats import collect
from genset.release.exports import FORMATS
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


# Ids and names that mean harm: each is refused with its line, or carried safely to the end

REFUSED = (
    *("", ".", "..", "../up", "a/b", "a\\b", "/abs", "~", "-rf", "a ", " a", "a.", ".a", "a..."),
    *("CON", "nul.txt", "Com1", "LPT9.x", "manifest.json", "DATA_CARD.md", "x" * 65, "猫" * 86),
    *('a"b', "a'b", "a`b", "a\nb", "a\0b", "a\x1b[2J", "a:b", "a*b", "a|b", "<b>", "=cmd", "@a"),
    *("\u202egpj", "a\u200bb", "a\ufe0f", "\u0301a", "e\u0301", "👩", "\ud7ff\ue000"),
    *("unknown", "Background", "a.TXT"),
)
CARRIED = {
    "dog.v2": "a \"dog\" 'x' \\ | <script>alert(1)</script> & {x} % #",
    "a-b_c.d": "=cmd|' /C calc'!A0",
    "x" * 64: "+1+1 @SUM(A1) " * 14,
    "猫" * 64: "長" * 200,
    "كلب": "كلب \u202e بلدي \u2066",
    "नमस्ते": "नमस्ते ก็ักี่",
    "n99999998x": "../../etc/passwd",
    "é": "line\nbreak\r\nand\ttab",
    "E1": "NUL \0 and \x1b[2J bell \a",
    "__init__": "👩\u200d👩\u200d👧 ✂️",
    "1": "CON",
    "0x": "---\n# heading [a](javascript:alert(1)) ![x](https://evil.example/1.png)",
}


def toml(text: str) -> str:
    return '"' + "".join(f"\\U{ord(each):08X}" for each in text) + '"'


def file_of(names: dict[str, str]) -> str:
    tables = (
        f"[classes.{toml(id)}]\nname = {toml(name)}\nqueries = ['query {place}']\n"
        for place, (id, name) in enumerate(names.items())
    )
    return "\n".join(["name = 'own'", *tables])


def one(id: str) -> str:
    return file_of({"fine": "fine", id: "b"})


def test_an_id_that_could_do_harm_is_refused_with_its_line() -> None:
    for id in REFUSED:
        with pytest.raises(BadInput, match=r"\Aown\.toml, line 6: ") as refused:
            taxonomy_in(one(id), "own.toml")
        assert "\n" not in str(refused.value) and "\0" not in str(refused.value)
    # Ids that some file system takes for one.
    for twins in (("dog", "Dog"), ("straße", "STRASSE"), ("ﬁsh", "fish"), ("x2", "x²"), ("Å", "å")):
        with pytest.raises(BadInput, match="another id is the same but for case or form"):
            taxonomy_in(file_of(dict.fromkeys(twins, "b")), "own.toml")


ANY = st.text(st.characters(exclude_categories=("Cs",)), max_size=210)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(ANY, ANY)
@example("a\u0340", "a")  # is composed otherwise
@example("Ⅷ", "a")
def test_any_id_names_a_folder_alone_and_any_name_stands_on_one_line(id: str, name: str) -> None:
    for document in (one(id), file_of({"fine": name})):
        try:
            found = taxonomy_in(document, "own.toml")
        except BadInput as refused:
            assert str(refused).startswith("own.toml, line ")
            continue
        *_, last = found
        shown = last.name
        assert shown.strip() and len(shown.splitlines()) == 1 and len(shown) <= 200
        assert all(each.isprintable() or each in "\u200c\u200d" for each in shown)
        if len(found) == 2:
            assert last.wnid == id == normalize("NFC", id) and id.isprintable()
            assert Path(id).parts == (id,) and id not in (".", "..") and len(id.encode()) <= 255
            assert not set(id) & set("/\\:*?\"'`<>|$&;!~ ")


@pytest.mark.soak
def test_they_go_from_the_file_to_the_report_and_nothing_is_written_elsewhere(
    tmp_path: Path,
) -> None:
    root, home = tmp_path / "here" / "workspace", tmp_path / "here"
    for place, id in enumerate(CARRIED):
        (folder := home / "photos" / id).mkdir(parents=True)
        (folder / "a.jpg").write_bytes(picture(place, (320, 300)))
    (home / "own.toml").write_text(file_of(CARRIED), "utf-8")
    (home / "ids.txt").write_text("\n".join(["# not ImageNet", *CARRIED]), "utf-8")
    genset("init", "workspace", "--taxonomy", "own.toml", cwd=home)
    assert "12 photos added (source: photos)" in genset(
        "add", "../photos", "--license", "CC BY 4.0", "--owner", "Ann", cwd=root
    )

    workspace = Workspace.find(root)
    store = Store.open(workspace.store_url)
    screens = do_all(desk_of((workspace, store), "ann"))
    told = json.loads(json.dumps([screen_json(each) for each in screens]))
    names = {each["wnid"]: each["name"] for each in told}
    assert set(names) == set(CARRIED)
    store.close()

    genset("labels", "export", "../labels.csv", cwd=root)
    rows = list(csv.DictReader((home / "labels.csv").open(encoding="utf-8", newline="")))
    assert {row["task"].rpartition("/")[0] for row in rows} == set(CARRIED)
    genset("labels", "import", "../labels.csv", cwd=root)

    genset("release", "create", "v1", cwd=root)
    release = api.Release(root / "releases" / "v1")
    release.verify()
    assert release.classes == list(CARRIED)
    manifest = json.loads((release.root / "manifest.json").read_text("utf-8"))
    assert {id: each["name"] for id, each in manifest["taxonomy"]["classes"].items()} == names
    for kind in FORMATS:
        genset("release", "export", "v1", "--format", kind, "--to", f"../{kind}", cwd=root)
        for path in (home / kind).rglob("*"):
            assert path.resolve().is_relative_to(home / kind)

    scores = np.eye(len(CARRIED), dtype=np.float32)[list(release.targets)]
    np.save(home / "scores.npy", scores)
    spec = "predictions:../scores.npy?classes=../ids.txt&name=mine"
    assert "100" in genset("evaluate", "v1", "--model", spec, cwd=root)
    genset("report", "v1", "--out", "../report.html", cwd=root)
    page = (home / "report.html").read_text("utf-8")
    assert "<script>alert" not in page and 'src="https://evil.example' not in page
    assert 'href="javascript' not in page

    assert [path.name for path in tmp_path.iterdir()] == ["here"]
    outputs = {"photos", "own.toml", "ids.txt", "workspace", "labels.csv", "scores.npy"}
    assert {path.name for path in home.iterdir()} == {*outputs, "report.html", *FORMATS}
