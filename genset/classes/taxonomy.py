"""Classes in their order, looked up by id."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from unicodedata import normalize

from genset.classes.classes import ImageClass
from genset.core.errors import BadInput

IMAGENET = "imagenet1k"
"""The name of ImageNet's own taxonomy."""

CLASSES_TABLE = "classes.csv"
"""The table of a release's classes: id, place, name."""


class Taxonomy:
    """The classes, in the order of their index; looked up by id. `name` is the taxonomy's own."""

    def __init__(
        self,
        classes: Iterable[ImageClass],
        confusable: Mapping[str, Iterable[str]],
        name: str = IMAGENET,
    ) -> None:
        self.name = name
        self._classes = tuple(classes)
        self._by_wnid = {cls.wnid: cls for cls in self._classes}
        self._confusable = {wnid: tuple(others) for wnid, others in confusable.items()}
        self._heights: dict[tuple[str, ...], int] = {}
        self._called: dict[str, list[ImageClass]] = {}

    def __len__(self) -> int:
        return len(self._classes)

    def __iter__(self) -> Iterator[ImageClass]:
        return iter(self._classes)

    def get(self, wnid: str) -> ImageClass | None:
        """The class with this id; None where there is none."""
        return self._by_wnid.get(wnid)

    def __contains__(self, wnid: object) -> bool:
        return wnid in self._by_wnid

    def __getitem__(self, wnid: str) -> ImageClass:
        """The class with this id; `genset.classes.find_class` finds it by name too.

        Raises:
            BadInput: there is none.
        """
        try:
            return self._by_wnid[wnid]
        except KeyError:
            raise BadInput(f"no class {wnid!r}: it is not in {self.name}") from None

    def meant_by(self, folder: str) -> str | None:
        """The id of the class whose photos a folder of this name has; None where that is open.

        The folder is named by the class's id; of a taxonomy of one's own also by the class's name,
        or by one of its outputs, or by id or name but for case, spaces, hyphens and underscores,
        where that is one class alone. "tench, Tinca tinca" is the one class with all these names.
        """
        word = normalize("NFC", folder)  # macOS parts letters from accents
        if word in self._by_wnid or self.is_imagenet:
            return word if word in self._by_wnid else None
        if listed := [cls for cls in self if word in cls.outputs]:
            return listed[0].wnid
        if not self._called:
            for cls in self:
                for known in {plain(name) for name in (cls.wnid, *cls.lemmas)}:
                    self._called.setdefault(known, []).append(cls)
        for same in (str, str.casefold, plain):
            near = self._called.get(plain(word), ())
            found = [one for one in near if same(word) in (same(one.wnid), same(one.name))]
            if found:
                return found[0].wnid if len(found) == 1 else None
        first, *others = map(plain, word.split(", "))
        near = self._called.get(first, ()) if others else ()
        found = [cls for cls in near if set(others) <= set(map(plain, cls.lemmas))]
        return found[0].wnid if len(found) == 1 else None

    def by_index(self, index: int) -> ImageClass:
        """The class that a model's output number `index` stands for.

        Raises BadInput where there is none (a negative one too: it does not count from the end).
        """
        if not 0 <= index < len(self):
            raise BadInput(f"no class has index {index}: they are 0 to {len(self) - 1}")
        return self._classes[index]

    def select(self, words: Iterable[str] = ()) -> tuple[ImageClass, ...]:
        """The classes with these wnids, in order and each once; all of them for no words.

        Raises BadInput, as a look-up does, for the first word that is no wnid.
        """
        selected = {self[word].wnid for word in words}
        return tuple(cls for cls in self if not selected or cls.wnid in selected)

    def confusable(self, wnid: str) -> tuple[ImageClass, ...]:
        """The classes that this one may be taken for, the likeliest first: none to six.

        Raises BadInput for a word that is no wnid.
        """
        return tuple(self[other] for other in self._confusable[self[wnid].wnid])

    def distance(self, one: str, other: str) -> int:
        """How far apart two classes are: the height of their lowest common ancestor.

        The classes' `hypernyms` form a tree, from "entity" down to the classes. A node's height is
        the number of steps from it to the deepest class below it. So a class is at 0 from itself,
        a tabby at 1 from a tiger cat (both are domestic cats), and two classes that have nothing
        but "entity" in common at `height`. It is an ultrametric: a third class is never farther
        from one of two than both the other and they are from each other.

        Source: Bertinetto et al., "Making Better Mistakes", 2020, which measures by it how severe a
        mistake is; before them Deng et al., "What does classifying more than 10,000 image
        categories tell us?", 2010.

        Raises:
            BadInput: one of them is no wnid of these classes.
        """
        first, second = self[one].hypernyms[::-1], self[other].hypernyms[::-1]
        if one == other:
            return 0
        common = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
        return self._height(tuple(name for name, _ in common))

    @property
    def height(self) -> int:
        """The largest distance that two classes can have."""
        return self._height(())

    def _height(self, node: tuple[str, ...]) -> int:
        """A node's height. It is named by all names from the top down to it: one may come twice."""
        if not self._heights:
            for cls in self:
                path = cls.hypernyms[::-1]
                for depth in range(len(path) + 1):
                    above = path[:depth]
                    below = len(path) + 1 - max(depth, 1)
                    self._heights[above] = max(below, self._heights.get(above, 0))
        return self._heights[node]

    @property
    def is_imagenet(self) -> bool:
        """Whether it is ImageNet's own, which all is about where nobody says another."""
        return self.name == IMAGENET


def plain(text: str) -> str:
    """The words of `text` without what people write differently: case, hyphens, spaces."""
    return " ".join(re.split(r"[\s_-]+", text.casefold().strip()))
