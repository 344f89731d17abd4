"""The command that freezes a release."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from genset.aggregators import METHODS
from genset.cli.common import FILE, json_command, opened, seconds, show
from genset.cli.pool.plans import source_option
from genset.cli.release.common import made_lines, named, release, release_summary
from genset.core.errors import BadInput
from genset.workspace import Workspace

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from genset.db import Store
    from genset.release.candidates import AggregatedLabels
    from genset.release.choose import ReleasePlan
    from genset.release.multilabel.plan import MultilabelPlan
    from genset.release.reader import ReleasePhoto


@release.command("create")
@click.argument("name")
@click.option(
    "--strategy",
    type=click.Choice(["majority", "threshold", "top", "matched"]),
    default="majority",
    show_default=True,
    help="How the photos are chosen.",
)
@click.option("--per-class", type=int, help="Photos of each class (default: 10); not for majority.")
@click.option("--min-labels", type=int, help="Labelers that a photo needs (default: 1).")
@click.option("--threshold", type=float, help="Lowest selection frequency (default: 0.7).")
@click.option("--relax", is_flag=True, help="Lower the threshold of classes with too few photos.")
@click.option("--reference", type=FILE, help="Labels (task,worker,label) to match.")
@click.option("--fill-up", is_flag=True, help="Fill short bins from the nearest higher one.")
@click.option(
    "--balance", is_flag=True, help="Take as many photos of each class as the smallest class has."
)
@click.option("--max-per-owner", type=int, help="Most photos of one owner.")
@click.option(
    "--licenses",
    default="any",
    help='"open", or names, SPDX ids (CC-BY-SA for all its versions) or ids, separated by commas.',
)
@source_option("Take only photos of these sources, separated by commas")
@click.option(
    "--exclude",
    multiple=True,
    help='A file of hashes of photos to leave out; or "duplicates": keep one of similar photos.',
)
@click.option(
    "--panel",
    help="Record only this panel's votes, and choose the photos by all other votes.",
)
@click.option(
    "--labels",
    type=click.Choice(tuple(METHODS)),
    help="Take only what this method calls correct of all votes of a photo.",
)
@click.option(
    "--min-confidence", type=float, help="Lowest confidence of these labels, 0 to 1 (default: any)."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of all random draws.")
@click.option(
    "--from",
    "earlier",
    metavar="RELEASE",
    help="With --multilabel: the release whose photos it has.",
)
@click.option(
    "--multilabel",
    is_flag=True,
    help="Give each photo all its right answers, as labelers gave them (genset labels propose).",
)
@click.option(
    "--allow-unanswered",
    is_flag=True,
    help="With --multilabel: take questions that lack votes as they stand.",
)
@click.option("--dry-run", is_flag=True, help="Print what it would contain, and write nothing.")
@click.option(
    "--no-refresh",
    is_flag=True,
    help="Take licences as they were last seen, be it long ago.",
)
@click.option(
    "--give-up-after",
    type=seconds,
    metavar="TIME",
    help="End when a source has not said licences for so long, such as 2h (default: 2 minutes).",
)
@json_command
def create_command(folder: Path | None, /, name: str, **options: Any) -> None:
    """Freeze labeled photos into releases/NAME.

    Strategies: majority takes all photos that more labelers call correct than not; threshold draws
    from those with a high selection frequency; top takes those with the highest; matched draws so
    that selection frequencies are distributed as in other labels.

    With --labels, a candidate's votes are first brought together into one label, and only what is
    labeled correct can be taken; threshold and top still go by selection frequencies, and matched
    takes no --labels. A ruling wins over both. Confidence is the label's share of the votes; of
    dawid-skene it is its probability.

    Where a chosen photo's licence was last seen more than 30 days ago, its source is asked again
    before, as by genset refresh. A source that is down is waited for, for two minutes or
    --give-up-after; then nothing is frozen, nor where the source refuses. A missing key is printed.

    With --from and --multilabel, the photos of a release get all their right answers, and photos
    that it left out as correct for several classes enter. It is chosen as that release was.

    \b
    genset release create v1
    genset release create v1 --panel fresh
    genset release create d --labels dawid-skene --min-confidence 0.8
    genset release create t --strategy threshold --per-class 10 --threshold 0.7 --dry-run
    genset release create m --strategy matched --reference labels.csv --fill-up --seed 3
    genset release create o --licenses open --max-per-owner 5 --exclude duplicates
    genset release create c --source commons,inaturalist --licenses CC0-1.0,CC-BY
    genset release create v2 --from v1 --multilabel
    """
    from genset.cli.release.licenses import Recheck, due, honour, recheck
    from genset.label.stats import flagged_labelers
    from genset.release.freeze import create, draft, dry_run
    from genset.release.multilabel.facts import summary
    from genset.release.publish import free_folder

    as_json = options["as_json"]
    is_multilabel = _is_multilabel(options)
    with opened(folder, originals="read") as (workspace, store):
        workspace.check_dois(name)
        plan = (_multilabel_plan if is_multilabel else read_plan)(options, workspace, store)
        opted_out, lines = honour(workspace, store)
        flagged = flagged_labelers(store)

        def chosen(session: "Session") -> "list[ReleasePhoto]":
            made = draft(session, workspace, plan)
            if not options["dry_run"]:
                made.check()  # before anybody is asked
            return made.photos

        if options["dry_run"]:
            seen = dry_run(workspace, store, plan, flagged)
            if not options["no_refresh"]:
                lines += due(store, chosen)
            head = f"{name} would have, and nothing was written:"
            text = "\n".join([head, *seen.lines(), *lines])
            show({"name": name, **asdict(seen), **opted_out}, text, as_json)
            return
        checked = Recheck()
        if not options["no_refresh"]:
            free_folder(workspace.releases, name)  # before anybody is asked
            checked = recheck(workspace, store, chosen, options["give_up_after"])
        made = create(workspace, store, name, plan, flagged)
    answers = {"multilabel": made.multilabel} if made.multilabel else {}
    answer = {**release_summary(made), **answers, "licenses": asdict(checked), **opted_out}
    lines += [*checked.lines(), *(summary(made.multilabel) if made.multilabel else ())]
    show(answer, "\n".join([*made_lines(made), *lines]), as_json)


def read_plan(options: dict[str, Any], workspace: Workspace, store: "Store") -> "ReleasePlan":
    """What the words of ``release create`` ask for."""
    from genset.db import Fact
    from genset.licenses import choose_licenses
    from genset.release.candidates import Exclusion
    from genset.release.choose import ReleasePlan
    from genset.release.strategies import Reference, strategy

    if "duplicates" in options["exclude"]:
        with store.session() as session:
            if session.get(Fact, "looks") is None:
                raise BadInput(
                    "--exclude duplicates: nobody looked for duplicates yet: genset duplicates find"
                )

    names = ("per_class", "min_labels", "threshold", "relax", "reference", "fill_up")
    # A threshold of 0 is said, though 0 == False.
    chosen = (word for word in names if not (options[word] is None or options[word] is False))
    values = {word: options[word] for word in chosen}
    if "reference" in values and options["strategy"] == "matched":
        values["reference"] = Reference.read(values["reference"])
    method = options["labels"]
    return ReleasePlan(
        strategy=strategy(options["strategy"], values),
        seed=options["seed"],
        panel=options["panel"],
        labels=aggregated(store, method, without=options["panel"]) if method else None,
        min_confidence=options["min_confidence"],
        licenses=choose_licenses(options["licenses"]),
        sources=options["sources"],
        max_per_owner=options["max_per_owner"],
        balance=options["balance"],
        exclude=tuple(
            Exclusion.read(Path(word)) for word in options["exclude"] if word != "duplicates"
        ),
        deduplicate="duplicates" in options["exclude"],
    )


def aggregated(
    store: "Store", method: str, panel: str | None = None, without: str | None = None
) -> "AggregatedLabels":
    """The labels that a method makes of the votes of a panel, or of all but one."""
    from genset.db import Verdict
    from genset.label.ballots import opinions
    from genset.release.candidates import AggregatedLabel, AggregatedLabels

    found = opinions(store, method, panel, without)
    by_task = {
        task: AggregatedLabel(
            Verdict(opinion.label) if opinion.label else None, found.confidence[task]
        )
        for task, opinion in found.by_task.items()
    }
    return AggregatedLabels(method, by_task, found.panel, found.without, found.digest)


_WITH_FROM = (
    "earlier",
    "multilabel",
    "allow_unanswered",
    "exclude",
    "dry_run",
    "no_refresh",
    "give_up_after",
    "as_json",
)


def _multilabel_plan(
    options: dict[str, Any], workspace: Workspace, store: "Store"
) -> "MultilabelPlan":
    """What --from, --multilabel and the options that go with them ask for."""
    from genset.release.candidates import Exclusion
    from genset.release.multilabel.earlier import Earlier
    from genset.release.multilabel.plan import MultilabelPlan

    earlier = Earlier.read(named(workspace.root, options["earlier"]))
    labels = None
    if method := earlier.labels.get("method"):
        panel, without = earlier.labels.get("panel"), earlier.labels.get("without")
        labels = aggregated(store, method, panel, without)
    files = tuple(map(Exclusion.read, map(Path, options["exclude"])))
    return MultilabelPlan(earlier, files, labels, options["allow_unanswered"])


def _is_multilabel(options: dict[str, Any]) -> bool:
    """Whether --from and --multilabel are given.

    Raises:
        BadInput: one is without the other, or an option does not go with them.
    """
    if not (options["multilabel"] or options["earlier"] or options["allow_unanswered"]):
        return False
    if not options["multilabel"]:
        word = "--from" if options["earlier"] else "--allow-unanswered"
        raise BadInput(f"{word} goes with --multilabel")
    if not options["earlier"]:
        raise BadInput("--multilabel needs a release whose photos it has: --from v1")
    context = click.get_current_context()
    for parameter in context.command.params:
        word = str(parameter.name)
        if word not in (*_WITH_FROM, "name") and (
            context.get_parameter_source(word) is ParameterSource.COMMANDLINE
        ):
            raise BadInput(
                f"{parameter.opts[0]} does not go with --from: the release is chosen as "
                f"{options['earlier']} was"
            )
    return True
