"""Ids and names that mean harm: each is refused with its line, or carried safely to the end."""

import csv
import json
from pathlib import Path
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import genset as api
from genset.classes.files import taxonomy_in
from genset.core.errors import BadInput
from genset.db import Store
from genset.release.exports import FORMATS
from genset.workspace import Workspace
from labeler_app.routes import screen_json
from tests.label.desks import desk_of, do_all
from tests.labeled_workspace import picture
from tests.scrape.commands import genset

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
