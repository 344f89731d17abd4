"""Where a release's photos are from: searches, folders that somebody added, another release."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from genset.core.dates import earliest_day
from genset.core.numbers import agree, count
from genset.core.safe import web_link
from genset.licenses import FLICKR_NOTICE
from genset.release.documents.words import About, days, fact, line
from genset.release.reader import ReleasePhoto

ORIGINAL_BYTES = "keep their original bytes"


def lineage(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """All of it, as sentences; nothing for a release that comes from none."""
    return [
        *part_of(manifest, photos),
        *replaced(manifest),
        *([f"It is {_variant_of(manifest)}."] if _variant_of(manifest) else []),
    ]


def comes_from(manifest: Mapping[str, Any]) -> str:
    """From which releases, in few words; "" for none."""
    found = [f"a part of {whole(manifest)}"] if whole(manifest) else []
    found += [_variant_of(manifest)] if _variant_of(manifest) else []
    replaces = fact(manifest, "replaces", dict)
    if _removed(manifest):
        found.append(f"a new version of {_named(replaces)}")
    return ", ".join(found)


def part_of(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """Of which release these photos are how many, and why not all; nothing for a whole one."""
    facts = fact(manifest, "part_of", dict)
    every = fact(facts, "photos", int)
    if not whole(manifest) or every is None:
        return []
    because = []
    if restricted := fact(facts, "restricted", int):
        because.append(f"{restricted:,}, as no licence that genset knows lets them be handed on")
    if missing := fact(facts, "missing", int):
        why = "gone, changed, unreachable or without an address"
        because.append(f"{missing:,} that genset pull could not get ({why})")
    name = line((facts or {}).get("name", ""))
    return [
        f"It has {len(photos):,} of the {every:,} photos of {whole(manifest)}; it is without "
        f"{', and '.join(because) or 'the others'}. Cite a score on it with this part's hash, and "
        f"not as one on {name}. {_of_whole(name)}"
    ]


def _of_whole(name: str) -> str:
    """That what is counted before photos were chosen is of another release."""
    return (
        f"Counts of searches and labels, dates of licences, the choice of photos and what it left "
        f"out are those of {name}."
    )


def whole(manifest: Mapping[str, Any]) -> str:
    """The release of which these photos are a part, with its hash; "" for a whole one."""
    return _named(fact(manifest, "part_of", dict))


def replaced(manifest: Mapping[str, Any]) -> list[str]:
    """Which release it replaces, and how many photos were taken out of that."""
    removed, replaces = _removed(manifest), fact(manifest, "replaces", dict)
    if not removed:
        return []
    requested = fact(replaces, "requested", str)
    return [
        f"It replaces {_named(replaces)}, of which {count(len(removed), 'photo')} "
        f"{'was' if len(removed) == 1 else 'were'} taken out"
        f"{f', as was asked on {line(requested)}' if requested else ''}. "
        f"{_of_whole(line((replaces or {}).get('name', '')))}"
    ]


def removed_files(manifest: Mapping[str, Any]) -> list[str]:
    """The files that were taken out."""
    return [line(file) for file in _removed(manifest)]


def _removed(manifest: Mapping[str, Any]) -> list[Any]:
    return fact(fact(manifest, "replaces", dict), "removed", list) or []


def _variant_of(manifest: Mapping[str, Any]) -> str:
    variant = fact(manifest, "variant", dict)
    return f"a variant of {_named(variant)}: {line(variant.get('what', ''))}" if variant else ""


def _named(facts: Any) -> str:
    """A release's name, with its content hash."""
    name, content_hash = fact(facts, "name", str) or "", fact(facts, "content_hash", str)
    return f"{line(name)} ({line(content_hash)})" if content_hash else line(name)


def is_changed(manifest: Mapping[str, Any]) -> bool:
    """Whether it is a variant, some of whose photos were changed."""
    return fact(manifest, "variant", dict) is not None


