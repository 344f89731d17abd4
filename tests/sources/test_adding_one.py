"""The source of docs/sources.md, installed as its reader would, does all that genset's own do."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from genset.core.errors import BadInput
from genset.sources import source as registry
from genset.sources.flickr import Flickr
from genset.workspace import Workspace
from tests.commands import says
from tests.labeled_workspace import TENCH, picture
from tests.scrape.hostile import HostileHost, answer

DOCS = Path(__file__).parents[2] / "docs"


class Museum(HostileHost):
    """A museum with six photos of a tench, of which the first is too old and the last is gone."""

    def respond(self, path: str, content: bytes) -> bytes:
        address = urlsplit(path)
        self.asked.append(f"{address.path} {self.headers['user-agent']}")
        query = parse_qs(address.query)
        if address.path == "/search":
            page = int(query["page"][0])
            found = [self.entry(number) for number in range(3 * page - 2, 3 * page + 1)]
            reply = {"photos": found, "total": 6, "more": page < 2}
            return answer(json.dumps(reply).encode())
        if address.path == "/photo" and (number := int(query["id"][0])) != 2:
            return answer(json.dumps(self.entry(number)).encode())
        if found_number := re.fullmatch(r"/photos/([1-5])\.jpg", address.path):
            return answer(picture(int(found_number[1])))
        return answer(b"", "404 Not Found")

    def entry(self, number: int) -> dict[str, Any]:
        return {
            "id": number,
            "photographer": f"Photographer {number}",
            "title": f"Tench {number}",
            "license": "CC BY 4.0",
            "license_url": "https://creativecommons.org/licenses/by/4.0/",
            "online_since": "2009-01-01T00:00:00+00:00"
            if number == 1
            else f"2019-0{number}-01T00:00:00+00:00",
            "taken": "2018",
        }


@pytest.fixture
def museum() -> Iterator[Museum]:
    with Museum() as running:
        yield running


@pytest.fixture
def genset(museum: Museum, tmp_path: Path) -> Any:
    """The command line where a package with the example is installed."""
    site = tmp_path / "site"
    info = site / "genset_museum-1.0.dist-info"
    info.mkdir(parents=True)
    shutil.copy(DOCS / "examples" / "genset_museum.py", site)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: genset-museum\nVersion: 1.0\n")
    [entry] = re.findall(r"```toml\n(.*?)```", (DOCS / "sources.md").read_text("utf-8"), re.S)
    entry = entry.replace('[project.entry-points."genset.sources"]', "[genset.sources]")
    (info / "entry_points.txt").write_text(entry.replace('"', ""))
    environment = os.environ | {
        "MUSEUM": museum.address,
        "PYTHONPATH": f"{site}{os.pathsep}{DOCS.parent}",
    }
    environment.pop("FLICKR_API_KEY", None)

    def run(*words: str, code: int = 0, cwd: Path = tmp_path / "work") -> str:
        command = [sys.executable, "-m", "genset", *words]
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    run("init", "work", "--contact", "me@example.org", cwd=tmp_path)
    return run


Install = Callable[..., str]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a package for this process, whose module has this code and these sources."""

    def put(code: str, **sources: str) -> str:
        info, module = tmp_path / "broken-1.dist-info", f"broken_{tmp_path.name}".replace("-", "_")
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
        (tmp_path / f"{module}.py").write_text(code)
        lines = "".join(f"{name} = {module}:{kind}\n" for name, kind in sources.items())
        (info / "entry_points.txt").write_text(f"[genset.sources]\n{lines}")
        monkeypatch.syspath_prepend(tmp_path)
        registry.source_names.cache_clear()
        return module

    yield put
    registry.source_names.cache_clear()


