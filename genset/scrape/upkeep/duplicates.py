"""Find photos that look alike: within the pool, and in sets that it must not share photos with.

Whatever is found is proposed as a pair (`genset.db.DuplicatePair`) for somebody to decide;
nothing is dropped in silence, since a perceptual hash also takes two logos for one photo.
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from PIL import Image

from genset.core.errors import BadInput, GensetError
from genset.core.files import written_whole
from genset.core.hashes import HEAD, HashFile
from genset.core.numbers import count
from genset.core.pixels import fingerprint, scale_down
from genset.core.progress import progress
from genset.db import Store
from genset.scrape.upkeep.looks import add_missing_looks
from genset.scrape.upkeep.pairs import compare_new, compare_with_file
from genset.workspace import Workspace

_SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}


def hash_folder(folder: Path, output: Path) -> tuple[int, list[str]]:
    """Write the hashes of all photos below `folder`; return how many, and what cannot be read.

    Names are paths relative to the folder.

    Raises:
        BadInput: there is no photo.
    """
    paths = sorted(p for p in folder.rglob("*") if p.suffix.lower() in _SUFFIXES and p.is_file())
    if not paths:
        raise BadInput(f"{folder} holds no photos (.jpg, .jpeg, .png, .webp)")
    unreadable = []
    count = 0
    with ProcessPoolExecutor() as processes, written_whole(output) as file:
        file.write(HEAD.encode())
        hashes = processes.map(_hash, paths, chunksize=32)
        for path, number in progress(
            zip(paths, hashes, strict=True), total=len(paths), what="hash", unit="photo"
        ):
            name = path.relative_to(folder).as_posix()
            if number is None or "\n" in name:
                unreadable.append(name)
            else:
                file.write(f"{number:016x} {name}\n".encode(errors="surrogateescape"))
                count += 1
    return count, unreadable


def _hash(path: Path) -> int | None:
    try:
        with Image.open(path) as image:
            scale_down(image)
            return fingerprint(image)
    except Exception:  # noqa: BLE001 - what decoders raise on broken files is not bounded
        return None


def propose(workspace: Workspace, store: Store, excluded: Sequence[HashFile]) -> int:
    """Look for pairs within the pool and between the pool and `excluded`; return the new ones.

    A pool photo is looked for as it is, mirrored and a little cropped. What an earlier call did,
    or one that was killed, is not done again.

    Raises:
        GensetError: originals cannot be read; the pairs of all others are stored.
    """
    unreadable = add_missing_looks(workspace, store)
    new = compare_new(store)
    new += sum(compare_with_file(store, file) for file in excluded)
    if unreadable:
        one, several = (
            "photo cannot be read and was left out",
            "photos cannot be read and were left out",
        )
        raise GensetError(
            f"{count(len(unreadable), one, several)} "
            f"({', '.join(unreadable[:3])}): see genset doctor"
        )
    return new
