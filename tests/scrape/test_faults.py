"""What a failure costs: each kind of request by each way to fail, once and for ever.

Each fault has a class of its own, and one scrape meets them all. Whatever is not named with its
cause is as if nothing had happened.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from math import inf
from ssl import SSLCertVerificationError
from threading import Thread, Timer
from typing import Any

import pytest
from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from requests.exceptions import SSLError
from sqlalchemy.exc import OperationalError

from genset.classes import ImageClass, Query
from genset.db import Store
from genset.net.hosts import Hosts
from genset.sandbox import Reply, Rule, Sandbox
from genset.sandbox.faults import What
from genset.sandbox.flickr import failure
from genset.scrape.refresh import RefreshSummary, refresh
from genset.scrape.results import ScrapeSummary
from genset.sources.commons import search_text
from genset.sources.source import Settings, Source, source_class
from genset.status import failed
from tests.scrape.gate import Gate
from tests.scrape.pools import NewPool, Pool, record
from tests.scrape.several import SETTINGS, Start

SOURCES = "flickr", "commons", "inaturalist"
SOME = 400, 404, 429, 503
# What flickr.photos.search and flickr.photos.getInfo say is wrong, by number.
SOME_CODES = 1, 3, 100, 105
REFUSED = (1, 2, 3, 4, 5, 11, 12, 17, 18, 77, 116)  # that are of what is asked

Failures = list[tuple[What, str]]  # and what is said of each

BOTH: Failures = [
    ("truncated", "cut off"),
    ("empty", "an empty answer"),
    ("not_image", "a web page"),
    (Reply(302, "", b"", {"Location": "http://x.example/"}), "a redirect to another address"),
    (Reply(200, "", b"", {"Certificate": "bad"}), "certificate of 127"),
]
OF_PHOTOS: Failures = [*BOTH, ("broken_photos", "image")]
OF_CALLS: Failures = [*BOTH, ("broken_photos", "without JSON")]


@dataclass(frozen=True)
class Fault:
    """A way to fail, the class that meets it, and what is said of it."""

    number: int
    kind: str = "none"  # or "photo", "redirect" (to a photo), "query"
    what: What = 200
    cause: str = ""
    times: float = inf

    @property
    def cls(self) -> ImageClass:
        """Wants one photo of those that its one query finds."""
        word = f"word{self.number:03}"
        queries = (Query(word, "lemma"),)
        return ImageClass(0, word, (word,), "", (), queries, taxon=f"Taxon {word}")

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Two photos, of which one is to spare."""
        return [
            record(
                10 * self.number + place,
                self.cls.name,
                owner=f"{10 * self.number + place}@N00",
                date_taken="2014-12-31 12:00:00",
                taxon=self.cls.taxon,
            )
            for place in range(2)
        ]


def table_of(**failures: Failures) -> list[Fault]:
    """Each fault of photos and of queries, once and for ever; the first class meets none."""
    faults = [
        (kind, what, cause, times)
        for kind, of_kind in failures.items()
        for what, cause in of_kind
        for times in (1, inf)
    ]
    return [Fault(1), *(Fault(number, *fault) for number, fault in enumerate(faults, start=2))]


def statuses(numbers: Iterable[int]) -> Failures:
    return [(number, f"HTTP {number}") for number in numbers]


def of_photos(numbers: Iterable[int]) -> Failures:
    """The same, but for those by which a photo is gone."""
    gone = [(number, "gone") for number in numbers if number in (404, 410)]
    return gone + statuses(number for number in numbers if number not in (404, 410)) + OF_PHOTOS


def codes(numbers: Iterable[int]) -> Failures:
    """Flickr's own."""
    return [(failure(number), f"(code {number})") for number in numbers]


@dataclass
class Scraped:
    """A pool that a scrape filled."""

    sandbox: Sandbox
    pool: Pool
    summary: ScrapeSummary

    @property
    def failed(self) -> dict[str, tuple[str, str]]:
        """What `genset status --failed` has of each class: a thing and its cause."""
        rows = failed(self.pool.store).rows
        found = {wnid: (thing, cause) for wnid, thing, _, cause, *_ in rows}
        assert len(found) == len(rows) and {state for _, _, state, *_ in rows} <= {"rejected"}
        return found


def connected(name: str, pool: Pool) -> Source:
    """A source that a command begins to ask, as fast as it will."""
    settings = Settings(contact=SETTINGS.contact, calls_an_hour=0, images_per_second=0)
    return source_class(name).connect(Hosts(pool.store), settings)


Fill = Callable[..., Scraped]


