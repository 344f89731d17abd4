"""The command that checks a release."""

from pathlib import Path

import click

from genset.cli.common import FILE, json_option, show
from genset.cli.release.common import named, release_summary
from genset.core.errors import BadInput, ReleaseDamaged
from genset.core.numbers import count


@click.command("verify")
@click.argument("name")
@click.option(
    "--expect",
    metavar="sha256:HASH",
    help="The content hash that was published with a score, or the hash of the manifest.",
)
@click.option("--signature", type=FILE, help="The signature of its manifest, by --signed-by.")
@click.option(
    "--signed-by", type=FILE, metavar="KEYS", help="Public SSH keys, one a line: ann.pub."
)
@json_option
@click.pass_obj
def verify_command(
    folder: Path | None,
    name: str,
    expect: str | None,
    signature: Path | None,
    signed_by: Path | None,
    as_json: bool,
) -> None:
    """Compare every byte of a release (a name, or a folder's path) with its manifest.

    That says that it is whole. That it is the one that was meant, --expect says: whoever changes
    photos can write a manifest that fits. Whose it is, a signature says.

    \b
    genset release verify v1
    genset release verify v1 --expect sha256:HASH
    genset release verify v1 --signature v1.sig --signed-by ann.pub
    """
    from genset.release.trust.expected import check_expected
    from genset.release.trust.signature import check

    if (signature is None) is not (signed_by is None):
        raise BadInput("--signature and --signed-by go together: a signature is somebody's")
    found = named(folder, name)
    answer, lines = release_summary(found), list[str]()
    if expect is not None:
        answer["expected"] = check_expected(found, expect)
        lines.append(f"  its {answer['expected'].replace('_', ' ')} is the expected one")
    if signature is not None and signed_by is not None:
        answer["signed_by"] = check(found, signature, signed_by)
        lines.append(f"  signed with {answer['signed_by']}")
    try:
        found.verify()
    except ReleaseDamaged as damage:
        click.echo("\n".join(damage.problems), err=True)
        raise
    photos = count(len(found.photos), "photo is", "photos are")
    lines.insert(0, f"{found.name}: {photos} what the manifest says")
    show(answer, "\n".join(lines), as_json)
