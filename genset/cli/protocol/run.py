"""The command that makes the next release of a series."""

from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset import __version__
from genset.cli.common import DAY, give_up_option, json_option, opened, show
from genset.cli.pool.scrape import raise_first, scrape_plans, told_of
from genset.cli.release.common import made_lines, release_summary
from genset.cli.release.plan import read_plan
from genset.core.errors import BadInput, GensetError
from genset.core.numbers import count

if TYPE_CHECKING:
    from genset.db import Store
    from genset.protocols.protocol import Protocol, Window
    from genset.protocols.standing import Standing
    from genset.release.choosing.plan import ReleasePlan
    from genset.release.reader import Release
    from genset.workspace import Workspace


@click.command("run")
@click.argument("name")
@click.option(
    "--posted-after",
    type=DAY,
    help="The window's first day (UTC); with --posted-before (default: the protocol's own window).",
)
@click.option("--posted-before", type=DAY, help="The day before which it ends.")
@click.option("--release", "called", metavar="NAME", help="The release (default: PROTOCOL-YEAR).")
@click.option(
    "--earlier",
    multiple=True,
    metavar="RELEASE",
    help="A further release, by name or folder, whose photos must not come again. Those of "
    "releases here with photos posted before the window, and of the protocol's other windows, do "
    "not anyway.",
)
@click.option(
    "--no-search",
    is_flag=True,
    help="Ask no source for anything: freeze what was collected, by licences as last seen.",
)
@click.option("--retry-failed", is_flag=True, help="Try photos again that were refused.")
@give_up_option
@json_option
@click.pass_obj
def run_command(
    folder: Path | None,
    /,
    name: str,
    posted_after: datetime | None,
    posted_before: datetime | None,
    called: str | None,
    earlier: tuple[str, ...],
    no_search: bool,
    retry_failed: bool,
    give_up_after: float | None,
    as_json: bool,
) -> None:
    """Make the release of a window by a protocol: collect, and once all is labeled, freeze.

    Run it once to search and download. Label what it found (genset label), and run it again: it
    freezes the release when every candidate has its votes. Photos that are in earlier releases, or
    are near duplicates of theirs, are left out and counted. Licences that were last seen more than
    30 days ago are asked for again before, as genset release create does.

    \b
    genset protocol run imagenet-2026
    genset protocol run imagenet-2026 --posted-after 2027-01-01 --posted-before 2028-01-01
    """
    from genset.cli.release.licenses import Recheck, recheck
    from genset.cli.release.opted_out import honour
    from genset.protocols.kept import find_protocol, releases_of, window_of
    from genset.protocols.standing import standing
    from genset.protocols.windows import check_classes, check_settings
    from genset.protocols.windows import scrape_plans as plans_of
    from genset.release.freeze import chosen_photos, create
    from genset.release.publish import free_folder

    with opened(folder, originals="store") as (workspace, store):
        protocol = find_protocol(workspace, name)
        window = _window(protocol, posted_after, posted_before)
        others = {each.name: window_of(each, protocol) for each in releases_of(workspace, protocol)}
        called = called or next(
            (name for name, of in others.items() if of == window),
            f"{protocol.name}-{window.short_name}",
        )
        answer: dict[str, Any] = {
            "protocol": protocol.name,
            "window": [window.posted_after, window.posted_before],
        }
        if (made := _made_before(workspace, called, protocol, window)) is not None:
            _show_made(answer, made, ["it was frozen before:"], as_json)
            return
        check_classes(protocol, store.taxonomy)
        check_settings(protocol, workspace)
        plans = plans_of(protocol, window, workspace)
        lines: list[str] = []
        if not no_search:
            seeded = replace(workspace, seed=protocol.collect.seed)
            came = scrape_plans(seeded, store, plans, retry_failed, give_up_after)
            answer["collected"], lines = told_of(store, plans, came, len(plans) > 1)
            try:
                raise_first(plans, came, len(plans) > 1, few_do=True)
            except GensetError:
                show(answer, "\n".join(lines), as_json)
                raise
        honour(workspace, store)  # the list may have grown since the search
        now = standing(store, protocol, plans)
        answer |= {"candidates": len(now.tasks), "waiting": now.waiting}
        if not (now.tasks or now.missing):
            show(answer, "\n".join(lines), as_json)
            raise GensetError(
                f"no photo of protocol {protocol.name} was found in the window from "
                f"{window.posted_after} until before {window.posted_before}"
            )
        if reason := _why_not_yet(now, window):
            then = "" if now.missing else ", and then run the same command again"
            lines.append(f"{called} is not frozen: {reason}{then}")
            show({**answer, "frozen": None, "why": reason}, "\n".join(lines), as_json)
            return
        free_folder(workspace.releases, called)  # before anybody is asked
        plan = _plan(workspace, store, protocol, window, now, earlier)
        checked = Recheck()
        if not no_search:
            chosen = partial(chosen_photos, workspace, store, plan)
            checked = recheck(workspace, store, chosen, give_up_after, "--no-search")
        answer["licenses"] = asdict(checked)
        lines += [*checked.lines(), *_beside(called, protocol, window, others)]
        try:
            made = create(workspace, store, called, plan)
        except BadInput:  # another run may have been faster
            if (made := _made_before(workspace, called, protocol, window)) is None:
                raise
            lines.append("another run froze it meanwhile:")
    _show_made(answer, made, lines, as_json)


