"""How long a labeler waits for the next five photos, and for the word that their labels are stored.

    python -m benchmarks.label_page --photos DIR

DIR holds photos in folders named by wnid. A workspace is made of them, `genset label` serves it,
and a real Chromium labels it by keys: with no delay, and behind a proxy that adds a round trip of
100 ms. Both times are taken within the browser: from the press of Enter until the next five photos
are decoded and a frame with them has been painted, and until "saved n/n" says that all is stored.
`benchmarks/README.md` says what came out.
"""

import argparse
import asyncio
import os
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from playwright.sync_api import Page

from genset.db import Store
from genset.workspace import Workspace
from tests.browser import chromium
from tests.label.serving import free_port, serving
from tests.labeled_workspace import add_candidate
from tests.labeler_app.component import begin

# Key presses come from a page without eval, so this listens in the page from its start. A frame
# that is asked for after the pictures are decoded, and the task after it, come after the paint.
MEASURE = """
window.measured = { next: [], saved: [] };
let pressed = null, waiting = null;
addEventListener("keydown", (event) => {
  if (event.code !== "Enter") return;
  pressed = waiting = event.timeStamp;
}, true);
const look = (root) => new MutationObserver(async () => {
  const screen = root.querySelector(".screen");
  if (pressed !== null && screen.dataset.state !== "painted" && !screen.measured) {
    screen.measured = true;
    const since = pressed;
    pressed = null;
    const images = [...screen.querySelectorAll(".card img")];
    await Promise.all(images.map((image) => image.decode()));
    requestAnimationFrame(() => setTimeout(() => measured.next.push(performance.now() - since)));
  }
  const saved = /^saved ([\\d,]+)\\/([\\d,]+)$/.exec(root.querySelector(".saved").textContent);
  if (waiting !== null && saved && saved[1] === saved[2] && saved[1] !== window.before) {
    window.before = saved[1];
    measured.saved.push(performance.now() - waiting);
    waiting = null;
  }
}).observe(root, { subtree: true, childList: true, characterData: true });
const wait = setInterval(() => {
  const root = document.querySelector("[data-testid=stBidiComponentIsolated]")?.shadowRoot;
  if (!root?.querySelector(".screen .card")) return;
  clearInterval(wait);
  window.before = "0";
  look(root);
}, 50);
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=_Plain)
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--decisions", type=int, default=120, help="screens in each run")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds spent on a screen")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        _fill(root, asked.photos, 5 * asked.decisions + 25)
        port = free_port()
        with serving(root, port):
            print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
            for name, round_trip in (("no delay", 0.0), ("100 ms round trip", 0.1)):
                with _delayed(port, round_trip) as there:
                    times = _label(there, name.split()[0], asked.decisions, asked.pause)
                for what, taken in times.items():
                    print(f"{name}, {what}: {_summary(taken)}", flush=True)


class _Plain(argparse.RawDescriptionHelpFormatter):
    """Shows the text above as it is written."""


def _fill(root: Path, photos: Path, wanted: int) -> None:
    """A workspace with this many real photos, in classes of five, which every labeler gets."""
    workspace = Workspace.create(root)
    settings = root / "genset.toml"
    settings.write_text(settings.read_text("utf-8").replace("votes = 1\n", "votes = 50\n"), "utf-8")
    found = sorted(path for path in photos.rglob("*.jpg") if path.parent.name.startswith("n"))
    with closing(Store.open(workspace.store_url)) as store:
        wnids = sorted({path.parent.name for path in found})
        for number in range(wanted):
            path = found[number % len(found)]
            # The same file again is another photo: its address has another name.
            content = path.read_bytes() + number.to_bytes(4, "big")
            wnid = wnids[number // 5 % len(wnids)]
            add_candidate(workspace, store, wnid, number, number, content=content)


def _label(port: int, worker: str, decisions: int, pause: float) -> dict[str, list[float]]:
    with chromium() as browser:
        window = browser.new_context(viewport={"width": 1440, "height": 900})
        page = window.new_page()
        page.add_init_script(MEASURE)
        page.goto(f"http://127.0.0.1:{port}/?labeler={worker}")
        begin(page)
        time.sleep(2)
        for done in range(1, decisions + 1):
            for key in ("Digit1", "Shift+Digit2", "Digit3", "Digit4", "Digit5", "KeyA", "Enter"):
                page.keyboard.press(key)
            _until(page, done)
            time.sleep(pause)
        return {
            "next five photos": page.evaluate("measured.next"),
            "acknowledged": page.evaluate("measured.saved"),
        }


def _until(page: Page, done: int) -> None:
    for _ in range(500):
        counts = page.evaluate("[measured.next.length, measured.saved.length]")
        if min(counts) >= done:
            return
        time.sleep(0.02)
    sys.exit(f"screen {done} was not measured: {counts}")


@contextmanager
def _delayed(port: int, round_trip: float) -> Iterator[int]:
    """A port that leads to `port`, half a round trip away."""
    if not round_trip:
        yield port
        return
    loop = asyncio.new_event_loop()
    listener = socket.create_server(("127.0.0.1", 0))

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # What is read is written half a round trip later, in order, however much is on its way.
        queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def write() -> None:
            while True:
                due, data = await queue.get()
                await asyncio.sleep(due - loop.time())
                if not data:
                    writer.close()
                    return
                writer.write(data)
                await writer.drain()

        task = loop.create_task(write())
        try:
            while data := await reader.read(65536):
                queue.put_nowait((loop.time() + round_trip / 2, data))
            queue.put_nowait((loop.time() + round_trip / 2, b""))
            await task
        except OSError:
            task.cancel()
            writer.close()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(pass_on(reader, back), pass_on(there, writer))

    server = loop.run_until_complete(asyncio.start_server(connect, sock=listener))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def _summary(taken: Sequence[float]) -> str:
    ordered = sorted(taken)
    p95 = ordered[round(0.95 * (len(ordered) - 1))]
    median = statistics.median(ordered)
    return f"median {median:.0f} ms, p95 {p95:.0f} ms, most {ordered[-1]:.0f} ms (n = {len(taken)})"


if __name__ == "__main__":
    main()
