"""The house stays one that a person can carry: size, words, and who imports whom.

The numbers in CEILINGS only ever go down: after a change that lowers one, lower it here too.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parent.parent
TOPS = ("genset", "labeler_app", "wordnet_maps")
OTHER_CODE = (".js", ".css", ".html", ".j2", ".mako")

CEILINGS = {
    "lines of code": 59_151,
    "modules": 471,
    "lines of tests": 49_932,
    "words of docs": 30_000,
    "private words in 1,000 lines": 0.4,
    "classes named by a participle": 14,
    "modules over 400 lines": 0,
    "functions over 50 lines": 26,
    "folders in a path": 4,
    "modules in import circles": 0,
}

# What nobody else calls things: CONTRIBUTING.md says what to write instead.
PRIVATE_WORDS = set(
    re.findall(
        "[a-z]+",
        """
    each said told came theirs ours mine given kept asked held met wanted beside elsewhere
    standing settled meet lacks left own whose vain anew
""",
    )
)

PARTICIPLES = set(
    re.findall(
        "[a-z]+",
        """
    told said met held kept sent left built begun given shown seen written found known chosen taken
    drawn hidden put lost paid bound laid read thought brought torn
""",
    )
)

# Each line may import from the lines above it, and rooms on one line do not import each other.
FLOORS = (
    {"core"},
    {"statistics", "aggregators", "settings", "licenses"},
    {"workspace"},
    {"classes", "tta"},
    {"db", "models"},
    {"net"},
    {"sources", "label", "release", "sandbox"},
    {"scrape", "sets"},
    {"score"},
    {"comparison"},
    {"finetune"},
    {"reporting", "status"},
    {"cli", "api"},
    {"__main__"},
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}

# A release's folder is where stages meet: its reader, and the documents that are made of a
# manifest, are open to those beside it.
MEETING_PLACE = ("genset.release.reader", "genset.release.documents")


@cache
def modules() -> dict[str, Path]:
    paths = (path for top in TOPS for path in (ROOT / top).rglob("*.py"))
    return {dotted(path): path for path in paths}


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All of a module's syntax, itself first."""
    return tuple(ast.walk(ast.parse(path.read_text("utf-8"))))


