"""The component's state machine, in Node.js: a fake server, virtual time, and no browser."""

import shutil
import subprocess
from pathlib import Path

import pytest

TESTS = sorted((Path(__file__).parent / "component").glob("*.test.mjs"))


@pytest.mark.parametrize("test", TESTS, ids=lambda path: path.name.removesuffix(".test.mjs"))
def test_state_machine(test: Path) -> None:
    node = shutil.which("node") or shutil.which("nodejs")
    if node is None:
        pytest.skip("no Node.js: install Debian's nodejs")
    command = [node, "--test", "--test-reporter=tap", str(test)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n# skipped 0\n" in done.stdout
