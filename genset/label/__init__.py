"""Labels: what to show next, what was said of it, and the same as a table."""

from genset.label.labeling import Labeling, Progress, Screen, ShownPhoto
from genset.label.pictures import shown_picture
from genset.label.table import export_labels, import_labels
from genset.store import Store, Verdict
from genset.workspace import Workspace

__all__ = [
    "Labeling",
    "Progress",
    "Screen",
    "ShownPhoto",
    "Store",
    "Verdict",
    "Workspace",
    "export_labels",
    "import_labels",
    "shown_picture",
]
