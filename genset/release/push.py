"""Push a release to a repository of the Hugging Face Hub, where `datasets` reads it.

The photos go there first, a file after the other; one commit at the end makes all of it visible. So
a push that was killed has changed nothing that others see, and the same call goes on: what the Hub
has is not sent again.
"""

import hashlib
import json
import logging
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from genset import __version__
from genset.core.errors import BadInput, GensetError, MissingExtra, first_line
from genset.core.files import one_at_a_time
from genset.core.progress import progress
from genset.release.documents import CARD
from genset.release.exports.export import DatasetFacts, citation, export
from genset.release.publish import Contents, contents_of, is_restricted
from genset.release.reader import Release

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}"
_SHARD = r"data/test-\d+-of-\d+\.parquet"


@dataclass(frozen=True, slots=True)
class PushResult:
    """What is on the Hub now.

    Attributes:
        repository: OWNER/NAME.
        url: its address.
        commit: the commit's id.
        private: whether only its owner sees it.
        photos, of: how many photos it has, of how many of the release.
        restricted: how many were left out, for no licence lets others hand them on.
        content_hash: of the photos that it has.
        earlier: whether its history still has what an earlier push put there.
    """

    repository: str
    url: str
    commit: str
    private: bool
    photos: int
    of: int
    restricted: int
    content_hash: str
    earlier: bool


def push(
    release: Release,
    to: str,
    dataset: DatasetFacts | None = None,
    *,
    publish: bool = False,
    include_restricted: bool = False,
    forget: bool = False,
) -> PushResult:
    """Push a release, as `export` writes it for the Hub.

    Who pushes is known by HF_TOKEN, or by what ``hf auth login`` stored. A repository that is not
    there is made, private; where it is to be published, that is done when it is complete.

    Args:
        release: the release.
        to: the repository, as ``hf:OWNER/NAME``.
        dataset: what its maintainer says of it now, as `export` takes it.
        publish: let everybody see it.
        include_restricted: push also what no licence lets others hand on.
        forget: delete the repository's history, and the photos that only it has, once all is there.

    Raises:
        BadInput: `to` is no name of a repository, it holds something else, or it is public and
            `publish` is not given; or an optional dependency is missing.
        GensetError: the Hub did not take it, or a photo is missing or was changed.
    """
    for package, extra in (("huggingface_hub", "hub"), ("pyarrow", "export")):
        if find_spec(package) is None:
            raise MissingExtra("a push to the Hub", extra)
    repository = _repository(to)
    contents = contents_of(release, include_restricted)
    photos = contents.release
    with _quiet_hub():
        from huggingface_hub import HfApi

        api = HfApi(library_name="genset", library_version=__version__)
        with _explained(to):
            private, before = _ready(api, repository, publish)
        with _staged(release, contents, include_restricted, dataset) as folder, _explained(to):
            message = f"{photos.name}: {photos.content_hash}"
            commit = _send(api, repository, folder, message)
            if forget:
                commit = _forget(api, repository, message)
            if publish and private:
                api.update_repo_settings(repository, private=False, repo_type="dataset")
    restricted = 0 if include_restricted else sum(map(is_restricted, release.photos))
    return PushResult(
        repository=repository,
        url=f"{api.endpoint}/datasets/{repository}",
        commit=commit,
        private=not publish,
        photos=len(photos),
        of=len(release.photos),
        restricted=restricted,
        content_hash=photos.content_hash,
        earlier=before not in (None, commit) and not forget,
    )


def _repository(to: str) -> str:
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    found = re.fullmatch(rf"hf:({_NAME}/{_NAME})", to)
    if found is None:
        raise BadInput(f"--to takes a repository as hf:OWNER/NAME, not {to!r}")
    try:
        validate_repo_id(found[1])
    except HFValidationError as error:
        raise BadInput(f"the Hub has no such name: {first_line(error)}") from None
    return found[1]


def _ready(api: "HfApi", repository: str, publish: bool) -> tuple[bool, str | None]:
    """See that the repository is there and may be written.

    Return whether it is private, and the commit at which it has a release; None where it has none.

    Raises:
        BadInput: it holds something else, or everybody would see what is pushed.
    """
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        info = api.repo_info(repository, repo_type="dataset")
    except RepositoryNotFoundError:
        api.create_repo(repository, repo_type="dataset", private=True)
        return True, None
    if not info.private and not publish:
        raise BadInput(
            f"hf:{repository} is public, so a push would publish: add --publish, or name another"
        )
    there = set(api.list_repo_files(repository, repo_type="dataset"))
    if there - {".gitattributes"} and CARD not in there:
        raise BadInput(f"hf:{repository} holds something other than a release: name another")
    return bool(info.private), info.sha if CARD in there else None


