"""Authors, DOIs, ORCIDs and licences' SPDX ids, as they are written and cited."""

import re
from dataclasses import dataclass

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

DOI = r"^(?:(?:https?://(?:dx\.)?doi\.org/|doi:)?(10\.\d{4,9}/[!#-;=?-\[\]-z|~]+))?$"
ORCID = r"^(?:(?:https?://orcid\.org/)?((?:\d{4}-){3}\d{3}[\dX]))?$"


@dataclass(frozen=True, slots=True)
class Author:
    """One of those who made it.

    Attributes:
        family: the family's name; all of the name where it has one part, or is a group's.
        given: the other names; "" for none.
        affiliation: where they work, "" where it is not said.
        orcid: such as 0000-0002-1825-0097, "" where it is not said.
        is_group: whether it is a group's or an organization's name.
    """

    family: str
    given: str = ""
    affiliation: str = ""
    orcid: str = ""
    is_group: bool = False

    @classmethod
    def named(cls, name: str, affiliation: str = "", orcid: str = "") -> "Author":
        """Take a name apart: "Ko, Ann", "Ann Ko", or "{The Ko Group}".

        Where the family's name comes first, as in Chinese, Japanese and Korean script, only a comma
        tells what it is; without one the name stays whole.
        """
        name = " ".join(name.split())
        if group := re.fullmatch(r"\{(.+)\}", name):
            return cls(group[1].strip(), "", affiliation, orcid, is_group=True)
        family, comma, given = name.partition(",")
        if not comma:
            if any(sign >= "\u2e80" for sign in name):  # where Chinese, Japanese and Korean begin
                return cls(name, "", affiliation, orcid)
            given, _, family = name.rpartition(" ")
        return cls(family.strip(), given.strip(), affiliation, orcid)

    @property
    def name(self) -> str:
        """The name as people say it."""
        return f"{self.given} {self.family}".strip()

    @property
    def sorted_name(self) -> str:
        """The name as lists and BibTeX have it, which `named` takes apart again."""
        if self.is_group:
            return f"{{{self.family}}}"
        return f"{self.family}, {self.given}" if self.given else self.family

    def as_json(self) -> dict[str, str]:
        """As a manifest has it."""
        rest = {"affiliation": self.affiliation, "orcid": self.orcid}
        return {"name": self.sorted_name, **{name: text for name, text in rest.items() if text}}


def doi_in(text: str) -> str:
    """The DOI that a text is, without an address around it; "" for a text that is none."""
    found = re.match(DOI, text.strip(), re.I)
    return (found[1] or "") if found and len(text) <= 200 else ""


def orcid_in(text: str) -> str:
    """The same for an ORCID, whose last digit is a checksum of the others (ISO 7064, MOD 11-2)."""
    found = re.match(ORCID, text.strip())
    orcid, total = (found[1] or "") if found else "", 0
    for digit in orcid[:-1].replace("-", ""):
        total = (total + int(digit)) * 2
    return orcid if orcid[-1:] == "0123456789X"[(12 - total % 11) % 11] else ""


def spdx_in(text: str) -> str:
    """The SPDX expression that a text is, as SPDX writes it; "" for a text that is none."""
    try:
        return canonicalize_license_expression(text)
    except InvalidLicenseExpression:
        return ""
