"""The sources that there are, by name.

Genset's own stand in a table: a module and a line here each. One from elsewhere is named by an
entry point of the group ``genset.sources`` of an installed package.
"""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from genset.core.errors import BadInput
from genset.sources.source import Source

_OWN = {
    "flickr": "genset.sources.flickr:Flickr",
    "commons": "genset.sources.commons:Commons",
    "inaturalist": "genset.sources.inaturalist:INaturalist",
}


@cache
def names() -> tuple[str, ...]:
    """The names of all sources, genset's own first."""
    return tuple(dict.fromkeys([*_OWN, *sorted(entry_points(group="genset.sources").names)]))


def source_class(name: str) -> type[Source]:
    """The source of this name.

    Raises:
        BadInput: there is none, or its module cannot be loaded.
    """
    if name in _OWN:
        module, _, attribute = _OWN[name].partition(":")
        found: type[Source] = getattr(import_module(module), attribute)
        return found
    for entry in entry_points(group="genset.sources", name=name):
        try:
            found = entry.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - it is somebody else's code
            raise BadInput(
                f"the source {name} ({entry.value}) cannot be loaded: {error!r}"
            ) from None
        if isinstance(found, type) and issubclass(found, Source) and found.about.name == name:
            return found
        raise BadInput(f"the source {name} ({entry.value}) is no Source of this name")
    raise BadInput(f"no source {name!r}: there are {', '.join(names())}")


def is_source(name: str) -> bool:
    """Whether photos can be searched and downloaded at a source of this name."""
    return name in names()
