"""Let in who comes from Prolific: by its signature where the study asks for one."""

from genset.label.people.labelers import Labeler, Labelers
from genset.label.people.prolific import Ids, Keys, verify
from genset.label.people.studies import Studies

KEYS = Keys()


def by_prolific(
    labelers: Labelers, ids: Ids, token: str, host: str, invite: str | None = None
) -> Labeler:
    """The labeler who came by an address with these ids (`prolific.IDS`), to a page on `host`.

    `token` is Prolific's own, "" for none; `invite` the token of an invitation, if there is one.

    Raises:
        BadInput: as `Labelers.by_study`, or the token is not good.
        GensetError: the store does not answer, or Prolific's keys cannot be had now.
        MissingExtra: the library that checks signatures is not installed.
    """
    study = Studies(labelers.store).known("prolific", ids["STUDY_ID"])
    verified = False
    if study is not None and study.signed and token:
        before = Studies(labelers.store).visit(study, ids["SESSION_ID"])
        seen = before is not None and before.verified
        verify(token, ids, host, KEYS, seen_before=seen)
        verified = True
    return labelers.by_study(
        "prolific",
        ids["STUDY_ID"],
        ids["PROLIFIC_PID"],
        ids["SESSION_ID"],
        verified=verified,
        invite=invite,
    )
