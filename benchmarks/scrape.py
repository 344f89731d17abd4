"""How fast genset downloads photos, beside img2dataset on the same nginx; and in how much memory.

    python benchmarks/scrape.py --photos DIR --img2dataset VENV/bin/python
    python benchmarks/scrape.py --memory 20000

Each run is a whole process on an empty folder, measured from outside, start-up included. The
contenders take turns. What each of them stored is compared with what was served, byte by byte.
`benchmarks/README.md` says what came out.
"""

import argparse
import hashlib
import io
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

PHOTOS_PER_CLASS = 100
IMAGE_SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}

NGINX = """\
worker_processes auto;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
{user}
events {{ worker_connections 4096; }}
http {{
    access_log off;
    sendfile on;
    types {{ image/jpeg jpg; }}
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        root {root};
    }}
}}
"""


@dataclass(frozen=True)
class Cost:
    """What one run took: seconds by the clock and of the processors, and the most memory in MB."""

    wall: float
    cpu: float
    memory: float


@dataclass(frozen=True)
class Contender:
    """Something that downloads a list of addresses into a folder."""

    name: str
    command: Callable[[Path, Path], list[str]]  # from the list of addresses and the folder
    stored: Callable[[Path], Iterator[bytes]]  # the photos in the folder


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--photos", type=Path, action="append", default=[], help="repeatable")
    parser.add_argument("--img2dataset", metavar="PYTHON", help="a Python that has img2dataset")
    parser.add_argument("--count", type=int, default=1000, help="photos (default 1000)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each (default 5)")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="of img2dataset")
    parser.add_argument("--threads", type=int, default=16, help="of each process of img2dataset")
    parser.add_argument("--memory", type=int, metavar="N", help="download N small made photos")
    parser.add_argument("--genset", nargs=2, type=Path, help=argparse.SUPPRESS)  # one run of ours
    args = parser.parse_args()
    if args.genset:
        scrape_listed(*args.genset)
        return
    with tempfile.TemporaryDirectory(prefix="genset-benchmark-") as folder:
        work = Path(folder)
        work.chmod(0o755)
        (work / "served").mkdir()
        if args.memory:
            make_photos(work / "served", args.memory)
            contenders = [genset()]
        else:
            collect_photos(args.photos, work / "served", args.count)
            contenders = [genset()]
            for output in ("files", "webdataset") if args.img2dataset else ():
                contenders.append(img2dataset(args, output))
        compare(work, contenders, 1 if args.memory else args.runs)


# The contenders


def genset() -> Contender:
    """`genset.scrape` with its limits off, through its ordinary machinery."""
    return Contender(
        "genset",
        lambda addresses, out: [sys.executable, __file__, "--genset", str(addresses), str(out)],
        lambda out: (path.read_bytes() for path in (out / "images").glob("*/*")),
    )


