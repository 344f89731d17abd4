"""The folder a maintainer works in: its settings, and where its parts are."""

import json
import os
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from dotenv import load_dotenv

from genset import dataset
from genset.core.errors import BadInput, NotAWorkspace
from genset.core.files import write_text
from genset.dataset import Dataset

SETTINGS_FILE = "genset.toml"

# The file of its own classes as their author wrote it. What holds is in the database.
TAXONOMY_FILE = "taxonomy.toml"

# What a workspace searches whose settings do not say.
DEFAULT_SOURCES = ("flickr",)

_TEMPLATE = """\
# A genset workspace. Secrets do not belong here: API keys and passwords are read from the
# environment or from a file .env beside this one, which git ignores.

[store]
# SQLite in this folder, or PostgreSQL: "postgresql+psycopg://user@host/database"
# (its password in PGPASSWORD).
url = "sqlite:///genset.db"

[scrape]
# Photos kept for each class, and the day from which a photo counts as unseen.
per_class = 5
posted_after = 2014-01-01

# Where photos are searched: so many are kept of each source (docs/sources.md).
sources = {sources}

# How the people whose machines are asked can reach you: an e-mail address or a web page. Wikimedia
# Commons and iNaturalist want one.
{contact}

# Decides which of its photos are drawn of a source that has no order of relevance.
# seed = 0

# How fast Flickr is called: its limit for each key, and what is polite to its image hosts.
# calls_an_hour = 3600
# images_per_second = 10

# A photo or a search that fails is tried so often, over at least so many hours; then it is refused.
# tries = 8
# retry_hours = 2

# A list of owners and photos that are not to be taken (docs/scraping.md).
# opt_out = "opt-out.txt"

# Where originals are kept: a folder in this one, or one on a disk that several machines share.
# [images]
# folder = "images"

[label]
# How many labelers see each photo. Where the interval of its selection frequency straddles the
# threshold then, it goes to more, up to each number of grow_to in turn.
votes = 1
# grow_to = [5, 10]
# threshold = 0.7

# The share of shown photos whose answer is known; whether the votes of suspects are held out until
# a manager decides; what one key says of a photo, and Shift with it the other (on a pool that is
# mostly wrong: "incorrect"); the group of votes; the instructions' version; how long a screen is
# one labeler's. Where they are not set, gold is 0 and suspects' votes count.
# gold = 0.1
# hold_suspects = true
# one_key = "correct"
# panel = "main"
# guideline = "1"
# lease_minutes = 15

# What the documents of a release say of it; what is not said is listed there as not said
# (docs/releases.md). A DOI is of all releases, or of each: doi = { v1 = "10.5281/zenodo.1" }.
# [dataset]
# title = "A name for all releases"
# authors = ["Ko, Ann", { name = "Lee, Bo", orcid = "0000-0002-1825-0097" }]
# affiliation = ""
# funding = ""
# ethics_review = ""
# labelers_pay = ""
# hosting = ""
# doi = ""
# contact = ""
# maintenance = ""
# license = "CC-BY-4.0"
"""

_NO_CONTACT = '# contact = "you@example.org"'

_IGNORED = (".env", "backups/", "genset.db*", "images/", "runs/")

_ADDRESSES = "write sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE"

_KNOWN: dict[str, dict[str, type | tuple[type, ...]]] = {
    "store": {"url": str},
    "scrape": {
        "per_class": int,
        "posted_after": date,
        "sources": list,
        "contact": str,
        "seed": int,
        "calls_an_hour": int,
        "images_per_second": int,
        "tries": int,
        "retry_hours": (int, float),
        "opt_out": str,
    },
    "images": {"folder": str},
    "label": {
        "votes": int,
        "grow_to": list,
        "threshold": (int, float),
        "gold": (int, float),
        "hold_suspects": bool,
        "one_key": str,
        "lease_minutes": (int, float),
        "panel": str,
        "guideline": str,
    },
    "dataset": dataset.SETTINGS,
}

_CALLED: dict[type | tuple[type, ...], str] = {
    bool: "truth value: true or false",
    (str, dict): "text, or a table with a text for each release",
}
ONE_KEY = ("correct", "incorrect")


