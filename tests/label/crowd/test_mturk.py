"""What Mechanical Turk is given and handed, and that nobody else is."""

import json
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


@pytest.mark.parametrize("host", ["www.mturk.com", "workersandbox.mturk.com"])
def test_a_task_is_handed_in_to_the_platform(host: str) -> None:
    address = f"https://{host}/mturk/externalSubmit"
    assert submit_address(f"https://{host}") == address
    assert submit_address(f"https://{host}/") == address


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
def test_a_task_is_handed_in_nowhere_else(to: str) -> None:
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
        "https://[labels",
        "https://labels.example.org\n",
    ],
)
def test_a_page_that_the_platform_does_not_show_is_told(page: str) -> None:
    with pytest.raises(BadInput, match=r"for MTurk is like https://labels\.example\.org"):
        mturk_question(page, "S1")


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


def test_the_command_prints_the_question_and_refuses_an_address_before_it_stores(
    opened: tuple[Workspace, Store],
) -> None:
    workspace, store = opened
    words = ["-w", str(workspace.root), "labelers", "study", "add", "mturk", "birds", "--screens"]
    plain = CliRunner().invoke(cli, [*words, "2", "--address", "http://here"])
    assert isinstance(plain.exception, BadInput)
    assert Studies(store).all() == []

    address = ["--address", "https://labels.example.org"]
    question = mturk_question("https://labels.example.org", "birds")
    assert question.rstrip() in CliRunner().invoke(cli, [*words, "2", *address]).output
    answer = CliRunner().invoke(cli, [*words, "2", *address, "--json"])
    assert json.loads(answer.stdout)["question"] == question
