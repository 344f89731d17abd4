"""The commands that show protocols."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.cli.common import json_option, show, show_rows
from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.workspace import Workspace

if TYPE_CHECKING:
    from genset.protocols.protocol import Protocol


@click.command("list")
@json_option
@click.pass_obj
def list_command(folder: Path | None, as_json: bool) -> None:
    """List the workspace's protocols, and the releases that were made by each.

    One that was changed is named after the list, and the exit code is 2.

    \b
    genset protocol list
    """
    from genset.protocols.kept import protocol_folders, read_protocol, releases_of

    workspace = Workspace.find(folder)
    rows, damaged = [], list[str]()
    for path in protocol_folders(workspace):
        try:
            each = read_protocol(path)
        except BadInput as error:
            damaged.append(f"protocol {path.name}: {error}")
            continue
        made = [one.name for one in releases_of(workspace, each)]
        sources = ", ".join(each.collect.sources)
        strategy = each.choose["strategy"]
        rows.append((each.name, each.saved_at[:10], sources, len(each.classes), strategy, made))
    head = ("protocol", "saved", "sources", "classes", "strategy", "releases")
    shown = rows if as_json else [(*row[:-1], ", ".join(row[-1])) for row in rows]
    show_rows(head, shown, as_json)
    if damaged:
        raise BadInput("; ".join(damaged))


@click.command("show")
@click.argument("name")
@json_option
@click.pass_obj
def show_command(folder: Path | None, name: str, as_json: bool) -> None:
    """Show what a protocol keeps.

    \b
    genset protocol show imagenet-2026
    """
    from genset.protocols.kept import find_protocol

    found = find_protocol(Workspace.find(folder), name)
    show({**found.as_json(), **summary(found)}, "\n".join(lines_of(found)), as_json)


def summary(protocol: "Protocol") -> dict[str, Any]:
    """A protocol in short, as JSON."""
    said = protocol.as_json()
    words = ("saved_at", "genset", "window", "collect", "label", "rule", "files")
    classes = [cls.wnid for cls in protocol.classes]
    rest = {word: said[word] for word in words}
    return {"name": protocol.name, "sha256": protocol.sha256, **rest, "classes": classes}


def lines_of(protocol: "Protocol") -> list[str]:
    """A protocol for people."""
    collect, label = protocol.collect, protocol.label
    queries = sum(len(cls.queries) for cls in protocol.classes)
    rule = {name: value for name, value in protocol.rule.items() if name != "name"}
    parameters = ", ".join(f"{name} {value}" for name, value in rule.items())
    grow = f", in doubt up to {label.grow_to[-1]}" if label.grow_to else ""
    return [
        f"protocol {protocol.name}, saved on {protocol.saved_at[:10]} by genset {protocol.genset}",
        f"  sha256:{protocol.sha256}",
        f"  first window: posted from {protocol.window.posted_after} until before "
        f"{protocol.window.posted_before}",
        f"  collects: {count(collect.per_class, 'photo')} of each of "
        f"{count(len(protocol.classes), 'class', 'classes')} from each of "
        f"{', '.join(collect.sources)}; licences: {collect.licenses}; seed {collect.seed}",
        f"  queries: {queries:,}, list {collect.query_list}",
        f"  labels: {count(label.votes, 'vote')} a photo{grow}; instructions {label.guideline}",
        f"  chooses: {protocol.rule['name']} ({parameters})",
        *(f"  file: {name} (sha256 {digest})" for name, digest in protocol.files.items()),
    ]
