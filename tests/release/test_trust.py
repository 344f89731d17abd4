"""A release is known by a published hash."""

import json
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.core.errors import GensetError
from genset.release.reader import MANIFEST, Release, content_hash, manifest_hash, manifest_lines


@dataclass(frozen=True)
class Done:
    """What a command ended with: its exit code, what it printed, and its line on an error."""

    exit_code: int
    stdout: str
    error: str


Genset = Callable[..., Done]
NOBODY = f"sha256:{0:064x}"


@pytest.fixture
def genset(release: Release) -> Genset:
    """Call ``genset release`` in the workspace of release v1."""
    workspace = str(release.root.parent.parent)

    def call(*words: object) -> Done:
        done = CliRunner().invoke(cli, ["-w", workspace, "release", *map(str, words)])
        if isinstance(done.exception, GensetError):
            return Done(done.exception.exit_code, done.stdout, str(done.exception))
        return Done(done.exit_code, done.stdout, done.stderr)

    return call


def forge(release: Release) -> None:
    """Change a photo's title, and write a manifest that fits."""
    path = release.root / MANIFEST
    manifest = json.loads(path.read_text("utf-8"))
    manifest["photos"][0]["title"] = "other"
    path.chmod(0o644)
    path.write_text("".join(manifest_lines(manifest)), "utf-8")
    manifest["content_hash"] = content_hash(Release(release.root).photos)
    manifest["manifest_hash"] = manifest_hash(manifest)
    path.write_text("".join(manifest_lines(manifest)), "utf-8")


def test_a_release_is_the_expected_one_by_either_of_its_hashes(
    release: Release, genset: Genset
) -> None:
    manifest = json.loads((release.root / MANIFEST).read_text("utf-8"))
    for name in ("content_hash", "manifest_hash"):
        done = genset("verify", "v1", "--expect", manifest[name].upper().replace("SHA", "sha"))
        assert done.exit_code == 0, done.error
        assert f"its {name.replace('_', ' ')} is the expected one" in done.stdout
        told = genset("verify", "v1", "--json", "--expect", manifest[name]).stdout
        assert json.loads(told)["expected"] == name


def test_another_release_is_refused_though_it_is_whole(release: Release, genset: Genset) -> None:
    meant = release.content_hash
    forge(release)
    assert genset("verify", "v1").exit_code == 0  # it fits itself
    done = genset("verify", "v1", "--expect", meant)
    assert done.exit_code == 1
    assert "is not the release that was expected: its content hash is sha256:" in done.error


def test_the_expected_hash_alone_does_not_make_it_whole(release: Release, genset: Genset) -> None:
    photo = release.root / release.photos[0].file
    photo.chmod(0o644)
    photo.write_bytes(b"other")
    done = genset("verify", "v1", "--expect", release.content_hash)
    assert done.exit_code == 1
    assert f"{release.photos[0].file} was changed" in done.error


@pytest.mark.parametrize("hash", ["", "sha256:", "sha256:abc", NOBODY[8:], f"{NOBODY}0", "md5:1"])
def test_what_is_no_whole_hash_is_refused(genset: Genset, hash: str) -> None:
    done = genset("verify", "v1", "--expect", hash)
    assert done.exit_code == 2
    assert "--expect takes a whole hash, 64 hexadecimal digits" in done.error
