"""Wikimedia Commons' answers, in the shapes in which they were recorded, and calls to a server."""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from genset import __version__
from genset.classes import imagenet1k
from genset.core.errors import PhotoRejected, SourceError, SourceRefused, SourceUnavailable
from genset.core.photo import PhotoOrigin
from genset.db import Store
from genset.licenses import FLICKR, License
from genset.net.host_state import HostGaveUp
from genset.net.hosts import Hosts
from genset.sources.commons import Commons, search_text
from genset.sources.commons_api import ask_whole, license_in_answer, parse_reply, photo_of
from genset.sources.flickr import Flickr
from genset.sources.source import Question, SearchPage, photos_of
from tests.scrape import hostile
from tests.scrape.hostile import HostileHost
from tests.sources.conftest import JSON

YEAR_2014 = datetime(2014, 1, 1, tzinfo=UTC)
POSTED = datetime(2020, 5, 3, 10, 11, 12, tzinfo=UTC)
CONTACT = "you@example.org"
FILES = "https://upload.wikimedia.org/wikipedia/commons"

Fields = dict[str, Any]


def extmetadata(**changes: Any) -> Fields:
    """What stands on a file's page, each value in its envelope; None takes a field away."""
    values = {
        "Artist": '<a href="//commons.wikimedia.org/wiki/User:Ann" title="User:Ann">Ann B</a>',
        "Credit": '<span class="int-own-work" lang="en">Own work</span>',
        "CommonsMetadataExtension": 1.2,
        "Copyrighted": "True",
        "DateTime": "2020-05-03 10:11:12",
        "DateTimeOriginal": "2019-08-14 16:23:02",
        "License": "cc-by-sa-4.0",
        "LicenseShortName": "CC BY-SA 4.0",
        "LicenseUrl": "https://creativecommons.org/licenses/by-sa/4.0",
        "Restrictions": "",
        "UsageTerms": "Creative Commons Attribution-Share Alike 4.0",
    } | changes
    return {
        name: {"value": value, "source": "commons-desc-page", "hidden": ""}
        for name, value in values.items()
        if value is not None
    }


def info(**changes: Any) -> Fields:
    """The latest version of a file; None takes a field away."""
    fields = {
        "timestamp": "2020-05-03T10:11:12Z",
        "user": "Ann",
        "size": 1_200_300,
        "width": 4000,
        "height": 3000,
        "thumburl": f"{FILES}/thumb/a/ab/Pond.jpg/960px-Pond.jpg",
        "thumbwidth": 960,
        "thumbheight": 720,
        "url": f"{FILES}/a/ab/Pond.jpg",
        "descriptionurl": "https://commons.wikimedia.org/wiki/File:Pond.jpg",
        "descriptionshorturl": "https://commons.wikimedia.org/w/index.php?curid=7",
        "sha1": "0" * 40,
        "mime": "image/jpeg",
        "extmetadata": extmetadata(),
    } | changes
    return {name: value for name, value in fields.items() if value is not None}


def page(number: int = 7, index: int = 1, **changes: Any) -> Fields:
    """A file that a search found; `changes` are its version's."""
    return {
        "pageid": number,
        "ns": 6,
        "title": "File:Pond with a tench.jpg",
        "index": index,
        "imagerepository": "local",
        "imageinfo": [info(**changes)],
    }


def answer(*pages: Fields, following: Fields | None = None, whole: bool = True) -> Fields:
    reply: Fields = {"batchcomplete": True} if whole else {}
    if following is not None:
        reply["continue"] = following
    return reply | {"query": {"pages": list(pages)}}


def photo_on(entry: Fields) -> PhotoOrigin:
    """The photo of a page, as it is answered."""
    [found] = ask_whole(lambda _: answer(entry), {}).pages.values()
    return photo_of(found)


def photo(**changes: Any) -> PhotoOrigin:
    return photo_on(page(**changes))


def photo_with(**changes: Any) -> PhotoOrigin:
    """The photo of a page on which these fields stand."""
    return photo(extmetadata=extmetadata(**changes))


def commons_at(endpoint: str | None = None, contact: str = CONTACT) -> Commons:
    """Commons, of which nothing is known yet."""
    store = Store.open(f"sqlite:///{Path(tempfile.mkdtemp()) / 'hosts.db'}")
    return Commons(Hosts(store, give_up_after=0), contact, endpoint)


# What is said of a photo


