"""What a release's documents say of the places that its photos are from."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from genset.core.links import web_link
from genset.licenses import FLICKR_NOTICE
from genset.release.documents import said
from genset.release.documents.earlier import sentences
from genset.release.documents.facts import several
from genset.release.documents.facts.changed import bytes_kept
from genset.release.reader import ReleasePhoto

# What is said of Flickr's photos where a manifest does not.
_FLICKR = {"title": "Flickr", "home": "https://www.flickr.com/", "notice": FLICKR_NOTICE}


@dataclass(frozen=True, slots=True)
class Place:
    """A source of a release's photos. The words are a stranger's, on one line, "" for none.

    Attributes:
        name: what its photos' `source` is.
        words: those of `genset.release.facts.words_of_sources`; none where nobody searched there,
            but somebody added a folder of photos under this name.
        grounds: its photos by `ReleasePhoto.unseen`.
    """

    name: str
    words: Mapping[str, str]
    grounds: Counter[str | None]

    @property
    def is_searched(self) -> bool:
        """Whether its photos were found by searches."""
        return bool(self.words)

    @property
    def title(self) -> str:
        """Its name for people."""
        return self.words.get("title", "") or self.name

    @property
    def home(self) -> str:
        """Its web address, or its title."""
        return web_link(self.words.get("home", "")) or self.title

    @property
    def credit(self) -> str:
        """What a credit line says of it; "" for a folder that somebody added."""
        return self.title if self.is_searched else ""

    def facts(self) -> Iterator[tuple[str, str]]:
        """What is to be known of it: a word for each thing, and a sentence."""
        counts = {
            "{:,} taken since the day": self.grounds["taken"],
            "{:,} posted since the day": self.grounds["posted"],
            "{:,} neither, as far as is known": self.grounds.total()
            - self.grounds["taken"]
            - self.grounds["posted"],
        }
        yield "Photos", ", ".join(words.format(n) for words, n in counts.items() if n)
        if not self.is_searched:
            yield "Found", "nowhere: somebody added a folder of photos under this name"
            yield "Posted", "the day since which they were public, as whoever added them says"
            return
        for word in ("home", "found", "posted", "taken", "limits", "terms", "notice"):
            if sentence := self.words.get(word, ""):
                yield word.capitalize(), sentence


def places(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> tuple[Place, ...]:
    """The sources of these photos, by name."""
    grounds: dict[str, Counter[str | None]] = {}
    for photo in photos:
        grounds.setdefault(photo.source, Counter())[photo.unseen] += 1
    facts = said.told(manifest, "sources", dict)
    return tuple(
        Place(said.line(name), _words(facts, name), grounds[name]) for name in sorted(grounds)
    )


def _words(facts: Any, name: str) -> dict[str, str]:
    given = said.told(facts, name, dict)
    if given is None:
        return _FLICKR if name == "flickr" else {}
    return {word: said.line(text) for word, text in given.items() if isinstance(text, str)}


def collection(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> str:
    """How the photos were found."""
    facts, every = manifest.get("collected"), places(manifest, photos)
    searched = [place.title for place in every if place.is_searched]
    added = [place.title for place in every if not place.is_searched]
    keywords = len({photo.keyword for photo in photos if photo.keyword})
    parts = []
    if searched:
        parts.append(
            f"Photos from {', '.join(searched)}, searched {said.span(facts, 'searched')}; "
            f"{keywords:,} different queries found what is in it."
        )
    if added:
        parts.append(f"Photos from {', '.join(added)} were added from folders, without a search.")
    parts.append(f"All were posted {said.span(facts, 'posted')}, and {bytes_kept(manifest)}.")
    return " ".join(parts)


def unseen(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> str:
    """On which ground the photos count as unseen by models."""
    day = said.line(said.told(manifest, "unseen_since", str) or "a day that is not stated")
    counts = Counter(photo.unseen for photo in photos)
    taken, posted = counts["taken"], counts["posted"]
    parts = [f"{taken:,} photos were taken since {day}, so were nowhere before it."] * bool(taken)
    if posted:
        parts.append(
            f"{posted:,} photos were posted at their source since {day}, and may have been "
            "elsewhere before."
        )
    if other := len(photos) - taken - posted:
        parts.append(
            f"{other:,} photos were neither, as far as is known, and models may have learned from "
            "them."
        )
    return " ".join(parts)


def biases(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """In what the photos are one-sided by where they are from."""
    every = places(manifest, photos)
    searched = [place for place in every if place.is_searched]
    found = []
    if searched:
        found.append(
            f"Photos are what people upload to {', '.join(place.title for place in searched)}: "
            "classes, places and customs are seen as often as people there post photos, not as "
            "often as they occur in the world."
        )
    for place in searched:
        if words := place.words.get("found", ""):
            found.append(f"Candidates from {place.title} were found {words}.")
    found += [
        f"The photos of {place.title} were chosen by whoever put them into a folder."
        for place in every
        if not place.is_searched
    ]
    return found


def limits(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """What a release of these photos cannot tell."""
    found = [*biases(manifest, photos), *sentences.LIMITS[2:], unseen(manifest, photos)]
    if not several.is_told(manifest):
        return found
    further = [sentences.SOME_CLASSES, several.bias(manifest)]
    at = found.index(sentences.ONE_CLASS)
    return [*found[:at], *further, *found[at + 1 :]]
