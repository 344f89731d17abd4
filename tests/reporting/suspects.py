"""A workspace with a release whose photos three models get wrong, on command line and page."""

from pathlib import Path

from genset.db import Verdict
from genset.label import Store
from genset.release.freeze import create
from genset.release.reader import Release
from genset.score.results.runs import Prediction
from genset.sets.open import open_set
from genset.workspace import Workspace
from tests.labeled_workspace import GOLDFISH, TENCH, labeled_workspace, vote
from tests.reporting.sets import keep_run

TEAPOT, TABBY = "n04398044", "n02123045"


def scored_workspace(root: Path) -> tuple[Workspace, Store]:
    """A release "v1" of five tenches and five goldfish, and three runs on it. Close the store.

    All models say of the tench ``flickr:0`` that it is a goldfish, of ``flickr:1`` that it is a
    teapot, and of ``flickr:2`` two of them teapot and one tabby; all else is right, but that the
    models "b" and "c" each get one photo wrong that the others get right.
    """
    workspace, store = labeled_workspace(root, [TENCH, GOLDFISH])
    for place in (0, 100):
        for number in range(place, place + 5):
            task = f"{TENCH if place == 0 else GOLDFISH}/flickr:{number}"
            vote(store, task, "ann", Verdict.CORRECT)
            vote(store, task, "ben", Verdict.CORRECT)
    create(workspace, store, "v1")
    for model, others in (("a", {}), ("b", {"103": TEAPOT}), ("c", {"104": TEAPOT})):
        third = TABBY if model == "c" else TEAPOT
        _score(workspace, model, {"0": GOLDFISH, "1": TEAPOT, "2": third} | others)
    return workspace, store


def _score(workspace: Workspace, model: str, wrong: dict[str, str]) -> None:
    """Keep a run that is right on all photos but these, by their number at the source."""
    release = Release(workspace.releases / "v1")
    photos = open_set(str(release.root))
    numbers = {each.file: each.source_id for each in release.photos}
    said = []
    for photo in photos.photos:
        first = wrong.get(numbers[photo.id], photo.wnid)
        rest = (TENCH, GOLDFISH, TEAPOT, TABBY, "n03026506", "n07920052")
        top = (first, *(wnid for wnid in rest if wnid != first))[:5]
        said.append(Prediction(photo.id, photo.wnid, top, (0.9, 0.05, 0.02, 0.01, 0.01)))
    keep_run(photos, workspace.runs, model, said)
