"""WebDataset: tar files with each photo, its class and its record."""

import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path

from genset.core.files import written_whole
from genset.core.progress import progress
from genset.release.publish import content, flat_name, shards
from genset.release.reader import Release


def write(release: Release, texts: Mapping[str, str], folder: Path) -> None:
    """Write ``test-000000.tar`` and so on. The same release gives the same bytes.

    A sample is ``WNID_SHA256`` (`flat_name`) with ``.jpg`` (or the photo's own suffix), ``.cls``
    (the index of the class in `Release.classes`, in digits) and ``.json`` (the record, with all
    right answers where photos have several).
    """
    cut = shards(release.photos)
    for number, photos in enumerate(progress(cut, total=len(cut), what="export", unit="shard")):
        path = folder / f"test-{number:06}.tar"
        with written_whole(path) as file, tarfile.open(fileobj=file, mode="w") as tar:
            for photo in photos:
                key, _, suffix = flat_name(release, photo).rpartition(".")
                index = release.taxonomy[photo.wnid].index
                _add(tar, f"{key}.{suffix}", content(release, photo))
                _add(tar, f"{key}.cls", str(index).encode())
                _add(tar, f"{key}.json", json.dumps(photo.as_json()).encode())


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)  # without owner, dated 1970: nothing depends on this machine
    member.size = len(data)
    tar.addfile(member, io.BytesIO(data))
