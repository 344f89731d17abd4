"""A scrape that nobody watches: hosts go down, a photo never comes, machines share the work."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from genset.classes import imagenet1k
from genset.sandbox import Reply, Request, Rule
from genset.sandbox.flickr import failure
from tests.scrape.commands import genset
from tests.scrape.pools import DOWN, NewPool, Pool, Serve, answer_of, crowded_classes, record
from tests.scrape.test_pull import Maker


def photo_of(request: Request) -> str:
    """The id of the photo whose picture is asked for, "" for a call."""
    found = re.search(r"/(\d+)_", request.path)
    return found[1] if found and not request.is_call else ""


class Outage:
    """Everything answers 503 from the `after`-th request on, for so many requests or seconds."""

    def __init__(self, after: int, seconds: float) -> None:
        self.left, self.seconds = after, seconds
        self.ends: float | None = None
        self.lock = threading.Lock()

    def __call__(self, request: Request) -> Reply | None:
        with self.lock:
            self.left -= 1
            if self.left < 0 and self.ends is None:
                self.ends = time.monotonic() + self.seconds
        return DOWN if self.ends is not None and time.monotonic() < self.ends else None


# Outages


def test_the_smallest_scrape_survives_an_outage_of_hours(serve: Serve, pool: Pool) -> None:
    """One search is asked, and nothing else shows that the host is down."""
    [cls] = [cls for cls in imagenet1k() if len(cls.queries) == 1][:1]
    sandbox = serve(*(record(n, cls.queries[0].text) for n in range(3)))
    sandbox.fault = Outage(0, seconds=5)  # five hours and a half, while a search is tried for two
    words = ["--classes", cls.wnid, "--per-class", "3", "--json"]
    ended = pool.done(sandbox.endpoint, *words, pauses=0.00025)
    done, lines = answer_of(ended), ended.stderr.splitlines()
    assert (done["full"], done["failed"], done["stored"]) == (1, 0, 3)
    assert lines[0].endswith(" answered HTTP 503; trying again")
    assert lines[1].startswith("Flickr has not answered since ")
    assert lines[-1] == "Flickr answers again"


# Photos that never come


def test_what_failed_is_listed_with_its_next_try(serve: Serve, pool: Pool) -> None:
    [wnid], rows, _ = crowded_classes(1, photos=6)
    sandbox = serve(*rows)
    words = ["--classes", wnid, "--per-class", "3", "--json"]

    def fault(request: Request) -> Reply | None:
        return DOWN if photo_of(request) == "1000" or request.params.get("page") == "2" else None

    sandbox.fault = fault
    ended = pool.done(sandbox.endpoint, *words, "--no-wait", pauses=0.1)
    assert list(answer_of(ended, 1)["waiting"]) == [wnid]
    assert re.fullmatch(
        r"genset: 1 class waits for the next try of what failed \(genset status --failed\): run "
        r"the same command again after 20\d\d-.*",
        ended.stderr.splitlines()[-1],
    )
    root = pool.workspace.root
    unfinished = json.loads(genset("status", "--json", cwd=root))["next_command"]
    assert unfinished == f"genset scrape --classes {wnid} --per-class 3 --no-wait"
    [row] = json.loads(genset("status", "--failed", "--json", cwd=root))
    names = row["wnid"], row["photo_or_search"], row["state"]
    assert names == (wnid, "flickr:1000", "failed")
    assert re.fullmatch(r"127\.0\.0\.1:\d+ answered HTTP 503", row["reason"])
    assert int(row["tries"]) == 4  # at once, and after pauses of 1, 4 and 18 s, each a tenth here
    assert row["next_try"] > row["next_try"][:4]
    assert "flickr:1000" in genset("status", "--failed", cwd=root)

    # Another run waits on from there; with its count begun anew it is tried at once.
    sandbox.requests.clear()
    sandbox.fault = lambda request: None
    answer_of(pool.done(sandbox.endpoint, *words, "--retry-failed", "--no-wait"))
    assert json.loads(genset("status", "--failed", "--json", cwd=root)) == []
    assert json.loads(genset("status", "--json", cwd=root))["next_command"] == "genset label"


def test_a_class_without_any_photo_left_and_one_whose_turn_did_not_come(
    serve: Serve, pool: Pool
) -> None:
    sandbox = serve(record(1, "tench"), record(2, "tench"))
    sandbox.rules.append(Rule(failure(100, "Invalid API Key"), key="expired"))
    words = ["--classes", "n01440764,n01443537", "--per-class", "1"]
    assert pool.done(sandbox.endpoint, *words, key="expired").returncode == 1
    said = genset("status", cwd=pool.workspace.root)
    assert "0 of 2 chosen classes (998 not chosen), 0 searches" in said
    junk = Reply(200, "image/jpeg", b"no image")
    sandbox.fault = lambda request: junk if photo_of(request) else None
    words[1] = "n01440764"
    line = "n01440764: no photo left: 2 rejected (genset status --failed)\n"
    assert [line in pool.done(sandbox.endpoint, *words).stdout for _ in "ab"] == [True, True]


def test_status_says_what_is_refused_and_why_and_when_it_is_tried_next(
    serve: Serve, pool: Pool
) -> None:
    """A query, an entry of a page, one of two keys, and a host that asks for a pause."""
    wnids, rows, _ = crowded_classes(1, photos=3)
    bad = rows[-1]["search_key"]
    rows[1]["date_upload_search_engine"] = "2099-01-01 12:00:00"
    sandbox = serve(*rows)
    pause = Reply(429, "", b"", {"Retry-After": "200000"})
    sandbox.rules += [
        Rule(failure(100, "Invalid API Key"), key="expired"),
        Rule(failure(77, "No such thing"), query=bad),
        Rule(pause, method="image"),
    ]
    words = ["--classes", ",".join(wnids), "--per-class", "2"]
    assert pool.done(sandbox.endpoint, *words, key="expired,good").returncode == 1
    said = genset("status", cwd=pool.workspace.root)
    when = r"20\d\d-\d\d-\d\d \d\d:\d\d UTC"
    for line in (
        r"search +1 of 1 chosen class \(999 not chosen\), 1 search, 1 rejected: "
        "genset status --failed",
        r"entries +1 entry of a search rejected \(1 posted in the future\)",
        rf"host +Flickr's image host: it asked to wait; next try at {when}",
        rf"host +key 1 of Flickr since {when}: Flickr: Invalid API Key \(code 100\); check key 1 "
        rf"of 2 in FLICKR_API_KEY; next try (at {when}|by the next command)",
    ):
        assert re.search(f"^{line}$", said, re.MULTILINE), said
    listed = json.loads(genset("status", "--failed", "--json", cwd=pool.workspace.root))
    found = {(row["photo_or_search"], row["state"], row["reason"]) for row in listed}
    assert found == {
        (f"flickr search: {bad} (page 1)", "rejected", "Flickr: No such thing (code 77)"),
        (f"flickr search: {rows[1]['search_key']}", "rejected", "entries: 1 posted in the future"),
    }


# Several machines


def machine(new_pool: NewPool, store_url: str, images: Path, more: str = "") -> Pool:
    """A folder of its own on the same database and the same folder of originals."""
    pool = new_pool(store_url=store_url)
    settings = f'[images]\nfolder = "{images}"\n[scrape]\n{more}\n'
    (pool.workspace.root / "genset.toml").write_text(settings, "utf-8")
    return pool


@pytest.mark.soak
def test_two_machines_share_the_work_the_rate_and_the_originals(
    serve: Serve, new_pool: NewPool, postgresql: str, tmp_path: Path
) -> None:
    wnids, rows, contents = crowded_classes(40, photos=4)
    sandbox = serve(*rows, contents=contents)
    words = ["--classes", ",".join(wnids), "--per-class", "2", "--json"]
    alone = new_pool()
    expected = answer_of(alone.done(sandbox.endpoint, *words))
    searches, images = sandbox.searches, Counter(sandbox.asked_images)

    sandbox.requests.clear()
    shared = tmp_path / "mount"
    shared.mkdir()
    rates = "calls_an_hour = 72000\nimages_per_second = 40"
    machines = [machine(new_pool, postgresql, shared, rates) for _ in range(2)]
    done = [
        answer_of(each) for each in [each.command(sandbox.endpoint, *words) for each in machines]
    ]
    assert sandbox.searches == searches
    assert Counter(sandbox.asked_images) == images
    assert sum(each["stored"] for each in done) == expected["stored"]
    assert all(each["full"] == expected["full"] for each in done)
    times = sorted(asked.at for asked in sandbox.requests.of("flickr.photos.search"))
    assert (len(times) - 1) / (times[-1] - times[0]) < 20 * 1.1
    pictures = sorted(asked.at for asked in sandbox.requests if asked.what.endswith(".jpg"))
    assert (len(pictures) - 1) / (pictures[-1] - pictures[0]) < 40 * 1.1

    mine = {path.name for path in shared.glob("*/*.jpg")}
    assert mine == {Path(name).name for name in alone.files() if name.endswith(".jpg")}
    for each in machines:
        url = {"GENSET_STORE_URL": postgresql}
        assert "every photo is in order" in genset("doctor", cwd=each.workspace.root, more=url)


@pytest.mark.parametrize(
    ("name", "how", "stored"),
    [
        ("scrape", signal.SIGINT, "[0-9]+ photos? kept"),
        ("scrape", signal.SIGTERM, "[0-9]+ photos? kept"),
        ("refresh", signal.SIGTERM, "[0-9]+ photos? checked"),
        ("pull", signal.SIGINT, "the photos that came stay in the set's folder"),
    ],
)
def test_a_command_that_is_stopped_says_what_stays_and_how_to_go_on(
    serve: Serve, pool: Pool, tmp_path: Path, name: str, how: signal.Signals, stored: str
) -> None:
    maker = Maker(serve, pool)
    settings = "[scrape]\nimages_per_second = 2\ncalls_an_hour = 3600\n"
    (pool.workspace.root / "genset.toml").write_text(settings, "utf-8")
    words = {"pull": [str(maker.manifest), "--to", str(tmp_path / "copy")]}
    process = pool.command(maker.sandbox.endpoint, *words.get(name, []), name=name)
    while len(maker.sandbox.requests) < 2:
        time.sleep(0.05)
    process.send_signal(how)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + how, errors
    assert re.search(f"genset: stopped: {stored}; run the same command again to go on", errors)


@pytest.mark.soak
def test_killed_on_two_machines_in_an_outage_with_poisoned_photos(
    serve: Serve, new_pool: NewPool, postgresql: str, tmp_path: Path
) -> None:
    """Thirty SIGKILLs: the pool is the undisturbed one, each photo is downloaded once."""
    wnids, rows, contents = crowded_classes(24, photos=6)
    poisoned = {str(1000 * (place + 1) + 1) for place in range(10)}
    without = serve(
        *(row for row in rows if row["id_search_engine"] not in poisoned), contents=contents
    )
    words = ["--classes", ",".join(wnids), "--per-class", "3", "--json"]
    undisturbed = new_pool()
    answer_of(undisturbed.done(without.endpoint, *words))

    sandbox = serve(*rows, contents=contents)
    outage = Outage(150, seconds=9)  # 30 minutes at this factor
    sandbox.fault = lambda request: DOWN if photo_of(request) in poisoned else outage(request)
    rates = "calls_an_hour = 108000\nimages_per_second = 30\ntries = 4\nretry_hours = 0.2"
    (tmp_path / "mount").mkdir()
    machines = [machine(new_pool, postgresql, tmp_path / "mount", rates) for _ in range(2)]
    chance = random.Random(5)
    kills = 0

    def start(turn: int) -> "subprocess.Popen[str]":
        return machines[turn].command(sandbox.endpoint, *words, pauses=0.005)

    running = [start(0), start(1)]
    while kills < 30:
        time.sleep(chance.uniform(0.3, 1.0))
        turn = kills % 2
        if running[turn].poll() is None:
            running[turn].kill()
        running[turn].communicate()
        kills += 1
        running[turn] = start(turn)
    done = [answer_of(each) for each in running]
    assert all(each["failed"] == 0 for each in done)
    mine = {path.name for path in (tmp_path / "mount").glob("*/*.jpg")}
    wanted = {Path(name).name for name in undisturbed.files() if name.endswith(".jpg")}
    assert mine >= wanted
    names = {photo["sha256"] for photo in machines[0].rows()["photo"] if photo["sha256"]}
    assert {f"{name}.jpg" for name in names} == wanted
    assert set(machines[0].rejected()) <= poisoned
    came = Counter(
        photo_of(Request("GET", asked.what, {}))
        for asked in sandbox.requests
        if asked.what.endswith(".jpg") and asked.status == 200 and asked.verb == "GET"
    )
    again = sum(count - 1 for count in came.values())
    assert again <= kills * 16  # those that were in flight
    for kind, most in (("api", 30), ("images", 30)):
        times = sorted(
            asked.at
            for asked in sandbox.requests
            if (asked.what == "flickr.photos.search") == (kind == "api")
        )
        # In three seconds: calls in their turns arrive together where a machine is busy.
        busiest = max(sum(1 for other in times if at <= other < at + 3) for at in times)
        assert busiest <= 3 * (most + 2), kind


def test_a_folder_of_originals_that_is_not_there_is_refused_until_it_is_given_up(
    serve: Serve, pool: Pool
) -> None:
    wnids, rows, _ = crowded_classes(2, photos=3)
    sandbox = serve(*rows)
    words = ["--classes", ",".join(wnids), "--per-class", "1", "--json"]
    answer_of(pool.done(sandbox.endpoint, *words))
    files = pool.files()
    shutil.rmtree(pool.workspace.images)
    for command in ("scrape", "doctor --repair", "duplicates find", "release create v1"):
        line = genset(*command.split(), cwd=pool.workspace.root, code=2)
        assert "no marker (.genset-images)" in line
    assert not pool.workspace.images.exists()
    assert "Mount the disk" in genset("status", cwd=pool.workspace.root)
    genset("doctor", "--images-lost", "--repair", cwd=pool.workspace.root)
    answer_of(pool.done(sandbox.endpoint, *words))
    assert pool.files() == files


# The folder of originals


def test_a_folder_of_originals_that_cannot_be_one_is_refused(pool: Pool, tmp_path: Path) -> None:
    settings = pool.workspace.root / "genset.toml"
    (tmp_path / "file").write_text("x")
    never = ("", ".", "..", "/", "$HOME/x", "a\\u0000b", "~nobody-here/x")
    for named, said in (
        *((name, "images.folder") for name in never),
        (tmp_path / "file", "is no folder"),
        (tmp_path / "not mounted", "mount the disk"),
    ):
        settings.write_text(f'[images]\nfolder = "{named}"\n', "utf-8")
        assert said in genset("scrape", "--classes", "n01440764", cwd=settings.parent, code=2)
    assert not (tmp_path / "not mounted").exists()


def test_what_is_not_gensets_is_not_touched(
    serve: Serve, new_pool: NewPool, tmp_path: Path
) -> None:
    wnids, rows, _ = crowded_classes(1, photos=3)
    sandbox, words = serve(*rows), ["--classes", wnids[0], "--per-class", "1"]
    shared = tmp_path / "shared"
    mine, other = new_pool(), new_pool()
    for strange in ("thesis/final.tex", "ab/notes.jpg"):
        (shared / strange).parent.mkdir(parents=True, exist_ok=True)
        (shared / strange).write_text("mine")
    for each in (mine, other):
        settings = f'[images]\nfolder = "{shared}"\n'
        (each.workspace.root / "genset.toml").write_text(settings, "utf-8")
    assert mine.done(sandbox.endpoint, *words).returncode == 0
    rejected = other.done(sandbox.endpoint, *words).stderr
    assert "it has another workspace's marker" in rejected
    for path in shared.rglob("*.*"):
        os.utime(path, (1, 1))
    left = sorted(shared.rglob("*"))
    assert "every photo is in order" in genset("doctor", "--repair", cwd=mine.workspace.root)
    assert sorted(shared.rglob("*")) == left


# What a person rules


@pytest.mark.soak
def test_a_contested_photo_that_is_ruled_correct_fills_its_class(serve: Serve, pool: Pool) -> None:
    wnids = [cls.wnid for cls in imagenet1k() if len(cls.queries) == 1][:2]
    texts = [imagenet1k()[wnid].queries[0].text for wnid in wnids]
    rows = [record(number, text) for text in texts for number in (1, 2)]
    sandbox = serve(*rows)
    words = ["--classes", ",".join(wnids), "--per-class", "1", "--json"]
    assert answer_of(pool.done(sandbox.endpoint, *words), 1)["full"] == 0
    for wnid, number in zip(wnids, (1, 2), strict=True):
        task = f"{wnid}/flickr:{number}"
        genset("labels", "rule", task, "correct", "--by", "Ann", "--reason", "seen",
               cwd=pool.workspace.root)  # fmt: skip
    assert answer_of(pool.done(sandbox.endpoint, *words))["full"] == 2
