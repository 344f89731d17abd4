"""Paid studies: their terms, who comes for them, what MTurk is given, and Prolific's own token."""

import base64
import hmac
import json
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from joserfc.jwk import RSAKey

from genset.cli import cli
from genset.core.errors import BadInput, GensetError
from genset.db import Store
from genset.label.crowd import prolific
from genset.label.crowd.mturk import hand_in, mturk_question, submit_address
from genset.label.crowd.prolific import Keys, verify
from genset.label.crowd.studies import Studies, Terms
from genset.label.labelers import Labelers
from genset.workspace import Workspace
from tests.label.crowd.key_host import HOST, IDS, KeyHost, key_host

CODES = ("code", "code_failed", "code_declined", "code_nothing")


@pytest.fixture
def studies(store: Store) -> Studies:
    return Studies(store)


@pytest.fixture
def labelers(store: Store) -> Labelers:
    return Labelers(store)


def test_a_study_has_a_code_for_each_way_it_can_end(studies: Studies) -> None:
    made = studies.add("prolific", "S1", 20, Terms(code="C0DE", code_failed="FA1L"))
    assert (made.code, made.code_failed) == ("C0DE", "FA1L")
    assert len({getattr(made, name) for name in CODES}) == 4
    assert studies.find("S1").id == made.id


def test_a_study_that_is_there_keeps_what_is_not_given_anew(studies: Studies) -> None:
    terms = Terms(gold_needed=0.8, pay="£2", consent="We keep your verdicts.", signed=True)
    made = studies.add("prolific", "S1", 20, terms)
    again = studies.add("prolific", "S1", 7, Terms(pay="£3"))
    assert (again.screens, again.pay, again.consent) == (7, "£3", made.consent)
    assert (again.gold_needed, again.signed) == (0.8, True)
    assert [getattr(again, name) for name in CODES] == [getattr(made, name) for name in CODES]
    last = studies.add("prolific", "S1", 7, Terms(gold_needed=0, signed=False))
    assert (last.gold_needed, last.signed) == (None, False)
    assert len(studies.all()) == 1


@pytest.mark.parametrize(
    "add",
    [
        lambda studies: studies.add("crowdflower", "S1", 20),
        lambda studies: studies.add("mturk", "S1", 0),
        lambda studies: studies.add("mturk", "S1", 1, Terms(signed=True)),
        lambda studies: studies.add("mturk", "S1", 1, Terms(gold_needed=80)),
        lambda studies: studies.add("mturk", "S1", 1, Terms(code="two words")),
        lambda studies: studies.add("mturk", "S1", 1, Terms(code="A", code_failed="A")),
    ],
)
def test_a_study_that_is_none_is_refused(
    studies: Studies, add: Callable[[Studies], object]
) -> None:
    with pytest.raises(BadInput):
        add(studies)
    assert studies.all() == []


def test_a_platform_s_worker_is_one_labeler_in_all_of_its_studies(
    studies: Studies, labelers: Labelers
) -> None:
    for key in ("S1", "S2"):
        studies.add("prolific", key, 20)
    studies.add("mturk", "S1", 20)
    worker = labelers.by_study("prolific", "S1", "P1", "V1")
    assert (worker.name, worker.kind) == ("prolific:P1", "prolific")
    assert labelers.by_study("prolific", "S1", "P1", "V1") == worker
    assert labelers.by_study("prolific", "S2", "P1", "V2").id == worker.id
    assert labelers.by_study("mturk", "S1", "P1", "V3").id != worker.id
    assert [each.key for each in studies.visits(studies.find("S1", "prolific"))] == ["V1"]


def test_a_visit_is_one_worker_s_alone(
    studies: Studies, labelers: Labelers, caplog: pytest.LogCaptureFixture
) -> None:
    studies.add("prolific", "S1", 20)
    labelers.by_study("prolific", "S1", "P1", "V1")
    with (
        caplog.at_level(logging.WARNING, "genset.label"),
        pytest.raises(BadInput, match="somebody else's"),
    ):
        labelers.by_study("prolific", "S1", "P2", "V1")
    assert [each.name for each in labelers.all()] == ["prolific:P1"]
    assert "V1" in caplog.text


@pytest.mark.parametrize("platform", ["prolific", "mturk"])
def test_a_visit_is_of_one_study_alone(studies: Studies, labelers: Labelers, platform: str) -> None:
    cheap, dear = (studies.add(platform, key, 20) for key in ("cheap", "dear"))
    labelers.by_study(platform, "cheap", "P1", "V1")
    for person in ("P1", "P2"):
        with pytest.raises(BadInput, match="another study's"):
            labelers.by_study(platform, "dear", person, "V1")
    assert (len(studies.visits(cheap)), studies.visits(dear)) == (1, [])
    # A platform that signs is believed before a claim.
    assert labelers.by_study(platform, "dear", "P1", "V1", verified=True).visit_id is not None


