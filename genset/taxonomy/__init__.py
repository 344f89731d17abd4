"""ImageNet's 1,000 classes: what each wnid means, and what to search for to find photos of it.

    >>> from genset.taxonomy import imagenet1k
    >>> crane = imagenet1k()["n02012849"]
    >>> crane.name, crane.index
    ('crane', 134)
    >>> [query.text for query in crane.queries]
    ['crane bird', 'sandhill crane', 'whooping crane', 'common crane']

A class is named by its wnid, a noun's offset in WordNet 3.0, and never by its English name (two
classes are called "crane") or a bare number (whose meaning drifts from list to list). The map is
a data file that is committed with genset, so nothing here needs NLTK or WordNet;
``wordnet_maps/build.py`` says how it was made. So is what tells classes apart, for those who
label: Wikipedia's pages, and which class may be taken for which (``wordnet_maps/guide.py``).
"""

from genset.taxonomy.classes import OTHER, PHOTOS, SCREENSHOTS, ImageClass, Query, WikipediaPage
from genset.taxonomy.entries import MOST_QUERIES, Entry, read_entries, read_toml
from genset.taxonomy.imagenet import earlier_queries, imagenet1k, synonyms
from genset.taxonomy.taxonomy import Taxonomy

__all__ = [
    "MOST_QUERIES",
    "OTHER",
    "PHOTOS",
    "SCREENSHOTS",
    "Entry",
    "ImageClass",
    "Query",
    "Taxonomy",
    "WikipediaPage",
    "earlier_queries",
    "imagenet1k",
    "read_entries",
    "read_toml",
    "synonyms",
]