def _window(
    protocol: "Protocol", posted_after: datetime | None, posted_before: datetime | None
) -> "Window":
    """The window that is asked for.

    Raises:
        BadInput: one of its ends is missing, or it has not begun.
    """
    from genset.protocols.protocol import Window

    if posted_after is None and posted_before is None:
        return protocol.window
    if posted_after is None or posted_before is None:
        raise BadInput("a window has two ends: give --posted-after and --posted-before")
    window = Window(posted_after.date().isoformat(), posted_before.date().isoformat())
    if window.after > datetime.now(UTC):
        raise BadInput(
            f"--posted-after is {window.posted_after}, a day to come: no photo is posted since"
        )
    return window


def _made_before(
    workspace: "Workspace", called: str, protocol: "Protocol", window: "Window"
) -> "Release | None":
    """The release of this name, where it is the one asked for; None where there is none.

    Raises:
        BadInput: it is another one.
    """
    from genset.release.reader import MANIFEST, Release

    if not (workspace.releases / called / MANIFEST).is_file():
        return None
    made = Release(workspace.releases / called)
    told = made.protocol or {}
    asked = (protocol.sha256, window.posted_after, window.posted_before)
    if tuple(map(told.get, ("sha256", "posted_after", "posted_before"))) != asked:
        raise BadInput(
            f"release {called} exists, and is not of this window of protocol {protocol.name}: "
            "give another name with --release"
        )
    return made


def _beside(
    called: str, protocol: "Protocol", window: "Window", others: "dict[str, Window | None]"
) -> list[str]:
    """What a maintainer should know of the version that saved the protocol, and of its releases."""
    lines = []
    if protocol.genset != __version__:
        lines.append(
            f"genset {protocol.genset} saved this protocol, and this is genset {__version__}: both "
            "choose by the same rule"
        )
    for name, of in others.items():
        if of == window and name != called:
            lines.append(f"{name} is of this window too")
        elif of and max(of.after, window.after) < min(of.before, window.before):
            lines.append(
                f"the window of {name} (from {of.posted_after} until before {of.posted_before}) "
                f"overlaps this one: photos of {name} are left out, so the two are not alike"
            )
    return lines


def _why_not_yet(now: "Standing", window: "Window") -> str | None:
    """Why a release cannot be frozen yet, and what to do; None where it can."""
    if now.missing:
        return (
            f"{count(now.missing, 'class is', 'classes are')} not collected yet: leave out "
            "--no-search"
        )
    if window.before > datetime.now(UTC):
        return f"its window ends on {window.posted_before}: wait until then"
    if now.waiting:
        lack = "lacks" if now.waiting == 1 else "lack"
        of = count(len(now.tasks), "candidate")
        return f"{now.waiting:,} of {of} {lack} votes: label them with genset label"
    return None


def _plan(
    workspace: "Workspace",
    store: "Store",
    protocol: "Protocol",
    window: "Window",
    now: "Standing",
    earlier: tuple[str, ...],
) -> "ReleasePlan":
    """How the window's release is chosen: as the protocol says, without photos of earlier ones."""
    from genset.protocols.earlier import as_exclusions, earlier_releases
    from genset.protocols.protocol import words_of
    from genset.protocols.windows import release_plan
    from genset.scrape.upkeep.duplicates import propose

    # Each year in the same way, whether or not somebody said genset duplicates before.
    propose(workspace, store, ())
    others = as_exclusions(store, earlier_releases(workspace, protocol, window, earlier))
    plan = read_plan(words_of(protocol), store)
    return release_plan(protocol, window, plan, now, others)


def _show_made(answer: dict[str, Any], made: "Release", lines: list[str], as_json: bool) -> None:
    told = (made.protocol or {}).get("earlier", ())
    again = {
        each["name"]: made.left_out.get(f"looks like a photo of {each['name']}", 0) for each in told
    }
    lines = [*lines, *made_lines(made)]
    if again:
        sums = ", ".join(f"{number:,} of {name}" for name, number in again.items())
        lines.append(f"  photos of earlier releases, or near duplicates of theirs: {sums}")
    show({**answer, "frozen": release_summary(made), "earlier": again}, "\n".join(lines), as_json)
