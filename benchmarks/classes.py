"""What genset takes on a workspace of 21,000 classes of its own, which is ImageNet-21k's size.

    python -m benchmarks.classes --make DIR        # once, in some minutes
    python -m benchmarks.classes DIR --runs 3
    python -m benchmarks.classes DIR --only page

The classes are kinds of WordNet, with its words and hierarchy. Each has five candidates with small
photos; two have three labels each, and go into a release of some 41,000. Commands are whole
processes, measured from outside, start-up included. `page` is the real server of the labeling page,
asked over HTTP. `benchmarks/README.md` says what came out.
"""

import argparse
import csv
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.pool import GENSET, measure, report, start

CLASSES = 21_000
CANDIDATES = 5  # of each class
LABELED = 2  # of them
MODELS = ("one", "two")
SEVERAL = 20  # screens that one labeler asks for, one after the other


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--make", action="store_true", help="make the workspace there")
    parser.add_argument("--classes", type=int, default=CLASSES, help="(default 21000)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each (default 3)")
    parser.add_argument("--only", default="", help="measure what has this in its name")
    args = parser.parse_args()
    folder = args.folder.resolve()
    if args.make:
        make(folder, args.classes)
        return
    with tempfile.TemporaryDirectory(prefix="genset-benchmark-") as work:
        compare(folder, Path(work), args)


def make(folder: Path, count: int) -> None:
    """The file of classes, and a workspace with a pool and a release, on which models answered."""
    from benchmarks.release import fill_pool
    from genset.workspace import Workspace

    folder.mkdir(parents=True)
    (folder / "wnids.txt").write_text("\n".join(kinds(count)))
    subprocess.run([*GENSET, *from_synsets(folder, "classes.toml")], cwd=folder, check=True)
    subprocess.run([*GENSET, "init", "work", "--taxonomy", "classes.toml"], cwd=folder, check=True)
    work = folder / "work"
    fill_pool(Workspace.find(work), count * CANDIDATES, count * LABELED)
    create = ["release", "create", "v1", "--strategy", "majority", "--no-refresh"]
    subprocess.run([*GENSET, *create], cwd=work, check=True)
    for place, name in enumerate(MODELS, start=1):
        write_answers(work, name, place)


def kinds(count: int) -> list[str]:
    """The first kinds of things, by wnid, that WordNet has: no instances, which have a name."""
    from genset.classes.wordnet import nouns

    table = nouns()
    found = {wnid for depth in range(20) for wnid in table.below("n00001930", depth)}
    return sorted(found)[:count]


def from_synsets(folder: Path, output: str) -> list[str]:
    """The words of the command that makes the file of classes."""
    wnids = (folder / "wnids.txt").read_text().split()
    return ["classes", "from-synsets", *wnids, "-o", output, "--force"]


def write_answers(work: Path, name: str, place: int) -> None:
    """Answers of a model that takes each `place + 2`-th photo for one of a class nearby."""
    import genset

    photos = genset.open_set(str(work / "releases" / "v1")).photos
    wnids = sorted({photo.wnid for photo in photos})
    places = {wnid: number for number, wnid in enumerate(wnids)}
    with (work / f"{name}.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["image", *(f"top{rank}" for rank in range(1, 6))])
        for number, photo in enumerate(photos):
            near = [wnids[(places[photo.wnid] + step) % len(wnids)] for step in range(5)]
            first = place if number % (place + 2) == 0 else 0
            rows.writerow([photo.id, *near[first:], *near[:first]])


def compare(folder: Path, place: Path, args: argparse.Namespace) -> None:
    """Run each command in turn, and print what it took."""
    work, log = folder / "work", place / "log"
    one = (folder / "wnids.txt").read_text().split()[-1]
    commands = {
        "classes from-synsets": from_synsets(folder, str(place / "made.toml")),
        "classes show": ["classes", "show", str(folder / "classes.toml")],
        "init": ["init", str(place / "new"), "--taxonomy", str(folder / "classes.toml")],
        "keywords": ["keywords"],
        "keywords, one class": ["keywords", one],
        "status": ["status"],
        "scrape --dry-run": ["scrape", "--per-class", "100", "--dry-run"],
        "release create": ["release", "create", "v2", "--strategy", "majority", "--no-refresh"],
        "release verify": ["release", "verify", "v1"],
        "evaluate, predictions": ["evaluate", "v1", *models()],
        "report": ["report", "v1", "-o", str(place / "page.html")],
    }
    made = [place / "new", work / "releases" / "v2", work / "runs"]
    keep: dict[str, list[Path]] = {"report": []}
    print("| | seconds | of processors | runs | peak MB |\n|---|---:|---:|---:|---:|")
    for name, words in commands.items():
        if args.only not in name:
            continue
        costs = []
        for _ in range(args.runs):
            for each in keep.get(name, made):
                shutil.rmtree(each, ignore_errors=True)
            costs.append(measure(words, work, log))
        report(name, costs)
    if (place / "page.html").exists():
        print(f"the report has {(place / 'page.html').stat().st_size / 1e6:.1f} MB")
    if args.only in "start of scrape":
        costs = []
        for _ in range(args.runs):
            copy = place / "copy"
            shutil.copytree(work, copy, ignore=shutil.ignore_patterns("images", "releases"))
            settings = copy / "genset.toml"
            settings.write_text(settings.read_text().replace('"commons"', '"flickr"'))
            costs.append(start(["--per-class", "100"], copy, log))
            shutil.rmtree(copy)
        report("start of scrape", costs)
    if args.only in "label page":
        label(work, args.runs)


def models() -> list[str]:
    return [word for name in MODELS for word in ("--model", f"predictions:{name}.csv?name={name}")]


def label(work: Path, runs: int) -> None:
    """Start the server of the labeling page, and print how long a labeler waits, and its memory."""
    from genset.db import Store
    from genset.workspace import Workspace
    from tests.label.http_page import HttpPage, session_of
    from tests.label.serving import free_port, serving

    workspace = Workspace.find(work)
    spans: dict[str, list[float]] = {}

    def timed(what: str, do: Callable[[], object]) -> None:
        started = time.perf_counter()
        do()
        spans.setdefault(what, []).append(time.perf_counter() - started)

    memory = 0
    for run in range(runs):
        store = Store.open(workspace.store_url)
        page = HttpPage(port := free_port(), session_of(workspace, store, f"labeler {run}"))
        store.close()
        with serving(work, port) as server:
            timed("first batch of screens", page.fill)
            for _ in range(SEVERAL):
                page.decide(page.screens.pop(0))
                timed("labels taken", page.flush)
                timed("next batch", page.fill)
            peak = Path(f"/proc/{server.pid}/status").read_text().partition("VmHWM:")[2].split()[0]
            memory = max(memory, int(peak) // 1024)
    for what, each in spans.items():
        print(f"{what}: {statistics.median(each):.3f} s, at most {max(each):.3f} ({len(each)})")
    print(f"memory of the server: at most {memory} MB")


if __name__ == "__main__":
    main()