def test_a_photo_as_commons_describes_it() -> None:
    assert photo() == PhotoOrigin(
        source="commons",
        source_id="7",
        owner="Ann",
        owner_name="Ann B",
        title="Pond with a tench",
        license="CC BY-SA 4.0",
        license_url="https://creativecommons.org/licenses/by-sa/4.0/",
        page_url="https://commons.wikimedia.org/wiki/File:Pond.jpg",
        image_url=f"{FILES}/thumb/a/ab/Pond.jpg/960px-Pond.jpg",
        posted_at=POSTED,
        taken_at="2019-08-14 16:23:02",
    )


@pytest.mark.parametrize(
    ("artist", "attribution", "name"),
    [
        ("<div class='fn value'>\n<span lang='en'>Unknown</span>\n</div>", None, "Unknown"),
        ("Ann B", "Photo by <a href='//example.org/'>Ann</a>", "Photo by Ann"),
        ("Ann B", "", "Ann B"), ("", None, "Ann"), (7, None, "7"), ([], None, "Ann"),
    ],
)  # fmt: skip
def test_the_author_is_credited_in_words(artist: Any, attribution: Any, name: str) -> None:
    assert photo_with(Artist=artist, Attribution=attribution).owner_name == name


@pytest.mark.parametrize(
    ("artist", "owner"),
    [
        ("Bo Ek", "Bo Ek"),
        ("<a href='https://example.org/'>Bo Ek</a>", "Bo Ek"),
        ('<a href="/wiki/User:Bo_E" title="User:Bo E">Bo Ek</a>', "Bo E"),
        ('<a class="new" title="User:Bo E (page does not exist)">Bo Ek</a>', "Bo E"),
        ('<a class="extiw" title="en:User:Bo &amp; Co">Bo</a> at Wikipedia', "Bo & Co"),
        ('<a title="User:Bo">Bo</a>, <a title="User:Cleo">Cleo</a>', "Bo, Cleo"),
        ('<a title="User:Bo">Bo</a> (<a title="User talk:Bo">talk</a>)', "Bo"),
        *((nobody, "Bot") for nobody in ("", None, "Unknown author", "-", [], "Not provided",
          "<span>Anonymous</span>Unknown author", "<script>alert(1)</script>")),
        ("<a title='User:\u202e'>\u202e</a>", "Bot"),
    ],
)  # fmt: skip
def test_the_owner_is_the_author_and_the_uploader_where_nobody_is_named(
    artist: Any, owner: str
) -> None:
    assert photo(user="Bot", extmetadata=extmetadata(Artist=artist)).owner == owner


@pytest.mark.parametrize(
    "value",
    [
        "<script>alert(1)</script>" * 4_000, "<div>" * 20_000 + "deep" + "</div>" * 20_000,
        "Ann \u202e\u2066gnp.exe\x1b[2J\x00\ud800", "&#x202e;&#0;&#27;Ann",
        "<a href='javascript:alert(1)' onclick='alert(2)'>Ann</a><img src=x onerror=alert(3)>",
        "Ann " * 25_000, "<a " * 33_000,
    ],
)  # fmt: skip
def test_hostile_words_become_one_harmless_line(value: str) -> None:
    fields = dict.fromkeys(("Artist", "Attribution", "DateTimeOriginal"), value)
    found = photo_with(**fields)
    hostile = photo_on(page(user=value) | {"title": value})
    for words in (found.owner, found.owner_name, hostile.owner, hostile.title):
        assert words.isprintable() and len(words) <= 300
    assert "alert" not in found.owner_name
    assert found.taken_at is None


@pytest.mark.parametrize(
    ("changes", "address"),
    [
        ({"width": 961}, f"{FILES}/thumb/a/ab/Pond.jpg/960px-Pond.jpg"),
        ({"width": 960}, f"{FILES}/a/ab/Pond.jpg"),
        ({"width": 500, "thumburl": None}, f"{FILES}/a/ab/Pond.jpg"),
        ({"thumburl": None}, f"{FILES}/a/ab/Pond.jpg"),
        ({"width": "4000"}, f"{FILES}/a/ab/Pond.jpg"),
        ({"url": None, "width": 960}, ""),
        ({"url": ["x"], "width": 960}, ""),
        ({"url": "javascript:alert(1)", "width": 960}, ""),
        (
            {"thumburl": f"{FILES}/thumb/a/ab/P.jpg/960px-P.jpg?utm_source=commons&utm_content=x"},
            f"{FILES}/thumb/a/ab/P.jpg/960px-P.jpg",
        ),
    ],
)
def test_the_picture_is_the_thumbnail_of_a_wide_photo(changes: Fields, address: str) -> None:
    assert photo(**changes).image_url == address


