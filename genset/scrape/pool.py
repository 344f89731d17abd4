"""Fill each class with candidates: search, then download by rank until it has enough."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import requests
from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.errors import PhotoRefused, SourceUnavailable
from genset.files import image_file, written_whole
from genset.progress import progress
from genset.scrape.http import download, is_retryable, new_session, with_retries
from genset.scrape.picture import check_picture
from genset.scrape.source import FoundPhoto, SearchPage, Source
from genset.store import Candidate, Photo, Search, Store, now
from genset.taxonomy import ImageClass
from genset.workspace import Workspace

# Results asked for at a time. Some photos are refused (gone, broken), so a page holds more than a
# class usually wants. It is stored with each search, for it says what "page 2" means.
_PER_PAGE = 50


@dataclass
class ScrapeSummary:
    """What a scrape did. `short` and `failed` are by wnid.

    Attributes:
        full: classes that have all the photos asked for.
        short: photos held by classes whose results ended before they were full.
        failed: what went wrong, for classes that the same command may finish later.
        stored: photos downloaded by this run.
        refused: photos refused by this run, by reason.
        searches: pages asked of the source by this run.
    """

    full: int = 0
    short: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    stored: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    searches: int = 0


def scrape(
    workspace: Workspace, store: Store, source: Source, classes: Sequence[ImageClass]
) -> ScrapeSummary:
    """Bring each class to ``workspace.per_class`` downloaded candidates, best rank first.

    Everything is stored as it comes, so the same call goes on where a killed one stopped, and
    does nothing where nothing is missing.

    Raises:
        SourceRefused: the source turns every call down, for instance for a bad key.
    """
    scraper = _Scraper(workspace, store, source)
    summary = scraper.summary
    for cls in progress(classes, total=len(classes), what="scrape", unit="class"):
        try:
            held = scraper.fill(cls)
        except SourceUnavailable as error:
            summary.failed[cls.wnid] = str(error)
            continue
        if held >= workspace.per_class:
            summary.full += 1
        else:
            summary.short[cls.wnid] = held
    return summary


class _Scraper:
    def __init__(self, workspace: Workspace, store: Store, source: Source) -> None:
        self.workspace = workspace
        self.store = store
        self.source = source
        self.session = new_session()
        self.summary = ScrapeSummary()

    def fill(self, cls: ImageClass) -> int:
        """Search and download for one class; return how many photos it holds then."""
        wanted = self.workspace.per_class
        # Every keyword is asked equally far before any photo is taken, also where a run was
        # stopped between two of them: what is best must not depend on when that was.
        depth = max([1, *(search.page for search in self._last_searches(cls).values())])
        self._search_to(cls, depth)
        while True:
            best = self._usable(cls)[:wanted]
            if missing := [photo for photo in best if photo.sha256 is None]:
                for photo in missing:
                    self._fetch(photo)
                continue
            depth += 1
            if len(best) == wanted or not self._search_to(cls, depth):
                return len(best)

    def _search_to(self, cls: ImageClass, depth: int) -> bool:
        """Ask for each keyword's pages up to number `depth`; False where there was none to ask."""
        asked = False
        last_searches = self._last_searches(cls)
        for query in cls.queries:
            last = last_searches.get(query.text)
            first = last.page + 1 if last else 1
            for page in range(first, depth + 1):
                if last and last.last:
                    break
                last = self._search(cls, query.text, page)
                asked = True
        return asked

    def _last_searches(self, cls: ImageClass) -> dict[str, Search]:
        """The furthest page that was asked for, by keyword."""
        asked = (
            select(Search)
            .where(
                Search.wnid == cls.wnid,
                Search.source == self.source.name,
                Search.posted_after == self.workspace.posted_after,
                Search.per_page == _PER_PAGE,
            )
            .order_by(Search.page)
        )
        with self.store.session() as session:
            return {search.query: search for search in session.scalars(asked)}

    def _search(self, cls: ImageClass, query: str, page: int) -> Search:
        """Ask for one page, and store it and its photos in one transaction."""
        found = self.source.search(
            query, posted_after=self.workspace.posted_after, page=page, per_page=_PER_PAGE
        )
        self.summary.searches += 1
        search = self._record(cls, query, page, found)
        with self.store.begin() as session:
            session.add(search)
            for place, photo in enumerate(found.photos, start=1 + (page - 1) * _PER_PAGE):
                self._add_candidate(session, cls, query, place, photo)
        return search

    def _record(self, cls: ImageClass, query: str, page: int, found: SearchPage) -> Search:
        return Search(
            wnid=cls.wnid,
            source=self.source.name,
            query=query,
            posted_after=self.workspace.posted_after,
            per_page=_PER_PAGE,
            page=page,
            total=found.total,
            returned=len(found.photos),
            last=found.last,
        )

    def _add_candidate(
        self, session: Session, cls: ImageClass, query: str, rank: int, found: FoundPhoto
    ) -> None:
        known = select(Photo).filter_by(source=self.source.name, source_id=found.source_id)
        photo = session.scalar(known)
        if photo is None:
            photo = Photo(
                source=self.source.name,
                source_id=found.source_id,
                owner=found.owner,
                owner_name=found.owner_name,
                title=found.title,
                license=found.license,
                license_url=found.license_url,
                page_url=found.page_url,
                image_url=found.image_url,
                posted_at=found.posted_at,
                taken_at=found.taken_at,
            )
            session.add(photo)
            session.flush()
        candidate = session.scalar(select(Candidate).filter_by(wnid=cls.wnid, photo_id=photo.id))
        if candidate is None:
            session.add(Candidate(wnid=cls.wnid, photo_id=photo.id, keyword=query, rank=rank))
        elif rank < candidate.rank:
            candidate.keyword, candidate.rank = query, rank

    def _usable(self, cls: ImageClass) -> list[Photo]:
        """The photos that were not refused, best first; keywords interleave by rank.

        Stored or not: which ones a class takes does not depend on what another one downloaded.
        """
        usable = (
            select(Candidate)
            .join(Candidate.photo)
            .where(
                Candidate.wnid == cls.wnid,
                Photo.refused.is_(None),
                # The search asked for this too, but Flickr ignores what it cannot read.
                Photo.posted_at >= self.workspace.posted_after,
            )
        )
        place = {query.text: number for number, query in enumerate(cls.queries)}
        with self.store.session() as session:
            found = session.scalars(usable).all()
        best_first = sorted(found, key=lambda c: (c.rank, place.get(c.keyword, len(place)), c.id))
        return [candidate.photo for candidate in best_first]

    def _fetch(self, photo: Photo) -> None:
        """Download, check and store one photo, or store why it is refused.

        Raises:
            SourceUnavailable: the image host kept failing; the photo stays to be tried again.
        """
        try:
            changes = self._download(photo)
            self.summary.stored += 1
        except PhotoRefused as error:
            changes = {"refused": str(error)}
            refused = self.summary.refused
            refused[error.reason] = refused.get(error.reason, 0) + 1
        with self.store.begin() as session:
            stored = session.get_one(Photo, photo.id)
            for name, value in changes.items():
                setattr(stored, name, value)

    def _download(self, photo: Photo) -> dict[str, object]:
        if not photo.image_url:
            raise PhotoRefused("no picture offered")
        try:
            content = with_retries(
                lambda: download(self.session, photo.image_url, self.source.may_fetch)
            )
        except requests.RequestException as error:
            if is_retryable(error):
                raise SourceUnavailable(f"{photo.image_url} did not come: {error}") from None
            raise PhotoRefused("bad answer", str(error)) from None
        picture = check_picture(content)
        sha256 = hashlib.sha256(content).hexdigest()
        with self.store.session() as session:
            twin = session.scalar(select(Photo).where(Photo.sha256 == sha256).limit(1))
        if twin is not None:
            raise PhotoRefused("same bytes", f"as {twin.source}:{twin.source_id}")
        with written_whole(self.workspace.images / image_file(sha256, picture.format)) as file:
            file.write(content)
        return {
            "sha256": sha256,
            "byte_size": len(content),
            "format": picture.format,
            "width": picture.width,
            "height": picture.height,
            "stored_at": now(),
        }
