"""Which of a model's outputs each class of a taxonomy has."""

from collections.abc import Callable, Collection, Sequence

from genset.classes import Taxonomy, imagenet1k
from genset.core.errors import BadInput
from genset.models.mapping.words import met_by_words

Above = Callable[[str], Collection[str]]
"""The wnids of a noun of WordNet and of all that it is a kind of; none for any other word."""

_SHOWN = 3


def outputs_of(outputs: Sequence[str], taxonomy: Taxonomy, above: Above) -> dict[str, list[int]]:
    """The outputs of each class, as their places, in the taxonomy's order.

    A class has the outputs that are called as it is (`words.met_by_words`); else those of its
    `imagenet` list; else those whose wnids are its synset or below it. Each output is of one class
    at most. Where WordNet puts it below several, it is of the one that is a kind of all others; and
    of none, if that one has outputs of its own name or list already.

    Args:
        outputs: what each stands for: wnids, or the ids of other classes; "" for no class.
        taxonomy: the set's.
        above: what is above a noun (`genset.models.mapping.wordnet`).

    Returns:
        By the classes' ids, ascending places; none for a class that the model does not have.

    Raises:
        BadInput: an output is below two classes of which neither is a kind of the other.
    """
    places: dict[str, list[int]] = {}
    for place, output in enumerate(outputs):
        if output:
            places.setdefault(output, []).append(place)
    met = met_by_words(places, taxonomy).outputs
    found = {
        each.wnid: [place for output in met.get(each.wnid, ()) for place in places[output]]
        for each in taxonomy
    }
    taken = {output for its in met.values() for output in its}
    for each in taxonomy:
        if not found[each.wnid]:
            listed = [wnid for wnid in each.imagenet if wnid in places and wnid not in taken]
            found[each.wnid] = sorted(place for wnid in listed for place in places[wnid])
            taken.update(listed)
    settled = {wnid for wnid, its in found.items() if its}
    synsets: dict[str, list[str]] = {}
    for each in taxonomy:
        if each.synset:
            synsets.setdefault(each.synset, []).append(each.wnid)
    if any(wnid not in settled for its in synsets.values() for wnid in its):
        for output in sorted(set(places) - taken):
            nearest = _nearest(output, synsets, above)
            if set(nearest) <= settled:
                continue
            if len(nearest) > 1:
                raise BadInput(_claimed(output, nearest, taxonomy))
            found[nearest[0]] += places[output]
    return {wnid: sorted(its) for wnid, its in found.items()}


def _nearest(output: str, synsets: dict[str, list[str]], above: Above) -> list[str]:
    """The classes that an output is below, without those above another of them."""
    claimed = {noun for noun in above(output) if noun in synsets}
    if len(claimed) > 1:
        claimed -= {other for noun in claimed for other in above(noun) if other != noun}
    return sorted(wnid for noun in claimed for wnid in synsets[noun])


def _claimed(output: str, classes: Sequence[str], taxonomy: Taxonomy) -> str:
    """That an output is below several classes, and how to mend it."""
    more = f" and {len(classes) - _SHOWN} more" if len(classes) > _SHOWN else ""
    mend = f'say whose it is in the taxonomy: imagenet = ["{output}", ...] under one of them'
    if output not in imagenet1k():
        mend = "leave out the synset of all but one of them in the taxonomy"
    return (
        f"the output {output} is below several classes of {taxonomy.name} in WordNet: "
        f"{', '.join(classes[:_SHOWN])}{more}; {mend}"
    )
