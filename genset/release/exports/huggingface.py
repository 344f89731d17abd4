"""Parquet with the photos' bytes; and a repository of the Hugging Face Hub, with its card."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from genset import __version__
from genset.classes import Taxonomy
from genset.core.errors import BadInput, GensetError, first_line, needs_extra
from genset.core.files import write_text, written_whole
from genset.core.progress import progress
from genset.release.documents import CARD, CITATION, LICENSES
from genset.release.documents.tables import readable_names
from genset.release.documents.words import About
from genset.release.exports.export import DatasetFacts, Export, export
from genset.release.publish import content, scratch_folder, shards
from genset.release.reader import LISTS, MANIFEST, Release, ReleasePhoto

_CLASS_LABELS = ("label", "class_name")
_ROWS = 100  # per row group, which readers load into memory at once
_TYPES = {"byte_size": "int64", "width": "int64", "height": "int64", "rank": "int64"}
_TYPES |= {"selection_frequency": "float64", "confidence": "float64"}  # the others are strings


def write_parquet(release: Release, texts: Mapping[str, str], folder: Path) -> None:
    """Write ``test-00000-of-00003.parquet`` and so on.

    Columns: image (bytes and path), label (the index of the class in `Release.classes`), class_name
    (the same number), then the fields of the record, as far as the manifest's format has them;
    `labels` is JSON. In the schema's metadata for `datasets`, the first three are an Image and two
    ClassLabels: the names of `label` are the wnids in order, those of `class_name` names for
    people. Where photos have several right answers, `labels_correct`,
    `labels_unclear` and `labels_wrong` are lists of such ClassLabels, and votes, rulings and
    proposers JSON.
    """
    import pyarrow
    from pyarrow import parquet

    # Of all: one photo's confidence may be unknown while another's is not.
    columns = list({name: None for photo in release.photos for name in photo.as_json()})
    schema = pyarrow.schema(
        [
            ("image", pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])),
            *((name, pyarrow.int64()) for name in _CLASS_LABELS),
            *(
                (name, pyarrow.list_(pyarrow.int64()))
                if name in LISTS
                else (name, pyarrow.type_for_alias(_type(name)))
                for name in columns
            ),
        ],
        metadata={
            "huggingface": json.dumps({"info": {"features": _features(columns, release.taxonomy)}})
        },
    )
    cut = shards(release.photos)
    for number, photos in enumerate(progress(cut, total=len(cut), what="export", unit="shard")):
        path = folder / f"test-{number:05}-of-{len(cut):05}.parquet"
        with written_whole(path) as file, parquet.ParquetWriter(file, schema) as writer:
            for start in range(0, len(photos), _ROWS):
                rows = [_row(release, photo) for photo in photos[start : start + _ROWS]]
                writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))


def _type(column: str) -> str:
    return _TYPES.get(column, "string")


def _features(columns: Sequence[str], taxonomy: Taxonomy) -> dict[str, Any]:
    """What each column holds, in the words of `datasets`."""
    label = {"names": [cls.wnid for cls in taxonomy], "_type": "ClassLabel"}
    values = {
        name: {"feature": label, "_type": "Sequence"}
        if name in LISTS
        else {"dtype": _type(name), "_type": "Value"}
        for name in columns
    }
    name = {"names": list(readable_names(taxonomy)), "_type": "ClassLabel"}
    return {"image": {"_type": "Image"}, "label": label, "class_name": name, **values}


def _row(release: Release, photo: ReleasePhoto) -> dict[str, Any]:
    record = photo.as_json()
    return {
        **record,
        **{name: json.dumps(value) for name, value in record.items() if isinstance(value, dict)},
        **{
            name: [release.taxonomy[wnid].index for wnid in record[name]]
            for name in LISTS
            if name in record
        },
        "image": {"bytes": content(release, photo), "path": Path(photo.file).name},
        **dict.fromkeys(_CLASS_LABELS, release.taxonomy[photo.wnid].index),
    }


def write_hub(release: Release, texts: Mapping[str, str], folder: Path) -> None:
    """Write ``README.md``, the card with the Hub's metadata on top, and ``data/`` in Parquet."""
    (folder / "data").mkdir()
    write_parquet(release, texts, folder / "data")
    about = About(json.loads(texts[MANIFEST]))
    facts = {
        "pretty_name": f"{about.title} {release.name}".strip(),
        "license": "other",
        "license_name": "each-photo-has-its-own",
        "license_link": LICENSES,
        "task_categories": ["image-classification"],
        "tags": [*(["imagenet"] * release.taxonomy.is_imagenet), "test-set", "generalization"],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": "test", "path": "data/test-*.parquet"}],
            }
        ],
    }
    head = json.dumps(facts, indent=1, ensure_ascii=False)  # JSON is YAML too
    parts = [
        texts[CARD].rstrip(),
        "## Columns",
        "`label` and `class_name` are the class's place in docs/classes.csv: the names of `label` "
        "are ids (wnids), those of `class_name` are for people.",
        "## Citation",
        f"```bibtex\n{texts[CITATION].rstrip()}\n```",
    ]
    write_text(folder / "README.md", f"---\n{head}\n---\n\n" + "\n\n".join(parts) + "\n")