def changes(manifest: Mapping[str, Any], photos: int) -> str:
    """What was changed of which release, in sentences; "" where nothing was."""
    variant = fact(manifest, "variant", dict)
    if variant is None:
        return ""
    of, changed = line(variant.get("name", "")), len(fact(variant, "changed", dict) or {})
    how = "other bytes, of the same picture by its fingerprint (at most 8 of 64 bits differ)"
    if variant.get("what") == "metadata removed":
        how = "no metadata but orientation and ICC colour profile; pixels are as they were coded"
    words = (
        f"This is a variant of {_named(variant)}: {line(variant.get('what', ''))}. "
        f"{count(changed, 'photo has', 'photos have')} {how}. "
        f"{'All others keep their bytes. ' if changed < photos else ''}"
        f"{_of_whole(of)} Labelers saw the photos of {of}, unchanged."
    )
    if excluded := fact(variant, "excluded", list):
        words += f" Left out: {count(len(excluded), 'photo')} that were not up at that time."
    return words


def raw_data(manifest: Mapping[str, Any]) -> str:
    """What the raw data are."""
    variant = fact(manifest, "variant", dict)
    if variant is None:
        return "The photos, with their original bytes, are the raw data."
    return f"The raw data are the photos of {line(variant.get('name', ''))}."


def change_note(manifest: Mapping[str, Any], file: str) -> str:
    """What a photo's credit line says of its change, as licences ask; "" where it was not."""
    variant = fact(manifest, "variant", dict)
    changed = fact(variant, "changed", dict)
    if variant is None or changed is None or file not in changed:
        return ""
    return f" (changed: {line(variant.get('what', ''))})"


# What is said of Flickr's photos that no scrape of the workspace brought.
_FLICKR = {"title": "Flickr", "home": "https://www.flickr.com/", "notice": FLICKR_NOTICE}


@dataclass(frozen=True, slots=True)
class Place:
    """A source of a release's photos. The words are a stranger's, on one line, "" for none.

    Attributes:
        name: what its photos' `source` is.
        words: those of `genset.release.facts.words_of_sources`; none where nobody searched there.
        origin: what the manifest says of how they got there (`genset.release.facts`).
        found: its photos that a search of this workspace found.
        imported: those that somebody else's search found, from whose files they were imported.
        added: those that somebody added from folders.
    """

    name: str
    words: Mapping[str, str]
    origin: Mapping[str, Any]
    found: tuple[ReleasePhoto, ...]
    imported: tuple[ReleasePhoto, ...]
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
            yield (
                f"{count(len(self.found), 'photo')} from {self.title}, found by "
                f"{_queries(self.found)} ({self._searched()}); posted there {_days(self.found)}."
            )
        if self.imported:
            yield (
                f"{count(len(self.imported), 'photo')} from {self.title}, imported with the "
                f"{_queries(self.imported)} by which somebody else's search found them; how that "
                f"search was made is not known here; posted there {_days(self.imported)}."
            )
        if self.added:
            when, numbered = days(self.origin, "added_on"), count(len(self.added), "photo")
            on = f" on {when}" if when != "not known" else ""
            title = f'{numbered} added from a folder as "{self.title}"{on}, without a search'
            yield f"{title}{self._dated(when[:10], when[-10:])}."

    def _dated(self, first: str, last: str) -> str:
        """Which dates photos got that were added between these days; others have that day's."""
        days_ = [photo.posted_at.date().isoformat() for photo in self.added]
        dated = [p for p, day in zip(self.added, days_, strict=True) if not first <= day <= last]
        some = "" if len(dated) == len(self.added) else f"{len(dated):,} of them "
        return f"; {some}dated {_days(dated)} by whoever added them" if dated else ""

    def _searched(self) -> str:
        searches = fact(self.origin, "searches", int) or 0
        pages = fact(self.origin, "pages", int) or 0
        counts = fact(self.origin, "by_search", list) or []
        numbers = ", ".join(f"{number:,}" for number in counts if isinstance(number, int))
        further = f"; photos by search, from first to last: {numbers}" if numbers else ""
        return (
            f"{count(searches, 'search', 'searches')} for the release's classes, "
            f"{count(pages, 'page')} of results, {days(self.origin, 'searched')}{further}"
        )

    def facts(self) -> Iterator[tuple[str, str]]:
        """What is to be known of it: a word for each thing, and a sentence."""
        for word in ("home", "found", "posted", "taken", "limits", "terms", "notice"):
            if word == "found" and not self.found:
                continue
            if sentence := self.words.get(word, ""):
                yield word.capitalize(), sentence


