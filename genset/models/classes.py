"""Which class each output of a model stands for, where it is not ImageNet's own order."""

from collections.abc import Iterable
from pathlib import Path

from genset.classes import imagenet1k, read_taxonomy
from genset.core.errors import BadInput, needs_extra
from genset.core.files import sha256_of
from genset.core.validation import read_json
from genset.models.spec import ModelSpec
from genset.models.zeroshot.words import read_lines

# Stands for an output that is no class: some models were trained with one more, for "none".
BACKGROUND = ""

# In the place of a list: ImageNet's 1,000 in sorted order, for a model that does not say so.
SORTED = "imagenet1k"

# timm's names of its lists for heads with more classes than ImageNet-1k, by how many these are.
OF_TIMM = {
    11_221: "imagenet-21k-miil",
    11_821: "imagenet-12k",
    21_841: "imagenet-22k",
    21_842: "imagenet-22k-ms",
    21_843: "imagenet-21k-goog",
}

# The first line of a list of classes that are not ImageNet's.
OTHERS = "# not ImageNet"


def class_order(file: str = "", background: int | None = None) -> tuple[str, ...]:
    """The wnid of each output, in order; `BACKGROUND` for one that is no class.

    Without a `file`, or with `SORTED`, these are ImageNet's 1,000 in the sorted order of their
    wnids; with the name of one of timm's lists, such as "imagenet-12k", those of that. A file has
    one wnid a line, or the word "background"; it may have fewer classes than ImageNet. Where its
    first line is `OTHERS`, the names of any classes follow; a release's ``classes.csv`` and a
    taxonomy's TOML are such lists too. `background` puts an output that is no class at this index
    (0: before the first) of either list.

    Raises:
        BadInput: the file is not there, or a line is no wnid (or, of others, no name) or repeats
            one; or the index is outside of the list.
    """
    order = list(_read(Path(file))) if file else [cls.wnid for cls in imagenet1k()]
    if background is not None:
        if not 0 <= background <= len(order):
            raise BadInput(f"a background output is one of 0 to {len(order)}, not {background}")
        order.insert(background, BACKGROUND)
    return tuple(order)


def timm_list(outputs: int) -> tuple[str, ...] | None:
    """What the outputs of one of timm's larger heads stand for, by timm's own list.

    Args:
        outputs: how many the head has: 11,821 are those of ImageNet-12k, and so on.

    Returns:
        The wnids, in order; None where it is no such head.
    """
    return tuple(_read(Path(OF_TIMM[outputs]))) if outputs in OF_TIMM else None


def list_identity(file: str) -> str:
    """What tells a list from others in a run's key: a file's hash, or the name of a known list."""
    known = file in ("", SORTED, *OF_TIMM.values())
    return file if known else sha256_of(Path(file))


def other_classes(specs: Iterable[ModelSpec]) -> set[str]:
    """The classes that are not ImageNet's, of the class lists that these models' specs name.

    Raises:
        BadInput: a class list is wrong.
    """
    lists = {spec.classes for spec in specs if spec.classes}
    names = {name for file in lists for name in _read(Path(file))}
    return {name for name in names if name not in imagenet1k()} - {BACKGROUND}


def _read(path: Path) -> list[str]:
    if str(path) == SORTED:
        return [cls.wnid for cls in imagenet1k()]
    if str(path) in OF_TIMM.values():
        return _from_timm(str(path))
    if path.suffix == ".toml":
        return [cls.wnid for cls in read_taxonomy(path)]
    words = _of_keras(path) if path.suffix == ".json" else read_lines(str(path), "class list")
    if words[0].startswith("wnid,"):  # a release's classes.csv
        words = [OTHERS, *(word.partition(",")[0] for word in words[1:])]
    taxonomy = imagenet1k()
    seen: set[str] = set()
    order = []
    others = words[:1] == [OTHERS]
    for number, word in enumerate(words[others:], 1 + others):
        # As in Caffe's synset_words.txt: n01440764 tench, Tinca tinca
        first, _, names = word.partition(" ")
        word = first if names and first in taxonomy and not others else word
        if word == "background" and not others:
            order.append(BACKGROUND)
            continue
        if word not in taxonomy and not others:
            raise BadInput(
                f"{path}, line {number}: {word[:40]!r} is not a class of ImageNet; "
                "a class list has one wnid a line, as in n02123045; one of other names begins "
                f"with the line {OTHERS}"
            )
        if word in seen:
            raise BadInput(f"{path}, line {number}: {word} is there twice")
        seen.add(word)
        order.append(word)
    if not seen:
        raise BadInput(f"the class list {path} is empty")
    return order


def _of_keras(path: Path) -> list[str]:
    """The wnids of Keras's imagenet_class_index.json: {"0": ["n01440764", "tench"], ...}."""
    try:
        listed = read_json(path, dict[str, tuple[str, str]])
        return [listed[str(number)][0] for number in range(len(listed))]
    except (BadInput, LookupError):
        raise BadInput(
            f"the class list {path} is not as imagenet_class_index.json: "
            '{"0": ["n01440764", "tench"], ...}'
        ) from None


def _from_timm(name: str) -> list[str]:
    with needs_extra(f"timm's list of classes {name}", "evaluate"):
        from timm.data import ImageNetInfo  # type: ignore[attr-defined]
    names: list[str] = ImageNetInfo(name).label_names()  # type: ignore[no-untyped-call]
    return names