@pytest.mark.soak
def test_the_example_is_scraped_refreshed_released_and_pulled(
    genset: Any, museum: Museum, tmp_path: Path
) -> None:
    said = genset("scrape", "--source", "museum", "--classes", TENCH, "--per-class", "3")
    assert "1 of 1 class full: 3 stored" in said
    assert "1 posted before 2014-01-01" in said
    assert all("me@example.org" in asked for asked in museum.asked)
    assert "gone: museum:2 " in genset("refresh")
    labels = tmp_path / "labels.csv"
    tasks = "".join(f"{TENCH}/museum:{number},Ann,correct\n" for number in (2, 3, 4))
    labels.write_text("task,worker,label\n" + tasks)
    genset("labels", "import", str(labels))
    genset("release", "create", "v1")
    card = (tmp_path / "work" / "releases" / "v1" / "docs/DATA_CARD.md").read_text("utf-8")
    assert "City Museum" in card
    assert "Name the museum with each photo." in card
    assert "Flickr" not in card
    said = genset("pull", "releases/v1/manifest.json", "--to", "copy")
    assert "2 of 2 photos pulled" in said  # without the one that refresh found gone
    assert "1 photo removed" in genset("remove", "museum:3", "--reason", "asked")


NAIVE = "`search` gives museum:1 a posted_at without a time zone: add one, such as replace"


@pytest.mark.parametrize(
    ("part", "other", "message"),
    [
        ("about = About", "no = About", "lacks about: define it as docs/sources.md shows"),
        ("def rates", "def no", "lacks rates: define it as docs/sources.md shows"),
        ("self.images =", "self.no =", "`connect` leaves images unset: set it there"),
        ("def may_fetch", "def no", "leaves picture_addresses unset: set it there, or define"),
        ('"online_since"]', '"online_since"][:19]', NAIVE),
    ],
)
def test_what_its_author_left_out_is_a_line(
    museum: Museum, install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    part: str, other: str, message: str,
) -> None:  # fmt: skip
    code = (DOCS / "examples" / "genset_museum.py").read_text("utf-8")
    install(code.replace(part, other), museum="Museum")
    monkeypatch.setenv("MUSEUM", museum.address)
    Workspace.create(tmp_path / "work", contact="me@example.org")
    words = ("-w", str(tmp_path / "work"), "scrape", "--source", "museum", "--classes", TENCH)
    told = says(*words, code=2)
    assert re.fullmatch(f"the source museum.*{re.escape(message)}.*", told)


def test_a_source_that_is_not_installed_is_a_line(genset: Any, tmp_path: Path) -> None:
    (tmp_path / "site" / "genset_museum-1.0.dist-info" / "entry_points.txt").unlink()
    settings = tmp_path / "work" / "genset.toml"
    settings.write_text(settings.read_text("utf-8").replace('["commons"]', '["museum"]'), "utf-8")
    unknown = (
        "unknown source 'museum': choose from flickr, commons, inaturalist (--source, or `sources` "
        "in genset.toml), or install the package that has it\n"
    )
    assert genset("scrape", "--classes", TENCH, code=2) == f"genset: {unknown}"
    assert f"first      {unknown}" in genset("status")
    assert "0 candidates" in genset("labels", "export", "labels.csv", "--unlabeled")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import nothing_of_this_name", "nothing_of_this_name"),
        ("raise KeyError('a\\nb\\x1b[2J')", "KeyError"),
        ("raise SystemExit(0)", "SystemExit"),
        ("Broken = 1", "is not a Source of this name"),
        ("from genset.sources.commons import Commons as Broken", "is not a Source of this name"),
        ("", "Broken"),
    ],
)
def test_a_source_that_is_broken_is_told_and_harms_no_other(
    install: Install, code: str, said: str
) -> None:
    install(code, broken="Broken", flickr="Broken")
    with pytest.raises(BadInput, match="the source broken") as told:
        registry.source_class("broken")
    assert said in str(told.value)
    assert registry.source_names() == ("flickr", "commons", "inaturalist", "broken")
    assert registry.source_class("flickr") is Flickr
