"""The command that signs a release."""

from pathlib import Path

import click

from genset.cli.common import FILE, json_option, show
from genset.cli.release.common import named, release_summary


@click.command("sign")
@click.argument("name")
@click.option(
    "--key",
    type=FILE,
    required=True,
    help="Your private SSH key; or the public one, where ssh-agent has the private one.",
)
@click.option("--to", type=FILE, help="The signature's file (default: NAME.sig beside the folder).")
@json_option
@click.pass_obj
def sign_command(folder: Path | None, name: str, key: Path, to: Path | None, as_json: bool) -> None:
    """Sign a release (a name, or a folder's path) with an SSH key, by ssh-keygen.

    The signature is over manifest.json, which has the hash of every file. Publish it, and your
    public key where people know you.

    \b
    genset release sign v1 --key ~/.ssh/id_ed25519
    genset release verify v1 --signature releases/v1.sig --signed-by ann.pub
    """
    from genset.release.reader import MANIFEST
    from genset.release.trust.expected import hashes
    from genset.release.trust.signature import NAMESPACE, sign

    found = named(folder, name)
    made = sign(found, key, to)
    answer = {**release_summary(found), **hashes(found), "signature": str(made)}
    lines = [
        f"{made}: {found.name} is signed",
        f"  its manifest: {answer['manifest_hash']}",
        f"  to check it without genset: ssh-keygen -Y verify -f ALLOWED_SIGNERS -I WHO "
        f"-n {NAMESPACE} -s {made.name} < {MANIFEST}",
    ]
    show(answer, "\n".join(lines), as_json)
