"""The real server in a process of its own, for the tests that need one."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from genset.label.access import manager_token
from genset.workspace import Workspace

_PROGRAM = """\
import sys
from pathlib import Path
from genset.label.server import serve
from genset.workspace import Workspace
sys.exit(serve(Workspace.find(Path(sys.argv[1])), int(sys.argv[2]), sys.argv[3]))
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(
    folder: Path, port: int, address: str = "127.0.0.1", host: str = "127.0.0.1"
) -> Iterator["subprocess.Popen[str]"]:
    """The server, once it has said where it is; killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(folder), str(port), address],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    try:
        page, manager = process.stderr.readline(), process.stderr.readline()
        assert page == f"the labeling page is at http://{host}:{port} (Ctrl-C ends it)\n"
        with patch.dict(os.environ):  # which finding a workspace with an .env changes
            token = manager_token(Workspace.find(folder))  # whichever server of it this is
        assert manager == f"the manager's page is at http://{host}:{port}/manage?token={token}\n"
        yield process
    finally:
        kill(process)


def kill(process: "subprocess.Popen[str]") -> None:
    """End the server as a power cut would, and whatever it may have started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
