"""Label Studio before the same labelers as `label_service`: a peer, for comparison.

    python -m venv ENV; ENV/bin/pip install label-studio
    python -m benchmarks.label_service --peer label-studio --program ENV/bin/label-studio

As pip installs it: its own server, SQLite. A task is five photos, each with a choice, and goes to
three labelers; each has an account, and asks for the next task when the last is stored.
"""

import os
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests

from tests.label.serving import free_port, kill

PHOTOS, VOTES = 5, 3
PATIENCE = 60.0  # seconds until a request counts as lost, and for the server to be there
_PLACES = range(1, PHOTOS + 1)
_CONFIG = "".join(
    f'<Image name="photo{n}" value="$photo{n}"/><Choices name="choice{n}" toName="photo{n}">'
    '<Choice value="correct"/><Choice value="incorrect"/></Choices>'
    for n in _PLACES
)


class StudioPage:
    """One labeler. `spans` has the seconds of each answer by route, `errors` what was none."""

    def __init__(self, address: str, name: str) -> None:
        self.spans: dict[str, list[float]] = {"screens": [], "submit": []}
        self.errors: list[str] = []
        self.stored = 0
        self._address = address
        self._http = requests.Session()
        page = self._http.get(f"{address}/user/signup/", timeout=PATIENCE).text
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert token is not None, page[:200]
        person = {"email": f"{name}@example.org", "password": "a long password"}
        form = {"csrfmiddlewaretoken": token[1], **person, "allow_newsletters": "false"}
        self._http.post(f"{address}/user/signup/", form, timeout=PATIENCE).raise_for_status()
        self.ask("GET", "/api/current-user/whoami")

    def ask(self, method: str, path: str, body: Any = None, span: str = "") -> Any:
        """One request of the page; its JSON."""
        began = time.perf_counter()
        headers = {"X-CSRFToken": self._http.cookies.get("csrftoken", "")}
        address = f"{self._address}{path}"
        reply = self._http.request(method, address, json=body, headers=headers, timeout=PATIENCE)
        if not reply.ok:
            raise requests.HTTPError(
                f"{path}: {reply.status_code} {reply.text[:200]}", response=reply
            )
        if span:
            self.spans[span].append(time.perf_counter() - began)
        return reply.json()

    def work(self, project: int, goes_on: Callable[[], bool], every: float) -> None:
        """Label, a task every so often, while it goes on and there are tasks."""
        due = time.monotonic()
        while goes_on():
            due = max(due + every, time.monotonic())
            try:
                task = self.ask("GET", f"/api/projects/{project}/next/", span="screens")
                time.sleep(max(0.0, due - time.monotonic()))
                body = {"result": _result(), "lead_time": every, "project": project}
                path = f"/api/tasks/{task['id']}/annotations/?project={project}"
                self.ask("POST", path, body, span="submit")
                self.stored += 1
            except requests.RequestException as error:
                self.errors.append(str(error))
                if getattr(error.response, "status_code", None) == 404:
                    return  # there is no task left
                time.sleep(1.0)


def measure(program: str, labelers: int, seconds: float, every: float, coming: float) -> None:
    """Print the table of requests for so many labelers, who come within the `coming` seconds."""
    with serving(program) as address:
        manager = StudioPage(address, "manager")
        settings = {"title": "five photos", "label_config": f"<View>{_CONFIG}</View>"}
        project = manager.ask("POST", "/api/projects/", settings | {"maximum_annotations": VOTES})
        number = project["id"]
        tasks = [
            {f"photo{place}": f"https://example.org/{task}/{place}.jpg" for place in _PLACES}
            for task in range(int(labelers * seconds / every / VOTES) + labelers)
        ]
        for first in range(0, len(tasks), 1000):
            manager.ask("POST", f"/api/projects/{number}/import", tasks[first : first + 1000])
        pages = [StudioPage(address, f"labeler{place}") for place in range(labelers)]
        until = time.monotonic() + seconds

        def label(page: StudioPage, after: float) -> None:
            time.sleep(after)
            page.work(number, lambda: time.monotonic() < until, every)

        threads = [
            threading.Thread(target=label, args=(page, coming * place / labelers))
            for place, page in enumerate(pages)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        tell(pages)


def tell(pages: Sequence[StudioPage]) -> None:
    """Print how long the answers took."""
    print("route      requests   p50 ms   p95 ms   p99 ms   max ms")
    for route in ("submit", "screens"):
        spans = sorted(1000 * span for page in pages for span in page.spans[route]) or [0.0]
        marks = (spans[int(share * (len(spans) - 1))] for share in (0.5, 0.95, 0.99, 1))
        print(f"{route:9}  {len(spans):8}", *(f"{mark:8.1f}" for mark in marks))
    errors = [error for page in pages for error in page.errors]
    print(f"{len(errors)} errors; {sum(page.stored for page in pages)} tasks stored")
    print(*sorted(set(errors))[:3], sep="\n")
    print("load", *(f"{load:.1f}" for load in os.getloadavg()))


@contextmanager
def serving(program: str) -> Iterator[str]:
    """The address of a Label Studio of our own, without any data."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        words = ["start", "--no-browser", "--port", str(port), "--data-dir", folder]
        log = (Path(folder) / "log").open("w")
        process = subprocess.Popen(
            [program, *words],
            stdout=log,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            env=os.environ | {"COLLECT_ANALYTICS": "false", "LATEST_VERSION_CHECK": "false"},
        )
        address = f"http://127.0.0.1:{port}"
        try:
            until = time.monotonic() + 5 * PATIENCE
            while True:
                try:
                    requests.get(f"{address}/health", timeout=PATIENCE).raise_for_status()
                    break
                except requests.RequestException:
                    if process.poll() is not None or time.monotonic() > until:
                        raise SystemExit((Path(folder) / "log").read_text()[-2000:]) from None
                    time.sleep(0.5)
            yield address
        finally:
            kill(process)
            log.close()


def _result() -> list[dict[str, Any]]:
    return [
        {
            "from_name": f"choice{place}",
            "to_name": f"photo{place}",
            "type": "choices",
            "value": {"choices": ["correct"]},
        }
        for place in _PLACES
    ]
