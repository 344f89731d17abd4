"""Statistics of hits and misses, one method per file. Nothing here knows of models or photos.

Quantiles and tails of distributions are SciPy's. It is imported inside the functions that need it,
so that scraping and labeling, which use `intervals` alone, never load it. Import `scipy.special`
and not `scipy.stats`, which takes several times as long.

::

    intervals          Wilson's interval of a share
    small_samples      intervals for a handful of runs
    bootstrap          intervals that resample whole classes
    matched            two groups of photos, over the classes that both have
    paired             whether two models differ on the same photos, and the interval
    pairwise           that of all pairs of many models at once
    multiple_testing   many tests at once: Holm
    power              the smallest difference that a number of photos can show
    planning           how many photos a difference needs
    trend              accuracy here against accuracy elsewhere, and models above the line
    average_precision  how high a model ranks all right classes of a photo
    calibration        whether a model is right as often as its confidence says
    ranks              hits at each rank, and ranks that cannot be right
"""
