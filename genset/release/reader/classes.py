"""The classes of a release: ImageNet's, or its own, which its manifest has as a document."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from genset.classes import (
    Taxonomy,
    document_of,
    hash_of,
    hash_of_document,
    imagenet1k,
    mistakes_in,
    taxonomy_of,
)

_FACT = "taxonomy"


def fact_of(taxonomy: Taxonomy) -> dict[str, Any]:
    """What a manifest says of its classes: nothing where they are ImageNet's, else all of them."""
    if taxonomy.is_imagenet:
        return {}
    told = document_of(taxonomy)
    return {
        _FACT: {"name": told["name"], "hash": hash_of_document(told), "classes": told["classes"]}
    }


def classes_of(manifest: Mapping[str, Any]) -> Taxonomy:
    """The classes of a manifest that genset made, or that was read before."""
    told = manifest.get(_FACT)
    return imagenet1k() if told is None else taxonomy_of(told)


def read_classes(manifest: Mapping[str, Any]) -> Taxonomy:
    """The classes of a stranger's manifest.

    Raises:
        ValueError, TypeError, KeyError: they are not as genset writes them, or their hash differs.
    """
    told = manifest.get(_FACT)
    return imagenet1k() if told is None else _read(json.dumps(told))


@lru_cache(maxsize=4)  # to read thousands of classes takes seconds
def _read(text: str) -> Taxonomy:
    told = json.loads(text)
    document = {key: value for key, value in told.items() if key != "hash"}
    for mistake in mistakes_in(document):
        raise ValueError(f"its classes: {mistake.words}")
    taxonomy = taxonomy_of(document)
    if told["hash"] != hash_of(taxonomy):
        raise ValueError(f"its classes have not the hash that it says: {told['hash']!r}")
    return taxonomy
