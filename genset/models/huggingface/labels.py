"""Which class each output stands for, by the labels that a model's configuration has.

A label is a wnid, a number (a class's place among the sorted wnids), or names: WordNet's lemmas, as
in "tench, Tinca tinca". Names are not unique (two classes are called crane), so 1,000 labels are
first held against the sorted order as a whole. What cannot be told is refused, never guessed.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from genset.classes import Taxonomy, imagenet1k
from genset.classes.wordnet import nouns
from genset.core.errors import BadInput
from genset.core.numbers import agree
from genset.core.safe import clean
from genset.models.classes import BACKGROUND, timm_list
from genset.models.mapping.outputs import match_by_words

# Of 1,000 labels, so many must name the class at their place, and none another, to take the rest,
# whose names WordNet does not have, by their place too.
_ENOUGH = 900

# A label that names no class of ImageNet-1k.
_OTHER = "?"

WNID = re.compile(r"(n\d{8})\b")


@dataclass(frozen=True, slots=True)
class LabelMatch:
    """What outputs stand for.

    Attributes:
        order: the wnid of each output that is kept, `BACKGROUND` for one that is no class.
        selected: the outputs that are used, by number; None: all.
        note: what to say of it; "" for nothing.
    """

    order: tuple[str, ...]
    selected: tuple[int, ...] | None = None
    note: str = ""


def match_outputs(labels: Sequence[str], custom: Taxonomy | None) -> LabelMatch:
    """What outputs stand for on a set of these classes; None: of ImageNet's.

    Raises:
        BadInput: labels do not say it.
    """
    return match_labels(labels) if custom is None else LabelMatch(order_on(labels, custom))


def match_labels(labels: Sequence[str]) -> LabelMatch:
    """The classes of ImageNet that labels stand for.

    Raises:
        BadInput: labels do not say it; the message names the first of them.
    """
    _refuse_placeholders(labels)
    named = [label for label in labels if not is_none(label)]
    if all(map(WNID.match, named)):
        found = LabelMatch(tuple(label[:9] for label in named))
    elif all(re.fullmatch(r"\d{1,3}", label) for label in named):
        order = tuple(imagenet1k().by_index(int(label)).wnid for label in named)
        note = "Its labels are numbers, taken for places in the sorted order of ImageNet's wnids."
        found = LabelMatch(order, note=note)
    else:
        found = in_sorted_order(named) or LabelMatch(_one_by_one(named))
    times = Counter(wnid for wnid in found.order if wnid != _OTHER)
    if twice := [wnid for wnid in times if times[wnid] > 1]:
        same = [label for label, wnid in zip(named, found.order, strict=True) if wnid == twice[0]]
        raise BadInput(
            f"several of its labels are {twice[0]} ({_shown(same)}); say what its outputs stand "
            "for with classes=FILE"
        )
    wnids = iter(found.order)
    chosen = _among([BACKGROUND if is_none(label) else next(wnids) for label in labels])
    return replace(chosen, note=found.note or chosen.note)


def _refuse_placeholders(labels: Sequence[str]) -> None:
    if all(re.fullmatch(r"LABEL_\d+", label) for label in labels):
        raise BadInput(
            f"its {len(labels):,} labels are LABEL_0, LABEL_1, ..., which name no classes; say "
            "what its outputs stand for with classes=FILE, or classes=imagenet1k if they are "
            "ImageNet's 1,000 in sorted order"
        )


def is_none(label: str) -> bool:
    return label.casefold() == "background"


def _among(order: Sequence[str]) -> LabelMatch:
    """Keep the outputs that are ImageNet's classes or none, if there are others."""
    taxonomy = imagenet1k()
    selected = [n for n, wnid in enumerate(order) if wnid in taxonomy or wnid == BACKGROUND]
    known = tuple(order[n] for n in selected)
    if not any(known):
        raise BadInput("none of its labels is a class of ImageNet; say them with classes=FILE")
    if len(selected) == len(order):
        return LabelMatch(known)
    classes = sum(wnid != BACKGROUND for wnid in known)
    note = f"Chooses among those {classes:,} of its {len(order):,} outputs that are in ImageNet-1k."
    return LabelMatch(known, tuple(selected), note)


def in_sorted_order(labels: Sequence[str]) -> LabelMatch | None:
    """ImageNet's own order, if 1,000 labels say it together; None where they do not."""
    classes = list(imagenet1k())
    if len(labels) != len(classes):
        return None
    strangers = []
    for label, expected in zip(labels, classes, strict=True):
        meant = classes_called(label)
        if not meant:
            strangers.append(label)
        elif expected.wnid not in meant:
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
    return LabelMatch(tuple(cls.wnid for cls in classes), note=note)


