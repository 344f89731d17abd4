"""The folder a maintainer works in: its settings, and where its parts are."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from dotenv import load_dotenv

from genset.core.errors import BadInput, NotAWorkspace
from genset.core.files import write_text
from genset.core.validation import Invalid, at_their_lines, check, parse_toml, read_text
from genset.settings import (
    SETTINGS_FILE,
    Contact,
    DatasetSettings,
    EvaluateSettings,
    LabelRules,
    ScrapeSettings,
    Settings,
    settings_text,
)

TAXONOMY_FILE = "taxonomy.toml"
"""The file of its own classes as their author wrote it. What holds is in the database."""

_IGNORED = (".env", "backups/", "genset.db*", "images/", "runs/", "suspects.json")

_ADDRESSES = "write sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A maintainer's folder. Make one with `create`, open one with `find`.

    Attributes:
        root: the folder that holds ``genset.toml``; absolute.
        store_url: an SQLAlchemy URL; a relative SQLite path in the settings is made absolute.
        images: the folder of original photos, which are named by their sha256; absolute.
        scrape, label, evaluate, dataset: the settings of these names; `scrape.contact` is that of
            GENSET_CONTACT where the file has none.
    """

    root: Path
    store_url: str
    images: Path
    scrape: ScrapeSettings = field(default_factory=ScrapeSettings)
    label: LabelRules = field(default_factory=LabelRules)
    evaluate: EvaluateSettings = field(default_factory=EvaluateSettings)
    dataset: DatasetSettings = field(default_factory=DatasetSettings, hash=False)  # it holds dicts

    def check_dois(self, name: str) -> None:
        """Refuse a DOI in the settings of a release that is neither `name` nor there.

        Raises:
            BadInput: it names the release and its line.
        """
        known = [name, *(path.name for path in self.releases.glob("[!.]*"))]
        dois = self.dataset.doi if isinstance(self.dataset.doi, dict) else {}
        with at_their_lines(read_text(path := self.root / SETTINGS_FILE), str(path)):
            for release in dois:
                if not any(release == other or release.startswith(f"{other}-") for other in known):
                    words = ": there is no such release; write the name of one, such as " + name
                    raise Invalid("", ("dataset", "doi", release), words)

    @property
    def posted_after(self) -> datetime:
        """Photos posted at this time or later are kept."""
        return datetime.combine(self.scrape.posted_after, datetime.min.time(), UTC)

    @property
    def opt_out(self) -> Path | None:
        """A list of owners and photos that must not be taken; None for none."""
        file = self.scrape.opt_out.strip()
        return self.root / file if file else None

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

    @classmethod
    def create(
        cls, root: Path, sources: Iterable[str] = ("flickr",), contact: str = ""
    ) -> "Workspace":
        """Make `root` a workspace with these settings, or open the one that it is already.

        Raises:
            BadInput: the contact is none, or the settings of the one that it is are not right.
        """
        settings = root / SETTINGS_FILE
        if not settings.exists():
            contact = check(contact.strip(), Contact, "contact")
            root.mkdir(parents=True, exist_ok=True)
            _ignore(root / ".gitignore", _IGNORED)
            write_text(settings, settings_text({"sources": list(sources), "contact": contact}))
        return cls._open(root)

    @classmethod
    def find(cls, start: Path | None = None) -> "Workspace":
        """The workspace that `start` (default: the current folder) is or lies in.

        Raises:
            NotAWorkspace: neither `start` nor a folder above it holds ``genset.toml``.
            BadInput: the settings are not right.
        """
        place, start = f" {start}" if start else "", (start or Path.cwd()).resolve()
        for folder in (start, *start.parents):
            if (folder / SETTINGS_FILE).is_file():
                return cls._open(folder)
        raise NotAWorkspace(
            f"{start} is not in a genset workspace; make one with: genset init{place}"
        )

    @classmethod
    def _open(cls, root: Path) -> "Workspace":
        root = root.resolve()
        load_secrets(root)
        pause_factor()
        path = root / SETTINGS_FILE
        text = read_text(path)
        settings = parse_toml(text, Settings, str(path))
        contact = checked_contact(settings.scrape.contact)
        scrape = msgspec.structs.replace(settings.scrape, contact=contact)
        label = settings.label
        if site := os.environ.get("GENSET_LABEL_ADDRESS"):
            label = msgspec.structs.replace(label, address=site)
        with at_their_lines(text, str(path)):
            return cls(
                root=root,
                store_url=store_url(root, settings.store.url),
                images=_images(root, settings.images.folder),
                scrape=scrape,
                label=label,
                evaluate=settings.evaluate,
                dataset=settings.dataset,
            )


