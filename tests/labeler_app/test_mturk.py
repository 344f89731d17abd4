"""Paid work on Mechanical Turk: in its frame, over TLS, without cookies, handed in by a form.

The platform is on loopback under its real names: the browser is told that they are here.
"""

import asyncio
import contextlib
import html
import re
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from playwright.sync_api import Browser, BrowserContext, FrameLocator, Page, expect
from sqlalchemy import select

from genset.db import Label, Labeler, Screen, Store, Visit
from genset.label.crowd.studies import Studies, Study
from tests.browser import guarded
from tests.label.serving import free_port, serving
from tests.labeled_workspace import CRANE, GOLDFISH, TABBY, TENCH, labeled_workspace
from tests.labeler_app.conftest import let_many_label

pytestmark = pytest.mark.browser

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
STORAGE = "() => { try { return localStorage.length } catch (error) { return error.name } }"
SUBMIT = "https://www.mturk.com/mturk/externalSubmit"
LABELS = "labels.example.org"
NAMES = (LABELS, "worker.mturk.com", "www.mturk.com", "evil.example")


@dataclass
class Crowd:
    """What the browser has to be told, and what the platform has received.

    `framed` is the address that the platform's page shows in its frame.
    """

    options: list[str]
    framed: str = ""
    posts: list[tuple[str, dict[str, list[str]]]] = field(default_factory=list)


@contextmanager
def crowd(folder: Path, port: int) -> Iterator[Crowd]:
    """The platform, and TLS for the labeling page that listens at `port`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_certificate(folder))
    platform = ThreadingHTTPServer(("127.0.0.1", 0), _Platform)
    platform.socket = context.wrap_socket(platform.socket, server_side=True)
    with _running(platform.serve_forever, platform.shutdown), _proxy(context, port) as proxy:
        places = {name: proxy if name == LABELS else platform.server_port for name in NAMES}
        rules = ", ".join(f"MAP {name}:443 127.0.0.1:{at}" for name, at in places.items())
        _Platform.crowd = Crowd([f"--host-resolver-rules={rules}", "--ignore-certificate-errors"])
        yield _Platform.crowd
    platform.server_close()


@contextmanager
def _proxy(context: ssl.SSLContext, port: int) -> Iterator[int]:
    """The port where TLS is ended for the server at `port`."""
    loop = asyncio.new_event_loop()  # of a thread of its own: Playwright has one in this
    with _running(loop.run_forever, lambda: loop.call_soon_threadsafe(loop.stop)):
        serving = asyncio.start_server(
            lambda reader, writer: _pass_on(reader, writer, port), "127.0.0.1", 0, ssl=context
        )
        server = asyncio.run_coroutine_threadsafe(serving, loop).result()
        yield server.sockets[0].getsockname()[1]


@contextmanager
def _running(run: Callable[[], object], stop: Callable[[], object]) -> Iterator[None]:
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop()
        thread.join()


class _Platform(BaseHTTPRequestHandler):
    crowd: Crowd

    def do_GET(self) -> None:
        framed = html.escape(self.crowd.framed)
        frame = f'<iframe width="1400" height="860" src="{framed}"></iframe>'
        self._answer(f"<!doctype html><title>Tasks</title>{frame}")

    def do_POST(self) -> None:
        form = self.rfile.read(int(self.headers["Content-Length"])).decode()
        address = f"https://{self.headers['Host']}{self.path}"
        self.crowd.posts.append((address, parse_qs(form)))
        self._answer("<!doctype html><p>The platform has it.")

    def _answer(self, page: str) -> None:
        content = page.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    """As a proxy does that ends TLS and changes nothing else."""
    inner, to_inner = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.gather(_pump(reader, to_inner), _pump(inner, writer))


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):  # one of the two has gone
        while data := await source.read(65536):
            target.write(data)
            await target.drain()
    target.close()


def _certificate(folder: Path) -> Path:
    """A key with a certificate of its own signing, for all the names."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    today = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(map(x509.DNSName, NAMES)), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    file = folder / "certificate.pem"
    file.write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
        + certificate.public_bytes(pem)
    )
    return file


class Platform:
    """Mechanical Turk with a study of two screens, as one worker's browser shows it."""

    def __init__(self, store: Store, study: Study, crowd: Crowd, window: BrowserContext) -> None:
        self.store, self.study, self.crowd, self.window = store, study, crowd, window

    def task(self, site: str = "worker.mturk.com", path: str = "/mturk", **ids: str) -> Page:
        """The page of a site that shows a task in its frame; an id that is "" is left out."""
        words = {
            "study": self.study.key,
            "assignmentId": "A1",
            "hitId": "H1",
            "workerId": "W1",
            "turkSubmitTo": "https://www.mturk.com",
        } | ids
        query = urlencode({name: word for name, word in words.items() if word})
        self.crowd.framed = f"https://{LABELS}{path}?{query}"
        page = self.window.new_page()
        page.goto(f"https://{site}/task")
        return page

    def rows(self, of: type) -> int:
        with self.store.session() as session:
            return len(session.scalars(select(of)).all())


