"""Two years of photos on a sandbox, and a workspace whose protocol collects them."""

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner
from PIL import Image, ImageOps

from genset.classes import ImageClass
from genset.cli import cli
from genset.core.errors import GensetError
from genset.db import Label, Store, Verdict, stored_candidates
from genset.workspace import Workspace
from tests.scrape.pools import Row, record


def textured(number: int, quality: int = 95, *, mirrored: bool = False) -> bytes:
    """A picture of its own, which looks like no other one; of another quality it is a copy."""
    blocks = np.random.default_rng(number).integers(0, 255, (9, 12, 3), dtype=np.uint8)
    content = io.BytesIO()
    image = Image.fromarray(blocks).resize((96, 72), Image.Resampling.BICUBIC)
    if mirrored:
        image = ImageOps.mirror(image)
    image.save(content, "JPEG", quality=quality)
    return content.getvalue()


def rows_of(year: int, first: int, classes: tuple[ImageClass, ...], photos: int) -> list[Row]:
    """So many photos of each class that were posted in a year, by as many owners."""
    return [
        record(
            first + 100 * place + number,
            cls.queries[0].text,
            wnid=cls.wnid,
            owner=f"{first + 100 * place + number}@N00",
            date_upload_search_engine=f"{year}-06-{1 + number % 28:02} 12:00:00",
        )
        for place, cls in enumerate(classes)
        for number in range(photos)
    ]


@dataclass(frozen=True)
class Maintainer:
    """Types commands in a workspace, and labels all that is there."""

    workspace: Workspace

    def __call__(self, *words: object) -> Any:
        """What a command answers as JSON; of one that is refused, its exit code and its line."""
        line = ["-w", str(self.workspace.root), *map(str, words), "--json"]
        done = CliRunner().invoke(cli, line)
        if isinstance(done.exception, GensetError):
            return f"{done.exception.exit_code}: {done.exception}"
        assert done.exit_code == 0, (done.output, done.exception)
        return json.loads(done.stdout)

    def says(self, *words: object) -> str:
        """What a command prints for people."""
        done = CliRunner().invoke(cli, ["-w", str(self.workspace.root), *map(str, words)])
        assert done.exit_code == 0, (done.output, done.exception)
        return done.stdout

    def label(self, worker: str = "ann", year: int | None = None) -> None:
        """Say of every candidate that is stored that it is correct, where that is not said.

        Of those alone that were posted in a year, where one is named.
        """
        store = Store.open(self.workspace.store_url)
        with store.begin() as session:
            said = {label.candidate_id for label in session.query(Label).filter_by(worker=worker)}
            session.add_all(
                Label(candidate_id=each.id, worker=worker, verdict=Verdict.CORRECT, panel="main")
                for each in session.scalars(stored_candidates()).all()
                if each.id not in said and year in (None, each.photo.posted_at.year)
            )
        store.close()

    def photos(self, release: str) -> set[int]:
        """The numbers of the photos in a release."""
        path = self.workspace.releases / release / "manifest.json"
        return {int(photo["source_id"]) for photo in json.loads(path.read_text())["photos"]}


def maintainer(root: Path) -> Maintainer:
    return Maintainer(Workspace.create(root))
