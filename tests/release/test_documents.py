"""What lies beside a manifest: for people, and for the programs that read it."""

import csv
import dataclasses
import json

import mlcroissant
import pytest
from msgspec.structs import replace

from genset.db import Photo, labels_in_force, votes
from genset.label.aggregate.votes import Vote
from genset.label.agreement import krippendorff_alpha
from genset.release.documents import documents
from genset.release.facts import alpha
from genset.release.freeze import create
from genset.release.reader import MANIFEST, Release
from genset.settings import DatasetSettings
from tests.labeled_workspace import GOLDFISH, TENCH, add_candidate
from tests.release.conftest import Pool


@pytest.fixture
def release(pool: Pool) -> Release:
    """Eight photos of four classes; one is titled by a stranger, one all rights reserved."""
    pool.label_all_correct()
    task = add_candidate(
        pool.workspace, pool.store, TENCH, 7, title="<b>Fish</b>\nof mine", owner_name="Ann\tKo"
    )
    pool.label(task, ann="correct", bob="incorrect", eve="correct")
    with pool.store.begin() as session:
        photo = session.query(Photo).filter_by(source_id="100").one()
        photo.license, photo.license_url = "All Rights Reserved", "https://example.org/terms"
    dataset = DatasetSettings(contact="ann@example.org")
    workspace = dataclasses.replace(pool.workspace, dataset=dataset)
    return create(workspace, pool.store, "v1")


def text(release: Release, name: str) -> str:
    return (release.root / name).read_text("utf-8")


def test_the_card_tells_how_it_came_about(release: Release) -> None:
    card = text(release, "docs/DATA_CARD.md")
    for said in (
        "# v1",
        release.content_hash,
        "9 photos of 4 of ImageNet's 1,000",
        "posted there 2020-01-01",
        "11 labels by 3 labelers on 9 candidates",
        "Krippendorff's alpha 0.000",
        "Chosen by majority (min_labels 1, seed 0).",
        "1 class has 3 photos; 3 classes have 2 photos each.",
        "996 classes without a photo",
        "All Rights Reserved: 1 photo",
        "ann@example.org",
        "This product uses the Flickr API but is not endorsed or certified by SmugMug, Inc.",
    ):
        assert said in card


def test_every_photo_is_credited_in_its_licences_form(release: Release) -> None:
    credits = text(release, "docs/ATTRIBUTION.txt").splitlines()
    for photo in release.photos:
        line = credits[credits.index(photo.file) + 1]
        assert photo.page_url in line and photo.license_url in line
    [stranger] = [line for line in credits if "Fish" in line]
    assert stranger.strip() == (
        '"<b>Fish</b> of mine" by Ann Ko, licensed under CC BY 2.0 '
        "(https://creativecommons.org/licenses/by/2.0/), via Flickr, "
        "https://www.flickr.com/photos/7@N00/7"
    )
    assert sum("all rights reserved" in line for line in credits) == 1


def test_every_licence_is_counted_with_its_address(release: Release) -> None:
    assert "All Rights Reserved: 1 photo\n    https://example.org/terms\n" in text(
        release, "docs/LICENSES.txt"
    )
    assert "CC BY 2.0: 8 photos\n    https://creativecommons.org/licenses/by/2.0/" in text(
        release, "docs/LICENSES.txt"
    )


def test_a_strangers_licence_cannot_leave_its_line(release: Release) -> None:
    evil = 'CC0\n\nn01440764/x.jpg\n    "Mine" by \u202eme\x1b[2J'
    first = replace(
        release.photos[0], license=evil, license_url=f"javascript:{evil}", page_url=evil
    )
    photos = [first, *release.photos[1:]]
    made = documents(json.loads(text(release, MANIFEST)), photos)
    for name in ("docs/ATTRIBUTION.txt", "docs/LICENSES.txt", "docs/DATA_CARD.md"):
        assert all(line.isprintable() for line in made[name].split("\n"))
        assert not any(line.startswith("n01440764/x") for line in made[name].split("\n"))
    assert len(made["docs/ATTRIBUTION.txt"].splitlines()) == 1 + 3 * len(photos)
    assert not any("javascript:" in each for each in json.loads(made["croissant.json"])["license"])


def test_the_table_has_every_photo(release: Release) -> None:
    rows = list(csv.DictReader(text(release, "test/metadata.csv").splitlines()))
    assert [f"test/{row['file_name']}" for row in rows] == [photo.file for photo in release.photos]
    assert {(row["wnid"], row["label"]) for row in rows} >= {(TENCH, "0"), (GOLDFISH, "1")}
    for row, photo in zip(rows, release.photos, strict=True):
        assert json.loads(row["labels"]) == photo.labels
        assert float(row["selection_frequency"]) == photo.selection_frequency


def test_mlcroissant_finds_nothing_wrong_and_reads_the_photos(
    release: Release, caplog: pytest.LogCaptureFixture
) -> None:
    opened = mlcroissant.Dataset(jsonld=str(release.root / "croissant.json"))
    issues = opened.metadata.issues
    assert not issues.errors and not issues.warnings
    records = {record["records/file_name"].decode(): record for record in opened.records("records")}
    pictures = {
        record["pictures-jpg/file_name"].decode(): record["pictures-jpg/image"].size
        for record in opened.records("pictures-jpg")
    }
    files = {photo.file.removeprefix("test/") for photo in release.photos}
    assert set(records) == set(pictures) == files
    assert not caplog.records
    for photo in release.photos:
        record = records[photo.file.removeprefix("test/")]
        assert record["records/wnid"].decode() == photo.wnid
        assert record["records/sha256"].decode() == photo.sha256
        assert record["records/selection_frequency"] == photo.selection_frequency
        assert pictures[photo.file.removeprefix("test/")] == (photo.width, photo.height)


def test_croissant_tells_what_responsible_ai_asks(release: Release) -> None:
    read = mlcroissant.Dataset(jsonld=str(release.root / "croissant.json")).metadata
    for field in (
        *("data_limitations", "data_biases", "personal_sensitive_information"),
        *("data_collection", "data_collection_type", "data_annotation_protocol"),
        *("annotations_per_item", "data_release_maintenance_plan", "data_preprocessing_protocol"),
    ):
        assert getattr(read, field), field
    told = json.loads(text(release, "croissant.json"))
    assert told["prov:wasDerivedFrom"] and told["rai:dataLimitations"] == read.data_limitations
    assert all(field["description"] for field in told["recordSet"][0]["field"])
    assert {each["@type"] for each in told["prov:wasGeneratedBy"]} == {"prov:Activity"}
    assert told["rai:annotationsPerItem"] == "1 label on 8 photos, 3 labels on 1 photo"


def test_agreement_is_that_of_the_labelers_numbers(pool: Pool) -> None:
    pool.label(f"{TENCH}/flickr:0", ann="correct", bob="correct", eve="incorrect")
    pool.label(f"{TENCH}/flickr:1", ann="correct", bob="unsure")
    pool.label(f"{GOLDFISH}/flickr:100", ann="incorrect", bob="incorrect", eve="incorrect")
    pool.label(f"{GOLDFISH}/flickr:101", ann="correct")
    with pool.store.session() as session:
        said = votes(session)
        rows = session.scalars(labels_in_force())
        each = [Vote(str(row.candidate_id), row.worker, row.verdict.value) for row in rows]
    assert alpha(said.values()) == pytest.approx(krippendorff_alpha(each).alpha, abs=1e-6)
    assert alpha([]) is None
