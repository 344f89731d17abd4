"""Where a release's photos are from, by what happened: searches, folders that somebody added."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from genset.licenses import FLICKR_NOTICE
from genset.release.documents import said
from genset.release.documents.changed import bytes_kept
from genset.release.reader import ReleasePhoto
from genset.text.links import web_link
from genset.text.numbers import count

# What is said of Flickr's photos where a manifest does not.
_FLICKR = {"title": "Flickr", "home": "https://www.flickr.com/", "notice": FLICKR_NOTICE}

_GROUNDS = {"taken": "taken since the day", "posted": "posted since the day"}


@dataclass(frozen=True, slots=True)
class Place:
    """A source of a release's photos. The words are a stranger's, on one line, "" for none.

    Attributes:
        name: what its photos' `source` is.
        words: those of `genset.release.facts.words_of_sources`; none where nobody searched there.
        came: what the manifest says of how they came (`genset.release.happened`).
        found: its photos that a search found.
        added: those that somebody added from folders.
    """

    name: str
    words: Mapping[str, str]
    came: Mapping[str, Any]
    found: tuple[ReleasePhoto, ...]
    added: tuple[ReleasePhoto, ...]

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
        return self.title if self.words else ""

    def collection(self) -> Iterator[str]:
        """How its photos came into the release, as sentences."""
        if self.found:
            queries = len({photo.keyword for photo in self.found})
            yield (
                f"{count(len(self.found), 'photo')} from {self.title}, found by "
                f"{count(queries, 'different query', 'different queries')}{self._searched()}; "
                f"posted there {_days(self.found)}."
            )
        if self.added:
            when = said.days(self.came, "added_on")
            on = f" on {when}" if when != "not known" else ""
            yield (
                f'{count(len(self.added), "photo")} added from a folder as "{self.title}"{on}, '
                f"without a search; dated {_days(self.added)} as whoever added them says or, "
                "where they said nothing, by the day of adding."
            )

    def _searched(self) -> str:
        if searches := said.told(self.came, "searches", int):
            pages = said.told(self.came, "pages", int) or 0
            return (
                f" ({count(searches, 'search', 'searches')} for the release's classes, "
                f"{count(pages, 'page')} of results, {said.days(self.came, 'searched')})"
            )
        return " (searches that this workspace did not make)"

    def facts(self) -> Iterator[tuple[str, str]]:
        """What is to be known of it: a word for each thing, and a sentence."""
        photos = (*self.found, *self.added)
        grounds = Counter(_GROUNDS.get(photo.unseen or "", "neither") for photo in photos)
        order = (*_GROUNDS.values(), "neither")
        known = {"neither": "neither, as far as is known"}
        parts = [f"{grounds[name]:,} {known.get(name, name)}" for name in order if grounds[name]]
        yield "Photos", ", ".join(parts)
        for word in ("home", "found", "posted", "taken", "limits", "terms", "notice"):
            if sentence := self.words.get(word, ""):
                yield word.capitalize(), sentence


def places(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> tuple[Place, ...]:
    """The sources of these photos, by name."""
    by_source: dict[str, list[ReleasePhoto]] = {}
    for photo in photos:
        by_source.setdefault(photo.source, []).append(photo)
    facts, came = said.told(manifest, "sources", dict), said.told(manifest, "came", dict)
    return tuple(
        Place(
            said.line(name),
            _words(facts, name),
            said.told(came, name, dict) or {},
            tuple(photo for photo in theirs if photo.keyword),
            tuple(photo for photo in theirs if not photo.keyword),
        )
        for name, theirs in sorted(by_source.items())
    )


def _words(facts: Any, name: str) -> dict[str, str]:
    given = said.told(facts, name, dict)
    if given is None:
        return _FLICKR if name == "flickr" else {}
    return {word: said.line(text) for word, text in given.items() if isinstance(text, str)}


def _days(photos: Sequence[ReleasePhoto]) -> str:
    """The first and the last day on which these were posted."""
    days = sorted(photo.posted_at[:10] for photo in photos)
    first, last = said.line(days[0]), said.line(days[-1])
    return first if first == last else f"{first} to {last}"


def collection(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """How the photos came into the release."""
    came = [words for place in places(manifest, photos) for words in place.collection()]
    return [*came, f"All {bytes_kept(manifest)}."]


def unseen(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """On which ground the photos count as unseen by models."""
    day = said.line(said.told(manifest, "unseen_since", str) or "a day that is not stated")
    counts = Counter(
        (photo.unseen, bool(photo.keyword)) if photo.unseen == "posted" else photo.unseen
        for photo in photos
    )
    found, added = counts["posted", True], counts["posted", False]
    taken = counts["taken"]
    sentences = {
        f"{count(taken, 'photo')} taken since {day}: nowhere before it.": taken,
        f"{count(found, 'photo')} posted at their source since {day}: they may have been elsewhere "
        "before.": found,
        f"{count(added, 'photo')} dated {day} or later by whoever added them, which genset cannot "
        "check: they may have been public before.": added,
    }
    rest = len(photos) - taken - found - added
    sentences[
        f"{count(rest, 'photo')} neither, as far as is known: models may have learned from them."
    ] = rest
    return [sentence for sentence, number in sentences.items() if number]


def biases(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """In what the photos are one-sided by where they are from."""
    every = places(manifest, photos)
    searched = [place for place in every if place.found]
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
        f'The photos of "{place.title}" were chosen by whoever put them into a folder.'
        for place in every
        if place.added
    ]
    return found


def timeframe(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """When the photos were collected: searched, or added."""
    return [
        f"{place.title}: {word} {said.days(place.came, name)}"
        for place in places(manifest, photos)
        for word, name in (("searched", "searched"), ("added", "added_on"))
        if said.told(place.came, name, list)
    ]
