"""What tests of the scrape share: records, a sandbox that fails on demand, a workspace's pool."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import select

from genset.classes import ImageClass, Query, imagenet1k
from genset.db import Base, Photo, Store, Verdict, stored_candidates
from genset.db.images_folder import MARKER
from genset.net.hosts import Hosts
from genset.sandbox import Faults, Reply, Request, Sandbox
from genset.scrape.plan import ScrapePlan
from genset.scrape.results import ScrapeSummary
from genset.scrape.scraper import scrape
from genset.sources.flickr import Flickr
from genset.sources.source import Question, SearchPage, Source
from genset.workspace import Workspace
from tests import commands
from tests.labeled_workspace import picture, vote

Row = dict[str, Any]


def image_class(wnid: str, *keywords: str) -> ImageClass:
    queries = tuple(Query(keyword, "lemma") for keyword in keywords)
    return ImageClass(0, wnid, keywords, "", (), queries)


CAT = image_class("n02123045", "cat", "kitten")
DOG = image_class("n02085620", "dog")


def record(number: int, keyword: str = "cat", **changes: Any) -> Row:
    """A photo that a search for `keyword` returns; records stand in the order of relevance."""
    return {
        "id_search_engine": str(number),
        "wnid": keyword,
        "search_key": keyword,
        "date_upload_search_engine": "2015-01-01 12:00:00",
        "date_taken": None,
        "file": f"photos/{number}.jpg",
    } | changes


def too_old(number: int, keyword: str = "cat") -> Row:
    return record(number, keyword, date_upload_search_engine="2010-01-01 12:00:00")


DOWN = Reply(503, "text/html", b"<h1>Service Unavailable</h1>")


def flickr_at(folder: Path, endpoint: str | None = None, key: str = "key") -> Flickr:
    """Flickr, of which nothing is known yet; what will be is kept below `folder`."""
    own = Path(tempfile.mkdtemp(dir=folder))
    return Flickr(Hosts(Store.open(f"sqlite:///{own / 'hosts.db'}")), key, endpoint)


class Faulty(Sandbox):
    """A sandbox whose `fault` may answer a request in its stead."""

    fault: Callable[[Request], Reply | None] = staticmethod(lambda request: None)
    folder: Path

    def answer(self, request: Request) -> Reply:
        return self.fault(request) or super().answer(request)

    @property
    def source(self) -> Flickr:
        """This sandbox as a source, of which nothing is known yet."""
        return self.source_with("key")

    def source_with(self, key: str) -> Flickr:
        return flickr_at(self.folder, self.endpoint, key)

    @property
    def asked_images(self) -> list[str]:
        """The paths of the pictures that were asked for, each as often as it was."""
        return [
            asked.what
            for asked in self.requests
            if asked.what.endswith(".jpg") and asked.verb == "GET"
        ]

    @property
    def searches(self) -> Counter[tuple[str, str]]:
        """How often each page of each keyword was asked for."""
        searches = self.requests.of("flickr.photos.search")
        return Counter((asked.params["text"], asked.params["page"]) for asked in searches)


class Serve:
    """Starts sandboxes that serve given records."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.running: list[Faulty] = []

    def __call__(
        self,
        *rows: Row,
        contents: dict[int, bytes] | None = None,
        faults: Faults | None = None,
        source: str = "flickr",
    ) -> Faulty:
        """Serve these records; `contents` stands for the photo of some numbers."""
        folder = self.root / f"served {len(self.running)}" / "photos"
        folder.mkdir(parents=True)
        for name in {Path(row["file"]).name for row in rows}:
            number = int(Path(name).stem)
            (folder / name).write_bytes((contents or {}).get(number, picture(number)))
        records = folder.parent / "records.jsonl"
        records.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        sandbox = Faulty(folder.parent, records, faults=faults or Faults(), source=source)
        sandbox.folder = folder.parent
        sandbox.start()
        self.running.append(sandbox)
        return sandbox


class Deaf(Flickr):
    """A Flickr that does not hear which window and which licences are asked for."""

    def __init__(self, source: Flickr) -> None:
        self.source = source
        self.api, self.images = source.api, source.images

    def may_fetch(self, url: str) -> bool:
        return self.source.may_fetch(url)

    def search(self, question: Question, quota: int) -> SearchPage:
        ever = datetime(1970, 1, 1, tzinfo=UTC)
        return self.source.search(
            replace(question, posted_after=ever, posted_before=None, licenses=()), quota
        )


