"""The commands that README, docs and the help texts show are commands that there are."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from genset.cli import cli

ROOT = Path(__file__).parent.parent


def shown_in_documents() -> Iterator[str]:
    documents = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    text = "\n".join(path.read_text("utf-8") for path in documents)
    blocks = "\n".join(line.strip() for line in text.splitlines() if line.startswith("    "))
    for line in [*blocks.splitlines(), *re.findall(r"`([^`]*)`", text)]:
        yield from (part.strip() for part in line.split("&&"))


def shown_in_help() -> Iterator[str]:
    for command in commands(cli):
        yield from (line.strip() for line in (command.help or "").splitlines())


def commands(group: click.Group) -> Iterator[click.Command]:
    for command in group.commands.values():
        yield command
        if isinstance(command, click.Group):
            yield from commands(command)


EXAMPLES = sorted(
    {line for line in [*shown_in_documents(), *shown_in_help()] if re.match(r"genset [a-z]", line)}
)


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_command_shown_is_one_that_there_is(example: str) -> None:
    words = shlex.split(example.rstrip("\\"))[1:]
    command: click.Command = cli
    while isinstance(command, click.Group) and words:
        name = words.pop(0)
        assert name in command.commands, example
        command = command.commands[name]
    options = {name for parameter in command.params for name in parameter.opts}
    used = {word.partition("=")[0] for word in words if word.startswith("-")}
    assert used <= options | {"--help"}, example


def test_every_command_has_help_with_an_example() -> None:
    for command in commands(cli):
        if not isinstance(command, click.Group):
            assert re.search(r"^\s*genset ", command.help or "", re.MULTILINE), command.name
            assert "\\" not in (command.help or "").replace("\\\n", ""), command.name


def test_readme_opens_with_the_two_lines_that_do_everything() -> None:
    lines = [line for line in (ROOT / "README.md").read_text("utf-8").splitlines() if line.strip()]
    assert [line.split("#")[0].strip() for line in lines[1:3]] == ["make demo", "make test"]