@dataclass(frozen=True, slots=True)
class LabelRules:
    """How photos are handed out to labelers: the section ``[label]``.

    Attributes:
        votes: different labelers that each candidate goes to, at least 1.
        grow_to: numbers of labelers that a candidate goes to next, each larger than the last,
            while the interval of its selection frequency straddles `threshold`; a question about a
            further class, while labelers differ.
        threshold: a selection frequency, 0 to 1.
        gold: the share of shown photos whose answer is known, 0 to 0.5.
        hold_suspects: whether the votes of a labeler who gives cause for suspicion count for
            nothing until a manager decides.
        one_key: the verdict that a digit's key gives a photo, "correct" or "incorrect"; Shift with
            it gives the other.
        lease_minutes: how long a screen is its labeler's without a sign of life, above 0.
        panel: the group that new votes belong to.
        guideline: the version of the instructions that new labels follow.
    """

    votes: int = 1
    grow_to: tuple[int, ...] = ()
    threshold: float = 0.7
    gold: float = 0.0
    hold_suspects: bool = False
    one_key: str = "correct"
    lease_minutes: float = 15
    panel: str = "main"
    guideline: str = "1"

    def __post_init__(self) -> None:
        """Refuse what no labeling could follow, with BadInput."""
        steps = (self.votes, *self.grow_to)
        if self.votes < 1 or not all(isinstance(step, int) for step in steps):
            raise BadInput("votes and each of grow_to are whole numbers, at least 1")
        if any(later <= earlier for earlier, later in pairwise(steps)):
            raise BadInput("each number of grow_to must be larger than the last, and than votes")
        for name, value, most in (
            ("threshold", self.threshold, 1),
            ("gold", self.gold, 0.5),
        ):
            if not 0 <= value <= most:
                raise BadInput(f"{name} must be from 0 to {most}")
        if self.one_key not in ONE_KEY:
            raise BadInput(f"one_key is {' or '.join(ONE_KEY)}, not {self.one_key!r}")
        if not 0 < self.lease_minutes <= 24 * 60:
            raise BadInput("lease_minutes must be above 0 and at most 1440")
        for name, word in (("panel", self.panel), ("guideline", self.guideline)):
            if not word.strip() or len(word) > 64 or not word.isprintable():
                raise BadInput(f"{name} has 1 to 64 printable characters")