@contextmanager
def _staged(
    release: Release, contents: Contents, include_restricted: bool, dataset: DatasetFacts | None
) -> Iterator[Path]:
    """The files to push, in a folder beside the release that is kept until they are there."""
    root = release.root.absolute()
    # All that is in them is made of these.
    made_of = (contents.texts, citation(contents, dataset), __version__)
    key = hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:16]
    stage = root.parent / f".{root.name}.push"
    with one_at_a_time(stage):
        for other in stage.iterdir():
            if other.name != key:  # of a push that nobody went on with
                shutil.rmtree(other)
        folder = stage / key / "repository"
        if not folder.exists():
            export(release, "huggingface", folder, dataset, include_restricted=include_restricted)
        yield folder
        shutil.rmtree(stage)


def _send(api: "HfApi", repository: str, folder: Path, message: str) -> str:
    """Upload what the Hub lacks, and commit all of it; return the commit's id."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    files = sorted(path for path in folder.rglob("*") if path.is_file())
    adds = [CommitOperationAdd(path.relative_to(folder).as_posix(), str(path)) for path in files]
    for add in progress(adds, total=len(adds), what="push", unit="file"):
        api.preupload_lfs_files(repository, [add], repo_type="dataset", free_memory=False)
    there = api.list_repo_files(repository, repo_type="dataset")
    now = {add.path_in_repo for add in adds}
    old = [path for path in there if re.fullmatch(_SHARD, path) and path not in now]
    every: Sequence[CommitOperationAdd | CommitOperationDelete] = [
        *adds,
        *map(CommitOperationDelete, old),
    ]
    done = api.create_commit(repository, every, commit_message=message, repo_type="dataset")
    return done.oid


def _forget(api: "HfApi", repository: str, message: str) -> str:
    """Make all commits one, and delete the large files that are not in it; return its id."""
    api.super_squash_history(repository, commit_message=message, repo_type="dataset")
    tree = api.list_repo_tree(repository, recursive=True, repo_type="dataset")
    large = (getattr(entry, "lfs", None) for entry in tree)
    current = {file.sha256 for file in large if file is not None}
    every = api.list_lfs_files(repository, repo_type="dataset")
    old = [file for file in every if file.file_oid not in current]
    if old:
        api.permanently_delete_lfs_files(
            repository, old, rewrite_history=False, repo_type="dataset"
        )
    return str(api.repo_info(repository, repo_type="dataset").sha)


@contextmanager
def _quiet_hub() -> Iterator[None]:
    """Its bars and warnings would stand between our lines."""
    import huggingface_hub.hf_api  # noqa: F401 - it sets the level when it is first imported
    from huggingface_hub.utils import (  # type: ignore[attr-defined]
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
    )

    log = logging.getLogger("huggingface_hub")
    level, quiet = log.level, are_progress_bars_disabled()
    log.setLevel(logging.ERROR)
    disable_progress_bars()
    try:
        yield
    finally:
        log.setLevel(level)
        if not quiet:
            enable_progress_bars()


@contextmanager
def _explained(to: str) -> Iterator[None]:
    """Say in one line what the Hub did not like, without the secrets that addresses hold."""
    from huggingface_hub.errors import HfHubHTTPError

    try:
        yield
    except GensetError:
        raise
    except Exception as error:  # noqa: BLE001 - by its version, its client raises many kinds
        answered = error if isinstance(error, HfHubHTTPError) else error.__cause__
        status = answered.response.status_code if isinstance(answered, HfHubHTTPError) else None
        if status in (401, 403):
            raise GensetError(
                f"the Hub refuses to write {to} (HTTP {status}): set HF_TOKEN to a token of its "
                "owner with the right to write"
            ) from None
        # Without what follows an address: it may be a key.
        reason = f"HTTP {status}" if status else re.sub(r"\?[^\s'\"]+", "", first_line(error))
        raise GensetError(
            f"{to} is not complete ({reason}): push again, and what is there is not sent again"
        ) from None
