"""Prolific's own token: what it lets in, and all that it does not."""

import base64
import hmac
import json
import logging
import time
from collections.abc import Callable, Iterator

import pytest
from joserfc.jwk import RSAKey

from genset.core.errors import BadInput, GensetError
from genset.db import Store
from genset.label.crowd import prolific
from genset.label.crowd.prolific import Keys, verify
from genset.label.crowd.studies import Studies, Terms
from genset.label.labelers import Labelers
from tests.label.crowd.key_host import HOST, IDS, KeyHost, key_host


@pytest.fixture
def host() -> Iterator[KeyHost]:
    with key_host() as host:
        yield host


def of(host: KeyHost) -> Keys:
    return Keys(host.address)


@pytest.mark.parametrize(
    "aud", [f"https://{HOST}/?x=1", f"https://{HOST}", HOST, ["https://a.example", HOST]]
)
def test_prolific_s_token_lets_its_visit_in(host: KeyHost, aud: object) -> None:
    verify(host.token(aud=aud), IDS, HOST, of(host))
    verify(host.token(aud=aud), IDS, f"{HOST}:8501", of(host))


def _unsigned(host: KeyHost) -> str:
    said = host.token().split(".")[1]
    header = b'{"alg":"none","kid":"k1"}'
    return f"{_encoded(header)}.{said}."


def _forged(host: KeyHost) -> str:
    return host.token(key=RSAKey.generate_key(2048))


def _with_the_public_key_as_secret(host: KeyHost) -> str:
    said = host.token().split(".")[1]
    header = b'{"alg":"HS256","kid":"k1"}'
    signed = f"{_encoded(header)}.{said}"
    mac = hmac.digest(host.key.as_pem(private=False), signed.encode(), "sha256")
    return f"{signed}.{_encoded(mac)}"


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _changed(host: KeyHost) -> str:
    header, _, signature = host.token().split(".")
    said = json.dumps({"exp": time.time() + 99, "prolific": IDS}).encode()
    return f"{header}.{_encoded(said)}.{signature}"


@pytest.mark.parametrize(
    "make",
    [
        _unsigned,
        _forged,
        _changed,
        _with_the_public_key_as_secret,
        lambda host: host.token(ids=IDS | {"SESSION_ID": "V2"}),
        lambda host: host.token(ids=IDS | {"PROLIFIC_PID": "P2"}),
        lambda host: host.token(ids=IDS | {"STUDY_ID": "S2"}),
        lambda host: host.token(ids={}),
        lambda host: host.token(prolific="V1"),
        lambda host: host.token(aud="https://elsewhere.example/"),
        lambda host: host.token(aud=f"https://{HOST}.evil.example/"),
        lambda host: host.token(aud=None),
        lambda host: host.token(aud=[7]),
        lambda host: host.token(iss="https://elsewhere.example"),
        lambda host: host.token(exp=int(time.time()) - 3600),
        lambda host: host.token(exp=None),
        lambda host: host.token(exp="2099"),
        lambda host: host.token(kid="k2"),
        lambda host: host.token()[:-9],
        lambda host: "no token",
        lambda host: "..",
        lambda host: "é" * 9,
        lambda host: "a" * 100_000,
        lambda host: f"{base64.urlsafe_b64encode(b'[' * 5000).decode()}.e30.e30",
    ],
)
def test_what_prolific_did_not_sign_stays_out(
    host: KeyHost, caplog: pytest.LogCaptureFixture, make: Callable[[KeyHost], str]
) -> None:
    with caplog.at_level(logging.WARNING, "genset.label"), pytest.raises(BadInput) as told:
        verify(make(host), IDS, HOST, of(host))
    assert "from Prolific again" in str(told.value)
    assert "\n" not in str(told.value)


def test_keys_are_kept_and_asked_for_again_when_one_is_new(
    host: KeyHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    keys = of(host)
    for _ in range(3):
        verify(host.token(), IDS, HOST, keys)
    assert host.asked == 1

    host.key = RSAKey.generate_key(2048, {"kid": "k2"})
    host.publish(host.key)
    for number in range(5):  # whoever makes up key ids makes us ask no oftener
        with pytest.raises(BadInput):
            verify(host.token(kid=f"made-up {number}"), IDS, HOST, keys)
    assert host.asked == 1
    now += 61
    verify(host.token(kid="k2"), IDS, HOST, keys)
    assert host.asked == 2
    now += 25 * 60 * 60
    verify(host.token(kid="k2"), IDS, HOST, keys)
    assert host.asked == 3
    now += 25 * 60 * 60
    host.status = 503  # those that were had hold while their host is down
    verify(host.token(kid="k2"), IDS, HOST, keys)
    with pytest.raises(GensetError, match="try again in a minute"):
        verify(host.token(kid="k3"), IDS, HOST, keys)


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (503, [b"{}"]),
        (302, [b""]),
        (200, [b"not json"]),
        (200, [b'{"keys": [7]}']),
        (200, [b" " * 1_000_000] * 100),
    ],
)
def test_a_key_host_that_fails_costs_one_clear_line(
    host: KeyHost, caplog: pytest.LogCaptureFixture, status: int, answer: list[bytes]
) -> None:
    host.status, host.answer = status, answer
    keys = of(host)
    for _ in range(3):
        with (
            caplog.at_level(logging.WARNING, "genset.label"),
            pytest.raises(GensetError, match="try again in a minute"),
        ):
            verify(host.token(), IDS, HOST, keys)
    assert host.asked == 1
    assert caplog.text.count("cannot be had") == 1


def test_a_signed_study_lets_in_whom_prolific_vouches_for_and_nobody_else(
    host: KeyHost, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prolific, "KEYS", of(host))
    labelers, studies = Labelers(store), Studies(store)
    study = studies.add("prolific", "S1", 3, Terms(signed=True))
    for token in ("", host.token(ids=IDS | {"SESSION_ID": "V9"})):
        with pytest.raises(BadInput):
            prolific.by_prolific(labelers, IDS, token, HOST)
    assert labelers.all() == []

    late = host.token(exp=int(time.time()) + 1)
    ann = prolific.by_prolific(labelers, IDS, late, HOST)
    [visit] = studies.visits(study)
    assert (visit.verified, visit.id) == (True, ann.visit_id)
    expired = host.token(exp=int(time.time()) - 3600)
    assert prolific.by_prolific(labelers, IDS, expired, HOST) == ann
    with pytest.raises(BadInput):
        prolific.by_prolific(labelers, IDS | {"SESSION_ID": "V2"}, expired, HOST)