def pause_factor() -> float:
    """The factor for all pauses between tries, of the environment.

    Raises:
        BadInput: GENSET_PAUSE_FACTOR is no number, or below 0.
    """
    word = os.environ.get("GENSET_PAUSE_FACTOR", "1")
    try:
        factor = float(word)
    except ValueError:
        factor = -1.0
    if not 0 <= factor < 1e6:
        raise BadInput(f"GENSET_PAUSE_FACTOR is no factor: {word!r}; write a number, such as 0.01")
    return factor


def load_secrets(root: Path) -> None:
    """Take into the environment what a folder's ``.env`` says and the environment does not.

    Raises:
        BadInput: the file is not in UTF-8.
    """
    try:
        load_dotenv(root / ".env")
    except UnicodeDecodeError as error:
        raise BadInput(f"{root / '.env'}: {error.reason}; write it in UTF-8") from None


def checked_contact(contact: str) -> str:
    """An address at which somebody can be reached, or else that of GENSET_CONTACT; "" for none.

    Raises:
        BadInput: it is neither an e-mail address nor a web page's.
    """
    if contact.strip():
        return check(contact.strip(), Contact, "contact")
    return check(os.environ.get("GENSET_CONTACT", "").strip(), Contact, "GENSET_CONTACT")


def _ignore(path: Path, names: Iterable[str]) -> None:
    """Have git ignore what is secret or large; what a user's own file ignores stays."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    missing = [name for name in names if name not in lines]
    if missing:
        write_text(path, "\n".join([*lines, *missing, ""]))


def _images(root: Path, folder: str) -> Path:
    """The folder of originals, absolute: one of its own, for what is lost there is deleted."""
    keys = "images", "folder"
    if not folder.strip() or not folder.isprintable() or folder.startswith("$"):
        raise Invalid("", keys, f' must be a folder, such as "images", not {folder!r}')
    try:
        images = Path(os.path.normpath(root / Path(folder).expanduser()))
    except RuntimeError:  # ~somebody who is not here
        raise Invalid("", keys, f" names an unknown user: {folder!r}") from None
    if root == images or images in root.parents:
        raise Invalid("", keys, f" must be a folder of photos alone, not {images}")
    return images


def store_url(root: Path, configured: str) -> str:
    """The address of the database of the workspace at `root`, by its settings or GENSET_STORE_URL.

    Raises:
        BadInput: it is none that genset can use, or holds a password.
    """
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    in_environment = os.environ.get("GENSET_STORE_URL")

    def refusal(words: str) -> BadInput:
        if in_environment:
            return BadInput(f"GENSET_STORE_URL {words}")
        return Invalid("", ("store", "url"), f" {words}")

    try:
        url = make_url(in_environment or configured)
    except ArgumentError:
        raise refusal(f"must be a database address: {_ADDRESSES}") from None
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    if url.drivername not in ("sqlite", "postgresql+psycopg"):
        raise refusal(f"must not be of {url.drivername}: {_ADDRESSES}")
    if not in_environment and (url.password or "password" in url.query):
        raise refusal("must not hold a password: set PGPASSWORD, which PostgreSQL reads")
    if url.drivername == "sqlite":
        if url.database in (None, "", ":memory:"):
            raise refusal(f"must name a file, or nothing would be stored: {_ADDRESSES}")
        url = url.set(database=str(root / str(url.database)))
    return url.render_as_string(hide_password=False)
