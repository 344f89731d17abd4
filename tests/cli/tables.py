"""The commands that print tables, told by their help, and what a table looks like in each form."""

import csv
import io
import json
import re
from collections.abc import Iterator

import click

from genset.cli import cli
from genset.cli.group import first_sentence

_PRINTS = re.compile(r"(List|Show|Print|Summarize|Aggregate|Score)\b")
_NO_TABLE = {
    "labelers gold retire",
    "release cite",  # a reference, in forms of its own
}


def commands(group: click.Group, *path: str) -> Iterator[tuple[str, click.Command]]:
    """All commands that do something, by their full names."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)
        else:
            yield " ".join((*path, name)), command


PRINTING = {
    name: command
    for name, command in commands(cli)
    if name not in _NO_TABLE and _PRINTS.match(first_sentence(command))
}


def check_rendered(text: str, form: str) -> None:
    """See that readers of a form take an answer in it, and that there is a table in it."""
    if form == "json":
        json.loads(text)
    elif form == "csv":
        head, *rows = csv.reader(io.StringIO(text), strict=True)
        assert {len(row) for row in rows} <= {len(head)}, "rows are of different lengths"
        assert len(set(head)) == len(head), "two columns have one name"
        assert all(re.fullmatch(r"[a-z][a-z0-9_.]*", name) for name in head), head
        ends = [n for n, name in enumerate(head) if name.endswith(("_low", "_high"))]
        assert all(float(row[n] or 0) <= 1 for row in rows for n in ends), "not as fractions"
    elif form == "latex":
        assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") > 0
    elif form == "markdown":
        tables = [part for part in text.split("\n\n") if part.startswith("|")]
        assert tables, "there is no table"
        for table in tables:
            bars = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
            assert len(bars) == 1, "rows are of different lengths"
