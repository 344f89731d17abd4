"""An hour in which much goes wrong, with nobody there: nothing is lost, nothing rejected for good.

GENSET_TEST_HOUR says how many seconds the hour lasts; all pauses are as much shorter.
"""

import os
import threading
import time
from pathlib import Path

import pytest

from genset.sandbox import Rule
from genset.sandbox.flickr import failure
from tests.scrape.gate import Gate
from tests.scrape.pools import NewPool, Serve, answer_of, crowded_classes

HOUR = float(os.environ.get("GENSET_TEST_HOUR", "72"))
MINUTE = HOUR / 60
EXPIRED = failure(100, "Invalid API Key")


@pytest.mark.soak
def test_an_hour_with_mishaps(
    serve: Serve, new_pool: NewPool, postgresql: str, tmp_path: Path
) -> None:
    """The database is away for 5 minutes, then pictures are for 10, then the key for 5."""
    images_per_second = max(1, round(300 / HOUR))
    photos = round(images_per_second * 36 * MINUTE / 100)
    wnids, rows, contents = crowded_classes(100, photos=photos)
    words = ["--classes", ",".join(wnids), "--per-class", str(photos), "--json"]
    sandbox = serve(*rows, contents=contents)
    undisturbed, pool = new_pool(), new_pool(store_url=postgresql)
    answer_of(undisturbed.done(sandbox.endpoint, *words, pauses=HOUR / 3600))
    sandbox.requests.clear()
    settings = f"[scrape]\nimages_per_second = {images_per_second}\n"
    (pool.workspace.root / "genset.toml").write_text(settings, "utf-8")

    blocked, expired = Rule("not_image", method="image"), Rule(EXPIRED, key="key")
    with Gate(postgresql) as gate:
        pool.store_url = gate.url

        def mishaps() -> None:
            while not sandbox.asked_images:
                time.sleep(0.1)
            begun = time.monotonic()

            def at(minute: float) -> None:
                time.sleep(max(0.0, begun + minute * MINUTE - time.monotonic()))

            at(4)
            gate.close()
            at(9)
            gate.open()
            at(15)
            sandbox.rules.append(blocked)
            at(25)
            sandbox.rules.clear()
            sandbox.rules.append(expired)
            while not expired.count:  # the image host is asked again after 8 minutes
                time.sleep(0.1)
            time.sleep(5 * MINUTE)
            sandbox.rules.clear()

        threading.Thread(target=mishaps, daemon=True).start()
        scraping = pool.command(sandbox.endpoint, *words, pauses=HOUR / 3600)
        _, lines = scraping.communicate(timeout=4 * HOUR + 60)
    assert scraping.returncode == 0, lines
    assert pool.rows() == undisturbed.rows()
    assert pool.files() == undisturbed.files()
    assert pool.rejected() == undisturbed.rejected() == {}
    assert max(blocked.count, expired.count) < 100  # they were asked now and then
    for line in (
        "the database does not answer",
        "the database answers again",
        "web page instead of data: sign in",
        "Flickr's image host answers again",
        "Invalid API Key (code 100)",
        "Flickr answers again",
    ):
        assert line in lines
