"""A workspace with photos to label, made through the store's own models; no network."""

import atexit
import colorsys
import hashlib
import io
import shutil
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image
from sqlalchemy import Engine, insert, make_url
from sqlalchemy.orm import Session

from genset.classes import imagenet1k
from genset.core.files import image_file, written_whole
from genset.db import (
    Candidate,
    GoldQuestion,
    Label,
    Photo,
    Store,
    Verdict,
    database,
    find_candidate,
)
from genset.workspace import Workspace

TENCH, GOLDFISH, CRANE, TABBY = "n01440764", "n01443537", "n02012849", "n02123045"
CLASSES = (TENCH, GOLDFISH, CRANE, TABBY)


def labeled_workspace(
    root: Path, classes: Sequence[str] = CLASSES, photos: int = 5
) -> tuple[Workspace, Store]:
    """A new workspace at `root` with this many candidates of each class. Close the store.

    Photo K of class number C (both from 0) has the Flickr id 100 * C + K, so the tasks are
    ``n01440764/flickr:0``, ``n01440764/flickr:1``... and its owner is "owner 100 * C + K". Labelers
    get them in this order.
    """
    workspace = _by_rank(Workspace.create(root))
    url = make_url(workspace.store_url)
    if url.get_backend_name() != "sqlite" or Path(str(url.database)).exists():
        store = Store.open(workspace.store_url)
        _fill(workspace, store, classes, photos)
        return workspace, store
    like = _made_once(tuple(classes), photos, database.upgrade)
    shutil.copyfile(like / "genset.db", str(url.database))
    if (like / "images").exists():
        shutil.copytree(like / "images", workspace.images, copy_function=shutil.copyfile)
    return workspace, Store.open(workspace.store_url)


def _by_rank(workspace: Workspace) -> Workspace:
    settings = workspace.root / "genset.toml"
    text = settings.read_text("utf-8")
    assert 'order = "random"\n' in text
    settings.write_text(text.replace('order = "random"\n', 'order = "rank"\n'), "utf-8")
    return Workspace.find(workspace.root)


@cache
def _made_once(classes: tuple[str, ...], photos: int, _upgrade: Callable[[Engine], None]) -> Path:
    """A workspace to copy: most tests of labels and releases need one, and it takes its time."""
    root = Path(tempfile.mkdtemp(prefix="genset-labeled-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    store = Store.open(f"sqlite:///{root / 'genset.db'}")
    _fill(Workspace.create(root), store, classes, photos)
    store.close()
    return root


def _fill(workspace: Workspace, store: Store, classes: Sequence[str], photos: int) -> None:
    with store.begin() as session:
        for place, wnid in enumerate(classes):
            for rank in range(1, photos + 1):
                _add(workspace, session, wnid, 100 * place + rank - 1, rank)


def add_candidate(workspace: Workspace, store: Store, *given: Any, **more: Any) -> str:
    """Store photo `number` as a candidate of a class, as `_add` does; return its task."""
    with store.begin() as session:
        return _add(workspace, session, *given, **more)


def _add(
    workspace: Workspace,
    session: Session,
    wnid: str,
    number: int,
    rank: int = 1,
    *,
    content: bytes | None = None,
    keyword: str = "a keyword",
    **changes: Any,
) -> str:
    """Store a photo and its file; `changes` are other values of columns of `Photo`."""
    content = content or picture(number)
    with Image.open(io.BytesIO(content)) as image:
        width, height, kind = image.width, image.height, str(image.format)
    sha256 = hashlib.sha256(content).hexdigest()
    with written_whole(workspace.images / image_file(sha256, kind)) as file:
        file.write(content)
    stored = {"sha256": sha256, "byte_size": len(content), "format": kind}
    stored |= {"width": width, "height": height, "stored_at": datetime(2021, 1, 1, tzinfo=UTC)}
    photo = photo_row(number, **stored | changes)
    candidate = Candidate(wnid=wnid, photo=photo, keyword=keyword, rank=rank)
    session.add(candidate)
    session.flush()
    return candidate.task


def add_pool(store: Store, candidates: int, a_class: int = 25) -> None:
    """Candidates, so many a class, whose pictures nobody asks for: rows without files.

    A photo of every class is a gold question of the next one.
    """
    classes = [cls.wnid for cls in imagenet1k()]
    photos, found, gold = [], [], []
    for number in range(1, candidates + 1):
        stored = {"sha256": f"{number:064x}", "format": "JPEG", "stored_at": datetime.now(UTC)}
        photos.append(photo_row(number, id=number, **stored))
        place, before = divmod(number - 1, a_class)
        about = {"wnid": classes[place], "photo_id": number}
        found.append({**about, "keyword": "", "rank": before + 1})
        if number % a_class == 0 and number < candidates:
            known = {"expected": Verdict.INCORRECT, "reason": "known for the class before"}
            gold.append({"wnid": classes[place + 1], "photo_id": number, **known})
    with store.begin() as session:
        session.add_all(photos)
        session.flush()
        session.execute(insert(Candidate), found)
        session.execute(insert(GoldQuestion), gold)


def photo_row(number: int, **changes: Any) -> Photo:
    """What is known of photo `number` of Flickr, without a file; `changes` are other columns."""
    values: dict[str, Any] = {
        "source": "flickr",
        "source_id": str(number),
        "owner": f"{number}@N00",
        "owner_name": f"owner {number}",
        "title": "",
        "license": "CC BY 2.0",
        "license_url": "https://creativecommons.org/licenses/by/2.0/",
        "page_url": f"https://www.flickr.com/photos/{number}@N00/{number}",
        "image_url": f"https://live.staticflickr.com/1/{number}_b.jpg",
        "posted_at": datetime(2020, 1, 1, tzinfo=UTC),
    }
    return Photo(**values | changes)


def vote(store: Store, task: str, worker: str, verdict: Verdict, panel: str = "main") -> None:
    """Store a label, as an import would."""
    with store.begin() as session:
        candidate = find_candidate(session, task)
        session.add(Label(candidate_id=candidate.id, worker=worker, verdict=verdict, panel=panel))


def picture(number: int, size: tuple[int, int] | None = None) -> bytes:
    """A JPEG in a colour of its own; landscape, square and portrait by turns."""
    size = size or ((96, 72), (72, 72), (64, 96))[number % 3]
    red, green, blue = colorsys.hsv_to_rgb(number * 0.618 % 1, 0.6, 0.9)
    content = io.BytesIO()
    image = Image.new("RGB", size, (int(255 * red), int(255 * green), int(255 * blue)))
    image.putpixel((0, 0), (number % 256, number // 256, 0))
    image.save(content, "JPEG", quality=95)
    return content.getvalue()