@pytest.fixture(scope="module")
def platform(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("mturk")
    workspace, store = labeled_workspace(folder / "workspace", [TENCH, GOLDFISH, CRANE, TABBY])
    let_many_label(workspace)
    study = Studies(store).add("mturk", "birds & fish", 2)
    port = free_port()
    with (
        serving(workspace.root, port),
        crowd(folder, port) as there,
        guarded(browser, folder / "profile", *there.options) as window,
    ):
        yield Platform(store, study, there, window)
    store.close()


def framed(page: Page) -> FrameLocator:
    return page.frame_locator("iframe")


def work(page: Page, screens: int) -> None:
    """Do so many screens in the frame, by keys alone."""
    frame = framed(page)
    frame.get_by_role("button", name="Start labeling").click()
    for _ in range(screens):
        expect(frame.locator(".screen[data-state='painted']")).to_be_visible()
        expect(frame.locator(".decided")).to_have_text("0 of 5 decided")
        for place in range(1, 6):
            page.keyboard.press(f"Digit{place}")
        page.keyboard.press("Enter")


@pytest.mark.soak
def test_a_worker_does_the_task_in_the_frame_and_it_is_handed_in_once(platform: Platform) -> None:
    page = platform.task(assignmentId="A1", workerId="W1")
    expect(framed(page).get_by_role("button", name="Start labeling")).to_be_visible()
    assert page.frames[1].evaluate(STORAGE) == "SecurityError"  # this browser means it
    work(page, 2)
    expect(framed(page).get_by_text("The platform has it.")).to_be_visible()
    ((address, form),) = platform.crowd.posts
    assert address == SUBMIT
    assert form == {"assignmentId": ["A1"], "outcome": ["done"], "code": [platform.study.code]}
    with platform.store.session() as session:
        labels = session.scalars(select(Label).where(Label.worker == "mturk:W1")).all()
        (visit,) = session.scalars(select(Visit)).all()
    assert len(labels) == 10
    assert (visit.key, visit.outcome) == ("A1", "done")
    # Nothing was kept in the browser for a site in another one's page.
    assert platform.window.cookies(f"https://{LABELS}") == []

    again = platform.task(assignmentId="A1", workerId="W1")
    expect(framed(again).get_by_text("Handed in. Thank you!")).to_be_visible()
    assert len(platform.crowd.posts) == 1
    framed(again).get_by_role("button", name="Hand in again").click()
    expect(framed(again).get_by_text("The platform has it.")).to_be_visible()
    assert platform.crowd.posts[1] == platform.crowd.posts[0]


def test_a_preview_shows_the_instructions_and_takes_nothing(platform: Platform) -> None:
    before = [platform.rows(each) for each in (Labeler, Visit, Screen)]
    page = platform.task(assignmentId=PREVIEW, workerId="", turkSubmitTo="")
    expect(framed(page).get_by_text("Accept the work to begin")).to_be_visible()
    assert framed(page).get_by_role("button", name="Start labeling").count() == 0
    assert [platform.rows(each) for each in (Labeler, Visit, Screen)] == before


@pytest.mark.soak
def test_ids_that_are_another_worker_s_or_of_no_study_get_nothing(platform: Platform) -> None:
    page = platform.task(assignmentId="A7", workerId="W7")
    expect(framed(page).get_by_role("button", name="Start labeling")).to_be_visible()
    before = [platform.rows(each) for each in (Labeler, Visit, Screen, Label)]
    for ids, says in (
        ({"assignmentId": "A7", "workerId": "W8"}, "This visit is somebody else's"),
        ({"study": "another"}, "This study is not known here"),
        ({"workerId": "W\x00"}, "The link's workerId is damaged"),
        ({"assignmentId": "A" * 300}, "The link's assignmentId is damaged"),
    ):
        page = platform.task(**ids)
        expect(framed(page).get_by_text(says)).to_be_visible()
    assert [platform.rows(each) for each in (Labeler, Visit, Screen, Label)] == before


def test_no_other_site_frames_the_page_and_mturk_frames_no_other_page(platform: Platform) -> None:
    for site, path in (
        ("evil.example", "/mturk"),
        ("worker.mturk.com", "/"),
        ("worker.mturk.com", "/manage"),
    ):
        with platform.window.expect_event(
            "console", lambda said: re.search(r"frame-ancestors", said.text) is not None
        ):
            page = platform.task(site, path, assignmentId="A1", workerId="W1")
        assert framed(page).get_by_text("Label photos").count() == 0
