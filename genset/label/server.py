"""Serve the labeling page: Streamlit, as a child process, on one workspace."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from genset.errors import BadInput, MissingExtra
from genset.workspace import Workspace

# What Streamlit does by default and a labeling server must not: ask for an e-mail address, open a
# browser, send usage statistics, watch the source files, offer to deploy the page, show a
# traceback to a labeler, link an error to other sites.
_OPTIONS = {
    "server.headless": "true",
    "server.showEmailPrompt": "false",
    "browser.gatherUsageStats": "false",
    "server.fileWatcherType": "none",
    "client.toolbarMode": "minimal",
    "client.showErrorDetails": "none",
    "client.showErrorLinks": "false",
    "logger.level": "error",
    "runner.fastReruns": "false",  # one run of a labeler's page at a time
    # Streamlit's own accent is red, which here would read as "incorrect".
    "theme.light.primaryColor": "#1d4ed8",
    "theme.dark.primaryColor": "#3b82f6",
}
_SECONDS_TO_STOP = 5


def serve(workspace: Workspace, port: int = 8501, address: str = "127.0.0.1") -> int:
    """Serve the page until Ctrl-C or SIGTERM, and return the exit code.

    One line on standard error says where the page is, once it is there.

    Raises:
        MissingExtra: Streamlit is not installed.
        BadInput: the port or the address cannot be had.
    """
    if find_spec("streamlit") is None:
        raise MissingExtra("the labeling page", "label")
    page = find_spec("labeler_app")
    if page is None or page.origin is None:
        raise BadInput("genset's labeling page is not installed: install genset again")
    _check_free(port, address)
    options = {**_OPTIONS, "server.port": str(port), "server.address": address}
    child = subprocess.Popen(  # noqa: S603 - our own words
        [sys.executable, "-m", "streamlit", "run", str(Path(page.origin).with_name("app.py"))]
        + [f"--{name}={value}" for name, value in options.items()],
        env={**os.environ, "GENSET_WORKSPACE": str(workspace.root)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,  # its greeting; errors come on standard error
    )
    with _stopped_at_the_end(child):
        if _answers(child, port, address):
            host = f"[{address}]" if ":" in address else address
            line = f"the labeling page is at http://{host}:{port} (Ctrl-C ends it)"
            print(line, file=sys.stderr, flush=True)  # noqa: T201 - this is the output
        return child.wait()
    return 0


def _check_free(port: int, address: str) -> None:
    """Streamlit says it less clearly, and only after it has loaded."""
    if not 1 <= port <= 65535:
        raise BadInput(f"a port is a number from 1 to 65535, not {port}")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            raise BadInput(
                f"cannot serve on {address}, port {port}: {error.strerror}; "
                "choose another port with --port"
            ) from None


def _answers(child: "subprocess.Popen[bytes]", port: int, address: str) -> bool:
    """Wait until the server answers; False when it ended instead."""
    while child.poll() is None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            # Not urllib: it would ask a proxy that the environment names for our own machine.
            connection = http.client.HTTPConnection(address, port, timeout=5)
            with contextlib.closing(connection):
                connection.request("GET", "/_stcore/health")
                connection.getresponse()
                return True
        time.sleep(0.1)
    return False


@contextlib.contextmanager
def _stopped_at_the_end(child: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Swallow Ctrl-C, take SIGTERM for it, and leave no server behind."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
        child.terminate()
        try:
            child.wait(_SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