@dataclass(frozen=True, slots=True)
class Workspace:
    """A maintainer's folder. Make one with `create`, open one with `find`.

    Attributes:
        root: the folder that holds ``genset.toml``; absolute.
        store_url: an SQLAlchemy URL; a relative SQLite path in the settings is made absolute.
        per_class: photos wanted for each class, at least 1.
        posted_after: photos posted on this day (UTC) or later are kept.
        sources: names of the sources that are searched, each once, at least one.
        contact: an address at which those who are asked can reach the maintainer; "" for none.
        seed: of random draws, at least 0.
        calls_an_hour, images_per_second: how fast a source is called; None for its usual pace.
        tries, retry_hours: how often what fails is tried, over at least how many hours.
        opt_out: a list of owners and photos that are not to be taken; None for none.
        images: original photos, named by their sha256; absolute.
        label: how photos are handed out to labelers.
        dataset: what its releases' documents say of who made them, and the like.
    """

    root: Path
    store_url: str
    per_class: int
    posted_after: datetime
    images: Path
    sources: tuple[str, ...] = DEFAULT_SOURCES
    contact: str = ""
    seed: int = 0
    calls_an_hour: int | None = None
    images_per_second: int | None = None
    tries: int = 8
    retry_hours: float = 2.0
    opt_out: Path | None = None
    label: LabelRules = LabelRules()
    dataset: Dataset = field(default_factory=Dataset, hash=False)  # it holds dicts

    @property
    def releases(self) -> Path:
        """One folder for each release."""
        return self.root / "releases"

    @property
    def runs(self) -> Path:
        """One folder for each model scored on each set."""
        return self.root / "runs"

    @property
    def is_shared(self) -> bool:
        """Whether other machines may work on it: on its database, or in its folder of originals."""
        return self.images != self.root / "images" or not self.store_url.startswith("sqlite")

    def hide_from_git(self, name: str) -> None:
        """Have git ignore what an older genset's workspaces do not have yet."""
        _ignore(self.root / ".gitignore", [name])

    @classmethod
    def create(
        cls, root: Path, sources: Sequence[str] = DEFAULT_SOURCES, contact: str = ""
    ) -> "Workspace":
        """Make `root` a workspace with these settings, or open the one that it is already.

        Raises:
            BadInput: the contact is none, or the settings of the one that it is are not right.
        """
        settings = root / SETTINGS_FILE
        if not settings.exists():
            contact = checked_contact(contact)
            root.mkdir(parents=True, exist_ok=True)
            _ignore(root / ".gitignore", _IGNORED)
            line = f"contact = {json.dumps(contact)}"
            text = _TEMPLATE.replace("{sources}", json.dumps(list(sources)))
            write_text(settings, text.replace("{contact}", line if contact else _NO_CONTACT))
        return cls._open(root)

    @classmethod
    def find(cls, start: Path | None = None) -> "Workspace":
        """The workspace that `start` (default: the current folder) is or lies in.

        Raises:
            NotAWorkspace: neither `start` nor a folder above it holds ``genset.toml``.
            BadInput: the settings are not right.
        """
        start = (start or Path.cwd()).resolve()
        for folder in (start, *start.parents):
            if (folder / SETTINGS_FILE).is_file():
                return cls._open(folder)
        raise NotAWorkspace(f"{start} is not in a genset workspace; make one with: genset init")

    @classmethod
    def _open(cls, root: Path) -> "Workspace":
        root = root.resolve()
        load_secrets(root)
        settings = _read(root / SETTINGS_FILE)
        scrape = settings.get("scrape", {})
        posted_after = scrape.get("posted_after", date(2014, 1, 1))
        if isinstance(posted_after, datetime):
            posted_after = posted_after.date()
        return cls(
            root=root,
            store_url=_store_url(root, settings.get("store", {}).get("url")),
            per_class=scrape.get("per_class", 5),
            posted_after=datetime.combine(posted_after, datetime.min.time(), UTC),
            images=_images(root, settings.get("images", {}).get("folder", "images")),
            sources=_sources(root / SETTINGS_FILE, scrape.get("sources")),
            contact=_contact(root / SETTINGS_FILE, scrape.get("contact", "")),
            seed=scrape.get("seed", 0),
            calls_an_hour=scrape.get("calls_an_hour"),
            images_per_second=scrape.get("images_per_second"),
            tries=scrape.get("tries", 8),
            retry_hours=scrape.get("retry_hours", 2.0),
            opt_out=_opt_out(root, scrape.get("opt_out", "")),
            label=_label_rules(root / SETTINGS_FILE, settings.get("label", {})),
            dataset=_dataset(root / SETTINGS_FILE, settings.get("dataset", {})),
        )


def load_secrets(root: Path) -> None:
    """Take into the environment what a folder's ``.env`` says and the environment does not.

    Raises:
        BadInput: the file is not in UTF-8.
    """
    try:
        load_dotenv(root / ".env")
    except UnicodeDecodeError as error:
        raise BadInput(f"{root / '.env'}: {error.reason}; write it in UTF-8") from None


