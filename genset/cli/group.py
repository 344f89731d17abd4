"""Groups of commands: help under headings, errors in one line, and what Ctrl-C leaves behind."""

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import click

from genset.core.errors import Stopped
from genset.core.safe import visible

# What a command has done when it is interrupted; the others have nothing to go on with.
_STORED = {
    "scrape": "the searches and photos so far are stored",
    "refresh": "the answers so far are stored",
    "pull": "the photos so far are in the folder",
    "evaluate": "the photos scored so far are kept",
    "finetune": "the features and heads so far are kept",
    "duplicates find": "the fingerprints so far are stored",
    "tta record": "the epochs so far are in the entry",
    "release export": "the folder was not made",
    "release create": "the release was not made",
    "release push": "the files sent so far are kept by the Hub",
}


class Group(click.Group):
    """A group whose help has the whole first sentence of each of its commands."""

    sections: Mapping[str, Sequence[str]] = {}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under the headings of `sections`; the rest under "Commands"."""
        names = self.list_commands(ctx)
        listed = {name for section in self.sections.values() for name in section}
        sections = {**self.sections, "Commands": [name for name in names if name not in listed]}
        for heading, section in sections.items():
            rows = [(name, first_sentence(self.commands[name])) for name in section]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


def first_sentence(command: click.Command) -> str:
    """What a command does, in the first sentence of its help."""
    paragraph = (command.help or "").strip().split("\n\n")[0]
    return re.split(r"(?<=\.)\s", " ".join(paragraph.split()), maxsplit=1)[0].rstrip(".")


class Program(Group):
    """The whole command line: its errors are one line each, as those of the work are."""

    def main(  # type: ignore[override] # it always ends as the standalone mode does
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **more: Any
    ) -> NoReturn:
        """Run; a usage error ends with exit code 2 and one line, a signal with 128 and its own."""
        words = list(sys.argv[1:] if args is None else args)
        try:
            code = super().main(words, prog_name, **more | {"standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            sys.exit(error.exit_code)
        except click.ClickException as error:
            click.echo(f"genset: {visible(usage_error(error))}", err=True)
            sys.exit(error.exit_code)
        except click.Abort as abort:
            stopped = Stopped(interrupted(self.path_of(words)), abort.__cause__)
            click.echo(f"genset: {stopped}", err=True)
            sys.exit(stopped.exit_code)
        sys.exit(code if isinstance(code, int) else 0)

    def path_of(self, args: Sequence[str]) -> str:
        """The command that these words name: ``release create``."""
        path: list[str] = []
        group: click.Command | None = self
        for word in args:
            if not isinstance(group, click.Group):
                break
            if word in group.commands:
                path.append(word)
                group = group.commands[word]
        return " ".join(path)


def usage_error(error: click.ClickException) -> str:
    """A mistake in the words of a command: what is wrong, and where its help is."""
    message = " ".join(error.format_message().split()).rstrip(".")
    context = getattr(error, "ctx", None)
    if context is None or not isinstance(error, click.UsageError):
        return message
    if context.params.get("classes") and message.startswith("Got unexpected extra argument"):
        return f"{message}: several classes have commas between them, as in --classes lion,tiger"
    return f"{message}; see {context.command_path} --help"


def interrupted(command: str) -> str:
    """What an interrupted command leaves behind, and how to go on."""
    stored = _STORED.get(command)
    if stored is None:
        return "stopped"
    return f"stopped: {stored}; run the same command again to go on"
