"""What every command uses."""

import json
from datetime import date

import click
from click.testing import CliRunner

from genset.classes import imagenet1k
from genset.cli.common import classes_option, format_option, named_classes, show_tables
from genset.core.table import Column, Table

TABLE = Table([Column("day"), Column("photos")], [(date(2024, 5, 6), 3)])


@click.command()
@format_option
def rows(format: str) -> None:
    show_tables(TABLE, format)


@click.command()
@format_option
def document(format: str) -> None:
    show_tables([TABLE, TABLE], format, {"since": date(2024, 1, 1), "table": TABLE.rows})


def test_a_command_prints_its_table_in_any_form() -> None:
    for format, said in (
        ("text", "day         photos\n2024-05-06       3\n"),
        ("markdown", "| day | photos |\n|:--|--:|\n| 2024-05-06 | 3 |\n"),
        ("csv", "day,photos\n2024-05-06,3\n"),
    ):
        assert CliRunner().invoke(rows, ["--format", format]).output == said
    assert r"\begin{tabular}{lr}" in CliRunner().invoke(rows, ["--format", "latex"]).output
    for options in (["--json"], ["--format", "json"], ["--json", "--format", "json"]):
        found = CliRunner().invoke(rows, options)
        assert json.loads(found.output) == [{"day": "2024-05-06", "photos": 3}]
        found = CliRunner().invoke(document, options)
        assert json.loads(found.output) == {"since": "2024-01-01", "table": [["2024-05-06", 3]]}
    found = CliRunner().invoke(rows, ["--json", "--format", "csv"])
    assert found.exit_code == 2
    assert "--json and --format csv exclude each other: give one." in found.output


@click.command()
@classes_option
def selected(classes: tuple[tuple[str, ...], ...]) -> None:
    click.echo(" ".join(named_classes(imagenet1k(), classes)))


def test_classes_are_given_by_id_or_name_with_commas_between_them() -> None:
    for options in (
        ["--classes", 'tabby,"great white shark", n02012849'],
        ["--classes", "tabby", "--classes", "n02012849,great_white_shark"],
        ["--classes", " tabby ,, 'great  white shark',n02012849,tabby"],
    ):
        answer = CliRunner().invoke(selected, options)
        assert answer.stdout == "n01484850 n02012849 n02123045\n"
        assert "genset: tabby: n02123045 (a cat with" in answer.stderr
    assert CliRunner().invoke(selected, []).stdout == "\n"