def test_a_page_elsewhere_is_no_page_of_it() -> None:
    for url in ("https://evil.example/wiki/File:Pond.jpg", "javascript:alert(1)", 7, None, [],
                  "/wiki/A", "https://commons.wikimedia.org.evil.example/wiki/A"):  # fmt: skip
        assert photo(descriptionurl=url).page_url == "https://commons.wikimedia.org/?curid=7"


@pytest.mark.parametrize(
    ("words", "taken"),
    [
        ("2012-09-25", "2012-09-25"),
        ('<time class="dtstart" datetime="2012-05">May 2012</time>', "2012-05"),
        ('Taken on <time datetime="2014-05-03">3 May 2014</time>', "2014-05-03"),
        ("1891<div style='display: none;'>date QS:P,+1891-00-00T00:00:00Z/9</div>", "1891"),
        ("circa 1617 <div style='display: none;'>date QS:P,+1617-00-00T00:00:00Z/9</div>", None),
        ("between 2010 and 2012", None), ("", None), (None, None), (2012, "2012"),
    ],
)  # fmt: skip
def test_when_it_was_taken_is_said_where_it_is_certain(words: Any, taken: str | None) -> None:
    # The file's own date is another thing.
    assert photo_with(DateTime="2012-09-25", DateTimeOriginal=words).taken_at == taken


@pytest.mark.parametrize(
    ("short", "code", "url", "license"),
    [
        ("CC BY-SA 3.0 de", "cc-by-sa-3.0-de",
         "https://creativecommons.org/licenses/by-sa/3.0/de/deed.en",
         License("CC BY-SA 3.0 DE", "https://creativecommons.org/licenses/by-sa/3.0/de/")),
        (None, None, "//creativecommons.org/licenses/by-sa/4.0/", FLICKR[12]),
        ("<b>CC BY 2.0</b>", None, None, FLICKR[4]),
        (None, "cc-by-2.0", None, FLICKR[4]),
        (None, "pd", None, License("Public domain", "")),
        ("PD-USGov", None, None, License("Public domain", "")),
        ("Public domain", "pd", "https://creativecommons.org/publicdomain/mark/1.0/", FLICKR[10]),
        ("No restrictions", None, None, FLICKR[7]),
        ("GFDL", "gfdl", "http://www.gnu.org/copyleft/fdl.html",
         License("GFDL", "http://www.gnu.org/copyleft/fdl.html")),
        ("FAL", None, "javascript:alert(1)", License("FAL", "")),
    ],
)  # fmt: skip
def test_a_licence_has_the_name_and_address_that_it_has_elsewhere(
    short: str | None, code: str | None, url: str | None, license: License
) -> None:
    fields = extmetadata(LicenseShortName=short, License=code, LicenseUrl=url)
    found = photo(extmetadata=fields)
    assert (found.license, found.license_url) == license


NOTHING = extmetadata(License=None, LicenseShortName=None, LicenseUrl=None)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        *((page(extmetadata=fields), "no licence") for fields in (NOTHING, [], None)),
        (page(user=None, extmetadata=extmetadata(Artist=None)), "no author"),
        *((page() | {"imageinfo": infos}, "no file") for infos in (None, [], {})),
        (page(timestamp="last year"), "no upload date"),
    ],
)
def test_what_lacks_a_licence_an_author_or_a_file_is_left_out(entry: Fields, reason: str) -> None:
    with pytest.raises(PhotoRejected) as rejected:
        photo_on(entry)
    assert rejected.value.reason == reason


# Answers


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        *((code, SourceUnavailable) for code in ("maxlag", "ratelimited", "readonly",
          "internal_api_error_DBQueryError", "cirrussearch-too-busy-error")),
        *((code, SourceRefused) for code in ("badvalue", "cirrussearch-parse-error", "")),
    ],
)  # fmt: skip
def test_an_error_is_of_its_kind(code: str, kind: type[SourceError]) -> None:
    body = json.dumps({"error": {"code": code, "info": "No\n\x1b[2Jway"}}).encode()
    with pytest.raises(SourceError, match=r"Wikimedia Commons: No \[2Jway") as failed:
        parse_reply(body)
    assert type(failed.value) is kind