def img2dataset(args: argparse.Namespace, output: str) -> Contender:
    """img2dataset with re-encoding and EXIF off, its sha256 on, one shard for each process."""

    def command(addresses: Path, out: Path) -> list[str]:
        options = {
            "url_list": addresses,
            "output_folder": out,
            "output_format": output,
            "disable_all_reencoding": True,
            "extract_exif": False,
            "processes_count": args.processes,
            "thread_count": args.threads,
            "number_sample_per_shard": -(-args.count // args.processes),
        }
        start = "import fire, img2dataset; fire.Fire(img2dataset.download)"
        return [args.img2dataset, "-c", start, *(f"--{key}={options[key]}" for key in options)]

    def stored(out: Path) -> Iterator[bytes]:
        yield from (path.read_bytes() for path in out.glob("*/*.jpg"))
        for shard in out.glob("*.tar"):
            with tarfile.open(shard) as tar:
                for member in tar:
                    if member.name.endswith(".jpg") and (file := tar.extractfile(member)):
                        yield file.read()

    return Contender(f"img2dataset, {output}", command, stored)


def scrape_listed(addresses: Path, out: Path) -> None:
    """Scrape with a source that finds nothing but these addresses."""
    from genset.classes import ImageClass, Query
    from genset.core.photo import PhotoOrigin
    from genset.db import Store
    from genset.net.hosts import Host, Hosts
    from genset.net.pace import RateLimit
    from genset.scrape.plan import ScrapePlan
    from genset.scrape.scraper import scrape
    from genset.sources.source import (
        About,
        Licenses,
        Question,
        Rates,
        SearchPage,
        Settings,
        Source,
    )
    from genset.workspace import Workspace

    listed = addresses.read_text().split()
    posted = datetime(2015, 1, 1, tzinfo=UTC)

    class Listed(Source):
        """A source whose keyword K finds the addresses of the Kth class."""

        about = About("listed", "the list", "http://127.0.0.1/")

        def __init__(self, hosts: Hosts) -> None:
            no_limit = RateLimit(hosts.store, "listed", 0)
            self.api = Host(hosts, "listed", "the list", [no_limit])
            self.images = Host(hosts, "listed-images", "nginx", [no_limit])

        def search(self, question: Question, quota: int) -> SearchPage:
            first = int(question.text) * PHOTOS_PER_CLASS
            whole = range(first, min(first + PHOTOS_PER_CLASS, len(listed)))
            start = (question.page - 1) * question.per_page
            numbers = whole[start : start + question.per_page]
            photos = tuple(self._photo(number) for number in numbers)
            last = start + question.per_page >= len(whole)
            return SearchPage(photos, total=len(whole), last=last, capped=False)

        @classmethod
        def connect(cls, hosts: Hosts, settings: Settings) -> Self:
            return cls(hosts)

        @classmethod
        def rates(cls, settings: Settings) -> Rates:
            return Rates(0, 0)

        def ask_licenses(self, source_ids: Sequence[str], quota: int) -> Licenses:
            return dict.fromkeys(source_ids)

        def may_fetch(self, url: str) -> bool:
            return url.startswith("http://127.0.0.1:")

        def _photo(self, number: int) -> PhotoOrigin:
            url = listed[number]
            return PhotoOrigin(
                source="listed",
                source_id=str(number),
                owner=f"owner {number}",
                image_url=url,
                posted_at=posted,
            )

    classes = tuple(
        ImageClass(0, f"n{number:08}", ("",), "", (), (Query(str(number), "lemma"),))
        for number in range(-(-len(listed) // PHOTOS_PER_CLASS))
    )
    workspace = Workspace.create(out)
    store = Store.open(workspace.store_url)
    plan = ScrapePlan(classes, PHOTOS_PER_CLASS, workspace.posted_after, source=Listed)
    scrape(workspace, store, Listed(Hosts(store)), plan)
    store.close()


# The photos


def collect_photos(folders: Sequence[Path], root: Path, count: int) -> None:
    """Copy this many different photos out of `folders` to be served, in a shuffled order."""
    found = (path for folder in folders for path in sorted(folder.rglob("*")))
    contents = {
        hashlib.sha256(content := path.read_bytes()).digest(): content
        for path in found
        if path.suffix.lower() in IMAGE_SUFFIXES
    }
    if len(contents) < count:
        sys.exit(f"--photos hold {len(contents)} different photos; {count} are asked for")
    chosen = random.Random(0).sample(list(contents.values()), count)
    for number, content in enumerate(chosen):
        (root / f"{number}.jpg").write_bytes(content)


def make_photos(root: Path, count: int) -> None:
    """Make this many small photos to be served, each of its own bytes and look."""
    from PIL import Image

    for number in range(count):
        noise = random.Random(number).randbytes(8 * 6 * 3)
        content = io.BytesIO()
        Image.frombytes("RGB", (8, 6), noise).resize((320, 240)).save(content, "JPEG")
        (root / f"{number}.jpg").write_bytes(content.getvalue())


# Serving and measuring


@contextmanager
def nginx(work: Path, root: Path) -> Iterator[str]:
    """Serve `root` with an nginx of our own on a free loopback port; yield its address."""
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        sys.exit("there is no nginx here: apt-get install nginx-light")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    user = "user root;" if os.getuid() == 0 else ""  # the photos may be readable by us only
    config = work / "nginx.conf"
    config.write_text(NGINX.format(folder=work, user=user, port=port, root=root))
    server = subprocess.Popen([program, "-p", work, "-e", work / "error.log", "-c", config])
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def measure(command: list[str], log: Path) -> Cost:
    """Run a command to its end. Its children count if it waited for them."""
    environment = os.environ | {"NO_ALBUMENTATIONS_UPDATE": "1"}  # img2dataset's asks the network
    started = time.perf_counter()
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{log.read_text(errors='replace')[-2000:]}")
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def compare(work: Path, contenders: Sequence[Contender], runs: int) -> None:
    """Run each contender in turn, `runs` times, and print what they took."""
    served = {sha256(path.read_bytes()): path.name for path in (work / "served").iterdir()}
    costs: dict[str, list[Cost]] = {contender.name: [] for contender in contenders}
    with nginx(work, work / "served") as address:
        addresses = work / "addresses.txt"
        addresses.write_text("".join(f"{address}/{name}\n" for name in served.values()))
        for run in range(1, runs + 1):
            for contender in contenders:
                out = work / "out"
                out.mkdir()
                cost = measure(contender.command(addresses, out), work / "log.txt")
                stored = [sha256(content) for content in contender.stored(out)]
                if sorted(stored) != sorted(served):
                    sys.exit(f"{contender.name} stored {len(stored)} photos, not those served")
                costs[contender.name].append(cost)
                print(
                    f"run {run}  {contender.name:24} {cost.wall:6.2f} s "
                    f"{len(served) / cost.wall:6.0f} photos/s  {cost.cpu:6.2f} s of processors  "
                    f"{cost.memory:5.0f} MB  load {os.getloadavg()[0]:.2f}",
                    flush=True,
                )
                shutil.rmtree(out)
    print(f"\nmedians of {runs} runs over {len(served)} photos; all stored photos as served\n")
    print("| | seconds | photos/s | processor seconds | peak MB |\n|---|---:|---:|---:|---:|")
    for name, taken in costs.items():
        wall = statistics.median(cost.wall for cost in taken)
        cpu = statistics.median(cost.cpu for cost in taken)
        memory = statistics.median(cost.memory for cost in taken)
        print(f"| {name} | {wall:.2f} | {len(served) / wall:.0f} | {cpu:.2f} | {memory:.0f} |")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    main()
