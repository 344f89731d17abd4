"""The folder of originals: whose it is, whoever was killed while they made it theirs."""

from contextlib import closing
from pathlib import Path

import pytest

from genset.core.errors import BadInput
from genset.db import Store, images_folder
from genset.db.images_folder import claim_images
from genset.workspace import Workspace


class Killed(BaseException):
    """What ends a process at once."""


def shared(root: Path, images: Path) -> Workspace:
    """A workspace whose originals lie where other machines see them too."""
    workspace = Workspace.create(root)
    settings = root / "genset.toml"
    text = settings.read_text().replace('folder = "images"', f'folder = "{images}"')
    settings.write_text(text)
    return Workspace.find(workspace.root)


def test_who_was_killed_while_they_made_the_folder_theirs_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mount").mkdir()
    workspace = shared(tmp_path / "mine", tmp_path / "mount")
    write = images_folder.write_text

    def write_and_die(path: Path, text: str) -> None:
        write(path, text)
        raise Killed

    with closing(Store.open(workspace.store_url)) as store:
        monkeypatch.setattr(images_folder, "write_text", write_and_die)
        with pytest.raises(Killed):
            claim_images(workspace, store)
        monkeypatch.undo()
        claim_images(workspace, store)
        claim_images(workspace, store)
    other = shared(tmp_path / "other", tmp_path / "mount")
    with closing(Store.open(other.store_url)) as store, pytest.raises(BadInput, match="marker"):
        claim_images(other, store)