def test_an_answer_in_parts_is_put_together_by_page() -> None:
    bare = {"pageid": 7, "ns": 6, "title": "File:A.jpg", "index": 2}
    parts = [
        answer(bare, page(8), following={"iicontinue": "A|1", "continue": "||"}, whole=False),
        answer({"pageid": 7, "imageinfo": [info()]}, following={"gsroffset": 50, "continue": "x"}),
    ]
    asked: list[Any] = []

    def ask(params: Mapping[str, object]) -> Fields:
        asked.append(dict(params))
        return parts.pop(0)

    batch = ask_whole(ask, {"gsrsearch": "tench"})
    assert asked == [
        first := {"gsrsearch": "tench"},
        first | {"iicontinue": "A|1", "continue": "||"},
    ]
    assert photo_of(batch.pages["7"]) == structs.replace(photo(), title="A")
    assert batch.pages["7"].index == 2
    assert batch.following == {"gsroffset": 50, "continue": "x"}


@given(field=JSON, name=st.sampled_from([*info(), *extmetadata()]))
def test_a_field_of_any_kind_costs_one_photo_at_most(field: Any, name: str) -> None:
    bad = page(8)
    fields = bad["imageinfo"][0]
    (fields if name in fields else fields["extmetadata"])[name] = field
    batch = ask_whole(lambda _: answer(bad, page(7), field), {})
    found, _ = photos_of(batch.pages.values(), photo_of)
    assert photo() in found
    for each in found:
        assert all(map(str.isprintable, (each.title, each.owner, each.owner_name)))
    for reply in (
        {"query": field},
        {"continue": field, "batchcomplete": field},
        {"query": {"pages": field}},
        answer(page() | {"title": field, "index": field}),
    ):
        with suppress(SourceUnavailable):
            batch = ask_whole(lambda _, reply=reply: reply, {})
            license_in_answer(batch, "7")
            photos_of(batch.pages.values(), photo_of)


# Queries


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("tench", '"tench"'), ("Tinca tinca", '"tinca" "tinca"'),
        ('"guinea pig" pet', '"guinea pig" "pet"'),
        ('lion -sea -"mountain lion"', '"lion" -"sea" -"mountain lion"'),
        ("half-track", '"half" "track"'), ("lion* insource:/x/ ~2", '"lion" "insource" "x" "2"'),
        ("depicts Q194406", "haswbstatement:P180=Q194406"),
        ("depicts Q194406 OR 1", '"depicts" "q194406" "or" "1"'),
    ],
)  # fmt: skip
def test_a_query_in_the_language_of_its_search(text: str, asked: str) -> None:
    assert search_text(text) == f"filetype:bitmap {asked}"


def test_statements_are_searched_before_words() -> None:
    tench = imagenet1k()["n01440764"]
    assert Commons.queries(tench) == ("tench", '"Tinca tinca"')
    named = replace(tench, wikidata=("Q194406",))
    assert Commons.queries(named) == ("depicts Q194406", "tench", '"Tinca tinca"')
    assert Flickr.queries(named) == ("tench", '"Tinca tinca"')


# Calls


