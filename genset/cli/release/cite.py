"""The command that says how a release is cited."""

from pathlib import Path
from typing import Any

import click

from genset.cli.common import json_option, show
from genset.cli.release.common import named, said_now


@click.command("cite")
@click.argument("name")
@click.option(
    "--as",
    "form",
    type=click.Choice(["bibtex", "cff", "zenodo"]),
    help="Print this form alone, as it stands in a file.",
)
@json_option
@click.pass_obj
def cite_command(folder: Path | None, name: str, form: str | None, as_json: bool) -> None:
    """Print how a release (a name, or a folder's path) is cited.

    As BibTeX, as CITATION.cff, and as Zenodo's metadata. Authors, title, licence and DOI are those
    that [dataset] in genset.toml says now, or said when the release was frozen.

    \b
    genset release cite v1
    genset release cite v1 --as cff > CITATION.cff
    """
    import json

    from genset.release.citing import cited
    from genset.release.documents.citation import bibtex, citation_cff, zenodo

    found = cited(release := named(folder, name), said_now(folder, release))
    forms: dict[str, Any] = {
        "bibtex": bibtex(found),
        "cff": citation_cff(found),
        "zenodo": zenodo(found),
    }
    texts = {**forms, "zenodo": json.dumps(forms["zenodo"], indent=1, ensure_ascii=False) + "\n"}
    if not found.authors:
        click.echo("no authors are said: name them under [dataset] in genset.toml", err=True)
    text = texts[form] if form else "\n".join(texts.values())
    show({form: forms[form]} if form else forms, text.rstrip("\n"), as_json)