def push(
    release: Release,
    to: str,
    dataset: DatasetFacts | None = None,
    *,
    publish: bool = False,
    include_restricted: bool = False,
    forget: bool = False,
) -> tuple[Export, str]:
    """Push `export`'s folder for the Hub to ``hf:OWNER/NAME``; return it, and its address there.

    With `publish` everybody sees it, once it is complete. With `forget` the repository's history
    is deleted, and the photos that only it has.

    Raises:
        BadInput: `to` is no repository, holds something else, or is public without `publish`.
        GensetError: the Hub did not take it, or a photo is missing or was changed.
    """
    if not re.fullmatch(r"hf:[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", to, re.ASCII):
        raise BadInput(f"--to takes a repository as hf:OWNER/NAME, not {to!r}")
    with needs_extra("a push to the Hub", "hub"):
        from huggingface_hub import HfApi
    api, of = HfApi(library_name="genset", library_version=__version__), to.removeprefix("hf:")
    where: dict[str, Any] = {"repo_id": of, "repo_type": "dataset"}
    with _explained(to), scratch_folder(release.root.with_name(f".{release.name}.push")) as scratch:
        _check(api, where, to, publish)
        folder = scratch / "repository"
        done = export(
            release, "huggingface", folder, dataset, include_restricted=include_restricted
        )
        where["commit_message"] = f"{release.name}: {done.content_hash}"
        api.upload_folder(folder_path=folder, delete_patterns="data/*", **where)
        if forget:
            api.super_squash_history(**where)
            _delete_old(api, where)
        if publish:
            api.update_repo_settings(of, private=False, repo_type="dataset")
    return done, f"{api.endpoint}/datasets/{of}"


def _check(api: Any, where: dict[str, Any], to: str, publish: bool) -> None:
    """See that the repository is there, private or to be published, and a release's or empty."""
    api.create_repo(**where, private=True, exist_ok=True)
    if not publish and not api.repo_info(**where).private:
        raise BadInput(f"{to} is public, so a push would publish: add --publish, or name another")
    there = set(api.list_repo_files(**where)) - {".gitattributes"}
    if there and CARD not in there:
        raise BadInput(f"{to} holds something other than a release: name another")


def _delete_old(api: Any, where: dict[str, Any]) -> None:
    """Delete the large files that the repository does not have any more."""
    del where["commit_message"]
    tree = api.list_repo_tree(**where, recursive=True)
    current = {entry.lfs.sha256 for entry in tree if getattr(entry, "lfs", None)}
    old = [file for file in api.list_lfs_files(**where) if file.file_oid not in current]
    api.permanently_delete_lfs_files(lfs_files=old, rewrite_history=False, **where)


@contextmanager
def _explained(to: str) -> Iterator[None]:
    """Say in one line what the Hub did not like, without the keys that addresses hold."""
    try:
        yield
    except GensetError:
        raise
    except Exception as error:  # noqa: BLE001 - by its version, its client raises many kinds
        cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
        why = re.sub(r"\?[^\s'\"]+", "", first_line(cause))
        raise GensetError(
            f"{to} is not complete ({why}): set HF_TOKEN to a token that may write there, and push "
            "again; what is there is not sent again"
        ) from None
