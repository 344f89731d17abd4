"""Score networks on a set in one pass over its photos."""

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from genset.errors import GensetError, ModelError, PhotoRefused
from genset.evaluate.finish import finish
from genset.evaluate.models import load_model
from genset.evaluate.options import Options
from genset.evaluate.passes import Entry, Pass
from genset.evaluate.photos import PhotoSet
from genset.evaluate.pixels import Pixels, crops
from genset.evaluate.preprocessing import Geometry
from genset.evaluate.runs import Run
from genset.evaluate.spec import ModelSpec
from genset.evaluate.world import join_world

_PROBE = 8


def score_networks(
    photos: PhotoSet, specs: Sequence[ModelSpec], runs: Path, options: Options
) -> dict[str, Run | GensetError]:
    """Score these models; by the text of its spec, the run of each, or why there is none.

    Raises:
        GensetError: no photo can be read, the answers cannot be written, or a process that scores
            was killed. What is finished is kept.
    """
    started = time.monotonic()
    one = Pass(photos, runs, options, join_world())
    found: dict[str, Run | GensetError] = {}
    entries: list[Entry] = []
    same: dict[str, str] = {}
    for spec in specs:
        try:
            opened = one.open(load_model(spec.text, options.allow_code))
        except GensetError as error:
            found[spec.text] = error
            continue
        if isinstance(opened, Run):
            found[spec.text] = opened
        elif twin := next((e for e in entries if e.folder == opened.folder), None):
            same[spec.text] = twin.model.spec.text
        else:
            entries.append(opened)
    if entries:
        found |= _scored(one, entries, started)
    return found | {text: found[twin] for text, twin in same.items()}


def _scored(one: Pass, entries: list[Entry], started: float) -> dict[str, Run | GensetError]:
    photos, options = one.photos, one.options
    found: dict[str, Run | GensetError] = {}
    geometries = list(dict.fromkeys(entry.geometry for entry in entries))
    probe = _probe(photos, geometries)
    for entry in entries[:]:
        try:
            one.choose_engine(entry, probe[entry.geometry])
        except GensetError as error:
            found[entry.model.spec.text] = error
            entries.remove(entry)
    failed = one.score(entries)
    for number, entry in enumerate(entries):
        if number in failed:
            found[entry.model.spec.text] = ModelError(failed[number])
            continue
        seconds = time.monotonic() - started
        try:
            found[entry.model.spec.text] = one.world.agreed(
                partial(finish, entry, photos, options, seconds)
            )
        except GensetError as error:
            found[entry.model.spec.text] = error
    return found


def _probe(photos: PhotoSet, geometries: Sequence[Geometry]) -> dict[Geometry, Pixels]:
    """The first photos that can be read, to try engines on, by geometry.

    Raises:
        GensetError: no photo can be read.
    """
    found: list[list[Pixels]] = []
    for photo in photos.photos:
        try:
            found.append(crops(photo.path, geometries))
        except PhotoRefused:
            continue
        if len(found) == _PROBE:
            break
    if not found:
        raise GensetError(f"not one photo of {photos.name} can be read")
    return {
        geometry: np.stack([each[number] for each in found])
        for number, geometry in enumerate(geometries)
    }
