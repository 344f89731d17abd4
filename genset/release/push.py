"""Push a release to a repository of the Hugging Face Hub, where `datasets` reads it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from genset import __version__
from genset.core.errors import BadInput, GensetError, MissingExtra, first_line
from genset.release.documents import CARD
from genset.release.exports.export import DatasetFacts, Export, export
from genset.release.publish import scratch_folder
from genset.release.reader import Release


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
    try:
        from huggingface_hub import HfApi
    except ImportError:
        raise MissingExtra("a push to the Hub", "hub") from None
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
