"""Classes: what each means, and what to search for to find photos of it. ImageNet's are the first.

    >>> from genset.classes import imagenet1k
    >>> crane = imagenet1k()["n02012849"]
    >>> crane.name, crane.index
    ('crane', 134)
    >>> [query.text for query in crane.queries][-2:]
    ['crane bird', 'sandhill crane']

A class is named by its wnid, a noun's offset in WordNet 3.0, and never by its English name (two
classes are called "crane") or a bare number (whose meaning drifts from list to list). The map is
a data file that is committed with genset, so nothing here needs WordNet;
``wordnet_maps/build.py`` says how it was made. So is what tells classes apart, for those who
label: Wikipedia's pages, and which class may be taken for which (``wordnet_maps/guide.json``).
"""

from genset.classes.checks import LONGEST_ID, mistakes_in
from genset.classes.classes import PHOTOS, ImageClass, Query, with_distinct_names
from genset.classes.document import document_of, hash_of, hash_of_document, taxonomy_of
from genset.classes.entries import Entry, read_entries
from genset.classes.files import read_taxonomy
from genset.classes.imagenet import imagenet1k, synonyms
from genset.classes.names import find_classes, hint
from genset.classes.taxonomy import IMAGENET, Taxonomy

__all__ = [
    "IMAGENET",
    "LONGEST_ID",
    "PHOTOS",
    "Entry",
    "ImageClass",
    "Query",
    "Taxonomy",
    "document_of",
    "find_classes",
    "hash_of",
    "hash_of_document",
    "hint",
    "imagenet1k",
    "mistakes_in",
    "read_entries",
    "read_taxonomy",
    "synonyms",
    "taxonomy_of",
    "with_distinct_names",
]
