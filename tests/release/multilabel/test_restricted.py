"""A part of a release with several right answers: its numbers are of its own photos."""

import json
from pathlib import Path

import pytest

from genset.db import Photo
from genset.release.exports.export import export
from genset.release.reader import MANIFEST, Release
from tests.questions import BASSINET
from tests.release.conftest import Pool
from tests.release.multilabel.conftest import Asking


def test_the_answers_are_counted_again(
    pool: Pool, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with pool.store.begin() as session:
        session.query(Photo).filter_by(source_id="0").one().license = "All Rights Reserved"
    asking: Asking = request.getfixturevalue("asking")
    asking.ask(BASSINET)
    asking.say_of_all(BASSINET, ann="incorrect")
    asking.say(0, BASSINET, ann="correct")
    asking.say(1, BASSINET, ann="correct")
    whole = asking.freeze()
    export(whole, "imagefolder", tmp_path / "out")
    part = Release(tmp_path / "out")
    part.verify()
    assert (len(whole), len(part), part.name) == (8, 7, "v2-unrestricted")
    told = json.loads((part.root / MANIFEST).read_text("utf-8"))["multilabel"]
    assert (told["photos_with_several"], told["questions"]) == (1, 7)
    assert part.photos == tuple(photo for photo in whole.photos if photo.source_id != "0")
