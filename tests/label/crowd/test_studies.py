"""Paid studies: their terms, who comes for them, and what Mechanical Turk is given and handed."""

import logging
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.core.errors import BadInput
from genset.db import Store
from genset.label.crowd.mturk import hand_in, mturk_question, submit_address
from genset.label.crowd.studies import Studies, Terms
from genset.label.labelers import Labelers
from genset.workspace import Workspace

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
