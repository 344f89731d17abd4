"""The command line: each command parses its words, calls one function and prints the answer.

What a command needs beyond Click is imported inside it: `genset --help` need not wait for PyTorch,
and a labeling server runs without it.
"""

from pathlib import Path

import click

from genset import __version__
from genset.cli import begin, classes, release, status, tta
from genset.cli.common import PATH
from genset.cli.group import Program
from genset.cli.labeling import labels, people
from genset.cli.models import finetune, plan, report, score
from genset.cli.pool import add, keywords, scrape, upkeep


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="genset")
@click.option(
    "-w",
    "--workspace",
    "folder",
    type=PATH,
    envvar="GENSET_WORKSPACE",
    help="The workspace's folder (default: the one that the current folder lies in).",
)
@click.pass_context
def cli(context: click.Context, folder: Path | None) -> None:
    """Build an unseen, licensed, human-verified test set; say which model generalizes.

    \b
    genset init mine --contact you@example.org && cd mine
    genset scrape                 search, and download five photos a class
    genset label                  open the labeling page
    genset release create v1      freeze what was labeled correct
    genset evaluate v1 --model torchvision:resnet50
    genset report
    """
    context.obj = folder


SECTIONS: dict[str, tuple[click.Command, ...]] = {
    "Collect": (
        begin.init,
        plan.plan,
        classes.classes,
        keywords.keywords,
        scrape.scrape,
        add.add,
        add.imports,
        upkeep.duplicates,
        upkeep.hash_folder,
        upkeep.refresh,
        upkeep.remove,
        begin.sandbox,
    ),
    "Label": (people.label, people.labelers, labels.labels, people.managers),
    "Release": (release.release, upkeep.pull),
    "Evaluate": (score.evaluate, report.compare, report.report, finetune.finetune),
    "Time to accuracy": (tta.tta,),
    "Maintain": (status.status, status.doctor, status.backup, status.move),
}
for section in SECTIONS.values():
    for command in section:
        cli.add_command(command)
cli.sections = {
    heading: [str(command.name) for command in section] for heading, section in SECTIONS.items()
}
