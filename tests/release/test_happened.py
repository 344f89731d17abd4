"""The documents say what happened: of a pool of one's own photos that a table labels, nothing else.

What is held are the facts, not the words: the numbers of each sentence are counted here again.
"""

import csv
import hashlib
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import mlcroissant
import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.db import Label, Store
from genset.release.reader import MANIFEST, Release
from genset.settings import DATASHEET
from genset.sources.flickr import Flickr
from genset.sources.source import keep_words
from genset.workspace import Workspace
from tests.labeled_workspace import GOLDFISH, TENCH, add_candidate, picture
from tests.questions import BASSINET, ask_about
from tests.release.conftest import Pool, genset_in
from tests.release.test_sources import search

GROOM = "n10148035"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A workspace with six photos of one's own, which two labelers of a CSV file labeled."""
    root = tmp_path / "own"
    for place, (wnid, numbers) in enumerate({TENCH: range(3), GROOM: range(3, 6)}.items()):
        for number in numbers:
            photo = tmp_path / "photos" / wnid / f"IMG_{number}.jpg"
            photo.parent.mkdir(parents=True, exist_ok=True)
            photo.write_bytes(picture(number + place))
    call = genset_in(root)
    CliRunner().invoke(cli, ["init", str(root)])
    call("add", tmp_path / "photos", "--owner", "Ann Ko", "--source", "mine")
    rows = [("task", "worker", "label", "decided_at")]
    for path in sorted((tmp_path / "photos").glob("*/*.jpg")):
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        task, wrong = f"{path.parent.name}/mine:{sha256[:32]}", path.name == "IMG_0.jpg"
        rows.append((task, "w1", "correct", "2024-03-01T00:00:00+00:00"))
        rows.append((task, "w2", "incorrect" if wrong else "correct", "2024-03-09T00:00:00+00:00"))
    with (tmp_path / "labels.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    call("labels", "import", tmp_path / "labels.csv")
    return root


def texts_of(release: Release) -> dict[str, str]:
    return {name: (release.root / name).read_text("utf-8") for name in release.documents}


def frozen(root: Path, *words: object) -> Release:
    genset_in(root)("release", "create", "v1", *words)
    return Release(root / "releases" / "v1")


def sections(card: str) -> dict[str, str]:
    """What stands under each heading of the second order."""
    parts = re.split(r"^## (.+)$", card, flags=re.M)
    return dict(zip(parts[1::2], (part.strip() for part in parts[2::2]), strict=True))


# A pool of one's own, labeled by a table

# What did not happen: a search, a page where labelers saw a definition, Flickr, a person to write
# to, payment, a promise to keep it.
NEVER = (
    *("flickr", "wordnet", "relevance", "keyword", "found by", "definition", "labeling page"),
    *("prolific", "mechanical turk", "writes to", "will be", "upload", "api"),
)


def test_no_document_says_what_did_not_happen(own: Path) -> None:
    texts = texts_of(frozen(own))
    answered, _, _ = texts["docs/DATASHEET.md"].partition("## Not stated")
    machine = json.loads(texts["croissant.json"])
    told = {name: value for name, value in machine.items() if name.startswith(("rai:", "prov:"))}
    said = [texts[f"docs/{name}"] for name in ("DATA_CARD.md", "LICENSES.txt", "ATTRIBUTION.txt")]
    said += [re.sub(r"\*\*.+\*\*", "", answered), json.dumps(told)]  # without the questions
    for text in said:
        for words in NEVER:
            assert not re.search(rf"\b{words}", text, re.I), words
    for path in (own / "releases" / "v1").iterdir():
        assert path.is_dir() or "flickrhelp" not in path.read_text("utf-8"), path.name


def test_every_number_of_the_manifest_and_the_card_is_counted(own: Path) -> None:
    workspace = Workspace.find(own)
    store = Store.open(workspace.store_url)
    with store.begin() as session:  # as one was stored that was added when it got that page
        label = session.query(Label).first()
        assert label is not None
        label.candidate.photo.license_url = "https://www.flickrhelp.com/hc/en-us/articles/1"
    store.close()
    release = frozen(own)
    assert {(photo.license, photo.license_url) for photo in release.photos} == {
        ("All Rights Reserved", "")
    }
    manifest = json.loads((release.root / MANIFEST).read_text("utf-8"))
    came = manifest["origins"]["mine"]
    assert (came["found"], came["added"], came["searches"], came["pages"]) == (0, 5, 0, 0)
    assert came["searched"] is None and came["added_on"] is not None
    span = ["2024-03-01T00:00:00+00:00", "2024-03-09T00:00:00+00:00"]
    counts = {"labels": 12, "candidates": 6, "labelers": 2, "labeled": span}
    by_way = {"import": {"labels": 12, "labelers": 2, "dates": span}}
    rest = {"by_way": by_way, "signed_in": {"": 2}, "guidelines": [], "agreement": 0.0}
    assert manifest["labeling"] == counts | rest
    assert manifest["dataset"] == {}
    found = sections(texts_of(release)["docs/DATA_CARD.md"])
    for section, words in (
        ("How it was collected", r"\b5 photos\b.*added from a folder"),
        ("How it was collected", "without a search"),
        ("How it was labeled", r"\b12 labels by 2 labelers on 6 candidates\b"),
        ("How it was labeled", r"They were read from a table\b.*\b2 labelers\b"),
        ("How it was labeled", "2024-03-01 to 2024-03-09"),
        ("How it was labeled", "2 labels on each photo"),
        ("How it was labeled", r"alpha 0\.000"),
        ("How it was chosen", r"not called correct by a majority \(1\)"),
        ("Classes", r"1 class has 3 photos; 1 class has 2 photos\."),
        ("Classes", "998 classes without a photo"),
        ("Persons", "3 of groom"),
        ("Persons", "owners of 5 photos"),
        ("Licences", "LicenseRef-All-Rights-Reserved, All Rights Reserved: 5 photos"),
        ("Licences", "no address for 5"),
        ("Known limits", "labels that chose the photos"),
    ):
        assert re.search(words, found[section]), words
    assert "by whoever added" not in found["How it was collected"] and "Sources" not in found
    machine = json.loads(texts_of(release)["croissant.json"])
    assert machine["rai:annotationsPerItem"] == "2 labels on each photo"
    assert machine["rai:dataCollectionType"] == ["Others"]
    assert machine["prov:wasDerivedFrom"][0]["prov:label"] == "mine"
    assert not {"creator", *STATED} & set(machine)


def test_what_is_not_stated_is_listed_and_can_all_be_stated(own: Path) -> None:
    texts = texts_of(frozen(own))
    assert "who funded it" in sections(texts["docs/DATA_CARD.md"])["Not stated"]
    sheet = texts["docs/DATASHEET.md"]
    missing = set(re.findall(r"\(`dataset\.(.+)`\)", sections(sheet)["Not stated"]))
    assert {"authors", "contact", "datasheet.consent", "datasheet.erratum"} < missing
    assert "5 photos of 2 of ImageNet's 1,000 classes." in sheet and sheet.count("Not stated") == 1

    answers = {name: f"About {name}: see https://example.org/{name}." for name in DATASHEET}
    lines = (f"{name} = {json.dumps(text)}\n" for name, text in answers.items())
    says(own, f"{SAID.partition('purpose =')[0]}{''.join(lines)}")
    genset_in(own)("release", "create", "v2")
    texts = texts_of(Release(own / "releases" / "v2"))
    assert json.loads(texts["croissant.json"])["version"] == "2.0.0"
    sheet = texts["docs/DATASHEET.md"].replace("\\", "")
    assert "Not stated" not in sheet + texts["docs/DATA_CARD.md"]
    for name in answers:
        assert f"About {name}: see <https://example.org/{name}>." in sheet


# What the maintainer says

SAID = """
[dataset]
title = "Photos & fish"
authors = ["Ko, Ann", { name = "Bo Lee", affiliation = "B_1", orcid = "0000-0002-1825-0097" }]
affiliation = "University A"
funding = "Fund F"
ethics_review = "Board E, 2024-1"
labelers = "Students."
labelers_pay = "9 pounds an hour"
hosting = "https://example.org/set"
doi = "https://doi.org/10.5281/zenodo.11"
contact = "ann@example.org"
maintenance = "Until 2030."
license = "CC-BY-4.0"
biases = "All of one pond."
synthetic = false
[dataset.datasheet]
purpose = "To rank fish."
unfit_uses = "Not for anglers."
impact = "None."
"""
STATED = {
    "rai:dataBiases": ["All of one pond."],
    "rai:dataSocialImpact": "None.",
    "rai:dataUseCases": "To rank fish. Not for anglers.",
    "rai:hasSyntheticData": False,
}


def says(root: Path, text: str) -> None:
    path = root / "genset.toml"
    path.write_text(path.read_text("utf-8") + text, "utf-8")


def test_what_the_maintainer_says_stands_in_every_document(own: Path) -> None:
    says(own, SAID)
    release = frozen(own)
    release.verify()
    texts = texts_of(release)
    said = ("Fund F", "Board E, 2024-1", "9 pounds an hour", "ann@example.org", "Until 2030.")
    for words in said:
        assert words in texts["docs/DATA_CARD.md"] and words in texts["docs/DATASHEET.md"], words
    card = sections(texts["docs/DATA_CARD.md"])
    assert "Authors: Ann Ko (University A); Bo Lee (B_1)" in card["Who made it"]
    assert "Not stated" not in card and card["Uses"] == STATED["rai:dataUseCases"]
    sheet = texts["docs/DATASHEET.md"]
    assert "hosted: <https://example.org/set>; Whom to contact: ann@example.org; A plan" in sheet
    assert "Write to ann@example.org: " in sheet
    assert "documents: CC-BY-4.0\n" in texts["docs/LICENSES.txt"]
    machine = json.loads(texts["croissant.json"])
    assert [each["name"] for each in machine["creator"]] == ["Ann Ko", "Bo Lee"]
    assert machine["sameAs"] == "https://doi.org/10.5281/zenodo.11"
    assert machine["url"] == "https://example.org/set"
    assert {name: machine[name] for name in STATED} == STATED
    read = mlcroissant.Dataset(jsonld=str(release.root / "croissant.json")).metadata
    assert read.data_collection_timeframe[0].date() <= datetime.now(UTC).date()
    assert read.data_biases and read.data_social_impact and read.data_use_cases
    assert (machine["name"], machine["alternateName"]) == ("Photos & fish", "v1")
    assert machine["description"].startswith("Photos & fish, release v1. ")
    assert "Until 2030." in machine["rai:dataReleaseMaintenancePlan"]


def test_a_doi_of_no_release_is_refused(own: Path) -> None:
    says(own, '[dataset]\n\ndoi = { v1-part = "10.5281/zenodo.1", v9 = "10.5281/zenodo.11" }\n')
    line = len((own / "genset.toml").read_text("utf-8").splitlines())
    for option in ("--dry-run", "--no-refresh"):
        answer = genset_in(own)("release", "create", "v1", option)
        assert answer.startswith("2: ") and f"line {line}: dataset.doi.v9: there is no" in answer
    assert not (own / "releases").exists()


# What labelers did on the page, and searches


def test_of_imported_photos_no_search_and_no_licence_is_made_up(pool: Pool) -> None:
    nobody = {"owner": "", "owner_name": "", "license": "All Rights Reserved", "license_url": ""}
    task = add_candidate(pool.workspace, pool.store, TENCH, 9, keyword="tench fish", **nobody)
    pool.label(task, ann="correct")
    with pool.store.begin() as session:
        # By another query, so that the source has its words.
        session.add(search(pool, "flickr", TENCH))
        keep_words(session, Flickr.about)
    texts = texts_of(pool.create())
    for name in ("docs/DATA_CARD.md", "docs/DATASHEET.md", "croissant.json"):
        assert "imported with the 1 query" in texts[name]
        assert "order of relevance" not in texts[name] and "last asked" not in texts[name]
    assert "Nobody asked a source for the licences of 1 photo" in texts["docs/DATA_CARD.md"]
    pool.label(f"{TENCH}/flickr:0", ann="correct")
    both = texts_of(pool.create("v2"))["docs/DATA_CARD.md"]
    assert "1 photo from Flickr, found by 1 query (1 search" in both
    assert "imported with the 1 query" in both and "order of relevance" in both
    assert "last asked" in both and "the licences of 1 photo:" in both
    # It was searched for classes of which it gave no photo, too.
    other = add_candidate(pool.workspace, pool.store, GOLDFISH, 10, source="commons")
    pool.label(other, ann="correct")
    with pool.store.begin() as session:
        session.add(search(pool, "flickr", GOLDFISH))
    third = texts_of(pool.create("v3"))["docs/DATA_CARD.md"]
    assert "(2 searches for the release's classes" in third


def test_agreement_is_of_the_labels_that_are_counted_beside_it(pool: Pool) -> None:
    task, further = f"{TENCH}/flickr:0", f"{BASSINET}/flickr:0"
    pool.label(task, ann="correct", bob="correct")
    pool.label(f"{TENCH}/flickr:1", ann="incorrect", bob="incorrect")
    ask_about(pool.store, {task: [BASSINET]})
    pool.label(further, ann="correct", bob="incorrect")
    card = texts_of(pool.create())["docs/DATA_CARD.md"]
    assert "4 labels by 2 labelers on 2 candidates" in card and "alpha 1.000" in card
