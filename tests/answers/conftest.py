"""The option that writes the recorded answers anew."""

import os

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record", action="store_true", help="write tests/answers/recorded anew")


@pytest.fixture(scope="session")
def recording(request: pytest.FixtureRequest) -> bool:
    """Whether answers are written, not compared: only where a person asks for it."""
    record = bool(request.config.getoption("--record", default=False))
    if record and os.environ.get("CI"):
        pytest.exit("--record writes what answers are compared with: not in CI", returncode=4)
    return record