class Wiki(HostileHost):
    """A host that answers with what `reply` makes of a call's parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.endpoint = f"{self.address}/w/api.php"
        self.reply: Callable[[dict[str, str]], Any] = lambda params: answer()
        self.calls: list[dict[str, str]] = []
        self.agents: set[str] = set()

    def respond(self, path: str, content: bytes) -> bytes:
        self.calls.append(params := dict(parse_qsl(urlsplit(path).query)))
        self.agents.add(self.headers["user-agent"])
        reply = self.reply(params)
        status, body = reply if isinstance(reply, tuple) else (200, json.dumps(reply).encode())
        return hostile.answer(body, f"{status} So", Content_Type="application/json")


@pytest.fixture
def wiki(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wiki]:
    monkeypatch.setenv("GENSET_PAUSE_FACTOR", "0.001")
    with Wiki() as running:
        yield running


def history(*uploads: tuple[int, list[str]], **more: Any) -> Fields:
    """When versions of these pages were uploaded."""
    return answer(
        *(
            {"pageid": number, "imageinfo": [{"timestamp": moment} for moment in moments]}
            for number, moments in uploads
        ),
        **more,
    )


def search(wiki: Wiki, number: int = 1, bookmark: str = "") -> SearchPage:
    question = Question("tench", YEAR_2014, None, (), 50, number, bookmark=bookmark)
    commons = commons_at(wiki.endpoint)
    return commons.api.call_patiently(lambda quota: commons.search(question, quota), "tench")


def by_kind(search_reply: Any, history_reply: Any) -> Callable[[dict[str, str]], Any]:
    return lambda params: search_reply if "gsrsearch" in params else history_reply


def at_once(params: dict[str, str]) -> Fields:
    """What was uploaded in 2020, of each page that is asked for."""
    numbers = params["pageids"].split("|")
    return history(*((int(number), ["2020-05-03T10:11:12Z"]) for number in numbers))


def test_a_search_asks_for_what_it_must(wiki: Wiki, monkeypatch: pytest.MonkeyPatch) -> None:
    wiki.reply = lambda params: answer(page()) if "gsrsearch" in params else at_once(params)
    commons, turns = commons_at(wiki.endpoint), []
    monkeypatch.setattr(commons.api, "wait_for_turn", turns.append)
    found = commons.search(Question("tench", YEAR_2014, None, (), 50, 1), 0)
    assert found == SearchPage((photo(),), total=1, last=True, capped=False)
    assert turns == [0]  # whoever calls `search` waited for the first call
    first, second = wiki.calls
    expected = {
        "action": "query",
        "format": "json",
        "formatversion": "2",
        "generator": "search",
        "gsrsearch": 'filetype:bitmap "tench"',
        "gsrnamespace": "6",
        "gsrlimit": "50",
        "gsroffset": "0",
        "prop": "imageinfo",
        "iiprop": "timestamp|user|url|size|sha1|mime|extmetadata",
        "iiurlwidth": "960",
        "iiextmetadatalanguage": "en",
    }
    assert expected.items() <= first.items()
    assert {"Artist", "License", "DateTimeOriginal"} <= set(first["iiextmetadatafilter"].split("|"))
    assert second["pageids"] == "7"
    assert wiki.agents == {
        f"genset/{__version__} (builds image classification test sets; {CONTACT})"
    }


def test_histories_in_parts_are_read_to_their_end_whatever_the_window(wiki: Wiki) -> None:
    """So a window that ends does not hide photos that were replaced later."""

    def reply(params: dict[str, str]) -> Fields:
        if "gsrsearch" in params:  # what is too old by its latest version is not asked
            return answer(page(), page(9, 3, timestamp="2013-12-31T23:59:59Z"))
        assert params["pageids"] == "7"
        if "iicontinue" in params:
            return history((7, ["2016-01-01T00:00:00Z"]))
        later = {"iicontinue": "Pond.jpg|2011", "continue": "||"}
        uploads = ["2020-05-03T10:11:12Z", "2015-01-01T00:00:00Z", "2018-01-01T00:00:00Z"]
        return history((7, uploads), following=later, whole=False)

    wiki.reply = reply
    question = Question("tench", YEAR_2014, datetime(2017, 1, 1, tzinfo=UTC), (), 50, 1)
    found, early = commons_at(wiki.endpoint).search(question, 0).photos
    assert found.posted_at == datetime(2015, 1, 1, tzinfo=UTC)
    assert early.posted_at == datetime(2013, 12, 31, 23, 59, 59, tzinfo=UTC)


def test_the_next_page_goes_on_from_the_bookmark(wiki: Wiki) -> None:
    def reply(params: dict[str, str]) -> Fields:
        if "gsrsearch" not in params:
            return at_once(params)
        if params["gsroffset"] == "0":
            return answer(page(7), following={"gsroffset": 50, "continue": "gsroffset||"})
        return answer(page(8))

    wiki.reply = reply
    first = search(wiki)
    assert (first.last, first.bookmark) == (False, "50")
    second = search(wiki, number=2, bookmark=first.bookmark)
    assert wiki.calls[-2]["gsroffset"] == "50"
    assert [each.source_id for each in second.photos] == ["8"]
    assert (second.last, second.bookmark) == (True, "")


def test_a_page_that_is_no_photo_costs_itself_only(wiki: Wiki) -> None:
    bad = [
        page(8, user=None, extmetadata={}),
        page(9) | {"imageinfo": "x"},
        "x",
        page(10),
        page(11),
    ]
    versions = history((7, ["2020-05-03T10:11:12Z"]), (10, []))
    gone = {"pageid": 11, "missing": True}  # deleted meanwhile
    versions["query"]["pages"].append(gone)
    wiki.reply = by_kind(answer(*bad, page()), versions)
    found = search(wiki)
    assert [each.source_id for each in found.photos] == ["7"]
    assert found.rejected == {"no licence": 1, "no file": 1, "deleted": 2}


@pytest.mark.parametrize(
    ("found", "versions", "words"),
    [
        (answer(page(7), page(8)), history((8, ["2020-05-03T10:11:12Z"])), "history"),
        (answer(following={"gsroffset": 50, "continue": "gsroffset||"}), {}, "none of its results"),
        (answer(following={"iicontinue": 1, "continue": "||"}, whole=False), {}, "too many parts"),
    ],
)
def test_an_answer_that_lacks_something_may_pass(
    wiki: Wiki, found: Fields, versions: Fields, words: str
) -> None:
    wiki.reply = by_kind(found, versions)
    with pytest.raises(SourceUnavailable, match=words):
        search(wiki)


def test_a_wiki_that_is_down_is_told_from_a_search_that_fails(wiki: Wiki) -> None:
    """A ping that is answered shows that it is well, so the search alone is given up."""
    broken = {"error": {"code": "internal_api_error_X", "info": "Broken"}}
    wiki.reply = lambda params: answer() if params["gsrsearch"] == "sky" else broken
    with pytest.raises(SourceUnavailable, match="Broken"):
        search(wiki)
    assert any(asked["gsrsearch"] == "sky" for asked in wiki.calls)
    wiki.reply = lambda params: broken
    with pytest.raises(HostGaveUp, match="Wikimedia Commons has not answered"):
        search(wiki)


def test_no_more_than_three_requests_are_made_at_once(wiki: Wiki) -> None:
    """Searches and pictures together, of one process."""
    commons = commons_at(wiki.endpoint)
    meet, leave, late = Barrier(4), Event(), Event()

    def asked(quota: int) -> bytes:
        meet.wait(30)
        leave.wait(30)
        return b"x"

    hosts = commons.api, commons.images, commons.images
    threads = [Thread(target=host.call, args=(asked, "x")) for host in hosts]
    for thread in threads:
        thread.start()
    meet.wait(30)
    fourth = Thread(target=commons.api.call, args=(lambda quota: late.set(), "x"))
    fourth.start()
    assert not late.wait(0.3)
    leave.set()
    for thread in (*threads, fourth):
        thread.join()
    assert late.is_set()


# Whether a photo is still there


def license_of(wiki: Wiki, reply: Any) -> License | SourceError | None:
    """What is known of photo 7 by this reply."""
    wiki.reply = lambda params: reply
    return commons_at(wiki.endpoint).licenses_of(["7"])["7"]


def test_the_licence_of_today_and_what_is_gone(wiki: Wiki) -> None:
    assert license_of(wiki, answer(page())) == FLICKR[12]
    [asked] = wiki.calls
    assert (asked["pageids"], asked["iiprop"]) == ("7", "extmetadata")
    assert license_of(wiki, answer(page(extmetadata=[]))) == License("No licence", "")
    for gone in ({"missing": True}, {"missing": ""}, {"ns": 6, "imagerepository": ""}):
        assert license_of(wiki, answer({"pageid": 7} | gone)) is None
    for unsaid in (answer(), answer({"pageid": 7}), answer(page(8))):
        assert isinstance(license_of(wiki, unsaid), SourceUnavailable)


def test_a_photo_that_an_answer_leaves_out_is_asked_for_alone(wiki: Wiki) -> None:
    def reply(params: dict[str, str]) -> Fields:
        numbers = [int(number) for number in params["pageids"].split("|")]
        return answer(*(page(number) for number in numbers if number != 3 or len(numbers) == 1))

    wiki.reply = reply
    found = commons_at(wiki.endpoint).licenses_of(["1", "2", "3"])
    assert found == dict.fromkeys(["1", "2", "3"], FLICKR[12])
    assert [params["pageids"] for params in wiki.calls] == ["1|2|3", "3"]


def test_a_wiki_that_refuses_is_said_in_one_line(wiki: Wiki) -> None:
    why = b"<html><p>Please set\n a user-agent, see https://w.wiki/4wJS \xff\xe2\x80\xae<script>"
    said = r"Wikimedia Commons refused a call: Please set a user-agent, see \S+ \S* ?\(HTTP 403\)$"
    with pytest.raises(SourceRefused, match=said):
        license_of(wiki, (403, why))
    with pytest.raises(SourceRefused, match=said):
        search(wiki)
    wiki.reply = lambda params: (400, b"")
    with pytest.raises(SourceRefused, match="no reason given"):
        search(wiki)
