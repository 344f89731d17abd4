"""Tells entries of the same name apart, by the folders that they lie in."""

import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from genset.tta.logs.entries import Training


def told_apart(runs: Iterable[Training]) -> list[Training]:
    """The runs, where the entries of two folders never have one name.

    ``NVIDIA/dgx1/resnet`` of two rounds becomes ``v0.6/NVIDIA/results/dgx1/resnet`` and
    ``v0.7/NVIDIA/results/dgx1/resnet``: the folders from where they part.
    """
    kept = list(runs)
    folders: dict[str, set[Path]] = defaultdict(set)
    for run in kept:
        if run.about.entry:
            folders[run.about.entry].add(_folder(run))
    above = {name: os.path.commonpath(of) for name, of in folders.items() if len(of) > 1}
    return [
        _renamed(run, _folder(run).relative_to(above[run.about.entry]).as_posix())
        if run.about.entry in above
        else run
        for run in kept
    ]


def _folder(run: Training) -> Path:
    return run.about.path.absolute().parent


def _renamed(run: Training, folders: str) -> Training:
    entry = run.about.entry
    if folders != ".":
        ends_alike = folders.split("/")[-1] == entry.split("/")[-1]
        entry = folders if ends_alike else f"{folders}/{entry}"
    return replace(run, about=replace(run.about, entry=entry))
