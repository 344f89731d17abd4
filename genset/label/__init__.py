"""Labels: who may give them, what to show next, what was said of it, and what it says in sum."""

from genset.label.aggregate import Vote
from genset.label.controls import KnownPhoto, add_control, list_controls, retire_control
from genset.label.desk import Desk
from genset.label.images import image_id, picture_path
from genset.label.labelers import Labeler, Labelers
from genset.label.panels import votes_table
from genset.label.pictures import shown_picture
from genset.label.secret import label_secret
from genset.label.shown import (
    Confusable,
    Done,
    Example,
    GivenLabel,
    Progress,
    Receipt,
    Screen,
    ShownPhoto,
    Submission,
)
from genset.label.sources import SourceWarning, heed, notices, warnings
from genset.label.table import export_labels, import_labels
from genset.store import Store, Verdict
from genset.taxonomy import imagenet1k
from genset.workspace import Workspace

__all__ = [
    "Confusable",
    "Desk",
    "Done",
    "Example",
    "GivenLabel",
    "KnownPhoto",
    "Labeler",
    "Labelers",
    "Progress",
    "Receipt",
    "Screen",
    "ShownPhoto",
    "SourceWarning",
    "Store",
    "Submission",
    "Verdict",
    "Vote",
    "Workspace",
    "add_control",
    "export_labels",
    "heed",
    "image_id",
    "imagenet1k",
    "import_labels",
    "label_secret",
    "list_controls",
    "notices",
    "picture_path",
    "retire_control",
    "shown_picture",
    "votes_table",
    "warnings",
]
