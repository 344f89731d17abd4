"""A set's classes in groups, where they are too many to be looked at one by one."""

from collections.abc import Sequence

from genset.classes.kinds import kinds_of
from genset.comparison.classes import Group, grouped
from genset.reporting.data.kinds import KindOfClasses
from genset.score.results.results import Results

MANY = 100
"""Classes above which those of a user's own taxonomy come in groups. ImageNet's never do."""


def by_kind(results: Results, classes: Sequence[Group]) -> tuple[KindOfClasses, ...]:
    """The classes of a set in groups, the hardest group first; none where they are few.

    Args:
        results: the models, side by side on the set.
        classes: the set's, the hardest first.
    """
    own = results.photos.custom_taxonomy
    if own is None or len(results.wnids) <= MANY:
        return ()
    kinds = kinds_of(own, results.wnids)
    if len(kinds) < 2:  # the classes have no hypernyms
        return ()
    of = {wnid: place for place, kind in enumerate(kinds) for wnid in kind.classes}
    members: list[list[str]] = [[] for _ in kinds]
    for each in classes:
        members[of[each.name]].append(each.name)
    # A group is known by its place: two kinds may have one name.
    places = [str(of[results.wnids[number]]) for number in results.classes]
    found = []
    for group in grouped(results, places):
        kind = kinds[int(group.name)]
        mine = tuple(members[int(group.name)])
        found.append(KindOfClasses(kind.name, group.photos, group.top1, kind.above, mine))
    return tuple(sorted(found, key=lambda each: (each.ease, each.mean, each.name)))
