"""The event log of a scrape, and the command that is run at its end."""

import json
import sys
from pathlib import Path

import pytest

from genset.sandbox import Reply
from genset.scrape.events import EventLog
from tests.scrape.commands import genset
from tests.scrape.pools import Pool, Serve, record

TENCH = "n01440764"
SAVE = """
import os, sys
with open("saved", "a") as file:
    file.write(f"{os.environ['GENSET_EXIT_CODE']} {sys.argv[1:]} {sys.stdin.read()}")
print("not for the scrape's own output")
"""
SIX = [record(number, "tench") for number in range(1, 7)]
WORDS = ("--classes", TENCH, "--per-class", "3", "--no-wait")


def test_a_log_has_a_line_for_each_page_and_photo(pool: Pool, serve: Serve) -> None:
    sandbox = serve(*SIX)
    sandbox.fault = lambda request: (
        Reply(200, "image/jpeg", b"part", cut=2) if "/2_" in request.path else None
    )
    log = pool.workspace.root / "log.jsonl"
    assert pool.done(sandbox.endpoint, *WORDS, "--log", "log.jsonl").returncode == 1
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert {" ".join(line) for line in lines} == {
        f"time host class {what} status decision" for what in ("query", "photo")
    }
    photos = {line["photo"]: line for line in lines if "photo" in line}
    first = {"class": TENCH, "status": "ok", "decision": "stored", "host": "Flickr's image host"}
    assert first.items() <= photos["flickr:1"].items()
    assert photos["flickr:2"]["decision"].startswith("failed: next try at ")
    queries = {(line["host"], line["decision"]) for line in lines if "query" in line}
    assert ("Flickr", "stored 6 of 6 photos") in queries
    pool.done(sandbox.endpoint, *WORDS, "--per-class", "4", "--log", "log.jsonl")
    assert log.read_text().count("\n") > len(lines)
    for option, value, message in (
        ("--notify", "no-such-command x", "there is no command no-such-command"),
        ("--notify", "mail 'x", "No closing quotation"),
        ("--log", "nowhere/log", "--log nowhere/log: No such file or directory"),
    ):
        assert message in genset("scrape", option, value, cwd=pool.workspace.root, code=2)


def test_a_log_on_a_full_disk_is_reported_once(capsys: pytest.CaptureFixture[str]) -> None:
    log = EventLog(Path("/dev/full"))
    for _ in range(3):
        log.write({"host": "Flickr"})
    assert capsys.readouterr().err == (
        "/dev/full lacks events from now on: No space left on device\n"
    )


def test_a_command_gets_the_summary_when_a_scrape_ends_and_when_it_cannot_go_on(
    pool: Pool, serve: Serve
) -> None:
    endpoint, root = serve(*SIX).endpoint, pool.workspace.root
    (root / "save.py").write_text(SAVE)
    words = (*WORDS, "--notify", f"{sys.executable} save.py 'a b' '; touch evil' $HOME")
    assert json.loads(pool.done(endpoint, *words, "--json").stdout)["full"] == 1
    saved = (root / "saved").read_text()
    assert saved.startswith("0 ['a b', '; touch evil', '$HOME'] genset 0.")
    assert "scrape of flickr" in saved and "1 of 1 class full: 3 stored" in saved
    assert pool.done(endpoint, *words).stdout.startswith("genset 0.")
    done = pool.done(endpoint, *words, "--since-last")
    assert done.returncode == 0 and "\nno photos posted since 20" in done.stdout
    (root / "saved").unlink()
    done = pool.done(endpoint, *WORDS, "--notify", "false")
    assert done.stderr == "the command of --notify ended with 1\n"
    ended = pool.done(endpoint, *words, "--posted-after", "2014-02-01", key="invalid")
    saved = (root / "saved").read_text()
    assert "\nended with 1: " in saved
    assert "FLICKR_API_KEY" in saved and "FLICKR_API_KEY" in ended.stderr
    assert not (root / "evil").exists()
