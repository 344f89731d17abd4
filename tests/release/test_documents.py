"""What lies beside a manifest: for people, and for the programs that read it."""

import dataclasses
import json

import mlcroissant
import pytest
from msgspec.structs import replace

from genset.db import Photo
from genset.release.documents import documents
from genset.release.freeze import create
from genset.release.reader import MANIFEST, Release
from genset.settings import DatasetSettings
from tests.labeled_workspace import TENCH, add_candidate
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