def places(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> tuple[Place, ...]:
    """The sources of these photos, by name."""
    by_source: dict[str, list[ReleasePhoto]] = {}
    for photo in photos:
        by_source.setdefault(photo.source, []).append(photo)
    return tuple(_place(manifest, name, of_source) for name, of_source in sorted(by_source.items()))


def _place(manifest: Mapping[str, Any], name: str, photos: Sequence[ReleasePhoto]) -> Place:
    origin = fact(fact(manifest, "origins", dict), name, dict) or {}
    others = fact(origin, "imported", list) or []
    imports = {tuple(map(str, pair)) for pair in others if isinstance(pair, list)}
    found: list[ReleasePhoto] = []
    imported: list[ReleasePhoto] = []
    for photo in photos:
        if photo.keyword:
            is_found = origin.get("searches") and (photo.wnid, photo.keyword) not in imports
            (found if is_found else imported).append(photo)
    return Place(
        name=line(name),
        words=_words(fact(manifest, "sources", dict), name),
        origin=origin,
        found=tuple(found),
        imported=tuple(imported),
        added=tuple(photo for photo in photos if not photo.keyword),
    )


def _queries(photos: Sequence[ReleasePhoto]) -> str:
    return count(len({photo.keyword for photo in photos}), "query", "queries")


def _words(facts: Any, name: str) -> dict[str, str]:
    words = fact(facts, name, dict)
    if words is None:
        return _FLICKR if name == "flickr" else {}
    return {word: line(text) for word, text in words.items() if isinstance(text, str)}


def _days(photos: Sequence[ReleasePhoto]) -> str:
    """The first and the last day on which these were posted."""
    posted = sorted(photo.posted_at.date().isoformat() for photo in photos)
    return days({"posted": [posted[0], posted[-1]]}, "posted")


def collection(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """How the photos came into the release."""
    sentences = [words for place in places(manifest, photos) for words in place.collection()]
    return sentences if is_changed(manifest) else [*sentences, f"Photos {ORIGINAL_BYTES}."]


def unseen(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """On which ground the photos count as unseen by models."""
    day = line(fact(manifest, "unseen_since", str) or "a day that is not stated")
    counts = Counter(
        (photo.unseen, bool(photo.keyword)) if photo.unseen == "posted" else photo.unseen
        for photo in photos
    )
    found, added = counts["posted", True], counts["posted", False]
    taken = counts["taken"]
    # Of those taken since it would be said that they were taken, so a known day is an earlier one.
    before = sum(
        photo.unseen == "posted"
        and bool(photo.keyword)
        and earliest_day(photo.taken_at, photo.posted_at) is not None
        for photo in photos
    )
    early = f" ({before:,} of them taken before)" if before else ""
    sentences = {
        f"{count(taken, 'photo')} taken since {day}, as the camera or whoever posted them says: if "
        f"that is right, {agree(taken, 'it', 'they')} did not exist before.": taken,
        f"{count(found, 'photo')} posted at their source since {day}{early}: "
        f"{agree(found, 'it', 'they')} may have been elsewhere before.": found,
        f"{count(added, 'photo')} added with a date of {day} or later, which genset cannot check: "
        f"{agree(added, 'it', 'they')} may have been public before.": added,
    }
    rest = len(photos) - taken - found - added
    sentences[
        f"{count(rest, 'photo')} neither, as far as is known: models may have learned from "
        f"{agree(rest, 'it', 'them')}."
    ] = rest
    return [sentence for sentence, number in sentences.items() if number]


def biases(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """In what the photos are one-sided by where they are from."""
    every = places(manifest, photos)
    searched = [place for place in every if place.found or place.imported]
    found = []
    if searched:
        found.append(
            f"Photos are what people upload to {titles(searched)}: "
            "classes, places and customs are seen as often as people there post photos, not as "
            "often as they occur in the world."
        )
    found += [
        f"Candidates from {place.title} were found {words}."
        for place in searched
        if place.found and (words := place.words.get("found", ""))
    ]
    return [*found, *filter(None, [About(manifest).word("biases")])]


def titles(places_: Sequence[Place]) -> str:
    """Their names, as "Flickr and Wikimedia Commons"; "" for none."""
    *rest, last = [place.title for place in places_] or [""]
    return f"{', '.join(rest)} and {last}" if rest else last


def collection_days(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """The first and the last day on which photos were searched or added; none if not known."""
    found = [
        day[:10]
        for place in places(manifest, photos)
        for name in ("searched", "added_on")
        for day in fact(place.origin, name, list) or ()
        if isinstance(day, str)
    ]
    return sorted({min(found), max(found)}) if found else []