class Pool:
    """A workspace and its store, and what a scrape left there."""

    def __init__(self, root: Path, per_class: int, store_url: str | None = None) -> None:
        self.workspace = Workspace.create(root)
        self.store_url = store_url or self.workspace.store_url
        self.store = Store.open(self.store_url)
        self.plan = ScrapePlan((CAT,), per_class, self.workspace.posted_after, source=Flickr)

    def scrape(self, source: Source, *classes: ImageClass, **changes: Any) -> ScrapeSummary:
        """Scrape these classes (CAT where none is named); `changes` are to the plan."""
        plan = replace(self.plan, classes=classes or (CAT,), **changes)
        return scrape(self.workspace, self.store, source, plan)

    def command(
        self, endpoint: str, *words: str, name: str = "scrape", **how: Any
    ) -> subprocess.Popen[str]:
        """A command that has begun; for `how` see `environment`."""
        return subprocess.Popen(
            [sys.executable, "-m", "genset", name, *words],
            cwd=self.workspace.root,
            env=self.environment(endpoint, **how),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def done(self, endpoint: str, *words: str, **how: Any) -> subprocess.CompletedProcess[str]:
        """`genset scrape` that has ended; for `how` see `environment`."""
        where = self.environment(endpoint, **how)
        return commands.run("scrape", *words, cwd=self.workspace.root, env=where)

    def environment(
        self, endpoint: str, key: str = "key", secret: str = "secret", pauses: float = 0.001
    ) -> dict[str, str]:
        """What a command finds in its environment; `pauses` is their factor."""
        return os.environ | {
            "GENSET_PAUSE_FACTOR": str(pauses),
            "GENSET_STORE_URL": self.store_url,
            "GENSET_FLICKR_ENDPOINT": endpoint,
            "FLICKR_API_KEY": key,
            "FLICKR_API_SECRET": secret,
        }

    def held(self, cls: ImageClass = CAT) -> list[str]:
        """The ids of the stored photos of a class, best rank first."""
        with self.store.session() as session:
            found = session.scalars(stored_candidates(cls.wnid))
            return [candidate.photo.source_id for candidate in found]

    def label_all_correct(self, cls: ImageClass = CAT) -> None:
        """Have Ann call all stored photos of a class correct."""
        with self.store.session() as session:
            tasks = [candidate.task for candidate in session.scalars(stored_candidates(cls.wnid))]
        for task in tasks:
            vote(self.store, task, "ann", Verdict.CORRECT)

    def rejected(self) -> dict[str, str]:
        """Why each rejected photo was rejected, by id."""
        with self.store.session() as session:
            return {
                photo.source_id: photo.rejected
                for photo in session.scalars(select(Photo))
                if photo.rejected is not None
            }

    def rows(self) -> dict[str, list[Row]]:
        """Every row of every table, without our own numbers and clocks, in an order of its own."""
        with self.store.engine.connect() as connection:
            photos = dict(connection.execute(select(Photo.id, Photo.source_id)).all())
            found: dict[str, list[Row]] = {}
            for table in Base.metadata.sorted_tables:
                if table.name in _THEIRS:
                    continue
                rows = [dict(row) for row in connection.execute(select(table)).mappings()]
                for row in rows:
                    if row.get("rejected"):
                        row["rejected"] = re.sub("^(not available): .*", r"\1", row["rejected"])
                    if "photo_id" in row:
                        row["photo_id"] = photos[row["photo_id"]]
                    for ours in _OURS & row.keys():
                        del row[ours]
                found[table.name] = sorted(rows, key=str)
            return found

    def files(self) -> dict[str, bytes]:
        """The originals in ``images/``, without what a killed process had begun to write."""
        images = self.workspace.images
        return {
            str(path.relative_to(images)): path.read_bytes()
            for path in images.glob("**/*")
            if path.is_file() and not path.name.startswith((".partial-", MARKER))
        }


_OURS = {"id", "searched_at", "stored_at", "made_at"}
# What scrapers know of hosts, of each other, and of this one workspace.
_THEIRS = {"fact", "host", "rate_limit", "worker", "scrape_lock"}


def answer_of(
    command: "subprocess.Popen[str] | subprocess.CompletedProcess[str]", code: int = 0
) -> Any:
    """What a command that was asked for JSON, and must end with `code`, printed."""
    if isinstance(command, subprocess.Popen):
        out, errors = command.communicate(timeout=60)
    else:
        out, errors = command.stdout, command.stderr
    assert command.returncode == code, errors
    return json.loads(out)


def crowded_classes(count: int, photos: int) -> tuple[list[str], list[Row], dict[int, bytes]]:
    """Classes of two keywords with so many photos each, in which everything happens.

    Their wnids, the records, and the contents of those photos that are another's twins. Some
    photos are found for two classes, some have the bytes of another of their class or of the next
    one, some owners have several; some keywords find the same photo.
    """
    classes = [cls for cls in imagenet1k() if len(cls.queries) == 2][:count]
    rows: list[Row] = []
    contents: dict[int, bytes] = {}
    for place, cls in enumerate(classes):
        first = 1000 * (place + 1)
        following = 1000 * ((place + 1) % count + 1)
        for turn, query in enumerate(cls.queries):
            numbers = [first + 100 * turn + number for number in range(photos)]
            rows += [
                record(number, query.text, owner=f"{number - number % 100 % 3 // 2}@N00")
                for number in numbers
            ]
        rows.insert(len(rows) - photos, record(first, cls.queries[1].text))
        if place % 3 == 0:
            rows.insert(len(rows) - photos, record(following + 1, cls.queries[1].text))
        contents[first + 3] = picture(first)
        if place % 3 == 1:
            contents[first + 101] = picture(following)
    return [cls.wnid for cls in classes], rows, contents


NewPool = Callable[..., Pool]
