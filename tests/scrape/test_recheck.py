"""Licences that were seen long ago are asked for again before a release is frozen."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import update

from genset.cli import cli
from genset.db import Photo, now
from genset.release.reader import MANIFEST
from genset.sandbox import Rule
from genset.sandbox.flickr import failure
from tests.questions import BASSINET, ask_about
from tests.scrape.commands import genset
from tests.scrape.pools import Faulty, Pool, Row, Serve, record
from tests.scrape.several import CLASSES

OPEN, RESERVED = 4, 0  # Flickr's ids of CC BY 2.0 and of all rights reserved
TENCH = CLASSES[0]


class Seen:
    """A pool of four labeled photos, seen `days` ago, and their source with other licences now."""

    def __init__(self, serve: Serve, pool: Pool, licenses: dict[int, int]) -> None:
        self.pool, self.serve = pool, serve
        before = serve(*(self.row(number, OPEN) for number in licenses))
        pool.scrape(before.source, TENCH, per_class=len(licenses))
        pool.label_all_correct(TENCH)
        self.sandbox: Faulty = serve(*(self.row(*each) for each in licenses.items()))

    @staticmethod
    def row(number: int, license: int) -> Row:
        return record(number, TENCH.queries[0].text, wnid=TENCH.wnid, license=license)

    def ago(self, days: int, *numbers: int) -> None:
        with self.pool.store.begin() as session:
            session.execute(
                update(Photo)
                .where(Photo.source_id.in_(map(str, numbers)))
                .values(stored_at=now() - timedelta(days=days), checked_at=None)
            )

    @property
    def asked(self) -> list[str]:
        """The photos of which the source was asked."""
        return [
            each.params["photo_id"] for each in self.sandbox.requests.of("flickr.photos.getInfo")
        ]

    def create(self, *words: str, key: str = "key") -> Any:
        said = genset(
            *("release", "create", "v1", *words, "--json"),
            cwd=self.pool.workspace.root,
            endpoint=self.sandbox.endpoint,
            key=key,
        )
        return json.loads(said)

    def manifest(self) -> Any:
        path: Path = self.pool.workspace.releases / "v1" / MANIFEST
        return json.loads(path.read_text("utf-8"))

    def licenses(self) -> dict[int, str]:
        return {int(each["source_id"]): each["license"] for each in self.manifest()["photos"]}


@pytest.fixture
def seen(serve: Serve, pool: Pool) -> Seen:
    """The owner of photo 2 took the licence back."""
    return Seen(serve, pool, {1: OPEN, 2: RESERVED, 3: OPEN, 4: OPEN})


def test_those_seen_more_than_30_days_ago_are_asked_for_again(seen: Seen) -> None:
    seen.ago(31, 1, 2)
    seen.ago(29, 3, 4)
    made = seen.create()
    assert sorted(seen.asked) == ["1", "2"]
    assert made["licenses"]["checked"] == 2
    assert made["licenses"]["unchecked"] == {}
    [change] = made["licenses"]["changes"]
    assert change.startswith("flickr:2: license CC BY 2.0 -> All Rights Reserved")
    assert seen.licenses()[2] == "All Rights Reserved"
    first, last = seen.manifest()["licenses_seen"]
    assert first[:10] == (now() - timedelta(days=29)).date().isoformat()
    assert last[:10] == now().date().isoformat()
    card = (seen.pool.workspace.releases / "v1" / "docs/DATA_CARD.md").read_text("utf-8")
    assert (
        f"Sources were last asked for their photos' licences {first[:10]} to {last[:10]}." in card
    )


def test_without_a_key_the_release_is_made_and_says_what_was_not_asked(seen: Seen) -> None:
    seen.ago(31, 1, 2)
    made = seen.create(key="")
    assert made["photos"] == 4 and seen.asked == []
    assert made["licenses"]["unchecked"] == {"flickr": 2}
    assert "FLICKR_API_KEY" in made["licenses"]["because"]["flickr"]
    assert seen.manifest()["licenses_seen"][0][:10] == (now() - timedelta(31)).date().isoformat()


@pytest.mark.parametrize(
    ("endpoint", "fault", "more", "words"),
    [
        ("http://127.0.0.1:9", 200, {}, "127.0.0.1:9 refuses connections"),
        ("", failure(100), {}, "(code 100); check FLICKR_API_KEY"),
        (
            "http://a.example",
            200,
            {"HTTP_PROXY": "http://:8"},
            "HTTPS_PROXY or HTTP_PROXY is no web address",
        ),
    ],
)
def test_a_source_that_does_not_answer_leaves_nothing_frozen_under_old_licences(
    seen: Seen, endpoint: str, fault: Any, more: dict[str, str], words: str
) -> None:
    """A release never changes; what else there is to mend is in tests/net/test_causes.py."""
    seen.ago(31, 1, 2)
    seen.sandbox.rules.append(Rule(fault))
    root, create = seen.pool.workspace.root, ("release", "create", "v1", "--give-up-after", "1s")
    endpoint = endpoint or seen.sandbox.endpoint
    env = {"GENSET_FLICKR_ENDPOINT": endpoint, "FLICKR_API_KEY": "k"} | more
    env["GENSET_PAUSE_FACTOR"] = "0.001"
    line = str(CliRunner().invoke(cli, ["-w", str(root), *create], env=env).exception)
    assert "nothing was frozen: licences of photos of flickr were last seen more than 30" in line
    assert words in line and "or take them as they were last seen, with --no-refresh" in line
    assert not (seen.pool.workspace.releases / "v1").exists()
    if not more and endpoint.endswith(":9"):
        [outage] = json.loads(genset("status", "--json", cwd=root))["outages"]
        assert (outage["host"], outage["since"][:2]) == ("Flickr", "20")
    genset(*create, "--no-refresh", cwd=root, endpoint=endpoint)
    assert seen.licenses()[2] == "CC BY 2.0"


def test_a_choice_by_licence_goes_by_what_is_heard_now(seen: Seen) -> None:
    """Also that of another release. Photo 3 is chosen in the place of 2, and asked after, too."""
    root = seen.pool.workspace.root
    seen.create("--licenses", "open")
    tasks = [f"{TENCH.wnid}/flickr:{number}" for number in (1, 2, 3, 4)]
    ask_about(seen.pool.store, dict.fromkeys(tasks, (BASSINET,)))
    seen.ago(31, 1, 2, 3, 4)
    several = ("--multilabel", "--allow-unanswered", "--json")
    words = ("release", "create", "v2", "--from", "v1", *several)
    made = json.loads(genset(*words, cwd=root, endpoint=seen.sandbox.endpoint, key="key"))
    assert sorted(seen.asked) == ["1", "2", "3", "4"]
    assert made["photos"] == 3
    assert made["excluded"] == {"licence All Rights Reserved": 1}
    [change] = made["licenses"]["changes"]
    assert change.startswith("flickr:2: license CC BY 2.0 -> All Rights Reserved")
    told = json.loads((seen.pool.workspace.releases / "v2" / MANIFEST).read_text("utf-8"))
    assert told["licenses_seen"][0][:10] == now().date().isoformat()
    top = ("--licenses", "open", "--strategy", "top", "--per-class", "3", "--json")
    made = json.loads(genset("release", "create", "v3", *top, cwd=root))
    assert made["photos"] == 3 and made["licenses"]["unchecked"] == {}
