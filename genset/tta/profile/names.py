"""Names as long as a column or a legend takes, that are told apart as the whole ones are."""

from collections.abc import Iterable

from genset.core.safe import clean


def distinct_names(names: Iterable[str], longest: int) -> dict[str, str]:
    """Each name, cut where it is too long; those that would be cut to the same keep their ends.

    Where beginnings and ends are the same too, a number is put behind: "resnet50 … (2)".

    Args:
        longest: characters, at least 12.
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    names = list(dict.fromkeys(names))
    plain = [clean(name, longest) for name in names]
    for name, cut in zip(names, plain, strict=True):
        shown = cut if plain.count(cut) == 1 else _middle_out(name, longest)
        number = 1
        while shown in taken:
            number += 1
            behind = f" ({number})"
            shown = _middle_out(name, longest - len(behind)) + behind
        taken.add(shown)
        found[name] = shown
    return found


def _middle_out(name: str, longest: int) -> str:
    whole = clean(name, len(name) or 1)
    if len(whole) <= longest:
        return whole
    end = (longest - 1) // 2
    return f"{whole[: longest - 1 - end].rstrip()}…{whole[-end:].lstrip()}"
