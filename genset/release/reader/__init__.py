"""Read a release's folder, for later stages and as a data set for PyTorch's loaders.

    >>> import genset
    >>> photos = genset.Release("releases/v1", transform=preprocess)
    >>> image, target = photos[0]
    >>> photos.classes[target], photos.photos[0].license
    ('n01440764', 'CC BY 2.0')

It needs no extra: genset requires Pillow, which is imported when a photo is opened.

A release is a folder::

    NAME/
      manifest.json             what it is, how it was made, and a record for each photo
      test/n02123045/<sha256>.jpg    original bytes, in folders named by class
      docs/DATA_CARD.md, ...    documents, made from the manifest (`genset.release.documents`)

It never changes: each photo's record has the hash of the photo, `content_hash` is over these
records (what a model is scored on), `documents` has the hash of each document, and `manifest_hash`
is over the whole manifest. Where photos have several right answers
(``genset release create --multilabel``), ``multilabel`` says how they came to have them. Where
classes are not ImageNet's but the workspace's own, ``taxonomy`` has them: their name, hash and
document. Of a part of a release, as where photos are gone from their sources, ``part_of`` says of
which, and ``whole.json`` is the manifest of that, with which ``genset pull`` goes on.
"""

from genset.release.reader.manifest import (
    ANSWERS,
    FORMAT,
    LISTS,
    MANIFEST,
    PHOTOS,
    WHOLE,
    Ground,
    Manifest,
    ReleasePhoto,
    classes_of,
    content_hash,
    fact_of,
    file_of,
    manifest_hash,
    manifest_lines,
    read_manifest,
)
from genset.release.reader.release import Release, find_releases, release_named

__all__ = [
    "ANSWERS",
    "FORMAT",
    "LISTS",
    "MANIFEST",
    "PHOTOS",
    "WHOLE",
    "Ground",
    "Manifest",
    "Release",
    "ReleasePhoto",
    "classes_of",
    "content_hash",
    "fact_of",
    "file_of",
    "find_releases",
    "manifest_hash",
    "manifest_lines",
    "read_manifest",
    "release_named",
]
