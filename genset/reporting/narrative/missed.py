"""What a report says, in sentences, of photos that every leading model gets wrong."""

from collections.abc import Sequence

from genset.classes import Taxonomy
from genset.comparison.missed import FEWEST_LEADING, CommonMiss
from genset.core.numbers import NONE, count, ends, percent
from genset.core.safe import clean
from genset.reporting.data.missed import MissedPhoto, MissedTogether
from genset.reporting.format import class_name
from genset.statistics.intervals import wilson

_FEW = 20  # photos of which a share would say little
_NAMED = 8  # models; of many weak results nearly all lead


def sentences(found: MissedTogether) -> list[str]:
    """How many they are, and on how many the models are of one mind."""
    said = [
        f"Leading are {_some(found.leading)}: the best model and those that cannot be told apart "
        f"from it, and at least the best {FEWEST_LEADING}.{_aside(found.aside)} Of the "
        f"{count(found.counted, 'photo')} that count for all of them they all get "
        f"{found.missed:,} wrong"
        + (f"; {found.without:,} without a right class left out." if found.without else ".")
    ]
    if not found.missed:
        return said
    share = ""
    if found.missed >= _FEW:
        found_share = percent(found.unanimous / found.missed, found.missed)
        interval = ends(wilson(found.unanimous, found.missed), found.missed)
        share = f" ({found_share} %, 95 % interval {interval} %)"
    said.append(
        f"On {found.unanimous:,} of these{share} they give one and the same answer: look for wrong "
        "labels, and for classes that are right too, there first."
    )
    return said


def _some(labels: Sequence[str]) -> str:
    more = len(labels) - _NAMED
    names = ", ".join(clean(label, 60) for label in labels[:_NAMED])
    return f"{names} and {more:,} more" if more > 0 else names


def _aside(labels: Sequence[str]) -> str:
    return f" Left aside, for they answered fewer photos: {_some(labels)}." if labels else ""


DEFINITION = (
    "How severe an error is, is the distance in WordNet between the answer and the nearest right "
    "class: the height of their lowest common ancestor, from 1 (two kinds of one thing) "
    "to {height}. A photo is as severe as the leading model’s answer that is nearest; among equals "
    "those come first on which more models agree. Two classes that mean much the same may be far "
    "apart in WordNet (sunglass, sunglasses): such photos come too high. Labels that are mended "
    "only where models err make these models look better: look at a random share of other photos, "
    "too."
)


WITHOUT_DISTANCES = (
    "Classes of this set have no hypernyms, so that it is not known how severe an error is: those "
    "come first on which more models agree. Labels that are mended only where models err make "
    "these models look better: look at a random share of other photos, too."
)


def definition(found: MissedTogether) -> str:
    """How they are sorted, and what that can lead to."""
    return DEFINITION.format(height=found.height) if found.height else WITHOUT_DISTANCES


def names(missed: CommonMiss, own: Taxonomy | None = None) -> list[str]:
    """The photo's right classes, its own first; `own` is the set's taxonomy, if not ImageNet's."""
    return [class_name(wnid, own) for wnid in missed.right]


def right(missed: CommonMiss, own: Taxonomy | None = None) -> str:
    """The same in a line."""
    return ", ".join(names(missed, own))


def steps(missed: CommonMiss) -> str:
    """How severe it is; a dash where that is not known."""
    return f"{missed.severity}" if missed.severity else NONE


def agreement(missed: CommonMiss) -> str:
    """How far off they are, and how many say the same."""
    models = len(missed.answers)
    if missed.unanimous:
        said = f"all {models} say the same"
    elif missed.agreeing > 1:
        said = f"{missed.agreeing} of {models} say the same"
    else:
        said = "each says something else"
    return f"{count(missed.severity, 'step')} off; {said}" if missed.severity else said


def name(found: MissedPhoto) -> str:
    """What a photo is called: at its source, or by its place in the set."""
    record = found.record
    return f"{record.source}:{record.source_id}" if record else found.missed.image


def answers(missed: CommonMiss, own: Taxonomy | None = None) -> list[tuple[str, int]]:
    """The models' answers with how many give each, the commonest first."""
    said = [answer.wnid for answer in missed.answers]
    different: Sequence[str] = sorted(set(said), key=lambda wnid: (-said.count(wnid), wnid))
    return [(class_name(wnid, own), said.count(wnid)) for wnid in different]
