"""Sets and runs for reports, and a reader of their pages."""

import hashlib
import io
import json
from collections.abc import Mapping, Sequence, Set
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from PIL import Image

from genset.classes import imagenet1k
from genset.release.reader import (
    FORMAT,
    MANIFEST,
    ReleasePhoto,
    content_hash,
    manifest_hash,
    manifest_lines,
)
from genset.reporting.forms import report_json
from genset.reporting.options import ReportOptions
from genset.reporting.write import Report
from genset.score.results.runs import Accuracy, Prediction, Run, run_folder, run_key, save_run
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet

WNIDS = [each.wnid for each in imagenet1k()]
BY = ("CC BY 2.0", "https://creativecommons.org/licenses/by/2.0/")


def release_of(root: Path, photos: int, **changes: object) -> PhotoSet:
    """A release named "small": one photo a class, of a colour of its own."""
    records = [_record(number, WNIDS[number], (640, 480)) for number in range(photos)]
    return _write(root, [(replace(each, **changes), data) for each, data in records])  # type: ignore[arg-type]


def release_by_source(
    root: Path, counts: Mapping[str, Sequence[int]], words: object = None
) -> PhotoSet:
    """A release of small photos: how many of the first, the second, ... class, by source.

    `words` is what the manifest says of its sources, None for nothing.
    """
    records: list[tuple[ReleasePhoto, bytes]] = []
    for source, photos in counts.items():
        for wnid, count in zip(WNIDS, photos, strict=False):
            for _ in range(count):
                record, content = _record(len(records), wnid, (32, 24))
                page = f"https://{source}.example/{record.source_id}"
                records.append((replace(record, source=source, page_url=page), content))
    return _write(root, records, {} if words is None else {"sources": words})


def dated_release(root: Path, classes: int, dates: Sequence[tuple[str, str | None]]) -> PhotoSet:
    """A release of small photos: of each of the first classes one of each (posted, taken)."""
    records: list[tuple[ReleasePhoto, bytes]] = []
    for wnid in WNIDS[:classes]:
        for posted, taken in dates:
            record, content = _record(len(records), wnid, (32, 24))
            dated = replace(record, posted_at=datetime.fromisoformat(posted), taken_at=taken)
            records.append((dated, content))
    return _write(root, records)


def release_of_several(
    root: Path, shown: Sequence[Mapping[str, Sequence[str]]], proposers: Mapping[str, str]
) -> PhotoSet:
    """A release whose photos have several right answers, one photo a class.

    `shown` says of each photo who proposed each further class that is right, by the names of
    `proposers` (their values are the keys of runs), and "unclear" where the votes do not tell.
    """
    photos = []
    for number, further in enumerate(shown):
        record, content = _record(number, WNIDS[number], (32, 24))
        unclear = [wnid for wnid, names in further.items() if "unclear" in names]
        right = [wnid for wnid in further if wnid not in unclear]
        several = replace(
            record,
            labels_correct=(record.wnid, *sorted(right)),
            labels_unclear=tuple(unclear),
            labels_wrong=(),
            label_votes={wnid: {"correct": 3} for wnid in (record.wnid, *further)},
            label_rulings={},
            label_proposers={
                wnid: [name for name in names if name != "unclear"]
                for wnid, names in further.items()
            },
        )
        photos.append((several, content))
    runs = {name: [key] for name, key in proposers.items()}
    return _write(root, photos, {"multilabel": {"proposers": runs}})


def _record(number: int, wnid: str, size: tuple[int, int]) -> tuple[ReleasePhoto, bytes]:
    file = io.BytesIO()
    Image.new("RGB", size, (7 * number % 256, 90, 200)).save(file, "JPEG")
    content = file.getvalue() + number.to_bytes(4, "big")
    digest = hashlib.sha256(content).hexdigest()
    record = ReleasePhoto(
        file=f"test/{wnid}/{digest}.jpg",
        wnid=wnid,
        sha256=digest,
        byte_size=len(content),
        width=size[0],
        height=size[1],
        source="flickr",
        source_id=str(number),
        page_url=f"https://www.flickr.com/photos/someone/{number}",
        image_url="",
        owner=f"{number}@N00",
        owner_name=f"Owner {number}",
        title=f"Photo {number}",
        license=BY[0],
        license_url=BY[1],
        posted_at=datetime(2015, 1, 1 + number % 28, tzinfo=UTC),
        taken_at=None,
        keyword="keyword",
        rank=1,
        labels={"correct": 2, "unsure": 1},
        selection_frequency=0.6667,
        license_id="CC-BY-2.0",
        unseen="posted",
    )
    return record, content


