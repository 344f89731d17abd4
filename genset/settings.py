"""The settings of a workspace: each key of ``genset.toml``, declared once.

The descriptions are what ``genset init`` writes beside each key, and the table of
``docs/settings.md``. What a key's type, bounds and title say is checked where the file is read
(`genset.core.validation`).
"""

import re
import textwrap
from collections.abc import Mapping
from datetime import date
from difflib import get_close_matches
from itertools import pairwise
from typing import Annotated, Any, Literal

from genset.core.authors import DOI, ORCID, Author, doi_in, orcid_in, spdx_in
from genset.core.expected import as_toml
from genset.core.safe import web_link
from genset.core.validation import Key, Meta, Record, keys_of

SETTINGS_FILE = "genset.toml"

_HEAD = """\
# A genset workspace. Secrets do not belong here: API keys and passwords are read from the
# environment or from a file .env beside this one, which git ignores. A key behind # has no value
# yet, and shows an example.
"""

_NOTHING: tuple[Any, ...] = ("", (), None)  # defaults of keys that are not set

Contact = Annotated[
    str,
    Meta(
        pattern=r"""^([^\s()<>;,"]+@[^\s()<>;,"]+\.[^\s()<>;,"]+|https?://[^\s()<>;,"]+)?$""",
        max_length=200,
        title="an e-mail address or a web page",
        description="how the sites that are searched can reach you; Wikimedia Commons and "
        "iNaturalist require it",
        examples=["you@example.org"],
    ),
]
# Where a text may stand beside a table or a list, `__post_init__` matches its pattern: msgspec 0.22
# frees such a type wrongly, and ends the process.

_Doi = Annotated[
    str, Meta(pattern=DOI, max_length=200, title="a DOI", examples=["10.5281/zenodo.1234567"])
]
_Orcid = Annotated[str, Meta(pattern=ORCID, title="an ORCID", examples=["0000-0002-1825-0097"])]
_Text = Annotated[str, Meta(max_length=2000)]
_Word = Annotated[str, Meta(pattern=r"^\S.{0,63}$", title="a text of 1 to 64 characters")]


class StoreSettings(Record, frozen=True):
    """The database."""

    url: Annotated[
        str,
        Meta(
            description="SQLite in this folder, or PostgreSQL: "
            '"postgresql+psycopg://user@host/database", its password in PGPASSWORD'
        ),
    ] = "sqlite:///genset.db"


class ScrapeSettings(Record, frozen=True):
    """What is searched for and kept."""

    per_class: Annotated[int, Meta(ge=1, description="photos kept for each class")] = 5
    posted_after: Annotated[
        date, Meta(description="the day from which a photo counts as unseen")
    ] = date(2014, 1, 1)
    sources: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^\S+$", title="a source's name")], ...],
        Meta(
            min_length=1,
            description="where photos are searched; per_class photos are kept from each source "
            "(docs/sources.md)",
            examples=[["flickr", "commons"]],
        ),
    ] = ("flickr",)
    contact: Contact = ""
    seed: Annotated[
        int,
        Meta(
            ge=0,
            description="seed of the draw, for sources that have no order of relevance",
        ),
    ] = 0
    calls_an_hour: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(description="calls to Flickr's API; 0 for no limit", examples=[3600]),
    ] = None
    images_per_second: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(description="downloads from Flickr's image hosts; 0 for no limit", examples=[10]),
    ] = None
    tries: Annotated[
        int,
        Meta(ge=1, le=1000, description="how often a photo or a search that fails is tried"),
    ] = 8
    retry_hours: Annotated[
        float,
        Meta(ge=0, le=8760, description="the least hours over which these tries are spread"),
    ] = 2.0
    opt_out: Annotated[
        str,
        Meta(
            description="a file of owners and photos that must not be taken (docs/scraping.md)",
            examples=["opt-out.txt"],
        ),
    ] = ""

    def __post_init__(self) -> None:
        """Refuse a source that is named twice. Its package need not be installed here."""
        if len(set(self.sources)) < len(self.sources):
            raise ValueError("sources must name each source once")


class ImagesSettings(Record, frozen=True):
    """Where original photos are stored."""

    folder: Annotated[
        str, Meta(description="in this folder, or on a disk that several machines share")
    ] = "images"


