"""Several machines agree before they score: on versions, options, the set, and every run's key.

Each process of torchrun loads the models and opens the set by itself, on whatever its machine has.
If one has other photos or weights, its answers must not be mixed with the rest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from genset.core.errors import GensetError
from genset.score.executors.executor import Executor
from genset.score.job import ModelTask
from genset.score.options import ScoringOptions
from genset.score.packages import package_versions
from genset.sets.photos import PhotoSet

_MEND = "nothing was scored: all machines need the same"

# These may differ from machine to machine.
_OWN_OPTIONS = ("workers", "cache", "allow_code")


@dataclass(frozen=True, slots=True)
class _Model:
    """A model as a process has it: its name, and the hash and the key; or why there are none."""

    name: str
    weights_hash: str = ""
    key: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Work:
    """What a process is about to score, and with what."""

    versions: Mapping[str, str]
    options: Mapping[str, object]
    models: Sequence[_Model]
    set_hash: str


def agree_on_work(
    executor: Executor,
    photos: PhotoSet,
    options: ScoringOptions,
    models: Sequence[tuple[str, ModelTask | GensetError]],
) -> None:
    """See that all processes are about to score the same.

    Args:
        executor: of these processes.
        photos: the set, as it is here.
        options: how it is scored.
        models: their names, and their tasks here or why they cannot be loaded.

    Raises:
        GensetError: they are not; in all processes, naming the first machine that differs.
    """
    mine = _Work(
        versions=package_versions(),
        options={name: v for name, v in asdict(options).items() if name not in _OWN_OPTIONS},
        models=[_said(name, model) for name, model in models],
        set_hash=photos.content_hash,
    )
    places, found = executor.gathered(executor.place), executor.gathered(mine)
    first = found[0]
    for place, other in zip(places, found, strict=True):
        _agree_on_versions(places[0], first.versions, place, other.versions)
        _agree_on_command(first, place, other)
    if len({each.set_hash for each in found}) > 1:  # which all see, so that all go on to ask
        listed = executor.gathered({photo.id: photo.sha256 for photo in photos.photos})
        rank = next(n for n, each in enumerate(found) if each.set_hash != first.set_hash)
        why = _other_photos(listed[0], listed[rank])
        raise GensetError(f"{places[rank]} {why}; {_MEND} photos")
    for place, other in zip(places, found, strict=True):
        for model, its in zip(first.models, other.models, strict=True):
            _agree_on_model(model, place, its)


def _said(name: str, model: ModelTask | GensetError) -> _Model:
    if isinstance(model, GensetError):
        return _Model(name, problem=str(model))
    return _Model(name, model.model.weights_hash, model.key)


def agree_on_packages(executor: Executor, names: Sequence[str]) -> None:
    """See that all processes have the same versions of these packages, too.

    Raises:
        GensetError: they have not, in all of them.
    """
    places, found = executor.gathered(executor.place), executor.gathered(package_versions(names))
    for place, other in zip(places, found, strict=True):
        _agree_on_versions(places[0], found[0], place, other)


def _agree_on_versions(
    first_place: str, first: Mapping[str, str], place: str, other: Mapping[str, str]
) -> None:
    for package in sorted(first.keys() | other.keys()):
        here, there = first.get(package, "none"), other.get(package, "none")
        if here != there:
            raise GensetError(
                f"{place} has {package} {there}, and {first_place} has {here}; {_MEND} versions"
            )


def _agree_on_command(first: _Work, place: str, other: _Work) -> None:
    asked = [
        *((name, other.options[name], value) for name, value in first.options.items()),
        ("models", _names(other), _names(first)),
    ]
    for name, its, value in asked:
        if its != value:
            raise GensetError(f"{place} was asked for {name} {its}, not {value}; {_MEND} command")


def _names(work: _Work) -> str:
    return ", ".join(model.name for model in work.models)


def _agree_on_model(first: _Model, place: str, other: _Model) -> None:
    what = f"model {first.name!r}"
    if first.problem != other.problem:
        why = other.problem or "it can be loaded there, and not on the first machine"
        raise GensetError(f"{place} cannot score {what} as the others do: {why}; {_MEND} files")
    if other.weights_hash != first.weights_hash:
        raise GensetError(f"{place} has other weights of {what}; {_MEND} files")
    if other.key != first.key:
        raise GensetError(f"{place} would score {what} otherwise; {_MEND} files")


def _other_photos(first: Mapping[str, str], other: Mapping[str, str]) -> str:
    """In which photo a set differs from the first one: photos' hashes by their ids."""
    lacking, more = sorted(first.keys() - other.keys()), sorted(other.keys() - first.keys())
    if lacking:
        return f"has no photo {lacking[0]}{_and_more(lacking)}"
    if more:
        return f"has a photo {more[0]}{_and_more(more)} that is nowhere else"
    changed = sorted(name for name, sha256 in first.items() if other[name] != sha256)
    if changed:
        return f"has another photo {changed[0]}{_and_more(changed)}"
    return "has the photos in other classes, or in another order"


def _and_more(names: Sequence[str]) -> str:
    return f" (and {len(names) - 1:,} more)" if len(names) > 1 else ""
