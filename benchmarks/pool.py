"""What genset takes on a pool of 1.3 million candidates, which is ImageNetV2's size.

    python benchmarks/pool.py --make DIR       # once: a workspace of 1.5 GB, in two minutes
    python benchmarks/pool.py DIR --runs 5

The pool has 1,000 classes of 1,300 candidates with rows as a scrape leaves them (searches, stored,
refused, contested, failed and labeled photos), but no files of photos. Each command is a whole
process, measured from outside, start-up included. `benchmarks/README.md` says what came out.
"""

import argparse
import os
import random
import resource
import shutil
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genset.classes import ImageClass

GENSET = [sys.executable, "-m", "genset"]
CANDIDATES = 1300  # of each class, unless --candidates says otherwise
TRIED = 0.6  # of them, from the best rank on, are stored or refused
LACKING = 100  # candidates of the last class, which is never full
RIVAL = 996  # all that this class finds, the class before it finds too
PORT = 8751  # of the photos' addresses, and of the source that hears a scrape's first request
POSTED_AFTER = "2014-01-01 00:00:00.000000"
AT = "2024-05-01 12:00:00.000000"

PHOTO = [
    "id",
    "source",
    "source_id",
    "owner",
    "owner_name",
    "title",
    "license",
    "license_url",
    "page_url",
    "image_url",
    "posted_at",
    "sha256",
    "byte_size",
    "format",
    "width",
    "height",
    "fingerprint",
    "stored_at",
    "rejected",
]
REASONS = ("gone", "not an image", "too small: 75 x 75", "animated", "broken: cut off")


