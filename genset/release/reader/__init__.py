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

from genset.release.reader.manifest import ANSWERS as ANSWERS
from genset.release.reader.manifest import FORMAT as FORMAT
from genset.release.reader.manifest import LISTS as LISTS
from genset.release.reader.manifest import MANIFEST as MANIFEST
from genset.release.reader.manifest import PHOTOS as PHOTOS
from genset.release.reader.manifest import WHOLE as WHOLE
from genset.release.reader.manifest import Ground as Ground
from genset.release.reader.manifest import Manifest as Manifest
from genset.release.reader.manifest import ReleasePhoto as ReleasePhoto
from genset.release.reader.manifest import classes_of as classes_of
from genset.release.reader.manifest import content_hash as content_hash
from genset.release.reader.manifest import fact_of as fact_of
from genset.release.reader.manifest import file_of as file_of
from genset.release.reader.manifest import manifest_hash as manifest_hash
from genset.release.reader.manifest import manifest_lines as manifest_lines
from genset.release.reader.manifest import read_manifest as read_manifest
from genset.release.reader.release import Release as Release
from genset.release.reader.release import find_releases as find_releases
from genset.release.reader.release import release_named as release_named
