"""How long a release of 100,000 photos takes, and how much memory: create, verify, export.

    python benchmarks/release.py
    python benchmarks/release.py --photos 2000

The pool is made up: 1,000 classes, three labelers a photo, photos of some 700 bytes each, so what
is measured is genset's own work and the disk's, not the photos' size. Each command is a process of
its own; its peak memory is what the kernel reports of it.
"""

import argparse
import hashlib
import io
import os
import random
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from PIL import Image
from sqlalchemy import insert

from genset.core.files import image_file
from genset.db import Candidate, Label, Photo, Store, Verdict
from genset.workspace import Workspace

_AT_ONCE = 5000  # rows of one INSERT


def main() -> None:
    """Make a pool, run the commands on it, and print seconds and peak memory of each."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--photos", type=int, default=100_000)
    count: int = words.parse_args().photos
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        make_pool(root, count)
        for command in (
            ("create", "t", "--strategy", "threshold", "--threshold", "0.5", "--dry-run"),
            ("create", "v1", "--strategy", "majority"),
            ("verify", "v1"),
            ("export", "v1", "--format", "webdataset", "--to", f"{folder}/webdataset"),
            ("export", "v1", "--format", "parquet", "--to", f"{folder}/parquet"),
        ):
            seconds, memory = measured(root, *command)
            print(f"{' '.join(command[:4])}: {seconds:.1f} s, {memory / 2**20:.0f} MiB")


def measured(root: Path, *command: str) -> tuple[float, int]:
    """Run `genset release ...`; return its seconds, and its peak memory in bytes."""
    argv = [sys.executable, "-m", "genset", "-w", str(root), "release", *command]
    started = time.perf_counter()
    process = os.posix_spawn(
        sys.executable,
        argv,
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, used = os.wait4(process, 0)
    assert status == 0, command
    return time.perf_counter() - started, used.ru_maxrss * 1024


def make_pool(root: Path, count: int) -> None:
    """A workspace of `count` labeled candidates; nearly all photos are called correct."""
    workspace = Workspace.create(root)
    fill_pool(workspace, count, count)


def fill_pool(workspace: Workspace, count: int, labeled: int) -> None:
    """Give a workspace `count` candidates, classes in turns; the first `labeled` have labels."""
    chance = random.Random(0)
    store = Store.open(workspace.store_url)
    wnids = [each.wnid for each in store.taxonomy]
    picture = io.BytesIO()
    Image.new("RGB", (64, 48), "green").save(picture, "JPEG")
    moment = datetime(2020, 1, 1, tzinfo=UTC)
    for start in range(0, count, _AT_ONCE):
        photos, candidates, labels = [], [], []
        for number in range(start, min(start + _AT_ONCE, count)):
            content = picture.getvalue() + number.to_bytes(8, "big")  # after the image's end
            sha256 = hashlib.sha256(content).hexdigest()
            path = workspace.images / image_file(sha256, "JPEG")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            address = f"https://www.flickr.com/photos/{number % 9973}@N00/{number}"
            photos.append(
                {
                    "id": number + 1,
                    "source": "flickr",
                    "source_id": str(number),
                    "owner": f"{number % 9973}@N00",
                    "owner_name": f"owner {number % 9973}",
                    "title": f"A photo, number {number} of its kind",
                    "license": "CC BY 2.0",
                    "license_url": "https://creativecommons.org/licenses/by/2.0/",
                    "page_url": address,
                    "image_url": f"https://live.staticflickr.com/1/{number}_b.jpg",
                    "posted_at": moment,
                    "sha256": sha256,
                    "byte_size": len(content),
                    "format": "JPEG",
                    "width": 64,
                    "height": 48,
                    "fingerprint": f"{chance.getrandbits(64):016x}",
                    "stored_at": moment,
                }
            )
            candidates.append(
                {
                    "id": number + 1,
                    "wnid": wnids[number % len(wnids)],
                    "photo_id": number + 1,
                    "keyword": "a keyword",
                    "rank": number // len(wnids) + 1,
                }
            )
            labels += [
                {
                    "candidate_id": number + 1,
                    "worker": f"worker {worker}",
                    "verdict": Verdict.CORRECT if chance.random() < 0.9 else Verdict.INCORRECT,
                    "decided_at": moment,
                    "panel": "main",
                    "via": "import",
                }
                for worker in range(3)
                if number < labeled
            ]
        with store.begin() as session:
            session.execute(insert(Photo), photos)
            session.execute(insert(Candidate), candidates)
            if labels:
                session.execute(insert(Label), labels)
    store.close()


if __name__ == "__main__":
    main()
