"""A release is known by a published hash, and by a signature that ssh-keygen alone checks."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.core.errors import GensetError
from genset.release.reader import MANIFEST, Release, content_hash, manifest_hash, manifest_lines
from tests.release.conftest import Pool


@dataclass(frozen=True)
class Done:
    """What a command ended with: its exit code, what it printed, and its line on an error."""

    exit_code: int
    stdout: str
    error: str


Genset = Callable[..., Done]
NOBODY = f"sha256:{0:064x}"


@pytest.fixture
def release(pool: Pool) -> Release:
    pool.label_all_correct()
    return pool.create()


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


@pytest.fixture
def ann(tmp_path: Path) -> Path:
    return keys(tmp_path, "ann")


def keys(folder: Path, name: str) -> Path:
    """Make a pair of keys, NAME and NAME.pub; return the private one."""
    path = folder / name
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"{name}@x", "-f", str(path)]
    subprocess.run(words, check=True)
    return path


def public(key: Path) -> Path:
    return key.with_name(f"{key.name}.pub")


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


# By a hash


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


@pytest.mark.parametrize("hash", ["", "sha256:", "sha256:abc", NOBODY[7:], f"{NOBODY}0", "md5:1"])
def test_what_is_no_whole_hash_is_refused(genset: Genset, hash: str) -> None:
    done = genset("verify", "v1", "--expect", hash)
    assert done.exit_code == 2
    assert "--expect takes a whole hash, sha256: and 64 hexadecimal digits" in done.error


# By a signature


def test_a_signature_is_checked_by_genset_and_by_ssh_keygen_alone(
    release: Release, genset: Genset, ann: Path, tmp_path: Path
) -> None:
    done = genset("sign", "v1", "--key", ann)
    assert done.exit_code == 0, done.error
    signature = release.root.with_name("v1.sig")
    release.verify()  # the signature lies beside it
    done = genset("verify", "v1", "--signature", signature, "--signed-by", public(ann))
    assert done.exit_code == 0, done.error
    assert re.search(r"signed with ED25519 key SHA256:\S{43}$", done.stdout.strip())
    (tmp_path / "signers").write_text(f"ann@x {public(ann).read_text()}", "utf-8")
    words = ["ssh-keygen", "-Y", "verify", "-f", "signers", "-I", "ann@x", "-n", "genset-release"]
    with (release.root / MANIFEST).open("rb") as manifest:
        alone = subprocess.run(
            [*words, "-s", str(signature)], cwd=tmp_path, stdin=manifest, capture_output=True
        )
    assert alone.returncode == 0, alone.stderr
    assert b'Good "genset-release" signature for ann@x' in alone.stdout


def test_a_copy_elsewhere_is_checked_by_its_path(
    release: Release, genset: Genset, ann: Path, tmp_path: Path
) -> None:
    genset("sign", "v1", "--key", ann, "--to", tmp_path / "ann.sig")
    assert not release.root.with_name("v1.sig").exists()
    copy = shutil.copytree(release.root, tmp_path / "copy")
    words = ("verify", copy, "--signature", tmp_path / "ann.sig", "--signed-by", public(ann))
    assert json.loads(genset(*words, "--json").stdout)["signed_by"].startswith("ED25519 key SHA256")


def test_one_of_several_keys_will_do_and_no_other(
    genset: Genset, ann: Path, tmp_path: Path
) -> None:
    genset("sign", "v1", "--key", ann, "--to", tmp_path / "sig")
    ben = public(keys(tmp_path, "ben"))
    both = tmp_path / "both"
    both.write_text(f"# of github.com\n\n{ben.read_text()}{public(ann).read_text()}", "utf-8")
    words = ("verify", "v1", "--signature", tmp_path / "sig", "--signed-by")
    assert genset(*words, both).exit_code == 0
    done = genset(*words, ben)
    assert done.exit_code == 1
    assert "sig is a signature of v1 with ED25519 key SHA256:" in done.error
    assert done.error.endswith(f"which is not in {ben}")


def test_a_forged_manifest_is_not_signed(release: Release, genset: Genset, ann: Path) -> None:
    genset("sign", "v1", "--key", ann)
    forge(release)
    signature = release.root.with_name("v1.sig")
    done = genset("verify", "v1", "--signature", signature, "--signed-by", public(ann))
    assert done.exit_code == 1
    assert "is no signature of v1 as it is here: another manifest was signed" in done.error


def test_a_signature_for_another_purpose_is_none(
    release: Release, genset: Genset, ann: Path, tmp_path: Path
) -> None:
    signature = tmp_path / "other.sig"
    with (release.root / MANIFEST).open("rb") as manifest, signature.open("wb") as to:
        words = ["ssh-keygen", "-Y", "sign", "-f", str(ann), "-n", "git"]
        subprocess.run(words, stdin=manifest, stdout=to, check=True)
    done = genset("verify", "v1", "--signature", signature, "--signed-by", public(ann))
    assert done.exit_code == 1
    assert "or it was signed for another purpose" in done.error


def test_a_damaged_release_is_not_signed(release: Release, genset: Genset, ann: Path) -> None:
    (release.root / release.photos[0].file).unlink()
    done = genset("sign", "v1", "--key", ann)
    assert done.exit_code == 1
    assert "is missing" in done.error
    assert not release.root.with_name("v1.sig").exists()


def test_no_signature_is_overwritten(release: Release, genset: Genset, ann: Path) -> None:
    genset("sign", "v1", "--key", ann)
    before = release.root.with_name("v1.sig").read_bytes()
    done = genset("sign", "v1", "--key", ann)
    assert done.exit_code == 2
    assert "v1.sig exists: name another file with --to" in done.error
    assert release.root.with_name("v1.sig").read_bytes() == before


def test_bad_words_are_refused_in_one_line(
    genset: Genset, ann: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(code: int, complaint: str, *words: object) -> None:
        done = genset(*words)
        assert done.exit_code == code, done.error
        assert complaint in done.error
        assert len(done.error.splitlines()) == 1

    junk, long = tmp_path / "junk", tmp_path / "long"
    junk.write_bytes(b"\xff\x00 junk")
    long.write_text("x" * 100_000, "utf-8")
    words = ("verify", "v1", "--signature")
    genset("sign", "v1", "--key", ann, "--to", tmp_path / "sig")
    refused(2, "--signature and --signed-by go together", *words, tmp_path / "sig")
    refused(2, "go together", "verify", "v1", "--signed-by", public(ann))
    refused(2, "junk is no text", *words, junk, "--signed-by", public(ann))
    refused(
        2,
        "ann is no signature of ssh-keygen's",
        *words,
        public(ann).with_suffix(""),
        "--signed-by",
        public(ann),
    )
    refused(2, "larger than 65,536 bytes", *words, long, "--signed-by", public(ann))
    refused(2, "nothing cannot be read", *words, tmp_path / "nothing", "--signed-by", public(ann))
    refused(2, "ann, line 1: no public key", *words, tmp_path / "sig", "--signed-by", ann)
    long.write_text("# nobody\n", "utf-8")
    refused(2, "long holds no public key", *words, tmp_path / "sig", "--signed-by", long)
    refused(2, "there is no key", "sign", "v1", "--key", tmp_path / "nothing")
    refused(1, "ssh-keygen did not sign with", "sign", "v1", "--key", long)
    cut = (tmp_path / "sig").read_text("utf-8")[:120]
    junk.write_text(cut, "utf-8")
    refused(1, "junk is no signature of v1", *words, junk, "--signed-by", public(ann))
    monkeypatch.setenv("PATH", str(tmp_path))
    refused(2, "there is no ssh-keygen here", "sign", "v1", "--key", ann)
