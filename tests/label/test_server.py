"""Starting and ending the labeling page's server."""

import os
import signal
import socket
import sys

import pytest

from genset.errors import BadInput, MissingExtra
from genset.label.server import serve
from genset.store import Store
from genset.workspace import Workspace
from tests.label.serving import free_port, serving

Opened = tuple[Workspace, Store]


def test_without_streamlit_the_message_says_what_to_install(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "streamlit", None)

    with pytest.raises(MissingExtra, match=r"pip install 'genset\[label\]'"):
        serve(opened[0])


def test_a_port_that_is_taken_is_told(opened: Opened) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(BadInput, match=rf"port {port}: Address already in use; choose another"):
            serve(opened[0], port)


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_a_port_that_is_none_is_told(opened: Opened, port: int) -> None:
    with pytest.raises(BadInput, match=f"not {port}"):
        serve(opened[0], port)


def test_an_address_that_is_not_ours_is_told(opened: Opened) -> None:
    with pytest.raises(BadInput, match=r"cannot serve on 192\.0\.2\.1"):
        serve(opened[0], free_port(), "192.0.2.1")


def test_ctrl_c_ends_the_server_without_a_word(opened: Opened) -> None:
    port = free_port()
    with serving(opened[0].root, port) as process:
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to parent and child
        out, err = process.communicate(timeout=30)

    assert (process.returncode, out, err) == (0, "", "")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_sigterm_leaves_no_server_behind(opened: Opened) -> None:
    port = free_port()
    with serving(opened[0].root, port) as process:
        process.terminate()
        out, err = process.communicate(timeout=30)

    assert (process.returncode, out, err) == (0, "", "")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
