"""Who may import whom: docs of the rooms, held."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Each line may import from those above it. Rooms on one line stand side by side and do not import
# each other; the parts of one room may.
FLOORS = [
    {"errors", "files", "fingerprint", "hashes", "own_process", "pixels", "progress"},
    {"statistics", "text"},
    {"aggregators", "dataset", "licenses", "taxonomy"},
    {"workspace", "store"},
    {"scrape", "sandbox", "label", "release", "evaluation", "tta"},
    {"finetune", "protocols"},
    {"reporting", "status"},
    {"cli", "api"},
    {"__main__"},
]
LEVEL = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}

# The same inside the rooms that have rooms of their own; and inside those.
INNER_FLOORS = {
    "evaluation": [
        {"processes", "mapping"},
        {"models"},
        {"data"},
        {"engines"},
        {"results"},
        {"run"},
        {"evaluate", "locate"},
    ],
    "evaluation.mapping": [
        {"convention", "words", "wordnet"},
        {"outputs"},
        {"pooling"},
        {"record"},
    ],
    "evaluation.models.checkpoints": [
        {"allowed", "kinds"},
        {"read", "held"},
        {"places"},
        {"find"},
        {"translate"},
        {"put"},
    ],
    "taxonomy": [
        {"classes"},
        {"entries", "taxonomy"},
        {"kinds"},
        {"imagenet"},
        {"wordnet"},
        {"document", "syntax"},
        {"changes", "checks"},
        {"own"},
        {"built_in"},
        {"making"},
    ],
    "taxonomy.making": [{"ids", "senses"}, {"drafts"}, {"together", "remarks", "write"}],
    "taxonomy.wordnet": [{"inflection"}, {"nouns", "queries"}],
    "evaluation.models": [
        {"trained"},
        {"spec", "preprocessing", "weights"},
        {"classes", "files", "transforms", "parts"},
        {"architectures", "exported"},
        {"checkpoints"},
        {"zeroshot"},
        {"huggingface"},
        {"load", "class_names"},
        {"kinds", "memory"},
    ],
    "evaluation.data": [
        {"truths.truth"},
        {"formats", "sets"},
        {"photos", "transforms", "truths"},
        {"cache"},
        {"loader"},
    ],
    "evaluation.data.sets": [
        {"photo", "endings", "kept", "patterns"},
        {"layout"},
        {"release", "folder", "labels"},
        {"tars", "tables"},
    ],
    "evaluation.data.sets.tars": [{"members"}, {"webdataset"}, {"tar"}],
    "evaluation.data.sets.tables": [
        {"class_names", "features", "parquet", "arrow"},
        {"hugging_face"},
    ],
    "evaluation.data.truths": [{"truth"}, {"forms"}, {"read", "keep"}, {"give"}],
    "evaluation.run": [
        {"environment", "packages", "settled", "shards", "startup"},
        {"options"},
        {"meeting"},
        {"job"},
        {"executors.executor"},
        {"agreement"},
        {"plan"},
        {"assemble"},
        {"score"},
        {"executors"},
        {"in_memory", "latency", "audit"},
    ],
    "cli": [
        {"common"},
        {"classes", "labeling", "models", "pool", "tta", "watch"},
        {"begin", "release"},
        {"protocol"},
    ],
    "cli.pool": [
        {"dry_run", "plans", "sources"},
        {"duplicates", "imports", "keywords", "life", "scrape"},
    ],
    "cli.labeling": [
        {"gold", "label", "managers", "proposals", "reviews", "studies", "trust"},
        {"labelers", "labels"},
    ],
    "cli.models": [{"finetune_tables", "latency", "truth"}, {"finetune", "report", "score"}],
    "evaluation.results": [
        {"kept"},
        {"references", "elsewhere"},
        {"measures"},
        {"evaluated"},
        {"given"},
    ],
    "evaluation.results.kept": [
        {"runs"},
        {"arrays", "names", "remarks"},
        {"best_answers", "sanity_checks"},
        {"count", "flags"},
        {"results"},
    ],
    "evaluation.results.measures": [
        {"blur_cost", "breakdown", "margin", "marks", "proposers", "whole", "logits"},
        {"compare", "multilabel"},
        {"missed", "standing"},
    ],
    "evaluation.results.elsewhere": [
        {"predictions"},
        {"answers", "own_tables"},
        {"mapped"},
    ],
    "evaluation.results.elsewhere.answers": [
        {"names", "wording", "lines"},
        {"taking"},
        {"prompts"},
        {"read"},
    ],
    "evaluation.results.references": [
        {"published", "sets", "ladder"},
        {"names"},
        {"find"},
        {"build"},
    ],
    "finetune": [{"data", "network"}, {"results"}, {"fit"}, {"finetune"}],
    "finetune.data": [{"layouts"}, {"copies", "readable"}, {"split"}, {"tasks"}],
    "finetune.data.layouts": [{"listing"}, {"butterflies", "cats_dogs", "cub", "folder"}],
    "finetune.network": [{"heads"}, {"checkpoint", "features"}],
    "finetune.results": [{"runs"}, {"compare"}],
    "finetune.fit": [{"augment", "probe", "shots"}, {"sgd"}, {"options"}, {"fitting"}],
    "label": [
        {"answering"},
        {"people"},
        {"proposals"},
        {"quality"},
        {"queue"},
        {"session", "exchange"},
        {"server"},
    ],
    "label.people": [
        {"mturk", "secret", "studies", "prolific"},
        {"labelers", "standing"},
        {"arrivals", "managers"},
    ],
    "label.proposals": [
        {"choose", "share"},
        {"asked", "existing"},
        {"agreeing", "plan"},
        {"bias", "rounds"},
    ],
    "label.quality": [
        {"aggregate.votes"},
        {"aggregate.majority", "aggregate.frequency", "aggregate.dawid_skene"},
        {"aggregate"},
        {"gold", "duplicates", "in_force", "agreement"},
        {"gallery", "suspicion"},
        {"by_labeler", "review", "suspects", "void", "at_work"},
        {"stats", "by_visit"},
    ],
    "label.quality.gallery": [{"photos"}, {"by_class", "by_labeler"}, {"one"}],
    "label.queue": [
        {"leased", "pools"},
        {"board"},
        {"boards", "hiding"},
        {"asking"},
        {"leases"},
    ],
    "label.session": [
        {"images", "pictures", "reasons", "rounds", "shown", "sources"},
        {"adding", "view", "progress"},
        {"submitting"},
        {"desk"},
    ],
    "label.exchange": [
        {"sheet"},
        {"classes", "table", "opinions", "submissions"},
        {"proposed", "requested", "to_label"},
        {"archive", "restore"},
    ],
    "protocols": [{"protocol"}, {"kept", "standing"}, {"earlier", "save", "windows"}],
    "release.choosing": [{"plan", "left_out"}, {"copies"}],
    "release.multilabel": [
        {"answers", "again"},
        {"kept", "several", "facts", "recount"},
        {"freeze"},
    ],
    "scrape": [
        {"fetch"},
        {"sources", "keywords"},
        {"opt_out"},
        {"collect", "imports", "upkeep"},
    ],
    "scrape.sources": [
        {"source", "owners"},
        {"apis"},
        {"flickr", "commons", "inaturalist"},
        {"registry", "words"},
    ],
    "sandbox": [
        {"collection"},
        {"messages", "faults", "crowd"},
        {"log", "dialect"},
        {"flickr", "commons", "inaturalist"},
        {"trouble"},
        {"server"},
    ],
    "sandbox.collection": [{"chance", "pictures"}, {"photos"}, {"rows"}, {"records"}],
    "sandbox.flickr": [{"sizes"}, {"replies"}, {"api"}, {"dialect"}],
    "sandbox.commons": [{"files"}, {"replies"}, {"api"}, {"dialect"}],
    "sandbox.inaturalist": [{"observations"}, {"replies"}, {"dialect"}],
    "reporting": [
        {"latency", "data", "suspects"},
        {"format", "inputs", "names"},
        {"gather", "narrative", "figures"},
        {"render"},
        {"write", "truth"},
        {"series"},
    ],
    "reporting.gather.tta": [{"identity", "margins"}, {"entries"}],
    "reporting.series": [
        {"yearly"},
        {"data"},
        {"conventions"},
        {"gather", "narrative"},
        {"years"},
        {"render"},
        {"write"},
    ],
    "reporting.series.gather": [
        {"conventions"},
        {"identity", "subsets"},
        {"scores"},
        {"pairs", "groupings", "labeled", "newer"},
        {"years"},
        {"collect"},
    ],
    "reporting.render.page": [
        {"anchors", "figures", "script", "sections"},
        {"leaderboard", "profiles"},
        {"page"},
    ],
    "tta": [{"logs", "traces"}, {"analysis", "record"}, {"plots", "show"}],
    "tta.logs": [
        {"numbers", "tasks", "read_as", "swapped"},
        {"entries"},
        {"dawnbench", "mlperf", "tables"},
        {"formats", "names", "copies"},
        {"reading"},
    ],
    "tta.logs.dawnbench": [{"fields", "curve"}, {"files"}],
    "tta.logs.mlperf": [{"lines", "benchmarks", "systems"}, {"run"}, {"files"}],
    "tta.analysis": [
        {"hardware", "units", "together"},
        {"rows", "one_entry"},
        {"baseline"},
        {"table"},
        {"stability", "thresholds", "scaling", "over_time"},
        {"factors"},
        {
            "profile.families",
            "profile.intervals",
            "profile.communication",
            "profile.work",
        },
        {"roofline"},
        {"profile"},
    ],
    "tta.analysis.profile": [
        {"families", "intervals"},
        {"communication", "matrix_units", "cpu_time", "ranks", "span"},
        {"shares", "work"},
        {"by_workers", "run"},
        {"compared"},
    ],
    "tta.analysis.profile.work": [
        {"work"},
        {"inputs"},
        {"convolution", "elements", "pooling", "products"},
        {"formulas"},
        {"heads"},
        {"count"},
    ],
    "tta.analysis.roofline": [
        {"peaks"},
        {"points", "counters"},
        {"remarks"},
        {"roofline"},
    ],
    "tta.analysis.factors": [
        {"study"},
        {"configurations"},
        {"effects", "curves"},
        {"steps"},
        {"interactions"},
        {"analyse"},
    ],
    "tta.logs.tables": [
        {"sheets"},
        {"columns"},
        {"runs", "event_files"},
        {"ffcv", "table"},
        {"fastai", "lightning", "wandb", "tensorboard"},
    ],
    "tta.logs.tables.columns": [{"clock", "metrics", "described"}, {"find"}],
    "tta.logs.tables.event_files": [{"scalars"}, {"sheet"}],
    "tta.logs.tables.sheets": [{"cells", "sheet"}, {"delimited", "parquet"}, {"open"}],
    "tta.traces": [
        {"trace", "refused", "packed", "nesting", "how"},
        {"stream", "events"},
        {"build", "lacks", "ncu"},
        {"kineto"},
    ],
    "tta.traces.events": [{"fields"}, {"columns", "communication", "kept"}, {"collect"}],
    "tta.record": [
        {"lines", "machine", "seeds", "provenance"},
        {"recorder", "recording"},
        {"task", "running", "inference"},
        {"series"},
    ],
    "tta.plots": [
        {"style"},
        {"profile"},
        {"stability", "thresholds", "scaling", "over_time", "factors"},
    ],
    "tta.plots.profile": [
        {"axes", "labels"},
        {"bars", "throughput", "counters", "roofs", "by_workers"},
        {"roofline"},
        {"figure"},
    ],
    "tta.show": [
        {"words"},
        {"table", "stability", "thresholds", "scaling", "over_time", "factors", "profile"},
    ],
    "tta.show.profile": [
        {"numbers"},
        {"shares", "communication", "roofline", "counters", "by_workers"},
        {"profile"},
    ],
}

# Rooms that are used through their `__init__`, which stands above all their floors.
DOORS = (
    "cli",
    "cli.classes",
    "cli.protocol",
    "cli.release",
    "cli.tta",
    "sandbox",
    "label",
    "label.quality.aggregate",
    "tta",
    "taxonomy",
    "taxonomy.wordnet",
)

# Tables of names, which import nothing of ours: whoever reads an option may read them.
TABLES = (
    "genset.evaluation.engines",
    "genset.evaluation.models.kinds",
    "genset.evaluation.run.executors",
)

# A release's folder is where stages meet, so its small reader, and the documents that are made of
# a manifest, are open to those beside it.
MEETING_PLACE = ("genset.release.reader", "genset.release.documents")

STATISTICS = ROOT / "genset" / "statistics"
MODULES = sorted((ROOT / "genset").rglob("*.py"))


@cache
def imported(path: Path) -> set[str]:
    """The modules that a file imports, wherever in it; `from a import b` counts as ``a.b``."""
    return names_in(ast.walk(ast.parse(path.read_text("utf-8"))))


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{ast.unparse(node)}: a relative import hides its direction"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def loaded_first(path: Path) -> set[str]:
    """As `imported`, of the lines outside of functions, classes and conditions."""
    tree = ast.parse(path.read_text("utf-8"))
    return names_in(node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom))


def files_of(name: str) -> set[Path]:
    """Our files that an imported name may stand for."""
    places = [ROOT / each.replace(".", "/") for each in (name, name.rpartition(".")[0])]
    found = {each for at in places for each in (at / "__init__.py", at.with_suffix(".py"))}
    return {each for each in found if each.is_file()}


def room_of(path: Path) -> str:
    return path.relative_to(ROOT / "genset").parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path: Path) -> None:
    room = room_of(path)
    if room == "__init__":  # which loads a public name when it is first asked for
        assert {name.rpartition(".")[0] for name in imported(path)} <= {
            "genset.api",
            "importlib",
            "typing",
        }
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


def place_in(floors: Sequence[set[str]], inner: str) -> int:
    """The floor of a module, by its dotted name in its room; the longest name that fits counts."""
    found = [
        (len(room), level)
        for level, rooms in enumerate(floors)
        for room in rooms
        if f"{inner}.".startswith(f"{room}.")
    ]
    assert found, f"{inner} stands on no floor"
    return max(found)[1]


@pytest.mark.parametrize("room", INNER_FLOORS)
def test_imports_point_one_way_inside_a_room_too(room: str) -> None:
    floors, package = INNER_FLOORS[room], f"genset.{room}"
    folder = ROOT / "genset" / Path(*room.split("."))
    for path in sorted(folder.rglob("*.py")):
        inner = ".".join(path.relative_to(folder).with_suffix("").parts)
        own = package if inner == "__init__" else f"{package}.{inner}"
        if path.name == "__init__.py":
            own = own.removesuffix(".__init__")
            assert own.removeprefix("genset.") in DOORS or not any(
                name.startswith(f"{package}.") for name in imported(path)
            ), path
            continue
        for name in imported(path):
            if not name.startswith(f"{package}.") or name.rpartition(".")[0] in TABLES:
                continue
            there = name.removeprefix(f"{package}.")
            here = place_in(floors, inner)
            same_room = inner.split(".")[0] == there.split(".")[0]
            assert place_in(floors, there) < here or same_room, f"{own} imports {name}"


def test_the_labeling_page_sees_only_labels() -> None:
    for path in (ROOT / "labeler_app").rglob("*.py"):
        for name in imported(path):
            package = name.split(".")[0]
            assert package not in ("sqlalchemy", "sqlite3"), f"{path} imports {name}"
            if package == "genset":  # how to show strangers' words is the same for every room
                allowed = ("genset.label", "genset.errors", "genset.text")
                assert name.startswith(allowed), f"{path} imports {name}"


@pytest.mark.soak
def test_only_evaluation_and_finetune_import_torch() -> None:
    for path in MODULES:
        if any(name.split(".")[0] in ("torch", "torchvision") for name in imported(path)):
            # `api` names a network's type, and imports it for the type checker alone.
            assert room_of(path) in ("evaluation", "finetune", "api"), path


def test_only_tests_in_processes_for_networks_load_pytorch_before_they_run() -> None:
    [listed] = re.findall(
        r"^WITH_NETWORKS := ((?:.*\\\n)*.*)", (ROOT / "Makefile").read_text("utf-8"), re.M
    )
    with_networks = [ROOT / word for word in listed.replace("\\", " ").split()]
    assert all(path.exists() for path in with_networks)
    todo = {
        path: f"{path}"
        for path in (ROOT / "tests").rglob("test_*.py")
        if not any(path.is_relative_to(place) for place in with_networks)
    }
    seen = set(todo)
    while todo:
        path, way = todo.popitem()
        for name in loaded_first(path):
            heavy = name.split(".")[0] in ("crowdkit", "torch", "torchmetrics", "torchvision")
            assert not heavy, f"{way} imports {name}: do so in the tests that use it"
            new = files_of(name) - seen
            seen |= new
            todo |= dict.fromkeys(new, f"{way} imports {name}, which")


def test_only_the_statistics_import_scipy() -> None:
    for path in MODULES:
        if any(name.split(".")[0] == "scipy" for name in imported(path)):
            assert room_of(path) == "statistics", path


NEED_NO_SCIPY = [f"genset.statistics.intervals.{name}" for name in ("Interval", "wilson")]


@pytest.mark.parametrize("room", ["scrape", "label"])
def test_scraping_and_labeling_use_statistics_that_need_no_scipy(room: str) -> None:
    for path in (ROOT / "genset" / room).rglob("*.py"):
        for name in imported(path):
            if name.startswith("genset.statistics"):
                assert name in NEED_NO_SCIPY, f"{path} imports {name}"


@pytest.mark.soak
def test_only_one_module_imports_flickrapi() -> None:
    users = {p.name for p in MODULES if any(n.startswith("flickrapi") for n in imported(p))}
    assert users == {"flickr_api.py"}


@pytest.mark.parametrize(
    "module",
    [
        "genset.api",
        "genset.cli",
        "genset.scrape",
        "genset.label",
        "genset.release.reader",
        "genset.release.freeze",
        "genset.release.reader",
        "genset.release.export",
        *(f"genset.statistics.{path.stem}" for path in sorted(STATISTICS.glob("[!_]*.py"))),
    ],
)
def test_loads_without_the_heavy_packages(module: str) -> None:
    heavy = "torch", "torchvision", "streamlit", "matplotlib", "nltk", "pyarrow", "scipy"
    code = f"import sys, {module}; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def run_without(packages: Sequence[str], code: str, *words: str) -> str:
    """What Python prints for `code`, where to import any of the packages is an error."""
    missing = f"import sys; sys.modules.update(dict.fromkeys({list(packages)}))\n"
    command = [sys.executable, "-c", missing + code, *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_help_needs_neither_scipy_nor_numpy() -> None:
    code = "from genset.__main__ import main; main()"
    assert "genset scrape" in run_without(["scipy", "numpy"], code, "--help")


def test_wilsons_interval_and_holms_correction_need_no_scipy() -> None:
    code = """
