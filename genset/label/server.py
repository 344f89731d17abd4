"""Serve the labeling page on one workspace: what must hold before, and where the page is."""

import contextlib
import signal
import socket
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from urllib.parse import urlsplit

from genset.core.errors import BadInput, GensetError, MissingExtra
from genset.core.files import locked
from genset.db.failures import refuse_emptied, sqlite_file
from genset.label.access import NAME, manager_token, private_folder, secret_of_environment
from genset.workspace import Workspace

_SITE = "site"  # the file that says where the last server is or was: a killed one leaves it too


def serve(workspace: Workspace, port: int = 8501, address: str = "127.0.0.1") -> int:
    """Serve the page until Ctrl-C or SIGTERM, and return the exit code.

    The server runs in this very process, so that whatever ends the process ends it too. Two lines
    on standard error say where the page and its manager's page are, once they are there; a third
    that others may serve the same workspace, where that is so.

    Raises:
        MissingExtra: Streamlit is not installed.
        BadInput: the port or the address cannot be had, or others could reach the page and there
            is no secret to tell labelers apart from strangers.
        GensetError: the database does not answer, is damaged, or is an SQLite file that another
            server serves.
    """
    if find_spec("streamlit") is None:
        raise MissingExtra("the labeling page", "label")
    if find_spec("labeler_app") is None:
        raise BadInput("genset's labeling page is not installed: install genset again")
    if secret_of_environment() is None and address not in ("127.0.0.1", "::1", "localhost"):
        raise BadInput(
            f"others can reach {address}: first put {NAME}=..., 32 random characters or more, "
            f"into the environment or into {workspace.root / '.env'} "
            '(python -c "import secrets; print(secrets.token_hex())" makes them)'
        )
    refuse_emptied(workspace.store_url, workspace.images)
    # Nobody can open 0.0.0.0 or ::, which stand for all of this machine's addresses.
    host = socket.gethostname() if address in ("0.0.0.0", "::") else address  # noqa: S104
    host = f"[{host}]" if ":" in host else host
    here = f"http://{host}:{port}"
    site = workspace.label.address.rstrip("/") or here
    lines = (
        f"the labeling page is at {site} (Ctrl-C ends it)\n"
        f"the manager's page is at {site}/manage?token={manager_token(workspace)}\n"
    )
    if sqlite_file(workspace.store_url) is None:
        lines += f"other servers may share the workspace: give each the same {NAME} and images/\n"

    def announce() -> None:
        with contextlib.suppress(OSError):  # links can be given --address: the page is served
            (private_folder(workspace) / _SITE).write_text(here, "utf-8")
        print(lines, end="", file=sys.stderr, flush=True)  # noqa: T201 - this is the output

    with (
        alone_with(workspace.store_url),
        _listening(port, address) as listener,
        _until_interrupted(),
    ):
        # By its name: the page stands on this room, and not the other way round.
        import_module("labeler_app.server").run(workspace, listener, announce)
    return 0


def served_at(workspace: Workspace) -> str:
    """Where `genset label` serves the workspace on this machine now; "" where none does."""
    try:
        site = (workspace.root / ".label" / _SITE).read_text("utf-8")
        parts = urlsplit(site)
        socket.create_connection((parts.hostname or "", parts.port or 0), 2).close()
    except (OSError, ValueError):
        return ""
    return site


def alone_with(url: str) -> contextlib.AbstractContextManager[None]:
    """Keep other servers from an SQLite database; PostgreSQL's may be served by several."""
    if (file := sqlite_file(url)) is None:
        return contextlib.nullcontext()
    error = GensetError(
        f"another genset label serves {file}: end that one first, or keep the workspace in "
        "PostgreSQL, which several servers may share"
    )
    return locked(file.with_name(f"{file.name}-label"), error)


@contextlib.contextmanager
def _listening(port: int, address: str) -> Iterator[socket.socket]:
    """A socket that listens there; whoever connects before the server has started waits for it."""
    if not 1 <= port <= 65535:
        raise BadInput(f"a port is a number from 1 to 65535, not {port}")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # The protocol is named because asyncio lets answers go out at once only where it is: else
    # their second half waits until the first was acknowledged, which takes 40 ms.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, port))
            listener.listen(128)
        except OSError as error:
            mend = "choose another port with --port"
            if "/" in address:
                mend = "the address that browsers open is `address` under [label] in genset.toml"
            raise BadInput(
                f"cannot serve on {address}, port {port}: {error.strerror}; {mend}"
            ) from None
        yield listener


@contextlib.contextmanager
def _until_interrupted() -> Iterator[None]:
    """Swallow Ctrl-C, and take SIGTERM for it."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            yield
    finally:
        signal.signal(signal.SIGTERM, before)
