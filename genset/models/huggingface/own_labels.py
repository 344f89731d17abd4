"""Which class each output stands for on a set of other classes than ImageNet's, by its label."""

import re
from collections.abc import Sequence

from genset.classes import Taxonomy, imagenet1k
from genset.classes.wordnet import nouns
from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.models.classes import BACKGROUND, timm_list
from genset.models.huggingface.labels import WNID, in_sorted_order, is_none, match_labels, plain
from genset.models.mapping.words import met_by_words

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
    met = {output for its in met_by_words(words, taxonomy).outputs.values() for output in its}
    led = [WNID.match(word) for word in words]
    if all(found or not word for word, found in zip(words, led, strict=True)):
        return tuple(
            word if word in met or not found else found[1]
            for word, found in zip(words, led, strict=True)
        )
    if met:
        return words
    says_nothing = all(re.fullmatch(r"LABEL_\d+", word) for word in words)
    if all(word.isdigit() for word in words if word) and len(words) < len(imagenet1k()):
        return words
    try:
        matched = match_labels([word or "background" for word in words])
    except BadInput:
        if says_nothing:
            raise
        return words
    return matched.order if matched.kept is None else words


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
        wnid in nouns()
        and not {plain(part) for part in label.split(",")}.isdisjoint(
            map(plain, nouns()[wnid].lemmas)
        )
        for label, wnid in zip(labels, wnids, strict=False)
    )
    return wnids if wnids and 10 * named >= 9 * len(wnids) else None