from genset.statistics.intervals import wilson
from genset.statistics.multiple_testing import benjamini_hochberg, holm
print(wilson(3, 5).low > 0, holm([0.01, 0.5]), benjamini_hochberg([0.01, 0.5]))
"""
    assert run_without(["scipy"], code).strip() == "True [0.02, 0.5] [0.02, 0.5]"


_LABELED = """
import sys
from pathlib import Path
from sqlalchemy import select
from genset.cli import cli
from genset.store import Candidate, Store, Verdict
from genset.workspace import Workspace
from tests.labeled_workspace import TABBY, TENCH, picture, vote

def genset(*words):
    cli(["-w", str(root), *words], standalone_mode=False)

root = Path(sys.argv[1]) / "workspace"
photos = Path(sys.argv[1]) / "photos"
for number, wnid in enumerate((TENCH, TENCH, TABBY)):
    (photos / wnid).mkdir(parents=True, exist_ok=True)
    (photos / wnid / f"{number}.jpg").write_bytes(picture(number))
cli(["init", str(root)], standalone_mode=False)
genset("add", str(photos), "--license", "Public Domain Mark")
store = Store.open(Workspace.find(root).store_url)
with store.session() as session:
    tasks = [candidate.task for candidate in session.scalars(select(Candidate))]
for place, task in enumerate(tasks):
    for worker in ("Ann", "Ben", "Cleo"):
        vote(store, task, worker, Verdict.CORRECT if place else Verdict.INCORRECT)
store.close()
genset("status")
genset("labels", "stats")
genset("labels", "aggregate", "--method", "dawid-skene", "-o", str(root / "together.csv"))
genset("release", "create", "v1")
"""


@pytest.mark.soak
def test_from_scraping_to_a_release_nothing_needs_scipy(tmp_path: Path) -> None:
    printed = run_without(["scipy"], _LABELED, str(tmp_path))
    assert "9 votes" in printed, printed


def test_importing_genset_alone_loads_none_of_its_rooms() -> None:
    code = "import sys, genset; print([m for m in sys.modules if m.startswith('genset.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
