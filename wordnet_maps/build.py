"""Rebuild ``imagenet1k.json`` from a WordNet 3.0 folder.

    python -m wordnet_maps.build --wordnet /usr/share/wordnet

The committed map is what genset reads; this program is how it came to be: WordNet's words, gloss
and hierarchy of each class, and the queries of ``queries.toml``, whose head says how they are
written. It is the only part of genset that imports NLTK (``pip install 'genset[maps]'``).

No query may find all that another class's query finds, as "lion" would find every "sea lion", since
Flickr joins words by "and". Such a query is refused here, until it excludes the other's words or
stands in quotes. Plurals count as their singular.

The result depends on nothing but the inputs: the same folder and files give the same bytes.
"""

import argparse
import json
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from genset.classes import PHOTOS, Entry, read_entries
from genset.classes.query import stages
from genset.classes.wordnet.queries import WIDER, covered
from genset.core.errors import BadInput, GensetError, MissingExtra

HERE = Path(__file__).parent
WORDNET_VERSION = "3.0"

# What NLTK reads to answer the questions asked here.
NEEDED = [f"{kind}.{pos}" for kind in ("index", "data") for pos in ("noun", "verb", "adj", "adv")]
# What NLTK opens as well, but no answer here depends on, with what stands in for a missing one:
# nothing, or 45 lexicographer files without a name.
STAND_INS = {
    "lexnames": "".join(f"{number:02d}\tunnamed\t0\n" for number in range(45)),
    "index.sense": "",
    "cntlist.rev": "",
    **{f"{pos}.exc": "" for pos in ("noun", "verb", "adj", "adv")},
}


def build(wordnet: Path, wnids: list[str], entries: dict[str, Entry]) -> dict[str, Any]:
    """The whole map, ready to be written with :func:`dump`.

    Raises BadInput where `wordnet` is no WordNet 3.0 folder, or a query finds all that another
    class's finds.
    """
    with _reader(wordnet) as reader, (wordnet / "data.noun").open("rb") as data:
        classes = []
        for wnid in wnids:
            synset = _synset(reader, int(wnid.removeprefix("n")))
            lemmas, entry = _words(synset), entries[wnid]
            made: dict[str, Any] = {
                "wnid": wnid,
                "lemmas": lemmas,
                "gloss": synset.definition(),
                "hypernyms": [_words(above)[0] for above in _hypernyms(reader, data, synset)],
                "queries": _queries(entry, lemmas),
            }
            if entry.content_types != (PHOTOS,):
                made["content_types"] = entry.content_types
            classes.append(made)
    if wide := covered({cls["wnid"]: [q["text"] for q in cls["queries"]] for cls in classes}):
        raise BadInput("; ".join(map(str, wide)))
    return {
        "about": "ImageNet-1k's classes; made by wordnet_maps/build.py, do not edit by hand",
        "wordnet": WORDNET_VERSION,
        "notice": "LICENSE-WordNet.txt",
        "classes": classes,
    }


def dump(document: dict[str, Any]) -> str:
    """JSON with one class a line, so that a change to a class shows as one line of a diff."""
    head = json.dumps({**document, "classes": []}, ensure_ascii=False, indent=1)
    lines = (json.dumps(cls, ensure_ascii=False) for cls in document["classes"])
    return head.removesuffix("[]\n}") + "[\n" + ",\n".join(lines) + "\n]}\n"


def _queries(entry: Entry, lemmas: list[str]) -> list[dict[str, str]]:
    """A class's queries, each with why it is so, and the first with the remark on the choice."""
    _, wider = stages(entry.queries)
    whys = [
        WIDER if text in wider else "lemma" if text.strip('"') in lemmas else "reviewed"
        for text in entry.queries
    ]
    if entry.why:
        whys[0] += f": {entry.why}"
    return [{"text": text, "why": why} for text, why in zip(entry.queries, whys, strict=True)]


def _words(synset: Any) -> list[str]:
    return [name.replace("_", " ") for name in synset.lemma_names()]


def _synset(reader: Any, offset: int) -> Any:
    return reader.synset_from_pos_and_offset("n", offset)


def _hypernyms(reader: Any, data: Any, synset: Any) -> Iterator[Any]:
    """What the class is, from the nearest upwards to entity.

    A few synsets have several hypernyms. WordNet's authors wrote the principal one first, but
    NLTK keeps them as a set, so their order is read from the data file itself.
    """
    while True:
        data.seek(synset.offset())
        found = re.search(rb" @i? (\d{8}) n ", data.readline())
        if not found:
            return
        synset = _synset(reader, int(found[1]))
        yield synset


@contextmanager
def _reader(folder: Path) -> Iterator[Any]:
    """NLTK's reader over `folder`, which is not written to.

    Distributors leave out files that NLTK insists on (Debian: lexnames and index.sense), so it
    reads a temporary copy (28 MB) with stand-ins for what is missing. A copy and not links, since
    NLTK refuses files that lie outside the corpus. Raises BadInput where `folder` is no WordNet
    3.0.
    """
    require_wordnet_3_0(folder)
    try:
        import nltk
        from nltk.corpus.reader.wordnet import WordNetCorpusReader, WordNetError
    except ImportError as error:
        raise MissingExtra("rebuilding the keyword map", "maps") from error

    with tempfile.TemporaryDirectory(prefix="genset-wordnet-") as temporary:
        corpus = Path(temporary, "corpora", "wordnet")
        corpus.mkdir(parents=True)
        for name in [*NEEDED, *STAND_INS]:
            if (folder / name).is_file():
                shutil.copyfile(folder / name, corpus / name)
            else:
                (corpus / name).write_text(STAND_INS[name])
        before = list(nltk.data.path)
        nltk.data.path[:] = [temporary]  # it looks its own corpus up by name as well
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # "multilingual functions are not available"
                yield WordNetCorpusReader(str(corpus), None)
        except WordNetError as error:
            raise BadInput(f"{folder} cannot be read as WordNet: {error}") from error
        finally:
            nltk.data.path[:] = before


def require_wordnet_3_0(folder: Path) -> None:
    """Refuse another version: its offsets, which wnids are, name other things.

    Raises:
        BadInput: `folder` holds another WordNet.
        OSError: it holds none.
    """
    with (folder / "data.noun").open("rb") as data:
        found = re.search(rb"WordNet (\S+) Copyright", data.read(4096))
    version = found[1].decode("ascii", "replace") if found else "of an unknown version"
    if version != WORDNET_VERSION:
        raise BadInput(f"{folder} holds WordNet {version}; ImageNet's wnids are of WordNet 3.0")


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status, after one line on what is wrong if not 0."""

    def write(wordnet: Path, output: Path) -> None:
        wnids = (HERE / "wnids.txt").read_text(encoding="ascii").split()
        document = build(wordnet, wnids, read_entries(HERE / "queries.toml"))
        output.write_text(dump(document), encoding="utf-8", newline="\n")

    return program("imagenet1k.json", write, arguments)


def program(name: str, write: Callable[[Path, Path], None], arguments: list[str] | None) -> int:
    """Rebuild a file of this folder, with `write`, from the folder of WordNet and the path."""
    parser = argparse.ArgumentParser(description=f"Rebuild {name} from WordNet 3.0.")
    parser.add_argument(
        "--wordnet", type=Path, required=True, metavar="DIR", help="such as /usr/share/wordnet"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", default=HERE / name)
    options = parser.parse_args(arguments)
    try:
        write(options.wordnet, options.output)
    except GensetError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    except OSError as error:
        sys.stderr.write(f"error: {error.strerror}: {error.filename}\n")
        return GensetError.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
