"""Many classes in some tens of groups, by what they are kinds of."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from genset.classes.taxonomy import Taxonomy

MOST_KINDS = 40
"""Groups that there are at most."""

_LARGE = 20  # a group is cut that has more than one class in so many
_SMALL = 100  # what has fewer than one class in so many, or than three, stays with its neighbours

_Node = tuple[str, ...]  # the names from the top down


@dataclass(frozen=True, slots=True)
class Kind:
    """Classes that are of a kind.

    Attributes:
        name: the hypernym that they share, or "other ..." for those that are left of one.
        above: what that is a kind of, the nearest first.
        classes: their ids, in the taxonomy's order.
    """

    name: str
    above: tuple[str, ...]
    classes: tuple[str, ...]


def kinds_of(taxonomy: Taxonomy, wnids: Iterable[str]) -> tuple[Kind, ...]:
    """Classes in groups, the largest first: each class in one group.

    All begin as one group. The largest group that has more than a twentieth of the classes is cut
    into the kinds right below it, again and again, as long as there are 40 groups at most. Kinds
    with fewer than a hundredth of the classes, or than three, are left together as "other". A class
    goes where its `hypernyms` lead: where WordNet has several ways up, by the one that it lists
    first. Those without any are one group.

    Args:
        taxonomy: says what classes are kinds of.
        wnids: the classes; those that it lacks are left out.
    """
    selected = set(wnids)
    paths = {cls.wnid: cls.hypernyms[::-1] for cls in taxonomy if cls.wnid in selected}
    small = max(3, -(-len(paths) // _SMALL))
    whole: dict[_Node, list[str]] = {}
    bare = [wnid for wnid, path in paths.items() if not path]
    cut: dict[_Node, list[str]] = {(): [wnid for wnid in paths if paths[wnid]]}
    rest: dict[_Node, list[str]] = {}
    while cut:
        node = max(cut, key=lambda cls: (len(cut[cls]), cls))
        found = cut.pop(node)
        below, few = _cut(node, found, paths, small)
        groups = len(whole) + len(rest) + len(cut) + len(below) + bool(few) + bool(bare)
        if not below or groups > MOST_KINDS or len(found) * _LARGE <= len(paths):
            whole[node] = found
            continue
        cut |= below
        if few:
            rest[node] = few
    made = [_kind(node, classes, "") for node, classes in whole.items() if classes]
    made += [_kind(node, classes, "other ") for node, classes in rest.items()]
    if bare:
        made.append(Kind("of no known kind", (), tuple(bare)))
    return tuple(sorted(_distinguished(made), key=lambda kind: (-len(kind.classes), kind.name)))


def _cut(
    node: _Node, found: list[str], paths: dict[str, tuple[str, ...]], small: int
) -> tuple[dict[_Node, list[str]], list[str]]:
    """The groups right below a node; and its classes that are of none, or of a small one."""
    below: dict[_Node, list[str]] = defaultdict(list)
    for wnid in found:
        below[paths[wnid][: len(node) + 1]].append(wnid)
    large = {
        child: classes
        for child, classes in below.items()
        if child != node and len(classes) >= small
    }
    taken = {wnid for classes in large.values() for wnid in classes}
    return large, [wnid for wnid in found if wnid not in taken]


def _kind(node: _Node, classes: list[str], before: str) -> Kind:
    name = node[-1] if node else ""
    return Kind(f"{before}{name}".strip() or "all", node[:-1][::-1], tuple(classes))


def _distinguished(kinds: list[Kind]) -> list[Kind]:
    """The same with what they are a kind of behind names that come twice."""
    times = Counter(kind.name for kind in kinds)
    return [
        Kind(f"{kind.name} ({kind.above[0]})", kind.above, kind.classes)
        if times[kind.name] > 1 and kind.above
        else kind
        for kind in kinds
    ]