def _one_by_one(labels: Sequence[str]) -> tuple[str, ...]:
    """Each label's class, where all can be told.

    Of more than 1,000 labels, those that name no class of ImageNet-1k are others, as in ImageNet's
    whole 21,841; all 1,000 must be among them.
    """
    meant = [_exactly(label) or classes_called(label) for label in labels]
    taken = {next(iter(wnids)) for wnids in meant if len(wnids) == 1}
    # Of a name that two classes share, the other one may be taken by a label that says more.
    meant = [wnids - taken if len(wnids) > 1 and wnids - taken else wnids for wnids in meant]
    larger = len(labels) > len(imagenet1k())
    unclear = [
        label
        for label, wnids in zip(labels, meant, strict=True)
        if len(wnids) > 1 or (not wnids and not larger)
    ]
    if unclear:
        one, several = "is not one class of ImageNet", "are not one class of ImageNet each"
        are = agree(len(unclear), one, several)
        raise BadInput(
            f"{len(unclear)} of its {len(labels):,} labels {are} "
            f"({_shown(unclear)}); say what its outputs stand for with classes=FILE"
        )
    order = tuple(next(iter(wnids), _OTHER) for wnids in meant)
    known = set(order) - {_OTHER}
    if larger and len(known) < len(imagenet1k()):
        raise BadInput(
            f"only {len(known)} of ImageNet's 1,000 classes are among its {len(labels):,} labels; "
            "say what its outputs stand for with classes=FILE"
        )
    return order


@cache
def _by_lemma() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for cls in imagenet1k():
        for lemma in cls.lemmas:
            found.setdefault(plain(lemma), set()).add(cls.wnid)
    return found


def classes_called(label: str) -> set[str]:
    """The classes that have all the names of a label, which stand between commas."""
    names = _names_in(label)
    return set.intersection(*(_by_lemma().get(name, set()) for name in names)) if names else set()


def _exactly(label: str) -> set[str]:
    """The classes whose names are those of a label, all of them."""
    names, classes = _names_in(label), imagenet1k()
    return {
        wnid for wnid in classes_called(label) if names == set(map(plain, classes[wnid].lemmas))
    }


def _names_in(label: str) -> set[str]:
    return set(map(plain, label.split(","))) - {""}


def plain(name: str) -> str:
    """A name without what people write differently: case, hyphens, underscores, apostrophes."""
    return " ".join(re.split(r"[\s_-]+", re.sub(r"['’.]", "", name.casefold()).strip()))


def _shown(labels: Sequence[str]) -> str:
    return ", ".join(repr(label[:40]) for label in labels[:3]) + ", ..." * (len(labels) > 3)


_LONGEST = 200  # letters of a label that are kept


def order_on(labels: Sequence[str], taxonomy: Taxonomy) -> tuple[str, ...]:
    """What outputs stand for on a set of other classes than ImageNet's: all of them, none cut off.

    The labels of ImageNet's 1,000, or of one of timm's larger lists, taken together, are its wnids.
    Labels of which one is a class of the taxonomy (`mapping.words`) stay words; others are wnids
    where all can be told. What a label says is never a number's place among ImageNet's classes,
    where there are not 1,000.

    Args:
        labels: of all outputs, in order; "background" for one that is no class.
        taxonomy: the set's.

    Raises:
        BadInput: they are LABEL_0, LABEL_1, ...
    """
    words = tuple(BACKGROUND if is_none(label) else tidy(label) for label in labels)
    whole = as_a_whole([word for word in words if word])
    if whole:
        wnids = iter(whole)
        return tuple(next(wnids) if word else BACKGROUND for word in words)
    classes = {output for its in match_by_words(words, taxonomy).outputs.values() for output in its}
    led = [WNID.match(word) for word in words]
    if all(found or not word for word, found in zip(words, led, strict=True)):
        return tuple(
            word if word in classes or not found else found[1]
            for word, found in zip(words, led, strict=True)
        )
    numbers = all(word.isdigit() for word in words if word)
    if classes or (numbers and len(words) < len(imagenet1k())):
        return words
    _refuse_placeholders(words)
    try:
        matched = match_labels([word or "background" for word in words])
    except BadInput:
        return words
    return matched.order if matched.selected is None else words


def timm_order(network: Any, custom: Taxonomy | None) -> tuple[str, ...] | None:
    """What the outputs of one of timm's own models stand for, where these are not ImageNet's 1,000.

    By timm's lists; on a set of other classes by the names that timm notes of the weights.
    """
    outputs = getattr(network, "num_classes", 0)
    config = getattr(network, "pretrained_cfg", None) or {}
    names = config.get("label_names")
    if custom is not None and names and len(names) == outputs:
        return order_on([str(name) for name in names], custom)
    return timm_list(outputs)


def tidy(label: str) -> str:
    """A label as it is compared and kept: on one line, of characters that print."""
    return clean(label, _LONGEST)


def as_a_whole(labels: Sequence[str]) -> tuple[str, ...] | None:
    """The wnids of labels that together are one of the known lists; None where they are not.

    Of ImageNet's 1,000 as for its own sets; of timm's lists where nine of ten labels name the noun
    at their place.
    """
    if found := in_sorted_order(labels):
        return found.order
    wnids = timm_list(len(labels)) or ()
    named = sum(
        wnid in nouns() and not _names_in(label).isdisjoint(map(plain, nouns()[wnid].lemmas))
        for label, wnid in zip(labels, wnids, strict=False)
    )
    return wnids if wnids and 10 * named >= 9 * len(wnids) else None
