"""Further classes that labelers see in photos change no release but those that ask for them."""

import json

from genset.db import Verdict
from genset.release.reader import MANIFEST
from tests.label.also import decide_all
from tests.label.desks import desk_of
from tests.labeled_workspace import CLASSES, TENCH
from tests.questions import FURTHER, ask_about
from tests.release.conftest import Pool


def test_a_release_of_single_labels_is_the_same_with_answers_about_other_classes(
    pool: Pool,
) -> None:
    pool.label_all_correct()
    before = pool.create("v1")
    manifest = before.root / MANIFEST
    kept = manifest.read_bytes()
    photos = [f"{wnid}/flickr:{100 * place}" for place, wnid in enumerate(CLASSES)]
    ask_about(pool.store, dict.fromkeys(photos, FURTHER))
    asked = pool.create("v2")
    bob = desk_of((pool.workspace, pool.store), "bob")
    assert len(decide_all(bob, Verdict.CORRECT)) == len(CLASSES)  # all of them are in every photo

    after = pool.create("v3")

    assert before.content_hash == asked.content_hash == after.content_hash
    assert len(after) == 8
    assert manifest.read_bytes() == kept
    told = [json.loads((each.root / MANIFEST).read_text("utf-8")) for each in (before, after)]
    assert told[0]["format"] == told[1]["format"] == "genset release 1"
    assert {photo.wnid for photo in after.photos} == {*CLASSES}
    assert TENCH in {photo.wnid for photo in after.photos}
