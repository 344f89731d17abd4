"""Rebuild ``imagenet1k.json`` from the table of WordNet's nouns and ``queries.toml``.

    python -m wordnet_maps.build

The committed map is what genset reads; this program is how it came to be: WordNet's words, gloss
and hierarchy of each class, and the queries of ``queries.toml``, whose head says how they are
written.

No query may find all that another class's query finds, as "lion" would find every "sea lion", since
Flickr joins words by "and". Such a query is refused here, until it excludes the other's words or
stands in quotes. Plurals count as their singular.

The result depends on nothing but the inputs: the same files give the same bytes.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from genset.classes import PHOTOS, Entry, read_entries
from genset.classes.query import stages
from genset.classes.wordnet import nouns
from genset.classes.wordnet.queries import WIDER, covered
from genset.core.errors import BadInput, GensetError

HERE = Path(__file__).parent


def build(wnids: list[str], entries: dict[str, Entry]) -> dict[str, Any]:
    """The whole map, ready to be written with :func:`dump`.

    Raises BadInput where `entries` are not those of `wnids`, or a query finds all that another
    class's finds.
    """
    if unlike := sorted(entries.keys() ^ set(wnids)):
        raise BadInput(f"queries.toml lacks, or has beside them: {', '.join(unlike[:5])}")
    classes = []
    for wnid in wnids:
        noun, entry = nouns()[wnid], entries[wnid]
        made: dict[str, Any] = {
            "wnid": wnid,
            "lemmas": noun.lemmas,
            "gloss": noun.gloss,
            "hypernyms": [above.name for above in nouns().above(wnid)],
            "queries": _queries(entry, noun.lemmas),
        }
        if entry.content_types != (PHOTOS,):
            made["content_types"] = entry.content_types
        classes.append(made)
    if wide := covered({cls["wnid"]: [q["text"] for q in cls["queries"]] for cls in classes}):
        raise BadInput("; ".join(map(str, wide)))
    return {
        "about": "ImageNet-1k's classes; made by wordnet_maps/build.py, do not edit by hand",
        "wordnet": "3.0",
        "notice": "LICENSE-WordNet.txt",
        "classes": classes,
    }


def dump(document: dict[str, Any]) -> str:
    """JSON with one class a line, so that a change to a class shows as one line of a diff."""
    head = json.dumps({**document, "classes": []}, ensure_ascii=False, indent=1)
    lines = (json.dumps(cls, ensure_ascii=False) for cls in document["classes"])
    return head.removesuffix("[]\n}") + "[\n" + ",\n".join(lines) + "\n]}\n"


def read_queries(path: Path) -> dict[str, Entry]:
    """Read ``queries.toml``; its head says what may stand there. Raises BadInput."""
    entries = read_entries(path)
    if items := sorted(wnid for wnid, entry in entries.items() if entry.wikidata):
        raise BadInput(f"{path.name}: {items[0]}: items of Wikidata are for a workspace's own list")
    return entries


def _queries(entry: Entry, lemmas: tuple[str, ...]) -> list[dict[str, str]]:
    """A class's queries, each with why it is so, and the first with the remark on the choice."""
    _, wider = stages(entry.queries)
    whys = [
        WIDER if text in wider else "lemma" if text.strip('"') in lemmas else "reviewed"
        for text in entry.queries
    ]
    if entry.why:
        whys[0] += f": {entry.why}"
    return [{"text": text, "why": why} for text, why in zip(entry.queries, whys, strict=True)]


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status, after one line on what is wrong if not 0."""
    parser = argparse.ArgumentParser(
        prog="python -m wordnet_maps.build",
        description="Rebuild the keyword map from WordNet's nouns and queries.toml.",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", default=HERE / "imagenet1k.json"
    )
    options = parser.parse_args(arguments)

    def work() -> None:
        wnids = (HERE / "wnids.txt").read_text(encoding="ascii").split()
        text = dump(build(wnids, read_queries(HERE / "queries.toml")))
        options.output.write_text(text, encoding="utf-8", newline="\n")

    return status_of(work)


def status_of(work: Callable[[], object]) -> int:
    """Do the work; return the exit status, after one line on what is wrong."""
    try:
        work()
    except GensetError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    except OSError as error:
        sys.stderr.write(f"error: {error.strerror}: {error.filename}\n")
        return GensetError.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
