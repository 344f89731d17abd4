"""Pushes to a stand-in of the Hub, by the command line, and what `datasets` reads of them there."""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from genset.core.errors import BadInput
from genset.db import Photo
from genset.release import publish as cutting
from genset.release.exports.export import export
from genset.release.exports.huggingface import push
from genset.release.freeze import create
from genset.release.reader import Release, content_hash
from genset.scrape.removal import remove
from tests.commands import run
from tests.release.conftest import Pool
from tests.release.hub import TOKEN, Hub
from tests.release.test_killed import contents

REPOSITORY, TO = "ann/birds", "hf:ann/birds"
RESTRICTED = "100"

# As the command, with small shards, so that a push has a middle.
GENSET = """
import sys
from genset.release import publish
publish._MOST_PHOTOS = 3
from genset.__main__ import main
sys.argv[0] = "genset"
main()
"""


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub()
    yield hub
    hub.close()


@pytest.fixture
def release(pool: Pool) -> Release:
    """Eight photos, one of them restricted: three shards of the other seven."""
    pool.label_all_correct()
    with pool.store.begin() as session:
        photo = session.query(Photo).filter_by(source_id=RESTRICTED).one()
        photo.license = "All Rights Reserved"
    return pool.create()


class Terminal:
    """Pushes `release` from its workspace to the stand-in."""

    def __init__(self, hub: Hub, release: Release, home: Path) -> None:
        self.release, self.home, self.endpoint = release, home, hub.endpoint

    def environment(self, token: str) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "HUGGING"))}
        more = {"HF_ENDPOINT": self.endpoint, "HF_HOME": str(self.home / "hf")}
        more |= {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
        return kept | more | ({"HF_TOKEN": token} if token else {})

    def started(self, *words: str) -> subprocess.Popen[str]:
        """Begins to push small shards, so that there is a middle."""
        words = ("release", "push", self.release.name, "--to", TO, *words)
        return subprocess.Popen(
            [sys.executable, "-c", GENSET, *words],
            cwd=self.release.root.parent.parent,
            env=self.environment(TOKEN),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def push(self, *words: str, token: str = TOKEN, code: int = 0) -> str:
        """What it printed; on standard error where it failed."""
        words = ("release", "push", self.release.name, "--to", TO, *words)
        workspace = self.release.root.parent.parent
        done = run(*words, cwd=workspace, env=self.environment(token))
        assert done.returncode == code, done.stderr
        assert TOKEN not in done.stdout + done.stderr
        return done.stderr if code else done.stdout

    def push_shards(self, *words: str) -> str:
        process = self.started(*words)
        out, err = process.communicate()
        assert process.returncode == 0, err
        return out


@pytest.fixture
def terminal(hub: Hub, release: Release, tmp_path: Path) -> Terminal:
    return Terminal(hub, release, tmp_path)


def exported(release: Release, folder: Path, most: int = 3) -> dict[str, bytes]:
    """The files of an export, which test_export opens with `datasets`; `most` photos a shard."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "_MOST_PHOTOS", most)
        export(release, "huggingface", folder)
    return contents(folder)


def pushed(hub: Hub) -> dict[str, bytes]:
    files = dict(hub.repositories[REPOSITORY].files)
    del files[".gitattributes"]
    return files


def left_over(release: Release) -> list[str]:
    return [path.name for path in release.root.parent.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("middle", [2, 3])
@pytest.mark.soak
def test_killed_in_the_middle_and_said_again_it_is_the_export(
    middle: int, hub: Hub, terminal: Terminal, release: Release, tmp_path: Path
) -> None:
    process = terminal.started()

    def kill(number: int) -> bool:
        if number == middle:
            process.kill()
        return number == middle

    hub.interrupt = kill
    process.communicate()
    assert process.returncode == -9
    repository = hub.repositories[REPOSITORY]
    assert repository.commits == []  # nobody sees a half
    hub.interrupt = lambda number: False
    text = terminal.push_shards()
    assert "7 of 8 photos, private" in text and "1 left out" in text
    assert pushed(hub) == exported(release, tmp_path / "out")
    told = json.loads(terminal.push_shards("--json"))  # again, which changes nothing
    assert told["url"] == f"{hub.endpoint}/datasets/{REPOSITORY}"
    assert (told["private"], told["photos"], told["of"], told["restricted"]) == (True, 7, 8, 1)
    rest = [photo for photo in release.photos if photo.source_id != RESTRICTED]
    assert told["content_hash"] == content_hash(rest)
    assert repository.private and repository.commits == [f"v1: {content_hash(rest)}"]
    assert len(hub.sent) == len(set(hub.sent)) == 3  # what was there was not sent again
    assert left_over(release) == []


def test_what_is_public_or_restricted_goes_there_only_where_that_is_said(
    hub: Hub, terminal: Terminal, release: Release
) -> None:
    [photo] = [each for each in release.photos if each.source_id == RESTRICTED]
    assert "public" in terminal.push("--publish")
    assert not hub.repositories[REPOSITORY].private
    files = hub.repositories[REPOSITORY].files
    assert not any(photo.sha256.encode() in content for content in files.values())
    said = terminal.push(code=2)
    assert "hf:ann/birds is public, so a push would publish: add --publish" in said
    assert "public" in terminal.push("--publish", "--include-restricted")
    assert any(photo.sha256.encode() in files[path] for path in files if "parquet" in path)


def test_a_new_version_takes_the_place_of_the_old_one_which_is_forgotten_where_that_is_said(
    hub: Hub, terminal: Terminal, pool: Pool, release: Release, tmp_path: Path
) -> None:
    terminal.push()
    repository, before = hub.repositories[REPOSITORY], set(hub.store)
    for number in (0, 1, 101, 200):
        remove(pool.workspace, pool.store, f"flickr:{number}", "its owner asked")
    terminal.release = create(pool.workspace, pool.store, "v2")
    terminal.push()
    shards = [path for path in repository.files if "parquet" in path]
    assert shards == ["data/test-00000-of-00001.parquet"]
    assert pushed(hub) == exported(terminal.release, tmp_path / "out", most=100)
    assert before <= set(hub.store)
    told = json.loads(terminal.push("--forget", "--json"))
    assert len(repository.commits) == 1 and repository.commits[0].startswith("v2")
    large = repository.large & set(repository.files)
    there = {hashlib.sha256(repository.files[path]).hexdigest() for path in large}
    assert set(hub.store) == there
    [gone] = [photo for photo in release.photos if photo.source_id == "0"]
    assert not any(gone.sha256.encode() in content for content in hub.store.values())
    assert json.loads(terminal.push("--forget", "--json"))["photos"] == told["photos"]


def test_what_is_in_the_way_is_told_in_one_line(hub: Hub, terminal: Terminal) -> None:
    said = terminal.push(token="", code=1)
    assert "401" in said and "set HF_TOKEN" in said
    hub.refuses = True
    said = terminal.push(code=1)
    assert "is not complete" in said, said
    assert "signature" not in said  # of an upload's address, which is a secret
    repository = hub.repositories[REPOSITORY]
    assert repository.commits == []
    repository.files = {"README.md": b"of something else", "data/x.csv": b"1"}
    assert "holds something other than a release" in terminal.push(code=2)
    assert repository.files["data/x.csv"] == b"1"


def test_a_repository_is_named_as_owner_and_name(release: Release) -> None:
    for to in ("ann/birds", "hf:birds", "hf:ann/../birds", "hf:ann/b/c"):
        with pytest.raises(BadInput, match=f"not '{re.escape(to)}'"):
            push(release, to)
    assert left_over(release) == []
