"""What a report is asked for."""

from dataclasses import dataclass
from pathlib import Path

from genset.comparison.references.sets import Named
from genset.core.errors import BadInput
from genset.sets.photos import Sampling
from genset.statistics.bootstrap import STANDARD, Resampling


def parse_entry(words: str) -> tuple[Path, str]:
    """What ENTRY=MODEL asks for; the last "=" counts, since a path may hold others.

    That is an entry's log, or the folder of its runs, and the model that this training gave.

    Raises:
        BadInput: there is no "=" with words on both sides.
    """
    log, _, model = words.rpartition("=")
    if not (log and model):
        raise BadInput(f"--tta {words}: write ENTRY=MODEL, such as runs/fast.tsv=resnet50")
    return Path(log), model


def parse_counterpart(words: str) -> tuple[str, str]:
    """What PRETRAINED or MODEL=PRETRAINED asks for; the last "=" counts.

    That is the model that is held against a pretrained one ("" for every entry's), and that one.

    Raises:
        BadInput: no model is named.
    """
    model, _, counterpart = words.rpartition("=")
    if not counterpart:
        raise BadInput(f"--counterpart {words}: write MODEL=PRETRAINED, such as fast=resnet50")
    return model, counterpart


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What a report is asked for beyond the runs.

    Attributes:
        reference: the set, table or file of accuracies elsewhere; "": ImageNet's validation set,
            where the classes are ImageNet's; "none" for none.
        set_is: which well-known set the photos are, "other" for none; None: find out.
        lower, upper: the models between which the others are placed; "" for none.
        k: a further number of answers to count a hit among, beside 1 and 5; 0 for none.
        tta: training logs, each with the model that it gave.
        tta_threshold: for all of these, in their scores' unit; None for each task's own.
        counterparts: of a model ("" for all of those), the pretrained one it is held against.
        margin: how many points worse than that still counts as not worse; None with no counterpart.
        resampling: how classes are resampled for intervals.
        classes: whether the classes are a "sample" or "fixed"; None: as the set has it.
        compare: an older report of these models, as JSON, to say what changed since.
        include_flagged: count models, too, whose answers as a whole cannot be right.
        include_restricted: show photos, too, that no licence lets others hand on.
        named: what the set was called on the command line; "" for the set's own name.
        others: what the sets that it is compared with were called there.
        taxonomy: what its classes were called there; "" where the set says them itself.
    """

    reference: str = ""
    set_is: Named | None = None
    lower: str = ""
    upper: str = ""
    k: int = 0
    tta: tuple[tuple[Path, str], ...] = ()
    tta_threshold: float | None = None
    counterparts: tuple[tuple[str, str], ...] = ()
    margin: float | None = None
    resampling: Resampling = STANDARD
    classes: Sampling | None = None
    compare: Path | None = None
    include_flagged: bool = False
    include_restricted: bool = False
    named: str = ""
    others: tuple[str, ...] = ()
    taxonomy: str = ""


PLAIN = ReportOptions()
