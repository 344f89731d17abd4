"""``genset release create --from RELEASE --multilabel``."""

from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from genset.cli.common import opened, show
from genset.cli.release.common import made_lines, named, release_summary
from genset.cli.release.plan import aggregated
from genset.core.errors import BadInput


def create_multilabel_release(folder: Path | None, name: str, options: dict[str, Any]) -> None:
    """Freeze or preview it, and print what it has."""
    from dataclasses import asdict

    from genset.cli.release.licenses import Recheck, recheck
    from genset.cli.release.opted_out import honour
    from genset.release.exclusions import Exclusion
    from genset.release.multilabel.again import Earlier
    from genset.release.multilabel.freeze import (
        chosen_for_multilabel,
        create_multilabel,
        plan_multilabel,
        summary,
    )
    from genset.release.publish import free_folder

    _check_multilabel(options)
    as_json = options["as_json"]
    with opened(folder, originals="read") as (workspace, store):
        earlier = Earlier.read(named(workspace.root, options["earlier"]))
        files: dict[str, Any] = {
            "exclude": tuple(map(Exclusion.read, map(Path, options["exclude"]))),
            "labels": earlier.method and aggregated(store, earlier.method, **earlier.whose),
        }
        opted_out, lines = honour(workspace, store)
        if options["dry_run"]:
            seen = plan_multilabel(workspace, store, earlier, **files)
            head = f"{name} would have, and nothing was written:"
            text = "\n".join([head, *seen.lines(), *lines])
            answer = {"name": name, **asdict(seen.preview), "multilabel": seen.multilabel}
            answer |= opted_out
            show(answer, text, as_json)
            return
        files["allow_unanswered"] = options["allow_unanswered"]
        checked = Recheck()
        if not options["no_refresh"]:
            free_folder(workspace.releases, name)  # before anybody is asked
            chosen = partial(chosen_for_multilabel, workspace, store, earlier, **files)
            checked = recheck(workspace, store, chosen, options["give_up_after"])
        made = create_multilabel(
            workspace, store, name, earlier, **files, contact=options["contact"]
        )
    told = made.multilabel or {}
    answer = {**release_summary(made), "multilabel": told, **opted_out}
    answer["licenses"] = asdict(checked)
    lines += [*checked.lines(), *summary(told)]
    show(answer, "\n".join([*made_lines(made), *lines]), as_json)


_WITH_FROM = (
    "earlier",
    "multilabel",
    "allow_unanswered",
    "exclude",
    "contact",
    "dry_run",
    "no_refresh",
    "give_up_after",
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
