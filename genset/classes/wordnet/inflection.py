"""What an inflected noun may be a form of: "dogs" of "dog", "gray wolves" of "gray wolf".

The rules are WordNet's own, for nouns (its manual's page morphy(7WN)): its list of exceptions,
``wordnet_maps/noun.exc``, then endings. They say what to look up: not every form is a word.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

_ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
)


def base_forms(word: str) -> Iterator[str]:
    """What a word may be a form of, the likeliest first.

    Of several words one is inflected: the last one, as in "red pandas", or another, as in "birds of
    prey". The word is in lower case, with "_" between its parts, and so are its forms.
    """
    yield from _exceptions().get(word, ())
    parts = word.split("_")
    for place in reversed(range(len(parts))):
        for form in _forms(parts[place]):
            yield "_".join([*parts[:place], form, *parts[place + 1 :]])


def _forms(word: str) -> Iterator[str]:
    yield from _exceptions().get(word, ())
    if len(word) > 2 and not word.endswith("ss"):
        for ending, instead in _ENDINGS:
            if word.endswith(ending):
                yield word.removesuffix(ending) + instead


@cache
def _exceptions() -> dict[str, tuple[str, ...]]:
    """The forms of which an inflected one is no rule's."""
    text = files("wordnet_maps").joinpath("noun.exc").read_text("ascii")
    lines = (line.split() for line in text.splitlines())
    return {inflected: tuple(forms) for inflected, *forms in lines}
