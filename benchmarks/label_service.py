"""How long labelers wait for the labeling server, when many label at once.

    python -m benchmarks.label_service
    python -m benchmarks.label_service --store postgresql+psycopg://user@host/empty_database
    python -m benchmarks.label_service --labelers 200 --seconds 300 --candidates 300000
    python -m benchmarks.label_service --peer label-studio --program ENV/bin/label-studio

The real server runs in a process of its own. Each labeler is a thread that asks it over HTTP as the
labeling page does, but for the pictures: five photos every four seconds (`--every`), each photo for
three labelers, a tenth of the photos shown are gold questions. Every third answer brings screens
("both"), so "screens" alone are a labeler's first. They come one after the other in the
first minute (`--coming`), whose answers count too. One labeler, who labels alone before
the others come, has done all but a hundred of the candidates. The database must be empty; without
--store it is a new SQLite file.
"""

import argparse
import os
import statistics
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from sqlalchemy import func, insert, select

from benchmarks import label_studio
from genset.db import GoldAnswer, Label, Store, Verdict
from genset.label.labelers import Labelers
from genset.workspace import Workspace
from tests.label.http_page import HttpPage, session_of
from tests.label.serving import free_port, serving
from tests.labeled_workspace import add_pool

VOTES = 3
LEFT = 100  # candidates, for the labeler who has done all others
VETERAN = "who has done nearly all"


def main() -> None:
    """Print what was asked, how long it took, and what became of the labels."""
    words = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    words.add_argument("--store", help="the URL of an empty database")
    words.add_argument("--candidates", type=int, default=300_000)
    words.add_argument("--labelers", type=int, default=200)
    words.add_argument("--every", type=float, default=4, help="seconds a screen")
    words.add_argument("--coming", type=float, default=60, help="seconds in which all come")
    words.add_argument("--seconds", type=float, default=300)
    words.add_argument("--peer", choices=["label-studio"], help="measure this one instead")
    words.add_argument("--program", default="label-studio", help="the peer's")
    asked = words.parse_args()
    if asked.peer:
        print(f"{asked.labelers} labelers, {asked.peer}")
        label_studio.measure(
            asked.program, asked.labelers, asked.seconds, asked.every, asked.coming
        )
        return
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.create(Path(folder) / "workspace")
        if asked.store:
            os.environ["GENSET_STORE_URL"] = asked.store
        settings = workspace.root / "genset.toml"
        rules = settings.read_text("utf-8").replace("votes = 1\n", f"votes = {VOTES}\n")
        settings.write_text(rules.replace("gold = 0.0\n", "gold = 0.1\n"), "utf-8")
        workspace = Workspace.find(workspace.root)
        store = Store.open(workspace.store_url)
        add_pool(store, asked.candidates, max(5, asked.candidates // 1000))
        label_nearly_all(store, asked.candidates)
        names = ["the first one", VETERAN, *(f"labeler {n}" for n in range(asked.labelers))]
        port = free_port()
        pages = {name: HttpPage(port, session_of(workspace, store, name)) for name in names}
        print(f"{asked.labelers} labelers, {asked.candidates} candidates, {store.engine.name}")
        with serving(workspace.root, port) as server:
            alone(pages.pop("the first one"), pages.pop(VETERAN))
            before = seconds_of_cpu(server.pid)
            together(list(pages.values()), asked.seconds, asked.every, asked.coming)
            print(f"seconds of CPU that the server took: {seconds_of_cpu(server.pid) - before:.1f}")
        tell(pages.values(), store, names[2:])
        store.close()
    print("load", *(f"{each:.1f}" for each in os.getloadavg()))


def label_nearly_all(store: Store, candidates: int) -> None:
    """The labels of somebody who has done all candidates but the last."""
    Labelers(store).by_name(VETERAN)
    rows = [
        {
            "id": uuid.uuid4(),
            "candidate_id": number,
            "worker": VETERAN,
            "verdict": Verdict.CORRECT,
            "panel": "main",
            "via": "import",
        }
        for number in range(1, candidates - LEFT + 1)
    ]
    with store.begin() as session:
        session.execute(insert(Label), rows)


def alone(first: HttpPage, veteran: HttpPage) -> None:
    """Print how long screens take on a server that has just started, and near the end."""
    first.fill()
    veteran.fill()
    for _ in range(20):
        veteran.decide(veteran.screens.pop(0))
        veteran.flush()
    cold = 1000 * veteran.spans["screens"][0]
    warm = [1000 * span for span in veteran.spans["both"]]
    print(f"first screen of the server: {1000 * first.spans['screens'][0]:.0f} ms")
    print(f"screens of a labeler who has done nearly all: the first {cold:.0f} ms,", end=" ")
    print(f"then {statistics.median(warm):.0f} ms, at most {max(warm):.0f} ms")


def together(pages: Sequence[HttpPage], seconds: float, every: float, coming: float) -> None:
    """Let the labelers label; they come one after the other within the first `coming` seconds."""
    until = time.monotonic() + seconds

    def label(page: HttpPage, after: float) -> None:
        time.sleep(after)
        page.work(lambda: time.monotonic() < until, every)

    threads = [
        threading.Thread(target=label, args=(page, coming * place / len(pages)))
        for place, page in enumerate(pages)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def seconds_of_cpu(process: int) -> float:
    """What a process has used up to now; 0 where the system does not tell."""
    try:
        used = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")


def tell(pages: Iterable[HttpPage], store: Store, names: Sequence[str]) -> None:
    """Print the table of requests, and compare what is stored with what was acknowledged."""
    print("route      requests   p50 ms   p95 ms   p99 ms   max ms")
    for route in ("submit", "both", "screens"):
        spans = sorted(1000 * span for page in pages for span in page.spans[route])
        marks = (spans[int(share * (len(spans) - 1))] for share in (0.5, 0.95, 0.99, 1))
        print(f"{route:9}  {len(spans):8}", *(f"{mark:8.1f}" for mark in marks))
    sent = {each for page in pages for each in page.sent}
    said = {each: reason for page in pages for each, reason in page.said.items()}
    with store.session() as session:
        labels = session.execute(
            select(Label.id, Label.candidate_id, Label.worker).where(Label.worker.in_(names))
        ).all()
        over = len(
            session.execute(
                select(Label.candidate_id)
                .group_by(Label.candidate_id)
                .having(func.count(Label.worker.distinct()) > VOTES)
            ).all()
        )
        of_gold = session.scalars(select(GoldAnswer.id).where(GoldAnswer.worker.in_(names))).all()
    stored = {str(label.id) for label in labels} | set(map(str, of_gold))
    acknowledged = {each for each, reason in said.items() if not reason}
    given = Counter((label.candidate_id, label.worker) for label in labels)
    print(f"{sum(len(page.errors) for page in pages)} errors")
    print(f"labels: {len(sent)} sent, {len(acknowledged)} acknowledged, {len(stored)} stored,")
    print(f"  {len(said) - len(acknowledged)} refused, {len(sent - said.keys())} unanswered,")
    print(f"  {len(acknowledged - stored)} lost, {sum(given.values()) - len(given)} doubled,")
    print(f"  {over} candidates with more votes than wanted")


if __name__ == "__main__":
    main()
