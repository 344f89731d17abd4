"""How a release is cited: BibTeX, CITATION.cff and Zenodo's metadata, from the same facts.

Sources: the Citation File Format 1.2.0; Zenodo's REST API, deposit metadata; Kaggle's API, dataset
metadata.
"""

import html
import json
import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from genset.core.authors import Author, doi_in, spdx_in
from genset.core.numbers import count
from genset.core.safe import escape_latex, web_link
from genset.release.documents.provenance import comes_from
from genset.release.documents.words import About, fact, line

_IMAGENET = "ImageNet"


@dataclass(frozen=True, slots=True)
class Citation:
    """What all forms of a citation say; "" for what is not stated.

    Attributes:
        name: of the release, which is its version too.
        title: of the data set and the release.
        authors: in their order.
        created_at: ISO 8601.
        content_hash: "sha256:" and 64 digits.
        photos: how many it has.
        doi, url, license: as the maintainer says; `url` leads to the web.
        comes_from: the releases of which it is a part, a variant or a new version.
        classes: the name of its taxonomy.
        remarks: what is missing, and what is stated without effect.
    """

    name: str
    title: str
    authors: tuple[Author, ...]
    created_at: str
    content_hash: str
    photos: int
    doi: str
    url: str
    license: str
    comes_from: str = ""
    classes: str = _IMAGENET
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, manifest: Mapping[str, Any], photos: int, later: Mapping[str, Any] | None = None
    ) -> "Citation":
        """A release's, by its manifest and what its maintainer said `later` (`About`)."""
        about, name = About(manifest, later), line(manifest["name"])
        taxonomy = fact(fact(manifest, "taxonomy", dict), "name", str)
        classes = line(taxonomy or _IMAGENET)
        license = about.word("license")
        remarks = {
            "no authors are stated: name them": not about.authors,
            f"license {license!r} is no SPDX id: citations leave it out": (
                license and not _spdx(license)
            ),
        }
        return cls(
            name=name,
            title=about.title or f"{name}: a test set of photos for classifiers of {classes}",
            authors=about.authors,
            created_at=line(manifest["created_at"]),
            content_hash=line(manifest["content_hash"]),
            photos=photos,
            doi=doi_in(about.word("doi")),
            url=quote(web_link(about.word("hosting")) or "", safe=":/?#@!$&*+,;=%~"),
            license=license,
            remarks=tuple(remark for remark, holds in remarks.items() if holds),
            comes_from=comes_from(manifest),
            classes=classes,
        )

    @property
    def keywords(self) -> tuple[str, ...]:
        """What it is about."""
        return "image classification", "test set", self.classes, "generalization"

    @property
    def day(self) -> str:
        """When it was frozen, as 2026-01-31."""
        return self.created_at[:10]

    @property
    def note(self) -> str:
        """What identifies it whatever it is called."""
        of = f"; {self.comes_from}" if self.comes_from else ""
        return f"Release {self.name}: {count(self.photos, 'photo')}, {self.content_hash}{of}"


def bibtex(cited: Citation) -> str:
    """An entry for BibTeX."""
    first = cited.authors[0].family if cited.authors else ""
    words = unicodedata.normalize("NFKD", f"{first} {cited.day[:4]} {cited.name}").lower()
    key = re.sub(r"[^a-z0-9]+", "", words.encode("ascii", "ignore").decode())
    authors = [
        f"{{{_tex(a.name)}}}" if a.is_group or _is_whole(a) else _tex(a.sorted_name)
        for a in cited.authors
    ]
    fields = {
        "title": f"{{{_tex(cited.title)}}}",
        "author": " and ".join(authors),
        "year": cited.day[:4],
        "version": _tex(cited.name),
        "doi": cited.doi,
        "url": cited.url,
        "note": _tex(cited.note),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key},", *lines, "}"]) + "\n"


def _is_whole(author: Author) -> bool:
    """Whether BibTeX would take a name apart that is one, or take it for several."""
    return " and " in f" {author.sorted_name} ".lower() or (
        not author.given and " " in author.family
    )


