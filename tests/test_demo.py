"""`make demo`: its commands run, its result is what it says, and it can be killed and run again."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from genset.statistics.power import detectable_difference
from tests.conftest import ROOT

SCRIPT = ROOT / "docs" / "demo" / "demo.sh"
MINUTES = 10 * 60


@pytest.fixture
def environment() -> dict[str, str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    commands = Path(sys.executable).parent
    assert shutil.which("genset", path=str(commands))
    path = os.pathsep.join([str(commands), os.environ["PATH"]])
    return os.environ | {"PATH": path, "DEMO_PORT": str(port)}


@pytest.mark.soak
def test_the_demo_tells_a_mistake_from_chance_and_goes_on_where_it_was_killed(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    kill_after("$ genset evaluate", tmp_path, environment)
    nobody = {"GENSET_CONTACT": "a@example.org", "GENSET_COMMONS_ENDPOINT": "http://127.0.0.1:9/"}
    printed = run(tmp_path, environment | nobody)
    assert "Wikimedia Commons did not answer" in printed
    assert "3 of 11 classes full: 0 stored" in printed
    assert "labels     11 of 14 candidates of 11 classes" in printed
    assert "0 labels added, 11 known already" in printed
    mistake, networks = re.findall(r"\$ genset compare (.*?)\n\n", printed, flags=re.DOTALL)
    assert "They can be told apart." in mistake
    assert "p = 0.031" in mistake
    assert re.search(r"lite2 +66\.7 % \(6 correct of 9 answered, 6 that", mistake)
    assert "Too few photos: the models disagree on 4; McNemar’s test needs at least 6." in networks
    report = (tmp_path / "workspace" / "report-demo.html").read_text("utf-8")
    assert "lite2 can be told apart from every other model." in report


def test_so_many_photos_as_the_demo_says_show_two_points() -> None:
    text = " ".join(re.sub(r"' \\\\\n *'", " ", SCRIPT.read_text("utf-8")).split())
    said = re.search(
        r"differ on (\d+) % of .* then ([\d,]+) photos show a difference of (\d+)", text
    )
    assert said
    share, photos, points = (int(each.replace(",", "")) for each in said.groups())
    shown = detectable_difference(photos, share / 100)
    assert shown is not None
    assert round(100 * shown, 1) == points


def run(folder: Path, environment: dict[str, str]) -> str:
    """Run the demo to its end; return what it printed."""
    done = subprocess.run(
        [SCRIPT, "workspace"],
        cwd=folder,
        env=environment,
        timeout=MINUTES,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def kill_after(line: str, folder: Path, environment: dict[str, str]) -> None:
    """Run the demo, kill its shell once a line begins so, and see its sandbox end."""
    with subprocess.Popen(
        [SCRIPT, "workspace"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as demo:
        assert any(printed.startswith(line) for printed in demo.stdout or ())
        demo.kill()
    wait_until_free(int(environment["DEMO_PORT"]))


def wait_until_free(port: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return
        time.sleep(0.1)
    raise AssertionError("the sandbox outlived the demo")
