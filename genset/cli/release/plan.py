"""From the words of ``genset release create`` to a plan."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from genset.aggregators import METHODS
from genset.core.errors import BadInput

if TYPE_CHECKING:
    from genset.db import Store
    from genset.release.aggregated import AggregatedLabels
    from genset.release.choosing.plan import ReleasePlan


def read_plan(options: dict[str, Any], store: "Store") -> "ReleasePlan":
    """What the words of ``release create`` ask for."""
    from genset.licenses import choose_licenses
    from genset.release.choosing.plan import ReleasePlan
    from genset.release.exclusions import Exclusion
    from genset.release.strategies import Reference, strategy

    words = ("per_class", "min_labels", "threshold", "relax", "reference", "fill_up")
    # A threshold of 0 is said, though 0 == False.
    said = (word for word in words if not (options[word] is None or options[word] is False))
    given = {word: options[word] for word in said}
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
    return aggregated(store, given, without=measuring)


def aggregated(
    store: "Store", method: str, panel: str | None = None, without: str | None = None
) -> "AggregatedLabels":
    """The labels that a method makes of the votes of a panel, or of all but one."""
    from genset.db import Verdict
    from genset.label.exchange.opinions import opinions
    from genset.release.aggregated import AggregatedLabel, AggregatedLabels

    found = opinions(store, method, panel, without)
    by_task = {
        task: AggregatedLabel(Verdict(each.label) if each.label else None, found.confidence[task])
        for task, each in found.by_task.items()
    }
    return AggregatedLabels(method, by_task, found.panel, found.without, found.digest)
