"""The wheel, built and installed into an empty environment."""

import json
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from PIL import Image

pytestmark = pytest.mark.soak  # it asks PyPI; `.ci/run` runs it
ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sdist, and of the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    return folder


@pytest.fixture(scope="module")
def installed(built: Path) -> Path:
    """The bin folder of an environment that holds the wheel and what it asks for, no more."""
    venv.create(built / "env")
    binaries = built / "env" / "bin"
    (wheel,) = built.glob("genset-*.whl")
    constraints = ROOT / ".ci" / "constraints.txt"
    # Most of what the packages hold is never imported here: none of it is compiled before.
    pip(binaries, "install", "--quiet", "--no-compile", "-c", constraints, wheel)
    return binaries


def pip(binaries: Path, *words: str | Path) -> str:
    """Our pip at work in another environment, which needs none of its own."""
    return run(sys.executable, "-m", "pip", "--python", binaries / "python", *words)


def documented() -> list[str]:
    """The extras of each line in README and docs that installs genset, the light ones first."""
    pages = [ROOT / "README.md", *ROOT.glob("docs/*.md")]
    line = re.compile(r"pip install ['\"](?:genset|\.)\[([a-z,]+)\]")
    found = {extras for page in pages for extras in line.findall(page.read_text("utf-8"))}
    return sorted(found, key=lambda extras: ("evaluate" in extras, extras))


def run(*command: str | Path, cwd: str | Path = "/") -> str:
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_make_finds_its_rules_in_the_sdist(built: Path, tmp_path: Path) -> None:
    (sdist,) = built.glob("genset-*.tar.gz")
    run("tar", "xf", sdist, "-C", tmp_path)
    (folder,) = tmp_path.iterdir()
    steps = run("make", "--dry-run", "demo", "test", "check", cwd=folder)
    for file in ("docs/demo/demo.sh", ".ci/constraints.txt"):
        assert file in steps
        assert (folder / file).is_file()


def test_it_works_by_itself_with_all_that_it_ships(installed: Path, tmp_path: Path) -> None:
    genset = installed / "genset"
    run(genset, "init", tmp_path)
    assert json.loads(run(genset, "status", "--json", cwd=tmp_path))["classes"] == 1000
    assert "tabby" in run(genset, "keywords", "n02123045")
    where = run(installed / "python", "-c", "import genset; print(genset.__file__)")
    site = Path(where).parent.parent
    page = ("app.py", "component/main.js", "component/style.css")
    maps = ("queries.toml", "synonyms.json", "taxa.toml", "nouns.tsv.gz")
    taxonomies = ("taxonomies/cifar10.toml", "taxonomies/imagenet100-cmc.toml")
    notices = [f"LICENSE-{notice}.txt" for notice in ("WordNet", "ImageNetV2", "CLIP", "CMC")]
    assert all((site / "labeler_app" / name).is_file() for name in page)
    for name in (*maps, *taxonomies, *notices):
        assert (site / "wordnet_maps" / name).is_file(), name


SCORE = """
import genset, torchvision
weights = torchvision.models.ResNet18_Weights.IMAGENET1K_V1
network = torchvision.models.resnet18().eval()
print(genset.evaluate("labels.csv", network, transform=weights.transforms()).top1.photos)
"""


@pytest.mark.timeout(1200)
def test_each_line_of_the_docs_that_installs_works_from_wheel_and_sdist(
    built: Path, tmp_path: Path
) -> None:
    (wheel,), (sdist,) = built.glob("genset-*.whl"), built.glob("genset-*.tar.gz")
    venv.create(tmp_path / "env")
    binaries = tmp_path / "env" / "bin"
    lines = documented()
    assert len(lines) >= 6
    install = ("install", "--quiet", "--no-compile", "-c", ROOT / ".ci" / "constraints.txt")
    for extras in lines:
        pip(binaries, *install, "--dry-run", f"genset[{extras}] @ {sdist.as_uri()}")
        pip(binaries, *install, f"genset[{extras}] @ {wheel.as_uri()}")
    pip(binaries, "check")
    run(binaries / "python", "-c", "import psycopg, pynvml, streamlit, tensorboard")
    Image.new("RGB", (64, 64)).save(photo := tmp_path / "cat.png")
    (tmp_path / "labels.csv").write_text(f"image,wnid\n{photo},n02123045\n")
    assert run(binaries / "python", "-c", SCORE, cwd=tmp_path).split()[-1] == "1"


def test_it_needs_no_heavy_package(installed: Path) -> None:
    listed = json.loads(pip(installed, "list", "--format", "json"))
    names = {package["name"].lower() for package in listed}
    assert not names & {"torch", "torchvision", "streamlit", "nltk", "matplotlib"}


def test_what_is_not_installed_is_named_with_its_extra(installed: Path, tmp_path: Path) -> None:
    photos = tmp_path / "photos" / "n02123045"
    photos.mkdir(parents=True)
    Image.new("RGB", (64, 64)).save(photos / "cat.png")
    (tmp_path / "mine.csv").write_text("image,top1\nn02123045/cat.png,n02123045\n")
    run(installed / "genset", "init", tmp_path)
    run(installed / "genset", "evaluate", "photos", "--model", "predictions:mine.csv", cwd=tmp_path)
    for extra, *words in [
        ("evaluate", "evaluate", "photos", "--model", "torchvision:resnet18"),
        ("label", "label"),
        ("report", "report", "photos"),
    ]:
        command = [str(installed / "genset"), *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 2
        assert f"genset[{extra}]" in done.stderr
        assert "Traceback" not in done.stderr
