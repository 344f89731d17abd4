"""Where a pull has its manifest from: a file, a web address, or the record that a DOI names.

Zenodo's API answers of a record, at ``/api/records/7``::

    {"files": [{"key": "manifest.json",
                "links": {"self": "https://zenodo.org/api/records/7/files/manifest.json/content"}}]}
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

import requests

from genset.core.authors import doi_in
from genset.core.errors import BadInput, GensetError
from genset.core.safe import web_link
from genset.core.validation import Record, parse_json, read_text
from genset.net.api import endpoint_in
from genset.net.transport import USER_AGENT, Client, TooLarge, cause, host_in
from genset.release.reader import MANIFEST, WHOLE, Manifest
from genset.release.reader.manifest import LARGEST, parse_manifest
from genset.release.reader.release import check_expected

ENDPOINT = "GENSET_ZENODO_ENDPOINT"
_SECONDS = 3600.0  # for a manifest, which may have half a gigabyte
_REDIRECTS = 5


class ManifestText(NamedTuple):
    """A manifest's text, where it is, and the addresses of files beside it, by their names."""

    where: str
    text: str
    files: Mapping[str, str] = {}

    def checked(self, expect: str | None = None) -> Manifest:
        """What it says, if genset wrote it so, and it is the one that is expected.

        Args:
            expect: the hash that was published, of its content or of all of it.

        Raises:
            BadInput: it is no manifest, was changed, or cannot be pulled.
            GensetError: it is another one.
        """
        release, document = parse_manifest(self.text.encode(), self.where), json.loads(self.text)
        if not release.is_as_written(document):
            raise BadInput(f"{self.where} was changed since it was written: ask for it again")
        if expect is not None:
            check_expected(self.where, document, expect)
        if release.variant is not None:
            raise BadInput(
                f"{self.where} is of photos that were changed, and addresses lead to photos as "
                f"they were: ask for the photos, or pull {release.variant['name']}"
            )
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", release.name):
            name = release.name[:99]
            raise BadInput(f"{self.where} names its set {name!r}, which is not a release's name")
        return release

    def address_of(self, name: str) -> str:
        """Where one of its documents may be had; "" where nobody knows."""
        if self.files or not is_remote(self.where):
            return self.files.get(name) or self.files.get(name.rpartition("/")[2], "")
        return urljoin(self.where, name)


class _ZenodoFile(Record, frozen=True, forbid_unknown_fields=False):
    """A file of a record, and where it is."""

    key: str
    links: dict[str, str]


class _ZenodoRecord(Record, frozen=True, forbid_unknown_fields=False):
    """What Zenodo says of a record."""

    files: tuple[_ZenodoFile, ...] = ()


def is_remote(word: str) -> bool:
    """Whether a word is a web address or a DOI."""
    return re.match("https?:", word) is not None or doi_in(word) != ""


def read_manifest(path: Path) -> ManifestText:
    """Read a manifest from its file."""
    return ManifestText(str(path), read_text(path, LARGEST))


def download_manifest(word: str) -> ManifestText:
    """Download a manifest from its address, or from the record of Zenodo that a DOI names."""
    record = r"10\.5281/zenodo\.(\d+)|https://zenodo\.org/records?/(\d+)/?"
    found = re.fullmatch(record, doi_in(word) or word, re.I)
    if found is None and doi_in(word):
        raise BadInput(
            f"{word} is no DOI of Zenodo (10.5281/zenodo.N): give the manifest's address"
        )
    if found is None:
        return ManifestText(word, download(word).decode("utf-8-sig", "replace"))
    url = f"{endpoint_in(ENDPOINT) or 'https://zenodo.org/api'}/records/{found[1] or found[2]}"
    listed = parse_json(download(url), _ZenodoRecord, url).files
    files = {file.key: file.links.get("self", "") for file in listed}
    ends = [[key for key in files if key.endswith(name)] for name in (WHOLE, MANIFEST)]
    manifests = next(filter(None, ends), [])
    if len(manifests) != 1:
        has = ", ".join(manifests or files) or "no file"
        raise BadInput(f"{word} has {has}: give the address of the manifest that is meant")
    if any(host_in(address) != host_in(url) for address in files.values()):
        raise BadInput(f"{url} names files on other hosts than its own")
    where = files[manifests[0]]
    return ManifestText(where, download(where).decode("utf-8-sig", "replace"), files)


def download(url: str) -> bytes:
    """What an address serves. Redirects to other hosts are followed by HTTPS alone.

    Raises:
        BadInput: it is no web address.
        GensetError: it cannot be downloaded.
    """
    first, client, at = urlsplit(url), Client(_SECONDS, LARGEST), url
    try:
        for _ in range(_REDIRECTS):
            is_safe = urlsplit(at).scheme == "https" or urlsplit(at)[:2] == first[:2]
            if web_link(at) is None or not is_safe:
                raise BadInput(f"{url} leads to {at[:99]!r}, which is no address to download from")
            reply = client.call("GET", at, headers={"User-Agent": USER_AGENT})
            if not reply.ok:
                raise requests.HTTPError(response=reply)
            if not reply.is_redirect:
                return reply.content
            at = urljoin(at, reply.headers["Location"])
    except TooLarge:
        raise GensetError(f"{url} has more than {LARGEST:,} bytes: it is no manifest") from None
    except (requests.RequestException, ValueError) as error:
        raise GensetError(f"{url}: {cause(error, host_in(url))}") from None
    raise GensetError(f"{url}: it redirects more than {_REDIRECTS} times; check the address")
