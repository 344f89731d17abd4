"""Labels: who may give them, what to show next, what was said of it, and what it says in sum."""

from genset.classes import LONGEST_ID, ImageClass, Taxonomy
from genset.db import LabelerAct, Store, Verdict
from genset.db.failures import answering
from genset.label.aggregate import Vote
from genset.label.ballots import votes_table
from genset.label.crowd.mturk import mturk_question
from genset.label.crowd.studies import Studies, Study, Terms, Visit, consent_in, prolific_address
from genset.label.crowd.submissions import Reconciliation, reconcile, write_decisions
from genset.label.crowd.visits import VisitReport, report_visits
from genset.label.exchange.labels import export_labels, import_labels
from genset.label.gold import (
    KnownPhoto,
    add_gold_question,
    list_gold_questions,
    retire_gold_question,
)
from genset.label.people.access import Manager, Managers, label_secret, workspace_key
from genset.label.people.labelers import Labeler, Labelers
from genset.label.proposals.questions import asks_further_classes
from genset.label.session.desk import Desk
from genset.label.session.pictures import image_id, picture_path, shown_picture
from genset.label.session.shown import (
    AddedClass,
    AlsoScreen,
    Confusable,
    Done,
    Example,
    LoadedScreen,
    NewLabel,
    Progress,
    Receipt,
    Screen,
    ShownPhoto,
    ShownQuestion,
    Submission,
)
from genset.label.session.sources import SourceWarning, heed, notices, warnings
from genset.workspace import Workspace

__all__ = [
    "LONGEST_ID",
    "AddedClass",
    "AlsoScreen",
    "Confusable",
    "Desk",
    "Done",
    "Example",
    "ImageClass",
    "KnownPhoto",
    "Labeler",
    "LabelerAct",
    "Labelers",
    "LoadedScreen",
    "Manager",
    "Managers",
    "NewLabel",
    "Progress",
    "Receipt",
    "Reconciliation",
    "Screen",
    "ShownPhoto",
    "ShownQuestion",
    "SourceWarning",
    "Store",
    "Studies",
    "Study",
    "Submission",
    "Taxonomy",
    "Terms",
    "Verdict",
    "Visit",
    "VisitReport",
    "Vote",
    "Workspace",
    "add_gold_question",
    "answering",
    "asks_further_classes",
    "consent_in",
    "export_labels",
    "heed",
    "image_id",
    "import_labels",
    "label_secret",
    "list_gold_questions",
    "mturk_question",
    "notices",
    "picture_path",
    "prolific_address",
    "reconcile",
    "report_visits",
    "retire_gold_question",
    "shown_picture",
    "votes_table",
    "warnings",
    "workspace_key",
    "write_decisions",
]
