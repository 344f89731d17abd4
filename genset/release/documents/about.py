"""What its maintainer says of a release, and what nobody says."""

from collections.abc import Mapping
from typing import Any

from genset.release.documents.words import fact, line
from genset.settings import TOPICS, Author, orcid_in

NOT_STATED = "Not stated."

_CALLED = {
    "funding": "Funding",
    "ethics_review": "Review of its ethics",
    "labelers_pay": "Pay of labelers",
    "hosting": "Hosted at",
    "doi": "DOI",
    "license": "Licence of labels and documents",
}


class About:
    """The words of ``[dataset]`` in a manifest, each on one line; "" where there are none.

    Attributes:
        title: of the data set; "" for none.
        authors: in their order.
        contact: whom to write to.
    """

    def __init__(self, manifest: Mapping[str, Any], later: Mapping[str, Any] | None = None) -> None:
        """Take what the manifest says, and what was said since it was written."""
        then = fact(manifest, "dataset", dict) or {}
        self._words = {**then, **(later or {})}
        self.title = self.word("title")
        self.authors = tuple(
            Author.named(
                line(fact(author, "name", str) or ""),
                line(fact(author, "affiliation", str) or ""),
                orcid_in(fact(author, "orcid", str) or ""),
            )
            for author in fact(self._words, "authors", list) or ()
            if fact(author, "name", str)
        )
        contact = fact(manifest, "contact", str) or ""
        self.contact = line(contact) or self.word("contact")

    def word(self, name: str) -> str:
        """What is said of this topic."""
        return line(fact(self._words, name, str) or "")

    def answer(self, name: str) -> str:
        """The same, or that nothing is said."""
        return self.word(name) or NOT_STATED

    def makers(self) -> str:
        """The authors and where they work, as a sentence; "" where they are not stated."""
        names = (
            f"{author.name} ({author.affiliation})" if author.affiliation else author.name
            for author in self.authors
        )
        return "; ".join(names) or self.word("affiliation")

    def lines(self) -> list[tuple[str, str]]:
        """What is said, by how it is called."""
        makers = [("Authors", self.makers())] if self.makers() else []
        return makers + [(_CALLED[name], self.word(name)) for name in _CALLED if self.word(name)]

    def not_stated(self) -> list[str]:
        """What nobody says."""
        known = {name for name in TOPICS if self.word(name)}
        known |= {"authors"} if self.authors else set()
        known |= {"affiliation"} if any(author.affiliation for author in self.authors) else set()
        known |= {"contact"} if self.contact else set()
        return [words for name, words in TOPICS.items() if name not in known]
