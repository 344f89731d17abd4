"""What a candidate's labelers say together. Each method takes votes and gives opinions."""

from genset.label.quality.aggregate.dawid_skene import dawid_skene
from genset.label.quality.aggregate.frequency import selection_frequency
from genset.label.quality.aggregate.majority import majority
from genset.label.quality.aggregate.votes import Opinion, Vote

METHODS = {"majority": majority, "frequency": selection_frequency, "dawid-skene": dawid_skene}

__all__ = ["METHODS", "Opinion", "Vote", "dawid_skene", "majority", "selection_frequency"]