def _write(
    root: Path, photos: Sequence[tuple[ReleasePhoto, bytes]], also: Mapping[str, object] = {}
) -> PhotoSet:
    for record, content in photos:
        (root / record.file).parent.mkdir(parents=True, exist_ok=True)
        (root / record.file).write_bytes(content)
    records = sorted((record for record, _ in photos), key=lambda record: record.file)
    manifest = {
        "format": FORMAT,
        "name": "small",
        "created_at": "2026-01-02T03:04:05+00:00",
        "content_hash": content_hash(records),
        "strategy": {"name": "majority"},
        "labelers": 3,
        "excluded": {"not labeled": 4},
        "documents": {},
        **also,
        "photos": [record.as_json() for record in records],
    }
    manifest["manifest_hash"] = manifest_hash(manifest)
    (root / MANIFEST).write_text("".join(manifest_lines(manifest)))
    return open_set(str(root))


def score(
    photos: PhotoSet,
    runs: Path,
    model: str,
    right: int,
    *,
    weights: str = "sha256:1",
    unreadable: Sequence[str] = (),
) -> Run:
    """Keep a run that is right on the first `right` photos, and second on the others."""
    counted = [photo.id for photo in photos.photos if photo.id not in unreadable]
    return score_on(
        photos, runs, model, set(counted[:right]), weights=weights, unreadable=unreadable
    )


def score_on(
    photos: PhotoSet,
    runs: Path,
    model: str,
    right: Set[str],
    *,
    missed: Set[str] = frozenset(),
    weights: str = "sha256:1",
    unreadable: Sequence[str] = (),
    at: str = "2026-01-02T03:04:05+00:00",
    trained_until: str = "",
) -> Run:
    """Keep a run that is right on the photos of these ids, and second on the others.

    The true class is not among its answers to those `missed`; `at` is when it was scored.
    """
    predictions = []
    for photo in (p for p in photos.photos if p.id not in unreadable):
        others = [wnid for wnid in WNIDS[-6:] if wnid != photo.wnid]
        is_right = photo.id in right
        top = [photo.wnid, *others] if is_right else [others[0], photo.wnid, *others[1:]]
        top = others if photo.id in missed else top
        chances = (0.6, 0.2, 0.1, 0.05, 0.01)
        predictions.append(Prediction(photo.id, photo.wnid, tuple(top[:5]), chances))
    return keep_run(
        photos,
        runs,
        model,
        predictions,
        key=run_key(set=photos.content_hash, weights=weights, model=model),
        weights_hash=weights,
        created_at=at,
        excluded=dict.fromkeys(unreadable, "truncated"),
        top1=Accuracy.of(len(right), len(predictions)),
        trained_until=trained_until,
    )


def keep_run(
    photos: PhotoSet,
    runs: Path,
    model: str,
    predictions: Sequence[Prediction],
    *,
    weights_hash: str = "sha256:1",
    **changes: Any,
) -> Run:
    """Keep a run with these answers; `changes` are other values of its record."""
    hits = [sum(each.wnid in each.top[:k] for each in predictions) for k in (1, 5)]
    record: dict[str, Any] = {
        "key": run_key(model=model),
        "model": model,
        "spec": f"file:{weights_hash[-1]}.pth?arch=torchvision:resnet18&name={model}",
        "set_name": photos.name,
        "set_hash": photos.content_hash,
        "weights_hash": weights_hash,
        "preprocessing": {"resize": 256, "crop": 224, "mean": [0.5, 0.5, 0.5]},
        "precision": "float32",
        "versions": {"genset": "0.1.0", "torch": "2.8.0"},
        "device": "cpu",
        "created_at": "2026-01-02T03:04:05+00:00",
        "seconds": 1.5,
        "excluded": {},
        "top1": Accuracy.of(hits[0], len(predictions)),
        "top5": Accuracy.of(hits[1], len(predictions)),
        "classes": 1000,
        "masked": 0,
        "hits": [],
    }
    run = Run(**record | changes)
    save_run(run_folder(runs, photos.name, model, run.key), run, predictions)
    return run


class Page(HTMLParser):
    """A page's tags with their attributes, its words, and its style and script."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._words: list[str] = []
        self._code: list[str] = []
        self.feed(path.read_text("utf-8"))
        self.close()
        self.text = " ".join(" ".join(self._words).split())
        self.code = "".join(self._code)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        # The element whose raw text is read: a style sheet or a script.
        (self._code if self.cdata_elem in ("style", "script") else self._words).append(data)

    def values(self, tag: str, attribute: str) -> list[str]:
        """This attribute's value in each such tag."""
        return [found[attribute] or "" for name, found in self.tags if name == tag]


def report(photos: PhotoSet, runs: Path, options: ReportOptions | None = None) -> Page:
    """Write the report beside the runs, and read it."""
    path = runs.parent / "report.html"
    Report(photos, runs, options or ReportOptions()).write(path)
    return Page(path)


def everywhere(
    photos: PhotoSet, runs: Path, options: ReportOptions | None = None
) -> tuple[Page, str, dict[str, Any]]:
    """The page, the Markdown and the JSON of a report."""
    made, path = Report(photos, runs, options or ReportOptions()), runs.parent / "report.html"
    made.write(path)
    found = json.loads(json.dumps(report_json(made.data), allow_nan=False))
    return Page(path), made.printed("markdown"), found