def _tex(text: str) -> str:
    """For BibTeX, which counts braces, those after a backslash too."""
    words = escape_latex(text).replace(r"\{", r"\textbraceleft{}")
    return words.replace(r"\}", r"\textbraceright{}")


def citation_cff(cited: Citation) -> str:
    """CITATION.cff: YAML, whose values are written as JSON, which is YAML too."""
    facts: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this data set, cite it with its content hash.",
        "type": "dataset",
        "title": cited.title,
        "authors": [_cff_author(author) for author in cited.authors] or [{"name": "not stated"}],
        "version": cited.name,
        "date-released": cited.day,
        **({"doi": cited.doi} if cited.doi else {}),
        **({"url": cited.url} if cited.url else {}),
        **({"license": license} if (license := _spdx(cited.license)) else {}),
        "identifiers": [
            {"type": "other", "value": cited.content_hash, "description": "content hash"}
        ],
        "keywords": list(cited.keywords),
    }
    return "".join(
        f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in facts.items()
    )


def _cff_author(author: Author) -> dict[str, str]:
    if author.is_group:
        return {"name": author.family}
    return {
        "family-names": author.family,
        **({"given-names": author.given} if author.given else {}),
        **({"affiliation": author.affiliation} if author.affiliation else {}),
        **({"orcid": f"https://orcid.org/{author.orcid}"} if author.orcid else {}),
    }


def _spdx(license: str) -> str:
    """The SPDX id that it is, as SPDX writes it; "" where it is none."""
    id = spdx_in(license)
    return "" if " " in id or id.startswith("LicenseRef-") else id


def zenodo(cited: Citation) -> dict[str, Any]:
    """What Zenodo asks of a deposit, as its API takes it. It wants creators, if none."""
    license = _spdx(cited.license)
    metadata: dict[str, Any] = {
        "title": cited.title,
        "upload_type": "dataset",
        "description": f"<p>{html.escape(cited.note)}</p>",
        "creators": [
            {
                "name": author.sorted_name.strip("{}"),
                **({"affiliation": author.affiliation} if author.affiliation else {}),
                **({"orcid": author.orcid} if author.orcid else {}),
            }
            for author in cited.authors
        ],
        "publication_date": cited.day,
        "version": cited.name,
        "keywords": list(cited.keywords),
        **({"doi": cited.doi} if cited.doi else {}),
    }
    if license:
        metadata["license"] = license.lower()
        metadata["notes"] = (
            "The licence is that of labels and documents: each photo is under its own."
        )
    return {"metadata": metadata}


# The licences of photos that Kaggle knows, by their SPDX ids.
_KAGGLE = r"CC0-1\.0|CC-BY(-SA)?-3\.0|CC-BY(-NC)?(-SA|-ND)?-4\.0"


def kaggle(cited: Citation, licenses: Collection[str]) -> dict[str, Any]:
    """dataset-metadata.json, as ``kaggle datasets create`` takes it; `licenses` are its photos'.

    Kaggle wants one licence, a title of 6 to 50 characters and a name of 3 to 50.
    """
    one = next(iter(licenses)) if len(licenses) == 1 else ""
    title = cited.title if len(cited.title) <= 50 else f"{cited.name[:37]}, a test set"
    slug = re.sub(r"[^a-z0-9]+", "-", f"{cited.title} {cited.name}".lower())[:50].strip("-")
    rights = "Each photo is under its own licence: see LICENSES.txt."
    terms = f" Labels and documents: {cited.license}." if cited.license else ""
    return {
        "title": title if len(title) >= 6 else f"{title}: photos",
        "id": f"INSERT_USERNAME_HERE/{slug if len(slug) >= 3 else 'photos'}",
        "description": f"{cited.note}. {rights}{terms}",
        "licenses": [{"name": one if re.fullmatch(_KAGGLE, one) else "other"}],
        "keywords": list(cited.keywords),
    }
