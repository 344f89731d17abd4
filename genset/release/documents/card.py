"""DATA_CARD.md: what somebody should know before they use or cite a release."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from genset.licenses import FLICKR_NOTICE
from genset.release.documents import said
from genset.release.reader import ReleasePhoto
from genset.taxonomy import imagenet1k

_LISTED = 200  # classes without a photo; of more, the manifest says which there are


def data_card(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> str:
    """The card, in Markdown; it has no words of strangers but sources' and licences' names."""
    name, contact = said.line(manifest["name"]), said.told(manifest, "contact", str)
    parts = [
        f"# {name}",
        f"A frozen test set: {len(photos):,} photos of {len(_sizes(photos)):,} of ImageNet's 1,000 "
        f"classes, made on {said.line(manifest['created_at'])} with genset "
        f"{said.line(manifest.get('genset', ''))}.",
        f"Content: `{said.line(manifest['content_hash'])}`. Cite it with this hash; "
        "`genset release verify` checks it.",
        "## How it was collected",
        said.collection(manifest, photos),
        "## How it was labeled",
        said.annotation(manifest),
        "## How it was chosen",
        said.choice(manifest),
        *_left_out(manifest),
        *_replaced(manifest),
        "## Classes",
        *_coverage(photos),
        "## Uses",
        said.USES,
        "## Known limits",
        "\n".join(f"- {limit}" for limit in said.LIMITS),
        "## Persons",
        said.PERSONAL,
        "## Licences",
        "\n".join(f"- {said.line(name)}: {count:,} photos" for name, count in _licenses(photos)),
        "ATTRIBUTION.txt credits each photo; LICENSES.txt has the licences' addresses.",
        "## Contact",
        said.line(contact) if contact else "Whoever handed you this release: none was stated.",
        said.MAINTENANCE,
    ]
    if any(photo.source == "flickr" for photo in photos):
        parts += ["## Flickr", FLICKR_NOTICE]
    return "\n\n".join(parts) + "\n"


def _sizes(photos: Sequence[ReleasePhoto]) -> Counter[str]:
    return Counter(photo.wnid for photo in photos)


def _licenses(photos: Sequence[ReleasePhoto]) -> list[tuple[str, int]]:
    return sorted(Counter(photo.license for photo in photos).items())


def _coverage(photos: Sequence[ReleasePhoto]) -> list[str]:
    sizes = _sizes(photos)
    by_size = sorted(Counter(sizes.values()).items(), reverse=True)
    missing = [each.wnid for each in imagenet1k() if each.wnid not in sizes]
    parts = ["; ".join(f"{count:,} classes with {size:,} photos" for size, count in by_size) + "."]
    if missing:
        named = f": {', '.join(missing)}" if len(missing) <= _LISTED else ""
        parts.append(f"{len(missing):,} classes have none{named}.")
    return parts


def _left_out(manifest: Mapping[str, Any]) -> list[str]:
    left_out = said.told(manifest, "left_out", dict)
    if not left_out:
        return []
    rows = [f"- {said.line(count)} {said.line(reason)}" for reason, count in left_out.items()]
    return ["Candidates that are not in it:", "\n".join(rows)]


def _replaced(manifest: Mapping[str, Any]) -> list[str]:
    replaces = said.told(manifest, "replaces", dict)
    removed = said.told(replaces, "removed", list)
    if replaces is None or removed is None:
        return []
    return [
        f"It replaces {said.line(replaces.get('name', ''))}, of which {len(removed):,} photos were "
        "taken out:",
        "\n".join(f"- `{said.line(file)}`" for file in removed),
    ]
