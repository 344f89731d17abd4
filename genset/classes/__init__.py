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

from genset.classes.checks import LONGEST_ID as LONGEST_ID
from genset.classes.checks import mistakes_in as mistakes_in
from genset.classes.classes import PHOTOS as PHOTOS
from genset.classes.classes import ImageClass as ImageClass
from genset.classes.classes import Query as Query
from genset.classes.classes import with_distinct_names as with_distinct_names
from genset.classes.document import document_of as document_of
from genset.classes.document import hash_of as hash_of
from genset.classes.document import hash_of_document as hash_of_document
from genset.classes.document import taxonomy_of as taxonomy_of
from genset.classes.entries import Entry as Entry
from genset.classes.entries import read_entries as read_entries
from genset.classes.files import read_taxonomy as read_taxonomy
from genset.classes.imagenet import imagenet1k as imagenet1k
from genset.classes.imagenet import synonyms as synonyms
from genset.classes.names import find_classes as find_classes
from genset.classes.names import hint as hint
from genset.classes.taxonomy import IMAGENET as IMAGENET
from genset.classes.taxonomy import Taxonomy as Taxonomy
