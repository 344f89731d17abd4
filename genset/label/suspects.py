"""Photos that every leading model gets wrong: a list that a manager goes through, one by one.

Models' runs are no business of labeling. Whoever knows them writes the list into the workspace, as
``suspects.json``; it is derived, and can be made again at any time. What a manager decides about a
photo is a ruling or a request for review, and these are in the database. The newest list counts.
"""

from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from sqlalchemy.orm import Session

from genset.classes import Taxonomy, imagenet1k
from genset.core.errors import GensetError
from genset.core.files import write_text
from genset.core.numbers import count
from genset.db import (
    Candidate,
    Photo,
    Store,
    requests_in_force,
    rulings_in_force,
    stored_candidates,
)
from genset.db.failures import answering

SUSPECTS_FILE = "suspects.json"
_LARGEST = 2**28  # bytes; 10,000 photos with the answers of five models have 6 MB


@dataclass(frozen=True, slots=True)
class Guess:
    """A model's first answer, which is none of the photo's classes: a class, "" for none.

    `probability` is its own, None where it is not known; `distance` the steps in WordNet to the
    nearest right class: the largest there is where one of the two is not among the set's classes, 0
    where these have no hypernyms.
    """

    model: str
    wnid: str
    probability: float | None
    distance: int


@dataclass(frozen=True, slots=True)
class Suspect:
    """A photo of a release that every leading model gets wrong, named as the candidate `task`.

    `right` are its right classes, its own first. Every answer is at least `severity` steps off;
    `agreeing` models say `common`.
    """

    task: str
    right: Annotated[tuple[str, ...], Meta(min_length=1)]
    guesses: Annotated[tuple[Guess, ...], Meta(min_length=1)]
    severity: int
    common: str
    agreeing: int


@dataclass(frozen=True, slots=True)
class Suspects:
    """The list.

    Attributes:
        release, content_hash: whose photos they are.
        made_at: when it was made.
        leading: the models, the best first.
        photos: how many photos count for all of these models.
        without: how many do not, because no class is right for them.
        order: how it is sorted: "severity" or "agreement".
        suspects: the photos.
    """

    release: str
    content_hash: str
    made_at: Annotated[datetime, Meta(tz=True)]
    leading: tuple[str, ...]
    photos: int
    without: int
    order: str
    suspects: tuple[Suspect, ...]

    def document(self) -> dict[str, Any]:
        """All of it for JSON."""
        made_at = self.made_at.isoformat()
        return {**asdict(self), "made_at": made_at, "unanimous": self.unanimous}

    def summary(self) -> list[str]:
        """What was found, in lines."""
        missed, models = len(self.suspects), len(self.leading)
        who = f"all {models} leading models get" if models > 1 else "the one model gets"
        without = f"; {self.without:,} without a right class left out" if self.without else ""
        lines = [
            f"{self.release}: {who} {missed:,} of {count(self.photos, 'photo')} wrong{without}",
            f"leading: {', '.join(self.leading)}",
        ]
        if models > 1 and missed:
            lines.append(f"On {self.unanimous:,} of them all models give the same answer.")
        return lines

    @property
    def unanimous(self) -> int:
        """On how many of them all models, if they are several, give one and the same answer."""
        several = len(self.leading) > 1
        return sum(
            several and suspect.agreeing == len(suspect.guesses) for suspect in self.suspects
        )


def write_suspects(folder: Path, found: Suspects) -> Path:
    """Write the list into a workspace's folder, in place of the one that is there."""
    path = folder / SUSPECTS_FILE
    content = msgspec.json.format(msgspec.json.encode(found), indent=1)
    write_text(path, f"{content.decode()}\n")
    return path


def read_suspects(folder: Path, taxonomy: Taxonomy | None = None) -> Suspects | None:
    """The list in a workspace's folder; None where none was made.

    `taxonomy` has the workspace's classes: ImageNet's where it is not given.

    Raises:
        GensetError: the file is not what `write_suspects` wrote.
    """
    path = folder / SUSPECTS_FILE
    try:
        if path.stat().st_size > _LARGEST:
            raise ValueError(f"it is larger than {_LARGEST >> 20} MiB")
        found = msgspec.json.decode(path.read_bytes(), type=Suspects)
        for suspect in found.suspects:
            if any(wnid not in (taxonomy or imagenet1k()) for wnid in suspect.right):
                raise ValueError(f"{suspect.task} has a right class that is none")
        return found
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise GensetError(
            f"{path} is no list of genset labels suspects ({error}): run that again"
        ) from None


def undecided(store: Store, found: Suspects) -> list[Suspect]:
    """Those of the list that nobody decided about, in its order.

    Left out are candidates that somebody ruled on, so that a list that is made anew does not ask
    again; those that wait for a review; and those whose photo is not stored any more.
    """
    with answering(), store.session() as session:
        decided = rulings_in_force(session).keys() | requests_in_force(session).keys()
        pool = _pool(session)
    open_ = {task for task, number in pool.items() if number not in decided}
    return [suspect for suspect in found.suspects if suspect.task in open_]


def missing_photos(store: Store, found: Suspects) -> set[str]:
    """The names of those of the list whose photo is no longer in the pool."""
    with answering(), store.session() as session:
        return {suspect.task for suspect in found.suspects} - _pool(session).keys()


def _pool(session: Session) -> dict[str, int]:
    """The candidates with a stored photo by their names, as `Candidate.id`."""
    columns = Candidate.wnid, Photo.source, Photo.source_id, Candidate.id
    rows = session.execute(stored_candidates().order_by(None).with_only_columns(*columns))
    return {f"{wnid}/{source}:{name}": number for wnid, source, name, number in rows}
