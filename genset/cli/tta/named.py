"""Words of the form NAME=…, as commands on traces take them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.safe import clean

# What profilers and their users end the names of traces by.
_ENDINGS = re.compile(r"(\.pt)?(\.trace)?\.(json|gz|json\.gz)$", re.IGNORECASE)
# Names tell runs apart, and are cut where they are shown alone. No path is longer.
_LONGEST = 5000


def traces_by_name(words: Sequence[str]) -> dict[str, list[Path]]:
    """The traces of each run: NAME=TRACE, or TRACE alone, which is named after its file.

    Raises:
        BadInput: a name or a path is empty, or two traces without a name have the same.
    """
    found: dict[str, list[Path]] = {}
    unnamed: set[str] = set()
    for word in words:
        name, path = _named(word)
        own = not name
        if own:
            name = clean(_ENDINGS.sub("", path.name), _LONGEST) or "trace"
        if name in found and (own or name in unnamed):
            raise BadInput(
                f"{word}: there is a trace called {name} already: write NAME=TRACE, the same name "
                "for ranks of one run and different names for different runs"
            )
        if own:
            unnamed.add(name)
        found.setdefault(name, []).append(path)
    return found


def traces_by_workers(words: Sequence[str]) -> dict[int, list[Path]]:
    """The traces of each number of workers: 8=RANK0,RANK1; again, further ranks of it.

    Raises:
        BadInput: a number is none, or a path is empty.
    """
    found: dict[int, list[Path]] = {}
    for word in words:
        number, _, paths = word.partition("=")
        workers = _whole(number)
        ranks = [paths] if Path(paths).is_file() else paths.split(",")
        if workers is None or not all(ranks):
            raise BadInput(f"--trace {word}: write the number of workers before the ranks' traces,"
                           " 8=RANK0,RANK1")  # fmt: skip
        found.setdefault(workers, []).extend(map(Path, ranks))
    return found


def texts_by_name(option: str, words: Sequence[str], names: Iterable[str]) -> dict[str, str]:
    """A text for each of `names`: NAME=TEXT is of one, TEXT alone of all that have none.

    Raises:
        BadInput: there is no such name, or one has two.
    """
    names = list(names)
    own: dict[str, str] = {}
    of_all: str | None = None
    for word in words:
        name, equals, text = word.rpartition("=")
        if equals and name not in names:
            said = ", ".join(names) or "none is named"
            raise BadInput(f"{option} {word}: no run is called {name} ({clean(said, 200)})")
        if not text:
            raise BadInput(f"{option} {word}: nothing stands after the =: write NAME=VALUE")
        if (own.get(name) if equals else of_all) is not None:
            raise BadInput(f"{option} {word}: say it once for each run, NAME=…, or once for all")
        if equals:
            own[name] = text
        else:
            of_all = text
    return ({} if of_all is None else dict.fromkeys(names, of_all)) | own


def numbers_by_name(option: str, words: Sequence[str], names: Iterable[str]) -> Mapping[str, float]:
    """A number above 0 for each of `names`, as `texts_by_name`."""
    texts = texts_by_name(option, words, names)
    return {name: positive(option, text) for name, text in texts.items()}


def positive(option: str, text: str) -> float:
    """A number above 0, of a size that things have."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e30:
        raise BadInput(f"{option} {text}: write a number above 0")
    return value


def _named(word: str) -> tuple[str, Path]:
    """A name, "" if there is none, and a path; what is a file as it stands has no name."""
    name, equals, path = word.partition("=")
    if not equals or Path(word).is_file():
        name, path = "", word
    elif not clean(name) or not path:
        raise BadInput(f"{word}: write NAME=FILE")
    if not path:
        raise BadInput("a file's name is empty")
    return clean(name, _LONGEST), Path(path)


def _whole(text: str) -> int | None:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        return None
    return int(text) or None