class LabelRules(Record, frozen=True):
    """How photos are given to labelers."""

    votes: Annotated[int, Meta(ge=1, description="labelers of each photo", examples=[3])] = 1
    grow_to: Annotated[
        tuple[Annotated[int, Meta(ge=1)], ...],
        Meta(
            description="numbers of labelers that a photo goes to next, one after the other, while "
            "the interval of its selection frequency includes the threshold",
            examples=[[5, 10]],
        ),
    ] = ()
    threshold: Annotated[
        float, Meta(ge=0, le=1, description="the selection frequency from which a photo is correct")
    ] = 0.7
    gold: Annotated[
        float, Meta(ge=0, le=0.5, description="the share of gold questions among the photos shown")
    ] = 0.0
    training: Annotated[
        int,
        Meta(
            ge=0,
            le=5,
            description="a labeler's first screens, of photos with known answers, which are shown "
            "afterwards; nothing of them counts",
        ),
    ] = 0
    hold_suspects: Annotated[
        bool, Meta(description="do not count a suspect's votes until a manager decides")
    ] = False
    photos: Annotated[
        int, Meta(ge=1, le=48, description="the most photos on a screen; over five are a grid")
    ] = 5
    one_key: Annotated[
        Literal["correct", "incorrect"],
        Meta(description="what one key says of a photo, and Shift with it the other"),
    ] = "correct"
    order: Annotated[
        Literal["random", "rank"],
        Meta(
            description="how classes and their photos come: in a random order of its own for each "
            "labeler, or class after class, the best rank first"
        ),
    ] = "random"
    lease_minutes: Annotated[
        float,
        Meta(gt=0, le=1440, description="how long a screen is reserved for an idle labeler"),
    ] = 15
    address: Annotated[
        str,
        Meta(description="where others reach the page", examples=["https://labels.example.org"]),
    ] = ""
    panel: Annotated[_Word, Meta(description="the group that new votes belong to")] = "main"
    guideline: Annotated[_Word, Meta(description="the version of the instructions")] = "1"

    @property
    def grid(self) -> bool:
        """Whether photos are shown as a grid: more than five have no room otherwise."""
        return self.photos > 5

    def __post_init__(self) -> None:
        """Refuse steps that do not grow."""
        if any(later <= earlier for earlier, later in pairwise((self.votes, *self.grow_to))):
            raise ValueError("each number of grow_to must be larger than the last, and than votes")


class AuthorSettings(Record, frozen=True):
    """An author with more than a name."""

    name: Annotated[_Text, Meta(min_length=1, examples=["Ko, Ann"])]
    affiliation: _Text = ""
    orcid: _Orcid = ""


# The questions of a datasheet (`genset.release.documents.datasheet`) that no other key answers, and
# each of its headings, for further comments.
DATASHEET = (
    *("motivation", "composition", "collection", "preprocessing", "uses", "distribution"),
    *("purpose", "instances", "number", "sample", "content", "targets", "missing", "relationships"),
    *("splits", "noise", "self_contained", "confidential", "offensive", "subpopulations"),
    *("individuals", "sensitive", "acquired", "mechanisms", "sampling", "involved", "timeframe"),
    *("third_parties", "notified", "consent", "revoked", "impact", "processing", "raw_data"),
    *("software", "used", "papers", "other_uses", "future_uses", "unfit_uses", "recipients"),
    *("date", "terms", "restrictions", "export_controls", "erratum", "updates", "retention"),
    *("older_versions", "contributions"),
)


