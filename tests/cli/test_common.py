"""What every command uses."""

import json
from datetime import date

import click
import pytest
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


@pytest.mark.parametrize(
    ("format", "said"),
    [
        ("text", "day         photos\n2024-05-06       3\n"),
        ("markdown", "| day | photos |\n|:--|--:|\n| 2024-05-06 | 3 |\n"),
        ("csv", "day,photos\n2024-05-06,3\n"),
    ],
)
def test_a_command_prints_its_table_in_any_form(format: str, said: str) -> None:
    assert CliRunner().invoke(rows, ["--format", format]).output == said


def test_json_is_the_rows_of_one_table_and_else_the_document() -> None:
    for options in (["--json"], ["--format", "json"], ["--json", "--format", "json"]):
        found = CliRunner().invoke(rows, options)
        assert json.loads(found.output) == [{"day": "2024-05-06", "photos": 3}]
        found = CliRunner().invoke(document, options)
        assert json.loads(found.output) == {"since": "2024-01-01", "table": [["2024-05-06", 3]]}


def test_two_forms_at_once_are_refused() -> None:
    found = CliRunner().invoke(rows, ["--json", "--format", "csv"])
    assert found.exit_code == 2
    assert "--json and --format csv exclude each other: give one." in found.output


def test_latex_of_a_command() -> None:
    assert r"\begin{tabular}{lr}" in CliRunner().invoke(rows, ["--format", "latex"]).output


@click.command()
@classes_option
def selected(classes: tuple[tuple[str, ...], ...]) -> None:
    click.echo(" ".join(named_classes(imagenet1k(), classes)))


@pytest.mark.parametrize(
    "options",
    [
        ["--classes", 'tabby,"great white shark", n02012849'],
        ["--classes", "tabby", "--classes", "n02012849,great_white_shark"],
        ["--classes", " tabby ,, 'great  white shark',n02012849,tabby"],
    ],
)
def test_classes_are_given_by_id_or_name_with_commas_between_them(options: list[str]) -> None:
    answer = CliRunner().invoke(selected, options)
    assert answer.stdout == "n01484850 n02012849 n02123045\n"
    assert "genset: tabby: n02123045 (a cat with" in answer.stderr


def test_no_classes_are_none() -> None:
    assert CliRunner().invoke(selected, []).stdout == "\n"
