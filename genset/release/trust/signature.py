"""Signatures of releases by OpenSSH: whoever has ssh-keygen can check one, with or without genset.

What is signed are the bytes of the manifest, which has the hash of every photo and document.
"""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from genset.core.errors import BadInput, GensetError
from genset.core.files import write_text
from genset.core.safe import visible
from genset.release.reader import MANIFEST, Release

# A signature for another purpose, such as a commit's, is none of a release.
NAMESPACE = "genset-release"

_KEY = re.compile(r"(?:ssh|ecdsa|sk)-[a-z0-9@.-]{1,100} [A-Za-z0-9+/]{16,8192}={0,3}(?: .*)?")
_BEGINS = "-----BEGIN SSH SIGNATURE-----"
_MOST = 2**16  # bytes of a signature, or of a file of keys
_SECONDS = 60


def sign(release: Release, key: Path, to: Path | None = None) -> Path:
    """Sign a release that is as its manifest says.

    Args:
        release: the release.
        key: the signer's private key; or the public one, where ssh-agent has the private one. Where
            it has a passphrase, ssh-keygen asks for that on the terminal.
        to: the signature's file; None: ``NAME.sig`` beside the release's folder, which must not
            hold more than the release.

    Returns:
        The signature's file.

    Raises:
        BadInput: there is no such key or no ssh-keygen, or the file exists.
        ReleaseDamaged: the release is not what its manifest says.
        GensetError: ssh-keygen does not sign.
    """
    to = to or release.root.absolute().with_name(f"{release.root.absolute().name}.sig")
    if not key.is_file():
        raise BadInput(f"there is no key {key}: make one with ssh-keygen -t ed25519")
    if to.exists():
        raise BadInput(f"{to} exists: name another file with --to")
    program = _ssh_keygen()
    release.verify()
    words = [program, "-Y", "sign", "-f", str(key.absolute()), "-n", NAMESPACE]
    with release.own_file(MANIFEST).open("rb") as manifest:
        done = subprocess.run(words, stdin=manifest, capture_output=True, check=False)  # noqa: S603
    signature = done.stdout.decode(errors="replace")
    if done.returncode or not signature.startswith(_BEGINS):
        raise GensetError(f"ssh-keygen did not sign with {key}: {_last_line(done.stderr)}")
    write_text(to, signature)
    return to


def check(release: Release, signature: Path, keys: Path) -> str:
    """Check that a release's manifest was signed with one of these keys.

    It says nothing of the photos: for these, verify the release too.

    Args:
        release: the release.
        signature: the file of `sign`.
        keys: public keys, one a line, as in ``id_ed25519.pub``.

    Returns:
        The key's kind and fingerprint, as ssh-keygen prints them.

    Raises:
        BadInput: a file is missing or is not of this kind, or there is no ssh-keygen.
        GensetError: the signature is of another key, of another manifest, or for another purpose.
    """
    if not _text(signature).startswith(_BEGINS):
        raise BadInput(f"{signature} is no signature of ssh-keygen's")
    signers = "".join(f'signer namespaces="{NAMESPACE}" {key}\n' for key in _keys(keys))
    with tempfile.TemporaryDirectory() as folder:
        allowed = Path(folder) / "signers"
        allowed.write_text(signers, "utf-8")
        whose = ("-f", str(allowed), "-I", "signer")
        if (key := _signed_with(release, signature, "verify", *whose)) is not None:
            return key
    if (other := _signed_with(release, signature, "check-novalidate")) is not None:
        raise GensetError(
            f"{signature} is a signature of {release.name} with {other}, which is not in {keys}"
        )
    raise GensetError(
        f"{signature} is no signature of {release.name} as it is here: another manifest was "
        "signed, this one has changed since, or it was signed for another purpose"
    )


def _signed_with(release: Release, signature: Path, *words: str) -> str | None:
    """The key of a signature that ssh-keygen finds good; None where it does not."""
    command = [_ssh_keygen(), "-Y", *words, "-n", NAMESPACE, "-s", str(signature.absolute())]
    with release.own_file(MANIFEST).open("rb") as manifest:
        try:
            done = subprocess.run(  # noqa: S603
                command, stdin=manifest, capture_output=True, check=False, timeout=_SECONDS
            )
        except subprocess.TimeoutExpired:
            raise GensetError(f"ssh-keygen did not check {signature} in time") from None
    return None if done.returncode else _last_line(done.stdout).rpartition(" with ")[2]


def _ssh_keygen() -> str:
    if (found := shutil.which("ssh-keygen")) is None:
        raise BadInput("there is no ssh-keygen here, which signs: install OpenSSH's client")
    return found


def _keys(path: Path) -> list[str]:
    """The public keys in a file."""
    found = []
    for number, line in enumerate(_text(path).splitlines(), start=1):
        if not (key := line.strip()) or key.startswith("#"):
            continue
        if _KEY.fullmatch(key) is None:
            raise BadInput(
                f"{path}, line {number}: no public key such as ssh-ed25519 AAAA... (the file that "
                "ends in .pub)"
            )
        found.append(key)
    if not found:
        raise BadInput(f"{path} holds no public key")
    return found


def _text(path: Path) -> str:
    """What a small file holds."""
    try:
        with path.open("rb") as file:
            content = file.read(_MOST + 1)
        if len(content) <= _MOST:
            return content.decode()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path} is no text") from None
    raise BadInput(f"{path} is larger than {_MOST:,} bytes")


def _last_line(said: bytes) -> str:
    """The last line of what ssh-keygen said."""
    lines = said.decode(errors="replace").strip().splitlines()
    return visible(lines[-1].strip()) if lines else "it does not say why"