def test_who_declines_has_ended_and_cannot_come_back_for_another_code(
    studies: Studies, labelers: Labelers
) -> None:
    studies.add("prolific", "S1", 20)
    visit = labelers.by_study("prolific", "S1", "P1", "V1").visit_id
    assert visit is not None
    assert studies.consent(visit, agrees=False).outcome == "declined"
    assert studies.consent(visit, agrees=True).consented_at is None
    with pytest.raises(BadInput, match="in an earlier session"):
        labelers.by_study("prolific", "S1", "P1", "V2")
    assert labelers.by_study("prolific", "S1", "P1", "V1").visit_id == visit


def test_who_comes_by_an_invitation_and_a_platform_is_one_labeler(
    studies: Studies, labelers: Labelers
) -> None:
    studies.add("prolific", "S1", 20)
    studies.add("prolific", "S2", 20)
    token = labelers.invite("ann")
    ann = labelers.by_invite(token)
    assert labelers.by_study("prolific", "S1", "P1", "V1", invite=token).id == ann.id
    assert labelers.by_study("prolific", "S2", "P1", "V2").id == ann.id
    assert labelers.by_invite(token) == replace(ann, study_id=studies.find("S2").id)
    with pytest.raises(BadInput, match="invitation is somebody else's"):
        labelers.by_study("prolific", "S1", "P2", "V3", invite=token)
    with pytest.raises(BadInput, match="ask for a new one"):
        labelers.by_study("prolific", "S1", "P2", "V3", invite="made-up")
    assert [each.name for each in labelers.all()] == ["ann"]


@pytest.mark.parametrize(
    "to",
    [
        "",
        "https://evil.example",
        "http://www.mturk.com",
        "//www.mturk.com",
        "https://www.mturk.com.evil.example",
        "https://www.mturk.com@evil.example",
        "https://www.mturk.com\n",
        "https://www.mturk.com//",
        "https://www.mturk.com/elsewhere",
        "https://www.mturk.com:8443",
        "https://worker.mturk.com",
        "javascript:alert(1)//https://www.mturk.com",
    ],
)
def test_a_task_is_handed_in_to_the_platform_and_nowhere_else(to: str) -> None:
    for host in ("https://www.mturk.com", "https://workersandbox.mturk.com"):
        for address in (host, f"{host}/"):
            assert submit_address(address) == f"{host}/mturk/externalSubmit"
    with pytest.raises(BadInput, match="turkSubmitTo is not Mechanical Turk's"):
        submit_address(to)


def test_the_question_is_the_platform_s_xml_whatever_the_key_holds() -> None:
    question = ElementTree.fromstring(mturk_question("https://labels.example.org/", 'a&b <"c">/?'))
    space = (
        "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
        "2006-07-14/ExternalQuestion.xsd}"
    )
    assert question.tag == f"{space}ExternalQuestion"
    address, height = question
    assert (address.tag, height.tag) == (f"{space}ExternalURL", f"{space}FrameHeight")
    assert address.text == "https://labels.example.org/mturk?study=a%26b%20%3C%22c%22%3E%2F%3F"
    assert height.text == "0"  # as high as the window


@pytest.mark.parametrize(
    "page",
    [
        "http://labels.example.org",
        "https://",
        "labels.example.org",
        "https://me@labels.example.org",
        "https://labels.example.org/elsewhere",
        "https://labels.example.org?a=b",
    ],
)
def test_a_page_that_the_platform_does_not_show_is_told_before_a_study_is_stored(
    opened: tuple[Workspace, Store], page: str
) -> None:
    words = ["-w", str(opened[0].root), "labelers", "study", "add", "mturk", "birds"]
    done = CliRunner().invoke(cli, [*words, "--screens", "2", "--address", page])
    assert isinstance(done.exception, BadInput)
    assert Studies(opened[1]).all() == []


def test_a_visit_is_handed_in_once_and_only_when_it_has_ended(store: Store) -> None:
    study = Studies(store).add("mturk", "S1", 1, Terms(consent="Do you agree?"))
    visit = Labelers(store).by_study("mturk", "S1", "W1", "A1").visit_id
    assert visit is not None
    for unfinished in (visit, visit + 1):
        with pytest.raises(BadInput, match="not done yet"):
            hand_in(store, unfinished)
    Studies(store).consent(visit, agrees=False)
    assert [hand_in(store, visit) for _ in range(3)] == [True, False, False]
    (kept,) = Studies(store).visits(study)
    assert kept.handed_in_at is not None


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
