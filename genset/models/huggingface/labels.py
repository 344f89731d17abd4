"""Which class each output stands for, by the labels that a model's configuration has.

A label is a wnid, a number (a class's place among the sorted wnids), or names: WordNet's lemmas, as
in "tench, Tinca tinca". Names are not unique (two classes are called crane), so 1,000 labels are
first held against the sorted order as a whole. What cannot be told is refused, never guessed.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from genset.classes import ImageClass, imagenet1k
from genset.core.errors import BadInput
from genset.core.numbers import agree
from genset.models.classes import BACKGROUND

# Of 1,000 labels, so many must name the class at their place, and none another, to take the rest,
# whose names WordNet does not have, by their place too.
_ENOUGH = 900

# A label that names no class of ImageNet-1k.
_OTHER = "?"

WNID = re.compile(r"(n\d{8})\b")


@dataclass(frozen=True, slots=True)
class Matched:
    """What outputs stand for.

    Attributes:
        order: the wnid of each output that is kept, `BACKGROUND` for one that is no class.
        kept: the outputs that are kept, by number; None: all.
        note: what to say of it; "" for nothing.
    """

    order: tuple[str, ...]
    kept: tuple[int, ...] | None = None
    note: str = ""


def match_labels(labels: Sequence[str]) -> Matched:
    """The classes that labels stand for.

    Raises:
        BadInput: labels do not say it; the message names the first of them.
    """
    if all(re.fullmatch(r"LABEL_\d+", label) for label in labels):
        raise BadInput(
            f"its {len(labels):,} labels are LABEL_0, LABEL_1, ..., which name no classes; say "
            "what its outputs stand for with classes=FILE, or classes=imagenet1k if they are "
            "ImageNet's 1,000 in sorted order"
        )
    if all(WNID.match(label) or is_none(label) for label in labels):
        return _by_wnid([label if is_none(label) else label[:9] for label in labels])
    if all(re.fullmatch(r"\d{1,3}", label) or is_none(label) for label in labels):
        return _by_number(labels)
    return _by_name(labels)


def is_none(label: str) -> bool:
    return label.casefold() == "background"


def _by_wnid(labels: Sequence[str]) -> Matched:
    order = [BACKGROUND if is_none(label) else label for label in labels]
    repeated = next((wnid for wnid in order if wnid and order.count(wnid) > 1), None)
    if repeated:
        raise BadInput(f"two of its labels are {repeated}")
    return _among(order)


def _among(order: Sequence[str]) -> Matched:
    """Keep the outputs that are ImageNet's classes or none, if there are others."""
    taxonomy = imagenet1k()
    kept = [n for n, wnid in enumerate(order) if wnid in taxonomy or wnid == BACKGROUND]
    known = tuple(order[n] for n in kept)
    if not any(known):
        raise BadInput("none of its labels is a class of ImageNet; say them with classes=FILE")
    if len(kept) == len(order):
        return Matched(known)
    classes = sum(wnid != BACKGROUND for wnid in known)
    note = f"Chooses among those {classes:,} of its {len(order):,} outputs that are in ImageNet-1k."
    return Matched(known, tuple(kept), note)


def _by_number(labels: Sequence[str]) -> Matched:
    numbers = [int(label) for label in labels if not is_none(label)]
    if len(set(numbers)) < len(numbers):
        raise BadInput("two of its labels are the same number")
    classes = imagenet1k()
    order = [
        BACKGROUND if is_none(label) else classes.by_index(int(label)).wnid for label in labels
    ]
    note = "Its labels are numbers, taken for places in the sorted order of ImageNet's wnids."
    return Matched(tuple(order), note=note)


def _by_name(labels: Sequence[str]) -> Matched:
    named = [label for label in labels if not is_none(label)]
    found = in_sorted_order(named) or _each_by_itself(named)
    order = iter(found.order)
    whole = [BACKGROUND if is_none(label) else next(order) for label in labels]
    kept = _among(whole)
    return Matched(kept.order, kept.kept, found.note or kept.note)