def imports_in(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Imported names, wherever in a module; `from a import b` is ``a.b``."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{ast.unparse(node)}: a relative import hides its direction"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def imported(path: Path) -> frozenset[str]:
    return frozenset(imports_in(nodes_of(path)))


def room_of(name: str) -> str:
    """The room that a module stands in: ``scrape`` of ``genset.scrape.search``."""
    top, *parts = name.split(".")
    return parts[0] if top == "genset" and parts else top


# Who imports whom


def wrong_direction(name: str, target: str) -> bool:
    room, other = room_of(name), room_of(target)
    if name == "genset":  # which loads a public name when it is first asked for
        return other not in ("api", "importlib", "sys", "typing")
    if target.split(".")[0] in ("labeler_app", "wordnet_maps", "tests"):
        return room != target.split(".")[0]
    if target.split(".")[0] != "genset" or other in (room, "genset", "__version__"):
        return False
    if room == "labeler_app":
        return not target.startswith(("genset.label", "genset.core"))
    if room == "wordnet_maps":
        return not target.startswith(("genset.classes", "genset.core"))
    return FLOOR[other] >= FLOOR[room] and not target.startswith(MEETING_PLACE)


def test_imports_point_one_way() -> None:
    wrong = [
        f"{name} imports {target}"
        for name, path in modules().items()
        for target in imported(path)
        if wrong_direction(name, target)
    ]
    assert not wrong, "\n".join(wrong)


USERS = {  # the rooms that may import a library; all where it is not named here
    "torch": {"models", "score", "comparison", "finetune", "api"},
    "torchvision": {"models", "score", "comparison", "finetune"},
    "scipy": {"statistics", "finetune"},
    "flickrapi": {"sources"},
    "sqlite3": {"db", "tta"},  # which reads MLflow's store
}
NEED_NO_SCIPY = {
    *(f"genset.statistics.intervals.{name}" for name in ("Interval", "wilson")),
    "genset.statistics.agreement.nominal_alpha",
}


def test_a_library_is_imported_by_few_rooms() -> None:
    for name, path in modules().items():
        room, targets = room_of(name), imported(path)
        libraries = {target.split(".")[0] for target in targets}
        assert not [each for each in libraries & USERS.keys() if room not in USERS[each]], name
        assert room != "labeler_app" or "sqlalchemy" not in libraries, name
        if room in ("scrape", "label", "db"):
            used = {target for target in targets if target.startswith("genset.statistics")}
            assert used <= NEED_NO_SCIPY, name


def test_only_tests_in_processes_for_networks_load_pytorch_before_they_run() -> None:
    [line] = re.findall(
        r"^WITH_NETWORKS := ((?:.*\\\n)*.*)", (ROOT / "Makefile").read_text("utf-8"), re.M
    )
    with_networks = [ROOT / word for word in line.replace("\\", " ").split()]
    assert all(path.exists() for path in with_networks)
    todo = {
        path: f"{path}"
        for path in (ROOT / "tests").rglob("test_*.py")
        if not any(path.is_relative_to(place) for place in with_networks)
    }
    seen = set(todo)
    while todo:
        path, way = todo.popitem()
        for name in first_imports(path):
            heavy = name.split(".")[0] in ("crowdkit", "torch", "torchmetrics", "torchvision")
            assert not heavy, f"{way} imports {name}: do so in the tests that use it"
            new = files_of(name) - seen
            seen |= new
            todo |= dict.fromkeys(new, f"{way} imports {name}, which")


def first_imports(path: Path) -> Iterator[str]:
    """What a module imports as soon as it is imported; without parsing the rest of it."""
    lines = r"^(?:from (\S+) import (\([^)]*\)|.*)|import (\S+))"
    text = re.sub('""".*?"""', "", path.read_text("utf-8"), flags=re.S)
    for package, names, whole in re.findall(lines, text, re.M):
        words = re.findall(r"\w+", re.sub("#.*", "", names))
        yield from [whole] if whole else [f"{package}.{word}" for word in words]


def files_of(name: str) -> set[Path]:
    """Our files that an imported name may stand for."""
    places = [ROOT / part.replace(".", "/") for part in (name, name.rpartition(".")[0])]
    found = {path for at in places for path in (at / "__init__.py", at.with_suffix(".py"))}
    return {path for path in found if path.is_file()}


# How much there is


def code_lines(path: Path) -> int:
    """Lines that are neither blank, nor a comment, nor of a docstring."""
    lines = path.read_text("utf-8").splitlines()
    documented: set[int] = set()
    documentable = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in nodes_of(path):
        if isinstance(node, documentable) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            documented |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return sum(
        1
        for number, line in enumerate(lines, 1)
        if number not in documented and line.strip() and not line.strip().startswith("#")
    )


def lines_of_other_code() -> int:
    paths = (path for top in TOPS for path in (ROOT / top).rglob("*") if path.suffix in OTHER_CODE)
    return sum(sum(1 for line in p.read_text("utf-8").splitlines() if line.strip()) for p in paths)


def nodes() -> Iterator[ast.AST]:
    for path in modules().values():
        yield from nodes_of(path)


def names_defined() -> Iterator[str]:
    for node in nodes():
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def words_in(name: str) -> list[str]:
    return re.findall("[a-z]+", re.sub("([A-Z])", r"_\1", name).lower())


def is_participle(name: str) -> bool:
    """Whether a class is named by a bare participle, as ``Told`` or ``Turned``: it is no thing."""
    word = name.strip("_").lower()
    return bool(re.fullmatch("_?[A-Z][a-z]+", name)) and (
        (word.endswith("ed") and len(word) > 4) or word in PARTICIPLES
    )


def modules_in_a_circle() -> list[str]:
    """Modules that import each other, imports within functions too."""
    names = modules()
    graph: dict[str, set[str]] = {}
    for name, path in names.items():
        targets = {t if t in names else t.rpartition(".")[0] for t in imported(path)}
        graph[name] = (targets & names.keys()) - {name, "genset"}
    graph.pop("genset")
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        return list(circle.args[1])
    return []


def measured() -> dict[str, float]:
    """What CEILINGS bounds."""
    paths = modules().values()
    python = sum(map(code_lines, paths))
    functions = [n for n in nodes() if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    docs = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    return {
        "lines of code": python + lines_of_other_code(),
        "modules": len(paths),
        "lines of tests": sum(
            len(path.read_text("utf-8").splitlines()) for path in (ROOT / "tests").rglob("*.py")
        ),
        "words of docs": sum(len(path.read_text("utf-8").split()) for path in docs),
        "private words in 1,000 lines": 1000
        / python
        * sum(word in PRIVATE_WORDS for name in names_defined() for word in words_in(name)),
        "classes named by a participle": sum(
            isinstance(node, ast.ClassDef) and is_participle(node.name) for node in nodes()
        ),
        "modules over 400 lines": sum(
            len(path.read_text("utf-8").splitlines()) > 400 for path in paths
        ),
        "functions over 50 lines": sum(
            (node.end_lineno or node.lineno) - node.lineno + 1 > 50 for node in functions
        ),
        "folders in a path": max(len(path.relative_to(ROOT).parts) - 1 for path in paths),
        "modules in import circles": len(modules_in_a_circle()),
    }


def test_the_house_grows_in_no_way() -> None:
    found = measured()
    assert found.keys() == CEILINGS.keys()
    over = {name: number for name, number in found.items() if number > CEILINGS[name]}
    assert not over, f"over the ceilings of tests/test_house.py: {over}"
