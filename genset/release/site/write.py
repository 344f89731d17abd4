"""Write the page of a release's credits into a folder that any web server can show."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput
from genset.core.files import write_text
from genset.release.documents.facts.about import About
from genset.release.reader import MANIFEST, Release, find_releases
from genset.release.site.page import MARK, owners_of, page

INDEX = "index.html"
_HEAD = 4096  # bytes in which our page says that it is ours


@dataclass(frozen=True, slots=True)
class Site:
    """A page that was written.

    Attributes:
        file: its path.
        photos: how many it credits.
        owners: of how many owners these are, as far as owners are known.
        contact: whom it tells owners to write to.
    """

    file: str
    photos: int
    owners: int
    contact: str


def write_site(release: Release, folder: Path, contact: str = "", otherwise: str = "") -> Site:
    """Write ``index.html``: every photo's credit, by owner, and how to ask for removal.

    It is one file without anything from elsewhere, and has no photo. An earlier page of ours is
    replaced, so that one address stays when a release is followed by its next version.

    Args:
        release: the release.
        folder: where to write; made if it is not there.
        contact: whom owners write to; "" for the release's own contact.
        otherwise: whom they write to where the release has no contact.

    Raises:
        BadInput: nobody can be written to, a later version without some of the photos is there, the
            folder has a page of somebody else, is a file, or is the release's own.
    """
    manifest: dict[str, Any] = json.loads((release.root / MANIFEST).read_text("utf-8"))
    given = (contact, About(manifest).contact, otherwise)
    contact = next((line for each in given if (line := " ".join(each.split()))), "")
    if not contact:
        raise BadInput(
            f"{release.name} names nobody to write to, so no owner could ask for removal: say "
            "--contact you@example.org"
        )
    if later := _replaced_by(release):
        raise BadInput(
            f"{release.name} was replaced by {later}, without photos whose owners asked for it: "
            f"genset site {later} --out {folder}"
        )
    if folder.resolve().is_relative_to(release.root.resolve()):
        raise BadInput(
            f"{folder} is the release's own, which never changes: name another with --out"
        )
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file: name a folder with --out")
    index = folder / INDEX
    if index.exists() and not _is_ours(index):
        raise BadInput(f"{index} is not a page of genset's: name another folder with --out")
    write_text(index, page(release, manifest, contact))
    return Site(str(index), len(release.photos), owners_of(release.photos), contact)


def _replaced_by(release: Release) -> str | None:
    """The newest version beside a release that replaces it, and what replaces that; None: none."""
    beside = find_releases(release.root.absolute().parent)
    name: str = release.name
    for each in beside:  # oldest first, so one pass follows a chain
        facts = json.loads((each.root / MANIFEST).read_text("utf-8")).get("replaces")
        if isinstance(facts, dict) and facts.get("name") == name:
            name = each.name
    return name if name != release.name else None


def _is_ours(index: Path) -> bool:
    with index.open("rb") as file:
        return MARK.encode() in file.read(_HEAD)