def in_sorted_order(labels: Sequence[str]) -> Matched | None:
    """ImageNet's own order, if 1,000 labels say it together; None where they do not."""
    classes = list(imagenet1k())
    if len(labels) != len(classes):
        return None
    names = _Names()
    strangers = []
    for label, own in zip(labels, classes, strict=True):
        meant = names.meant(label)
        if not meant:
            strangers.append(label)
        elif own.wnid not in meant:
            return None
    if len(labels) - len(strangers) < _ENOUGH:
        return None
    note = ""
    if strangers:
        no_names = agree(len(strangers), "is no name", "are no names")
        their = agree(len(strangers), "its", "their")
        note = (
            f"{len(strangers)} of its labels {no_names} of WordNet's ({_shown(strangers)}): taken "
            f"by {their} place, as the {len(labels) - len(strangers)} others stand."
        )
    return Matched(tuple(cls.wnid for cls in classes), note=note)


def _each_by_itself(labels: Sequence[str]) -> Matched:
    """Each label's class, where all can be told.

    Of more than 1,000 labels, those that name no class of ImageNet-1k are others, as in ImageNet's
    whole 21,841; all 1,000 must be among them.
    """
    names = _Names()
    meant = [names.exactly(label) or names.meant(label) for label in labels]
    taken = {next(iter(each)) for each in meant if len(each) == 1}
    # Of a name that two classes share, the other one may be taken by a label that says more.
    meant = [each - taken if len(each) > 1 and each - taken else each for each in meant]
    larger = len(labels) > len(imagenet1k())
    unclear = [
        label
        for label, each in zip(labels, meant, strict=True)
        if len(each) > 1 or (not each and not larger)
    ]
    if unclear:
        one, several = "is not one class of ImageNet", "are not one class of ImageNet each"
        are = agree(len(unclear), one, several)
        raise BadInput(
            f"{len(unclear)} of its {len(labels):,} labels {are} "
            f"({_shown(unclear)}); say what its outputs stand for with classes=FILE"
        )
    order = [next(iter(each), _OTHER) for each in meant]
    known = [wnid for wnid in order if wnid != _OTHER]
    if len(set(known)) < len(known):
        twice = next(wnid for wnid in known if known.count(wnid) > 1)
        same = [label for label, wnid in zip(labels, order, strict=True) if wnid == twice]
        raise BadInput(
            f"several of its labels are {twice} ({_shown(same)}); say what its outputs stand for "
            "with classes=FILE"
        )
    if larger and len(known) < len(imagenet1k()):
        raise BadInput(
            f"only {len(known)} of ImageNet's 1,000 classes are among its {len(labels):,} labels; "
            "say what its outputs stand for with classes=FILE"
        )
    return Matched(tuple(order))


class _Names:
    """What names may mean: wnids by their lemmas."""

    def __init__(self) -> None:
        self._by_lemma: dict[str, set[str]] = {}
        self._whole: dict[str, set[str]] = {}
        for each in imagenet1k():
            for lemma in each.lemmas:
                self._by_lemma.setdefault(plain(lemma), set()).add(each.wnid)
            self._whole.setdefault(_all_lemmas(each), set()).add(each.wnid)

    def meant(self, label: str) -> set[str]:
        """The classes that have all the names of a label, which stand between commas."""
        parts = [plain(part) for part in label.split(",")]
        found = [self._by_lemma.get(part, set()) for part in parts if part]
        return set.intersection(*found) if found else set()

    def exactly(self, label: str) -> set[str]:
        """The classes whose names are those of a label, all of them."""
        return self._whole.get(_joined(label.split(",")), set())


def _all_lemmas(each: ImageClass) -> str:
    return _joined(each.lemmas)


def _joined(names: Iterable[str]) -> str:
    return ",".join(sorted(map(plain, names)))


def plain(name: str) -> str:
    """A name without what people write differently: case, hyphens, underscores, apostrophes."""
    return " ".join(re.split(r"[\s_-]+", re.sub(r"['’.]", "", name.casefold()).strip()))


def _shown(labels: Sequence[str]) -> str:
    return ", ".join(repr(label[:40]) for label in labels[:3]) + (
        ", ..." if len(labels) > 3 else ""
    )
