"""From a protocol and a window of time to what is scraped, and to the release's plan."""

from dataclasses import asdict, replace

from genset import __version__
from genset.classes import ImageClass, Taxonomy
from genset.core.errors import BadInput
from genset.db.taxonomies import differs_by
from genset.licenses import choose_licenses
from genset.net.pauses import RetryPolicy
from genset.protocols.protocol import Collecting, Protocol, Window
from genset.protocols.standing import Standing
from genset.release.choosing.plan import ReleasePlan
from genset.release.collected import Collected
from genset.release.exclusions import Exclusion
from genset.scrape.collect.plan import ScrapePlan
from genset.sources.registry import source_class
from genset.sources.source import Source
from genset.workspace import SETTINGS_FILE, Workspace

# Of the settings on labels, those that change what a vote means, or how many there are.
_OF_VOTES = ("votes", "grow_to", "threshold", "gold", "hold_suspects", "guideline")


def check_settings(protocol: Protocol, workspace: Workspace) -> None:
    """Check that photos are labeled in this workspace as the protocol has it.

    Raises:
        BadInput: a setting differs.
    """
    kept, now = asdict(protocol.label), asdict(workspace.label)
    for name in _OF_VOTES:
        if kept[name] != now[name]:
            raise BadInput(
                f"{workspace.root / SETTINGS_FILE}: [label] {name} is {_written(now[name])}, and "
                f"protocol {protocol.name} has {_written(kept[name])}: set it so, or save another "
                "protocol"
            )


def check_classes(protocol: Protocol, taxonomy: Taxonomy) -> None:
    """Check that the protocol's classes are this workspace's, and mean the same.

    Raises:
        BadInput: they are not, or do not.
    """
    theirs = protocol.taxonomy
    if theirs.name != taxonomy.name:
        raise BadInput(
            f"protocol {protocol.name} is of the classes of {theirs.name}, and this workspace of "
            f"those of {taxonomy.name}: run it in a workspace of {theirs.name}"
        )
    for cls in protocol.classes:
        asks = f"protocol {protocol.name} asks for {cls.wnid}"
        if (here := taxonomy.get(cls.wnid)) is None:
            raise BadInput(f"{asks}: this workspace has no such class")
        if key := differs_by(here, theirs[cls.wnid]):
            raise BadInput(
                f"{asks} with another {key} than this workspace: save another protocol, or give "
                f"the class that {key}"
            )


def scrape_plans(protocol: Protocol, window: Window, workspace: Workspace) -> list[ScrapePlan]:
    """What is wanted of each source.

    Raises:
        BadInput: as for `searched`.
    """
    collect = protocol.collect
    return [
        ScrapePlan(
            classes=classes,
            per_class=collect.per_class,
            posted_after=window.after,
            posted_before=window.before,
            licenses=choose_licenses(collect.licenses),
            min_size=collect.min_size,
            retries=RetryPolicy(workspace.tries, workspace.retry_hours),
            query_list=collect.query_list,
            source=source,
            taken_after=window.after if collect.taken_in_window else None,
            taken_unknown=collect.taken_unknown,
        )
        for source, classes in searched(collect, protocol.classes).items()
    ]


def searched(
    collect: Collecting, classes: tuple[ImageClass, ...]
) -> dict[type[Source], tuple[ImageClass, ...]]:
    """Which of the classes each source can be searched for; sources that have none are left out.

    Raises:
        BadInput: there is no such source, it cannot tell the licences, or none has any class.
    """
    found = {}
    licenses = choose_licenses(collect.licenses)
    for source in map(source_class, collect.sources):
        if licenses is not None:
            source.licenses(licenses)
        if known := tuple(cls for cls in classes if source.queries(cls)):
            found[source] = known
    if not found:
        names = ", ".join(collect.sources)
        raise BadInput(f"{names}: these classes cannot be searched for there")
    return found


def release_plan(
    protocol: Protocol,
    window: Window,
    plan: ReleasePlan,
    standing: Standing,
    earlier: tuple[Exclusion, ...],
) -> ReleasePlan:
    """The plan that the protocol's words give, of what it collected in a window alone.

    Raises:
        BadInput: this genset chooses by another rule than the one that saved the protocol.
    """
    if (now := rule_of(plan)) != protocol.rule:
        raise BadInput(
            f"genset {__version__} chooses by {now}, and protocol {protocol.name} by "
            f"{dict(protocol.rule)}: install genset {protocol.genset}, or save another protocol"
        )
    collected = Collected(
        protocol=protocol.name,
        sha256=protocol.sha256,
        genset=protocol.genset,
        posted_after=window.posted_after,
        posted_before=window.posted_before,
        tasks=standing.tasks,
        classes=tuple(cls.wnid for cls in protocol.classes),
        earlier=earlier,
    )
    return replace(plan, collected=collected)


def rule_of(plan: ReleasePlan) -> dict[str, object]:
    """What a manifest says of a choice, but for the votes that it was made by."""
    of_votes = ("labels", "min_confidence")
    return {name: value for name, value in plan.as_json().items() if name not in of_votes}


def _written(value: object) -> str:
    """A setting as genset.toml has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(list(value) if isinstance(value, tuple) else value)
