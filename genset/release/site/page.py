"""The page itself. All words on it are strangers' or may be: every one is escaped."""

import base64
import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import quote

from genset.core.links import web_link
from genset.core.numbers import count
from genset.core.safe import clean
from genset.licenses import License, attribution
from genset.release.documents.facts.about import About
from genset.release.documents.facts.changed import note
from genset.release.documents.facts.origin import Place, places
from genset.release.reader import Release, ReleasePhoto

MARK = '<meta name="generator" content="genset site">'

_HERE = Path(__file__).parent
_EMAIL = re.compile(r"[!-~]+@[!-~]+\.[!-~]+")
_LONGEST = 300  # of each word of strangers; ATTRIBUTION.txt has them whole


def page(release: Release, manifest: Mapping[str, Any], contact: str) -> str:
    """The whole page in HTML: nothing from outside, and one script, which searches."""
    style, script = (_read(name) for name in ("style.css", "search.js"))
    every = {place.name: place for place in places(manifest, release.photos)}
    sections = "\n".join(
        _of_owner(photos, every, release, manifest, contact) for photos in by_owner(release.photos)
    )
    about = About(manifest)
    return Template(_read("page.html")).substitute(
        mark=MARK,
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        name=_text(release.name),
        title=f" ({_text(about.title)})" if about.title else "",
        content_hash=_text(release.content_hash),
        created=_text(release.created_at[:10]),
        photos=_photos_of_owners(release.photos),
        plan=f"<p>{_text(plan)}</p>" if (plan := about.word("maintenance")) else "",
        contact=_contact(contact, release),
        notices="".join(f"<p>{_text(words)}</p>" for words in _notices(every)),
        rows=sections,
    )


def by_owner(photos: Sequence[ReleasePhoto]) -> list[list[ReleasePhoto]]:
    """The photos of each owner, by owners' names; last those of whom no owner is known."""
    owners: dict[tuple[str, str], list[ReleasePhoto]] = {}
    for photo in sorted(photos, key=lambda photo: (photo.source, photo.file)):
        owners.setdefault((photo.source, photo.owner.strip() or _name(photo)), []).append(photo)
    return sorted(owners.values(), key=lambda theirs: _in_order(_name(theirs[0])))


def owners_of(photos: Sequence[ReleasePhoto]) -> int:
    """How many owners are known of these photos."""
    return sum(bool(_name(theirs[0])) for theirs in by_owner(photos))


def _in_order(name: str) -> tuple[bool, str, str]:
    """By what a list of names is sorted: accents and capitals aside."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return not name, plain, name


def _photos_of_owners(photos: Sequence[ReleasePhoto]) -> str:
    nobodys = sum(not _name(photo) for photo in photos)
    words = f"{count(len(photos) - nobodys, 'photo')} of {count(owners_of(photos), 'owner')}"
    return words + (f", and {nobodys:,} whose owner is not known" if nobodys else "")


def _read(name: str) -> str:
    return (_HERE / name).read_text("utf-8")


def _hash(text: str) -> str:
    """What a Content-Security-Policy calls a script or style that may stand in the page."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _text(words: str) -> str:
    return escape(clean(words, _LONGEST))


def _name(photo: ReleasePhoto) -> str:
    """Whose it is, for people; "" where that is not known."""
    return clean(photo.owner_name, _LONGEST) or clean(photo.owner, _LONGEST)


def _notices(every: Mapping[str, Place]) -> Iterator[str]:
    """What sources ask to be said wherever their photos are named."""
    for place in every.values():
        if notice := place.words.get("notice", ""):
            yield notice


def _of_owner(
    photos: Sequence[ReleasePhoto],
    every: Mapping[str, Place],
    release: Release,
    manifest: Mapping[str, Any],
    contact: str,
) -> str:
    """A section with all photos of one owner."""
    first = photos[0]
    rows = "\n".join(
        _of_photo(photo, every[photo.source], note(manifest, photo.file), release, contact)
        for photo in photos
    )
    who = f"{first.source}:{first.owner}" if first.owner.strip() else first.source
    return (
        f'<section class="owner"><h3 dir="auto">{escape(_name(first)) or "No owner is known"}</h3>'
        f"<p>{_text(who)}, {count(len(photos), 'photo')}</p><ul>\n{rows}\n</ul></section>"
    )


def _of_photo(
    photo: ReleasePhoto, place: Place, changed: str, release: Release, contact: str
) -> str:
    """One photo: its credit, its page, what it is used as, and a way to ask for its removal."""
    credit = attribution(
        License(photo.license, photo.license_url),
        title=clean(photo.title, _LONGEST),
        owner=_name(photo),
        page_url=photo.page_url,
        via=place.credit,
    )
    subject = f"Removal of {photo.file} from {release.name}"
    ask = _mail(contact, subject, "ask for its removal")
    ask = ask and f"<i> · {ask}</i>"
    return (
        f"<li>{_linked(credit + changed, photo.page_url, photo.license_url)}"
        f"<span>Shown as: {_text(_class_name(photo.wnid, release))}{ask}</span>"
        f"<code>{escape(photo.file)}</code></li>"
    )


def _class_name(wnid: str, release: Release) -> str:
    found = release.taxonomy.get(wnid)
    return found.name if found else wnid


def _linked(words: str, *urls: str) -> str:
    """Words with those of these addresses that lead to the web as links, in one pass."""
    known = sorted(filter(web_link, urls), key=len, reverse=True)
    if not known:
        return escape(words)
    parts = re.split(f"({'|'.join(map(re.escape, known))})", words)
    return "".join(_link(part, part) if part in known else escape(part) for part in parts)


def _link(url: str, words: str) -> str:
    return f'<a href="{escape(url)}">{escape(words)}</a>' if web_link(url) else ""


def _mail(contact: str, subject: str, words: str) -> str:
    """A link by which a letter is begun; "" where the contact is no e-mail address."""
    if not _EMAIL.fullmatch(contact):
        return ""
    address = f"mailto:{quote(contact, safe='@.+-_')}?subject={quote(subject)}"
    return f'<a href="{escape(address)}">{_text(words)}</a>'


def _contact(contact: str, release: Release) -> str:
    """Whom to write to, as a link where it can be one."""
    subject = f"Removal from {release.name}"
    return _mail(contact, subject, contact) or _link(contact, contact) or _text(contact)
