"""Amazon Mechanical Turk: the addresses that are its own, what it is given, what it is handed.

A task is an *ExternalQuestion*: MTurk shows our page in a frame, under an address to which it adds
`assignmentId`, `hitId`, `workerId` and `turkSubmitTo`, none of them signed. The finished task is
handed in by a form that is posted to `turkSubmitTo` + ``/mturk/externalSubmit``.
"""

import re
from urllib.parse import quote
from xml.sax.saxutils import escape

from genset.core.errors import BadInput
from genset.db import Store, Visit, now
from genset.db.failures import answering

# Pages that show tasks in a frame: to workers and to requesters, for money and in the sandbox.
FRAMING = (
    "https://worker.mturk.com",
    "https://workersandbox.mturk.com",
    "https://requester.mturk.com",
    "https://requestersandbox.mturk.com",
    "https://www.mturk.com",
)
# Where tasks are handed in: for money and in the sandbox.
TAKING = ("https://www.mturk.com", "https://workersandbox.mturk.com")
# What comes in place of an assignment with somebody who has not accepted the task yet.
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"

_SITE = re.compile(r"https://[A-Za-z0-9.-]+(:[0-9]{1,5})?")
_SCHEMA = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
    "2006-07-14/ExternalQuestion.xsd"
)


def submit_address(turk_submit_to: str) -> str:
    """Where a finished task is posted to.

    Raises:
        BadInput: `turk_submit_to` is not one of the platform's two.
    """
    # Compared whole: an address that is taken apart may be taken apart otherwise by a browser.
    if turk_submit_to.removesuffix("/") not in TAKING:
        raise BadInput(
            "the link's turkSubmitTo is not Mechanical Turk's: open it from the platform"
        )
    return f"{turk_submit_to.removesuffix('/')}/mturk/externalSubmit"


def mturk_question(page: str, key: str) -> str:
    """The ExternalQuestion, as XML, that shows the labeling page for the study with this key.

    `page` is where labelers reach the labeling page. The frame is as high as the worker's window.

    Raises:
        BadInput: `page` is no https address of a host alone: MTurk shows no others.
    """
    site = page.removesuffix("/")
    if not _SITE.fullmatch(site):
        raise BadInput(f"an address for MTurk is like https://labels.example.org, not {page}")
    address = f"{site}/mturk?study={quote(key, safe='')}"
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<ExternalQuestion xmlns="{_SCHEMA}">\n'
        f"  <ExternalURL>{escape(address)}</ExternalURL>\n"
        "  <FrameHeight>0</FrameHeight>\n"
        "</ExternalQuestion>\n"
    )


def hand_in(store: Store, visit_id: int) -> bool:
    """Note that a visit's page hands its task in now; whether none did so before.

    Raises:
        BadInput: there is no such visit, or it has not ended.
        GensetError: the store does not answer.
    """
    with answering(), store.begin_alone() as session:
        visit = session.get(Visit, visit_id)
        if visit is None or visit.ended_at is None:
            raise BadInput("the task is not done yet")
        if visit.handed_in_at is not None:
            return False
        visit.handed_in_at = now()
        return True
