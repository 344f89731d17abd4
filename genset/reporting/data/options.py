"""What a report is asked for. Making these loads no NumPy: see `genset.reporting.inputs`."""

from dataclasses import dataclass
from pathlib import Path

from genset.errors import BadInput
from genset.evaluation.results.references.sets import Named
from genset.statistics.resampling import STANDARD, Resampling


@dataclass(frozen=True, slots=True)
class EntrySpec:
    """An entry's log, or the folder of its runs, and the model that this training gave."""

    log: Path
    model: str


def parse_entry(words: str) -> EntrySpec:
    """What ENTRY=MODEL asks for; the last "=" counts, since a path may hold others.

    Raises:
        BadInput: there is no "=" with words on both sides.
    """
    log, _, model = words.rpartition("=")
    if not (log and model):
        raise BadInput(f"--tta {words}: write ENTRY=MODEL, such as runs/fast.tsv=resnet50")
    return EntrySpec(Path(log), model)


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What a report is asked for beyond the runs.

    Attributes:
        reference: the set, table or file of accuracies elsewhere; "": ImageNet's validation set,
            where the classes are ImageNet's; "none" for none.
        set_is: which well-known set the photos are, "other" for none; None: find out.
        real_labels: a file with all classes that each photo shows.
        lower, upper: the models between which the others are placed; "" for none.
        k: a further number of answers to count a hit among, beside 1 and 5; 0 for none.
        tta: training logs in DAWNBench's format, each with the model that it gave.
        resampling: how classes are resampled for intervals.
        include_flagged: count models, too, whose answers as a whole cannot be right.
        named: what the set was called on the command line; "" for the set's own name.
    """

    reference: str = ""
    set_is: Named | None = None
    real_labels: Path | None = None
    lower: str = ""
    upper: str = ""
    k: int = 0
    tta: tuple[EntrySpec, ...] = ()
    resampling: Resampling = STANDARD
    include_flagged: bool = False
    named: str = ""


PLAIN = ReportOptions()
