"""Rebuild ``nouns.tsv.gz``, all nouns of WordNet, and ``noun.exc``, from a WordNet 3.0 folder.

    python -m wordnet_maps.nouns --wordnet /usr/share/wordnet

A line has, between tabs: a synset's offset; its lemmas, "_" for a blank, with ":2" where the synset
is the lemma's second sense (a lemma's senses come with the commonest first); the offsets of its
hypernyms in WordNet's order, which has the principal one first, "i" before those of which it is an
instance; and its definition without the examples.

``noun.exc`` is WordNet's own list of irregular forms, each with what it is a form of.

The text depends on WordNet's files alone. So do the file's bytes but for the version of zlib.
"""

import gzip
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from genset.core.errors import BadInput
from wordnet_maps.build import program, require_wordnet_3_0

_POINTER = re.compile(r" (@i?) (\d{8}) n ")


def table(wordnet: Path) -> str:
    """The whole table.

    Raises:
        BadInput: `wordnet` is no WordNet 3.0 folder, or one that is cut short.
    """
    require_wordnet_3_0(wordnet)
    try:
        senses = dict(_senses((wordnet / "index.noun").read_text("ascii")))
        lines = (wordnet / "data.noun").read_text("ascii").splitlines()
        return "".join(_row(line, senses) for line in lines if not line.startswith(" "))
    except (KeyError, IndexError, ValueError):
        raise BadInput(f"{wordnet} cannot be read: is the WordNet folder complete?") from None


def exceptions(wordnet: Path) -> str:
    """The irregular forms, a line for each with what it is a form of.

    Raises:
        BadInput: `wordnet` has no such list, or an empty one, as NLTK accepts it.
    """
    listed = wordnet / "noun.exc"
    text = listed.read_text("ascii") if listed.is_file() else ""
    if len(text.splitlines()) < 2000:
        raise BadInput(f"{listed} is not there or cut short: is the WordNet folder complete?")
    return text


def _senses(index: str) -> Iterator[tuple[str, list[str]]]:
    """Each lemma in lower case, with the offsets of its senses, the commonest first."""
    for line in index.splitlines():
        if not line.startswith(" "):
            lemma, _, count, *rest = line.split()
            yield lemma, rest[-int(count) :]


def _row(line: str, senses: dict[str, list[str]]) -> str:
    head, _, gloss = line.partition(" | ")
    offset, _, _, count, *rest = head.split()
    lemmas = rest[: 2 * int(count, 16) : 2]
    numbers = [senses[lemma.lower()].index(offset) + 1 for lemma in lemmas]
    words = [
        lemma if number == 1 else f"{lemma}:{number}"
        for lemma, number in zip(lemmas, numbers, strict=True)
    ]
    above = [("i" if mark == "@i" else "") + up for mark, up in _POINTER.findall(f"{head} ")]
    return "\t".join((offset, " ".join(words), " ".join(above), _definition(gloss))) + "\n"


def _definition(gloss: str) -> str:
    """A gloss without its examples, which stand in quotes, as NLTK tells them apart.

    What follows an example, such as the name of who said it, goes with it.
    """
    plain = re.sub(r"[\"].*?[\"]", "", gloss).strip().strip("; ")
    return re.sub(r"\s*;\s*[;-].*", "", plain)


def pack(text: str) -> bytes:
    """The bytes of the file."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9, mtime=0, filename="") as file:
        file.write(text.encode("ascii"))
    return packed.getvalue()


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status, after one line on what is wrong if not 0."""

    def write(wordnet: Path, output: Path) -> None:
        packed, irregular = pack(table(wordnet)), exceptions(wordnet)
        output.write_bytes(packed)
        output.with_name("noun.exc").write_text(irregular, "ascii")

    return program("nouns.tsv.gz", write, arguments)


if __name__ == "__main__":
    sys.exit(main())
