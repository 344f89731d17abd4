"""DATA_CARD.md: what somebody should know before they use or cite a release."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from genset.classes import imagenet1k
from genset.licenses import FLICKR_NOTICE
from genset.release.documents import said
from genset.release.documents.earlier import sentences, sources
from genset.release.documents.facts import several
from genset.release.documents.facts.part import part
from genset.release.reader import ReleasePhoto

_LISTED = 200  # classes without a photo; of more, the manifest says which there are

_Words = Callable[[object], str]


def data_card(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> str:
    """The card, in Markdown; it has no words of strangers but sources' and licences' names."""
    before = said.is_before(manifest)
    words = said.line if before else said.markdown
    name, contact = words(manifest["name"]), said.told(manifest, "contact", str)
    parts = [
        f"# {name}",
        f"A frozen test set: {len(photos):,} photos of {len(_sizes(photos)):,} of ImageNet's 1,000 "
        f"classes, made on {words(manifest['created_at'])} with genset "
        f"{words(manifest.get('genset', ''))}.",
        f"Content: `{said.line(manifest['content_hash'])}`. Cite it with this hash; "
        "`genset release verify` checks it.",
        *map(words, part(manifest, photos)),
        "## How it was collected",
        *([sentences.collection(manifest, photos)] if before else _collection(manifest, photos)),
        "## How it was labeled",
        words(sentences.annotation(manifest)),
        *_several(manifest, photos),
        "## How it was chosen",
        words(said.choice(manifest)),
        *_left_out(manifest, words),
        *_replaced(manifest, words),
        "## Classes",
        *_coverage(photos),
        "## Uses",
        sentences.USES,
        "## Known limits",
        *_limits(manifest, photos),
        "## Persons",
        sentences.PERSONAL,
        "## Licences",
        "\n".join(_licenses_before(photos) if before else _licenses(photos)),
        "ATTRIBUTION.txt credits each photo; LICENSES.txt has the licences' addresses.",
        "## Contact",
        words(contact) if contact else "Whoever handed you this release: none was stated.",
        sentences.MAINTENANCE,
    ]
    if before and any(photo.source == "flickr" for photo in photos):
        parts += ["## Flickr", FLICKR_NOTICE]
    if not before:
        parts += _sources(manifest, photos)
    return "\n\n".join(parts) + "\n"


def _sizes(photos: Sequence[ReleasePhoto]) -> Counter[str]:
    return Counter(photo.wnid for photo in photos)


def _collection(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    return [
        said.markdown(sources.collection(manifest, photos)),
        said.markdown(sources.unseen(manifest, photos)),
    ]


def _several(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    if not several.is_told(manifest):
        return []
    said_of = (*several.asking(manifest, photos), several.bias(manifest), several.rule(manifest))
    return ["## More than one right answer", *map(said.markdown, said_of)]


def _limits(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    if said.is_before(manifest):
        return ["\n".join(f"- {limit}" for limit in sentences.LIMITS)]
    limits = sources.limits(manifest, photos)
    return ["\n".join(f"- {said.markdown(limit)}" for limit in limits)]


def _licenses_before(photos: Sequence[ReleasePhoto]) -> Iterator[str]:
    for name, count in sorted(Counter(photo.license for photo in photos).items()):
        yield f"- {said.line(name)}: {count:,} photos"


def _licenses(photos: Sequence[ReleasePhoto]) -> Iterator[str]:
    counts = Counter((photo.license_id or "", photo.license, photo.license_url) for photo in photos)
    for (id, name, url), count in sorted(counts.items()):
        parts = (said.markdown(id), said.address(url), said.markdown(name))
        *rest, last = filter(None, parts)
        yield f"- {', '.join([*rest, last])}: {count:,} photos"


def _sources(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """A section for each source: how it is searched, what its words mean, what it asks."""
    parts = ["## Sources"]
    for place in sources.places(manifest, photos):
        parts.append(f"### {said.markdown(place.title)}")
        parts.append(
            "\n".join(
                f"- {word}: {said.address(text) if word == 'Home' else said.markdown(text)}"
                for word, text in place.facts()
            )
        )
    return parts


def _coverage(photos: Sequence[ReleasePhoto]) -> list[str]:
    sizes = _sizes(photos)
    by_size = sorted(Counter(sizes.values()).items(), reverse=True)
    missing = [each.wnid for each in imagenet1k() if each.wnid not in sizes]
    parts = ["; ".join(f"{count:,} classes with {size:,} photos" for size, count in by_size) + "."]
    if missing:
        named = f": {', '.join(missing)}" if len(missing) <= _LISTED else ""
        parts.append(f"{len(missing):,} classes have none{named}.")
    return parts


def _left_out(manifest: Mapping[str, Any], words: _Words) -> list[str]:
    left_out = said.told(manifest, "left_out", dict)
    if not left_out:
        return []
    rows = [f"- {words(count)} {words(reason)}" for reason, count in left_out.items()]
    return ["Candidates that are not in it:", "\n".join(rows)]


def _replaced(manifest: Mapping[str, Any], words: _Words) -> list[str]:
    replaces = said.told(manifest, "replaces", dict)
    removed = said.told(replaces, "removed", list)
    if replaces is None or removed is None:
        return []
    return [
        f"It replaces {words(replaces.get('name', ''))}, of which {len(removed):,} photos were "
        "taken out:",
        "\n".join(f"- `{said.line(file)}`" for file in removed),
    ]