def trusting(send: Callable[..., Response]) -> Callable[..., Response]:
    """Makes a call, and finds an answer's certificate bad where a header says so."""

    def sent(adapter: HTTPAdapter, request: PreparedRequest, **options: Any) -> Response:
        response = send(adapter, request, **options)
        if "Certificate" in response.headers:
            raise SSLError(SSLCertVerificationError(), request=request)
        return response

    return sent


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long before looking again."""
    monkeypatch.setattr("genset.scrape.scraper._GATHER", 0.0)
    monkeypatch.setattr("genset.db.database._A_RESTART", 1.5)
    for module in ("scrape.scraper", "scrape.work", "net.host_state"):
        monkeypatch.setattr(f"genset.{module}.LOOK_AGAIN", 0.02)


@pytest.fixture
def fill(start: Start, new_pool: NewPool, monkeypatch: pytest.MonkeyPatch) -> Fill:
    """Scrape a source where these rules hold, with a photo for each fault's class."""
    monkeypatch.setattr(HTTPAdapter, "send", trusting(HTTPAdapter.send))
    monkeypatch.setenv("GENSET_PAUSE_FACTOR", "0.00005")

    def scraped(name: str, table: list[Fault], *rules: Rule) -> Scraped:
        sandbox = start(name, [row for fault in table for row in fault.rows])
        sandbox.rules += rules
        pool = new_pool(per_class=1)
        pool.plan = replace(pool.plan, source=source_class(name))
        done = pool.scrape(connected(name, pool), *(fault.cls for fault in table))
        return Scraped(sandbox, pool, done)

    return scraped


def rules_of(name: str, fault: Fault, photo: str) -> list[Rule]:
    """Have a fault meet its class: the photo that is its first, or its query."""
    word = fault.cls.name
    query = {"flickr": word, "commons": search_text(word), "inaturalist": fault.cls.taxon}[name]
    of_photo = partial(Rule, method="image", photo=photo.rpartition("-")[2])
    match fault.kind:
        case "query":
            return [Rule(fault.what, query=query, times=fault.times)]
        case "photo":
            return [of_photo(fault.what, times=fault.times)]
    there = partial(of_photo, query="there")
    redirect = Reply(302, "", b"", {"Location": "?text=there"})
    return [there(fault.what, times=fault.times), there("nothing"), of_photo(redirect)]


def check(name: str, table: list[Fault], fill: Fill) -> None:
    """See what each fault costs."""
    undisturbed = fill(name, table)
    photos = {fault.number: undisturbed.pool.held(fault.cls) for fault in table}
    assert {len(found) for found in photos.values()} == {1}
    rules = [rules_of(name, fault, photos[fault.number][0]) for fault in table[1:]]
    scraped = fill(name, table, *chain.from_iterable(rules))
    failures = scraped.failed
    for fault in table:
        held, queries = scraped.pool.held(fault.cls), scraped.summary.rejected_queries
        if fault.cls.wnid not in failures:
            assert held == photos[fault.number], fault
            assert fault.kind == "none" or fault.times == 1, fault
            continue
        thing, reason = failures.pop(fault.cls.wnid)
        assert fault.cause in reason, fault
        is_tried_again = not is_said_of_it(fault)
        if fault.kind != "query":
            assert thing == f"{name}:{photos[fault.number][0]}"
            assert len(held) == 1
            assert held != photos[fault.number]
            assert (", 8 tries since 20" in reason) is is_tried_again
        else:
            [(query, cause)] = queries.pop(fault.cls.wnid).items()
            assert thing == f"{name} search: {query} (page 1)"
            assert fault.cause in cause
            assert (", 8 tries since 20" in cause) is is_tried_again
            assert held == []
        assert fault.times == inf or not is_tried_again, fault
    assert (failures, scraped.summary.rejected_queries, scraped.summary.failed) == ({}, {}, 0)


def is_said_of_it(fault: Fault) -> bool:
    """Whether a fault rejects a photo or a query at once, without another try."""
    if fault.kind != "query":
        return fault.what in (404, 410, "broken_photos")
    return fault.what in (400, 413, 414, 422, 451, *map(failure, REFUSED))


@pytest.mark.parametrize("name", SOURCES)
def test_what_one_query_meets(name: str, fill: Fill) -> None:
    of_flickr = codes(SOME_CODES) if name == "flickr" else []
    check(name, table_of(query=statuses(SOME) + OF_CALLS + of_flickr), fill)


def test_what_one_photo_meets(fill: Fill) -> None:
    """All sources call image hosts alike."""
    faults = of_photos(SOME)
    check("flickr", table_of(photo=faults, redirect=faults), fill)


