"""The server: Streamlit's own, with the routes that the labeling component talks to."""

import contextlib
import hashlib
import logging
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import uvicorn
from streamlit import config
from streamlit.starlette import App

from genset.label import Store, Workspace
from genset.label.people.access import label_secret
from labeler_app.middleware import EDGE, LARGEST_HEADERS, NO_ERROR_DIALOGS, BoundedHandshakes
from labeler_app.routes import routes

# What Streamlit does by default and a labeling server must not: ask for an e-mail address, open a
# browser, send usage statistics, watch the source files, offer to deploy the page, show a
# traceback to a labeler, link an error to other sites.
_SETTINGS = {
    "server.headless": True,
    "server.showEmailPrompt": False,
    "browser.gatherUsageStats": False,
    "server.fileWatcherType": "none",
    "client.toolbarMode": "minimal",
    "client.showErrorDetails": "none",
    "client.showErrorLinks": "false",
    "logger.level": "error",
    "runner.fastReruns": False,  # one run of a labeler's page at a time
    # Streamlit's own accent is red, which here would read as "incorrect".
    "theme.light.primaryColor": "#1d4ed8",
    "theme.dark.primaryColor": "#3b82f6",
}
_SECONDS_TO_STOP = 5
_LARGEST_MESSAGE = 256 * 1024  # bytes that a page sends at once: what stands in its fields


def run(workspace: Workspace, listener: socket.socket, announce: Callable[[], None]) -> None:
    """Serve on a socket that listens already; call `announce` when the page is there.

    Returns, or raises KeyboardInterrupt, when the process is told to end.
    """
    os.environ["GENSET_WORKSPACE"] = str(workspace.root)
    cookies = f"cookies {label_secret(workspace)}"
    os.environ["STREAMLIT_SERVER_COOKIE_SECRET"] = hashlib.sha256(cookies.encode()).hexdigest()
    secrets = workspace.root / ".streamlit" / "secrets.toml"
    options = _SETTINGS | ({"secrets.files": [str(secrets)]} if secrets.is_file() else {})
    config.get_config_options(force_reparse=True, options_from_flags=options)

    @contextlib.asynccontextmanager
    async def lifespan(_: App) -> AsyncIterator[None]:
        announce()
        yield

    _log_to_standard_error()
    # Who asks the store gives the turn away each time, and has it back within this: the reading of
    # a large pool, in a thread beside, must not make each answer wait for 5 ms as often as it asks.
    sys.setswitchinterval(0.0005)
    with contextlib.closing(Store.open(workspace.store_url)) as store:
        app = App(
            Path(__file__).with_name("app.py"),
            routes=routes(workspace, store),
            middleware=[*EDGE, NO_ERROR_DIALOGS],
            lifespan=lifespan,
        )
        settings = uvicorn.Config(
            app,
            log_level="error",
            access_log=False,
            timeout_graceful_shutdown=_SECONDS_TO_STOP,
            http=BoundedHandshakes,
            h11_max_incomplete_event_size=LARGEST_HEADERS,
            ws_max_size=_LARGEST_MESSAGE,
        )
        uvicorn.Server(settings).run(sockets=[listener])


def _log_to_standard_error() -> None:
    """Refused labels are a manager's business: one line each."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s"))
    logging.getLogger("genset").addHandler(handler)
