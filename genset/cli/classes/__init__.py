"""The commands on classes: make a taxonomy file, and look at one."""

import click

from genset.cli.classes import make, show
from genset.cli.group import Group


@click.group(cls=Group)
def classes() -> None:
    """Make a file of classes of your own, and see what it says.

    \b
    genset classes from-words dog,cat,"red panda" -o pets.toml
    genset classes show pets.toml
    genset init my-pets --taxonomy pets.toml
    """


for command in (
    make.from_words,
    make.from_synsets,
    make.from_folder,
    make.from_model,
    show.show_command,
):
    classes.add_command(command)