@dataclass(frozen=True)
class Cost:
    """What one run took: seconds by the clock and of the processors, and the most memory in MB."""

    wall: float
    cpu: float
    memory: float

    @classmethod
    def of(cls, started: float, used: resource.struct_rusage) -> "Cost":
        """Of a process that was started then, and used this."""
        wall = time.perf_counter() - started
        return cls(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--make", action="store_true", help="make the pool there")
    parser.add_argument("--classes", type=int, default=1000, help="of the pool (default 1000)")
    parser.add_argument("--candidates", type=int, default=CANDIDATES, help="a class (default 1300)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each (default 5)")
    parser.add_argument("--files", type=int, default=1000, help="photos to decode (default 1000)")
    parser.add_argument("--only", default="", help="measure what has this in its name")
    parser.add_argument("--add-looks", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.add_looks:
        add_looks(args.folder)
        return
    if args.make:
        started = time.perf_counter()
        make_pool(args.folder, args.classes, args.candidates)
        print(f"{args.folder}: made in {time.perf_counter() - started:.0f} s")
        return
    with tempfile.TemporaryDirectory(prefix="genset-benchmark-") as folder:
        compare(args.folder, Path(folder), args)


# The pool


def make_pool(root: Path, count: int, candidates: int = CANDIDATES) -> None:
    """Make a workspace with a pool of `count` classes; the same each time."""
    from genset.classes import imagenet1k
    from genset.db import Store
    from genset.workspace import Workspace

    Store.open(Workspace.create(root).store_url).close()
    database = sqlite3.connect(root / "genset.db", isolation_level=None)
    for pragma in ("synchronous = OFF", "journal_mode = MEMORY", "cache_size = -1000000"):
        database.execute(f"PRAGMA {pragma}")
    database.execute("BEGIN")
    classes = imagenet1k().select(())[:count]
    chance = random.Random(0)
    first = 1
    for place, cls in enumerate(classes):
        size = LACKING if place == len(classes) - 1 else candidates
        queries = [query.text for query in cls.queries]
        insert(database, "photo", PHOTO, photos(chance, first, size))
        found = [
            (cls.wnid, first + k, queries[k % len(queries)], 1 + k // len(queries))
            for k in range(size)
        ]
        following = (place + 1) % len(classes)
        if following:  # the next class's query returns some of these photos too
            other = classes[following]
            found += claims(other.wnid, other.queries[0].text, first, range(0, size, 50))
        if place == RIVAL:
            other = classes[place - 1]
            found += claims(other.wnid, other.queries[0].text, first, range(size))
        insert(database, "candidate", ("wnid", "photo_id", "keyword", "rank"), found)
        insert(database, "search", *searches(cls, queries, size))
        first += size
    add_twins(database, candidates)
    add_labels(database, chance)
    add_failures(database)
    database.execute("COMMIT")
    database.close()


def claims(
    wnid: str, query: str, first: int, places: Iterable[int]
) -> list[tuple[str, int, str, int]]:
    """Rows of candidates: what another class's query returns of a class's photos."""
    return [(wnid, first + place, query, 1 + place) for place in places]


def photos(chance: random.Random, first: int, count: int) -> Iterator[tuple[object, ...]]:
    """Rows of photos, by rank: those tried, stored but for one in ten, and those only known."""
    for number in range(first, first + count):
        source_id = str(10_000_000_000 + number * 7_919 % 40_000_000_009)
        owner = f"{chance.randrange(10**8)}@N0{chance.randrange(10)}"
        common: tuple[object, ...] = (
            number,
            "flickr",
            source_id,
            owner,
            f"Somebody {number % 90_000}",
            f"A photo of something, number {number}",
            "CC BY-NC-SA 2.0",
            "https://creativecommons.org/licenses/by-nc-sa/2.0/",
            f"https://www.flickr.com/photos/{owner}/{source_id}",
            f"http://127.0.0.1:{PORT}/65535/{source_id}_{chance.randrange(2**40):010x}_b.jpg",
            f"201{4 + number % 6}-0{1 + number % 9}-15 08:30:00.000000",
        )
        tried, rejected = number - first < count * TRIED, number % 10 == 3
        if not tried or rejected:
            yield *common, *[None] * 7, REASONS[number // 10 % 5] if tried else None
            continue
        digest, look = chance.randbytes(32).hex(), chance.randbytes(8).hex()
        size = chance.randrange(80_000, 700_000)
        yield *common, digest, size, "JPEG", 1024, 683, look, AT, None


def searches(
    cls: "ImageClass", queries: Sequence[str], found: int
) -> tuple[Sequence[str], list[tuple[object, ...]]]:
    """The columns and rows of searches: each query asked as deep as it takes."""
    columns = [
        "wnid",
        "source",
        "query",
        "posted_after",
        "licenses",
        "content_types",
        "query_list",
        "per_page",
        "page",
        "total",
        "returned",
        "last",
        "capped",
        "bookmark",
        "rejected",
        "searched_at",
    ]
    pages = -(-found // (500 * len(queries)))
    rows: list[tuple[object, ...]] = []
    for query in queries:
        kinds = ",".join(map(str, cls.content_types))
        asked = (cls.wnid, "flickr", query, POSTED_AFTER, "", kinds, "", 500)
        rows += [(*asked, page, 90_000, 500, 0, 0, "", "", AT) for page in range(1, pages + 1)]
    return columns, rows


def add_twins(database: sqlite3.Connection, distance: int) -> None:
    """Give one photo in 500 the bytes of one of the next class."""
    database.execute(
        "UPDATE photo SET sha256 = (SELECT sha256 FROM photo AS other WHERE other.id = "
        f"photo.id + {distance}) WHERE sha256 IS NOT NULL AND id % 500 = 7 AND (SELECT sha256 "
        f"FROM photo AS other WHERE other.id = photo.id + {distance}) IS NOT NULL"
    )


def add_labels(database: sqlite3.Connection, chance: random.Random) -> None:
    """Five labels on one stored photo in 35, and a ruling on one in 1,400."""
    stored = [
        number
        for (number,) in database.execute(
            "SELECT candidate.id FROM candidate JOIN photo ON photo.id = photo_id "
            "WHERE sha256 IS NOT NULL ORDER BY candidate.id"
        )
    ]
    columns = ("id", "candidate_id", "worker", "verdict", "decided_at", "panel", "via")
    verdicts = ["correct"] * 7 + ["incorrect"] * 2 + ["unsure"]
    insert(
        database,
        "label",
        columns,
        (
            (key(chance), number, f"worker {worker}", chance.choice(verdicts), AT, "main", "page")
            for number in stored[::35]
            for worker in range(5)
        ),
    )
    rulings = [(key(chance), number, "correct", "ann", "seen", AT) for number in stored[::1400]]
    columns = ("id", "candidate_id", "verdict", "by", "reason", "at")
    insert(database, "ruling", columns, rulings)


def key(chance: random.Random) -> str:
    return uuid.UUID(bytes=chance.randbytes(16)).hex


def add_failures(database: sqlite3.Connection) -> None:
    """One photo in 1,000 that did not come, and one page."""
    database.execute(
        "INSERT INTO photo_failure SELECT id, 3, ?, ?, 'HTTP 503' FROM photo "
        "WHERE sha256 IS NULL AND rejected IS NULL AND id % 1000 = 1",
        (AT, AT),
    )


def add_looks(root: Path) -> None:
    """Hashes of every stored photo's looks, as if all had been compared but the last 5,000."""
    database = sqlite3.connect(root / "genset.db")
    chance = random.Random(0)
    stored = database.execute("SELECT id, sha256 FROM photo WHERE sha256 IS NOT NULL").fetchall()
    rows = (
        (place, number, digest, chance.randbytes(22 * 8))
        for place, (number, digest) in enumerate(stored, start=1)
    )
    insert(database, "photo_look", ("id", "photo_id", "sha256", "hashes"), rows)
    insert(database, "fact", ("name", "value"), [("looks", str(len(stored) - 5000))])
    database.commit()
    database.close()


def insert(
    database: sqlite3.Connection,
    table: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
) -> None:
    names = ", ".join(f'"{column}"' for column in columns)
    marks = ", ".join("?" * len(columns))
    database.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)


# What is measured


def compare(pool: Path, work: Path, args: argparse.Namespace) -> None:
    """Run each command in turn, and print what it took."""
    from genset.classes import imagenet1k

    wnids = [cls.wnid for cls in imagenet1k().select(())]
    full = str(args.candidates * 3 // 13)  # photos that all classes have but two
    of_full = ",".join(wnid for wnid in wnids[:-1] if wnid != wnids[RIVAL])
    commands = {
        "status": ["status"],
        "status --failed": ["status", "--failed"],
        "scrape --dry-run, 1,000 a class": ["scrape", "--per-class", "1000", "--dry-run"],
        "scrape --dry-run, all but two full": ["scrape", "--per-class", full, "--dry-run"],
        "scrape, nothing to do": ["scrape", "--per-class", full, "--classes", of_full],
    }
    starts = {
        "start of scrape, one class": ["--classes", wnids[500], "--per-class", "1000"],
        "start of scrape, all classes": ["--per-class", "1000"],
        "start of scrape, all but two full": ["--per-class", full],
        "start of scrape --retry-failed": ["--per-class", "1000", "--retry-failed"],
    }
    print("| | seconds | of processors | runs | peak MB |\n|---|---:|---:|---:|---:|")
    for name, words in commands.items():
        if args.only in name:
            report(name, [measure(words, pool, work / "log") for _ in range(args.runs)])
    for name, words in starts.items():
        if args.only in name:
            costs = []
            for _ in range(args.runs):
                copy = shutil.copytree(pool, work / "copy")  # a scrape writes
                costs.append(start(words, copy, work / "log"))
                shutil.rmtree(copy)
            report(name, costs)
    if args.only in "duplicates find, decoding":
        small = with_files(work / "files", args.files)
        for name in ("first", "again"):
            cost = measure(["duplicates", "find"], small, work / "log")
            report(f"duplicates find, decoding, {args.files:,} photos, {name}", [cost])
    if args.only in "duplicates find, 5,000 new photos":
        copy = work / "looks"
        shutil.copytree(pool, copy)
        # In a process of its own: Linux counts the memory of this one for those it starts.
        subprocess.run([sys.executable, __file__, str(copy), "--add-looks"], check=True)
        for name in ("5,000 new photos", "none new"):
            report(
                f"duplicates find, {name}", [measure(["duplicates", "find"], copy, work / "log")]
            )


def report(name: str, costs: Sequence[Cost]) -> None:
    wall = statistics.median(cost.wall for cost in costs)
    memory = statistics.median(cost.memory for cost in costs)
    cpu = statistics.median(cost.cpu for cost in costs)
    print(f"| {name} | {wall:.2f} | {cpu:.2f} | {len(costs)} | {memory:.0f} |", flush=True)


def environment(endpoint: str = "http://127.0.0.1:9") -> dict[str, str]:
    names = {"FLICKR_API_KEY": "key", "FLICKR_API_SECRET": "secret"}
    # Without bytecode, Python compiles genset at each start, which users do not wait for.
    names |= {"GENSET_FLICKR_ENDPOINT": endpoint, "PYTHONDONTWRITEBYTECODE": ""}
    return os.environ | names


def measure(words: Sequence[str], folder: Path, log: Path) -> Cost:
    """Run a command to its end. Its children count if it waited for them."""
    started = time.perf_counter()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*GENSET, *words], cwd=folder, stdout=output, stderr=output, env=environment()
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        cost = Cost.of(started, used)
    if process.returncode != 0:
        sys.exit(f"{' '.join(words)[:80]} failed:\n{log.read_text(errors='replace')[-2000:]}")
    return cost


def start(words: Sequence[str], folder: Path, log: Path) -> Cost:
    """Run a scrape until its first request, for a page or a photo, and kill it."""
    with socket.create_server(("127.0.0.1", PORT)) as server, log.open("wb") as output:
        server.settimeout(600)
        endpoint = f"http://127.0.0.1:{PORT}/services/rest/"
        started = time.perf_counter()
        process = subprocess.Popen(
            [*GENSET, "scrape", *words],
            cwd=folder,
            stdout=output,
            stderr=output,
            env=environment(endpoint),
            start_new_session=True,
        )
        server.accept()[0].close()
        wall = time.perf_counter() - started
        os.killpg(process.pid, signal.SIGKILL)
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = -signal.SIGKILL
        return replace(Cost.of(started, used), wall=wall)


def with_files(root: Path, count: int) -> Path:
    """A workspace with this many small photos, each of its own bytes and look."""
    from PIL import Image

    dump = root / "dump" / "n01440764"
    dump.mkdir(parents=True)
    for number in range(count):
        noise = random.Random(number).randbytes(8 * 6 * 3)
        image = Image.frombytes("RGB", (8, 6), noise).resize((1024, 683), Image.Resampling.BICUBIC)
        image.save(dump / f"{number}.jpg", "JPEG")
    work = root / "work"
    subprocess.run([*GENSET, "init", str(work)], check=True, stdout=subprocess.DEVNULL)
    add = ["add", str(dump.parent), "--license", "CC BY 4.0"]
    subprocess.run([*GENSET, *add], cwd=work, check=True, stdout=subprocess.DEVNULL)
    return work


if __name__ == "__main__":
    main()
