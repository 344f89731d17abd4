"""Starting and ending the labeling page's server."""

import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from genset.core.errors import BadInput, MissingExtra
from genset.db import Store
from genset.label.access import label_secret
from genset.label.server import serve
from genset.workspace import Workspace
from tests.commands import run, says
from tests.label.serving import free_port, serving

Opened = tuple[Workspace, Store]


def test_without_streamlit_the_message_says_what_to_install(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "streamlit", None)

    with pytest.raises(MissingExtra, match=r"pip install 'genset\[label\]'"):
        serve(opened[0])


def test_no_half_of_an_answer_waits_for_the_other(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """asyncio sends what it has at once where a socket names its protocol."""
    found: list[int] = []

    def served(_workspace: object, listener: socket.socket, _: object) -> None:
        found.append(listener.proto)

    monkeypatch.setattr("labeler_app.server.run", served)
    serve(opened[0], free_port())
    assert found == [socket.IPPROTO_TCP]


def ends_without_a_word(process: "subprocess.Popen[str]", how: signal.Signals, port: int) -> None:
    process.send_signal(how)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "", "")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_a_killed_server_leaves_nothing_running_and_one_at_a_time_serves_an_sqlite_file(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, port = opened[0], free_port()
    monkeypatch.chdir(workspace.root)
    with serving(workspace.root, port) as process:
        process.kill()  # this one process, not its group
        process.communicate(timeout=30)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))
    # The next one starts, also where the user's home is not readable, even by root.
    (tmp_path / ".streamlit" / "secrets.toml").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    with serving(workspace.root, port) as process:
        assert requests.get(f"http://127.0.0.1:{port}/genset/ready", timeout=30).ok
        refused = run("label", "--port", free_port(), cwd=workspace.root)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr == (
            f"genset: another genset label serves {workspace.root / 'genset.db'}: end that one "
            "first, or keep the workspace in PostgreSQL, which several servers may share\n"
        )
        assert f"http://127.0.0.1:{port}/?invite=" in says("labelers", "invite", "Ann")
        ends_without_a_word(process, signal.SIGINT, port)
    assert "http://127.0.0.1:8501/?invite=" in says("labelers", "invite", "Ann")


def test_what_cannot_be_served_is_told_and_others_are_let_in_only_with_a_secret(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(port: int, *address: str) -> str:
        with pytest.raises(BadInput) as told:
            serve(opened[0], port, *address)
        return str(told.value)

    for port in (0, 65536):
        assert f"not {port}" in refused(port)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert f"port {port}: Address already in use; choose another" in refused(port)
    for address in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        assert "first put GENSET_LABEL_SECRET" in refused(free_port(), address)
    monkeypatch.setenv("GENSET_LABEL_SECRET", "short")
    assert "has 5 characters: take at least 32" in refused(free_port())
    monkeypatch.setenv("GENSET_LABEL_SECRET", "s" * 32)
    assert "cannot serve on 192.0.2.1" in refused(free_port(), "192.0.2.1")
    assert "that browsers open is `address`" in refused(free_port(), "https://labels.org/")
    port = free_port()
    with serving(opened[0].root, port, "0.0.0.0", socket.gethostname()) as process:
        ends_without_a_word(process, signal.SIGTERM, port)


def test_the_workspace_keeps_a_secret_of_its_own_where_none_is_given(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = opened[0]
    with monkeypatch.context() as given:
        given.setenv("GENSET_LABEL_SECRET", "s" * 32)
        assert label_secret(workspace) == "s" * 32
    kept = workspace.root / ".label" / "secret"
    assert not kept.exists()
    secret = label_secret(workspace)
    assert len(secret) >= 32
    assert label_secret(workspace) == secret
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert (kept.parent / ".gitignore").read_text("utf-8") == "*\n"
