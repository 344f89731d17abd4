"""Commands for releases."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from genset.cli.common import FILE, PATH, json_option, opened, show
from genset.cli.sources import source_option
from genset.errors import BadInput, ReleaseDamaged
from genset.workspace import Workspace

if TYPE_CHECKING:
    from genset.release.aggregated import AggregatedLabels
    from genset.release.choose import ReleasePlan
    from genset.release.reader import Release
    from genset.store import Store

METHODS = ("majority", "frequency", "dawid-skene")


@click.group()
def release() -> None:
    """Frozen test sets."""


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
    help="Take only what majority, frequency or dawid-skene calls correct, or a FILE of genset "
    "labels aggregate.",
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
@click.option("--contact", default="", help="Whom to contact about it, for the data card.")
@click.option("--dry-run", is_flag=True, help="Print what it would contain, and write nothing.")
@json_option
@click.pass_obj
def release_create(folder: Path | None, /, name: str, **options: Any) -> None:
    """Freeze labeled photos into releases/NAME.

    Strategies: majority takes all photos that more labelers call correct than not; threshold draws
    from those with a high selection frequency; top takes those with the highest; matched draws so
    that selection frequencies are distributed as in other labels.

    With --labels, a candidate's votes are first brought together into one label, and only what is
    labeled correct can be taken; threshold and top still go by selection frequencies, and matched
    takes no --labels. A ruling wins over both. Confidence is the label's share of the votes; of
    dawid-skene it is its probability.

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
    if options["multilabel"] or options["earlier"] or options["allow_unanswered"]:
        _create_multilabel(folder, name, options)
        return
    from dataclasses import asdict

    from genset.release.freeze import create, dry_run

    as_json = options["as_json"]
    with opened(folder, originals="read") as (workspace, store):
        plan = _plan(options, store)
        if options["dry_run"]:
            seen = dry_run(workspace, store, plan)
            text = "\n".join([f"{name} would have, and nothing was written:", *seen.lines()])
            show({"name": name, **asdict(seen)}, text, as_json)
            return
        made = create(workspace, store, name, plan, options["contact"])
    show(_release_summary(made), "\n".join(_made_lines(made)), as_json)


def _made_lines(made: "Release") -> list[str]:
    return [
        f"{made.root}: {len(made.photos)} photos of {len(made.wnids)} classes",
        f"  {made.content_hash}",
        *(f"  left out: {count} {reason}" for reason, count in made.left_out.items()),
    ]


def _create_multilabel(folder: Path | None, name: str, options: dict[str, Any]) -> None:
    """``release create --from RELEASE --multilabel``."""
    from dataclasses import asdict

    from genset.release.exclusions import Exclusion
    from genset.release.multilabel.again import Earlier
    from genset.release.multilabel.freeze import create_multilabel, plan_multilabel, summary

    _check_multilabel(options)
    as_json = options["as_json"]
    with opened(folder, originals="read") as (workspace, store):
        earlier = Earlier.read(_named(workspace.root, options["earlier"]))
        files: dict[str, Any] = {
            "exclude": tuple(map(Exclusion.read, map(Path, options["exclude"]))),
            "labels": earlier.method and _aggregated(store, earlier.method, **earlier.whose),
        }
        if options["dry_run"]:
            seen = plan_multilabel(workspace, store, earlier, **files)
            text = "\n".join([f"{name} would have, and nothing was written:", *seen.lines()])
            answer = {"name": name, **asdict(seen.preview), "multilabel": seen.multilabel}
            show(answer, text, as_json)
            return
        made = create_multilabel(
            workspace,
            store,
            name,
            earlier,
            **files,
            contact=options["contact"],
            allow_unanswered=options["allow_unanswered"],
        )
    told = made.multilabel or {}
    answer = {**_release_summary(made), "multilabel": told}
    show(answer, "\n".join([*_made_lines(made), *summary(told)]), as_json)


_WITH_FROM = (
    "earlier",
    "multilabel",
    "allow_unanswered",
    "exclude",
    "contact",
    "dry_run",
    "as_json",
)


def _check_multilabel(options: dict[str, Any]) -> None:
    """Refuse words that do not go with --from and --multilabel, or one without the other."""
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
    if "duplicates" in options["exclude"]:
        raise BadInput(
            "--exclude duplicates does not go with --from: similar photos are left out as "
            f"{options['earlier']} did"
        )


def _plan(options: dict[str, Any], store: "Store") -> "ReleasePlan":
    from genset.licenses import choose_licenses
    from genset.release.choose import ReleasePlan
    from genset.release.exclusions import Exclusion
    from genset.release.strategies import Reference, strategy

    words = ("per_class", "min_labels", "threshold", "relax", "reference", "fill_up")
    given = {word: options[word] for word in words if options[word] not in (None, False)}
    if "reference" in given and options["strategy"] == "matched":
        given["reference"] = Reference.read(given["reference"])
    return ReleasePlan(
        strategy=strategy(options["strategy"], given),
        seed=options["seed"],
        panel=options["panel"],
        labels=_labels(options["labels"], store, options["panel"]),
        min_confidence=options["min_confidence"],
        licenses=choose_licenses(options["licenses"]),
        sources=options["sources"],
        max_per_owner=options["max_per_owner"],
        balance=options["balance"],
        exclude=tuple(
            Exclusion.read(Path(word)) for word in options["exclude"] if word != "duplicates"
        ),
        one_of_each="duplicates" in options["exclude"],
    )


