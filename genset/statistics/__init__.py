"""Statistics of hits and misses, one method a file. numpy alone, and nothing of models or photos.

::

    intervals          Wilson's interval of a share
    small_samples      intervals for a handful of runs
    bootstrap          intervals that resample whole classes
    mcnemar            whether two models differ, on the photos where one alone is right
    paired             the interval of a difference on the same photos
    multiple_testing   many such tests at once: Holm, Benjamini-Hochberg
    power              the smallest difference that so many photos can show
    groups             which models cannot be told apart
    trend              accuracy here against accuracy elsewhere, and who is above the line
    calibration        whether a model's confidence can be believed
    ranks              hits at each rank, and ranks that cannot be right
"""
