"""Labels: who may give them, what to show next, what was said of it, and what it says in sum.

The labeling page imports this room alone: here is what it needs of others.
"""

from genset.classes import LONGEST_ID, ImageClass, Taxonomy
from genset.db import LabelerAct, Store, Verdict
from genset.db.failures import answering
from genset.workspace import Workspace

__all__ = [
    "LONGEST_ID",
    "ImageClass",
    "LabelerAct",
    "Store",
    "Taxonomy",
    "Verdict",
    "Workspace",
    "answering",
]