@pytest.mark.parametrize(
    ("name", "what"), [("flickr", "flickr.photos.search"), ("commons", "search")]
)
def test_a_search_that_is_down_rejects_no_query(name: str, what: str, fill: Fill) -> None:
    """Though other calls are answered, and more searches fail than three queries are tried."""
    table = [Fault(number) for number in range(1, 4)]
    scraped = fill(name, table, Rule(503, what, times=30))
    assert scraped.summary.full == len(table)
    assert (scraped.summary.rejected_queries, scraped.summary.failed) == ({}, 0)


@pytest.mark.timeout(60)  # it waited for ever
def test_photos_that_never_come_leave_others_their_turn_to_find_the_host_well(
    fill: Fill, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is waited for longer than its host is left alone."""
    send = HTTPAdapter.send

    def sent(adapter: HTTPAdapter, request: PreparedRequest, **options: Any) -> Response:
        response = send(adapter, request, **options)
        time.sleep(0.05 * (response.status_code == 503))
        return response

    monkeypatch.setattr(HTTPAdapter, "send", sent)
    table = [Fault(number) for number in range(1, 6)]
    never = [row["id_search_engine"] for fault in table[1:] for row in fault.rows]
    scraped = fill("flickr", table, *(Rule(503, method="image", photo=photo) for photo in never))
    assert [len(scraped.pool.held(fault.cls)) for fault in table] == [1] + [0] * 4


def test_what_is_refused_first_ends_nothing(fill: Fill) -> None:
    """Another call shows that it is not the key."""
    scraped = fill("flickr", [Fault(1)], Rule(403, query="word001"))
    [(thing, cause)] = scraped.failed.values()
    assert (thing, "HTTP 403" in cause) == ("flickr search: word001 (page 1)", True)
    scraped = fill("flickr", [Fault(1), Fault(2)])
    summary = refreshed(scraped, "flickr", Rule(403, "flickr.photos.getInfo"))
    assert (len(summary.failed), summary.checked) == (2, 0)


# Refresh: getInfo, imageinfo, observations


def refreshed(scraped: Scraped, name: str, *rules: Rule) -> RefreshSummary:
    """Ask after all photos where these rules hold."""
    scraped.sandbox.rules[:] = rules
    return refresh(scraped.pool.store, connected(name, scraped.pool))


@pytest.mark.parametrize("name", SOURCES[1:])
def test_what_a_call_for_many_photos_meets(fill: Fill, name: str) -> None:
    """Once, it is made again; for ever, each photo is named, and nothing is lost."""
    scraped = fill(name, [Fault(number) for number in range(1, 4)])
    what = {"commons": "imageinfo", "inaturalist": "observation"}[name]
    for fault, cause in statuses(SOME) + OF_CALLS:
        summary = refreshed(scraped, name, Rule(fault, what, times=1))
        assert (summary.checked, summary.failed, summary.gone) == (3, {}, {}), cause
    for fault, cause in statuses((400, 500)):
        summary = refreshed(scraped, name, Rule(fault, what))
        assert len(summary.failed) == 3, cause
        assert all(cause in words for words in summary.failed.values())
    assert refreshed(scraped, name).gone == {}
    photo = scraped.pool.held(Fault(2).cls)[0]  # one of the call's costs itself only
    summary = refreshed(scraped, name, Rule(500, what, photo=photo.rpartition("-")[2]))
    assert (summary.checked, [*summary.failed]) == (2, [f"{name}:{photo}"])


# PostgreSQL


def test_a_database_that_is_restarted_while_a_command_opens_it(postgresql: str) -> None:
    with Gate(postgresql) as gate:
        gate.close()
        Timer(0.5, gate.open).start()
        Store.open(gate.url).close()


def test_a_database_that_is_away_once_and_for_ever(
    start: Start, new_pool: NewPool, postgresql: str
) -> None:
    """All connections are cut ten times; then nobody is let in any more."""
    table = [Fault(number) for number in range(1, 40)]
    start("flickr", [row for fault in table for row in fault.rows])
    lines: list[str] = []
    with Gate(postgresql) as gate:
        pool = new_pool(per_class=1, store_url=gate.url)
        hosts = Hosts(pool.store, lines.append, give_up_after=2.0)
        source = source_class("flickr").connect(hosts, SETTINGS)

        def cut() -> None:
            for _ in range(10):
                time.sleep(0.1)
                gate.close()
                gate.open()

        cutting = Thread(target=cut)
        cutting.start()
        pool.scrape(source, *(fault.cls for fault in table))
        cutting.join()
        for said in ("the database does not answer", "the database answers again"):
            assert any(said in line for line in lines), lines
        held = [pool.held(fault.cls) for fault in table]
        assert held == [[str(10 * fault.number)] for fault in table]
        assert pool.rejected() == {}
        gate.close()
        with pytest.raises(OperationalError):
            pool.scrape(source, *(fault.cls for fault in table))
