"""Results: what is kept of runs, read and compared without any model.

::

    runs      the folder of a run, written and read
    compare   models on a task, any two of them
"""
