"""Time to accuracy (TTA): training logs, read, compared and recorded.

`Recorder` is for training programs: importing it costs them nothing, and needs no optional part
of genset. Figures need matplotlib; nothing else here does.
"""

from genset.tta.record.recorder import Recorder

__all__ = ["Recorder"]
