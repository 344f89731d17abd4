"""What `genset tta profile` prints."""

from collections.abc import Sequence

from genset.core.safe import clean
from genset.core.tables import Grid
from genset.tta.analysis.profile.compared import Compared
from genset.tta.analysis.profile.run import Profile
from genset.tta.show.profile.communication import communication_grids
from genset.tta.show.profile.roofline import roofline_grids
from genset.tta.show.profile.shares import cpu_grids, matrix_units_grids, shares_grids
from genset.tta.show.words import short_name

_LONGEST = 60  # characters of a name, as many as a column takes


def profile_grids(found: Compared) -> list[Grid]:
    """What `genset tta profile` prints."""
    found = found.shown(_LONGEST)
    grids = [
        *shares_grids(found.runs),
        *matrix_units_grids(found.runs),
        *communication_grids(found.runs),
        *cpu_grids(found.runs),
        *roofline_grids(found.runs, found.points),
    ]
    for title, notes in (("Remarks", _remarks(found)), ("Not recorded", _lacks(found.runs))):
        if notes:
            grids.append(Grid(title, notes=notes))
    return grids


def _remarks(found: Compared) -> list[str]:
    of = [(run.name, [*run.remarks, *run.roofline.remarks]) for run in found.runs]
    of += [(point.point.name, point.remarks) for point in found.points]
    return [f"{short_name(who)}: {clean(remark, 400)}" for who, remarks in of for remark in remarks]


def _lacks(runs: Sequence[Profile]) -> list[str]:
    said = [f"{short_name(run.name)}: {clean(lack, 400)}" for run in runs for lack in run.lacks]
    return [*said, "genset tta profile --how prints how to record it"] if said else []
