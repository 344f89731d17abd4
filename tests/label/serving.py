"""The real server in a process of its own, for the tests that need one."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PROGRAM = """\
import sys
from pathlib import Path
from genset.label.server import serve
from genset.workspace import Workspace
sys.exit(serve(Workspace.find(Path(sys.argv[1])), int(sys.argv[2])))
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(folder: Path, port: int) -> Iterator["subprocess.Popen[str]"]:
    """The server, once it has said where it is; killed with its children at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(folder), str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        assert said == f"the labeling page is at http://127.0.0.1:{port} (Ctrl-C ends it)\n"
        yield process
    finally:
        kill(process)


def kill(process: "subprocess.Popen[str]") -> None:
    """End the server and its children as a power cut would; they get no time to tidy up."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