class DatasetSettings(Record, frozen=True):
    """What the documents of a release say of the data set; what is missing is listed there."""

    title: Annotated[_Text, Meta(description="a name for all releases")] = ""
    authors: Annotated[
        tuple[str | AuthorSettings, ...],
        Meta(
            max_length=500,
            description="authors",
            examples=[["Ko, Ann", {"name": "Lee, Bo", "orcid": "0000-0002-1825-0097"}]],
        ),
    ] = ()
    affiliation: Annotated[_Text, Meta(description="the authors' affiliation")] = ""
    funding: Annotated[_Text, Meta(description="who funded it")] = ""
    ethics_review: Annotated[_Text, Meta(description="whether its ethics were reviewed")] = ""
    labelers: Annotated[_Text, Meta(description="who labelers were")] = ""
    labelers_pay: Annotated[_Text, Meta(description="what labelers were paid")] = ""
    hosting: Annotated[
        _Text, Meta(description="where it is hosted", examples=["https://example.org/photos"])
    ] = ""
    doi: Annotated[
        str | dict[str, _Doi],
        Meta(description="its DOI", examples=[{"v1": "10.5281/zenodo.1234567"}]),
    ] = ""
    contact: Annotated[Contact, Meta(description="whom to contact")] = ""
    maintenance: Annotated[_Text, Meta(description="a plan for its maintenance")] = ""
    license: Annotated[
        _Text,
        Meta(description="the licence of its labels and documents", examples=["CC-BY-4.0"]),
    ] = ""
    biases: Annotated[_Text, Meta(description="in what its photos are one-sided")] = ""
    synthetic: Annotated[
        bool | None,
        Meta(description="whether it has synthetic photos", examples=[False]),
    ] = None
    datasheet: Annotated[
        dict[str, _Text] | None,
        Meta(
            description="answers to questions of its datasheet",
            examples=[{"consent": "Nobody was asked."}],
        ),
    ] = None

    def __post_init__(self) -> None:
        """Refuse what does not print, a name without a family's, and an unknown question."""
        answers = self.datasheet or {}
        for name in answers.keys() - DATASHEET:
            near = get_close_matches(name, DATASHEET, 1)
            hint = f"did you mean {near[0]}?" if near else "a release's DATASHEET.md names them"
            raise ValueError(f"datasheet has no question {name!r}; {hint}")
        for name, text in {**self.words, **answers}.items():
            if not text.isprintable():
                raise ValueError(f"{name} must be a text of printable characters")
        if isinstance(self.doi, str) and not re.match(DOI, self.doi):
            raise ValueError(
                f'doi must be a DOI, such as "10.5281/zenodo.1234567", not {self.doi!r}'
            )
        if self.hosting and not web_link(self.hosting):
            such = 'such as "https://example.org/photos"'
            raise ValueError(f"hosting must be a web address, {such}, not {self.hosting!r}")
        if self.license and not spdx_in(self.license):
            such = 'such as "CC-BY-4.0"'
            raise ValueError(f"license must be an SPDX id, {such}, not {self.license!r}")
        for author in self.people:
            if not author.family or not author.name.isprintable():
                raise ValueError(f"authors: {author.name!r} must be written as Family, Given")
        for entry in self.authors:
            if isinstance(entry, AuthorSettings) and entry.orcid and not orcid_in(entry.orcid):
                words = f"authors: {entry.orcid} of {entry.name} is no ORCID"
                raise ValueError(f"{words}: its last digit does not fit the others")

    @property
    def words(self) -> dict[str, str]:
        """The texts that are there, by their keys."""
        values = {key.name: getattr(self, key.name) for key in keys_of(DatasetSettings)}
        others = ("authors", "doi", "synthetic", "datasheet")
        return _stated({name: text for name, text in values.items() if name not in others})

    @property
    def people(self) -> list[Author]:
        """The authors, in their order."""
        entries = (AuthorSettings(name=a) if isinstance(a, str) else a for a in self.authors)
        return [
            Author.named(entry.name, entry.affiliation or self.affiliation, orcid_in(entry.orcid))
            for entry in entries
        ]

    def facts(self, release: str) -> dict[str, Any]:
        """What a release's manifest says of it: nothing for what is missing."""
        found: dict[str, Any] = dict(self.words)
        if answers := _stated(self.datasheet or {}):
            found["datasheet"] = answers
        if self.synthetic is not None:
            found["synthetic"] = self.synthetic
        if self.authors:
            found["authors"] = [author.as_json() for author in self.people]
        of_all = "" if isinstance(self.doi, dict) else self.doi
        by_release = self.doi if isinstance(self.doi, dict) else {}
        if doi := doi_in(by_release.get(release, of_all)):
            found["doi"] = doi
        return dict(sorted(found.items()))


def _stated(texts: Mapping[str, str]) -> dict[str, str]:
    """The texts that are there, each on one line."""
    return {name: line for name, text in texts.items() if (line := " ".join(text.split()))}


class EvaluateSettings(Record, frozen=True):
    """``[evaluate]``: how accuracies are measured."""

    classes: Annotated[
        Literal["sample", "fixed"] | None,
        Meta(description='whether classes are a "sample" or "fixed"', examples=["fixed"]),
    ] = None


class Settings(Record, frozen=True):
    """All of ``genset.toml``."""

    store: StoreSettings = StoreSettings()
    scrape: ScrapeSettings = ScrapeSettings()
    images: ImagesSettings = ImagesSettings()
    label: LabelRules = LabelRules()
    evaluate: EvaluateSettings = EvaluateSettings()
    dataset: DatasetSettings = DatasetSettings()

    def __post_init__(self) -> None:
        """Refuse more photos on a screen than a source allows on a page."""
        if "flickr" in self.scrape.sources and self.label.photos > 30:
            raise ValueError("label.photos is over 30, and Flickr's terms allow 30 on a page")


TOPICS = {
    key.name: key.description
    for key in keys_of(DatasetSettings)
    if key.name not in ("title", "datasheet")
}
"""What a document says where a key of ``[dataset]`` is missing: "whom to contact", by key."""


# The settings as a file


def settings_text(values: Mapping[str, Any]) -> str:
    """The text of a new ``genset.toml``; `values` of keys of ``[scrape]`` are set."""
    lines = [_HEAD]
    for section in keys_of(Settings):
        written: list[str] = []
        for key in keys_in(section):
            words = f"{key.description[:1].upper()}{key.description[1:]}."
            written += textwrap.wrap(words, 98, initial_indent="# ", subsequent_indent="# ")
            value = (section.name == "scrape" and values.get(key.name)) or key.default
            mark, shown = ("# ", key.examples[:1] or [""]) if value in _NOTHING else ("", [value])
            written += [f"{mark}{key.name} = {as_toml(shown[0])}", ""]
        is_set = any(not line.startswith("#") for line in filter(None, written))
        lines += [f"[{section.name}]" if is_set else f"# [{section.name}]", *written]
    return "\n".join(lines)


def keys_in(section: Key) -> list[Key]:
    """The keys of a section."""
    kind: type[Record] = type(section.default)
    return keys_of(kind)
