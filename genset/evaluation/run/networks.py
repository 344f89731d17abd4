"""Score networks on a set in one pass over its photos."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from genset.errors import BadInput, GensetError, ModelError, PhotoRefused
from genset.evaluation.data.photos import PhotoSet
from genset.evaluation.data.transforms import Pixels, crops
from genset.evaluation.models.load import load_model
from genset.evaluation.models.preprocessing import Geometry
from genset.evaluation.models.spec import ModelSpec
from genset.evaluation.results.runs import Run
from genset.evaluation.run.assemble import finish
from genset.evaluation.run.distributed import join_world
from genset.evaluation.run.options import Options
from genset.evaluation.run.plan import Entry, Pass
from genset.evaluation.run.ray import joined_cluster

_PROBE = 8

Made = TypeVar("Made")


def score_networks(
    photos: PhotoSet, specs: Sequence[ModelSpec], runs: Path, options: Options
) -> dict[str, Run | GensetError]:
    """Score these models; by the text of its spec, the run of each, or why there is none.

    Raises:
        BadInput: there are torchrun's processes, and a cluster.
        MissingExtra: the cluster's package is not installed.
        GensetError: no photo can be read, the answers cannot be written, a process that scores was
            killed, or there is no cluster. What is finished is kept.
    """
    started = time.monotonic()
    world = join_world()
    if world.size > 1 and options.cluster:
        raise BadInput("torchrun and --engine-cluster ray each share out the photos: leave out one")
    one = Pass(photos, runs, options, world)
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
        with joined_cluster(options.cluster) as cluster:
            found |= in_one_pass(replace(one, cluster=cluster), entries, finish, started)
    return found | {text: found[twin] for text, twin in same.items()}


def in_one_pass(
    one: Pass,
    entries: list[Entry],
    make: Callable[[Entry, PhotoSet, Options, float], Made],
    started: float,
) -> dict[str, Made | GensetError]:
    """Run these models; by the text of its spec, what is made of each one's shards, or why not.

    The first process makes it. `make` is told how many seconds passed since `started`.

    Raises:
        GensetError: as `score_networks` does.
    """
    photos, options = one.photos, one.options
    found: dict[str, Made | GensetError] = {}
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
                partial(make, entry, photos, options, seconds)
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