def _labels(given: str | None, store: "Store", measuring: str | None) -> "AggregatedLabels | None":
    """What --labels names: a method, applied to the votes that may choose, or a file."""
    from genset.release.aggregated import AggregatedLabels

    if given is None:
        return None
    if given not in METHODS:
        if not Path(given).is_file():
            raise BadInput(f"--labels takes {', '.join(METHODS)} or a file, not {given!r}")
        return AggregatedLabels.read(Path(given))
    return _aggregated(store, given, without=measuring)


def _aggregated(
    store: "Store", method: str, panel: str | None = None, without: str | None = None
) -> "AggregatedLabels":
    """The labels that a method makes of the votes of a panel, or of all but one."""
    from genset.label.exchange.opinions import opinions
    from genset.release.aggregated import AggregatedLabel, AggregatedLabels
    from genset.store import Verdict

    found = opinions(store, method, panel, without)
    by_task = {
        task: AggregatedLabel(Verdict(each.label) if each.label else None, found.confidence[task])
        for task, each in found.by_task.items()
    }
    return AggregatedLabels(method, by_task, found.panel, found.without, found.digest)


@release.command("verify")
@click.argument("name")
@json_option
@click.pass_obj
def release_verify(folder: Path | None, name: str, as_json: bool) -> None:
    """Compare every byte of a release (a name, or a folder's path) with its manifest.

    \b
    genset release verify v1
    """
    found = _named(folder, name)
    try:
        found.verify()
    except ReleaseDamaged as damage:
        click.echo("\n".join(damage.problems), err=True)
        raise
    text = f"{found.name}: {len(found.photos)} photos are what the manifest says"
    show(_release_summary(found), text, as_json)


@release.command("takedown")
@click.argument("name")
@json_option
@click.pass_obj
def release_takedown(folder: Path | None, name: str, as_json: bool) -> None:
    """Make NAME.1: release NAME without the photos that genset remove took out of the pool.

    \b
    genset remove flickr:6061409035 --reason "its owner asked on 3 May"
    genset release takedown v1
    """
    from genset.release.reader import Release
    from genset.release.takedown import takedown

    with opened(folder) as (workspace, store):
        done = takedown(workspace, store, Release(workspace.releases / name))
    lines = [
        f"{done.new.root}: {len(done.new.photos)} photos; {len(done.removed)} taken out",
        *(f"  removed: {file}" for file in done.removed),
        f"  {done.old.root} still has them: delete it, and tell those who have a copy",
    ]
    answer = {**_release_summary(done.new), "replaces": done.old.name, "removed": done.removed}
    show(answer, "\n".join(lines), as_json)


@release.command("diff")
@click.argument("one")
@click.argument("other")
@json_option
@click.pass_obj
def release_diff(folder: Path | None, one: str, other: str, as_json: bool) -> None:
    """Print the differences between two releases (names, or folders' paths).

    \b
    genset release diff v1 v1.1
    """
    from dataclasses import asdict

    from genset.release.diff import diff

    found = diff(_named(folder, one), _named(folder, other))
    show(asdict(found), "\n".join(found.lines()), as_json)


@release.command("export")
@click.argument("name")
@click.option(
    "--format",
    "kind",
    type=click.Choice(
        ["imagefolder", "webdataset", "parquet", "huggingface", "manifest", "fiftyone"]
    ),
    required=True,
    help="The format to write.",
)
@click.option("--to", type=PATH, help="The folder to write (default: NAME-FORMAT, here).")
@json_option
@click.pass_obj
def release_export(
    folder: Path | None, name: str, kind: str, to: Path | None, as_json: bool
) -> None:
    """Write a release (a name, or a folder's path) in a format that other tools load.

    \b
    genset release export v1 --format webdataset
    genset release export v1 --format manifest --to v1-to-share
    """
    from dataclasses import asdict

    from genset.release.export import export

    found = _named(folder, name)
    done = export(found, kind, to or Path(f"{found.name}-{kind}"))
    text = f"{done.folder}: {done.photos} photos as {done.format}"
    if done.reserved:
        text += (
            f"\n  all rights are reserved in {done.reserved} of them, which are not yours to hand "
            "on: share --format manifest"
        )
    show(asdict(done), text, as_json)


def _named(folder: Path | None, name: str) -> "Release":
    """A release by its folder's path, or by its name in the workspace."""
    from genset.release.reader import MANIFEST, Release

    path = Path(name)
    if not (path / MANIFEST).is_file():
        path = Workspace.find(folder).releases / name
    return Release(path)


def _release_summary(found: "Release") -> dict[str, Any]:
    return {
        "name": found.name,
        "path": str(found.root),
        "content_hash": found.content_hash,
        "photos": len(found.photos),
        "classes": len(found.wnids),
        "left_out": found.left_out,
    }
