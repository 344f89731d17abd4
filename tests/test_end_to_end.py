"""The whole way through the real command line, on real photos under real Flickr records."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.models import SqueezeNet1_0_Weights, squeezenet1_0

pytestmark = pytest.mark.realdata

CUTOFF = "2014-01-01"
PER_CLASS = 5


@dataclass(frozen=True)
class Posting:
    """A photo as the sandbox posts it: whose picture it really is, and what search finds it."""

    id: str
    wnid: str  # of the search that finds it
    file: str  # under photos/, in the folder of the class that it shows
    uploaded: str

    @property
    def is_new(self) -> bool:
        return self.uploaded >= CUTOFF

    @property
    def is_right(self) -> bool:
        return self.file.startswith(self.wnid)


def postings(realdata: Path) -> list[Posting]:
    """Real records of every class that has photos and old and new ones, in Flickr's order.

    Two old records and six new ones a class. Every third of a class's pictures is another class's,
    and so are those past its own; no picture is posted twice.
    """
    records: dict[str, dict[str, str]] = {}
    for line in (realdata / "flickr" / "records.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        mine = records.setdefault(record["wnid"], {})
        mine.setdefault(record["id_search_engine"], record["date_upload_search_engine"])
    own = {
        folder.name: sorted(f"{folder.name}/{path.name}" for path in folder.iterdir())
        for folder in sorted((realdata / "photos").iterdir())
    }
    chosen = {}
    taken: set[str] = set()
    for wnid in own:
        found = [item for item in records.get(wnid, {}).items() if item[0] not in taken]
        old = [item for item in found if item[1] < CUTOFF][:2]
        new = [item for item in found if item[1] >= CUTOFF][:6]
        if len(new) >= PER_CLASS:
            chosen[wnid] = [item for item in found if item in old or item in new]
            taken.update(id for id, _ in chosen[wnid])
    others = iter([file for wnid in own if wnid not in chosen for file in own[wnid]])
    made = []
    for wnid, items in chosen.items():
        mine = iter(own[wnid])
        for place, (id, uploaded) in enumerate(items):
            file = next(others) if place % 3 == 2 else next(mine, None) or next(others)
            made.append(Posting(id, wnid, file, uploaded))
    return made


@pytest.fixture(scope="module")
def posted(realdata: Path) -> list[Posting]:
    return postings(realdata)


@pytest.fixture(scope="module")
def sandbox(
    realdata: Path, posted: list[Posting], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """`genset sandbox` serving those photos; yields the environment that points at it."""
    records = tmp_path_factory.mktemp("sandbox") / "records.jsonl"
    with records.open("w", encoding="utf-8") as file:
        for each in posted:
            line = {
                "id_search_engine": each.id,
                "wnid": each.wnid,
                "search_key": each.wnid,
                "date_upload_search_engine": each.uploaded,
                "file": each.file,
            }
            file.write(json.dumps(line) + "\n")
    command = [sys.executable, "-m", "genset", "sandbox", "--port", "0"]
    command += ["--photos", str(realdata / "photos"), "--records", str(records)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        exports = server.stdout.readline() + server.stdout.readline()
        yield dict(word.split("=", 1) for word in exports.split() if "=" in word)
        server.terminate()


@pytest.fixture(scope="module")
def genset(sandbox: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> "Genset":
    return Genset(tmp_path_factory.mktemp("work") / "set", {**os.environ, **sandbox})


@dataclass(frozen=True)
class Genset:
    """The command line in one workspace."""

    root: Path
    environment: dict[str, str]

    def __call__(self, *words: str) -> Any:
        """Run a command with --json and return its answer."""
        command = [sys.executable, "-m", "genset", *words, "--json"]
        folder = self.root if self.root.exists() else self.root.parent
        done = subprocess.run(
            command, cwd=folder, env=self.environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def top_1_and_5_by_torchvision_alone(
    photos: Path, checkpoint: Path, wnids: list[str]
) -> tuple[int, int]:
    """What `genset evaluate` must agree with."""
    network = squeezenet1_0()
    network.load_state_dict(torch.load(checkpoint, weights_only=True))
    network.eval()
    dataset = ImageFolder(photos, transform=SqueezeNet1_0_Weights.DEFAULT.transforms())
    truth = torch.tensor([wnids.index(wnid) for wnid in dataset.classes])
    top1 = top5 = 0
    for pixels, labels in DataLoader(dataset, batch_size=32):
        with torch.no_grad():
            hits = network(pixels).topk(5).indices == truth[labels][:, None]
        top1, top5 = top1 + int(hits[:, 0].sum()), top5 + int(hits.sum())
    return top1, top5


@pytest.mark.soak
def test_from_keywords_to_a_scored_model(
    genset: Genset, posted: list[Posting], realdata: Path
) -> None:
    classes = sorted({each.wnid for each in posted})
    candidates = [
        each
        for wnid in classes
        for each in [each for each in posted if each.wnid == wnid and each.is_new][:PER_CLASS]
    ]
    assert len(classes) >= 30
    assert any(not each.is_new for each in posted)
    assert any(not each.is_right for each in candidates)

    genset("init", str(genset.root))
    scraped = genset("scrape", "--classes", ",".join(classes), "--per-class", str(PER_CLASS))
    assert scraped["full"] == len(classes)
    assert scraped["stored"] == len(candidates)

    table = genset.root / "by-hand.csv"
    with table.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["task", "worker", "label"])
        for each in candidates:
            verdict = "correct" if each.is_right else "incorrect"
            rows.writerow([f"{each.wnid}/flickr:{each.id}", "hand", verdict])
    assert genset("labels", "import", str(table)) == {
        "table": "labels",
        "new": len(candidates),
        "known": 0,
        "older": 0,
        "empty": 0,
    }

    genset("release", "create", "unseen")
    genset("release", "verify", "unseen")
    release = genset.root / "releases" / "unseen"
    manifest = json.loads((release / "manifest.json").read_text("utf-8"))
    right = {(each.wnid, each.id) for each in candidates if each.is_right}
    assert {(photo["wnid"], photo["source_id"]) for photo in manifest["photos"]} == right
    originals = {each.id: realdata / "photos" / each.file for each in candidates}
    for photo in manifest["photos"]:
        if max(photo["width"], photo["height"]) < 1024:  # larger ones come scaled down
            bytes_kept = (release / photo["file"]).read_bytes()
            assert bytes_kept == originals[photo["source_id"]].read_bytes()

    checkpoint = realdata / "checkpoints" / "squeezenet1_0.pth"
    spec = f"file:{checkpoint}?arch=torchvision:squeezenet1_0"
    (run,) = genset("evaluate", "unseen", "--model", spec)["runs"]
    wnids = sorted(json.loads((realdata / "imagenetv2" / "most_similar_wnids.json").read_text()))
    expected = top_1_and_5_by_torchvision_alone(release, checkpoint, wnids)
    assert (run["top1"]["correct"], run["top5"]["correct"]) == expected
    assert run["top1"]["photos"] == len(right)

    page = genset.root.parent / "report.html"
    assert genset("report", "unseen", "-o", str(page))["file"] == str(page)
    report = page.read_text("utf-8")
    assert f"{run['top1']['share']:.1%}"[:-1] in report

    after = genset("status")
    assert after["labeled"] == after["candidates"] == len(candidates)
    assert after["releases"] == {"unseen": len(right)}
    assert after["runs"] == {"unseen": ["squeezenet1_0"]}
