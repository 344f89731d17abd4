"""The command that writes a release for other tools."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.cli.common import PATH, json_command, show
from genset.cli.release.common import dataset_now, named, release, restricted_option
from genset.core.numbers import count
from genset.release.exports import FORMATS

if TYPE_CHECKING:
    from genset.release.exports.export import Export


@release.command("export")
@click.argument("name")
@click.option(
    "--format",
    "kind",
    type=click.Choice(tuple(FORMATS)),
    required=True,
    help="The format to write.",
)
@click.option("--to", type=PATH, help="The folder to write (default: NAME-FORMAT, here).")
@restricted_option
@click.option(
    "--strip-metadata",
    is_flag=True,
    help="Write a marked variant without GPS, EXIF, IPTC and XMP; orientation stays.",
)
@json_command
def export_command(
    folder: Path | None,
    name: str,
    kind: str,
    to: Path | None,
    include_restricted: bool,
    strip_metadata: bool,
    as_json: bool,
) -> None:
    """Write a release (a name, or a folder's path) in a format that other tools load.

    Photos that no licence lets others hand on, as where all rights are reserved, are left out. With
    --format mixed they are there by address and hash, for genset pull to complete the folder.

    \b
    genset release export v1 --format webdataset
    genset release export v1 --format manifest --to v1-to-share
    genset release export v1 --format mixed
    genset release export v1 --format huggingface --strip-metadata
    """
    from genset.release.exports.export import export, export_stripped

    found = named(folder, name)
    dataset = partial(dataset_now, folder, found)
    write, suffix = (export_stripped, "-stripped") if strip_metadata else (export, "")
    to = to or Path(f"{found.name}{suffix}-{kind}")
    done = write(found, kind, to, dataset, include_restricted=include_restricted)
    lines = [*lines_of(done, strip_metadata)]
    lines += [f"  metadata removed from {count(done.changed, 'photo')}"] * strip_metadata
    show(asdict(done), "\n".join(lines), as_json)


def lines_of(done: "Export", is_variant: bool = False) -> Iterator[str]:
    """What is printed of an export, or of one whose photos were changed."""
    if done.format in ("manifest", "mixed"):
        yield f"{done.folder}: {count(done.of, 'photo')} as {done.format}"
        if done.restricted:
            pull = f"complete it with genset pull {done.folder}"
            yield f"  {done.restricted} of them by address and hash: {pull}"
        if done.without_address:
            have = count(done.without_address, "has", "have")
            yield f"  {have} no address, and cannot be rebuilt from it"
        return
    yield f"{done.folder}: {_photos(done)} as {done.format}"
    if done.photos < done.of or done.changed:
        yield f"  {done.content_hash}: a set of its own, not the release"
    if done.restricted:
        use = "use --include-restricted if they are yours"
        use = use if is_variant else f"share --format mixed, or {use}"
        yield f"  {done.restricted} left out, which no licence lets you hand on: {use}"
    if done.reserved:
        keep = "keep it to yourself, unless they are yours"
        yield f"  no licence lets you hand on {done.reserved} of them: {keep}"


def _photos(done: "Export") -> str:
    return f"{done.photos:,} of " * (done.photos < done.of) + count(done.of, "photo")


@release.command("push")
@click.argument("name")
@click.option("--to", required=True, metavar="hf:OWNER/NAME", help="The repository of the Hub.")
@click.option("--publish", is_flag=True, help="Let everybody see it (default: its owner alone).")
@click.option(
    "--forget",
    is_flag=True,
    help="Delete what earlier pushes left in the repository's history, for good.",
)
@restricted_option
@json_command
def push_command(
    folder: Path | None,
    name: str,
    to: str,
    publish: bool,
    forget: bool,
    include_restricted: bool,
    as_json: bool,
) -> None:
    """Push a release (a name, or a folder's path) to a repository of the Hugging Face Hub.

    It is what genset release export --format huggingface writes. Run it again to go on where it was
    stopped: what is there is not sent again. Set HF_TOKEN to a token that may write. After a
    takedown, say --forget: else the Hub shows to whoever asks for an earlier commit what was taken
    out.

    \b
    genset release push v1 --to hf:ann/birds-2026
    genset release push v1 --to hf:ann/birds-2026 --publish
    genset release push v1.1 --to hf:ann/birds-2026 --forget
    """
    from genset.release.exports.huggingface import push

    found = named(folder, name)
    dataset = partial(dataset_now, folder, found)
    done, url = push(
        found, to, dataset, publish=publish, include_restricted=include_restricted, forget=forget
    )
    lines = [
        f"{url}: {_photos(done)}, {'public' if publish else 'private'}",
        f"  {done.content_hash}",
    ]
    if done.restricted:
        lines.append(f"  {done.restricted} left out, which no licence lets you hand on")
    answer = {**asdict(done), "folder": to, "url": url, "private": not publish}
    show(answer, "\n".join(lines), as_json)


@release.command("cite")
@click.argument("name")
@click.option(
    "--as",
    "form",
    type=click.Choice(["bibtex", "cff", "zenodo", "kaggle"]),
    help="Print this form alone, as it stands in a file.",
)
@json_command
def cite_command(folder: Path | None, name: str, form: str | None, as_json: bool) -> None:
    """Print how a release (a name, or a folder's path) is cited.

    As BibTeX, as CITATION.cff, and as Zenodo's and Kaggle's metadata. Authors, title, licence and
    DOI are those that [dataset] in genset.toml says now, or said when the release was frozen.

    \b
    genset release cite v1
    genset release cite v1 --as cff > CITATION.cff
    genset release cite v1 --as kaggle > v1-parquet/dataset-metadata.json
    """
    from genset.release.documents.citation import Citation, bibtex, citation_cff, kaggle, zenodo

    release = named(folder, name)
    found = Citation.of(release.manifest, len(release.photos), dataset_now(folder, release))
    forms: dict[str, Any] = {
        "bibtex": bibtex(found),
        "cff": citation_cff(found),
        "zenodo": zenodo(found),
        "kaggle": kaggle(found, {photo.license_id for photo in release.photos}),
    }
    texts = dict(forms)
    for name in ("zenodo", "kaggle"):
        texts[name] = json.dumps(forms[name], indent=1, ensure_ascii=False) + "\n"
    for remark in found.remarks:
        click.echo(f"{remark} (under [dataset] in genset.toml)", err=True)
    text = texts[form] if form else "\n".join(texts.values())
    show({form: forms[form]} if form else forms, text.rstrip("\n"), as_json)
