"""A repository of the Hugging Face Hub: Parquet, and a card that says what the Hub asks for."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from genset.core.files import write_text
from genset.release.documents import CARD, CITATION
from genset.release.documents.tables import its_classes, readable_names
from genset.release.documents.words import About, markdown
from genset.release.exports import parquet
from genset.release.reader import MANIFEST, Release

# The Hub's words for how many rows there are, by the number from which they do not hold any more.
_SIZES = {
    1_000: "n<1K",
    10_000: "1K<n<10K",
    100_000: "10K<n<100K",
    1_000_000: "100K<n<1M",
    10_000_000: "1M<n<10M",
}
_LARGEST = "10M<n<100M"


def write(release: Release, texts: Mapping[str, str], folder: Path) -> None:
    """Write ``README.md`` (the card, with the Hub's metadata at the top) and ``data/`` in Parquet.

    Args:
        release: the release.
        texts: its documents and its manifest, by name.
        folder: where to write.
    """
    (folder / "data").mkdir()
    parquet.write(release, texts, folder / "data")
    size = sum(path.stat().st_size for path in (folder / "data").iterdir())
    manifest = json.loads(texts[MANIFEST])
    facts = _head(release, manifest, size)
    head = json.dumps(facts, indent=1, ensure_ascii=False)  # JSON is YAML too
    parts = [
        texts[CARD].rstrip(),
        "## Columns",
        _columns(release),
        *_classes(release),
        "## Citation",
        f"```bibtex\n{texts[CITATION].rstrip()}\n```",
    ]
    write_text(folder / "README.md", f"---\n{head}\n---\n\n" + "\n\n".join(parts) + "\n")


def _head(release: Release, manifest: Mapping[str, Any], size: int) -> dict[str, Any]:
    """The metadata of the card; `size` is of the files in bytes."""
    several = release.multilabel is not None
    about = About(manifest)
    features = parquet.features(parquet.columns_of(release.photos), release.taxonomy)
    return {
        "pretty_name": f"{about.title} {release.name}".strip(),
        # Each photo has its own.
        "license": "other",
        "license_name": "each-photo-has-its-own",
        "license_link": "LICENSES.txt",
        "task_categories": ["image-classification"],
        "task_ids": [f"multi-{'label' if several else 'class'}-image-classification"],
        "size_categories": [_size(len(release.photos))],
        "annotations_creators": _annotators(manifest),
        "tags": [*(["imagenet"] * release.taxonomy.is_imagenet), "test-set", "generalization"],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": "test", "path": "data/test-*.parquet"}],
            }
        ],
        "dataset_info": {
            "features": [{"name": name, **_of_card(feature)} for name, feature in features.items()],
            "splits": [
                {
                    "name": "test",
                    "num_bytes": sum(photo.byte_size for photo in release.photos),
                    "num_examples": len(release.photos),
                }
            ],
            "download_size": size,
            "dataset_size": sum(photo.byte_size for photo in release.photos),
        },
    }


def _size(photos: int) -> str:
    return next((words for most, words in _SIZES.items() if photos < most), _LARGEST)


def _annotators(manifest: Mapping[str, Any]) -> list[str]:
    """The Hub's word for who labeled, where the manifest tells: a table does not."""
    labeling = manifest.get("labeling")
    signed_in = labeling.get("signed_in") if isinstance(labeling, dict) else None
    is_crowd = isinstance(signed_in, dict) and not set(signed_in).isdisjoint(("mturk", "prolific"))
    return ["crowdsourced"] if is_crowd else ["other"]


def _of_card(feature: Mapping[str, Any]) -> dict[str, Any]:
    """A feature as a card's YAML has it."""
    kind = feature["_type"]
    if kind == "Image":
        return {"dtype": "image"}
    if kind == "ClassLabel":
        names = {str(number): name for number, name in enumerate(feature["names"])}
        return {"dtype": {"class_label": {"names": names}}}
    if kind == "Sequence":
        return {"sequence": _of_card(feature["feature"])["dtype"]}
    return {"dtype": feature["dtype"]}


def _columns(release: Release) -> str:
    """What the two columns of classes are, in Markdown."""
    if release.taxonomy.is_imagenet:
        place, names = "ImageNet's 1,000 wnids", "wnids"
    else:
        place, names = markdown(its_classes(release.taxonomy)), "their ids"
    return (
        f"`label` and `class_name` have the same number, the class's place among {place}: the "
        f"names of `label` are {names}, those of `class_name` are for people."
    )


def _classes(release: Release) -> list[str]:
    """The classes that have photos, as a table."""
    photos = Counter(photo.wnid for photo in release.photos)
    names = readable_names(release.taxonomy)
    rows = [
        f"| {markdown(wnid)} | {index} | {markdown(names[index])} | {number:,} |"
        for wnid, number in sorted(photos.items())
        for index in (release.taxonomy[wnid].index,)
    ]
    head = ["| wnid | label | name | photos |", "|---|---|---|---|"]
    return ["## Names of the classes", "\n".join([*head, *rows])]
