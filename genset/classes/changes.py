"""What is new in a taxonomy, and what is said otherwise than before."""

from dataclasses import dataclass

from genset.classes.document import document_of
from genset.classes.taxonomy import Taxonomy


@dataclass(frozen=True, slots=True)
class Changes:
    """What became of a taxonomy.

    Attributes:
        new: the ids of classes that were not there.
        gone: the ids of classes that are there no more.
        mended: by the id of a class that was there, the keys of what is said otherwise of it.
    """

    new: tuple[str, ...]
    gone: tuple[str, ...]
    mended: dict[str, tuple[str, ...]]

    @classmethod
    def between(cls, before: Taxonomy, after: Taxonomy) -> "Changes":
        """What `after` says that `before` did not."""
        was, now = document_of(before)["classes"], document_of(after)["classes"]
        mended = {
            id: tuple(
                key
                for key in dict.fromkeys((*now[id], *was[id]))
                if now[id].get(key) != was[id].get(key)
            )
            for id in now
            if id in was and now[id] != was[id]
        }
        new, gone = (id for id in now if id not in was), (id for id in was if id not in now)
        return cls(tuple(new), tuple(gone), mended)
