"""Taxonomy files: TOML with a table for each class, read, checked and written.

::

    name = "pets"

    [classes.dog]
    name = "dog"
    definition = "a domestic dog of any breed"
    synset = "n02084071"                # what it is in WordNet 3.0
    queries = ["dog pet", "puppy"]      # what is searched for
    without = ["hotdog"]                # words that a photo must not say

    [classes.cat]
    imagenet = ["n02123045", "n02123159"]   # the classes of ImageNet that it holds
    confusable = ["dog"]
    outputs = ["Cat", "felis/catus"]    # what models call it, letter by letter

A class is named by its id, the word after ``classes.``; all else may be left out. What a class
with a synset is a kind of (`hypernyms`) is WordNet's where the file does not say it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from genset.classes.checks import mistakes_in
from genset.classes.document import document_of, taxonomy_of
from genset.classes.imagenet import imagenet1k
from genset.classes.taxonomy import IMAGENET, Taxonomy
from genset.classes.wordnet import nouns
from genset.core.errors import BadInput, SeveralMistakes
from genset.core.expected import as_toml, dotted
from genset.core.validation import line_of, lines_of_keys, load_toml, read_text

BUILT_IN = (IMAGENET, "imagenet100-cmc", "cifar10")
"""Taxonomies that come with genset. The first is the default, and no file."""

_SHOWN = 100  # mistakes that are told at once

_NOTICE = """\
# Words, definitions and hierarchy of classes with a synset are WordNet 3.0's: Copyright 2006 by
# Princeton University, all rights reserved; https://wordnet.princeton.edu/license-and-commercial-use
"""


def taxonomy_named(name: str) -> Taxonomy:
    """The taxonomy of a name in `BUILT_IN`, or in a file.

    Raises:
        BadInput: there is no such file, it cannot be read, or it has mistakes.
    """
    if name not in BUILT_IN and not Path(name).is_file():
        known = ", ".join(BUILT_IN)
        raise BadInput(f"there is no taxonomy {name}: give a file of classes, or one of {known}")
    return imagenet1k() if name == IMAGENET else read_taxonomy(file_of(name))


def file_of(name: str) -> Path:
    """The file that a name in `BUILT_IN` (but the first), or a path, stands for."""
    if name not in BUILT_IN[1:]:
        return Path(name)
    with as_file(files("wordnet_maps").joinpath("taxonomies", f"{name}.toml")) as path:
        return path


def read_taxonomy(path: Path) -> Taxonomy:
    """The taxonomy in a file.

    Raises:
        BadInput: the file cannot be read, or has mistakes: the first hundred, each with its line.
    """
    return taxonomy_in(read_text(path), path.name)


def taxonomy_in(text: str, file: str) -> Taxonomy:
    """The taxonomy that the text of a file says; `file` is its name.

    Raises:
        BadInput: it has mistakes.
    """
    document, mistake = load_toml(text)
    if mistake is not None:
        raise BadInput(f"{file}, line {mistake[0]}: {mistake[1]}")
    document.setdefault("name", Path(file).stem)
    if found := list(mistakes_in(document)):
        keys = lines_of_keys(text)
        mistakes = sorted(
            (line_of(keys, error.keys), dotted(error.keys) + error.words)
            for error in found[:_SHOWN]
        )
        lines = [f"{file}, line {line}: {words}" for line, words in mistakes]
        more = [f"and {len(found) - _SHOWN:,} more"] * (len(found) > _SHOWN)
        raise SeveralMistakes(*lines, *more)
    return _with_hypernyms(taxonomy_of(document))


def _with_hypernyms(taxonomy: Taxonomy) -> Taxonomy:
    """The same with WordNet's hypernyms where the file says a synset and no hypernyms."""
    if all(cls.hypernyms or not cls.synset for cls in taxonomy):
        return taxonomy
    return Taxonomy(
        (
            replace(cls, hypernyms=tuple(above.name for above in nouns().above(cls.synset)))
            if cls.synset and not cls.hypernyms
            else cls
            for cls in taxonomy
        ),
        {cls.wnid: [other.wnid for other in taxonomy.confusable(cls.wnid)] for cls in taxonomy},
        taxonomy.name,
    )


# Written


def toml_of(taxonomy: Taxonomy, comments: Mapping[str, Sequence[str]], head: str) -> str:
    """The text of a file that says this taxonomy, checked as one that is read.

    Args:
        taxonomy: what is said.
        comments: by id, sentences above a class.
        head: what stands first, a line or several.

    Raises:
        BadInput: it has what no file may have, such as 100,001 classes.
    """
    document = document_of(taxonomy)
    if found := next(mistakes_in(document), None):
        raise BadInput(f"no file can have these classes: {found}")
    parts = [f"# {line}\n" for line in head.splitlines()]
    parts += [_NOTICE] * any(cls.synset for cls in taxonomy)
    parts.append(f"\nname = {as_toml(document['name'])}\n")
    for id, keys in document["classes"].items():
        parts.append(_class_lines(id, keys, comments.get(id, ())))
    return "".join(parts)


def _class_lines(id: str, keys: Mapping[str, Any], comments: Sequence[str]) -> str:
    key = id if re.fullmatch("[A-Za-z0-9_-]+", id) else as_toml(id)
    lines = ["", *(f"# {_on_a_line(comment)}" for comment in comments), f"[classes.{key}]"]
    for name, value in keys.items():
        if name == "queries":
            lines += ["queries = [", *(f"    {as_toml(query)}," for query in value), "]"]
        else:
            lines.append(f"{name} = {as_toml(value)}")
    return "\n".join(lines) + "\n"


def _on_a_line(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)