def _ignore(path: Path, names: Iterable[str]) -> None:
    """Have git ignore what is secret or large; what a user's own file ignores stays."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    missing = [name for name in names if name not in lines]
    if missing:
        write_text(path, "\n".join([*lines, *missing, ""]))


def _read(path: Path) -> dict[str, Any]:
    """The settings, checked name by name: a misspelt one must not be ignored without a word."""
    try:
        settings = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {error}") from None
    for section, values in settings.items():
        if section not in _KNOWN:
            raise BadInput(f"{path}: no section [{section}]; there are {', '.join(_KNOWN)}")
        if not isinstance(values, dict):
            raise BadInput(f"{path}: {section} must be a section: write [{section}]")
        for name, value in values.items():
            if (kind := _KNOWN[section].get(name)) is None:
                known = ", ".join(_KNOWN[section])
                raise BadInput(f"{path}: [{section}] has no setting {name}; it has {known}")
            if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
                usual = "number" if isinstance(kind, tuple) else kind.__name__
                called = _CALLED.get(kind, usual)
                raise BadInput(f"{path}: {name} must be a {called}, not {value!r}")
    for name, least in (
        ("per_class", 1),
        ("calls_an_hour", 0),
        ("images_per_second", 0),
        ("tries", 1),
        ("retry_hours", 0),
        ("seed", 0),
    ):
        if settings.get("scrape", {}).get(name, least) < least:
            raise BadInput(f"{path}: {name} must be at least {least}")
    return settings


def checked_contact(contact: str) -> str:
    """An address at which somebody can be reached, as it may stand in a request; "" for none.

    Raises:
        BadInput: it is neither an e-mail address nor a web page's.
    """
    contact = contact.strip()
    is_address = re.fullmatch(r"[!-~]+@[!-~]+\.[!-~]+|https?://[!-~]+", contact)
    if contact and (is_address is None or len(contact) > 200 or set(contact) & set('()<>;,"')):
        raise BadInput(
            f"{contact!r} is no contact: give an e-mail address, such as you@example.org, or the "
            "address of a web page"
        )
    return contact


def _contact(path: Path, written: str) -> str:
    """The contact in the settings, or where they have none in GENSET_CONTACT."""
    where = f"{path}: contact" if written.strip() else "GENSET_CONTACT"
    try:
        return checked_contact(written.strip() or os.environ.get("GENSET_CONTACT", ""))
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None


def _sources(path: Path, names: list[Any] | None) -> tuple[str, ...]:
    if names is None:
        return DEFAULT_SOURCES
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise BadInput(f'{path}: sources are names, such as ["flickr", "commons"]')
    return tuple(dict.fromkeys(name.strip() for name in names))


def _opt_out(root: Path, file: str) -> Path | None:
    return root / Path(file.strip()) if file.strip() else None


def _images(root: Path, folder: str) -> Path:
    """The folder of originals, absolute: one of its own, for what is lost there is deleted."""
    setting = f"{root / SETTINGS_FILE}: [images] folder"
    if not folder.strip() or not folder.isprintable() or folder.startswith("$"):
        raise BadInput(f"{setting} is no folder's name: {folder!r}")
    try:
        images = Path(os.path.normpath(root / Path(folder).expanduser()))
    except RuntimeError:  # ~somebody who is not here
        raise BadInput(f"{setting}: there is no such user: {folder!r}") from None
    if root == images or images in root.parents:
        raise BadInput(f"{setting} must be a folder of its own, not {images}")
    return images


def _label_rules(path: Path, values: dict[str, Any]) -> LabelRules:
    values = {**values, "grow_to": tuple(values.get("grow_to", ()))}
    try:
        return LabelRules(**values)
    except BadInput as error:
        raise BadInput(f"{path}: [label] {error}") from None


def _dataset(path: Path, values: dict[str, Any]) -> Dataset:
    try:
        return Dataset.read(values)
    except BadInput as error:
        raise BadInput(f"{path}: [dataset] {error}") from None


def _store_url(root: Path, configured: str | None) -> str:
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    settings = f"{root / SETTINGS_FILE}: [store] url"
    in_environment = os.environ.get("GENSET_STORE_URL")
    where = "GENSET_STORE_URL" if in_environment else settings
    try:
        url = make_url(in_environment or configured or "sqlite:///genset.db")
    except ArgumentError:
        raise BadInput(f"{where} is no database address; {_ADDRESSES}") from None
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    if url.drivername not in ("sqlite", "postgresql+psycopg"):
        raise BadInput(f"{where} cannot be of {url.drivername}; {_ADDRESSES}")
    if not in_environment and (url.password or "password" in url.query):
        raise BadInput(
            f"{where} holds a password: take it out; PostgreSQL reads it from PGPASSWORD"
        )
    if url.drivername == "sqlite":
        if url.database in (None, "", ":memory:"):
            raise BadInput(f"{where} names no file, so nothing would be kept; {_ADDRESSES}")
        url = url.set(database=str(root / str(url.database)))
    return url.render_as_string(hide_password=False)
