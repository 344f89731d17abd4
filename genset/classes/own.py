"""A taxonomy that people write: a TOML file with a table for each class, checked.

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

import tomllib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from genset.classes.checks import mistakes_in
from genset.classes.document import taxonomy_of
from genset.classes.syntax import read
from genset.classes.taxonomy import Taxonomy
from genset.classes.wordnet import nouns
from genset.core.errors import BadInput, SeveralMistakes

_LARGEST = 64 * 2**20  # bytes of a file
_SHOWN = 100  # mistakes that are told at once


def read_taxonomy(path: Path) -> Taxonomy:
    """The taxonomy in a file.

    Raises:
        BadInput: the file cannot be read, or has mistakes: the first hundred, each with its line.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise BadInput(f"{path} is larger than {_LARGEST // 2**20} MB: no taxonomy is")
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} cannot be read: {error.reason}; write it in UTF-8") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    return taxonomy_in(text, path.name)


def taxonomy_in(text: str, file: str) -> Taxonomy:
    """The taxonomy that the text of a file says; `file` is its name.

    Raises:
        BadInput: it has mistakes.
    """
    document, wrong = read(text)
    document.setdefault("name", Path(file).stem)
    # Classes of which none can be read are there nonetheless.
    found = [each for each in mistakes_in(document) if not (wrong and each.keys == ("classes",))]
    told = [*wrong.items(), *((line_of(text, each.keys), each.words) for each in found[:_SHOWN])]
    if told:
        lines = [f"{file}, line {line}: {words}" for line, words in sorted(told)]
        more = [f"and {len(found) - _SHOWN:,} more"] * (len(found) > _SHOWN)
        raise SeveralMistakes(*lines, *more)
    return _placed(taxonomy_of(document))


def _placed(taxonomy: Taxonomy) -> Taxonomy:
    """The same with WordNet's hypernyms where the file says a synset and no hypernyms."""
    if all(each.hypernyms or not each.synset for each in taxonomy):
        return taxonomy
    return Taxonomy(
        (
            replace(each, hypernyms=tuple(above.name for above in nouns().above(each.synset)))
            if each.synset and not each.hypernyms
            else each
            for each in taxonomy
        ),
        {each.wnid: [other.wnid for other in taxonomy.confusable(each.wnid)] for each in taxonomy},
        taxonomy.name,
    )


def line_of(text: str, keys: Iterable[str]) -> int:
    """The line on which the key stands to which these lead, from 1; 1 where it is nowhere.

    TOML's reader tells no lines. The lines up to and with the key, from the head of its class's
    table on, are a document that has it; without the line of the key they are not.
    """
    keys = tuple(keys)
    lines = text.replace("\r\n", "\n").split("\n")
    heads = [number for number, line in enumerate(lines) if line.lstrip().startswith("[")]
    begin = next((at for at in heads if keys[1:] and _is_head(lines[at], keys[:2])), 0)
    end = heads[0] + 1 if heads and not keys[1:] else len(lines)
    for number, line in enumerate(lines[begin:end], start=1):
        if _may_have(line, keys[-1]) and _has("\n".join(_whole(lines[begin:], number)), keys):
            return begin + number
    return begin + 1


def _may_have(line: str, key: str) -> bool:
    """Whether a key may stand on a line, as it is or with escapes such as ``\\u00e9``."""
    return key in line or "\\" in line


def _is_head(line: str, keys: tuple[str, ...]) -> bool:
    """Whether a table begins with this line to which these keys lead."""
    if not _may_have(line, keys[-1]):
        return False
    try:
        return _has(line, keys)
    except tomllib.TOMLDecodeError:
        return False


def _whole(lines: list[str], number: int) -> list[str]:
    """The lines up to this one, and on to the end of what begins there."""
    for end in range(number, min(number + 200, len(lines)) + 1):
        try:
            tomllib.loads("\n".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue
        return lines[:end]
    return []


def _has(text: str, keys: tuple[str, ...]) -> bool:
    found: Any = tomllib.loads(text)
    for key in keys:
        if not isinstance(found, dict) or key not in found:
            return False
        found = found[key]
    return True
