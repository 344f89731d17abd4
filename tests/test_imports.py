"""Who may import whom: docs of the rooms, held."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Each line may import from those above it. Rooms on one line stand side by side and do not import
# each other; the parts of one room may.
FLOORS = [
    {"errors", "files", "hashes", "licenses", "own_process", "progress"},
    {"statistics"},
    {"taxonomy"},
    {"workspace", "store"},
    {"scrape", "label", "release", "evaluation", "tta"},
    {"finetune"},
    {"reporting", "status"},
    {"cli"},
    {"__main__"},
]
LEVEL = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}

# A release's folder is where stages meet, so its small reader, and the documents that are made of
# a manifest, are open to those beside it.
MEETING_PLACE = ("genset.release.reader", "genset.release.documents")

MODULES = sorted((ROOT / "genset").rglob("*.py"))


def imported(path: Path) -> set[str]:
    """The modules that a file imports, wherever in it; `from a import b` counts as ``a.b``."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: a relative import hides its direction"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def room_of(path: Path) -> str:
    return path.relative_to(ROOT / "genset").parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path: Path) -> None:
    room = room_of(path)
    if room == "__init__":
        assert not any(name.startswith("genset.") for name in imported(path))
        return
    for name in imported(path):
        parts = name.split(".")
        if parts[0] in ("labeler_app", "wordnet_maps", "tests"):
            pytest.fail(f"{path} imports {name}")
        if parts[0] != "genset" or parts[1] == room or parts[1] == "__version__":
            continue
        below = LEVEL[parts[1]] < LEVEL[room] or {parts[1], room} == {"workspace", "store"}
        base = LEVEL[parts[1]] == LEVEL[room] == 0
        assert below or base or name.startswith(MEETING_PLACE), f"{path} imports {name}"


def test_the_labeling_page_sees_only_labels() -> None:
    for path in (ROOT / "labeler_app").rglob("*.py"):
        for name in imported(path):
            package = name.split(".")[0]
            assert package not in ("sqlalchemy", "sqlite3"), f"{path} imports {name}"
            if package == "genset":
                assert name.startswith(("genset.label", "genset.errors")), f"{path} imports {name}"


def test_only_evaluation_and_finetune_import_torch() -> None:
    for path in MODULES:
        if any(name.split(".")[0] in ("torch", "torchvision") for name in imported(path)):
            assert room_of(path) in ("evaluation", "finetune"), path


def test_only_the_flickr_module_imports_flickrapi() -> None:
    users = {p.name for p in MODULES if any(n.startswith("flickrapi") for n in imported(p))}
    assert users == {"flickr.py"}


@pytest.mark.parametrize(
    "module",
    [
        "genset.cli",
        "genset.label",
        "genset.release.reader",
        "genset.release.freeze",
        "genset.release.reader",
        "genset.release.export",
    ],
)
def test_loads_without_the_heavy_packages(module: str) -> None:
    heavy = "torch", "torchvision", "streamlit", "matplotlib", "nltk", "pyarrow"
    code = f"import sys, {module}; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_importing_genset_alone_loads_none_of_its_rooms() -> None:
    code = "import sys, genset; print([m for m in sys.modules if m.startswith('genset.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
