"""The page itself. All words on it are strangers' or may be: every one is escaped."""

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import quote

from genset.licenses import License, attribution
from genset.release.documents.facts.origin import Place, places
from genset.release.reader import Release, ReleasePhoto
from genset.text.links import web_link
from genset.text.numbers import count
from genset.text.safe import clean

MARK = '<meta name="generator" content="genset site">'

_HERE = Path(__file__).parent
_EMAIL = re.compile(r"[!-~]+@[!-~]+\.[!-~]+")
_LONGEST = 300


def page(release: Release, manifest: Mapping[str, Any], contact: str) -> str:
    """The whole page in HTML: nothing from outside, and one script, which searches."""
    style, script = (_read(name) for name in ("style.css", "search.js"))
    every = {place.name: place for place in places(manifest, release.photos)}
    owners = [list(photos) for _, photos in groupby(sorted(release.photos, key=_order), _owner)]
    return Template(_read("page.html")).substitute(
        mark=MARK,
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        name=_text(release.name),
        content_hash=_text(release.content_hash),
        created=_text(release.created_at[:10]),
        photos=count(len(release.photos), "photo", "photos"),
        owners=count(len(owners), "owner", "owners"),
        contact=_contact(contact, release),
        notices="".join(f"<p>{_text(words)}</p>" for words in _notices(every)),
        rows="\n".join(_of_owner(photos, every, release, contact) for photos in owners),
    )


def _read(name: str) -> str:
    return (_HERE / name).read_text("utf-8")


def _hash(text: str) -> str:
    """What a Content-Security-Policy calls a script or style that may stand in the page."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _text(words: str) -> str:
    return escape(clean(words, _LONGEST))


def _name(photo: ReleasePhoto) -> str:
    return photo.owner_name or photo.owner


def _owner(photo: ReleasePhoto) -> tuple[str, str]:
    return photo.source, photo.owner


def _order(photo: ReleasePhoto) -> tuple[str, str, str]:
    return (*_owner(photo), photo.file)


def _notices(every: Mapping[str, Place]) -> Iterator[str]:
    """What sources ask to be said wherever their photos are named."""
    for place in every.values():
        if notice := place.words.get("notice", ""):
            yield notice


def _of_owner(
    photos: Sequence[ReleasePhoto], every: Mapping[str, Place], release: Release, contact: str
) -> str:
    """A section with all photos of one owner."""
    first = photos[0]
    rows = "\n".join(_of_photo(photo, every, release, contact) for photo in photos)
    who = f"{first.source}:{first.owner}"
    return (
        f'<section class="owner"><h3>{_text(_name(first))}</h3>'
        f"<p>{_text(who)}, {count(len(photos), 'photo', 'photos')}</p><ul>\n{rows}\n</ul></section>"
    )


def _of_photo(
    photo: ReleasePhoto, every: Mapping[str, Place], release: Release, contact: str
) -> str:
    """One photo: its credit, its page, what it is used as, and a way to ask for its removal."""
    credit = attribution(
        License(photo.license, photo.license_url),
        title=photo.title,
        owner=_name(photo),
        page_url=photo.page_url,
        via=every[photo.source].credit,
    )
    links = [_link(photo.page_url, "photo's page"), _link(photo.license_url, photo.license)]
    subject = f"Removal of {photo.file} from {release.name}"
    links.append(_mail(contact, subject, "ask for its removal"))
    row = " · ".join(filter(None, links))
    return (
        f'<li id="{escape(photo.sha256[:16])}">{escape(credit)} '
        f"<span>Shown as: {_text(_class_name(photo.wnid, release))}. {row}</span>"
        f"<code>{escape(photo.file)}</code></li>"
    )


def _class_name(wnid: str, release: Release) -> str:
    found = release.taxonomy.get(wnid)
    return found.name if found else wnid


def _link(url: str, words: str) -> str:
    if not web_link(url):
        return ""
    return f'<a href="{escape(url)}" rel="noopener noreferrer nofollow">{_text(words)}</a>'


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
