"""A release is known by a published hash."""

import json

import pytest

from genset.release.reader import MANIFEST, Release, content_hash, manifest_hash, manifest_lines
from tests.release.conftest import Genset

VERIFY = "release", "verify", "v1"
NOBODY = f"sha256:{0:064x}"


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
        text = genset(*VERIFY, "--expect", manifest[name].upper().replace("SHA", "sha"))
        assert f"its {name.replace('_', ' ')} is the expected one" in text
        told = genset(*VERIFY, "--json", "--expect", manifest[name])
        assert json.loads(told)["expected"] == name


def test_another_release_is_refused_though_it_is_whole(release: Release, genset: Genset) -> None:
    meant = release.content_hash
    forge(release)
    assert genset(*VERIFY).startswith("v1: 8 photos")  # it fits itself
    other = "v1 is not the release that was expected: its content hash is sha256:"
    said = genset(*VERIFY, "--expect", meant)
    assert said.startswith("1: ") and other in said


@pytest.mark.parametrize("hash", ["", "sha256:", "sha256:abc", NOBODY[8:], f"{NOBODY}0", "md5:1"])
def test_what_is_no_whole_hash_is_refused(release: Release, genset: Genset, hash: str) -> None:
    said = genset(*VERIFY, "--expect", hash)
    assert said.startswith("2: --expect takes a whole hash, 64 hexadecimal digits")
